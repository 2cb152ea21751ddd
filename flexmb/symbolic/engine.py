"""The only import of the symbolic engine: symengine builds the expressions, sympy only shows or simplifies them.

A scalar is a symengine expression, a Python number, or an `Orders` value (see `flexmb.symbolic.orders`). The Python
integer 0 is a structural zero: it never enters a product or a sum, so that sparse geometry stays sparse.
"""

from __future__ import annotations

from typing import Any

import symengine  # type: ignore[import-untyped]
from symengine.lib.symengine_wrapper import Basic  # type: ignore[import-untyped]

Scalar = Any
Vector = list[Any]
Matrix = list[list[Any]]

Symbol = symengine.Symbol
Integer = symengine.Integer
Rational = symengine.Rational
Float = symengine.RealDouble
sin = symengine.sin
cos = symengine.cos
atan2 = symengine.atan2
sqrt = symengine.sqrt
expand = symengine.expand
eliminate = symengine.cse
"""Common subexpressions: (definitions, reduced expressions)."""
engine = symengine
Expression = Basic


def as_expression(value: Scalar) -> Any:
    """A number or expression of the engine."""
    return symengine.sympify(value)


def tidy(value: Scalar) -> Scalar:
    """The structural zero for any zero; other values as they are."""
    if isinstance(value, Basic):
        return 0 if value.is_Number and value == 0 else value
    return 0 if isinstance(value, (int, float)) and value == 0 else value


def to_sympy(value: Scalar) -> Any:
    """The same expression in sympy."""
    import sympy  # type: ignore[import-untyped]

    return sympy.sympify(value)
