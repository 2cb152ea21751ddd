"""Balance of elastic coordinates under a given motion: the equations of `quasi_static_motion` and their solution.

The velocities are split into independent elastic ones and all others, which the constraint rows give:
v_d = -P (G_y y' + Phi_t) with P the inverse of G_d, and likewise for positions, accelerations and multipliers.
F(t, y, y') is the residual in the rows of y. Newton's method keeps a Jacobian by differences as long as it converges;
y' and y'' are corrected together with y, by F at neighbouring instants. `elastic_balance_kernels` does the same,
compiled, for instants without difficulties.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.solvers.independent import pivot_columns
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.quasi_static_start import stored_places

DEPENDENT = 1e-9  # singular values below this fraction of the largest count as zero
DIFFERENCE = 1e-6  # of the magnitude of an elastic coordinate: it is perturbed by this for the Jacobian
SMALL, DIGITS = 1e-15, 1e-12  # corrections as a fraction of the magnitude of y and of y itself: converged
STALLED = 1e-8  # corrections, as a fraction of that magnitude, that are accepted when they do not get smaller
SLOW = 0.1  # contraction of the corrections that requires a new Jacobian
LEAP = 3.0  # times y'' of the previous instant: then checked from both sides
SHORT = 1e-3  # rad, fractions of the length: motion of the mechanism between the instants of a time derivative
MAX_CLOSING, MAX_NEWTON, MAX_SWEEPS = 12, 30, 30
SMALLEST_PART = 1e-2  # smallest fraction of the load, when it is raised step by step


class Lost(Exception):
    """No state belongs to the elastic coordinates that were tried, or Newton's method does not converge."""


class Balance:
    """F of one system and its solution. The search is centred at (t, q) with the rates and second derivatives of y."""

    def __init__(self, mechanics: Mechanics):
        m = self.m = mechanics
        self._choose()
        self.places = stored_places(m)[self.independent]
        self.scale, self.scale_d = m.scale[self.independent], m.scale[self.dependent]
        n = len(self.independent)
        self.y, self.rate, self.second, self.third = m.q[self.places].copy(), np.zeros(n), np.zeros(n), np.zeros(n)
        self.q = m.q.copy()
        """Start of the search for the dependent coordinates"""
        self.inverse: Floats | None = None
        self.iterations = self.factorisations = 0

    @property
    def state(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, y, y' and y'' at the centre."""
        return self.q, self.y, self.rate, self.second

    @state.setter
    def state(self, value: tuple[Floats, Floats, Floats, Floats]) -> None:
        self.q, self.y, self.rate, self.second = value
        self.third = np.zeros(len(self.y))

    def _choose(self) -> None:
        """Independent elastic coordinates: those that the rows leave free when the rigid ones are taken first."""
        m = self.m
        m.jacobian()
        G, rigid = m.G * m.scale, np.flatnonzero(~m.system.elastic)
        found = pivot_columns(G[:, rigid], _rank(G[:, rigid]), [])
        free = [int(j) for k, j in enumerate(rigid) if k not in found]
        if m.n_pos_rows < m.n_rows:
            text = "a quasi-static motion cannot have rolling or other velocity constraints."
            raise InputError([Fault(text, ("joints",), "Solve the elastic coordinates dynamically.")])
        if free:
            one = len(free) == 1
            text = f"a quasi-static motion needs every rigid degree of freedom driven; {len(free)} "
            text += f"{'is' if one else 'are'} free, such as {', '.join(m.names(free))}."
            hint = f"Add {len(free)} motion{'' if one else 's'}, or solve the elastic coordinates dynamically."
            raise InputError([Fault(text, ("motions",), hint)])
        self.dependent = np.array(pivot_columns(G, _rank(G), rigid.tolist()), dtype=np.int64)
        self.independent = np.setdiff1d(np.arange(m.n_v), self.dependent)

    def value(self, t: float, q: Floats, y: Floats, rate: Floats, second: Floats | None = None) -> Floats:
        """F; W holds the state, with multipliers. The search for the dependent coordinates starts at q.

        `second`: y'' in the accelerations (F is then no balance), none: zero.
        """
        m, free, held = self.m, self.independent, self.dependent
        m.t, m.q[:] = t, q
        m.q[self.places] = y
        P = self.close()
        m.v[:] = 0.0
        m.v[free] = rate
        m.jacobian()
        m.v[held] = -(P @ m.phi_dot) * self.scale_d
        m.equations()
        m.a[:] = 0.0
        if second is not None:
            m.a[free] = second
        m.a[held] = -(P @ (m.gam + m.G @ m.a)) * self.scale_d
        effort = m.M @ m.a + m.bias
        m.lam[:] = -(P.T @ (effort[held] * self.scale_d))
        F = effort[free] + m.G[:, free].T @ m.lam
        if not np.all(np.isfinite(F)):
            raise Lost
        return np.asarray(F)

    def close(self) -> Floats:
        """Close the loops by the dependent coordinates; the inverse of their scaled Jacobian."""
        m, is_last = self.m, False
        for _ in range(MAX_CLOSING):
            m.jacobian()
            if not (np.all(np.isfinite(m.G)) and np.all(np.isfinite(m.phi))):
                raise Lost
            P = np.linalg.pinv(m.G[:, self.dependent] * self.scale_d, rcond=1e-12)
            if is_last:
                if float(np.max(np.abs(m.phi), initial=0.0)) > 1e-9:
                    raise Lost
                return np.asarray(P)
            step = -(P @ m.phi)
            size = float(np.max(np.abs(step), initial=0.0))
            if size > 1.0:
                raise Lost
            move = np.zeros(m.n_v)
            move[self.dependent] = step * self.scale_d
            m.move(move)
            is_last = size <= 1e-8  # quadratic convergence: the rest is round-off
        raise Lost

    def size(self, values: Floats) -> float:
        """Largest of the elastic coordinates as a fraction of their magnitude."""
        return float(np.max(np.abs(values) / self.scale, initial=0.0))

    def correction(self, F: Floats) -> Floats:
        """Newton's correction of y by the current Jacobian."""
        assert self.inverse is not None
        return np.asarray(-self.scale * (self.inverse @ F))

    def refresh(self, t: float) -> None:
        """Compute the Jacobian by differences at the centre."""
        here = self.value(t, self.q, self.y, self.rate)
        moved = []
        for j in range(len(self.y)):
            y = self.y.copy()
            y[j] += DIFFERENCE * self.scale[j]
            moved.append((self.value(t, self.q, y, self.rate) - here) / DIFFERENCE)
        try:
            self.inverse = np.asarray(np.linalg.inv(np.reshape(moved, (len(here), len(here))).T))
        except np.linalg.LinAlgError:
            raise Lost from None
        self.factorisations += 1

    def newton(self, t: float, wanted: Floats) -> None:
        """Bring y to F = wanted at t with the current rates."""
        last, is_fresh = np.inf, False
        for _ in range(MAX_NEWTON):
            if self.inverse is None:
                self.refresh(t)
                is_fresh = True
            F = self.value(t, self.q, self.y, self.rate) - wanted
            self.q = self.m.q.copy()
            step = self.correction(F)
            size = self.size(step)
            if size > SLOW * last and size > STALLED:
                if is_fresh and size > last:
                    raise Lost
                self.inverse, is_fresh = None, False
                last = size
                continue
            self.y = self.y + step
            self.iterations += 1
            if size <= STALLED:
                return
            last, is_fresh = size, False
        raise Lost

    def load(self, t: float) -> None:
        """Find the first balance: at once, or with the load raised step by step."""
        first = self.value(t, self.q, self.y, self.rate)
        left, part = 1.0, 1.0
        while left > 0.0:
            y, q, goal = self.y, self.q, max(0.0, left - part)
            try:
                self.newton(t, goal * first)
                left, part = goal, 1.5 * part
            except Lost:
                self.y, self.q, self.inverse, part = y, q, None, 0.5 * part
                if part < SMALLEST_PART:
                    raise

    def sweep(self, t: float, ahead: tuple[float, ...]) -> float:
        """Correct y and its derivatives by F at t and at the two or three instants `ahead`; size of the corrections."""
        m = self.m
        F0 = self.value(t, self.q, self.y, self.rate)
        self.q, v, a = m.q.copy(), m.v.copy(), m.a.copy()
        if self.inverse is None:
            self.refresh(t)
        d = [self.correction(F0)]
        for s in ahead:
            m.q[:] = self.q
            m.move(s * v + 0.5 * s**2 * a)
            y = self.y + s * self.rate + s**2 / 2.0 * self.second + s**3 / 6.0 * self.third
            rate = self.rate + s * self.second + s**2 / 2.0 * self.third
            d.append(self.correction(self.value(t + s, m.q.copy(), y, rate)))
        series = np.array([[s, s**2 / 2.0, s**3 / 6.0][: len(ahead)] for s in ahead])
        changes = np.linalg.solve(series, np.array(d[1:]) - d[0])
        self.y, self.rate, self.second = self.y + d[0], self.rate + changes[0], self.second + changes[1]
        self.third = self.third + changes[2] if len(ahead) == 3 else np.zeros(len(self.y))
        self.iterations += 1
        return max(self.size(part) for part in d)

    def solve(self, t: float, ahead: tuple[float, ...]) -> None:
        """Find y, y' and y'' at t from their extrapolated values."""
        if not len(self.y):
            self.value(t, self.q, self.y, self.rate)
            self.q = self.m.q.copy()
            return
        self.newton(t, np.zeros(len(self.y)))
        last, stalls = np.inf, 0
        for k in range(MAX_SWEEPS):
            size = self.sweep(t, ahead)
            stalls = stalls + 1 if size > 0.5 * last and k >= 3 else 0  # y'' goes over to y' and y in three sweeps
            if size <= SMALL + DIGITS * self.size(self.y) or (stalls == 2 and size <= STALLED):
                return
            if size > max(SLOW * last, STALLED):
                self.inverse = None
            last = size
        raise Lost

    def place(self, t: float) -> float:
        """Put the solution into W, with the accelerations and multipliers of the motion.

        Size of the change of y that the inertia of y'' would make.
        """
        if self.inverse is None and len(self.y):
            self.refresh(t)
        F = self.value(t, self.q, self.y, self.rate, self.second)
        return self.size(self.correction(F)) if len(self.y) else 0.0


def _rank(G: Floats) -> int:
    """Rank of a scaled Jacobian."""
    sigma = np.linalg.svd(G, compute_uv=False)
    return int(np.sum(sigma > DEPENDENT * max(float(sigma[0]), 1e-300))) if sigma.size else 0
