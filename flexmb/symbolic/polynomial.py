"""Expanded expressions as polynomials over atoms, and back: the basis of canonical forms.

Enters: an engine expression. Leaves: {monomial: coefficient}; a monomial is a sorted tuple of (atom number, exponent),
a coefficient a fraction or, when the model gives decimal numbers, a float. Atoms are symbols, functions and sums that
cannot be expanded (denominators); the `Ring` numbers them. A sum of floats that is only rounding is a zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from flexmb.symbolic.engine import Float, Integer, Rational, as_expression, expand

Number = Fraction | float
Monomial = tuple[tuple[int, Any], ...]
Polynomial = dict[Monomial, Number]

ROUNDING = 1e-14
"""A sum of floats that is smaller than this part of its largest term has cancelled."""


class Ring:
    """The atoms of a set of polynomials, numbered as they are met."""

    def __init__(self) -> None:
        self.atoms: list[Any] = []
        self.number: dict[Any, int] = {}

    def atom(self, expression: Any) -> int:
        """Number of an atom."""
        if expression not in self.number:
            self.number[expression] = len(self.atoms)
            self.atoms.append(expression)
        return self.number[expression]

    def read(self, expression: Any, denominator: Callable[[Any], Any]) -> Polynomial:
        """The polynomial of an expression; `denominator` converts a sum in a denominator to its canonical form."""
        expanded = expand(as_expression(expression))
        found = Sums()
        for term in expanded.args if expanded.is_Add else (expanded,):
            coefficient, monomial = self.term(term, denominator)
            found.add(monomial, coefficient)
        return found.polynomial()

    def term(self, term: Any, denominator: Callable[[Any], Any]) -> tuple[Number, Monomial]:
        """Coefficient and monomial of a product."""
        coefficient: Number = Fraction(1)
        powers: dict[int, Any] = {}
        waiting = list(term.args) if term.is_Mul else [term]
        while waiting:
            factor = waiting.pop()
            if factor.is_Number:
                coefficient = coefficient * number_of(factor)
                continue
            base, exponent = _power(factor)
            if base.is_Add and exponent < 0:
                base = as_expression(denominator(base))
                if base.is_Mul:
                    waiting += [part**exponent for part in base.args]
                    continue
                if not base.is_Add:
                    waiting.append(base**exponent)
                    continue
            atom = self.atom(base)
            powers[atom] = powers.get(atom, 0) + exponent
        return coefficient, _monomial(powers)

    def write(self, polynomial: Polynomial) -> Any:
        """The engine expression of a polynomial, expanded."""
        found = Integer(0)
        for monomial, coefficient in polynomial.items():
            found += self.product(monomial, coefficient)
        return found

    def product(self, monomial: Monomial, coefficient: Number = Fraction(1)) -> Any:
        """The engine expression of one term."""
        found = engine_number(coefficient)
        for atom, exponent in monomial:
            found *= self.atoms[atom] ** exponent
        return found


class Sums:
    """Terms that are added up; remembers how large they were, to recognise rounding errors."""

    def __init__(self) -> None:
        self._terms: dict[Monomial, Number] = {}
        self._largest: dict[Monomial, float] = {}

    def add(self, monomial: Monomial, coefficient: Number) -> None:
        """Add a term."""
        if monomial in self._terms:
            self._terms[monomial] += coefficient
            self._largest[monomial] = max(self._largest[monomial], abs(float(coefficient)))
        else:
            self._terms[monomial] = coefficient
            self._largest[monomial] = abs(float(coefficient))

    def polynomial(self) -> Polynomial:
        """The sum; floating-point coefficients that are rounding of what was added are left out."""
        return {
            monomial: value
            for monomial, value in self._terms.items()
            if (abs(value) > ROUNDING * self._largest[monomial] if isinstance(value, float) else value != 0)
        }


def _power(factor: Any) -> tuple[Any, Any]:
    """Base and integer exponent; any other power is an atom."""
    if factor.is_Pow and factor.args[1].is_Integer:
        return factor.args[0], int(factor.args[1])
    return factor, 1


def _monomial(powers: dict[int, Any]) -> Monomial:
    return tuple(sorted((atom, exponent) for atom, exponent in powers.items() if exponent != 0))


def multiply(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    if not a or not b:
        return a or b
    powers = dict(a)
    for atom, exponent in b:
        powers[atom] = powers.get(atom, 0) + exponent
    return _monomial(powers)


def divide(a: Monomial, b: Monomial) -> Monomial:
    """a/b."""
    return multiply(a, tuple((atom, -exponent) for atom, exponent in b)) if b else a


def common_factor(monomials: Iterable[Monomial], below: bool = False) -> Monomial:
    """Common factor of all monomials: the least exponent of every atom. `below`: also every denominator."""
    found: dict[int, Any] | None = None
    for monomial in monomials:
        powers = dict(monomial)
        if found is None:
            found = powers
            continue
        for atom in {*found, *(powers if below else ())}:
            least = min(found.get(atom, 0), powers.get(atom, 0))
            shared = atom in found and atom in powers
            found[atom] = least if shared or (below and least < 0) else 0
        found = {atom: exponent for atom, exponent in found.items() if exponent != 0}
    return _monomial(found or {})


def number_of(value: Any) -> Number:
    """A number of the engine as a fraction or a float."""
    if value.is_Integer:
        return Fraction(int(value))
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    return float(value)


def engine_number(value: Number) -> Any:
    """A fraction or float as a number of the engine."""
    if isinstance(value, Fraction):
        return Rational(value.numerator, value.denominator)
    return Integer(int(value)) if abs(value) == 1.0 else Float(value)
