"""Generalised-alpha with the tangents of the forces in its Newton matrix, for stiff springs and dampers.

Enters: a state; leaves: the state one step later, as with `GeneralizedAlpha`, whose iteration has only masses and
constraints and does not converge where h c / m or h^2 k / m are large. Here the matrix of the iteration is

    [ M + (d(Phi_q^T lambda)/dx - dQ/dx) / p - gamma / (beta h p) dQ/dv,  Phi_q^T ;  Phi_q, 0 ],      p = da'/dx'

with dQ/dx and dQ/dv at the start of the step: of all forces by differences, in full arrays, up to `MOST_STIFF`
coordinates; beyond, of springs, dampers and friction, sparse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmb.arrays import Floats
from flexmb.natural.generalized_alpha import GeneralizedAlpha
from flexmb.natural.projection import length_scale
from flexmb.natural.saddle import FullFactor, SaddleFactor, SaddleMatrix
from flexmb.natural.tangents import ForceTangents

if TYPE_CHECKING:
    from flexmb.natural.state import NaturalState
    from flexmb.natural.system import NaturalSystem


MOST_STIFF = 400
"""Most coordinates for which the tangents of forces are full arrays."""
DIFFERENCE = 1e-7
"""Step of the differences, as a share of the largest coordinate or rate: half of the digits."""


class StiffAlpha(GeneralizedAlpha):
    """The method applied to one system; holds its memory between steps."""

    def advance(self, state: NaturalState) -> NaturalState:
        """The state one step later."""
        self._tangent = self._force_tangent(state, self.numbers.gamma / (self.numbers.beta * self.step))
        return super().advance(state)

    def _begin(self, state: NaturalState) -> tuple[Floats, Floats]:
        """Velocity and auxiliary acceleration of the state itself: no Taylor step survives stiff forces."""
        return state.v, state.a

    def _force_tangent(self, state: NaturalState, per_rate: float) -> Floats:
        """dQ/dx + per_rate dQ/dv (n, n) at the state."""
        system, t = self.system, state.t + self.step
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
        matrix = np.zeros((n + system.m, n + system.m), order="F")
        matrix[:n, :n] = system.mass_dense(x) - self._tangent / per_position
        curvature = rows.hessian_entries(x, multipliers) / per_position
        np.add.at(matrix, (rows.hessian_rows, rows.hessian_columns), curvature)
        gradient = rows.dense(rows.entries(x))
        matrix[n:, :n], matrix[:n, n:] = gradient, gradient.T
        return SaddleFactor(FullFactor(matrix), n)


class SparseStiffAlpha(StiffAlpha):
    """The same with sparse tangents of the forces that know them."""

    def __init__(self, system: NaturalSystem, state: NaturalState, step: float, rho: float = 0.8):
        super().__init__(system, state, step, rho)
        rows, mass = system.constraints, system.mass
        self._tangents = ForceTangents(system)
        upper = np.concatenate((mass.rows, rows.hessian_rows, self._tangents.rows))
        left = np.concatenate((mass.columns, rows.hessian_columns, self._tangents.columns))
        self._saddle = SaddleMatrix(system.n, system.m, (upper, left), (rows.rows, rows.columns))

    def _force_tangent(self, state: NaturalState, per_rate: float) -> Floats:
        """Entries of dQ/dx + per_rate dQ/dv at the state."""
        return self._tangents.entries(state.x, state.v, per_rate)

    def _factor(self, x: Floats, multipliers: Floats, per_position: float) -> SaddleFactor:
        system, rows = self.system, self.system.constraints
        softened = np.concatenate((rows.hessian_entries(x, multipliers), -self._tangent)) / per_position
        return self._saddle.factor(np.concatenate((system.mass_entries(x), softened)), rows.entries(x))


def stiff_alpha(system: NaturalSystem, state: NaturalState, step: float, rho: float) -> StiffAlpha | None:
    """The method for a system of this size; None where none of its forces knows its tangent."""
    if system.n <= MOST_STIFF:
        return StiffAlpha(system, state, step, rho)
    return SparseStiffAlpha(system, state, step, rho) if ForceTangents(system).exist else None
