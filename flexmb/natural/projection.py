"""Positions and velocities projected onto the constraints, and accelerations with their multipliers.

Enters: a system and a state near the constraints; leaves: the nearest ones in the metric of the masses:

    position      M dx + Phi_q^T mu = 0,   Phi_q dx = -Phi                   (repeated until round-off)
    velocity      M dv + Phi_q^T mu = 0,   Phi_q dv = -(Phi_q v + Phi_t)
    acceleration  M a + Phi_q^T lambda = Q,   Phi_q a = -gamma               [GJB eq. 4.19]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmb.arrays import Floats
from flexmb.natural.failure import StepFailure, worst_row
from flexmb.natural.row_kernels import largest
from flexmb.natural.saddle import SaddleFactor

if TYPE_CHECKING:
    from flexmb.natural.system import NaturalSystem


STEPS = 30
"""Most Newton steps of a position."""
TINY = 4e-16
"""A step of this share of the magnitude of its coordinate is round-off."""
STALLED = 1e-11
"""Below this share, steps that no longer shrink are round-off too."""
SLOW = 0.05
"""Steps that shrink less than this get a new factor."""


def length_scale(x: Floats) -> float:
    """The largest coordinate: what round-off is measured against."""
    return max(1e-3, float(largest(x)))


def mass_factor(system: NaturalSystem, x: Floats) -> SaddleFactor:
    """Factor of [M, Phi_q^T; Phi_q, 0] at x."""
    rows = system.constraints
    block = np.concatenate((system.mass_entries(x), np.zeros(rows.hessian_rows.size)))
    return system.saddle.factor(block, rows.entries(x))


def closed_position(system: NaturalSystem, x: Floats, t: float) -> tuple[Floats, SaddleFactor]:
    """Full coordinates on the constraints near x, and a factor taken at (nearly) that place."""
    closed, last = x.copy(), np.inf
    factor = mass_factor(system, closed)
    for _ in range(STEPS if system.m else 0):
        step = factor.across(-system.constraints.value(closed, t))
        closed[system.moving] += step
        size = largest(step / system.sizes)
        if size == np.inf:
            break
        if size <= TINY or (size >= 0.5 * last and size < STALLED):
            return closed, factor
        if size > SLOW * last or last == np.inf and size > 1e-6:
            factor = mass_factor(system, closed)
        last = size
    if system.m:
        raise StepFailure(
            f"found no position that satisfies the constraints: {worst_row(system, closed, t)}. Try a smaller step; "
            "at the start, put the points and vectors closer to where the bodies fit together.",
            "open",
            step,
        )
    return closed, factor


def closed_velocity(
    system: NaturalSystem, factor: SaddleFactor, x: Floats, v: Floats, t: float, entries: Floats | None = None
) -> Floats:
    """Rates (n,) of the moving coordinates that keep the constraints; the factor may be from a place nearby.

    `entries` of Phi_q at x, where they are known.
    """
    rows, closed, last = system.constraints, v.copy(), np.inf
    entries, drive = rows.entries(x) if entries is None else entries, rows.rate(t)
    steepest = largest(entries)
    for _ in range(STEPS if system.m else 0):
        error = rows.times(entries, closed) + drive
        size = largest(error)
        if size >= 0.5 * last or size <= TINY * steepest * largest(closed):
            break
        closed, last = closed - factor.across(error), size
    return closed


def accelerations(
    system: NaturalSystem, x: Floats, v: Floats, t: float, factor: SaddleFactor | None = None
) -> tuple[Floats, Floats]:
    """a (n,) and lambda (m,) at a state; without a factor, one is taken at x."""
    factor = factor or mass_factor(system, x)
    gamma = system.constraints.gamma(x, system.rate(v), t)
    a, multipliers = factor.solve(system.force(x, v, t), -gamma)
    return bounded(a), multipliers


def bounded(a: Floats) -> Floats:
    """The accelerations (n,), unless one of them is not finite."""
    if largest(a) == np.inf:
        raise StepFailure("the accelerations are not finite. Try a smaller step.", "singular", a)
    return a
