"""Unit quaternions in expressions: p0^2 + p1^2 + p2^2 + p3^2 = 1 eliminates their first square.

M of a free body contains R^T R, which is the identity only by this relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flexmb.symbolic.equations import Equations
from flexmb.symbolic.polynomial import Monomial, Polynomial, Ring, Sums, multiply

Quaternion = tuple[Any, ...]


def unit_quaternions(equations: Equations) -> list[Quaternion]:
    """The unit quaternions of equations: stored coordinates without a coordinate of their own, four symbols each."""
    positions = {coordinate.position for coordinate in equations.coordinates}
    symbols = [symbol for symbol in equations.q if symbol not in positions]
    return [tuple(symbols[k : k + 4]) for k in range(0, len(symbols), 4)]


def reduce_quaternions(ring: Ring, polynomial: Polynomial, quaternions: Sequence[Quaternion]) -> Polynomial:
    """The polynomial with p0^2 -> 1 - p1^2 - p2^2 - p3^2 for every quaternion, as often as it occurs."""
    for first, *others in quaternions:
        if first not in ring.atoms:
            continue
        atom = ring.atom(first)
        squares: list[Monomial] = [((ring.atom(other), 2),) for other in others]
        while any(power >= 2 for monomial in polynomial for number, power in monomial if number == atom):
            found = Sums()
            for monomial, value in polynomial.items():
                if dict(monomial).get(atom, 0) < 2:
                    found.add(monomial, value)
                    continue
                rest = multiply(monomial, ((atom, -2),))
                found.add(rest, value)
                for square in squares:
                    found.add(multiply(rest, square), -value)
            polynomial = found.polynomial()
    return polynomial
