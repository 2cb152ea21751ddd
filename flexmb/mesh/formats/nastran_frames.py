"""Coordinate systems of Nastran: transform nodes of rectangular, cylindrical and spherical systems to the basic one.

CORD2x gives three points in a reference system: the origin, one on the z axis, one in the xz plane. Angles are degrees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault


@dataclass(frozen=True)
class Frame:
    """One CORD2R, CORD2C or CORD2S card."""

    form: str
    """R, C or S"""
    reference: int
    """System in which the points are given; 0: the basic one"""
    points: Floats
    """(3, 3) origin, a point on z, a point in the xz plane; one per row"""


def to_basic(points: Floats, numbers: Integers, frames: dict[int, Frame], faults: list[Fault]) -> Floats:
    """Points (n, 3), each in the system of its number (n,), in the basic system."""
    result = points.copy()
    for number in np.unique(numbers):
        if number != 0:
            chosen = numbers == number
            result[chosen] = _from_frame(points[chosen], int(number), frames, faults, 0)
    return result


def _from_frame(x: Floats, number: int, frames: dict[int, Frame], faults: list[Fault], depth: int) -> Floats:
    if number == 0:
        return x
    if number not in frames or depth > len(frames):
        text = f"the coordinate system {number} is used but not defined."
        if number in frames:
            text = f"the coordinate system {number} refers to itself."
        faults.append(Fault(text, hint="Supported cards: CORD2R, CORD2C and CORD2S."))
        return x
    frame = frames[number]
    origin, on_z, in_xz = _from_frame(frame.points, frame.reference, frames, faults, depth + 1)
    z = on_z - origin
    y = np.cross(z, in_xz - origin)
    if not np.linalg.norm(y) > 0.0:
        faults.append(Fault(f"the three points of coordinate system {number} lie on one line."))
        return x
    z, y = z / np.linalg.norm(z), y / np.linalg.norm(y)
    axes = np.stack([np.cross(y, z), y, z])
    return origin + _rectangular(x, frame.form) @ axes


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
