"""Mixed coordinates: distances, slides and angles that are coordinates themselves, angles with their turns counted.

Enters: numbers of points, vectors and scalars; leaves: functions that write the rows of a distance or slide, and sets
of rows for angles. For the angle psi from a to b about u (a, b across u, of lengths L_a, L_b):

    distance  (r_j - r_i)^2 - s^2 = 0                                                       [GJB eq. 4.108]
    slide     (r_j - r_i) . u - s = 0
    angle     S cos psi - C sin psi = 0,     C = a . b = L_a L_b cos psi,  S = u . (a x b) = L_a L_b sin psi

The book takes C or S, whichever is not near its turning point [GJB eq. 4.124, 4.125; there with an absolute value, and
for the exterior angle]. Their combination is valid in every position: its derivative by psi is -L_a L_b, and psi grows
beyond a turn without a jump, because each state starts from the one before. The other root, psi + pi, is never near.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.natural.constraints import ConstraintBuilder, Constraints
from flexmb.natural.layout import Combination, Layout
from flexmb.natural.scalar_terms import ScalarTerm
from flexmb.natural.system import Writer


def distance(points: tuple[int, int], scalar: int, name: str = "distance") -> Writer:
    """The scalar is the distance of two points; never zero."""

    def write(builder: ConstraintBuilder, layout: Layout) -> None:
        gap = layout.point(points[1]) - layout.point(points[0])
        builder.dot(gap, gap, scalar=ScalarTerm(layout.scalar_column(scalar), "square", 1.0), name=name)

    return write


def slide(points: tuple[int, int], axis: int, scalar: int, name: str = "slide") -> Writer:
    """The scalar is the way from the first point to the second along a unit vector."""

    def write(builder: ConstraintBuilder, layout: Layout) -> None:
        gap = layout.point(points[1]) - layout.point(points[0])
        term = ScalarTerm(layout.scalar_column(scalar), "linear", 1.0)
        builder.dot(gap, layout.vector(axis), scalar=term, name=name)

    return write


@dataclass(frozen=True)
class Angle:
    """The scalar is the angle from `first` to `second` about the unit vector `axis`, all linear in the coordinates.

    In the plane `axis` is left out: the angle is about the normal of the plane.
    """

    first: Combination
    second: Combination
    scalar: int
    axis: Combination | None = None
    name: str = "angle"


def angle_between(first: Floats, second: Floats, axis: Floats | None = None) -> float:
    """The angle in (-pi, pi] [rad] from one vector to the other: where a mixed angle starts."""
    if axis is None:
        return float(np.arctan2(first[0] * second[1] - first[1] * second[0], first @ second))
    return float(np.arctan2(axis @ np.cross(first, second), first @ second))


class AngleRows(Constraints):
    """One row S cos psi - C sin psi = 0 for each angle."""

    def __init__(self, angles: Sequence[Angle], layout: Layout):
        faults = [
            Fault("an angle in space needs an axis.", path=("angles", angle.name))
            for angle in angles
            if layout.dimension == 3 and angle.axis is None
        ]
        if faults:
            raise InputError(faults)
        builder = ConstraintBuilder(layout)
        for angle in angles:
            column = layout.scalar_column(angle.scalar)
            builder.angle(angle.first, angle.second, angle.axis, column, angle.name)
        super().__init__(layout.n_coordinates, builder.written)
