"""Python interface to the programs of a system: named views of the workspace, and a method for every program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.layout import flat_arrays as L
from flexmb.layout import sparse_pattern as sp
from flexmb.layout.sparse_pattern import entries_at
from flexmb.machine_code.jit import call
from flexmb.system.system import Channel, Row, Sharing


class Solvable(Protocol):
    """Part of a `System` that the solvers need: flat arrays, start, and names for messages."""

    @property
    def ints(self) -> Integers: ...
    @property
    def floats(self) -> Floats: ...
    @property
    def coordinates(self) -> Sequence[str]: ...
    @property
    def rows(self) -> Sequence[Row]: ...
    @property
    def evaluated(self) -> Sequence[Row]: ...
    @property
    def sharing(self) -> Sharing: ...
    @property
    def channels(self) -> Sequence[Channel]: ...
    @property
    def forces(self) -> Sequence[str]: ...
    @property
    def scales(self) -> Floats: ...
    @property
    def fixed_q(self) -> Flags: ...
    @property
    def fixed_v(self) -> Flags: ...
    @property
    def elastic(self) -> Flags: ...
    @property
    def length_scale(self) -> float: ...
    @property
    def pattern(self) -> Integers | None: ...
    @property
    def full_pattern(self) -> Integers | None: ...
    def workspace(self) -> Floats: ...


@dataclass(frozen=True, eq=False)
class MotionState:
    """Copy of a state: time [s], coordinates, velocities, accelerations and multipliers."""

    t: float
    q: Floats
    v: Floats
    a: Floats
    lam: Floats


class Mechanics:
    """Workspace W of a system with its parts by name; all arrays are views of W."""

    def __init__(self, system: Solvable, W: Floats):
        self.system, self.W = system, W
        I = self.I = system.ints
        self.n_q, self.n_v, self.n_rows = int(I[L.N_Q]), int(I[L.N_V]), int(I[L.N_ROWS])
        self.n_pos_rows, self.n_powers = int(I[L.N_POS_ROWS]), int(I[L.N_POWERS])
        n, m = self.n_v, self.n_rows
        self.q, self.q_n, self.q_dot = (self._view(slot, self.n_q) for slot in (L.Q, L.QN, L.Q_DOT))
        self.v, self.a, self.dq, self.res = (self._view(slot, n) for slot in (L.V, L.A, L.DQ, L.RES))
        self.bias = self._view(L.BIAS, n)
        self.lam, self.phi, self.phi_dot, self.gam = (self._view(slot, m) for slot in (L.LAM, L.PHI, L.PHI_DOT, L.GAM))
        every = self.n_all_rows = int(I[L.N_ALL_ROWS])
        self.n_all_pos_rows = int(I[L.N_ALL_POS_ROWS])
        self.lam_all, self.phi_all = self._view(L.LAM_ALL, every), self._view(L.PHI_ALL, every)
        self.phi_dot_all, self.gam_all = self._view(L.PHI_DOT_ALL, every), self._view(L.GAM_ALL, every)
        self.is_sparse = bool(I[L.SPARSE])
        n_G, n_M = (int(I[L.N_G]), int(I[L.N_M])) if self.is_sparse else (m * n, n * n)
        self.G_entries, self.M_entries = self._view(L.G, n_G), self._view(L.M, n_M)
        self.power, self.work = self._view(L.POWER, self.n_powers), self._view(L.WORK, self.n_powers)
        self.out = self._view(L.OUT, int(I[L.N_OUT]))
        self.scale = system.scales

    def _view(self, slot: int, size: int) -> Floats:
        start = int(self.I[slot])
        return self.W[start : start + size]

    @property
    def M(self) -> Floats:
        """(n_v, n_v) mass matrix: a view, in sparse storage a full copy."""
        n = self.n_v
        if not self.is_sparse:
            return self.M_entries.reshape(n, n)
        P, M = self._pattern, np.zeros((n, n))
        i, j = entries_at(P, sp.SP_S_ROW, sp.SP_N_S), entries_at(P, sp.SP_S_COLUMN, sp.SP_N_S)
        M[i, j] = M[j, i] = self.M_entries
        return M

    @property
    def G(self) -> Floats:
        """(n_rows, n_v) constraint Jacobian: a view, in sparse storage a full copy."""
        if not self.is_sparse:
            return self.G_entries.reshape(self.n_rows, self.n_v)
        P, G = self._pattern, np.zeros((self.n_rows, self.n_v))
        G[entries_at(P, sp.SP_G_ROW, sp.SP_N_G), entries_at(P, sp.SP_G_COLUMN, sp.SP_N_G)] = self.G_entries
        return G

    @property
    def G_all(self) -> Floats:
        """(n_all_rows, n_v) Jacobian of all rows: a view, in sparse storage a full copy."""
        if self.is_sparse:
            return self.G
        return self._view(L.G_ALL, self.n_all_rows * self.n_v).reshape(self.n_all_rows, self.n_v)

    @property
    def _pattern(self) -> Integers:
        assert self.system.pattern is not None
        return self.system.pattern

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self.W[self.I[L.T]])

    @t.setter
    def t(self, value: float) -> None:
        self.W[self.I[L.T]] = value

    def state(self) -> MotionState:
        """A copy of the state in W."""
        return MotionState(self.t, self.q.copy(), self.v.copy(), self.a.copy(), self.lam.copy())

    def put(self, state: MotionState) -> None:
        """Restore a state in W."""
        self.t = state.t
        self.q[:], self.v[:], self.a[:], self.lam[:] = state.q, state.v, state.a, state.lam

    @property
    def row_scale(self) -> float:
        """Scale of a gap |PHI|, in m or rad: the length scale, at most 1."""
        return min(1.0, self.system.length_scale)

    @property
    def constraint_error(self) -> float:
        """Largest residual of all position rows [m, rad], those included that the solvers do not see."""
        return float(np.max(np.abs(self.phi_all[: self.n_all_pos_rows]), initial=0.0))

    def run(self, program: int, argument: int = 0) -> None:
        """Run the program whose address is in the given slot of the header."""
        call(int(self.I[program]), self.I, self.system.floats, self.W, argument)

    def changes_flanks(self) -> bool:
        """Choose the flanks of teeth by the multipliers; whether any changes, so that those are not final."""
        if not self.I[L.N_TEETH]:
            return False
        self.run(L.AT_WHOLE_RESIDUAL)
        self.run(L.AT_FLANKS)
        return bool(self.W[self.I[L.X_VALUE]] > 0.0)

    def jacobian(self) -> None:
        """Compute G, PHI and PHI_DOT of the state."""
        self.run(L.AT_JACOBIAN)

    def equations(self) -> None:
        """Compute M, BIAS, G, PHI, PHI_DOT and GAM of the state."""
        self.run(L.AT_SYSTEM)

    def move(self, dq: Floats) -> None:
        """Replace q by q o dq."""
        self.q_n[:] = self.q
        self.dq[:] = dq
        self.run(L.AT_COMPOSE)

    def names(self, coordinates: Iterable[int]) -> list[str]:
        """Names of velocity coordinates."""
        return [self.system.coordinates[int(i)] for i in coordinates]

    def owners(self, rows: Iterable[int]) -> list[str]:
        """Names of the joints and motions that own the evaluated rows, without repetition."""
        return list(dict.fromkeys(self.system.evaluated[int(k)].owner for k in rows))


def moved_by(mechanics: Mechanics, j: int) -> Flags:
    """Flags of the stored coordinates that velocity j moves."""
    v, a = mechanics.v.copy(), mechanics.a.copy()
    mechanics.v[:], mechanics.a[:] = 0.0, 0.0
    mechanics.v[j] = 1.0
    mechanics.run(L.AT_RATES)
    mechanics.v[:], mechanics.a[:] = v, a
    return mechanics.q_dot != 0.0


def stored_scales(mechanics: Mechanics) -> Floats:
    """Magnitude of every stored coordinate, found by moving one velocity at a time; if sparse, by tables."""
    if mechanics.is_sparse:
        return _tabled_scales(mechanics)
    scales = np.zeros(mechanics.n_q)
    for j in range(mechanics.n_v):
        moved = moved_by(mechanics, j)
        scales[moved] = np.maximum(scales[moved], mechanics.scale[j])
    scales[scales == 0.0] = 1.0
    return scales


def _tabled_scales(mechanics: Mechanics) -> Floats:
    """Magnitude of every stored coordinate by the table of plain coordinates; the rates of quaternions are angles."""
    I, scales = mechanics.I, np.ones(mechanics.n_q)
    plain = I[I[L.SCALARS] : I[L.SCALARS] + I[L.N_SCALARS] * L.SCALAR].reshape(-1, L.SCALAR)
    scales[plain[:, L.SC_Q]] = mechanics.scale[plain[:, L.SC_V]]
    return scales
