"""Expressions of the engine from those of a model.

A number of the model (`value_of`) is a plain one or carries the formula of its symbols; a function of time and of
sensors (`expression_of`) is the tree that the one parser made, with numbers of both kinds in it. Functions given by
points or by cases have no formula and are rejected with an error; so are those without a derivative where one is
needed (motions).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flexmb.errors import Fault, InputError
from flexmb.model.expressions import expression as expressions
from flexmb.model.expressions.nodes import Binary, Call, Name, Negative, Node, Number, SymbolicValue, Table
from flexmb.symbolic.engine import Scalar, Symbol, as_expression, engine, tidy
from flexmb.symbolic.numbers import constant, decimal, physical, recognised

FUNCTIONS = {
    "sin": engine.sin,
    "cos": engine.cos,
    "tan": engine.tan,
    "asin": engine.asin,
    "acos": engine.acos,
    "atan": engine.atan,
    "atan2": engine.atan2,
    "sinh": engine.sinh,
    "cosh": engine.cosh,
    "tanh": engine.tanh,
    "exp": engine.exp,
    "log": engine.log,
    "sqrt": engine.sqrt,
}
WITHOUT_DERIVATIVE = {"abs": engine.Abs, "sign": engine.sign, "min": engine.Min, "max": engine.Max}
Path = tuple[str | int, ...]


def value_of(number: float, path: Path = ()) -> Scalar:
    """A number of the model: the formula that it carries, or itself; 0 is the structural zero."""
    return physical(formula_of(number, path))


def formula_of(number: float, path: Path = ()) -> Scalar:
    """As `value_of`, with exact fractions for all decimals: to compute with."""
    if isinstance(number, SymbolicValue):
        return tidy(_Converter({}, False, path).formula(number.node))
    return decimal(number)


def expression_of(
    expression: expressions.Expression,
    names: Mapping[str, Any],
    *,
    differentiable: bool = False,
    path: Path = (),
) -> Scalar:
    """A function of time and sensors; `names`: expressions for "t" and for each sensor.

    differentiable: it will be differentiated with respect to time. path: its place in the model, for messages.
    """
    return physical(_Converter(names, differentiable, path).variable(expression.node))


class _Converter:
    """Walks a tree from its leaves. Names are variables in an expression, symbols in the formula of a number."""

    def __init__(self, names: Mapping[str, Any], differentiable: bool, path: Path):
        self.names = names
        self.differentiable = differentiable
        self.path = path

    def variable(self, node: Node) -> Any:
        """Expression of a tree whose names are the time and sensors."""
        if isinstance(node, Name):
            if node.name not in self.names:
                text = f"the symbolic equations have no formula for the sensor '{node.name}' here."
                raise self.refused(text, "Use t and parameters.")
            return as_expression(self.names[node.name])
        if isinstance(node, Number):
            return as_expression(formula_of(node.value, self.path))
        return self.operation(node, self.variable)

    def formula(self, node: Node) -> Any:
        """Expression of a tree whose names are symbols."""
        if isinstance(node, Name):
            return Symbol(node.name)
        if isinstance(node, Number):
            return as_expression(recognised(node.value))
        return self.operation(node, self.formula)

    def operation(self, node: Any, convert: Any) -> Any:
        if isinstance(node, Negative):
            return -convert(node.argument)
        if isinstance(node, Binary):
            left, right = convert(node.left), convert(node.right)
            if node.sign == "+":
                return left + right
            if node.sign == "-":
                return left - right
            if node.sign == "*":
                return left * right
            return left / right if node.sign == "/" else left**right
        if isinstance(node, Table):
            raise self.refused("a table of points has no formula.", "Give a formula of t.")
        assert isinstance(node, Call)
        return constant(
            as_expression(self.function(node.function)(*(convert(argument) for argument in node.arguments)))
        )

    def function(self, name: str) -> Any:
        if name in FUNCTIONS:
            return FUNCTIONS[name]
        if name in WITHOUT_DERIVATIVE:
            if not self.differentiable:
                return WITHOUT_DERIVATIVE[name]
            text = f"'{name}' has no symbolic derivative, which a motion needs."
            raise self.refused(text, f"Allowed: {', '.join(FUNCTIONS)}.")
        what = "'step' (used by a ramp)" if name == "step" else f"'{name}'"
        raise self.refused(f"{what} has no formula.", f"Allowed: {', '.join((*FUNCTIONS, *WITHOUT_DERIVATIVE))}.")

    def refused(self, text: str, hint: str) -> InputError:
        return InputError([Fault(text, self.path, hint)])
