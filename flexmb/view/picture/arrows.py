"""Arrows of forces (one head) and moments (two heads): constant thickness, length in proportion to the value."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.view.picture.surfaces import Surface, surface_of

LONGEST = 0.45
"""Length of the largest arrow, in radii of the scene"""
THICKNESS = 0.009
"""Radius of the shaft, in radii of the scene"""
_SIDES = 20


class ArrowShape:
    """A body of revolution: its outline is (distance from the axis, height), from the foot to the tip."""

    def __init__(self, radius: float, heads: int):
        self.longest, self.thickness, self.heads = LONGEST * radius, THICKNESS * radius, heads

    def points(self, foot: Floats, tip: Floats) -> Floats:
        """(s, 3) world [m]"""
        length = float(np.linalg.norm(tip - foot))
        # An arrow of almost zero length becomes a point, which no renderer draws.
        axis = (tip - foot) / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
        side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        side /= np.linalg.norm(side)
        other = np.cross(axis, side)
        outline = self._outline(length)
        angle = np.linspace(0.0, 2.0 * np.pi, _SIDES, endpoint=False)
        around = np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * other
        return (foot + outline[:, None, :1] * around + outline[:, None, 1:] * axis).reshape(-1, 3)

    def _outline(self, length: float) -> Floats:
        """(n, 2); head and shaft shrink together when the arrow gets shorter than its head"""
        thick = min(self.thickness, 0.16 * length / self.heads)
        head = 4.2 * thick
        rings = [(0.0, 0.0), (thick, 0.0)]
        for number in range(self.heads, 0, -1):
            top = length - (number - 1) * 1.05 * head
            rings += [(thick, top - head), (2.4 * thick, top - head), (0.0 if number == 1 else thick, top)]
        return np.array(rings)

    @cached_property
    def surface(self) -> Surface:
        """Surface of an arrow of the greatest length along z."""
        points = self.points(np.zeros(3), np.array([0.0, 0.0, self.longest]))
        return replace(surface_of(points, _revolved(2 + 3 * self.heads)), edges=np.zeros((0, 2), np.int64))


def _revolved(n_rings: int) -> Integers:
    """(t, 3) triangles between neighbouring rings of `_SIDES` points"""
    ring, side = (grid.ravel() for grid in np.meshgrid(np.arange(n_rings - 1), np.arange(_SIDES), indexing="ij"))
    a, b = ring * _SIDES + side, ring * _SIDES + (side + 1) % _SIDES
    c, d = b + _SIDES, a + _SIDES
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]).astype(np.int64)
