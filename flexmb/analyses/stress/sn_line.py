"""S-N line of a material or a detail, and damage by Miner's rule.

A point (sigma_a, N) and slopes in the double logarithmic plot (Basquin 1910):

    N(S) = N (sigma_a / S)^k    for amplitudes S >= sigma_a,    with k2 in place of k below,    no damage up to `limit`,

and damage = sum of n/N(S) over the cycles (Palmgren 1924, Miner 1945). With the ultimate strength Rm an amplitude S_a
about a tensile mean S_m counts as S = S_a/(1 - S_m/Rm) (Goodman 1899); a compressive mean does not help.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.model.expressions.parser import parse_quantity
from flexmb.model.expressions.tokens import TextError
from flexmb.model.units import KINDS
from flexmb.results.stress_findings import Damage
from flexmb.suggestions import clipped, did_you_mean

EXAMPLE = "sigma_a = 160 MPa, N = 2e6, k = 5"
STRESSES, NUMBERS = ("sigma_a", "limit", "Rm"), ("N", "k", "k2")
STEEPEST = 100.0
LEAST_STRESS = 1e3
"""Stresses of an S-N line below this are forgotten units [Pa]"""


@dataclass(frozen=True)
class SNLine:
    """An S-N line of stress amplitudes; raises InputError with all faults."""

    sigma_a: float
    """Amplitude at the point, the knee if there are two slopes [Pa]"""
    N: float
    """Cycles there"""
    k: float
    """Slope"""
    k2: float | None = None
    """Slope below sigma_a; None: k"""
    limit: float = 0.0
    """Amplitude up to which there is no damage [Pa]"""
    Rm: float | None = None
    """Ultimate strength, for tensile means by Goodman [Pa]; None: means do not count"""

    def __post_init__(self) -> None:
        if faults := list(self._faults()):
            raise InputError(faults)

    def _faults(self) -> Iterator[Fault]:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        unset = [name for name, value in given.items() if value is not None and not math.isfinite(value)]
        if unset:
            yield _fault(f"{' and '.join(unset)} must be finite numbers")
            return
        for name in STRESSES:
            value = given[name]
            if value is not None and not (value == 0.0 and name == "limit") and value < LEAST_STRESS:
                yield _fault(f"{name} = {value:g} Pa is not a stress amplitude or strength", "Write its unit, 'MPa'.")
        if self.N < 1.0:
            yield _fault(f"N = {self.N:g} cycles must be 1 or more")
        if not 1.0 <= self.k <= STEEPEST:
            yield _fault(f"the slope k = {self.k:g} must be 1 to {STEEPEST:g}", "N falls with the k-th power of S.")
        if self.k2 is not None and not self.k <= self.k2 <= STEEPEST:
            text = f"the slope k2 = {self.k2:g} below the knee must be k = {self.k:g} to {STEEPEST:g}"
            yield _fault(text, "Leave it out for one slope; give 'limit' for a fatigue limit.")
        if self.limit > self.sigma_a:
            yield _fault(f"the limit of {_mpa(self.limit)} is above sigma_a = {_mpa(self.sigma_a)}")
        if self.Rm is not None and self.Rm <= self.sigma_a:
            yield _fault(f"the strength Rm = {_mpa(self.Rm)} is not above sigma_a = {_mpa(self.sigma_a)}")

    def __str__(self) -> str:
        slopes = f"k = {self.k:g}" + (f", k2 = {self.k2:g}" if self.k2 is not None else "")
        more = f", limit = {_mpa(self.limit)}" if self.limit else ""
        means = f", Rm = {_mpa(self.Rm)}" if self.Rm is not None else ""
        return f"sigma_a = {_mpa(self.sigma_a)}, N = {self.N:g}, {slopes}{more}{means}"

    def amplitude(self, amplitude: Floats, mean: Floats) -> Floats:
        """(c,) amplitudes about a mean of zero that do the same damage [Pa]; infinite where the mean reaches Rm."""
        if self.Rm is None:
            return amplitude
        room = 1.0 - np.maximum(mean, 0.0) / self.Rm
        return np.divide(amplitude, room, out=np.full(len(amplitude), np.inf), where=room > 0.0)

    def endured(self, amplitude: Floats) -> Floats:
        """(c,) cycles N(S) of amplitudes S about a mean of zero [Pa]"""
        slope = np.where(amplitude >= self.sigma_a, self.k, self.k if self.k2 is None else self.k2)
        with np.errstate(divide="ignore", over="ignore"):
            cycles = self.N * (self.sigma_a / amplitude) ** slope
        return np.where(amplitude > self.limit, cycles, np.inf)

    def damage(self, cycles: Floats) -> Damage:
        """Damage of cycles (c, 3): amplitude [Pa], mean [Pa], count."""
        amplitude, mean, count = cycles.T
        with np.errstate(divide="ignore"):
            shares = count / self.endured(self.amplitude(amplitude, mean))
        return Damage(cycles, float(shares.sum()))


def read_sn_line(text: str) -> SNLine:
    """The line of a text such as "sigma_a = 160 MPa, N = 2e6, k = 5"; raises InputError with all faults."""
    faults: list[Fault] = []
    values: dict[str, float] = {}
    known = [field.name for field in fields(SNLine)]
    for piece in (piece.strip() for piece in text.replace(";", ",").split(",")):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals or not value:
            faults.append(_fault(f"{clipped(piece)} is not of the form 'name = value'"))
        elif name not in known:
            faults.append(_fault(f"there is no number {clipped(name)} of an S-N line", did_you_mean(name, known)))
        elif name in values:
            faults.append(_fault(f"{name} is given twice"))
        else:
            values[name] = _value(name, value, faults)
    missing = [name for name in ("sigma_a", "N", "k") if name not in values]
    if missing:
        faults.append(_fault(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"))
    if faults:
        hint = f"Write it as '{EXAMPLE}'; also known: k2 (slope below sigma_a), limit, Rm (mean stress by Goodman)."
        raise InputError([*faults[:-1], Fault(faults[-1].text, faults[-1].path, f"{faults[-1].hint} {hint}".strip())])
    return SNLine(**values)


def _value(name: str, text: str, faults: list[Fault]) -> float:
    """A number of the line in SI; NaN with a fault."""
    try:
        return parse_quantity(text, KINDS["stress" if name in STRESSES else "number"])
    except TextError as error:
        faults.append(_fault(f"{name} = {clipped(text)}: {error.message.rstrip('.')}", error.hint or ""))
        return math.nan


def _fault(text: str, hint: str = "") -> Fault:
    return Fault(f"{text}.", ("sn",), hint)


def _mpa(value: float) -> str:
    return f"{1e-6 * value:.6g} MPa"
