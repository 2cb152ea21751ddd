"""Equations [S G^T; G 0] of a system in sparse storage, for Python: products, factorisation, rank of the rows.

S is a metric of the velocities, given by its stored entries like the mass matrix. Rows are divided by units before they
are compared (`flexmb.solvers.row_rank`); those that repeat others are found by the factorisation
(`flexmb.solvers.fronts`).
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.layout import sparse_pattern as sp
from flexmb.layout.sparse_pattern import entries_at, factor_length
from flexmb.machine_code.jit import call
from flexmb.solvers.body_slices import body_slices
from flexmb.solvers.fronts import factor_fronts, solve_fronts
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.row_rank import RANK, units_of
from flexmb.system.system import System


class UnsuitedStorage(ComputationError):
    """A system that the sparse factorisation cannot solve: full matrices are needed."""


class SparseRows:
    """The stored entries of a mechanism, and one factorisation."""

    def __init__(self, mechanics: Mechanics):
        assert mechanics.system.pattern is not None
        self.m, self.P = mechanics, mechanics.system.pattern
        P = self.P
        self.n, self.size = int(P[sp.SP_COORDINATES]), int(P[sp.SP_SIZE])
        self.g_row, self.g_column = entries_at(P, sp.SP_G_ROW, sp.SP_N_G), entries_at(P, sp.SP_G_COLUMN, sp.SP_N_G)
        self.s_row, self.s_column = entries_at(P, sp.SP_S_ROW, sp.SP_N_S), entries_at(P, sp.SP_S_COLUMN, sp.SP_N_S)
        self._second = entries_at(P, sp.SP_S_SECOND, sp.SP_N_S)
        self._mirrored = self._second >= 0
        self.X = np.zeros(factor_length(P))
        self.D = np.ones(self.size)
        self.dependent = np.zeros(self.size - self.n, dtype=bool)
        """Rows that repeat others, in the last factorisation"""

    def rows_times(self, x: Floats) -> Floats:
        """G x."""
        weights = self.m.G_entries * x[self.g_column]
        return np.asarray(np.bincount(self.g_row, weights=weights, minlength=self.size - self.n), dtype=float)

    def columns_times(self, lam: Floats) -> Floats:
        """G^T lam."""
        weights = self.m.G_entries * lam[self.g_row]
        return np.asarray(np.bincount(self.g_column, weights=weights, minlength=self.n), dtype=float)

    def metric_times(self, S: Floats, x: Floats) -> Floats:
        """S x of a metric given by its stored entries."""
        total = np.bincount(self.s_row, weights=S * x[self.s_column], minlength=self.n)
        mirrored = (S * x[self.s_row])[self._mirrored]
        return np.asarray(total + np.bincount(self.s_column[self._mirrored], weights=mirrored, minlength=self.n))

    def diagonal(self, S: Floats) -> Floats:
        """Diagonal of a metric."""
        return np.asarray(S[self.P[self.P[sp.SP_DIAGONAL] : self.P[sp.SP_DIAGONAL] + self.n]])

    def magnitudes(self) -> Floats:
        """Metric in which a unit is the magnitude of a coordinate."""
        S = np.zeros(len(self.s_row))
        on = self.s_row == self.s_column
        S[on] = 1.0 / self.m.scale[self.s_row[on]] ** 2
        return S

    def stiffness(self) -> Floats:
        """Stiffness of the undeformed flexible bodies, as stored entries."""
        K, ints, system = np.zeros(len(self.s_row)), self.m.I, self.m.system
        assert isinstance(system, System)
        start, slices = int(ints[L.V]), body_slices(system)
        for number, name in enumerate(system.body_names):
            body = next(body for body in system.mechanism.bodies if body.name == name)
            if not (isinstance(body, FlexibleBody) and body.n_modes):
                continue
            record, path = int(ints[L.BODIES]) + number * L.BODY, int(ints[L.PATHS]) + number * L.PATH
            first = slices[name][2].start - start - int(ints[record + L.B_V])
            own = int(ints[record + L.B_NJ] + ints[record + L.B_NF])
            depth, at = int(ints[path + L.PA_DEPTH]), int(ints[path + L.PA_AT])
            block = K[at : at + own * (depth + own)].reshape(own, depth + own)
            block[first : first + body.n_modes, depth + first : depth + first + body.n_modes] = body.stiffness
        return K

    def units(self, free: Flags | None = None) -> Floats:
        """(rows,) units of the rows at the state in the workspace, of the free coordinates."""
        entries = self.m.G_entries * self.m.scale[self.g_column]
        if free is not None:
            entries = entries * free[self.g_column]
        lengths = np.sqrt(np.bincount(self.g_row, weights=entries**2, minlength=self.size - self.n))
        return units_of(lengths, self.m.system.rows, self.m.system.length_scale)

    def factor(
        self,
        S: Floats,
        free: Flags | None = None,
        rows: Flags | None = None,
        damping: float = 0.0,
        tolerance: float = RANK,
    ) -> bool:
        """Factorise with the metric S; False when S is not regular.

        Only `free` coordinates move, and only these `rows` count. Rows are divided by their units; `damping`, a part of
        the longest row, lets them give way.
        """
        P, X, n = self.P, self.X, self.n
        diagonal = self.diagonal(S)
        if not (np.all(np.isfinite(S)) and np.all(diagonal > 0.0)):
            return False
        G, S = self.m.G_entries.copy(), S.copy()
        if free is not None:
            G[~free[self.g_column]] = 0.0
            apart = (~free[self.s_row] | ~free[self.s_column]) & (self.s_row != self.s_column)
            S[apart] = 0.0
        if rows is not None:
            G[~rows[self.g_row]] = 0.0
        self.D[:n], self.D[n:] = 1.0 / np.sqrt(diagonal), 1.0 / self.units(free)
        S *= self.D[self.s_row] * self.D[self.s_column]
        G *= self.D[self.g_column] * self.D[n + self.g_row]
        lengths = np.bincount(self.g_row, weights=G**2, minlength=self.size - n)
        longest = max(float(np.max(lengths, initial=0.0)), 1e-300)
        fronts = X[sp.FACTOR + 3 * self.size :]
        fronts[:] = 0.0
        fronts[entries_at(P, sp.SP_S_FIRST, sp.SP_N_S)] = S
        fronts[self._second[self._mirrored]] = S[self._mirrored]
        fronts[entries_at(P, sp.SP_G_FIRST, sp.SP_N_G)] = G
        fronts[entries_at(P, sp.SP_G_SECOND, sp.SP_N_G)] = G
        if damping:
            fronts[self._diagonal_places()[n:]] = -(damping**2) * longest
        # the largest singular value is some times the longest row
        X[sp.FA_TOLERANCE], X[sp.FA_VECTOR] = (2.0 * tolerance) ** 2 * max(1.0, longest), 0.0
        call(factor_fronts.address, P, X, X, 0)
        self.dependent[:] = False
        pivots = X[sp.FACTOR : sp.FACTOR + self.size] == 0.0
        left = entries_at(P, sp.SP_UNKNOWN, sp.SP_SIZE)[self._positions()[pivots]]
        self.dependent[left[left >= n] - n] = True
        return not X[sp.FA_FAULT]

    def _positions(self) -> Integers:
        """Position of every pivot, in the order in which the fronts took them."""
        P = self.P
        table = P[P[sp.SP_TABLE] : P[sp.SP_TABLE] + P[sp.SP_FRONTS] * sp.FRONT].reshape(-1, sp.FRONT)
        first = np.repeat(table[:, sp.FR_FIRST], table[:, sp.FR_PIVOTS])
        order = self.X[sp.FACTOR + self.size : sp.FACTOR + 2 * self.size].astype(np.int64)
        return np.asarray(first + order)

    def _diagonal_places(self) -> Integers:
        """Place of the diagonal of every unknown among the numbers of the fronts."""
        P = self.P
        table = P[P[sp.SP_TABLE] : P[sp.SP_TABLE] + P[sp.SP_FRONTS] * sp.FRONT].reshape(-1, sp.FRONT)
        record = np.repeat(table, table[:, sp.FR_PIVOTS], axis=0)
        places = record[:, sp.FR_AT] + (np.arange(self.size) - record[:, sp.FR_FIRST]) * (record[:, sp.FR_SIZE] + 1)
        found = np.empty(self.size, np.int64)
        found[entries_at(P, sp.SP_UNKNOWN, sp.SP_SIZE)] = places
        return found

    @property
    def pivots(self) -> Floats:
        """(size,) pivots of the unknowns in the last factorisation; infinite: a row that repeats others."""
        found = np.empty(self.size)
        unknown = entries_at(self.P, sp.SP_UNKNOWN, sp.SP_SIZE)[self._positions()]
        with np.errstate(divide="ignore"):
            found[unknown] = 1.0 / self.X[sp.FACTOR : sp.FACTOR + self.size]
        return found

    def solve(self, forces: Floats, values: Floats) -> tuple[Floats, Floats]:
        """x and lam of S x + G^T lam = forces, G x = values."""
        b = np.concatenate([forces, values]) * self.D
        call(solve_fronts.address, self.P, self.X, b, 0)
        b *= self.D
        return b[: self.n], b[self.n :]
