"""Coordinate systems of Abaqus and CalculiX: *ORIENTATION, *TRANSFORM and *SYSTEM.

A shell takes the axis after the given one (1, 2 or 3, about which the system is turned) as direction 1: 2 after 1. So
an orientation has a frame for solids, turned, and one for shells, of which x is that axis, and the angle beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmb.arrays import Floats
from flexmb.mesh.deck import Frame
from flexmb.mesh.formats.abaqus_materials import numbers
from flexmb.mesh.formats.abaqus_text import Block


@dataclass(frozen=True)
class Orientation:
    """An *ORIENTATION."""

    name: str
    frame: Frame
    """Without the additional rotation"""
    axis: int = 1
    """Axis 1, 2 or 3 of the additional rotation"""
    angle: float = 0.0
    """[rad]"""

    @property
    def turned(self) -> Frame:
        """System of solids, with the additional rotation; a cylindrical one is turned about its own axis only."""
        if not self.angle:
            return self.frame
        if self.frame.form != "R":
            raise ValueError
        axes = np.array(self.frame.axes)
        a, b = axes[self.axis % 3], axes[(self.axis + 1) % 3]
        c, s = np.cos(self.angle), np.sin(self.angle)
        rows = axes.copy()
        rows[self.axis % 3], rows[(self.axis + 1) % 3] = c * a + s * b, c * b - s * a
        return replace(self.frame, axes=_rows(rows))

    @property
    def of_shells(self) -> Frame:
        """System of shells: its x axis is direction 1 before the additional rotation."""
        if self.frame.form != "R" and self.axis != 3:
            raise ValueError
        return replace(self.frame, axes=_rows(np.roll(np.array(self.frame.axes), -(self.axis % 3), axis=0)))


def read_orientation(block: Block, turn: Floats, shift: Floats) -> Orientation:
    """*ORIENTATION in a part that is turned and shifted: x -> turn x + shift."""
    kind = block.name("SYSTEM").upper() or "RECTANGULAR"
    if block.name("DEFINITION").upper() not in ("", "COORDINATES"):
        raise ValueError
    first = numbers(block.lines[:1], 9, at_least=4)
    a, b, c = (np.array(first[i : i + 3]) for i in (0, 3, 6))
    axis, angle = 1, 0.0
    if len(block.lines) > 1:
        number, angle = numbers(block.lines[1:2], 2, at_least=0)
        axis = int(number) or 1
    if axis not in (1, 2, 3):
        raise ValueError
    if kind.startswith("R"):
        frame = _from_x(a - c, b - c, c)
    elif kind.startswith("Z"):
        frame = _from_z(a - c, b - c, c)
    elif kind.startswith("C"):
        frame = cylinder(a, b)
    else:
        raise ValueError
    return Orientation(block.name("NAME"), placed(frame, turn, shift), axis, float(np.radians(angle)))


def read_transform(block: Block, turn: Floats, shift: Floats) -> Frame:
    """*TRANSFORM."""
    values = numbers(block.lines, 6)
    a, b = np.array(values[:3]), np.array(values[3:])
    kind = block.name("TYPE").upper() or "R"
    if kind.startswith("R"):
        return placed(_from_x(a, b, np.zeros(3)), turn, shift)
    if kind.startswith("C"):
        return placed(cylinder(a, b), turn, shift)
    raise ValueError


def read_system(block: Block) -> Frame | None:
    """*SYSTEM, for the nodes after it; without data the basic one."""
    if not block.lines:
        return None
    values = numbers(block.lines, 9, at_least=3)
    origin, on_x, in_xy = (np.array(values[i : i + 3]) for i in (0, 3, 6))
    if not in_xy.any() and not on_x.any():
        return Frame("R", _three(origin), _rows(np.eye(3)))
    if not in_xy.any():  # only two points: y is in the plane of x and the basic y axis
        in_xy = origin + np.array([0.0, 1.0, 0.0])
    return _from_x(on_x - origin, in_xy - origin, origin)


def placed(frame: Frame, turn: Floats, shift: Floats) -> Frame:
    """A frame after x -> turn x + shift."""
    origin = turn @ np.array(frame.origin) + shift
    return Frame(frame.form, _three(origin), _rows(np.array(frame.axes) @ turn.T))


def cylinder(a: Floats, b: Floats) -> Frame:
    """A cylindrical system about the line from a to b."""
    z = b - a
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    return replace(_from_z(z, x, a), form="C")


def _from_x(x: Floats, in_xy: Floats, origin: Floats) -> Frame:
    z = np.cross(x, in_xy)
    return _checked(x, np.cross(z, x), z, origin)


def _from_z(z: Floats, in_xz: Floats, origin: Floats) -> Frame:
    y = np.cross(z, in_xz)
    return _checked(np.cross(y, z), y, z, origin)


def _checked(x: Floats, y: Floats, z: Floats, origin: Floats) -> Frame:
    lengths = [np.linalg.norm(axis) for axis in (x, y, z)]
    if not min(lengths) > 0.0:
        raise ValueError
    axes = np.stack([axis / length for axis, length in zip((x, y, z), lengths, strict=True)])
    return Frame("R", _three(origin), _rows(axes))


def _three(x: Floats) -> tuple[float, float, float]:
    return (float(x[0]), float(x[1]), float(x[2]))


def _rows(rows: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in rows)
