"""All constraint rows of a system on its moving coordinates, without redundant ones.

Enters: sets of rows over the full coordinates, with the mask of the moving ones; leaves: one set that evaluates

    Phi(x, t),   entries of Phi_q,   Phi_t,   gamma = d(Phi_q)/dt v + Phi_tt,   entries of d(Phi_q^T lambda)/dx

Two kinds of rows are left out, once, when the system is built: rows that touch no moving coordinate (the length of a
fixed vector), or only by round-off of places, and rows that follow from earlier ones in every position near the start:
two bodies that share a vector both require unit length; a planar loop in space requires planarity more than once. The
multipliers of rows left out are zero.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.natural.constraints import Constraints, joined
from flexmb.natural.row_kernels import times_into
from flexmb.natural.saddle import summed

RANK = 1e-8
"""A row of which less than this share of its length is that of moving coordinates touches none."""
NEARBY = 1e-2
"""Random step, as a share of the size of a coordinate, away from a start that may be a singular position."""
VANISHES = 1e-6
"""Length of a gradient, as a share of that a step away, below which it counts as zero at the start."""


class MovingRows:
    """The rows of the joined sets that touch a moving coordinate, and the independent ones of them.

    rows, columns: pattern of Phi_q, columns counted over the moving coordinates; kept: (m,) rows of the joined sets.
    """

    def __init__(self, sets: Sequence[Constraints], moving: Integers, x: Floats, sizes: Floats):
        """`sizes` (n_coordinates,) of the full coordinates x."""
        self.joined = joined(sets)
        self.moving = moving
        self._place = np.full(x.size, -1, dtype=np.int64)
        self._place[moving] = np.arange(moving.size)
        self.touching, self.lengths = self._touching(x, sizes)
        """Rows of the joined sets that touch a moving coordinate, and the lengths of their gradients in its sizes"""
        self.written = self.joined.written.only(self.touching)
        self.keep(np.arange(self.touching.size))

    def keep(self, independent: Integers) -> None:
        """Keep these of the touching rows, which the others follow from."""
        self._choose(self.touching[independent])
        inside = (self._place[self.joined.hessian_rows] >= 0) & (self._place[self.joined.hessian_columns] >= 0)
        self._hessian_inside = np.flatnonzero(inside)
        self.hessian_rows = self._place[self.joined.hessian_rows[self._hessian_inside]]
        self.hessian_columns = self._place[self.joined.hessian_columns[self._hessian_inside]]

    @property
    def n_rows(self) -> int:
        """Number of rows that are kept."""
        return int(self.kept.size)

    def value(self, x: Floats, t: float) -> Floats:
        """Phi (m,)."""
        return self.joined.value(x, t)[self.kept]

    def entries(self, x: Floats) -> Floats:
        """Entries of Phi_q on `rows`, `columns`."""
        return self.joined.entries(x)[self._inside]

    def rate(self, t: float) -> Floats:
        """Phi_t (m,)."""
        return self.joined.rate(t)[self.kept]

    def gamma(self, x: Floats, v: Floats, t: float) -> Floats:
        """gamma (m,), with Phi_q a + gamma = 0; v over the full coordinates."""
        return self.joined.gamma(x, v, t)[self.kept]

    def hessian_entries(self, x: Floats, multipliers: Floats) -> Floats:
        """Entries of d(Phi_q^T lambda)/dx on `hessian_rows`, `hessian_columns`."""
        return self.joined.hessian_entries(x, self.all_multipliers(multipliers))[self._hessian_inside]

    def all_multipliers(self, multipliers: Floats) -> Floats:
        """Multipliers of the joined sets: zero where a row was left out."""
        everywhere = np.zeros(self.joined.n_rows)
        everywhere[self.kept] = multipliers
        return everywhere

    def touching_forces(self, x: Floats, multipliers: Floats) -> Floats:
        """Phi_q^T lambda (n,) of multipliers of all touching rows."""
        every = np.zeros(self.joined.n_rows)
        every[self.touching] = multipliers
        weighted = self.joined.entries(x) * every[self.joined.rows]
        return summed(self.joined.columns, weighted, x.size)[self.moving]

    def times(self, entries: Floats, v: Floats) -> Floats:
        """Phi_q v (m,) for v over the moving coordinates."""
        product = np.empty(self.n_rows)
        times_into(self._places, entries, v, product)
        return product

    def dense(self, entries: Floats) -> Floats:
        """Phi_q (m, n) as a full array."""
        full = np.zeros((self.n_rows, self.moving.size))
        np.add.at(full, (self.rows, self.columns), entries)
        return full

    def _choose(self, kept: Integers) -> None:
        """Keep only these rows, and renumber them."""
        self.kept = kept
        number = np.full(self.joined.n_rows, -1, dtype=np.int64)
        number[self.kept] = np.arange(self.kept.size)
        inside = (number[self.joined.rows] >= 0) & (self._place[self.joined.columns] >= 0)
        self._inside = np.flatnonzero(inside)
        self.rows = number[self.joined.rows[self._inside]]
        self.columns = self._place[self.joined.columns[self._inside]]
        self._places = np.array([self.rows, self.columns])

    def _touching(self, x: Floats, sizes: Floats) -> tuple[Integers, Floats]:
        """Rows whose gradient is not that of fixed coordinates alone, but for round-off of places; their lengths."""
        away = x.copy()
        way = np.random.default_rng(1).uniform(-1.0, 1.0, size=self.moving.size)
        away[self.moving] += NEARBY * sizes[self.moving] * way
        touched = self._place[self.joined.columns] >= 0
        scale, lengths = sizes[self.joined.columns], list[Floats]()
        for place in (x, away):
            squares = (self.joined.entries(place) * scale) ** 2
            whole = summed(self.joined.rows, squares, self.joined.n_rows)
            lengths.append(np.sqrt(summed(self.joined.rows, squares * touched, self.joined.n_rows)))
        self.all_lengths = np.maximum(np.sqrt(whole), np.finfo(float).tiny)
        found = np.flatnonzero(lengths[1] > RANK * np.sqrt(whole))
        start, nearby = lengths[0][found], lengths[1][found]
        return found, np.where(start > VANISHES * nearby, start, nearby)


def check_start(rows: MovingRows, x: Floats, t: float, share: float) -> None:
    """Raise InputError that lists the rows, kept or not, that are off at the start by more than `share` of a size."""
    error, allowed = np.abs(rows.joined.value(x, t)), share * rows.all_lengths
    faults = [
        Fault(
            f"constraint '{rows.joined.names[row]}' is off by {error[row]:.3g} at the start "
            f"({allowed[row]:.1g} allowed)."
        )
        for row in np.flatnonzero(error > allowed)
    ]
    if faults:
        raise InputError(faults)
