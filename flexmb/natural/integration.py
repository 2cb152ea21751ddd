"""A system in natural coordinates moved through time, by one of four methods.

Enters: a system, its velocities at the start, the end time and the step; leaves: a table of states.

    "generalized-alpha"  equations with multipliers, index 3, implicit, order 2, sparse     [GJB eq. 4.19]
    "runge-kutta"        equations with multipliers, accelerations, explicit, order 4       [GJB eq. 4.19]
    "independent"        as many equations as degrees of freedom, order 4, full arrays      [GJB ex. 4.4 (v)]
    "canonical"          positions and momenta, order 4, sparse                             [GJB eq. 4.26-4.29]

In all of them positions and velocities satisfy the constraints to round-off in every state that is kept.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.natural.canonical import Canonical
from flexmb.natural.failure import StepFailure
from flexmb.natural.generalized_alpha import GeneralizedAlpha
from flexmb.natural.independent import Independent
from flexmb.natural.projection import accelerations, closed_velocity, mass_factor
from flexmb.natural.runge_kutta import RungeKutta
from flexmb.natural.state import Measures, NaturalMotion, NaturalState
from flexmb.natural.system import NaturalSystem

METHODS = ("generalized-alpha", "runge-kutta", "independent", "canonical")


class Stepper(Protocol):
    """One method: from a state to the next."""

    def advance(self, state: NaturalState) -> NaturalState:
        """The state one step later."""


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


def stepper(system: NaturalSystem, state: NaturalState, step: float, method: str, rho: float = 0.8) -> Stepper:
    """The method of this name, ready to start from the state."""
    if method == "generalized-alpha":
        return GeneralizedAlpha(system, state, step, rho)
    if method == "runge-kutta":
        return RungeKutta(system, step)
    if method == "independent":
        return Independent(system, state, step)
    return Canonical(system, step)


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
    state = first_state(system, velocities)
    states, measures = [state], [Measures.of(system, state)]
    try:
        running = stepper(system, state, end / n_steps, method, rho)
        for number in range(1, n_steps + 1):
            with np.errstate(all="ignore"):  # values that are not finite end the step with one message
                state = running.advance(state)
            if number % every == 0:
                states.append(state)
                measures.append(Measures.of(system, state))
    except StepFailure as failure:
        raise failure.at(state.t, end / n_steps) from None
    return NaturalMotion.of(states, measures)


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
