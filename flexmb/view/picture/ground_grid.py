"""The grid on the ground: below everything that moves, with round cells, fading outwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.view.camera import world_axes
from flexmb.view.extent import Extent
from flexmb.view.scene import Scene

GRID_CELLS = 4.0
"""Cells of the grid in a radius of the scene, about"""


@dataclass(frozen=True)
class Grid:
    """Lines on the ground, fading outwards."""

    cell: float
    """[m]"""
    points: Floats
    """(2 n, 3) ends of short lines, world [m]"""
    strength: Floats
    """(n,) from 0 (not seen) to 1"""


def ground_grid(scene: Scene, scale: float) -> Grid:
    """A grid below everything, with cells of 1, 2 or 5 times a power of ten."""
    x, y, up = world_axes(scene.up)
    floor = float(up @ scene.center) - scene.radius
    lowest = min((float((path @ up).min()) for path in Extent(scene, scene.parts, scale).paths()), default=floor)
    cell = _round_number(scene.radius / GRID_CELLS)
    reach = int(np.ceil(2.6 * scene.radius / cell))
    middle = np.array([round(float(axis @ scene.center) / cell) for axis in (x, y)])
    ends, strength = [], []
    for along, across in ((0, 1), (1, 0)):
        line, step = np.meshgrid(np.arange(-reach, reach + 1), np.arange(-reach, reach), indexing="ij")
        place = np.zeros((line.size, 2, 2))
        place[:, :, across] = line.reshape(-1, 1)
        place[:, 0, along], place[:, 1, along] = step.ravel(), step.ravel() + 1
        distance = np.linalg.norm(place.mean(axis=1), axis=1) / reach
        strength.append(np.clip(1.25 * (1.0 - distance), 0.0, 1.0))
        ends.append(((place + middle) * cell).reshape(-1, 2))
    seen = np.concatenate(strength) > 0.02
    flat = np.concatenate(ends).reshape(-1, 2, 2)[seen].reshape(-1, 2)
    height = lowest - 0.02 * scene.radius
    return Grid(cell, flat[:, :1] * x + flat[:, 1:] * y + height * up, np.concatenate(strength)[seen])


def _round_number(value: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten that is not above the value"""
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * max(step for step in (1.0, 2.0, 5.0) if step * power <= value * (1.0 + 1e-9)))
