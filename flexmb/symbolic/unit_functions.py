"""Functions on the unit beam 0 <= s <= 1 in exact numbers: sums of c pi^p s^a cos(n pi s) and c pi^p s^a sin(n pi s).

c is a fraction, a a whole number, p a whole number of either sign, n >= 0 a multiple of 1/2. Powers of s and the modes
of pinned and guided beams are such functions; so are all their products, derivatives and integrals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

from flexmb.symbolic.engine import Rational, Scalar, as_expression, cos, engine, sin, tidy

Key = tuple[int, Fraction, bool, int]
"""a, n, whether it is a sine, p"""
_NONE = Fraction(0)
ONE: Key = (0, _NONE, False, 0)
"""Key of a constant fraction"""


class UnitFunction:
    """A function of s; never changed once it is made."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Key, Fraction] | None = None):
        self.terms: dict[Key, Fraction] = {key: c for key, c in (terms or {}).items() if c}

    @classmethod
    def polynomial(cls, coefficients: list[Fraction]) -> UnitFunction:
        """Polynomial from the coefficients of 1, s, s^2, ..."""
        return cls({(a, _NONE, False, 0): Fraction(c) for a, c in enumerate(coefficients)})

    @classmethod
    def wave(cls, n: Fraction, cosine: int, sine: int) -> UnitFunction:
        """cosine cos(n pi s) + sine sin(n pi s)."""
        return cls({(0, n, False, 0): Fraction(cosine), (0, n, True, 0): Fraction(sine)})

    def __add__(self, other: UnitFunction) -> UnitFunction:
        found = dict(self.terms)
        for key, c in other.terms.items():
            found[key] = found.get(key, _NONE) + c
        return UnitFunction(found)

    def __sub__(self, other: UnitFunction) -> UnitFunction:
        return self + other.scaled(Fraction(-1))

    def scaled(self, factor: Fraction) -> UnitFunction:
        """The function times an exact factor."""
        return UnitFunction({key: factor * c for key, c in self.terms.items()})

    def __mul__(self, other: UnitFunction) -> UnitFunction:
        found: dict[Key, Fraction] = {}
        if self.is_polynomial and other.is_polynomial:
            powers: dict[int, Fraction] = {}
            for (a, *_), c in self.terms.items():
                for (b, *_), d in other.terms.items():
                    powers[a + b] = powers.get(a + b, _NONE) + c * d
            return UnitFunction({(a, _NONE, False, 0): c for a, c in powers.items()})
        for (a, m, first, p), c in self.terms.items():
            for (b, n, second, r), d in other.terms.items():
                for wave, is_sine, share in _product(m, first, n, second):
                    key = (a + b, wave, is_sine, p + r)
                    found[key] = found.get(key, _NONE) + share * c * d
        return UnitFunction(found)

    def slope(self) -> UnitFunction:
        """d/ds."""
        found = UnitFunction()
        for (a, n, is_sine, p), c in self.terms.items():
            if a:
                found += UnitFunction({(a - 1, n, is_sine, p): a * c})
            if n:
                found += UnitFunction({(a, n, not is_sine, p + 1): n * c if is_sine else -n * c})
        return found

    def integral(self) -> UnitFunction:
        """The integral from s = 0."""
        found = UnitFunction()
        for key, c in self.terms.items():
            found += _primitive(key, c)
        return found - found.at_end(0)

    def at_end(self, end: int) -> UnitFunction:
        """The value at s = 0 or s = 1, as a constant function."""
        found: dict[Key, Fraction] = {}
        for (a, n, is_sine, p), c in self.terms.items():
            if a and not end:
                continue
            key = (0, _NONE, False, p)
            found[key] = found.get(key, _NONE) + c * (_at_end(n, is_sine) if end else 0 if is_sine else 1)
        return UnitFunction(found)

    def over_beam(self) -> UnitFunction:
        """The integral from 0 to 1, as a constant function."""
        if self.is_polynomial:
            return UnitFunction({ONE: sum((c / (a + 1) for (a, *_), c in self.terms.items()), _NONE)})
        return self.integral().at_end(1)

    @property
    def is_polynomial(self) -> bool:
        """Whether it has no sines, cosines and exponentials."""
        return all(n == 0 and p == 0 for _, n, _, p in self.terms)

    def value(self, s: Scalar = 0) -> Scalar:
        """The value at s in exact numbers of the engine, or by the symbols of s; 0 is the structural zero."""
        found = as_expression(0)
        for (a, n, is_sine, p), c in self.terms.items():
            wave = as_expression(1)
            if n:
                angle = Rational(n.numerator, n.denominator) * engine.pi * s
                wave = sin(angle) if is_sine else cos(angle)
            found += Rational(c.numerator, c.denominator) * engine.pi**p * as_expression(s) ** a * wave
        return tidy(found)

    def number(self, s: float = 0.0) -> float:
        """The value at s in floating-point numbers; without waves summed in fractions."""
        if self.is_polynomial:
            place = Fraction(s)
            return float(sum((c * place**a for (a, _, _, _), c in self.terms.items()), _NONE))
        return math.fsum(
            float(c) * math.pi**p * s**a * (math.sin if is_sine else math.cos)(float(n) * math.pi * s)
            for (a, n, is_sine, p), c in self.terms.items()
        )


def _product(m: Fraction, first: bool, n: Fraction, second: bool) -> Iterator[tuple[Fraction, bool, Fraction]]:
    """cos or sin of m times cos or sin of n as waves: (n, whether it is a sine, factor)."""
    if not m and not n:
        yield _NONE, False, Fraction(1)
        return
    half = Fraction(1, 2)
    if first == second:
        yield abs(m - n), False, half
        yield m + n, False, -half if first else half
        return
    sine, cosine = (m, n) if first else (n, m)
    yield sine + cosine, True, half
    if sine != cosine:
        yield abs(sine - cosine), True, half if sine > cosine else -half


def _primitive(key: Key, c: Fraction) -> UnitFunction:
    """A primitive of one term; by parts where a power of s multiplies a wave."""
    a, n, is_sine, p = key
    if not n:
        return UnitFunction({(a + 1, n, False, p): c / (a + 1)})
    first = UnitFunction({(a, n, not is_sine, p - 1): -c / n if is_sine else c / n})
    if not a:
        return first
    return first + _primitive((a - 1, n, not is_sine, p - 1), a * c / n if is_sine else -a * c / n)


def _at_end(n: Fraction, is_sine: bool) -> int:
    """cos(n pi) or sin(n pi) for a multiple n of 1/2."""
    quarter = int(2 * n) % 4
    return (0, 1, 0, -1)[quarter] if is_sine else (1, 0, -1, 0)[quarter]
