"""A system in natural coordinates moved through time, by one of four methods.

Enters: a system, its velocities at the start, the end time and the step; leaves: a table of states.

    "generalized-alpha"  equations with multipliers, implicit, order 2                      [GJB eq. 4.19]
    "runge-kutta"        equations with multipliers, explicit, order 4                      [GJB eq. 4.19]
    "independent"        as many equations as degrees of freedom, order 4, full arrays      [GJB ex. 4.4 (v)]
    "canonical"          positions and momenta, order 4, sparse                             [GJB eq. 4.26-4.29]

The loop, its failures and the first two methods are those of all systems (`marching`). In all of them positions and
velocities satisfy the constraints to round-off in every state that is kept.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.natural.failure import StepFailure
from flexmb.natural.marching import STEPPERS, NaturalIntegration
from flexmb.natural.projection import accelerations, closed_velocity, mass_factor
from flexmb.natural.state import Measures, NaturalMotion, NaturalState
from flexmb.natural.system import NaturalSystem
from flexmb.solvers.march import march
from flexmb.solvers.settings import Settings

METHODS = ("generalized-alpha", "runge-kutta", "independent", "canonical")


def first_state(system: NaturalSystem, velocities: Floats | None = None, time: float = 0.0) -> NaturalState:
    """The start: velocities over the full coordinates (n_coordinates,) [m/s, 1/s], put on the constraints."""
    full = np.zeros(system.layout.n_coordinates) if velocities is None else np.asarray(velocities, dtype=float)
    if full.shape != (system.layout.n_coordinates,) or not np.all(np.isfinite(full)):
        expected = system.layout.n_coordinates
        raise InputError([Fault(f"velocities: expected {expected} finite numbers, found the shape {full.shape}.")])
    try:
        factor = mass_factor(system, system.start)
        v = closed_velocity(system, factor, system.start, full[system.moving], time)
        a, multipliers = accelerations(system, system.start, v, time, factor)
    except StepFailure as failure:
        raise failure.at(time) from None
    return NaturalState(time, system.start.copy(), v, a, multipliers)


def integrate(
    system: NaturalSystem,
    end: float,
    step: float,
    velocities: Floats | None = None,
    method: str = "generalized-alpha",
    rho: float = 0.8,
    every: int = 1,
) -> NaturalMotion:
    """The motion from 0 to `end` [s], states kept at the start and after `every` steps; the step is made to fit."""
    _check(end, step, method, rho, every)
    n_steps = every * max(1, round(end / (step * every)))
    h = end / n_steps
    word = "generalized-alpha" if method == "generalized-alpha" else "rk4"
    system.packed.v0 = first_state(system, velocities).v / system.sizes
    run = NaturalIntegration(system.packed, Settings(end, h, word, rho, every=every * h), STEPPERS.get(method))
    rows = Rows()
    march(run, rows)
    states = [_state(system, row) for block in rows.blocks for row in block]
    return NaturalMotion.of(states, [Measures.of(system, one) for one in states])


class Rows:
    """Sink that keeps the rows of a run."""

    def __init__(self) -> None:
        self.blocks: list[Floats] = []

    def write(self, block: Floats, checkpoint: Floats) -> None:
        """Keep a block (r, n_out)."""
        self.blocks.append(block)


def _state(system: NaturalSystem, row: Floats) -> NaturalState:
    """State of an output row; multipliers of the independent rows, with the forces of all."""
    packed, n = system.packed, system.n
    t, q, v, a, lam = np.split(row[:-2], [1, 1 + n, 1 + 2 * n, 1 + 3 * n])
    x, multipliers = packed.full_coordinates(q), packed.multipliers(lam)
    if packed.m > system.m:
        pull = system.constraints.touching_forces(x, multipliers)
        multipliers = mass_factor(system, x).solve(pull, np.zeros(system.m))[1]
    return NaturalState(float(t[0]), x, v * system.sizes, a * system.sizes, multipliers)


def _check(end: float, step: float, method: str, rho: float, every: int) -> None:
    faults = []
    for name, value in (("end", end), ("step", step), ("every", every)):
        if not (np.isfinite(value) and value > 0):
            faults.append(Fault(f"must be a positive number, found {value}.", path=(name,)))
    if method not in METHODS:
        faults.append(Fault(f"there is no method '{method}' (methods: {', '.join(METHODS)}).", path=("method",)))
    if not 0.0 <= rho <= 1.0:
        faults.append(Fault(f"must be between 0 and 1, found {rho}.", path=("rho",)))
    if faults:
        raise InputError(faults)
