"""Motions that constraint rows allow: independent coordinates, the others as they follow, and forces of the rows.

In: rows G (m, n) at a state. Out: numbers of independent ("free") and dependent ("held") coordinates, the basis R of
the null space of G with the unit matrix in the free rows, solutions x of G x = b that do not move the free coordinates,
and multipliers of forces that the rows carry. Full rows are factorised in their held columns, chosen by pivoting. In
sparse storage the null space is found by projecting as many random vectors as it has dimensions with one sparse
factorisation, and its free coordinates by pivoting; rows that repeat others drop out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.linalg import lu_factor, lu_solve, qr

from flexmb.arrays import Flags, Floats
from flexmb.layout import flat_arrays as L
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.sparse_rows import SparseRows

TURNING = 0.1  # weight of a rotation without angles in the choice of independent coordinates, while it turns


class AllowedMotions(Protocol):
    """Independent and dependent coordinates of rows at a state."""

    free: list[int]
    held: list[int]
    R: Floats
    """(n, n_free) basis of the null space of G, the unit matrix in the free rows."""

    def particular(self, values: Floats) -> Floats:
        """(n, k) x with G x = values (m, k) and nothing in the free rows."""

    def multipliers(self, forces: Floats) -> Floats:
        """(m, k) lam with G^T lam = forces (n, k), of forces that do no work on the allowed motions."""


class FullMotions:
    """Motions of full rows G with given dependent coordinates, one for every row."""

    def __init__(self, G: Floats, held: list[int]):
        n = G.shape[1]
        self.held, self.free = held, _others(n, held)
        self.R = np.zeros((n, len(self.free)))
        self.R[self.free] = np.eye(len(self.free))
        self._shape = G.shape
        if held:
            self._factor = lu_factor(G[:, held], check_finite=False)
            self.R[held] = -lu_solve(self._factor, G[:, self.free], check_finite=False)

    def particular(self, values: Floats) -> Floats:
        """See `AllowedMotions`."""
        x = np.zeros((self._shape[1], values.shape[1]))
        if self.held:
            x[self.held] = lu_solve(self._factor, values, check_finite=False)
        return x

    def multipliers(self, forces: Floats) -> Floats:
        """See `AllowedMotions`."""
        if not self.held:
            return np.zeros((0, forces.shape[1]))
        return np.asarray(lu_solve(self._factor, forces[self.held], trans=1, check_finite=False))


class SparseMotions:
    """Motions of rows in sparse storage at the state in the workspace; `rows`: those that count.

    Free coordinates are `free`, or else chosen `among` some; of motions that turn, lengths rather than angles: small
    rotations are measured in axes that turn too.
    """

    def __init__(
        self,
        mechanics: Mechanics,
        rows: Flags | None = None,
        *,
        free: list[int] | None = None,
        among: Sequence[int] | None = None,
    ):
        self.rows, n = SparseRows(mechanics), mechanics.n_v
        self.rows.factor(self.rows.magnitudes(), rows=rows)
        self.rank = int(np.sum(~self.rows.dependent & (True if rows is None else rows)))
        n_free = n - self.rank
        if free is None:
            ways = random_ways(self.rows, n_free)
            candidates = np.arange(n) if among is None else np.array(among, dtype=np.int64)
            sizes = ways * _preferences(mechanics)[:, None]
            order = qr(sizes[candidates].T, mode="r", pivoting=True, check_finite=False)[1]
            free = sorted(int(j) for j in candidates[order[:n_free]])
        else:
            start = np.zeros((n, n_free))
            start[free, np.arange(n_free)] = 1.0
            ways = projected(self.rows, start)
        self.free, self.held = free, _others(n, free)
        ways = projected(self.rows, _with_unit_rows(ways, free))  # once more, without the round-off of the first
        scale = mechanics.scale
        self.R = _with_unit_rows(ways, free) * scale[:, None] / scale[free]

    def particular(self, values: Floats) -> Floats:
        """See `AllowedMotions`."""
        nothing, count = np.zeros(self.rows.n), self.rows.size - self.rows.n
        found = np.zeros((self.rows.n, values.shape[1]))
        for k, column in enumerate(values.T):
            if np.any(column):
                full = np.zeros(count)
                full[: len(column)] = column
                found[:, k] = self.rows.solve(nothing, full)[0]
        return np.asarray(found - self.R @ found[self.free])

    def multipliers(self, forces: Floats) -> Floats:
        """See `AllowedMotions`."""
        nothing = np.zeros(self.rows.size - self.rows.n)
        columns = [self.rows.solve(force, nothing)[1] for force in forces.T]
        return np.array(columns).reshape(-1, len(nothing)).T


def projected(rows: SparseRows, vectors: Floats) -> Floats:
    """Parts of columns (n, k) that the factorised rows allow, in coordinates divided by their magnitude."""
    nothing, scale = np.zeros(rows.size - rows.n), rows.m.scale
    columns = [rows.solve(vector / scale, nothing)[0] / scale for vector in vectors.T]
    return np.array(columns).reshape(-1, rows.n).T


def random_ways(rows: SparseRows, count: int, free: Flags | None = None) -> Floats:
    """(n, count) motions that the factorised rows allow, in coordinates divided by their magnitude."""
    start = np.random.default_rng(0).standard_normal((rows.n, count))
    if free is not None:
        start[~free] = 0.0
    return projected(rows, start)


def _preferences(mechanics: Mechanics) -> Floats:
    """(n_v,) weights of the coordinates in the choice of free ones."""
    I, found = mechanics.I, np.ones(mechanics.n_v)
    spheres = I[I[L.SPHERES] : I[L.SPHERES] + 3 * I[L.N_SPHERES]].reshape(-1, 3)
    for _, first, size in spheres:
        if np.any(mechanics.v[first : first + size]):
            found[first : first + size] = TURNING
    return found


def _with_unit_rows(ways: Floats, free: Sequence[int]) -> Floats:
    """Combinations of the columns that have the unit matrix in the free rows."""
    if not free:
        return ways
    found = np.array(np.linalg.solve(ways[free].T, ways.T).T, dtype=float)
    found[free] = np.eye(len(free))
    return found


def _others(n: int, some: Sequence[int]) -> list[int]:
    """Numbers up to n that are not among some."""
    left = np.ones(n, dtype=bool)
    left[list(some)] = False
    return [int(j) for j in np.flatnonzero(left)]
