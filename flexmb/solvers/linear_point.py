"""State about which a system is linearised: closed, with its accelerations, and what moves with the independent ones.

In: a workspace with time, coordinates and velocities. Out: a `Point`. Dependent coordinates follow by Newton's method
on PHI, dependent velocities from G v + Phi_t = 0, accelerations and multipliers from M a + G^T lam = -BIAS,
G a = -GAM.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from flexmb.arrays import Floats
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.solvers.allowed_motions import AllowedMotions, FullMotions, SparseMotions
from flexmb.solvers.assembly import gaps
from flexmb.solvers.independent import dependent_velocities
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.shared_basis import basis_of
from flexmb.solvers.sparse_rows import SparseRows
from flexmb.system.system import System

MAX_STEPS = 8
CLOSED = 1e-14  # Newton's last step, as a fraction of the magnitude of a coordinate
STALE, EXACT = 1e-8, 1e-13  # the same: motion after which rows are factorised again, for Newton's method and at its end


class Point:
    """A state with its independent and dependent coordinates; `like`: a point whose choice is reused."""

    def __init__(self, system: System, work: Floats, like: Point | None = None):
        self.system = system
        m = self.m = Mechanics(system, work.copy())
        self.t0, self.scale = m.t, m.scale
        self.n_pos = m.n_pos_rows
        self.basis = basis_of(m)
        if self.basis is not None and self.basis.has_moved():
            self.basis.set()  # the state is far from the start, where the combinations of the rows were chosen
        self._close(like)
        self.free_q, self.free_v = self.by_q.free, self.by_v.free
        self.R_q, self.R_v = self.by_q.R, self.by_v.R
        self.n_y, self.n_w = len(self.free_q), len(self.free_v)
        self.names_y, self.names_w = m.names(self.free_q), m.names(self.free_v)
        self.scale_y, self.scale_w = self.scale[self.free_q], self.scale[self.free_v]
        self.motion_rows = motion_rows(system)
        self.scale_m = np.array([system.length_scale if system.rows[k].unit == "m" else 1.0 for k in self.motion_rows])
        self._find_outputs()
        self._keep_velocities()
        self.q0, self.v0 = m.q.copy(), m.v.copy()
        self.turning = self._turning()[self.free_q]
        self.is_at_rest = self._rests()
        self._accelerate()
        self.a0 = m.a.copy()
        self.base = m.W.copy()

    def _close(self, like: Point | None) -> None:
        """Bring the dependent coordinates onto the rows by Newton's method; the motions that the rows allow there."""
        m = self.m
        m.jacobian()
        self._choose(like)
        if not self.n_pos:
            return
        moved = 0.0
        for _ in range(MAX_STEPS):
            step = self.by_q.particular(-m.phi[: self.n_pos, None])[:, 0]
            m.move(step)
            m.jacobian()
            size = float(np.max(np.abs(step) / self.scale, initial=0.0))
            moved += size
            if size <= CLOSED:
                break
            if size > STALE:
                self._choose(self)
                moved = 0.0
        if not size <= 1e-10:
            raise ComputationError(f"The loops do not close near this state: {gaps(m, m.phi_all)}.")
        if moved > EXACT:
            self._choose(self)

    def _choose(self, like: Point | None) -> None:
        """Dependent coordinates, and velocities (these and those held by rolling); or those of `like`."""
        m, n = self.m, self.n_pos
        self.by_q: AllowedMotions
        self.by_v: AllowedMotions
        if m.is_sparse:
            free_q, free_v = (None, None) if like is None else (like.by_q.free, like.by_v.free)
            every = SparseMotions(m, np.arange(m.n_rows) < n, free=free_q)
            self._check_rank(every.rank, n - sum(k < n for k in self.system.dependent))
            self.by_q = self.by_v = every
            if n < m.n_rows:
                self.by_v = every = SparseMotions(m, free=free_v, among=every.free)
                self._check_rank(every.rank, m.n_rows - len(self.system.dependent))
            return
        if like is None:
            held = dependent_velocities(m) if m.n_rows else []
            self._check_rank(len(held), m.n_rows)
            held_q = held[:n]
        else:
            held, held_q = like.by_v.held, like.by_q.held
        self.by_q = self.by_v = FullMotions(m.G[:n], held_q)
        if n < m.n_rows:
            self.by_v = FullMotions(m.G, held)

    def _check_rank(self, rank: int, n_rows: int) -> None:
        """Raise ComputationError in a singular position."""
        if rank < n_rows:
            raise ComputationError(
                f"Only {rank} of {n_rows} constraint rows are independent in this state: the mechanism is "
                "in a singular position and has no linearised equations there. Choose another state."
            )

    def _find_outputs(self) -> None:
        names: list[str] = []
        places: list[int] = []
        for channel in self.system.channels:
            if not channel.path.startswith("sensors/"):
                continue
            name, length = channel.path.removeprefix("sensors/"), int(np.prod(channel.shape))
            names += [f"{name}.{axis}" for axis in "xyz"[:length]] if channel.shape else [name]
            places += range(channel.start, channel.start + length)
        self.outputs, self.places = tuple(names), places

    def _turning(self) -> Floats:
        """(n_v, n_y) omega x R of every rotation that is measured in its rotating frame."""
        I, turning = self.m.I, np.zeros_like(self.R_q)
        for k in range(int(I[L.N_SPHERES])):
            block = int(I[L.SPHERES]) + 3 * k
            if I[block + 2] == 3:
                j = int(I[block + 1])
                x, y, z = self.v0[j : j + 3]
                turning[j : j + 3] = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]) @ self.R_q[j : j + 3]
        return turning

    def _keep_velocities(self) -> None:
        """Dependent velocities as the rows require."""
        m = self.m
        if m.n_rows:
            m.v[self.by_v.held] = 0.0
            m.jacobian()
            m.v[:] += self.by_v.particular(-m.phi_dot[:, None])[:, 0]

    def _rests(self) -> bool:
        """Whether nothing moves, the base included: then the rates of the rows do not depend on the coordinates."""
        m, I = self.m, self.m.I
        m.run(L.AT_KINEMATICS)
        blocks = I[I[L.BODIES] : I[L.BODIES] + (I[L.N_BODIES] + 1) * L.BODY].reshape(-1, L.BODY)[:, L.B_W]
        return not np.any(m.v) and not any(
            np.any(m.W[blocks[:, None] + s + np.arange(3)]) for s in (L.W_VEL, L.W_OMEGA)
        )

    def _accelerate(self) -> None:
        """Accelerations and multipliers of the state, and the mass matrix of the independent velocities."""
        m = self.m
        m.a[:], m.lam[:] = 0.0, 0.0
        m.equations()
        self._mass: SparseRows | Floats = SparseRows(m) if m.is_sparse else m.M.copy()
        self._entries = m.M_entries.copy()
        M = self.M = self.R_v.T @ self.mass_times(self.R_v)
        self._root = np.sqrt(np.maximum(np.diag(M), 1e-300))
        try:
            self._factor = cho_factor(M / np.outer(self._root, self._root), check_finite=False) if self.n_w else None
        except np.linalg.LinAlgError:
            raise ComputationError(f"No inertia resists the motion of {', '.join(self.names_w)}.") from None
        a = self.accelerations(m.bias[:, None], -m.gam[:, None])
        m.a[:], m.lam[:] = a[:, 0], self.multipliers(m.bias[:, None], a)[:, 0]

    def mass_times(self, x: Floats) -> Floats:
        """M x of columns (n_v, k)."""
        if isinstance(self._mass, SparseRows):
            found = np.zeros_like(x)
            for k in np.flatnonzero(np.any(x, axis=0)):
                found[:, k] = self._mass.metric_times(self._entries, x[:, k])
            return found
        return np.asarray(self._mass @ x)

    def accelerations(self, force: Floats, values: Floats) -> Floats:
        """a (n_v, k) of M a + G^T lam = -force, G a = values.

        a = R z + a_p with G a_p = values and nothing in the independent ones, R^T (M a + force) = 0.
        """
        a = np.zeros_like(force)
        if np.any(values):
            a = self.by_v.particular(values)
            force = force + self.mass_times(a)
        if self._factor is not None:
            wanted = self.R_v.T @ force / self._root[:, None]
            a = a - self.R_v @ (cho_solve(self._factor, wanted, check_finite=False) / self._root[:, None])
        return a

    def multipliers(self, force: Floats, a: Floats) -> Floats:
        """lam (n_rows, k) of M a + G^T lam = -force."""
        return self.by_v.multipliers(-(force + self.mass_times(a)))


def motion_rows(system: System) -> list[int]:
    """Active rows that belong to motions."""
    return [k for k, row in enumerate(system.rows) if row.is_motion and not row.on_velocity]
