"""Stress of a point over the rows of a run: the signed equivalent whose cycles are counted, and what spoils it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.analyses.stress.field import StressField
from flexmb.analyses.stress.kernels import principals_into
from flexmb.arrays import Floats
from flexmb.elements.solid.stress import von_mises
from flexmb.results.result_file import Result
from flexmb.results.stress_findings import MISES, PRINCIPAL

JUMP = 0.2
"""Change of sign between two rows, as a part of the largest magnitude, that is examined"""
STEP = "solver/step"
RESOLVED = 10.0
"""Steps in a period from which the integrator resolves a vibration"""
STEADY = 1e-3
"""Fluctuation, as a part of the largest stress, below which a stress does not vary"""


def signed(stress: Floats, measure: str) -> Floats:
    """(r,) equivalent of stresses (r, 6) with the sign of the principal stress of the largest magnitude [Pa]"""
    stress = np.ascontiguousarray(stress)
    ends = np.zeros((len(stress), 2))
    principals_into(stress, ends)
    principal = np.where(ends[:, 0] >= -ends[:, 1], ends[:, 0], ends[:, 1])
    return np.copysign(von_mises(stress), principal) if measure == MISES else principal


def _mean_size(stress: Floats) -> float:
    """Root mean square of the stress of von Mises of stresses (r, 6)"""
    return float(np.sqrt(np.mean(von_mises(stress) ** 2)))


@dataclass(frozen=True)
class History:
    """Stress of a point over rows."""

    time: Floats
    """(r,) [s]"""
    stress: Floats
    """(r, 6) [Pa]"""
    rates: Floats | None
    """(r, 6) [Pa/s]; None: the result has none"""
    step: float = 0.0
    """Step of the integrator [s]; 0: not known"""

    @classmethod
    def at(cls, field: StressField, result: Result, point: int, first: int, last: int) -> History:
        """The history of a point of a body."""
        known = field.has_rates(result) and STEP in result.channels
        rates = field.stress(result, point, first, last, rates=True) if known else None
        steps = result.read(result.names.find(STEP), first, last) if known else np.zeros(1)
        return cls(result.time[first:last], field.stress(result, point, first, last), rates, float(np.median(steps)))

    @property
    def frequency(self) -> float:
        """Root mean square frequency of the stress about its mean [Hz]; 0: it is steady.

        A vibration of f has changes of 2 sin(pi f dt) from row to row, relative to its size, and rates of 2 pi f. Rates
        also show what is too fast for the rows, but only as far as the steps of the integrator resolve it.
        """
        if len(self.time) < 3:
            return 0.0
        spread = _mean_size(self.stress - self.stress.mean(axis=0))
        if spread <= STEADY * float(von_mises(self.stress).max()):
            return 0.0
        between = float(np.median(np.diff(self.time)))
        seen = float(np.arcsin(min(1.0, 0.5 * _mean_size(np.diff(self.stress, axis=0)) / spread))) / (np.pi * between)
        if self.rates is None:
            return seen
        frequency = _mean_size(self.rates) / spread / (2.0 * np.pi)
        return max(seen, frequency) if frequency * self.step * RESOLVED <= 1.0 else seen

    @property
    def rows_per_period(self) -> float:
        """Rows in a period of `frequency`; infinite if the stress is steady"""
        frequency = self.frequency
        return 1.0 / (frequency * float(np.median(np.diff(self.time)))) if frequency > 0.0 else np.inf

    def jump(self, measure: str) -> float:
        """Time of the first change of sign of the equivalent stress that is none of the stress itself; NaN: none [s].

        |s| is a norm, so that it changes by no more than the norm of the change of stress.
        """
        values = signed(self.stress, measure)
        turned = values[1:] * values[:-1] < 0.0
        change = np.abs(np.diff(values))
        far = change > JUMP * np.abs(values).max(initial=0.0)
        step = np.diff(self.stress, axis=0)
        hollow = change > 1.5 * np.maximum(von_mises(step), np.abs(signed(step, PRINCIPAL)))
        at = np.flatnonzero(turned & far & hollow)
        return float(self.time[at[0]]) if len(at) else np.nan
