"""Generalised-alpha with the tangents of the forces in its Newton matrix, for stiff springs and dampers.

A state enters, the state one step later leaves, as with `GeneralizedAlpha`, whose iteration only knows masses and
constraints and does not converge where h c / m or h^2 k / m are large. Here the matrix of the iteration is

    [ M + (d(Phi_q^T lambda)/dx - dQ/dx) / p - gamma / (beta h p) dQ/dv,  Phi_q^T ;  Phi_q, 0 ],      p = da'/dx'

with dQ/dx and dQ/dv by differences at the start of the step, full arrays: for systems of some hundred coordinates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve

from flexmb.natural.generalized_alpha import GeneralizedAlpha
from flexmb.natural.projection import length_scale
from flexmb.natural.saddle import SaddleFactor

if TYPE_CHECKING:
    from flexmb.natural.state import NaturalState

Floats = NDArray[np.float64]

DIFFERENCE = 1e-7
"""Step of the differences, as a share of the largest coordinate or rate: half of the digits."""


class FullFactor(SaddleFactor):
    """Solves with a factored full matrix."""

    def __init__(self, matrix: Floats, n: int):
        self._lu = lu_factor(matrix)
        self._n = n

    def solve(self, upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
        solution = np.asarray(lu_solve(self._lu, np.concatenate((upper, lower))), dtype=np.float64)
        return solution[: self._n], solution[self._n :]


class StiffAlpha(GeneralizedAlpha):
    """The method at work on one system; holds what it carries from step to step."""

    def advance(self, state: NaturalState) -> NaturalState:
        """The state one step later."""
        self._tangent = self._force_tangent(state)
        return super().advance(state)

    def _begin(self, state: NaturalState) -> tuple[Floats, Floats]:
        """Velocity and auxiliary acceleration of the state itself: no Taylor step survives stiff forces."""
        return state.v, state.a

    def _force_tangent(self, state: NaturalState) -> Floats:
        """dQ/dx + gamma / (beta h) dQ/dv (n, n) at the state."""
        system, t = self.system, state.t + self.step
        per_rate = self.numbers.gamma / (self.numbers.beta * self.step)
        step = DIFFERENCE * length_scale(state.x)
        speed = DIFFERENCE * max(length_scale(state.x), float(np.max(np.abs(state.v), initial=0.0)))
        tangent, here = np.zeros((system.n, system.n)), system.force(state.x, state.v, t)
        for k, column in enumerate(system.moving):
            x, v = state.x.copy(), state.v.copy()
            x[column] += step
            v[k] += speed
            tangent[:, k] = (system.force(x, state.v, t) - here) / step
            tangent[:, k] += per_rate * (system.force(state.x, v, t) - here) / speed
        return tangent

    def _factor(self, x: Floats, multipliers: Floats, per_position: float) -> SaddleFactor:
        system, rows, n = self.system, self.system.constraints, self.system.n
        matrix = np.zeros((n + system.m, n + system.m))
        matrix[:n, :n] = system.mass_dense(x) - self._tangent / per_position
        curvature = rows.hessian_entries(x, multipliers) / per_position
        np.add.at(matrix, (rows.hessian_rows, rows.hessian_columns), curvature)
        gradient = rows.dense(rows.entries(x))
        matrix[n:, :n], matrix[:n, n:] = gradient, gradient.T
        return FullFactor(matrix, n)
