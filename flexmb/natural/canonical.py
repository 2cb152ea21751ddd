"""The canonical equations: positions and momenta.

Enters: a state; leaves: the state one step later. With sigma the impulse of the constraints (sigma_dot = lambda) the
momenta are those of the Lagrangian L + sigma^T (Phi_q v + Phi_t):

    p = M v + Phi_q^T sigma,     Phi_q v + Phi_t = 0           (both give v and sigma)      [GJB eq. 4.26, 4.28]
    p_dot = Q_ex + L_q + (d Phi_q / dt)^T sigma                                             [GJB eq. 4.27, 4.29]

which is [GJB eq. 4.29] with -Phi_q^T lambda integrated by parts: the velocities satisfy the constraints at every
moment, accelerations and multipliers never enter. sigma is counted from the start of the step, where p = M v.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmb.arrays import Floats
from flexmb.natural.projection import accelerations, closed_position, closed_velocity, length_scale, mass_factor
from flexmb.natural.runge_kutta import runge_kutta_step
from flexmb.natural.saddle import summed
from flexmb.natural.state import NaturalState

if TYPE_CHECKING:
    from flexmb.natural.system import NaturalSystem


def mass_rate_times(system: NaturalSystem, x: Floats, v: Floats) -> Floats:
    """(dM/dt) v (n,): M is of second degree in x, so that the central difference along v is exact."""
    if system.has_constant_mass:
        return np.zeros(system.n)
    rate = system.rate(v)
    fastest = float(np.max(np.abs(rate)))
    if fastest == 0.0:
        return np.zeros(system.n)
    s = length_scale(x) / fastest
    change = system.mass_entries(x + s * rate) - system.mass_entries(x - s * rate)
    return system.mass_times(change, v) / (2.0 * s)


def momenta(system: NaturalSystem, x: Floats, v: Floats) -> Floats:
    """p = M v (n,) [GJB eq. 4.28]."""
    return system.mass_times(system.mass_entries(x), v)


def velocities(system: NaturalSystem, x: Floats, p: Floats, t: float) -> tuple[Floats, Floats]:
    """v (n,) and sigma (m,) that belong to the momenta."""
    return mass_factor(system, x).solve(p, -system.constraints.rate(t))


def momentum_rate(system: NaturalSystem, x: Floats, v: Floats, sigma: Floats, t: float) -> Floats:
    """p_dot (n,). `force` holds T_q - (dM/dt) v, and the canonical equations only T_q [GJB ex. 4.5]."""
    rows = system.constraints
    curvature = rows.hessian_entries(x, sigma) * v[rows.hessian_columns]
    turned = summed(rows.hessian_rows, curvature, system.n)
    return system.force(x, v, t) + mass_rate_times(system, x, v) + turned


class Canonical:
    """The canonical equations at work on one system, order 4."""

    def __init__(self, system: NaturalSystem, state: NaturalState, step: float):
        self.system = system
        self.step = step

    def advance(self, state: NaturalState) -> NaturalState:
        """The state one step later."""
        system, size, t = self.system, state.x.size, state.t + self.step
        y = np.concatenate((state.x, momenta(system, state.x, state.v)))
        y = runge_kutta_step(self._rate, state.t, y, self.step)
        x, _ = closed_position(system, y[:size], t)
        factor = mass_factor(system, x)
        v, _ = factor.solve(y[size:], -system.constraints.rate(t))
        v = closed_velocity(system, factor, x, v, t)
        return NaturalState(t, x, v, *accelerations(system, x, v, t, factor))

    def _rate(self, t: float, y: Floats) -> Floats:
        x, p = np.split(y, [self.system.layout.n_coordinates])
        v, sigma = velocities(self.system, x, p, t)
        return np.concatenate((self.system.rate(v), momentum_rate(self.system, x, v, sigma, t)))
