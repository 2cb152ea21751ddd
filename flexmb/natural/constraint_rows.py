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
from scipy.sparse import block_array, csr_array, eye_array
from scipy.sparse.linalg import splu

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.natural.constraints import Constraints, joined
from flexmb.natural.rank import RANK, independent_rows
from flexmb.natural.row_kernels import times_into, unbalanced_into
from flexmb.natural.saddle import summed

SOFT = 1e-9
"""Compliance of the rows on the way back to the constraints."""
NEARBY = 1e-2
"""Size of the random step, as a share of the smallest length, away from a start that may be a singular position."""


class MovingRows:
    """The independent rows of the joined sets, on the moving coordinates only.

    rows, columns: pattern of Phi_q, columns counted over the moving coordinates; kept: (m,) rows of the joined sets.
    """

    def __init__(self, sets: Sequence[Constraints], moving: Integers, x: Floats, t: float):
        self.joined = joined(sets)
        self.moving = moving
        self._place = np.full(x.size, -1, dtype=np.int64)
        self._place[moving] = np.arange(moving.size)
        self.kept = np.arange(self.joined.n_rows)
        self._choose(self._touching(x))
        if self.n_rows:
            self._choose(self._independent(x, t))
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

    def unbalanced(self, x: Floats, multipliers: Floats, upper: Floats, scale: float, t: float) -> Floats:
        """-scale (upper + Phi_q^T lambda) (n,), then -Phi (m,): the right side of a Newton step."""
        right = np.empty(self.moving.size + self.n_rows)
        places = (self._inside, self._places, self.kept)
        unbalanced_into(*self.joined.arrays, *places, x, multipliers, upper, scale, right)
        if self.joined.written.drives:
            right[self.moving.size :] -= self.joined.less_drives(np.zeros(self.joined.n_rows), t, 0)[self.kept]
        return right

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
        """Keep only these of the kept rows, and renumber them."""
        self.kept = self.kept[kept]
        number = np.full(self.joined.n_rows, -1, dtype=np.int64)
        number[self.kept] = np.arange(self.kept.size)
        inside = (number[self.joined.rows] >= 0) & (self._place[self.joined.columns] >= 0)
        self._inside = np.flatnonzero(inside)
        self.rows = number[self.joined.rows[self._inside]]
        self.columns = self._place[self.joined.columns[self._inside]]
        self._places = np.array([self.rows, self.columns])

    def _touching(self, x: Floats) -> Integers:
        """Rows whose gradient is not that of fixed coordinates alone, but for round-off of places."""
        away = x.copy()
        away[self.moving] += NEARBY * _scale(x) * np.random.default_rng(1).uniform(-1.0, 1.0, size=self.moving.size)
        squares, touched = self.joined.entries(away) ** 2, self._place[self.joined.columns] >= 0
        whole = summed(self.joined.rows, squares, self.joined.n_rows)
        return np.flatnonzero(summed(self.joined.rows, squares * touched, self.joined.n_rows) > RANK**2 * whole)

    def _independent(self, x: Floats, t: float) -> Integers:
        near = nearby(self, x, t)
        shape, entries = (self.n_rows, self.moving.size), self.entries(near)
        # Before entries of one place cancel: what is left of a joint between bodies that share all is round-off.
        sizes = np.sqrt(summed(self.rows, entries**2, self.n_rows))
        return independent_rows(csr_array((entries, (self.rows, self.columns)), shape=shape), sizes)


def nearby(rows: MovingRows, x: Floats, t: float) -> Floats:
    """A position on the constraints near x, a random step away; x itself when the way back is not found.

    The steps back solve [1, Phi_q^T; Phi_q, -SOFT] for them, which rows that repeat each other do not make singular.
    """
    n, m, scale = rows.moving.size, rows.n_rows, _scale(x)
    lengths = np.sqrt(summed(rows.rows, rows.entries(x) ** 2, m))  # of the gradients: that of a distance is its own
    away = NEARBY * min([scale, *lengths[lengths > 0.0]])
    near = x.copy()
    near[rows.moving] += away * np.random.default_rng(1).uniform(-1.0, 1.0, size=n)
    for _ in range(30):
        error = rows.value(near, t)
        if float(np.max(np.abs(error))) < 1e-12 * scale * max(1.0, scale):
            return near
        gradient = csr_array((rows.entries(near), (rows.rows, rows.columns)), shape=(m, n))
        matrix = block_array([[eye_array(n), gradient.T], [gradient, -SOFT * eye_array(m)]], format="csc")
        near[rows.moving] += splu(matrix).solve(np.concatenate((np.zeros(n), -error)))[:n]
    return x


def check_start(rows: MovingRows, x: Floats, t: float, tolerance: float) -> None:
    """Raise InputError that lists the rows, kept or not, that do not hold at the start within `tolerance`."""
    error = np.abs(rows.joined.value(x, t))
    faults = [
        Fault(
            f"constraint '{rows.joined.names[row]}' is off by {error[row]:.3g} at the start ({tolerance:.1g} allowed)."
        )
        for row in np.flatnonzero(error > tolerance)
    ]
    if faults:
        raise InputError(faults)


def _scale(x: Floats) -> float:
    return max(1e-3, float(np.max(np.abs(x), initial=0.0)))
