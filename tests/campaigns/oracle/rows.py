"""Constraint rows of joints and motions between two markers A and B, d being the vector from A to B, world axes.

A row is known by the force f and moment n on B that do its virtual work; on A act -f and -n - d x f:

    rate = f . (v_B - v_A - omega_A x d) + n . (omega_B - omega_A)      (less the rate of its motion)

so its Jacobian is that pair of wrenches, and its second derivative comes from the same function by a complex step along
the motion of the markers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.campaigns.oracle.description import Description, Joint, Wave

Array = Any
X, Y, Z = range(3)
_ALL_AXES = [("offset", X), ("offset", Y), ("offset", Z)]
_PARALLEL = [("angle", X, Z), ("angle", Y, Z)]
JOINTS: dict[str, list[tuple[Any, ...]]] = {
    "fixed": [*_ALL_AXES, ("angle", X, Y), ("angle", X, Z), ("angle", Y, Z)],
    "revolute": [*_ALL_AXES, *_PARALLEL],
    "prismatic": [("offset", X), ("offset", Y), ("angle", X, Y), ("angle", X, Z), ("angle", Y, Z)],
    "cylindrical": [("offset", X), ("offset", Y), *_PARALLEL],
    "screw": [("offset", X), ("offset", Y), *_PARALLEL, ("advance",)],
    "universal": [*_ALL_AXES, ("angle", X, Y)],
    "spherical": _ALL_AXES,
    "planar": [("offset", Z), *_PARALLEL],
    "free": [],
    "pin-in-slot": [("offset", Y), ("offset", Z), *_PARALLEL],
    "point-on-line": [("offset", X), ("offset", Y)],
    "distance": [("distance",)],
    "rolling": [("contact", Z), ("sliding", X), ("sliding", Y)],
}
"""Conditions of every joint type."""
_TURN_Z = ("turn", "A", Z)
COORDINATES: dict[str, dict[str, tuple[Any, ...]]] = {
    "revolute": {"angle": _TURN_Z},
    "prismatic": {"slide": ("slide", Z)},
    "cylindrical": {"slide": ("slide", Z), "angle": _TURN_Z},
    "screw": {"angle": _TURN_Z},
    "universal": {"angle1": ("turn", "A", X), "angle2": ("turn", "B", Y)},
    "planar": {"x": ("slide", X), "y": ("slide", Y), "angle": _TURN_Z},
    "free": {"x": ("slide", X), "y": ("slide", Y), "z": ("slide", Z)},
    "pin-in-slot": {"slide": ("slide", X), "angle": _TURN_Z},
    "point-on-line": {"slide": ("slide", Z)},
}
"""Coordinates that are positions: a slide along an axis of A, or a turn about an axis of A or B."""
KINDS = ("offset", "slide", "angle", "distance", "advance", "turn", "contact", "sliding")


@dataclass(frozen=True)
class Row:
    """A condition of a joint, or a coordinate of it that is driven, measured or loaded."""

    kind: str
    joint: Joint
    i: int = 0
    j: int = 0
    on: str = "A"
    wave: Wave | None = None
    motion: str = ""

    @property
    def on_velocity(self) -> bool:
        return self.kind == "sliding"


def rows_of(description: Description) -> list[Row]:
    """All rows of a model: joints first, then motions; rows on velocities last."""
    rows = [Row(kind, joint, *axes) for joint in description.joints for kind, *axes in JOINTS[joint.type]]
    for name, number, coordinate, wave in description.motions:
        rows.append(coordinate_row(description.joints[number], coordinate, wave, name))
    return sorted(rows, key=lambda row: row.on_velocity)


def coordinate_row(joint: Joint, coordinate: str, wave: Wave | None = None, motion: str = "") -> Row:
    """The row of a joint coordinate."""
    kind, *rest = COORDINATES[joint.type][coordinate]
    on, axis = rest if kind == "turn" else ("A", rest[0])
    return Row(kind, joint, axis, on=on, wave=wave, motion=motion)


class Rows:
    """Many rows, evaluated together. p : (k, 3), R : (k, 3, 3) are the poses of all markers, complex along a motion."""

    def __init__(self, rows: list[Row]):
        self.rows = rows
        self.a, self.b = (np.array([getattr(row.joint, end) for row in rows], dtype=int) for end in "ab")
        self._i, self._j = (np.array([getattr(row, axis) for row in rows], dtype=int) for axis in "ij")
        self._parameter = np.array([row.joint.parameter for row in rows])
        self._of = {kind: np.array([k for k, row in enumerate(rows) if row.kind == kind], dtype=int) for kind in KINDS}
        turns = [k for k, row in enumerate(rows) if row.kind == "turn"]
        self._turn_a = np.array([k for k in turns if rows[k].on == "A"], dtype=int)
        self._turn_b = np.array([k for k in turns if rows[k].on == "B"], dtype=int)
        along = [k for k, row in enumerate(rows) if row.kind in ("offset", "slide", "contact", "sliding")]
        self._along = np.array(along, dtype=int)
        self._rolls = np.array([k for k in along if rows[k].kind in ("contact", "sliding")], dtype=int)

    def wrenches(self, p: Array, R: Array) -> tuple[Array, Array]:
        """(m, 3) forces and (m, 3) moments on B."""
        f = np.zeros((len(self.rows), 3), dtype=p.dtype)
        n = np.zeros_like(f)
        k = self._along
        f[k] = self._axis_a(R, k)
        if len(k := self._of["angle"]):
            n[k] = cross(R[self.b[k], :, self._j[k]], self._axis_a(R, k))
        if len(k := self._of["distance"]):
            f[k] = (p[self.b[k]] - p[self.a[k]]) / self._parameter[k, None]
        if len(k := self._of["advance"]):
            f[k] = R[self.a[k], :, Z]
            n[k] = -self._parameter[k, None] * f[k]
        n[self._turn_a] = self._axis_a(R, self._turn_a)
        n[self._turn_b] = R[self.b[self._turn_b], :, self._i[self._turn_b]]
        if len(k := self._rolls):
            n[k] = cross(self._disc(R, k)[0], f[k])
        return f, n

    def values(self, p: Array, R: Array, t: float | None = None) -> Array:
        """(m,) values of the rows, with a time less their motions; zero for rows on velocities."""
        d = p[self.b] - p[self.a]
        out = np.zeros(len(self.rows))
        k = self._along
        out[k] = (self._axis_a(R, k) * d[k]).sum(axis=1)
        out[self._of["sliding"]] = 0.0
        k = self._of["contact"]
        out[k] -= self._parameter[k] * self._disc(R, k)[1]
        k = self._of["angle"]
        out[k] = (self._axis_a(R, k) * R[self.b[k], :, self._j[k]]).sum(axis=1)
        k = self._of["distance"]
        out[k] = ((d[k] ** 2).sum(axis=1) - self._parameter[k] ** 2) / (2.0 * self._parameter[k])
        for k in self._of["advance"]:
            advance, angle = float(R[self.a[k], :, Z] @ d[k]), self._angle(R, k, X, Y)
            turns = round((advance / self._parameter[k] - angle) / (2.0 * np.pi))
            out[k] = advance - self._parameter[k] * (angle + 2.0 * np.pi * turns)
        for k in self._turn_a:
            out[k] = self._angle(R, k, (self._i[k] + 1) % 3, (self._i[k] + 2) % 3)
        for k in self._turn_b:
            a, b = R[self.a[k]], R[self.b[k]]
            out[k] = np.arctan2(a[:, X] @ b[:, Z], a[:, X] @ b[:, X])
        return out if t is None else out - self.drives(t)

    def rates(self, p: Array, R: Array, v: Array, w: Array) -> Array:
        """(m,) rates of the rows, without their motions; v, w : (k, 3) of all markers."""
        a, b = self.a, self.b
        f, n = self.wrenches(p, R)
        relative = v[b] - v[a] - cross(w[a], p[b] - p[a])
        return (f * relative + n * (w[b] - w[a])).sum(axis=1)

    def drives(self, t: float, order: int = 0) -> Array:
        """(m,) motions, or derivatives of them."""
        return np.array([0.0 if row.wave is None else row.wave(t, order) for row in self.rows])

    def _axis_a(self, R: Array, k: Array) -> Array:
        return R[self.a[k], :, self._i[k]]

    def _disc(self, R: Array, k: Array) -> tuple[Array, Array]:
        """Vectors from the centres of rolling discs to their contact points, and the sines of their tilts."""
        normal, axis = R[self.a[k], :, Z], R[self.b[k], :, Z]
        c = (normal * axis).sum(axis=1)
        s = np.sqrt(1.0 - c * c)
        return (-self._parameter[k] / s)[:, None] * (normal - c[:, None] * axis), s

    def _angle(self, R: Array, k: int, first: int, second: int) -> float:
        """Angle from axis `first` of A to that of B, in the plane of the axes first, second of A."""
        a, b = R[self.a[k]], R[self.b[k]]
        return float(np.arctan2(a[:, second] @ b[:, first], a[:, first] @ b[:, first]))


def cross(a: Array, b: Array) -> Array:
    """Vector products of rows: (m, 3)."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape), dtype=np.result_type(a, b))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out
