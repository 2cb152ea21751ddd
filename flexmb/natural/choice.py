"""Points and unit vectors of every body of a model, chosen from its joints.

Enters: a placed mechanism. Leaves: its bodies in natural coordinates, the points and vectors that they share, and the
joint rows that sharing does not replace [GJB sec. 4.2; joints by sharing]:

    spherical, universal, revolute, fixed     the place of the joint is one point of both bodies
    revolute, cylindrical, screw, planar, pin-in-slot     the axis of the joint is one vector of both bodies
    prismatic, fixed                          all three joint axes are vectors of both bodies
    what is left                              rows of dot products between the frames of the joint

Places and directions that are the same in body axes are one point or vector, so that in a planar linkage all bodies
share one vector, and what is shared with ground is fixed. A joint is written as rows instead where sharing would make
two places of one body one (two hinges of a lid, off by round-off), or where two points of a body would be too close to
each other to give it a direction. A body that its joints leave without three independent directions gets unit vectors
across those it has: its mass matrix is constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.joints.joint_type import Condition, JointType
from flexmb.natural.body import BodyPoint, BodyVector, NaturalBody
from flexmb.natural.constraints import ConstraintBuilder
from flexmb.natural.layout import Combination, Layout, direction_of, point_of
from flexmb.natural.system import NaturalMechanism, Writer
from flexmb.system.mechanism import Mechanism, PlacedJoint

SAME = 1e-12
"""Places of one body closer than this share of the mechanism's size, and directions closer than this, are one
(round-off)."""
CLOSE = 1e-3
"""Two places of one body closer than this share of the largest body are not both points of it."""
SLANTED = 0.2
"""Sine of the angle out of the space of the others below which a direction is not used."""


@dataclass(frozen=True)
class Recipe:
    """Shared points, shared vectors and rows that make up a joint."""

    is_point: bool
    """Its place is a shared point."""
    vectors: tuple[int, ...]
    """Its axes (0, 1, 2: x, y, z) that are shared vectors."""
    rows: tuple[Condition, ...]
    """Remaining conditions. The advance of a screw is a row of its angle."""


def is_covered(kind: JointType) -> bool:
    """Whether a joint can be written in natural coordinates: not when its conditions hold for velocities only."""
    return not any(condition.on_velocity for condition in kind.conditions)


@cache
def recipe_of(kind: JointType) -> Recipe:
    """A joint that holds all offsets shares its place, an axis that cannot turn about the two others is shared."""
    is_point = len(kind.held_offsets) == 3
    turns = [AXES.index(axis) for axis in kind.free_turns]
    vectors = {0: (0, 1, 2), 1: tuple(turns)}.get(len(turns), ())
    made = {"offset"} if is_point else set()
    made |= {"angle"} if vectors else set()
    return Recipe(is_point, vectors, tuple(row for row in kind.conditions if row.type not in made))


@dataclass(frozen=True, eq=False)
class Pose:
    """Pose and motion of a body: R (3, 3), p (3,) [m], angular velocity (3,), velocity of its origin (3,),
    all in world axes."""

    R: Floats
    p: Floats
    omega: Floats
    velocity: Floats


@dataclass(frozen=True, eq=False)
class Seat:
    """A place or direction of a body (number in the mechanism, 0: ground) in body axes."""

    body: int
    local: Floats


class _Shared:
    """Places (or directions) of bodies, joined to classes: each class is one point (or vector)."""

    def __init__(self, size: float, length: float):
        """`size` of the mechanism, which round-off of places is measured against; `length` of its largest body."""
        self.size, self.length = size, length
        self.seats: list[Seat] = []
        self.owner: list[int] = []
        """Class of every seat, by the number of one of its seats."""
        self._members: dict[int, list[int]] = {}
        self._of_body: dict[int, list[int]] = {}

    def add(self, body: int, local: Floats) -> int:
        """The seat of this place; a new one unless the body has it already."""
        for number in self.of(body):
            if np.max(np.abs(self.seats[number].local - local)) <= SAME * self.size:
                return number
        number = len(self.seats)
        self.seats.append(Seat(body, np.asarray(local, dtype=float)))
        self.owner.append(number)
        self._members[number] = [number]
        self._of_body.setdefault(body, []).append(number)
        return number

    def is_crowded(self, body: int, local: Floats) -> bool:
        """Whether the body has another place so near that the two give no usable direction."""
        places = [self.seats[number].local for number in self.of(body) if body > 0]
        return any(SAME * self.size < np.max(np.abs(place - local)) < CLOSE * self.length for place in places)

    def join(self, first: int, second: int) -> bool:
        """Make two seats one; False when a body would then have two places in one."""
        keep, leave = self.owner[first], self.owner[second]
        if keep == leave:
            return True
        bodies = [{self.seats[k].body for k in self._members[c]} for c in (keep, leave)]
        if bodies[0] & bodies[1]:
            return False
        for k in self._members[leave]:
            self.owner[k] = keep
        self._members[keep] += self._members.pop(leave)
        return True

    def classes(self) -> dict[int, int]:
        """Class -> its number."""
        return {own: number for number, own in enumerate(dict.fromkeys(self.owner))}

    def first_seats(self) -> tuple[Seat, ...]:
        """One seat of every class, on ground if it has one there."""
        found: dict[int, Seat] = {}
        for seat, own in zip(self.seats, self.owner, strict=True):
            if own not in found or seat.body == 0:
                found[own] = seat
        return tuple(found[own] for own in self.classes())

    def of(self, body: int) -> list[int]:
        """Seats of a body."""
        return self._of_body.get(body, [])


@dataclass(frozen=True, eq=False)
class Choice:
    """The model in natural coordinates."""

    mechanism: Mechanism
    bodies: tuple[NaturalBody, ...]
    """In the order of the mechanism, without ground."""
    points: tuple[Seat, ...]
    vectors: tuple[Seat, ...]
    rows: tuple[Writer, ...] = field(default=())
    """Joint rows that sharing does not replace."""

    def marker_point(self, marker: int, layout: Layout) -> Combination:
        """Place of a marker."""
        placed = self.mechanism.markers[marker]
        if placed.body == 0:
            return layout.constant(placed.p_b)
        return point_of(self.bodies[placed.body - 1], placed.p_b, layout)

    def marker_axis(self, marker: int, axis: int, layout: Layout) -> Combination:
        """Axis 0, 1, 2 (x, y, z) of a marker."""
        placed = self.mechanism.markers[marker]
        if placed.body == 0:
            return layout.constant(placed.R_b[:, axis])
        return direction_of(self.bodies[placed.body - 1], placed.R_b[:, axis], layout)

    def gap(self, joint: PlacedJoint, layout: Layout) -> Combination:
        """Place of the second marker of a joint from the first."""
        return self.marker_point(joint.second, layout) - self.marker_point(joint.first, layout)

    def natural(self, poses: Sequence[Pose], scalars: Floats) -> NaturalMechanism:
        """The mechanism with its points and vectors where these poses (of all bodies, ground first) put them."""
        points = [poses[seat.body].p + poses[seat.body].R @ seat.local for seat in self.points]
        vectors = [poses[seat.body].R @ seat.local for seat in self.vectors]
        return NaturalMechanism(
            self.bodies,
            np.array(points).reshape(-1, 3),
            np.array(vectors).reshape(-1, 3),
            scalars,
            [number for number, seat in enumerate(self.points) if seat.body == 0],
            [number for number, seat in enumerate(self.vectors) if seat.body == 0],
        )

    def velocities(self, poses: Sequence[Pose], n_scalars: int) -> Floats:
        """Rates of all points and vectors; those of mixed scalars follow from the constraints."""
        rates = []
        for seats, is_point in ((self.points, True), (self.vectors, False)):
            for seat in seats:
                pose = poses[seat.body]
                turned = np.cross(pose.omega, pose.R @ seat.local)
                rates.append(turned + pose.velocity if is_point else turned)
        return np.concatenate([*rates, np.zeros(n_scalars)])


def choose(mechanism: Mechanism) -> Choice:
    """Points and vectors of every body; all joints must have a recipe."""
    reach = [np.max(np.abs(mechanism.world_pose(number)[1])) for number in range(len(mechanism.markers))]
    size = float(max(reach)) or 1.0
    points, vectors = _Shared(size, _largest_body(mechanism) or size), _Shared(1.0, 1.0)
    apart: list[tuple[PlacedJoint, int | None]] = []
    for joint in mechanism.joints:
        recipe = recipe_of(joint.type)
        first, second = mechanism.markers[joint.first], mechanism.markers[joint.second]
        if recipe.is_point:
            ends = (first, second)
            if any(points.is_crowded(end.body, end.p_b) for end in ends):
                apart.append((joint, None))
            elif not points.join(*(points.add(end.body, end.p_b) for end in ends)):
                apart.append((joint, None))
        for axis in recipe.vectors:
            seats = vectors.add(first.body, first.R_b[:, axis]), vectors.add(second.body, second.R_b[:, axis])
            if not vectors.join(*seats):
                apart.append((joint, axis))
    for body in range(1, len(mechanism.bodies)):
        _complete(mechanism, body, points, vectors)
    classes = points.classes(), vectors.classes()
    bodies = tuple(_body(mechanism, body, points, vectors, classes) for body in range(1, len(mechanism.bodies)))
    choice = Choice(mechanism, bodies, points.first_seats(), vectors.first_seats())
    rows = [_joint_rows(choice, joint) for joint in mechanism.joints]
    rows += [_equal_rows(choice, joint, axis) for joint, axis in apart]
    return Choice(mechanism, bodies, choice.points, choice.vectors, tuple(rows))


def _largest_body(mechanism: Mechanism) -> float:
    """Largest distance of a marker of a body from its centre of mass [m]."""
    centers = [body.first_moment / body.mass if body.mass > 0.0 else np.zeros(3) for body in mechanism.bodies]
    arms = [np.max(np.abs(marker.p_b - centers[marker.body])) for marker in mechanism.markers if marker.body]
    return float(max(arms, default=0.0))


def _complete(mechanism: Mechanism, body: int, points: _Shared, vectors: _Shared) -> None:
    """Give a body a point, and unit vectors across the directions that its joints give it."""
    if not points.of(body):
        ends = (end for joint in mechanism.joints for end in (joint.first, joint.second))
        places = [mechanism.markers[end].p_b for end in ends if mechanism.markers[end].body == body]
        points.add(body, places[0] if places else np.zeros(3))
    places = [points.seats[k].local for k in points.of(body)]
    arms = [place - places[0] for place in places[1:]] + [vectors.seats[k].local for k in vectors.of(body)]
    rest = np.array([arm / np.linalg.norm(arm) for arm in arms]).reshape(-1, 3)
    axes = np.zeros((0, 3))
    while len(rest) and len(axes) < 3:
        sines = np.linalg.norm(rest, axis=1)
        best = int(np.argmax(sines > (1.0 - 1e-6) * np.max(sines)))
        if sines[best] < SLANTED:
            break
        axis = rest[best] / sines[best]
        axes = np.vstack([axes, axis])
        rest = rest - np.outer(rest @ axis, axis)
    if len(axes) == 0:
        missing = np.eye(3)
    elif len(axes) == 2:
        normal = np.cross(axes[0], axes[1])
        missing = (normal / np.linalg.norm(normal))[None]
    else:
        missing = np.linalg.svd(axes)[2][len(axes) :]
    for axis in missing:
        vectors.add(body, axis)


def _body(
    mechanism: Mechanism, number: int, points: _Shared, vectors: _Shared, classes: tuple[dict[int, int], dict[int, int]]
) -> NaturalBody:
    body = mechanism.bodies[number]
    center = body.first_moment / body.mass if body.mass > 0.0 else np.zeros(3)
    about_center = body.inertia - body.mass * (center @ center * np.eye(3) - np.outer(center, center))
    of_points, of_vectors = classes
    return NaturalBody(
        body.name,
        body.mass,
        center,
        about_center,
        tuple(BodyPoint(of_points[points.owner[k]], points.seats[k].local) for k in points.of(number)),
        tuple(BodyVector(of_vectors[vectors.owner[k]], vectors.seats[k].local) for k in vectors.of(number)),
    )


def _joint_rows(choice: Choice, joint: PlacedJoint) -> Writer:
    """Rows of a joint that sharing does not replace."""
    recipe = recipe_of(joint.type)

    def write(builder: ConstraintBuilder, layout: Layout) -> None:
        gap = choice.gap(joint, layout)
        for row in recipe.rows:
            if row.type == "offset":
                builder.dot(gap, choice.marker_axis(joint.first, row.i, layout), name=joint.name)
            elif row.type == "angle":
                first = choice.marker_axis(joint.first, row.i, layout)
                builder.dot(first, choice.marker_axis(joint.second, row.j, layout), name=joint.name)
            elif row.type == "distance":
                builder.dot(gap, gap, joint.parameters[0] ** 2, name=joint.name)

    return write


def _equal_rows(choice: Choice, joint: PlacedJoint, axis: int | None) -> Writer:
    """Places (axis None) or axes of a joint that are the same without being shared."""

    def write(builder: ConstraintBuilder, layout: Layout) -> None:
        if axis is None:
            first, second = (choice.marker_point(end, layout) for end in (joint.first, joint.second))
        else:
            first, second = (choice.marker_axis(end, axis, layout) for end in (joint.first, joint.second))
        builder.equal(first, second, name=joint.name)

    return write
