"""The joint types as plain data: names, codes, coordinates and the keys that each needs in a model.

A joint stands between a frame on its first body and a frame on its second body (z axis: `axis`). In the tree it
carries `n_v` velocities and `n_q` stored coordinates (a quaternion takes four); as a chord it gives `n_rows` constraint
rows, of which the last `n_velocity_rows` hold at velocity level only. The initial position of a joint is always a
list of `n_v` numbers: what is composed with the design position, rotation vectors where the joint stores quaternions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

CoordinateKind = Literal["length", "angle", "rotation"]
"""length [m], angle [rad], rotation: component of an angular velocity [rad/s] that has no angle of its own."""


class JointCode(IntEnum):
    """Integer code of a joint type in the flat arrays."""

    FIXED = 0
    REVOLUTE = 1
    PRISMATIC = 2
    CYLINDRICAL = 3
    SCREW = 4
    UNIVERSAL = 5
    SPHERICAL = 6
    PLANAR = 7
    FREE = 8
    PIN_IN_SLOT = 9
    POINT_ON_LINE = 10
    DISTANCE = 11
    ROLLING = 12


@dataclass(frozen=True)
class JointType:
    """What the model and the builder must know of one joint type."""

    name: str
    code: JointCode
    coordinates: tuple[str, ...]
    """Names of the velocity coordinates, in order."""
    kinds: tuple[CoordinateKind, ...]
    """Kind of each coordinate, in the same order."""
    n_q: int
    n_rows: int
    """Constraint rows when the joint is a chord."""
    n_velocity_rows: int = 0
    """How many of the rows (the last ones) hold at velocity level only."""
    directions: tuple[str, ...] = ()
    """Direction keys that are needed when the joint is placed by `bodies` and `at`."""
    numbers: tuple[str, ...] = ()
    """Number keys that are always needed."""
    optional: tuple[str, ...] = ()
    """Further keys that are allowed."""
    at: Literal["needed", "optional", "pair"] = "needed"
    """Whether `at` must be given with `bodies`; "optional": the origin of the second body; "pair": one on each body."""
    branch: bool = True
    """Whether the joint can stand in the tree."""

    @property
    def n_v(self) -> int:
        return len(self.coordinates)

    @property
    def drivable(self) -> tuple[str, ...]:
        """Coordinates that are true positions: they can be driven, sprung and actuated."""
        return tuple(n for n, kind in zip(self.coordinates, self.kinds, strict=True) if kind != "rotation")

    def kind_of(self, coordinate: str) -> CoordinateKind:
        return self.kinds[self.coordinates.index(coordinate)]


_SPIN = ("wx", "wy", "wz")
_SPIN_KINDS: tuple[CoordinateKind, ...] = ("rotation", "rotation", "rotation")

_TYPES = (
    JointType("fixed", JointCode.FIXED, (), (), 0, 6, at="optional"),
    JointType("revolute", JointCode.REVOLUTE, ("angle",), ("angle",), 1, 5, directions=("axis",)),
    JointType("prismatic", JointCode.PRISMATIC, ("slide",), ("length",), 1, 5, directions=("axis",)),
    JointType(
        "cylindrical", JointCode.CYLINDRICAL, ("slide", "angle"), ("length", "angle"), 2, 4, directions=("axis",)
    ),
    JointType("screw", JointCode.SCREW, ("angle",), ("angle",), 1, 5, directions=("axis",), numbers=("lead",)),
    JointType("universal", JointCode.UNIVERSAL, ("angle1", "angle2"), ("angle", "angle"), 2, 4, directions=("axes",)),
    JointType("spherical", JointCode.SPHERICAL, _SPIN, _SPIN_KINDS, 4, 3),
    JointType(
        "planar", JointCode.PLANAR, ("x", "y", "angle"), ("length", "length", "angle"), 3, 3, directions=("axis",)
    ),
    JointType(
        "free",
        JointCode.FREE,
        ("x", "y", "z", *_SPIN),
        ("length", "length", "length", *_SPIN_KINDS),
        7,
        0,
        at="optional",
    ),
    JointType(
        "pin-in-slot", JointCode.PIN_IN_SLOT, ("slide", "angle"), ("length", "angle"), 2, 4, directions=("axis", "slot")
    ),
    JointType(
        "point-on-line",
        JointCode.POINT_ON_LINE,
        ("slide", *_SPIN),
        ("length", *_SPIN_KINDS),
        5,
        2,
        directions=("line",),
    ),
    JointType(
        "distance",
        JointCode.DISTANCE,
        ("swing1", "swing2", *_SPIN),
        ("rotation", "rotation", *_SPIN_KINDS),
        8,
        1,
        optional=("length",),
        at="pair",
    ),
    JointType(
        "rolling",
        JointCode.ROLLING,
        (),
        (),
        0,
        3,
        n_velocity_rows=2,
        directions=("axis", "normal"),
        numbers=("radius",),
        branch=False,
    ),
)

JOINT_TYPES: dict[str, JointType] = {joint_type.name: joint_type for joint_type in _TYPES}

QUATERNIONS: dict[JointCode, tuple[tuple[int, int, int], ...]] = {
    JointCode.SPHERICAL: ((0, 0, 3),),
    JointCode.FREE: ((3, 3, 3),),
    JointCode.POINT_ON_LINE: ((1, 1, 3),),
    JointCode.DISTANCE: ((0, 0, 2), (4, 2, 3)),
}
"""Quaternions of a joint: first stored coordinate, first rate, number of rates (two: about y and z only)."""
