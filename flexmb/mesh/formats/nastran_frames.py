"""Coordinate systems of Nastran: rectangular, cylindrical and spherical ones, placed in the basic system.

CORD2x gives three points in a reference system: the origin, one on the z axis, one in the xz plane; CORD1x gives them
as nodes. Angles are degrees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault
from flexmb.mesh.deck import BASIC, ZERO, Frame

_BASIC = Frame("R", ZERO, BASIC)


@dataclass(frozen=True)
class FrameCard:
    """One CORD1R, CORD1C, CORD1S, CORD2R, CORD2C or CORD2S card."""

    form: str
    """R, C or S"""
    reference: int
    """System in which the points are given; 0: the basic one"""
    points: Floats
    """(3, 3) origin, a point on z, a point in the xz plane; one per row"""
    nodes: tuple[int, ...] = ()
    """The three nodes of CORD1x; empty: `points` are given"""


class Systems:
    """Places systems, in any order of their cards, when needed. grids : node -> system (-1: the default), x."""

    def __init__(
        self, cards: Mapping[int, FrameCard], grids: Mapping[int, tuple[int, tuple[float, float, float]]], default: int
    ) -> None:
        self.cards, self.grids, self.default = cards, grids, default
        self.faults: dict[int, Fault] = {}
        """System -> why it cannot be used"""
        self._placed: dict[int, Frame] = {0: _BASIC}
        self._underway: list[int] = []

    def frame(self, number: int) -> Frame:
        """The system of a number in the basic one; the basic one, and a fault, if it has none."""
        if number not in self._placed:
            self._underway.append(number)
            self._placed[number] = self._place(number)
            self._underway.pop()
        return self._placed[number]

    def to_basic(self, points: Floats, numbers: Integers) -> Floats:
        """Points (n, 3), each in the system of its number (n,), in the basic system."""
        result = points.copy()
        for number in np.unique(numbers):
            if number != 0:
                chosen = numbers == number
                result[chosen] = in_basic(points[chosen], self.frame(int(number)))
        return result

    def point(self, node: int) -> Floats:
        """(3,) a node in the basic system."""
        return in_basic(np.array([self.grids[node][1]]), self.frame(self._system_of(node)))[0]

    def _system_of(self, node: int) -> int:
        number = self.grids[node][0]
        return number if number >= 0 else self.default

    def _place(self, number: int) -> Frame:
        card = self.cards.get(number)
        if card is None:
            return self._wrong(number, f"the coordinate system {number} is used but not defined.")
        if card.reference in self._underway:
            return self._wrong(number, f"the coordinate system {number} refers to itself.")
        if card.nodes:
            missing = [node for node in card.nodes if node not in self.grids]
            if missing:
                text = f"the coordinate system {number} uses node {missing[0]}, which is not in the file."
                return self._wrong(number, text)
            if any(self._system_of(node) in self._underway for node in card.nodes):
                return self._wrong(number, f"the coordinate system {number} refers to itself.")
            origin, on_z, in_xz = (self.point(node) for node in card.nodes)
        else:
            origin, on_z, in_xz = in_basic(card.points, self.frame(card.reference))
        z = on_z - origin
        y = np.cross(z, in_xz - origin)
        if not np.linalg.norm(y) > 1e-12 * np.linalg.norm(z) * np.linalg.norm(in_xz - origin):
            return self._wrong(number, f"the three points of coordinate system {number} lie on one line.")
        z, y = z / np.linalg.norm(z), y / np.linalg.norm(y)
        axes = np.stack([np.cross(y, z), y, z])
        return Frame(card.form, tuple(origin.tolist()), tuple(tuple(row) for row in axes.tolist()))

    def _wrong(self, number: int, text: str) -> Frame:
        self.faults.setdefault(number, Fault(text, hint="Supported cards: CORD1R, 1C, 1S, CORD2R, 2C, 2S."))
        return _BASIC


def in_basic(x: Floats, frame: Frame) -> Floats:
    """Points (n, 3) with coordinates of a system, in the basic one."""
    with np.errstate(invalid="ignore", over="ignore"):  # `checks.py` reports coordinates that are not finite
        return np.array(frame.origin) + _rectangular(x, frame.form) @ np.array(frame.axes)


def _rectangular(x: Floats, form: str) -> Floats:
    if form == "R":
        return x
    if form == "C":
        angle = np.radians(x[:, 1])
        return np.stack([x[:, 0] * np.cos(angle), x[:, 0] * np.sin(angle), x[:, 2]], axis=1)
    # Spherical: radius, angle from the z axis, angle from the xz plane.
    polar, angle = np.radians(x[:, 1]), np.radians(x[:, 2])
    flat = x[:, 0] * np.sin(polar)
    return np.stack([flat * np.cos(angle), flat * np.sin(angle), x[:, 0] * np.cos(polar)], axis=1)
