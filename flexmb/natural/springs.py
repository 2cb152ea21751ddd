"""Springs and dampers between material points, about axes, and on mixed coordinates.

Enters: ends (any material points), axes and laws. Leaves: generalised forces Q_y = -f ds/dy and stored energies, of the
length s = |r_2 - r_1|, of the angle of two bodies about an axis with its turns counted, or of a mixed coordinate s.

[GJB eq. 4.103-4.105] print +grad V as the force on the points; the applied force is its negative, as here. The
generalised force of a mixed coordinate s is -f likewise [GJB eq. 4.106, 4.109]. The angle is that of [GJB eq. 4.124,
4.125] with the signed product: psi = atan2(u . (a x b), a . b), a and b normal to the axis u.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.natural.factors import Factor
from flexmb.natural.frame import TURN
from flexmb.natural.layout import Combination, Layout
from flexmb.natural.spring_laws import LinearLaw, SpringLaws, TabledLaw

Law = LinearLaw | TabledLaw


def _scatter(factor: Factor, conjugate: Floats, n: int) -> Floats:
    """(n,) sum of C^T f of all rows, f (n_rows, dimension)."""
    return np.bincount(factor.columns, factor.entries(conjugate), n).astype(np.float64)


class TranslationalSprings:
    """Springs and dampers along the lines between pairs of material points."""

    def __init__(self, layout: Layout, ends: Sequence[tuple[Combination, Combination]], laws: Sequence[Law]):
        if len(ends) != len(laws):
            raise InputError([Fault(f"{len(ends)} springs with {len(laws)} laws.")])
        self.layout = layout
        self.laws = SpringLaws(laws)
        self._span = Factor.of([second - first for first, second in ends], layout.dimension) if ends else None

    def lengths(self, y: Floats) -> Floats:
        """(n,) distances of the ends [m]."""
        return np.zeros(0) if self._span is None else np.linalg.norm(self._span.at(y), axis=1)

    def force(self, y: Floats, y_dot: Floats, t: float) -> Floats:
        """(n_extended,) Q_y; a spring of no length has no direction and no force."""
        if self._span is None:
            return np.zeros(self.layout.n_extended)
        span = self._span.at(y)
        lengths = np.linalg.norm(span, axis=1)
        units = span / np.where(lengths > 0.0, lengths, 1.0)[:, None]
        rates = np.einsum("ri,ri->r", units, self._span.rate(y_dot))
        pull = self.laws.force(lengths, rates)
        return _scatter(self._span, -pull[:, None] * units, self.layout.n_extended)

    def tangent_places(self) -> tuple[Integers, Integers]:
        """Rows and columns of the entries of the tangent."""
        if self._span is None:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        first, second = self._span.pairs
        return self._span.columns[first], self._span.columns[second]

    def tangent(self, y: Floats, y_dot: Floats, per_rate: float) -> Floats:
        """Entries of dQ_y/dy + per_rate dQ_y/dy_dot."""
        if self._span is None:
            return np.zeros(0)
        span, moving = self._span.at(y), self._span.rate(y_dot)
        lengths = np.linalg.norm(span, axis=1)
        there = np.where(lengths > 0.0, lengths, 1.0)
        units = span / there[:, None]
        rates = np.einsum("ri,ri->r", units, moving)
        pull, damping = self.laws.force(lengths, rates), self.laws.damping
        across = damping[:, None] * (moving - units * rates[:, None]) / there[:, None]
        slopes = (self.laws.stiffness(lengths) + per_rate * damping - pull / there)[:, None] * units + across
        block = np.einsum("ri,rj->rij", units, slopes) + (pull / there)[:, None, None] * np.eye(span.shape[1])
        block[lengths == 0.0] = 0.0
        (first, second), owners, parts = self._span.pairs, self._span.owners, self._span.components
        values = self._span.values[first] * self._span.values[second]
        return -values * block[owners[first], parts[first], parts[second]]

    def potential(self, y: Floats, t: float) -> float:
        """Stored energy [J]."""
        return self.laws.energy(self.lengths(y))


@dataclass(frozen=True, eq=False)
class RotationalSpring:
    """A spring about an axis: the angle from direction `first` to `second`, both normal to `axis` (planar: None)."""

    first: Combination
    second: Combination
    axis: Combination | None
    law: Law


@dataclass(frozen=True, eq=False)
class RotationalSprings:
    """Springs and dampers about axes. The turns are counted from `near`, the angles at the last known position."""

    layout: Layout
    springs: tuple[RotationalSpring, ...]
    near: Floats
    """(n,) [rad]: of all angles that differ by whole turns the nearest to these is taken"""

    def following(self, y: Floats) -> RotationalSprings:
        """The same springs, with the turns counted on from the position y."""
        return replace(self, near=self.angles(y))

    def angles(self, y: Floats) -> Floats:
        """(n,) angles with their turns [rad]."""
        found = [np.arctan2(*self._sine_and_cosine(spring, y)) for spring in self.springs]
        bare = np.array(found, dtype=float)
        return bare + 2.0 * np.pi * np.round((self.near - bare) / (2.0 * np.pi))

    def force(self, y: Floats, y_dot: Floats, t: float) -> Floats:
        """(n_extended,) Q_y = -M dpsi/dy."""
        generalised = np.zeros(self.layout.n_extended)
        slopes = [self._slope(spring, y) for spring in self.springs]
        rates = np.array([float(slope @ y_dot) for slope in slopes])
        torques = self._laws.force(self.angles(y), rates)
        for slope, torque in zip(slopes, torques, strict=True):
            generalised -= torque * slope
        return generalised

    def potential(self, y: Floats, t: float) -> float:
        """Stored energy [J] [GJB eq. 4.126, 4.127]."""
        return self._laws.energy(self.angles(y))

    @cached_property
    def _laws(self) -> SpringLaws:
        return SpringLaws([spring.law for spring in self.springs])

    def _sine_and_cosine(self, spring: RotationalSpring, y: Floats) -> tuple[float, float]:
        """Sine and cosine of the angle, times the lengths of the directions."""
        a, b = spring.first.at(y), spring.second.at(y)
        side = TURN @ a if spring.axis is None else np.cross(spring.axis.at(y), a)
        return float(side @ b), float(a @ b)

    def _slope(self, spring: RotationalSpring, y: Floats) -> Floats:
        """(n_extended,) dpsi/dy = (cos dsin - sin dcos) / (sin^2 + cos^2)."""
        a, b = spring.first.at(y), spring.second.at(y)
        sine, cosine = self._sine_and_cosine(spring, y)
        slope = np.zeros(self.layout.n_extended)
        if spring.axis is None:
            to_first, to_second = -TURN @ b, TURN @ a
        else:
            u = spring.axis.at(y)
            to_first, to_second = np.cross(b, u), np.cross(u, a)
            spring.axis.add_force(cosine * np.cross(a, b), slope)
        spring.first.add_force(cosine * to_first - sine * b, slope)
        spring.second.add_force(cosine * to_second - sine * a, slope)
        return slope / (sine**2 + cosine**2)


def rotational_springs(
    layout: Layout, springs: Sequence[RotationalSpring], near: ArrayLike | None = None
) -> RotationalSprings:
    """Springs about axes; `near` (n,) [rad]: the angles at the start, to within half a turn (0 if not given)."""
    start = np.zeros(len(springs)) if near is None else np.asarray(near, dtype=float)
    if start.shape != (len(springs),):
        raise InputError([Fault(f"{len(springs)} rotational springs with {start.size} angles at the start.")])
    lacking = [spring for spring in springs if (spring.axis is None) != (layout.dimension == 2)]
    if lacking:
        raise InputError([Fault("a rotational spring needs an axis in space, and none in the plane.")])
    return RotationalSprings(layout, tuple(springs), start)


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
