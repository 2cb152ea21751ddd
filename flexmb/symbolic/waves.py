"""The Fourier form of an expression without expanding it: sums and products are computed on waves directly.

    x = sum over k of (p_k + i r_k) e^(i k.a),   k: integers, a: angles,   p_k, r_k: polynomials of everything else

A product adds the integers k, so that sin^2 + cos^2 and cos a cos b - sin a sin b fall together where they arise, and
an expression of a long chain stays as small as its result. Parts that occur often are read once. Enters: an engine
expression. Leaves: a polynomial that is linear in sines and cosines, or None when it grows too large.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from flexmb.symbolic.polynomial import ROUNDING, Monomial, Number, Polynomial, Ring, Sums, multiply, number_of
from flexmb.symbolic.trigonometry import Wave, collect_wave, trigonometric, wave_of

Waves = dict[tuple[Monomial, Wave], tuple[Number, Number]]
"""Real and imaginary part by factors that are no functions of angles, and by wave."""

MOST_TERMS = 2500
MOST_PRODUCTS = 60_000
"""Products of two terms in all: about 0.3 s"""


class Budget:
    """Products of terms that may still be formed, by one reading or by many."""

    def __init__(self, left: int = MOST_PRODUCTS):
        self.left = left


class _TooLarge(Exception):
    """The form has too many terms to be readable."""


class WaveReader:
    """Reads expressions into waves of some angles."""

    def __init__(
        self, ring: Ring, angles: Sequence[Any], denominator: Callable[[Any], Any], budget: Budget | None = None
    ):
        self.ring, self.angles, self.denominator = ring, list(angles), denominator
        self.still: Wave = (0,) * len(self.angles)
        self.known: dict[Any, Waves] = {}
        self.budget = budget or Budget()

    def polynomial(self, expression: Any) -> Polynomial | None:
        """The Fourier form; None when it is too large."""
        try:
            waves = self.read(expression)
        except _TooLarge:
            return None
        found = Sums()
        for (rest, wave), (real, imaginary) in waves.items():
            collect_wave(self.ring, found, rest, self.angles, wave, real, imaginary)
        return found.polynomial()

    def read(self, x: Any) -> Waves:
        """Waves of an expression, read once."""
        if x in self.known:
            return self.known[x]
        if x.is_Number:
            found: Waves = {((), self.still): (number_of(x), Fraction(0))}
        elif x.is_Add:
            found = self._sum([self.read(part) for part in x.args])
        elif x.is_Mul:
            found = self._product([self.read(part) for part in x.args])
        elif x.is_Pow and x.args[1].is_Integer and int(x.args[1]) > 1:
            found = self._product([self.read(x.args[0])] * int(x.args[1]))
        else:
            found = self._function(x)
        self.known[x] = found
        return found

    def _function(self, x: Any) -> Waves:
        wave = wave_of(x.args[0], self.angles) if trigonometric(x) else None
        if wave is None or not any(wave):
            coefficient, monomial = self.ring.term(x, self.denominator)
            return {(monomial, self.still): (coefficient, Fraction(0))}
        half, zero, back = Fraction(1, 2), Fraction(0), tuple(-k for k in wave)
        if trigonometric(x) == "cos":
            return {((), wave): (half, zero), ((), back): (half, zero)}
        return {((), wave): (zero, -half), ((), back): (zero, half)}

    def _sum(self, parts: list[Waves]) -> Waves:
        found: Waves = {}
        largest: dict[tuple[Monomial, Wave], float] = {}
        for part in parts:
            for key, (real, imaginary) in part.items():
                size = max(abs(float(real)), abs(float(imaginary)))
                if key in found:
                    before = found[key]
                    found[key] = (before[0] + real, before[1] + imaginary)
                    largest[key] = max(largest[key], size)
                else:
                    found[key], largest[key] = (real, imaginary), size
        if len(found) > MOST_TERMS:
            raise _TooLarge
        return {key: value for key, value in found.items() if not _vanishes(value, largest[key])}

    def _product(self, parts: list[Waves]) -> Waves:
        parts = sorted(parts, key=len)
        found = parts[0]
        for part in parts[1:]:
            self.budget.left -= len(found) * len(part)
            if self.budget.left < 0:
                raise _TooLarge
            found = self._sum([_shifted(found, *term) for term in part.items()])
        return found


def _shifted(waves: Waves, key: tuple[Monomial, Wave], factor: tuple[Number, Number]) -> Waves:
    """The product with one term."""
    rest, wave = key
    real, imaginary = factor
    found: Waves = {}
    for (other, k), (x, y) in waves.items():
        place = multiply(other, rest), tuple(i + j for i, j in zip(k, wave, strict=True))
        if not imaginary:
            found[place] = (x * real, y * real)
        elif not real:
            found[place] = (-y * imaginary, x * imaginary)
        else:
            found[place] = (x * real - y * imaginary, x * imaginary + y * real)
    return found


def _vanishes(value: tuple[Number, Number], largest: float) -> bool:
    """Whether both parts are zero, or floats that only rounding has left."""
    return all(abs(x) <= ROUNDING * largest if isinstance(x, float) else x == 0 for x in value)
