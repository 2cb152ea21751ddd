"""Combinations of constraint rows that depend on each other: chosen where the mechanism is, again when it has moved.

In: a system whose `sharing` lists such rows, and a workspace with closed loops. Out: the basis Q = [U C] in the
workspace (see `flexmb.equations.shared_rows`). Of every set, with rows divided by their unit (a length by the length
scale), U are the left singular vectors of G of the rank of the set, C the others:

    G_set = [U C] sigma V^T,     G_set^T C = 0

The angle between U and the present rows grows at most like distance / sigma_r (Wedin), with sigma_r the least singular
value of the rank. So a basis has a reach: it is examined again when a coordinate has moved by REACH sigma_r (by more
where it was seen to turn slowly), and replaced when its angle exceeds that of STALE. Multipliers are carried over by
those of all rows; accelerations and the order of a method do not depend on the basis.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from flexmb.arrays import Flags, Floats
from flexmb.layout import flat_arrays as L
from flexmb.solvers.mechanics import Mechanics, moved_by, stored_scales

REACH = 0.3  # distance of the coordinates, as a part of sigma_r, after which the basis is examined again
LEAST_REACH, LONGEST_REACH = 1e-4, 1.0  # [rad, parts of the length scale]
NEVER = 1e300
STALE, FRESH = 0.8, 0.97  # smallest cosine between old and new combinations: replace below, look less often above


def is_combined(mechanics: Mechanics) -> bool:
    """Whether the solvers see combinations of the rows."""
    return bool(mechanics.I[L.N_BASIS])


def basis_of(mechanics: Mechanics) -> Basis | None:
    """The combinations of the rows in the workspace; None: the solvers see the rows themselves."""
    return Basis(mechanics) if is_combined(mechanics) else None


def in_all_rows(mechanics: Mechanics, values: Floats) -> Floats:
    """Multipliers (n_all_rows,) of all rows for those of the rows that the solvers see (n_rows,)."""
    if not is_combined(mechanics):
        return values
    return np.asarray(Basis(mechanics).Q[:, : mechanics.n_rows] @ values)


def put_multipliers(mechanics: Mechanics, values: Floats) -> None:
    """Set the multipliers of all rows (n_all_rows,), for the next residual."""
    m = mechanics
    if not is_combined(m):
        m.lam[:] = values
        return
    m.lam[:] = 0.0
    start = int(m.I[L.BASIS]) + m.n_all_rows**2 + 2 * m.n_q
    m.W[start : start + m.n_all_rows] = values


def row_units(mechanics: Mechanics) -> Floats:
    """(n_all_rows,) factor of a row in a combination: rows in parts of the length scale, or in rad, times the scale of
    a gap."""
    length = mechanics.system.length_scale
    return np.array([mechanics.row_scale / (length if row.unit == "m" else 1.0) for row in mechanics.system.evaluated])


class Basis:
    """The combinations of the rows of a mechanism, in its workspace."""

    def __init__(self, mechanics: Mechanics):
        m, every = mechanics, mechanics.n_all_rows
        self.m, self.sharing = mechanics, mechanics.system.sharing
        self.units = row_units(m)
        self.n_combined = sum(shared.rank for shared in self.sharing.sets)
        start = int(m.I[L.BASIS])
        self.Q = m.W[start : start + every * every].reshape(every, every)
        rest = start + every * every
        self.place, self.reach = m.W[rest : rest + m.n_q], m.W[rest + m.n_q : rest + 2 * m.n_q]

    @cached_property
    def scales(self) -> Floats:
        """(n_q,) magnitudes of the stored coordinates."""
        return stored_scales(self.m)

    @cached_property
    def moves(self) -> Flags:
        """(n_v, n_q) coordinates that a velocity moves."""
        return np.array([moved_by(self.m, j) for j in range(self.m.n_v)]).reshape(self.m.n_v, self.m.n_q)

    def set(self) -> None:
        """Choose the combinations at the coordinates in the workspace; multipliers are not carried over."""
        self.m.jacobian()
        self.Q[:], distance = self._chosen()
        self.reach[:] = NEVER
        self._stay(distance)

    def has_moved(self) -> bool:
        """Whether a coordinate has left the reach of the combinations."""
        return bool(np.any(np.abs(self.m.q - self.place) > self.reach))

    def look(self, carried: list[Floats], *, replace: bool = False) -> bool:
        """Look at the combinations where the mechanism is, and replace them if they are stale (or `replace`).

        `carried`: multipliers (n_rows,) in the old combinations, beside those in the workspace, changed in place.
        Returns whether they were replaced.
        """
        m, n = self.m, self.n_combined
        lam, a = m.lam.copy(), m.a.copy()
        m.jacobian()
        Q, distance = self._chosen()
        change = (Q[:, :n] / self.units[:, None]).T @ (self.Q[:, :n] / self.units[:, None])
        overlap = self._overlap(change)
        is_replaced = replace or overlap < STALE
        if is_replaced:
            for vector in (lam, *carried):
                vector[:n] = change @ vector[:n]
            self.Q[:] = Q
        if overlap > FRESH and not replace:  # it turns slowly
            distance = max(distance, min(LONGEST_REACH, 2.0 * float(np.min(self.reach / self.scales, initial=NEVER))))
        self._stay(distance)
        m.lam[:], m.a[:] = lam, a
        return is_replaced

    def is_open(self) -> bool:
        """Whether rows in the workspace that the solvers do not see are open, beyond what is left of those they see."""
        m, left = self.m, self.Q[:, self.m.n_rows :].T @ self.m.phi_all
        seen = float(np.max(np.abs(m.phi[: m.n_pos_rows]), initial=0.0))
        return not float(np.max(np.abs(left), initial=0.0)) <= self.sharing.limit * m.row_scale + 10.0 * seen

    def _stay(self, distance: float) -> None:
        """Set the place of this look and the distance until the next, of coordinates that the shared rows depend on."""
        rows = [row for shared in self.sharing.sets for row in shared.rows]
        moved = self.moves[np.any(self.m.G_all[rows] != 0.0, axis=0)].any(axis=0) | (self.reach < NEVER)
        self.place[:] = self.m.q
        self.reach[:] = np.where(moved, distance * self.scales, NEVER)

    def _chosen(self) -> tuple[Floats, float]:
        """Q of the rows in the workspace, and its reach [rad, parts of the length scale]."""
        m, units = self.m, self.units
        Q, column, left, least = np.zeros((m.n_all_rows, m.n_all_rows)), 0, m.n_rows, np.inf
        for shared in self.sharing.sets:
            rows, rank = list(shared.rows), shared.rank
            G = m.G_all[rows] * m.scale * (units[rows, None] / m.row_scale)
            U, sigma, _ = np.linalg.svd(G)
            if rank:
                least = min(least, float(sigma[rank - 1]) / max(float(np.linalg.norm(G, axis=1).max()), 1e-300))
            Q[rows, column : column + rank] = units[rows, None] * U[:, :rank]
            Q[rows, left : left + len(rows) - rank] = units[rows, None] * U[:, rank:]
            column, left = column + rank, left + len(rows) - rank
        combined = {row for shared in self.sharing.sets for row in shared.rows}
        for row in range(m.n_all_rows):
            if row in self.sharing.left_out:
                Q[row, left], left = units[row], left + 1
            elif row not in combined:
                Q[row, column], column = 1.0, column + 1
        return Q, NEVER if least == np.inf else max(REACH * least, LEAST_REACH)

    def _overlap(self, change: Floats) -> float:
        """Smallest cosine between the spaces of the old and the new combinations."""
        least, first = 1.0, 0
        for shared in self.sharing.sets:
            part = slice(first, first + shared.rank)
            first += shared.rank
            if shared.rank:
                least = min(least, float(np.linalg.svd(change[part, part], compute_uv=False)[-1]))
        return least
