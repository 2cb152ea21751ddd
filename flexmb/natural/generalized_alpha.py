"""Generalised-alpha on the equations with multipliers, index 3: positions on the constraints at the end of every step.

Enters: a state; leaves: the state one step later. With a the acceleration, w the auxiliary acceleration of the method,

    (1-alpha_m) w' + alpha_m w = (1-alpha_f) a' + alpha_f a,       M a' + Phi_q^T lambda' = Q',   Phi(x') = 0
    x' = x + h v + h^2 ((1/2-beta) w + beta w'),                   v' = v + h ((1-gamma) w + gamma w')

The Newton matrix is scaled so that it does not depend on the step: unknowns dx and lambda h^2 beta (1-alpha_f) /
(1-alpha_m); it holds the curvature of the constraints, not that of the forces. Velocities are then projected onto
Phi_q v + Phi_t = 0. The next step starts from these and the known part of order h^2 that the method has across the
constraints: without it the multipliers lose an order; carried on unchanged it grows from step to step where
the bodies turn fast (seen at 0.2 rad per step with rho = 0.8, at 0.1 rad with rho = 0.9 and 1).
Chung & Hulbert, J. Appl. Mech. 60 (1993) 371; Arnold & Bruels, Multibody System Dynamics 18 (2007) 185; for the
start: Arnold, Bruels & Cardona, Numerische Mathematik 129 (2015) 149.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmb.arrays import Floats
from flexmb.natural.failure import StepFailure, worst_row
from flexmb.natural.projection import accelerations, closed_velocity, length_scale, mass_factor
from flexmb.natural.row_kernels import move_into
from flexmb.natural.saddle import SaddleFactor
from flexmb.natural.state import NaturalState

if TYPE_CHECKING:
    from flexmb.natural.system import NaturalSystem


ITERATIONS = 25
TINY = 4e-16
FAR_BELOW = 0.01
"""Part of round-off of positions that is still seen in accelerations, which are larger by 1 / h^2."""
STALLED = 1e-11
SLOW = 0.2
"""Increments that shrink less than this get a new factor."""


@dataclass(frozen=True)
class AlphaNumbers:
    """Constants of the method for a spectral radius rho at infinity: 1 keeps, 0 removes unresolved frequencies."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float

    @classmethod
    def of(cls, rho: float) -> AlphaNumbers:
        """Numbers of the method with the spectral radius `rho` at infinite frequency."""
        alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        gamma = 0.5 - alpha_m + alpha_f
        return cls(alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma)


class GeneralizedAlpha:
    """The method applied to one system; holds its memory between steps."""

    def __init__(self, system: NaturalSystem, state: NaturalState, step: float, rho: float = 0.8):
        self.system = system
        self.step = step
        self.numbers = AlphaNumbers.of(rho)
        self.velocity, self.auxiliary = self._begin(state)

    def advance(self, state: NaturalState) -> NaturalState:
        """The state one step later."""
        c, h = self.numbers, self.step
        per_position = (1.0 - c.alpha_m) / (c.beta * h * h * (1.0 - c.alpha_f))  # da'/dx'
        per_rate = c.gamma / (c.beta * h)  # dv'/dx'
        base = (c.alpha_f * state.a - c.alpha_m * self.auxiliary) / (1.0 - c.alpha_m)
        share = (1.0 - c.alpha_f) / (1.0 - c.alpha_m)
        a, multipliers = state.a.copy(), state.multipliers.copy()
        auxiliary = base + share * a
        x = state.x.copy()
        x[self.system.moving] += h * self.velocity + h * h * ((0.5 - c.beta) * self.auxiliary + c.beta * auxiliary)
        v = self.velocity + h * ((1.0 - c.gamma) * self.auxiliary + c.gamma * auxiliary)
        t, scale, last = state.t + h, length_scale(state.x), np.inf
        factor = self._factor(x, multipliers, per_position)
        for _ in range(ITERATIONS):
            step = factor.solve_both(self._right(x, v, a, multipliers, t, 1.0 / per_position))
            size = move_into(self.system.moving, step, per_rate, per_position, x, v, a, multipliers)
            if not np.isfinite(size):
                break
            next_size = size if last == np.inf else size * min(1.0, size / last)
            if next_size <= FAR_BELOW * TINY * scale or (size >= 0.5 * last and size < STALLED * scale):
                entries = self.system.constraints.entries(x)
                closed = closed_velocity(self.system, factor, x, v, t, entries)
                self.auxiliary = base + share * a
                self.velocity = closed + self._ahead(factor, entries, (a - state.a) / h)
                return NaturalState(t, x, closed, a, multipliers)
            if size > SLOW * last:
                factor = self._factor(x, multipliers, per_position)
            last = size
        raise StepFailure(
            f"the iteration of generalised-alpha does not converge: {worst_row(self.system, x, t)}. Try a smaller "
            "step, and check for springs too stiff for it or a position that the mechanism cannot pass.",
            "slow",
            step[: self.system.n],
        )

    def _right(self, x: Floats, v: Floats, a: Floats, multipliers: Floats, t: float, scale: float) -> Floats:
        """-scale (M a + Phi_q^T lambda - Q) (n,), then -Phi (m,)."""
        system = self.system
        unheld = system.mass_times(system.mass_entries(x), a) - system.force(x, v, t)
        return system.constraints.unbalanced(x, multipliers, unheld, scale, t)

    def _factor(self, x: Floats, multipliers: Floats, per_position: float) -> SaddleFactor:
        rows = self.system.constraints
        curvature = rows.hessian_entries(x, multipliers) / per_position
        block = np.concatenate((self.system.mass_entries(x), curvature))
        return self.system.saddle.factor(block, rows.entries(x))

    def _begin(self, state: NaturalState) -> tuple[Floats, Floats]:
        """The velocity and the auxiliary acceleration with which the method starts.

        w stands for the acceleration at t + d h, d = alpha_m - alpha_f.
        """
        h, d = self.step, self.numbers.alpha_m - self.numbers.alpha_f
        jerk = (self._acceleration_after(state, 0.5 * h) - self._acceleration_after(state, -0.5 * h)) / h
        factor = mass_factor(self.system, state.x)
        entries = self.system.constraints.entries(state.x)
        return state.v + self._ahead(factor, entries, jerk), state.a + d * h * jerk

    def _ahead(self, factor: SaddleFactor, entries: Floats, jerk: Floats) -> Floats:
        """Part of the method's velocity across the constraints (n,); takes the entries of Phi_q.

        With the exact velocity, a step would end h^3 (1/6 - beta - d/2) a_dot off the constraints, and the multipliers
        would then have an error of first order.
        """
        c, h, rows = self.numbers, self.step, self.system.constraints
        normal = factor.across(rows.times(entries, jerk))
        return h * h * (1.0 / 6.0 - c.beta - 0.5 * (c.alpha_m - c.alpha_f)) * normal

    def _acceleration_after(self, state: NaturalState, time: float) -> Floats:
        """Acceleration after a short Taylor step."""
        x = state.x.copy()
        x[self.system.moving] += time * state.v + 0.5 * time * time * state.a
        return accelerations(self.system, x, state.v + time * state.a, state.t + time)[0]
