"""Springs and dampers between material points.

Enters: ends (any material points) and laws. Leaves: generalised forces Q_y = -f ds/dy and stored energies of the length
s = |r_2 - r_1|. [GJB eq. 4.103-4.105] print +grad V as the force on the points; the applied force is its negative, as
here. Springs about axes act on the angle as a mixed coordinate (`model_loads`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.natural.factors import Factor
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
            raise InputError([Fault(f"expected one law per spring, found {len(ends)} springs and {len(laws)} laws.")])
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
