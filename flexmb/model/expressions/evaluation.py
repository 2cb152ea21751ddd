"""Functions and operators of expressions, and the value and dimension of a tree.

`measure` walks a tree once and returns both its value (when nothing in it varies) and its dimension (when it is known);
`fold` replaces the parts that do not vary by their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from flexmb.model.expressions.nodes import (
    Binary,
    Call,
    Name,
    Negative,
    Node,
    Number,
    SymbolicValue,
    Table,
    children_of,
    node_of,
)
from flexmb.model.expressions.tables import linear_value, smooth_value
from flexmb.model.expressions.tokens import TextError
from flexmb.model.units import KINDS, NUMBER, Dimension, describe


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


def smooth_step(x: float, x0: float, y0: float, x1: float, y1: float) -> float:
    """From y0 at x0 to y1 at x1 with zero first and second derivatives at both ends (quintic)."""
    s = (1.0 if x >= x0 else 0.0) if x1 == x0 else min(1.0, max(0.0, (x - x0) / (x1 - x0)))
    return y0 + (y1 - y0) * s * s * s * (10 + s * (-15 + 6 * s))


FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "sin": (1, math.sin),
    "cos": (1, math.cos),
    "tan": (1, math.tan),
    "asin": (1, math.asin),
    "acos": (1, math.acos),
    "atan": (1, math.atan),
    "atan2": (2, math.atan2),
    "sinh": (1, math.sinh),
    "cosh": (1, math.cosh),
    "tanh": (1, math.tanh),
    "exp": (1, math.exp),
    "log": (1, math.log),
    "sqrt": (1, math.sqrt),
    "abs": (1, abs),
    "sign": (1, _sign),
    "min": (2, min),
    "max": (2, max),
    "step": (5, smooth_step),
    "if": (3, lambda c, a, b: a if c > 0 else b),
}
"""Name: number of arguments, the function. `if(c, a, b)` is a where c > 0, else b. min and max take two or more."""

OPERATORS: dict[str, Callable[..., float]] = {
    "<": lambda a, b: float(a < b),
    "<=": lambda a, b: float(a <= b),
    ">": lambda a, b: float(a > b),
    ">=": lambda a, b: float(a >= b),
    "==": lambda a, b: float(a == b),
    "!=": lambda a, b: float(a != b),
    "and": lambda a, b: float(a > 0 and b > 0),
    "or": lambda a, b: float(a > 0 or b > 0),
    "not": lambda a: float(not a > 0),
}
"""Comparisons and logical operators, written between their operands: 1 where true, else 0; an operand is true above 0.
In the tree each is a `Call` of this name."""
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")

_ANGLES_IN = ("sin", "cos", "tan")


class Measure(NamedTuple):
    """Value (None: it varies) and dimension (None: not known) of a node."""

    value: float | None
    dimension: Dimension | None


def measure(node: Node, variables: Mapping[str, float] | None = None) -> Measure:
    """Value and dimension of `node`; names that are not in `variables` vary. Raises TextError with a position."""
    if isinstance(node, Number):
        return Measure(node.value, node.dimension)
    if isinstance(node, Name):
        return Measure(None if variables is None else variables.get(node.name), None)
    if isinstance(node, Negative):
        value, dimension = measure(node.argument, variables)
        return Measure(None if value is None else -value, dimension)
    if isinstance(node, Binary):
        return _measure_binary(node, measure(node.left, variables), measure(node.right, variables))
    if isinstance(node, Table):
        argument, dimension = measure(node.argument, variables)
        if node.of is not None and dimension not in (None, NUMBER, node.of, node.of.without_angle()):
            text = f"the table is a function of {describe(node.of)}, found {describe(dimension)}"
            raise TextError(text, position=node.at)
        return Measure(None if argument is None else _table_value(node, argument), node.dimension)
    return _measure_call(node, [measure(argument, variables) for argument in node.arguments])


def _same(node: Node, first: Dimension | None, second: Dimension | None) -> Dimension | None:
    """Dimension of a sum: plain numbers and unknown units take the unit of the other."""
    if first is None or first == NUMBER:
        return second if second is not None else first
    if second is None or second == NUMBER or first == second:
        return first
    raise TextError(f"{describe(first)} and {describe(second)} cannot be added or compared", position=node.at)


def _measure_binary(node: Binary, left: Measure, right: Measure) -> Measure:
    a, b = left.value, right.value
    dimension: Dimension | None
    if node.sign in "+-":
        dimension = _same(node, left.dimension, right.dimension)
    elif node.sign == "^":
        dimension = _power_dimension(node, left, right)
    elif left.dimension is None or right.dimension is None:
        dimension = None
    elif node.sign == "*":
        dimension = left.dimension.times(right.dimension)
    else:
        dimension = left.dimension.over(right.dimension)
    if a is None or b is None:
        return Measure(None, dimension)
    return Measure(_arithmetic(node, a, b), dimension)


def _arithmetic(node: Binary, a: float, b: float) -> float:
    try:
        if node.sign == "+":
            return a + b
        if node.sign == "-":
            return a - b
        if node.sign == "*":
            return a * b
        if node.sign == "/":
            return a / b
        return a**b if isinstance(a, SymbolicValue) or isinstance(b, SymbolicValue) else math.pow(a, b)
    except ZeroDivisionError:
        raise TextError("division by zero", position=node.at) from None
    except (ValueError, OverflowError):
        raise TextError(f"{a:g}^{b:g} is not a finite number", position=node.at) from None


def _power_dimension(node: Binary, left: Measure, right: Measure) -> Dimension | None:
    if right.dimension is not None and right.dimension != NUMBER:
        raise TextError(f"the exponent is {describe(right.dimension)}, but must be a number", position=node.at)
    if left.dimension is None or left.dimension == NUMBER:
        return left.dimension
    exponent = None if right.value is None else Fraction(right.value).limit_denominator(12)
    if exponent is None or abs(float(exponent) - float(right.value or 0.0)) > 1e-12:
        raise TextError(f"{describe(left.dimension)} can only be raised to a constant, simple power", position=node.at)
    return left.dimension.power(exponent)


def _measure_call(node: Call, arguments: list[Measure]) -> Measure:
    dimension = _call_dimension(node, [argument.dimension for argument in arguments])
    values = [argument.value for argument in arguments]
    if any(value is None for value in values):
        return Measure(None, dimension)
    try:
        function = OPERATORS.get(node.function) or FUNCTIONS[node.function][1]
        value = float(function(*values))
        if any(isinstance(argument, SymbolicValue) for argument in values):
            formula = Call(node.function, tuple(node_of(argument) for argument in values if argument is not None))
            return Measure(SymbolicValue(value, formula), dimension)
        return Measure(value, dimension)
    except (ValueError, OverflowError, ZeroDivisionError):
        shown = ", ".join(f"{value:g}" for value in values if value is not None)
        raise TextError(f"{node.function}({shown}) is not a finite number", position=node.at) from None


def _call_dimension(node: Call, given: list[Dimension | None]) -> Dimension | None:
    name = node.function
    if name in ("abs",):
        return given[0]
    if name in ("min", "max"):
        dimension = given[0]
        for other in given[1:]:
            dimension = _same(node, dimension, other)
        return dimension
    if name == "sqrt":
        return None if given[0] is None else given[0].power(Fraction(1, 2))
    if name == "step":
        _same(node, _same(node, given[0], given[1]), given[3])
        return _same(node, given[2], given[4])
    if name == "if":
        return _same(node, given[1], given[2])
    if name in COMPARISONS or name == "atan2":
        _same(node, given[0], given[1])
    elif name in OPERATORS:
        return NUMBER
    elif name != "sign":
        allowed = (None, NUMBER, KINDS["angle"].dimension) if name in _ANGLES_IN else (None, NUMBER)
        if given[0] not in allowed:
            assert given[0] is not None
            what = "an angle or a number" if name in _ANGLES_IN else "a number"
            raise TextError(f"{name} of {describe(given[0])}: expected {what}", position=node.at)
    return NUMBER  # of asin, acos, atan and atan2 too: radians are plain numbers, so that 10 N*atan(t) is a force


def _table_value(node: Table, x: float) -> float:
    if node.form == "linear":
        return linear_value(node.points, x)
    return smooth_value(node.points, node.form, x)


def fold(node: Node) -> Node:
    """Replace every part that does not vary by its number."""
    if isinstance(node, (Number, Name)):
        return node
    if isinstance(node, Negative):
        node = Negative(fold(node.argument), node.at)
    elif isinstance(node, Table):
        node = replace(node, argument=fold(node.argument))
    elif isinstance(node, Binary):
        node = Binary(node.sign, fold(node.left), fold(node.right), node.at)
    else:
        node = Call(node.function, tuple(fold(argument) for argument in node.arguments), node.at)
    if all(isinstance(child, Number) for child in children_of(node)):
        value, dimension = measure(node)
        assert value is not None
        return Number(value, dimension, node.at)
    return node
