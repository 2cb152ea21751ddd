"""The equations in independent coordinates, for small systems: as many as there are degrees of freedom.

A state enters, the state one step later leaves. z are f = n - m of the moving coordinates, the others follow:

    [ Phi_q ] v = [ -Phi_t ],      v = R z_dot + S b,      a = R z_ddot + S c,   c = -gamma    [GJB ex. 4.4 (ii), (iii)]
    [   B   ]     [  z_dot ]
    R^T M R z_ddot = R^T (Q - M S c)                                                           [GJB ex. 4.4 (v)]

B picks z; the columns of the inverse are R and S. The dependent positions are solved from Phi = 0 at every stage. z is
chosen anew at every step, as the coordinates that a pivoted QR of Phi_q takes last: R stays of the order of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from flexmb.errors import ComputationError
from flexmb.natural.projection import closed_position, closed_velocity, length_scale, mass_factor
from flexmb.natural.runge_kutta import runge_kutta_step
from flexmb.natural.state import NaturalState

if TYPE_CHECKING:
    from flexmb.natural.system import NaturalSystem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

STEPS = 20
TINY = 4e-16
STALLED = 1e-11
SINGULAR = 1e-6
"""Ratio of the sizes of pivots below which the rows count as dependent."""
JUMP = 0.25
"""Share of a step's way by which it may differ from the way of the mean velocity."""


@dataclass(frozen=True)
class Transformation:
    """R (n, f), S c (n,), v (n,) and Phi_q on the dependent coordinates (m, m) at one state."""

    R: Floats
    Sc: Floats
    v: Floats
    held: Floats


class Independent:
    """The equations in independent coordinates at work on one system, order 4."""

    def __init__(self, system: NaturalSystem, state: NaturalState, step: float):
        self.system = system
        self.step = step
        self.guess = state.x.copy()
        self._choose(state.x, state.t)

    def advance(self, state: NaturalState) -> NaturalState:
        """The state one step later."""
        system, t = self.system, state.t + self.step
        self.guess = state.x.copy()
        self._choose(state.x, state.t)
        y = np.concatenate((state.x[system.moving][self.independent], self._rates(state.v)))
        y = runge_kutta_step(self._rate, state.t, y, self.step)
        z, z_dot = np.split(y, 2)
        x, _ = closed_position(system, self._position(z, t), t)
        here = self._transformation(x, z_dot, t)
        v = closed_velocity(system, mass_factor(system, x), x, here.v, t)
        a, force = self._acceleration(x, here, t)
        unbalanced = force - system.mass_times(system.mass_entries(x), a)
        multipliers = np.linalg.solve(here.held.T, unbalanced[self.dependent])
        self._check_way(state, x, v)
        return NaturalState(t, x, v, a, np.asarray(multipliers, dtype=np.float64))

    def _check_way(self, state: NaturalState, x: Floats, v: Floats) -> None:
        """The way of a step is that of its mean velocity, unless the dependent coordinates fell on another branch."""
        expected = 0.5 * self.step * (state.v + v)
        way = (x - state.x)[self.system.moving]
        allowed = JUMP * (np.max(np.abs(way)) + np.max(np.abs(expected)) + self.step**2 * np.max(np.abs(state.a)))
        if float(np.max(np.abs(way - expected))) > allowed + STALLED * length_scale(x):
            raise ComputationError(
                f"Between t = {state.t:.6g} s and {state.t + self.step:.6g} s the mechanism jumped to another branch, "
                "at a dead point or with too long a step. Take a shorter step, or the method 'runge-kutta'."
            )

    def _rates(self, v: Floats) -> Floats:
        return v[self.independent]

    def _choose(self, x: Floats, t: float) -> None:
        """Dependent are the columns that a pivoted QR of Phi_q takes first."""
        rows = self.system.constraints
        order = np.arange(self.system.n)
        if rows.n_rows:
            triangle, order = qr(rows.dense(rows.entries(x)), mode="r", pivoting=True)
            sizes = np.abs(np.diag(triangle))
            if sizes[-1] < SINGULAR * sizes[0]:
                raise ComputationError(
                    f"At t = {t:.6g} s the constraints depend on each other (a dead point): no coordinates are "
                    "independent there. Take another method: 'runge-kutta', 'canonical' or 'generalized-alpha'."
                )
        self.dependent, self.independent = np.sort(order[: rows.n_rows]), np.sort(order[rows.n_rows :])

    def _position(self, z: Floats, t: float) -> Floats:
        """Full coordinates with these z on the constraints, from the last position found."""
        system, x, last = self.system, self.guess.copy(), np.inf
        x[system.moving[self.independent]] = z
        scale = length_scale(x)
        for _ in range(STEPS):
            gradient = system.constraints.dense(system.constraints.entries(x))[:, self.dependent]
            step = np.linalg.solve(gradient, -system.constraints.value(x, t))
            x[system.moving[self.dependent]] += step
            size = float(np.max(np.abs(step), initial=0.0))
            if size <= TINY * scale or (size >= 0.5 * last and size < STALLED * scale):
                self.guess = x
                return x
            last = size
        raise ComputationError(
            f"At t = {t:.6g} s the dependent coordinates were not found from the independent ones: take a shorter step."
        )

    def _transformation(self, x: Floats, z_dot: Floats, t: float) -> Transformation:
        rows, n, f = self.system.constraints, self.system.n, self.independent.size
        gradient = rows.dense(rows.entries(x))
        R, v, Sc = np.zeros((n, f)), np.zeros(n), np.zeros(n)
        R[self.independent], v[self.independent] = np.eye(f), z_dot
        held = gradient[:, self.dependent]
        both = np.linalg.solve(held, np.column_stack((gradient[:, self.independent], rows.rate(t))))
        R[self.dependent] = -both[:, :-1]
        v[self.dependent] = R[self.dependent] @ z_dot - both[:, -1]
        Sc[self.dependent] = -np.linalg.solve(held, rows.gamma(x, self.system.rate(v), t))
        return Transformation(R, Sc, v, held)

    def _acceleration(self, x: Floats, here: Transformation, t: float) -> tuple[Floats, Floats]:
        """a (n,) and Q (n,) at a state."""
        mass = self.system.mass_dense(x)
        force = self.system.force(x, here.v, t)
        z_ddot = np.linalg.solve(here.R.T @ mass @ here.R, here.R.T @ (force - mass @ here.Sc))  # [GJB ex. 4.4 (v)]
        return here.R @ z_ddot + here.Sc, force

    def _rate(self, t: float, y: Floats) -> Floats:
        z, z_dot = np.split(y, 2)
        x = self._position(z, t)
        here = self._transformation(x, z_dot, t)
        a, _ = self._acceleration(x, here, t)
        return np.concatenate((here.v[self.independent], a[self.independent]))
