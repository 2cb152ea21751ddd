"""State about which a system is linearised, and the rates of nearby states that satisfy every constraint.

In: independent increments dy, dw, and departures of the motions from their laws (position, rate, acceleration). Out:
rates (y', w') and sensors. Dependent coordinates follow by Newton's method on PHI, dependent velocities from
G v + Phi_t = 0, accelerations and multipliers from M a + G^T lam = -BIAS, G a = -GAM.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.solvers.assembly import gaps
from flexmb.solvers.independent import dependent_velocities
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.shared_basis import basis_of
from flexmb.system.system import System

MAX_STEPS = 8
CLOSED = 1e-14  # Newton's last step, as a fraction of the magnitude of a coordinate


class Point:
    """A state with its independent and dependent coordinates; `like`: a point whose choice is reused."""

    def __init__(self, system: System, work: Floats, like: Point | None = None):
        self.system = system
        m = self.m = Mechanics(system, work.copy())
        self.t0, self.q0, self.v0 = m.t, m.q.copy(), m.v.copy()
        self.scale = m.scale
        self.n_pos = m.n_pos_rows
        if (basis := basis_of(m)) is not None:
            basis.set()  # the state may be far from the start, where the combinations of the rows were chosen
        if like is None:
            self.held_q, self.held_v = self._choose()
        else:
            self.held_q, self.held_v = like.held_q, like.held_v
        everything = range(m.n_v)
        self.free_q = [j for j in everything if j not in set(self.held_q)]
        self.free_v = [j for j in everything if j not in set(self.held_v)]
        self.n_y, self.n_w = len(self.free_q), len(self.free_v)
        self.names_y, self.names_w = m.names(self.free_q), m.names(self.free_v)
        self.scale_y, self.scale_w = self.scale[self.free_q], self.scale[self.free_v]
        self.motion_rows = motion_rows(system)
        self.scale_m = np.array([system.length_scale if system.rows[k].unit == "m" else 1.0 for k in self.motion_rows])
        self._find_outputs()
        m.jacobian()
        self.R_q = _basis(m.G[: self.n_pos], self.held_q, self.free_q)
        self.R_v = _basis(m.G, self.held_v, self.free_v)
        self.turning = (self._turning() @ self.R_q)[self.free_q]
        self._none, self._still = np.zeros(self.n_y), np.zeros(self.n_w)
        self._laws = np.zeros((3, m.n_rows))
        self.rates_and_outputs()
        self.a0 = m.a.copy()
        self.base = m.W.copy()

    def restore(self) -> None:
        """Restore the state in the workspace."""
        self.m.W[:] = self.base

    def _choose(self) -> tuple[list[int], list[int]]:
        """Dependent coordinates, and dependent velocities: these and those held by rolling."""
        m = self.m
        if not m.n_rows:
            return [], []
        dependent = dependent_velocities(m)
        if len(dependent) < m.n_rows:
            raise ComputationError(
                f"Only {len(dependent)} of {m.n_rows} constraint rows are independent in this state: the mechanism is "
                "in a singular position and has no linearised equations there. Choose another state."
            )
        return dependent[: self.n_pos], dependent

    def _find_outputs(self) -> None:
        names: list[str] = []
        places: list[int] = []
        for channel in self.system.channels:
            if not channel.path.startswith("sensors/"):
                continue
            name, length = channel.path.removeprefix("sensors/"), int(np.prod(channel.shape))
            names += [f"{name}.{axis}" for axis in "xyz"[:length]] if channel.shape else [name]
            places += range(channel.start, channel.start + length)
        self.outputs, self._places = tuple(names), places

    def _turning(self) -> Floats:
        """(n_v, n_v) omega x of every rotation that is measured in its rotating frame."""
        m, I = self.m, self.m.I
        turning = np.zeros((m.n_v, m.n_v))
        for k in range(int(I[L.N_SPHERES])):
            block = int(I[L.SPHERES]) + 3 * k
            if I[block + 2] == 3:
                j = int(I[block + 1])
                x, y, z = self.v0[j : j + 3]
                turning[j : j + 3, j : j + 3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
        return turning

    def by_state(self, j: int) -> Callable[[float], Floats]:
        """Rates and outputs as functions of state j: of y, w, the motions, then their rates."""
        n, n_m = self.n_y + self.n_w, len(self.motion_rows)

        def values(h: float) -> Floats:
            dy, dw, laws = self._none.copy(), self._still.copy(), self._laws.copy()
            if j < self.n_y:
                dy[j] = h
            elif j < n:
                dw[j - self.n_y] = h
            else:
                order, k = divmod(j - n, n_m)
                laws[order, self.motion_rows[k]] = h
            return self.rates_and_outputs(dy, dw, laws)

        return values

    def by_acceleration(self, k: int) -> Callable[[float], Floats]:
        """Rates and outputs as functions of the acceleration of motion k beyond its law."""

        def values(h: float) -> Floats:
            laws = self._laws.copy()
            laws[2, self.motion_rows[k]] = h
            return self.rates_and_outputs(None, None, laws)

        return values

    def rates_and_outputs(
        self, dy: Floats | None = None, dw: Floats | None = None, laws: Floats | None = None
    ) -> Floats:
        """(y', w') of a nearby state, without the rotation of its frames, and its sensors."""
        m = self.m
        laws = self._laws if laws is None else laws
        m.t = self.t0
        self._close(self._none if dy is None else dy, laws[0])
        m.v[self.free_v] = self.v0[self.free_v] + (self._still if dw is None else dw)
        if m.n_rows:
            m.v[self.held_v] = 0.0
            m.jacobian()
            m.v[self.held_v] = np.linalg.solve(m.G[:, self.held_v], laws[1] - m.phi_dot)
        self._accelerate(laws[2])
        if not self._places:
            return np.concatenate([m.v[self.free_q], m.a[self.free_v]])
        m.run(L.AT_OUTPUT)
        return np.concatenate([m.v[self.free_q], m.a[self.free_v], m.out[self._places]])

    def _close(self, dy: Floats, law: Floats) -> None:
        """Positions: independent ones moved by dy, dependent ones by Newton's method."""
        m = self.m
        dq = self.R_q @ dy
        m.q_n[:] = self.q0
        for _ in range(MAX_STEPS):
            m.dq[:] = dq
            m.run(L.AT_COMPOSE)
            if not self.n_pos:
                return
            m.jacobian()
            step = np.linalg.solve(m.G[: self.n_pos, self.held_q], law[: self.n_pos] - m.phi[: self.n_pos])
            dq[self.held_q] += step
            if np.max(np.abs(step) / self.scale[self.held_q]) <= CLOSED:
                return
        if not np.max(np.abs(step) / self.scale[self.held_q]) <= 1e-10:
            raise ComputationError(f"The loops do not close near this state: {gaps(m, m.phi_all)}.")

    def _accelerate(self, law: Floats) -> None:
        """Accelerations and multipliers: a = R z + a_p with G a_p = law - GAM, R^T (M a + BIAS) = 0."""
        m, held = self.m, self.held_v
        m.equations()
        R = _basis(m.G, held, self.free_v)
        m.a[:] = 0.0
        if held:
            m.a[held] = np.linalg.solve(m.G[:, held], law - m.gam)
        M = R.T @ m.M @ R
        root = np.sqrt(np.maximum(np.diag(M), 1e-300))
        try:
            z = np.linalg.solve(M / np.outer(root, root), -(R.T @ (m.bias + m.M @ m.a)) / root) / root
        except np.linalg.LinAlgError:
            raise ComputationError(f"No inertia resists the motion of {', '.join(self.names_w)}.") from None
        m.a[:] += R @ z
        if held:
            m.lam[:] = np.linalg.solve(m.G[:, held].T, -(m.bias + m.M @ m.a)[held])


def motion_rows(system: System) -> list[int]:
    """Active rows that belong to motions."""
    return [k for k, row in enumerate(system.rows) if row.is_motion and not row.on_velocity]


def _basis(G: Floats, held: list[int], free: list[int]) -> Floats:
    """(n, n_free) basis of the null space of G with the unit matrix in the free rows."""
    R = np.zeros((G.shape[1], len(free)))
    R[free] = np.eye(len(free))
    if held:
        R[held] = -np.linalg.solve(G[:, held], G[:, free])
    return R
