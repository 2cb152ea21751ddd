"""Kinematic analysis with more motions than degrees of freedom: joints hold exactly, motions by least squares.

Joint rows Phi_J (independent) and motion rows Phi_M, residuals r = w Phi_M with w = 1/length scale for lengths, 1 for
angles. At every output time

    positions        min 1/2 r^T r  with  Phi_J = 0,   that is  F = G_M^T w r + G_J^T mu = 0         (Newton)
    velocities       F' = 0,  G_J v + Phi_J,t = 0     accelerations   F'' = 0,  G_J a + GAM_J = 0
    efforts          M a + BIAS + G_J^T lam_J + G_M^T u = 0  with the least |u/w|

Velocities and accelerations are the time derivatives of the fitted positions, not fits of their own: F' and F'' hold
the change of G times the residual, by differences of G; where the motions agree these terms vanish, and the analysis is
the ordinary one. The least |u/w| is the least sum of forces squared and (torques over the length scale) squared.
[Andersen, Damsgaard, Rasmussen 2009, Kinematic analysis of over-determinate biomechanical systems]
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import ComputationError, InputError
from flexmb.layout import flat_arrays as L
from flexmb.solvers.assembly import close_loops, gaps
from flexmb.solvers.driven_analysis import DrivenAnalysis, Instants
from flexmb.solvers.kinematics import MAX_ITERATIONS
from flexmb.solvers.march import march
from flexmb.solvers.mechanics import Mechanics, Solvable
from flexmb.solvers.output_rows import OutputRows
from flexmb.solvers.protocols import Progress, Sink
from flexmb.solvers.settings import Settings
from flexmb.solvers.summary import RunSummary

STEP = 1e-5  # of differences of G, in scaled coordinates
SHORT = 3e-3  # rad, fractions of the length: motion of the mechanism in a step of differences along its path
NOTHING = 1e-13  # scaled residuals that are round-off


def analyse_least_squares(
    system: Solvable,
    settings: Settings,
    *,
    sink: Sink,
    progress: Progress | None = None,
    resume: Floats | None = None,
) -> RunSummary:
    """Fit positions to all motions at every output time and hand the rows to the sink.

    The rows of the joints must be independent. Raises InputError when a degree of freedom is not driven,
    ComputationError when no fit is found.
    """
    return march(DrivenAnalysis(FittedInstants(OutputRows(system, settings))), sink, progress, resume)


def row_weights(system: Solvable) -> Floats:
    """(n_rows,) weights that make rows comparable: 1/length scale for lengths [1/m], 1 for angles."""
    return np.array([1.0 / system.length_scale if row.unit == "m" else 1.0 for row in system.rows])


class _Linear:
    """At one position: D and J, the scaled rows of motions and joints; N spans the motions that the joints allow."""

    def __init__(self, mechanics: Mechanics, driven: np.ndarray, weight: Floats):
        G = mechanics.G * mechanics.scale
        self.J, self.D = G[~driven], weight[driven, None] * G[driven]
        left, sigma, right = np.linalg.svd(self.J)
        rank = int(np.sum(sigma > 1e-12 * max(float(sigma.max(initial=0.0)), 1e-300)))
        self.N = right[rank:].T
        self.inverse = right[:rank].T @ (left[:, :rank] / sigma[:rank]).T
        self.A = self.D @ self.N

    def solve(self, joints: Floats, motions: Floats, curvature: Floats, extra: Floats) -> Floats:
        """x with D^T (D x + motions) + curvature x + extra + J^T mu = 0 and J x + joints = 0 (scaled coordinates)."""
        x = -self.inverse @ joints
        x = x + self.N @ np.linalg.lstsq(self.A, -(motions + self.D @ x), rcond=1e-12)[0]
        rest = self.N.T @ (curvature @ x + extra)
        if np.any(rest):
            x = x - self.N @ np.linalg.solve(self.A.T @ self.A + self.N.T @ curvature @ self.N, rest)
        return np.asarray(x)

    def multipliers(self, force: Floats) -> Floats:
        """mu of J^T mu + force = 0"""
        return np.asarray(-self.inverse.T @ force)


class FittedInstants(Instants[RunSummary]):
    """Joints hold exactly, motions by least squares."""

    def __init__(self, rows: OutputRows):
        super().__init__(rows)
        self.driven = np.array([row.is_motion for row in self.system.rows], dtype=bool)
        self.weight = row_weights(self.system)
        self.interval = rows.interval

    def start(self) -> None:
        """Fit the positions at the start."""
        m = self.m
        close_loops(m, np.ones(m.n_v, dtype=bool))  # near the fit, though the joints are not closed before it
        self._require_drives()
        for _ in range(100):
            size = self._newton_step(with_curvature=False)
            if size <= 1e-4:
                break
        if not self.solve_positions():
            m.jacobian()
            text = gaps(m, m.phi_all)
            raise ComputationError(f"The motions cannot be fitted at the start: {text}. Make the motions agree better.")

    def _require_drives(self) -> None:
        m = self.m
        m.jacobian()
        free = m.n_v - int(np.linalg.matrix_rank(m.G * m.scale, tol=None))
        if free:
            text = f"motions can be fitted only when they drive every degree of freedom; {free} are free."
            raise InputError(f"{text} Add motions for them, or remove the motions that repeat others.")

    def solve_positions(self) -> bool:
        """Newton on the conditions of the least squares; False when it does not converge to a minimum."""
        m = self.m
        for _ in range(MAX_ITERATIONS):
            size = self._newton_step(with_curvature=True)
            if not np.isfinite(size) or size > 1.0:
                return False
            self.rows.iterations += 1
            if size <= 1e-8:  # quadratic convergence: the rest is round-off
                m.jacobian()
                linear, multipliers = self._here()
                A, N = linear.A, linear.N
                lowest = np.linalg.eigvalsh(A.T @ A + N.T @ self._curvature(multipliers) @ N).min(initial=1.0)
                return bool(np.max(np.abs(m.phi[~self.driven]), initial=0.0) <= 1e-9 and lowest > 0.0)
        return False

    def _newton_step(self, *, with_curvature: bool) -> float:
        """Move by one step of at most half a radian; its size."""
        m = self.m
        m.jacobian()
        linear, multipliers = self._here()
        joints, residual = m.phi[~self.driven].copy(), (self.weight * m.phi)[self.driven]
        C = self._curvature(multipliers) if with_curvature else np.zeros((m.n_v, m.n_v))
        x = linear.solve(joints, residual, C, np.zeros(m.n_v))
        size = float(np.max(np.abs(x), initial=0.0))
        if np.isfinite(size):
            m.move(x * m.scale * min(1.0, 0.5 / max(size, 1e-300)))
        return size

    def _here(self) -> tuple[_Linear, Floats]:
        """The rows at the position, and the multipliers (n_rows,): mu of the joints, w r of the motions."""
        m = self.m
        linear = _Linear(m, self.driven, self.weight)
        multipliers = self.weight**2 * m.phi
        multipliers[~self.driven] = linear.multipliers(linear.D.T @ (self.weight * m.phi)[self.driven])
        return linear, multipliers

    def _curvature(self, multipliers: Floats) -> Floats:
        """(n_v, n_v) change of G^T multipliers with the scaled coordinates, by central differences."""
        m = self.m
        C = np.zeros((m.n_v, m.n_v))
        if np.max(np.abs(multipliers), initial=0.0) < NOTHING:
            return C
        q = m.q.copy()
        for k in range(m.n_v):
            for sign in (1.0, -1.0):
                m.move(sign * STEP * m.scale * (np.arange(m.n_v) == k))
                m.jacobian()
                C[:, k] += sign * m.scale * (multipliers @ m.G) / (2.0 * STEP)
                m.q[:] = q
        m.jacobian()
        return C

    def _along(self, velocity: Floats) -> tuple[Floats, Floats]:
        """First and second derivative (n_rows, n_v) of the scaled G along a velocity and time, by differences of fourth
        order."""
        m, t, q = self.m, self.m.t, self.m.q.copy()
        speed = float(np.max(np.abs(velocity) / m.scale, initial=0.0))
        h = min(self.interval, SHORT / max(speed, 1e-300))
        first, second = np.zeros_like(m.G), -30.0 * m.G
        for step, odd, even in ((-2, 1.0, -1.0), (-1, -8.0, 16.0), (1, 8.0, 16.0), (2, -1.0, -1.0)):
            m.t = t + step * h
            m.move(step * h * velocity)
            m.jacobian()
            first += odd * m.G
            second += even * m.G
            m.q[:], m.t = q, t
        m.jacobian()
        return first * m.scale / (12.0 * h), second * m.scale / (12.0 * h**2)

    def solve_rates(self) -> None:
        """Velocities, accelerations, multipliers and powers of the fitted position."""
        m, driven, w = self.m, self.driven, self.weight
        m.v[:] = 0.0
        m.jacobian()
        linear, multipliers = self._here()
        C, nothing = self._curvature(multipliers), np.zeros(m.n_v)
        agreed = not C.any()
        change = nothing if agreed else multipliers @ self._along(nothing)[0]  # of G with time alone: a moving ground
        m.v[:] = 0.0
        m.jacobian()
        v = linear.solve(m.phi_dot[~driven], (w * m.phi_dot)[driven], C, change)
        force = linear.D.T @ (linear.D @ v + (w * m.phi_dot)[driven]) + C @ v + change
        m.v[:] = v * m.scale
        m.equations()
        rates = w**2 * m.phi_dot
        rates[~driven] = linear.multipliers(force)
        extra = nothing
        if not agreed or np.max(np.abs(rates), initial=0.0) > NOTHING * (1.0 + float(np.max(np.abs(v), initial=0.0))):
            first, second = self._along(m.v.copy())
            extra = multipliers @ second + 2.0 * (rates @ first)
            m.equations()
        m.a[:] = linear.solve(m.gam[~driven], (w * m.gam)[driven], C, extra) * m.scale
        self._share_efforts(linear)
        self.rows.note_constraint_error(m.phi_all[[not row.is_motion for row in self.system.evaluated]])
        if m.n_powers:
            self._powers()

    def _share_efforts(self, linear: _Linear) -> None:
        m, driven = self.m, self.driven
        effort = -(m.M @ m.a + m.bias) * m.scale
        scaled = np.linalg.lstsq(linear.A.T, linear.N.T @ effort, rcond=1e-12)[0]  # of least length
        m.lam[driven] = self.weight[driven] * scaled
        m.lam[~driven] = linear.multipliers(linear.D.T @ scaled - effort)

    def _powers(self) -> None:
        """Powers; those of the motions with the actual rate of the mechanism, not the prescribed one."""
        m, I = self.m, self.m.I
        m.run(L.AT_POWERS)
        for k in range(int(I[L.N_MOTIONS])):
            record = int(I[L.MOTIONS]) + k * L.MOTION
            row = int(I[record + L.MO_ROW])
            if row >= 0:
                m.power[I[record + L.MO_POWER]] -= m.lam[row] * m.phi_dot[row]

    def summary(self, outcome: str) -> RunSummary:
        """Outcome and quality so far."""
        return self.rows.summary(outcome, "kinematic")
