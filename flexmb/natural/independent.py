"""The equations in independent coordinates, for small systems: as many as there are degrees of freedom.

Enters: a state; leaves: the state one step later. z are f = n - m of the moving coordinates, the others follow:

    [ Phi_q ] v = [ -Phi_t ],      v = R z_dot + S b,      a = R z_ddot + S c,   c = -gamma    [GJB ex. 4.4 (ii), (iii)]
    [   B   ]     [  z_dot ]
    R^T M R z_ddot = R^T (Q - M S c)                                                           [GJB ex. 4.4 (v)]

B picks z; the columns of the inverse are R and S. The dependent positions are solved from Phi = 0 at every stage. z is
chosen again at every step, as the coordinates that a pivoted QR of Phi_q takes last: R stays of the order of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import qr

from flexmb.arrays import Floats
from flexmb.natural.failure import StepFailure, worst_row
from flexmb.natural.projection import bounded, closed_position, closed_velocity, length_scale, mass_factor
from flexmb.natural.row_kernels import largest
from flexmb.natural.runge_kutta import runge_kutta_step
from flexmb.natural.saddle import singular
from flexmb.natural.state import NaturalState

if TYPE_CHECKING:
    from flexmb.natural.system import NaturalSystem


STEPS = 20
TINY = 4e-16
STALLED = 1e-11
SINGULAR = 1e-6
TINIEST = 1e-300
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


def _solution(matrix: Floats, right: Floats) -> Floats:
    """Solution for a matrix (k, k) and right side (k,) or (k, r)."""
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise singular() from None


def _magnitude(sizes: Floats) -> Floats:
    """The nearest powers of a thousand: smaller differences decide which coordinates are independent."""
    return np.asarray(1e3 ** np.round(np.log10(np.maximum(sizes, TINIEST)) / 3.0))


class Independent:
    """The equations in independent coordinates at work on one system, order 4."""

    def __init__(self, system: NaturalSystem, state: NaturalState, step: float):
        self.system = system
        self.step = step
        self.guess = state.x.copy()
        self._choose(state.x)

    def advance(self, state: NaturalState) -> NaturalState:
        """The state one step later."""
        system, t = self.system, state.t + self.step
        self.guess = state.x.copy()
        self._choose(state.x)
        y = np.concatenate((state.x[system.moving][self.independent], state.v[self.independent]))
        y = runge_kutta_step(self._rate, state.t, y, self.step)
        z, z_dot = np.split(y, 2)
        x, _ = closed_position(system, self._position(z, t), t)
        here = self._transformation(x, z_dot, t)
        v = closed_velocity(system, mass_factor(system, x), x, here.v, t)
        a, force = self._acceleration(x, here, t)
        unbalanced = force - system.mass_times(system.mass_entries(x), a)
        multipliers = _solution(here.held.T, unbalanced[self.dependent])
        self._check_way(state, x, v)
        return NaturalState(t, x, v, a, multipliers)

    def _check_way(self, state: NaturalState, x: Floats, v: Floats) -> None:
        """Raise a failure when the step differs from its mean velocity: the dependent coordinates changed branch."""
        expected = 0.5 * self.step * (state.v + v)
        way = (x - state.x)[self.system.moving]
        allowed = JUMP * (largest(way) + largest(expected) + self.step**2 * largest(state.a))
        if largest(way - expected) > allowed + STALLED * length_scale(x):
            raise StepFailure(
                "the mechanism jumped to another branch within the step, at a dead point or in too long a step. Try "
                'a smaller step, or the equations with multipliers (formulation = "augmented").'
            )

    def _choose(self, x: Floats) -> None:
        """Dependent are the columns that a pivoted QR of Phi_q takes first, per magnitude of coordinates and rows.

        Rows of points and of unit vectors differ by the size of the mechanism, which says nothing about a dead point.
        """
        rows = self.system.constraints
        order = np.arange(self.system.n)
        if rows.n_rows:
            gradient = rows.dense(rows.entries(x)) * _magnitude(self.system.sizes)
            gradient /= _magnitude(np.linalg.norm(gradient, axis=1, keepdims=True))
            triangle, order = qr(gradient, mode="r", pivoting=True)
            sizes = np.abs(np.diag(triangle))
            if sizes[-1] < SINGULAR * sizes[0]:
                raise StepFailure(
                    "the constraints depend on each other (a dead point): no coordinates are independent there. Use "
                    'the equations with multipliers (formulation = "augmented"), which pass it.'
                )
        self.dependent, self.independent = np.sort(order[: rows.n_rows]), np.sort(order[rows.n_rows :])

    def _position(self, z: Floats, t: float) -> Floats:
        """Full coordinates with these z on the constraints, from the last position found."""
        system, x, last = self.system, self.guess.copy(), np.inf
        x[system.moving[self.independent]] = z
        sizes = system.sizes[self.dependent]
        for _ in range(STEPS):
            gradient = system.constraints.dense(system.constraints.entries(x))[:, self.dependent]
            step = _solution(gradient, -system.constraints.value(x, t))
            x[system.moving[self.dependent]] += step
            size = float(np.max(np.abs(step / sizes), initial=0.0))
            if size <= TINY or (size >= 0.5 * last and size < STALLED):
                self.guess = x
                return x
            last = size
        raise StepFailure(
            f"cannot compute the dependent coordinates from the independent ones: {worst_row(system, x, t)}. Try a "
            "smaller step.",
            "open",
        )

    def _transformation(self, x: Floats, z_dot: Floats, t: float) -> Transformation:
        rows, n, f = self.system.constraints, self.system.n, self.independent.size
        gradient = rows.dense(rows.entries(x))
        R, v, Sc = np.zeros((n, f)), np.zeros(n), np.zeros(n)
        R[self.independent], v[self.independent] = np.eye(f), z_dot
        held = gradient[:, self.dependent]
        both = _solution(held, np.column_stack((gradient[:, self.independent], rows.rate(t))))
        R[self.dependent] = -both[:, :-1]
        v[self.dependent] = R[self.dependent] @ z_dot - both[:, -1]
        Sc[self.dependent] = -_solution(held, rows.gamma(x, self.system.rate(v), t))
        return Transformation(R, Sc, v, held)

    def _acceleration(self, x: Floats, here: Transformation, t: float) -> tuple[Floats, Floats]:
        """a (n,) and Q (n,) at a state."""
        mass = self.system.mass_dense(x)
        force = self.system.force(x, here.v, t)
        z_ddot = _solution(here.R.T @ mass @ here.R, here.R.T @ (force - mass @ here.Sc))  # [GJB ex. 4.4 (v)]
        return bounded(here.R @ z_ddot + here.Sc), force

    def _rate(self, t: float, y: Floats) -> Floats:
        z, z_dot = np.split(y, 2)
        x = self._position(z, t)
        here = self._transformation(x, z_dot, t)
        a, _ = self._acceleration(x, here, t)
        return np.concatenate((here.v[self.independent], a[self.independent]))
