"""A row of the joint table, and the properties derived from it.

A joint connects a frame on its first body to a frame on its second body. Its motions are the chain of elementary
motions that take the first frame to the second: slides along axes of the first frame, then turns; each gives the joint
coordinates. Its conditions hold between the two frames where it closes a loop: one scalar equation each. As a
branch it carries `n_v` velocities and `n_q` stored coordinates (a quaternion takes four), as a chord it gives `n_rows`
constraint rows. The initial position of a joint is always a list of `n_v` numbers, composed with the design
position: rotation vectors where the joint stores quaternions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Literal, NamedTuple

from flexmb.axes import AXES

CoordinateKind = Literal["length", "angle", "rotation"]
"""length [m], angle [rad], rotation: component of an angular velocity [rad/s] that has no angle of its own."""


@dataclass(frozen=True)
class Motion:
    """An elementary motion of the second frame, with the names of its coordinates.

    slide : along an axis of the first frame
    turn : about an axis of the frame that the motions before it have reached; full turns are counted
    screw : a turn about z that advances along z in proportion
    ball : three rates about the axes of the second frame; stored as a quaternion
    rod : two rates that swing a rod of constant length, about y and z of a frame on the rod; stored as a quaternion
    """

    type: Literal["slide", "turn", "screw", "ball", "rod"]
    names: tuple[str, ...]
    axis: int = 2
    """0, 1, 2: x, y, z; a ball and a rod have none."""

    @property
    def kind(self) -> CoordinateKind:
        """Kind of its coordinates."""
        if self.type == "slide":
            return "length"
        return "angle" if self.type in ("turn", "screw") else "rotation"

    @property
    def is_quaternion(self) -> bool:
        """Whether it stores four numbers for its rates."""
        return self.kind == "rotation"


def slide(name: str, axis: str) -> Motion:
    """A slide along x, y or z."""
    return Motion("slide", (name,), AXES.index(axis))


def turn(name: str, axis: str) -> Motion:
    """A turn about x, y or z."""
    return Motion("turn", (name,), AXES.index(axis))


@dataclass(frozen=True)
class Condition:
    """A scalar equation between the frames a and b of a joint, d being the place of b seen from a.

    offset : a_i . d = 0                  angle : a_i . b_j = 0
    distance : |d| = length               advance : angle about z = d_z / advance per radian
    contact : height of a disc (axis z of b) over the plane x, y of a      sliding : its sliding speed along a_i
    """

    type: Literal["offset", "angle", "distance", "advance", "contact", "sliding"]
    i: int = 0
    j: int = 0

    @property
    def on_velocity(self) -> bool:
        """Whether it holds at velocity level only."""
        return self.type == "sliding"

    @property
    def text(self) -> str:
        """Description of the condition, for reports."""
        if self.type == "offset":
            return f"offset along {AXES[self.i]}"
        if self.type == "angle":
            return f"angle between {AXES[self.i]} and {AXES[self.j]}"
        return "contact height" if self.type == "contact" else self.type

    @property
    def unit(self) -> str:
        """Unit of its residual."""
        if self.on_velocity:
            return "m/s"
        return "rad" if self.type in ("angle", "advance") else "m"


def offsets(axes: str) -> tuple[Condition, ...]:
    """No offset of the second frame along these axes of the first."""
    return tuple(Condition("offset", AXES.index(axis)) for axis in axes)


def right_angles(*pairs: str) -> tuple[Condition, ...]:
    """ "xz": the x axis of the first frame stays at a right angle to the z axis of the second."""
    return tuple(Condition("angle", AXES.index(pair[0]), AXES.index(pair[1])) for pair in pairs)


class Quaternion(NamedTuple):
    """Places of a quaternion of a joint."""

    q: int
    """First of its four stored coordinates."""
    v: int
    """First of its rates."""
    n_rates: int
    """Three, or two: about y and z only."""


@dataclass(frozen=True)
class JointType:
    """One row of the table."""

    name: str
    code: IntEnum
    """Integer code in the flat arrays."""
    text: str
    """Description of the joint in a sentence; names of keys in backticks, its coordinates in brackets."""
    motions: tuple[Motion, ...] = ()
    """Slides first, then turns."""
    conditions: tuple[Condition, ...] = ()
    """As a chord; those at velocity level come last."""
    directions: tuple[str, ...] = ()
    """Direction keys that are needed when the joint is placed by `bodies` and `at`."""
    numbers: tuple[str, ...] = ()
    """Number keys that are always needed."""
    optional: tuple[str, ...] = ()
    """Further number keys."""
    at: Literal["needed", "optional", "pair", "first"] = "needed"
    """Whether `at` must be given with `bodies`; "optional": the origin of the second body; "pair": one on each body;
    "first": a point of the first body, the second frame is at the origin of the second body."""
    branch: bool = True
    """Whether the joint can be in the tree."""

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the velocity coordinates, in order."""
        return tuple(name for motion in self.motions for name in motion.names)

    @cached_property
    def kinds(self) -> tuple[CoordinateKind, ...]:
        """Kind of each coordinate, in the same order."""
        return tuple(motion.kind for motion in self.motions for _ in motion.names)

    @property
    def n_v(self) -> int:
        """Number of velocities as a branch."""
        return len(self.coordinates)

    @cached_property
    def n_q(self) -> int:
        """Number of stored coordinates as a branch."""
        return sum(4 if motion.is_quaternion else 1 for motion in self.motions)

    @cached_property
    def quaternions(self) -> tuple[Quaternion, ...]:
        """Places of quaternions among the stored coordinates and the rates."""
        found, q, v = [], 0, 0
        for motion in self.motions:
            if motion.is_quaternion:
                found.append(Quaternion(q, v, len(motion.names)))
            q, v = q + (4 if motion.is_quaternion else 1), v + len(motion.names)
        return tuple(found)

    @property
    def n_rows(self) -> int:
        """Constraint rows as a chord."""
        return len(self.conditions)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Number keys whose values the kernels read, in this order (a lead as the advance per radian)."""
        return (*self.numbers, *self.optional)

    @cached_property
    def drivable(self) -> tuple[str, ...]:
        """Coordinates that are true positions: they can be driven, sprung and actuated."""
        return tuple(n for n, kind in zip(self.coordinates, self.kinds, strict=True) if kind != "rotation")

    def kind_of(self, coordinate: str) -> CoordinateKind:
        """Kind of a coordinate."""
        return self.kinds[self.coordinates.index(coordinate)]

    def motion_of(self, coordinate: str) -> Motion:
        """The elementary motion that a coordinate belongs to."""
        return next(motion for motion in self.motions if coordinate in motion.names)

    def motions_of(self, *types: str) -> tuple[Motion, ...]:
        """Its elementary motions of these types."""
        return tuple(motion for motion in self.motions if motion.type in types)

    @cached_property
    def counted(self) -> tuple[bool, ...]:
        """Whether each coordinate is an angle known only up to full turns when measured from poses. (A
        screw counts its own by its advance.)"""
        return tuple(motion.type == "turn" for motion in self.motions for _ in motion.names)

    @cached_property
    def held_offsets(self) -> tuple[int, ...]:
        """Axes of the first frame along which the second does not move away."""
        return tuple(condition.i for condition in self.conditions if condition.type == "offset")

    @cached_property
    def free_slides(self) -> str:
        """Axes along which the two frames can part, or whose offset is not held by itself (a rod, a rolling disc)."""
        held = {*self.held_offsets, *(motion.axis for motion in self.motions_of("screw"))}
        return "".join(axis for k, axis in enumerate(AXES) if k not in held)

    @cached_property
    def free_turns(self) -> str:
        """Axes about which the two frames can turn: a right angle between two axes holds the third."""
        held = {3 - condition.i - condition.j for condition in self.conditions if condition.type == "angle"}
        return "".join(axis for k, axis in enumerate(AXES) if k not in held)
