"""The classical Runge-Kutta step, and with it the equations with multipliers on the acceleration level.

Enters: a state; leaves: the state one step later; four solutions of [M, Phi_q^T; Phi_q, 0] give the accelerations
[GJB eq. 4.19 with the second derivative of the constraints], order 4; then positions and velocities are put back on
the constraints. Explicit: for systems without stiff springs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from flexmb.arrays import Floats
from flexmb.natural.projection import accelerations, closed_position, closed_velocity
from flexmb.natural.state import NaturalState

if TYPE_CHECKING:
    from flexmb.natural.system import NaturalSystem


def runge_kutta_step(rate: Callable[[float, Floats], Floats], t: float, y: Floats, h: float) -> Floats:
    """y one step later, order 4."""
    first = rate(t, y)
    second = rate(t + 0.5 * h, y + 0.5 * h * first)
    third = rate(t + 0.5 * h, y + 0.5 * h * second)
    last = rate(t + h, y + h * third)
    return y + h / 6.0 * (first + 2.0 * (second + third) + last)


class RungeKutta:
    """Equations with multipliers, positions and rates (x, v) as the unknowns of first order."""

    def __init__(self, system: NaturalSystem, step: float):
        self.system = system
        self.step = step

    def advance(self, state: NaturalState) -> NaturalState:
        """The state one step later."""
        system, size = self.system, state.x.size
        y = runge_kutta_step(self._rate, state.t, np.concatenate((state.x, state.v)), self.step)
        t = state.t + self.step
        x, factor = closed_position(system, y[:size], t)
        v = closed_velocity(system, factor, x, y[size:], t)
        return NaturalState(t, x, v, *accelerations(system, x, v, t))

    def _rate(self, t: float, y: Floats) -> Floats:
        x, v = np.split(y, [self.system.layout.n_coordinates])
        a, _ = accelerations(self.system, x, v, t)
        return np.concatenate((self.system.rate(v), a))
