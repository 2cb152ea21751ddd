"""Python interface to the programs of a system: named views of the workspace, and a method for every program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.jit import call
from flexmb.layout import flat_arrays as L
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
        self.G_all = self._view(L.G_ALL, every * n).reshape(every, n)
        self.M = self._view(L.M, n * n).reshape(n, n)
        self.G = self._view(L.G, m * n).reshape(m, n)
        self.power, self.work = self._view(L.POWER, self.n_powers), self._view(L.WORK, self.n_powers)
        self.out = self._view(L.OUT, int(I[L.N_OUT]))
        self.scale = system.scales

    def _view(self, slot: int, size: int) -> Floats:
        start = int(self.I[slot])
        return self.W[start : start + size]

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

    def run(self, program: int) -> None:
        """Run the program whose address is in the given slot of the header."""
        call(int(self.I[program]), self.I, self.system.floats, self.W, 0)

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
    """Magnitude of every stored coordinate, found by moving one velocity at a time."""
    scales = np.zeros(mechanics.n_q)
    for j in range(mechanics.n_v):
        moved = moved_by(mechanics, j)
        scales[moved] = np.maximum(scales[moved], mechanics.scale[j])
    scales[scales == 0.0] = 1.0
    return scales
