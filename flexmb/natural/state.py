"""The state of a system in natural coordinates, and a motion as a table of states with their measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmb.arrays import Floats

if TYPE_CHECKING:
    from flexmb.natural.system import NaturalSystem


@dataclass(frozen=True)
class NaturalState:
    """t [s], full coordinates x (n_coordinates,), rates and accelerations of the moving ones v, a (n,), lambda (m,)."""

    t: float
    x: Floats
    v: Floats
    a: Floats
    multipliers: Floats


@dataclass(frozen=True)
class Measures:
    """Measures of one state."""

    drift: float
    """Largest |Phi|."""
    velocity_drift: float
    """Largest |Phi_q v + Phi_t|."""
    kinetic: float
    """T [J]"""
    potential: float
    """V [J] of the forces that have one"""
    power: float
    """dT/dt [W] by all applied forces and drives"""

    @classmethod
    def of(cls, system: NaturalSystem, state: NaturalState) -> Measures:
        """Measures of a state of the system."""
        rows, t, x, v = system.constraints, state.t, state.x, state.v
        speed = rows.times(rows.entries(x), v) + rows.rate(t)
        return cls(
            float(np.max(np.abs(rows.value(x, t)), initial=0.0)),
            float(np.max(np.abs(speed), initial=0.0)),
            system.kinetic_energy(x, v),
            system.potential_energy(x, t),
            system.power(x, v, state.multipliers, t),
        )


@dataclass(frozen=True)
class NaturalMotion:
    """States one below the other: times (k,), x (k, n_coordinates), v, a (k, n), multipliers (k, m), measures (k,)."""

    times: Floats
    x: Floats
    v: Floats
    a: Floats
    multipliers: Floats
    drift: Floats
    velocity_drift: Floats
    kinetic: Floats
    potential: Floats
    power: Floats

    @classmethod
    def of(cls, states: Sequence[NaturalState], measures: Sequence[Measures]) -> NaturalMotion:
        """The states, one after the other, as arrays."""
        return cls(
            np.array([one.t for one in states]),
            np.array([one.x for one in states]),
            np.array([one.v for one in states]),
            np.array([one.a for one in states]),
            np.array([one.multipliers for one in states]),
            *np.array([(m.drift, m.velocity_drift, m.kinetic, m.potential, m.power) for m in measures]).T,
        )

    @property
    def energy(self) -> Floats:
        """T + V (k,) [J]."""
        return self.kinetic + self.potential

    def state(self, row: int) -> NaturalState:
        """One row of the table."""
        place = (self.x[row], self.v[row], self.a[row], self.multipliers[row])
        return NaturalState(float(self.times[row]), *place)
