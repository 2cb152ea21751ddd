"""Mixed coordinates: distances, slides and angles that are coordinates themselves, angles with their turns counted.

Numbers of points, vectors and scalars enter; out come functions that write the rows of a distance or slide, and sets
of rows for angles. For the angle psi from a to b about u (a, b across u, of lengths L_a, L_b):

    distance  (r_j - r_i)^2 - s^2 = 0                                                       [GJB eq. 4.108]
    slide     (r_j - r_i) . u - s = 0
    angle     S cos psi - C sin psi = 0,     C = a . b = L_a L_b cos psi,  S = u . (a x b) = L_a L_b sin psi

The book takes C or S, whichever is not near its turning point [GJB eq. 4.124, 4.125; there with an absolute value, and
for the exterior angle]. Their combination serves in every position: its derivative by psi is -L_a L_b, and psi grows
beyond a turn without a jump, because each state starts from the one before. The other root, psi + pi, is never near.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexmb.errors import Fault, InputError
from flexmb.natural.constraints import ConstraintBuilder
from flexmb.natural.layout import Combination, Layout
from flexmb.natural.saddle import summed
from flexmb.natural.scalar_terms import ScalarTerm
from flexmb.natural.system import Writer

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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


class AngleRows:
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
            if angle.axis is None:
                builder.cross(angle.first, angle.second, 0)
            else:
                builder.triple(angle.axis, angle.first, angle.second)
        for angle in angles:
            builder.dot(angle.first, angle.second)
        self.n_rows = len(angles)
        self.names = [angle.name for angle in angles]
        self._parts = builder.build()  # S of all angles, then C of all angles
        self._psi = np.array([layout.scalar_column(angle.scalar) for angle in angles], dtype=np.int64)
        own = np.arange(self.n_rows)
        self.rows: Integers = np.concatenate((self._parts.rows % max(1, self.n_rows), own))
        self.columns: Integers = np.concatenate((self._parts.columns, self._psi))
        self._owners = self._psi[self._parts.rows % max(1, self.n_rows)]
        self.hessian_rows: Integers = np.concatenate(
            (self._parts.hessian_rows, self._parts.columns, self._owners, self._psi)
        )
        self.hessian_columns: Integers = np.concatenate(
            (self._parts.hessian_columns, self._owners, self._parts.columns, self._psi)
        )

    def value(self, x: Floats, t: float) -> Floats:
        """Phi (n_rows,)."""
        sine, cosine = np.split(self._parts.value(x, t), 2)
        return sine * np.cos(x[self._psi]) - cosine * np.sin(x[self._psi])

    def entries(self, x: Floats) -> Floats:
        """Entries of the gradient on `rows`, `columns`."""
        return np.concatenate((self._weights(x)[self._parts.rows] * self._parts.entries(x), -self._along(x)))

    def rate(self, t: float) -> Floats:
        return np.zeros(self.n_rows)

    def gamma(self, x: Floats, v: Floats, t: float) -> Floats:
        """d(Phi_x)/dt v (n_rows,)."""
        psi_dot, weights = v[self._psi], self._weights(x)
        parts = self._parts.entries(x) * v[self._parts.columns]
        speeds = summed(self._parts.rows, self._turned(x)[self._parts.rows] * parts, 2 * self.n_rows)
        bends = weights * self._parts.gamma(x, v, t)
        both = bends + 2.0 * np.tile(psi_dot, 2) * speeds
        return both[: self.n_rows] + both[self.n_rows :] - self.value(x, t) * psi_dot**2

    def hessian_entries(self, x: Floats, multipliers: Floats) -> Floats:
        """Entries of d(Phi_x^T lambda)/dx."""
        twice = np.tile(multipliers, 2)
        inner = self._parts.hessian_entries(x, self._weights(x) * twice)
        mixed = (self._turned(x) * twice)[self._parts.rows] * self._parts.entries(x)
        return np.concatenate((inner, mixed, mixed, -self.value(x, 0.0) * multipliers))

    def _weights(self, x: Floats) -> Floats:
        """Factors of S and of C in Phi."""
        return np.concatenate((np.cos(x[self._psi]), -np.sin(x[self._psi])))

    def _turned(self, x: Floats) -> Floats:
        """Derivatives of these factors by psi."""
        return np.concatenate((-np.sin(x[self._psi]), -np.cos(x[self._psi])))

    def _along(self, x: Floats) -> Floats:
        """-dPhi/dpsi = S sin psi + C cos psi (n_rows,)."""
        sine, cosine = np.split(self._parts.value(x, 0.0), 2)
        return sine * np.sin(x[self._psi]) + cosine * np.cos(x[self._psi])
