"""Test of whether an expression is identically zero, at random values of its symbols.

An identity holds at all values, anything else at almost none. What counts as zero is rounding: together with its value,
every expression gets its size, the sum of the magnitudes of all terms that it would have if it were multiplied out.
A remainder of 1e-13 of the size is rounding, also when stiff and soft terms are mixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import Any

from flexmb.symbolic.engine import as_expression

ROUNDING = 1e-13
Values = dict[Any, float]


def vanishes(expressions: Iterable[Any], states: Iterable[Values]) -> bool:
    """Whether all expressions are zero at all states (values of their symbols)."""
    wanted = [as_expression(expression) for expression in expressions]
    for state in states:
        known = {symbol: (value, abs(value)) for symbol, value in state.items()}
        for expression in wanted:
            value, size = value_and_size(expression, known)
            if not abs(value) <= ROUNDING * size:
                return False
    return True


def value_and_size(expression: Any, known: dict[Any, tuple[float, float]]) -> tuple[float, float]:
    """Value and size of an expression; `known` gains those of its parts."""
    found = known.get(expression)
    if found is None:
        arguments = [value_and_size(part, known) for part in expression.args]
        if not arguments:
            value = float(expression)
            found = value, abs(value)
        elif expression.is_Add:
            found = sum(value for value, _ in arguments), sum(size for _, size in arguments)
        elif expression.is_Mul:
            found = prod(value for value, _ in arguments), prod(size for _, size in arguments)
        elif expression.is_Pow:
            found = _power(*arguments)
        else:
            found = _function(expression, [value for value, _ in arguments], [size for _, size in arguments])
        known[expression] = found
    return found


def _power(base: tuple[float, float], exponent: tuple[float, float]) -> tuple[float, float]:
    value, size = base
    n = exponent[0]
    if n > 0 and n == int(n):
        return value**n, size**n
    here = abs(value) ** n if value else float("inf")
    grown = here * (1 + abs(n) * size / abs(value)) if value else float("inf")
    return (value**n if value > 0 or n == int(n) else float("nan")), grown


def _function(expression: Any, values: list[float], sizes: list[float]) -> tuple[float, float]:
    """A function of the engine; its slope is taken to be of the order of one, or of its value."""
    make: Callable[..., Any] = expression.func
    value = float(make(*(as_expression(x) for x in values)))
    return value, (1.0 + abs(value)) * (1.0 + sum(sizes))
