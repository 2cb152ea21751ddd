"""Equations of a packed natural system against those of the same system in Python."""

from __future__ import annotations

import numpy as np

from flexmb.layout import flat_arrays as L
from flexmb.natural.saddle import summed
from flexmb.natural.state import NaturalState
from flexmb.natural.system import NaturalSystem
from flexmb.solvers.mechanics import Mechanics


def agree_with_python(system: NaturalSystem, state: NaturalState) -> None:
    """Residual, rows, gradient and mass matrix near a state, to round-off of their largest entries."""
    packed, rng = system.packed, np.random.default_rng(5)
    m = Mechanics(packed, packed.workspace())
    m.t = state.t + 0.03
    m.q[:] = state.x[system.moving] / system.sizes + 1e-2 * rng.normal(size=system.n)
    m.v[:] = state.v / system.sizes + rng.normal(size=system.n)
    m.a[:], m.lam[:] = rng.normal(size=system.n), rng.normal(size=packed.m)
    x, v, a = packed.full_coordinates(m.q), m.v * system.sizes, m.a * system.sizes
    lam, rows = packed.multipliers(m.lam), system.constraints
    unit, factors, touching = packed.mass.unit, packed.row_factors, rows.touching
    m.run(L.AT_RESIDUAL)
    unheld = system.mass_times(system.mass_entries(x), a) - system.force(x, v, m.t)
    want = (unheld + rows.touching_forces(x, lam)) * system.sizes / unit
    gradient = rows.joined.gradient(x).toarray()[touching][:, system.moving]
    drives = rows.joined.rate(m.t)[touching]
    _same(m.res, want)
    _same(m.phi, rows.joined.value(x, m.t)[touching] * factors)
    _same(m.phi_dot, (gradient @ v + drives) * factors)
    _same(m.G, gradient * factors[:, None] * system.sizes)
    m.equations()
    gamma = rows.joined.gamma(x, system.rate(v), m.t)[touching] * factors
    _same(m.gam, gamma)
    soft, weights = np.array(packed.mass.soft, dtype=int), packed.mass.weights
    held = m.G[soft]
    mass = system.mass_dense(x) * np.outer(system.sizes, system.sizes) / unit + held.T @ (weights[:, None] * held)
    _same(m.M, mass)
    bias = -system.force(x, v, m.t) * system.sizes / unit
    _same(m.bias, bias + summed(np.arange(system.n), held.T @ (weights * gamma[soft]), system.n))


def _same(found: np.ndarray, want: np.ndarray) -> None:
    np.testing.assert_allclose(found, want, rtol=0, atol=1e-13 * max(1.0, float(np.max(np.abs(want), initial=0.0))))
