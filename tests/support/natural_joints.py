"""Pieces of hand-made mechanisms in natural coordinates: joints, drives, springs, and the velocity force of a body.

Joints that sharing alone does not make are rows of dot products between the points and vectors of two bodies.

Numbers of points and vectors enter, with the values they have at the start; out come functions that write the rows.

    spherical     a shared point
    revolute      two shared points, or a shared point and a shared vector along the axis
    point on line (r_b - r_a) . v = c_1,  (r_b - r_a) . w = c_2
    cylindrical   the same with a shared vector u along the axis, and r_a, r_b on the axis: c_1 = c_2 = 0
    prismatic     the same with a shared vector u, anywhere, and v . n = c_3
    universal     a shared point; u_a . u_b = c

with r_a, v, w (both across u) of the first body and r_b, n (across u) of the second. The constants are those of the
start. Dot products with vectors of the first body have no position in which they lose their meaning, as two components
of u x (r_b - r_a) do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.natural.body import NaturalBody
from flexmb.natural.constraints import ConstraintBuilder, Drive
from flexmb.natural.extension import Extension
from flexmb.natural.layout import Combination, Layout
from flexmb.natural.mass import alone, slot_mass_matrix
from flexmb.natural.spring_laws import SpringLaws
from flexmb.natural.springs import Law
from flexmb.natural.system import NaturalMechanism, Writer

ACROSS = 1e-6
"""Largest cosine of an angle that counts as a right one, and smallest sine between vectors that count as different."""


def _start_dot(start: Floats, a: Combination, b: Combination) -> float:
    return float(a.at(start) @ b.at(start))


def point_on_line(
    mechanism: NaturalMechanism,
    axis: int,
    points: tuple[int, int],
    across: tuple[int, int],
    name: str = "point on line",
) -> Writer:
    """The second point stays on the line through its place at the start, along `axis`, fixed in the first body."""
    _check_across(mechanism, axis, across, name)
    start = mechanism.start()

    def write(builder: ConstraintBuilder, layout: Layout) -> None:
        gap = layout.point(points[1]) - layout.point(points[0])
        for vector in across:
            sideways = layout.vector(vector)
            builder.dot(gap, sideways, _start_dot(start, gap, sideways), name=name)

    return write


def cylindrical(
    mechanism: NaturalMechanism, axis: int, points: tuple[int, int], across: tuple[int, int], name: str = "cylindrical"
) -> Writer:
    """Slides along and turns about the shared vector `axis`; a point of the axis on each body."""
    places = np.asarray(mechanism.points, dtype=float)
    gap = places[points[1]] - places[points[0]]
    direction = np.asarray(mechanism.vectors, dtype=float)[axis]
    off = float(np.linalg.norm(gap - direction * (direction @ gap)))
    if off > ACROSS * max(1e-3, float(np.max(np.abs(places)))):
        text = f"point {points[1]} is {off:.3g} m beside the axis through point {points[0]}."
        raise InputError([Fault(text, path=("joints", name), hint="Give the second body a point on the axis.")])
    return point_on_line(mechanism, axis, points, across, name)


def prismatic(
    mechanism: NaturalMechanism,
    axis: int,
    points: tuple[int, int],
    across: tuple[int, int],
    keeper: int,
    name: str = "prismatic",
) -> Writer:
    """Slides along the shared vector `axis`; `keeper`: vector of the second body across it, which stops the turning."""
    guide = point_on_line(mechanism, axis, points, across, name)
    start = mechanism.start()
    vectors = np.asarray(mechanism.vectors, dtype=float)
    slopes = [abs(float(vectors[vector] @ vectors[keeper])) for vector in across]
    stop = across[int(np.argmin(slopes))]  # the dot product of two vectors tells best of a turn near a right angle
    if min(slopes) > 1.0 - ACROSS:
        raise InputError([Fault("the keeper is parallel to both vectors across the axis.", path=("joints", name))])

    def write(builder: ConstraintBuilder, layout: Layout) -> None:
        guide(builder, layout)
        first, second = layout.vector(stop), layout.vector(keeper)
        builder.dot(first, second, _start_dot(start, first, second), name=name)

    return write


def universal(mechanism: NaturalMechanism, axes: tuple[int, int], name: str = "universal") -> Writer:
    """The angle between a vector of each body stays; the bodies share the centre of the joint as a point."""
    start = mechanism.start()

    def write(builder: ConstraintBuilder, layout: Layout) -> None:
        first, second = layout.vector(axes[0]), layout.vector(axes[1])
        builder.dot(first, second, _start_dot(start, first, second), name=name)

    return write


def driven_distance(points: tuple[int, int], drive: Drive, name: str = "driven distance") -> Writer:
    """The distance of two points follows a function of time: t -> value, rate, acceleration [m]; never zero."""

    def squared(t: float) -> tuple[float, float, float]:
        s, rate, acceleration = drive(t)
        return s * s, 2.0 * s * rate, 2.0 * (rate * rate + s * acceleration)

    def write(builder: ConstraintBuilder, layout: Layout) -> None:
        gap = layout.point(points[1]) - layout.point(points[0])
        builder.dot(gap, gap, drive=squared, name=name)

    return write


def driven_scalar(scalar: int, drive: Drive, name: str = "driven scalar") -> Writer:
    """A mixed coordinate (angle [rad] or distance [m]) follows a function of time."""

    def write(builder: ConstraintBuilder, layout: Layout) -> None:
        builder.linear([layout.scalar_column(scalar)], [1.0], drive=drive, name=name)

    return write


def _check_across(mechanism: NaturalMechanism, axis: int, across: tuple[int, int], name: str) -> None:
    vectors = np.asarray(mechanism.vectors, dtype=float)
    faults = []
    if vectors.shape[1] == 3:
        along = [abs(float(vectors[axis] @ vectors[vector])) for vector in across]
        for vector, cosine in zip(across, along, strict=True):
            if cosine > ACROSS:
                text = f"vector {vector} is not across the axis (cosine {cosine:.3g})."
                faults.append(Fault(text, path=("joints", name), hint="Take a vector at a right angle to it."))
        if np.linalg.norm(np.cross(vectors[across[0]], vectors[across[1]])) < ACROSS:
            faults.append(Fault("the two vectors across the axis are parallel.", path=("joints", name)))
    if faults:
        raise InputError(faults)


class ScalarSprings:
    """Springs and dampers on mixed coordinates: distances and angles with their turns."""

    def __init__(self, layout: Layout, columns: Sequence[int] | Integers, laws: Sequence[Law]):
        self.layout = layout
        self.columns = np.asarray(columns, dtype=np.int64)
        self.laws = SpringLaws(laws)

    def force(self, y: Floats, y_dot: Floats, t: float) -> Floats:
        """(n_extended,) Q_y: -f in the column of s."""
        pull = self.laws.force(y[self.columns], y_dot[self.columns])
        return np.bincount(self.columns, -pull, self.layout.n_extended).astype(np.float64)

    def tangent_places(self) -> tuple[Integers, Integers]:
        """Rows and columns of the entries of the tangent."""
        return self.columns, self.columns

    def tangent(self, y: Floats, y_dot: Floats, per_rate: float) -> Floats:
        """Entries of dQ_y/dy + per_rate dQ_y/dy_dot."""
        return -self.laws.stiffness(y[self.columns]) - per_rate * self.laws.damping

    def potential(self, y: Floats, t: float) -> float:
        """Stored energy [J] [GJB eq. 4.110, 4.126]."""
        return self.laws.energy(y[self.columns])


def velocity_force(body: NaturalBody, x: Floats, v: Floats) -> Floats:
    """(dimension n_basic,) velocity force of a body alone, for the right side; zero but for the kind "cross"."""
    if body.frame.kind != "cross":
        return np.zeros(body.dimension * body.n_basic)
    single, layout = alone(body)
    extension = Extension([single], layout)
    return -extension.jacobian(x).T @ (slot_mass_matrix(body) @ extension.bias(v))
