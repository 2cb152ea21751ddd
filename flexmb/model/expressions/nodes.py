"""The tree of an expression: small frozen nodes.

A parameter kept as a symbol is a `SymbolicValue`: it and all numbers computed from it carry their formula. Only a
symbolic reading of a model creates them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from flexmb.model.units import NUMBER, Dimension


@dataclass(frozen=True)
class Number:
    """A number with its dimension; None: that of its context."""

    value: float
    dimension: Dimension | None = NUMBER
    at: int = 0
    depth = 1


@dataclass(frozen=True)
class Name:
    """A variable: the time `t` or a sensor."""

    name: str
    at: int = 0
    depth = 1


@dataclass(frozen=True)
class Negative:
    """-argument."""

    argument: Node
    at: int = 0
    depth: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", 1 + self.argument.depth)


@dataclass(frozen=True)
class Binary:
    """Two operands and the sign between them."""

    sign: Literal["+", "-", "*", "/", "^"]
    left: Node
    right: Node
    at: int = 0
    depth: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", 1 + max(self.left.depth, self.right.depth))


@dataclass(frozen=True)
class Call:
    """A function of its arguments."""

    function: str
    arguments: tuple[Node, ...]
    at: int = 0
    depth: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", 1 + max((a.depth for a in self.arguments), default=0))


@dataclass(frozen=True)
class Table:
    """A function given by points: smooth curve or straight lines, continued beyond its ends."""

    argument: Node
    points: tuple[tuple[float, float], ...]
    form: Literal["monotone", "spline", "linear"]
    at: int = 0
    of: Dimension | None = None
    """Dimension of the argument; None: not known."""
    dimension: Dimension | None = None
    """Dimension of the value; None: that of its context."""
    depth: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", 1 + self.argument.depth)


Node = Number | Name | Negative | Binary | Call | Table


class SymbolicValue(float):
    """A number in SI that knows its formula: `node`, a tree of numbers and symbols (`Name`).

    As a float it is the value at the nominal values of the symbols, so that all code that reads numbers keeps
    working; sums, products and powers with other numbers carry the formula, other operations return plain numbers.
    """

    node: Node
    __slots__ = ("node",)

    def __new__(cls, value: float, node: Node) -> SymbolicValue:
        made = super().__new__(cls, value)
        made.node = node
        return made

    def __neg__(self) -> SymbolicValue:
        return SymbolicValue(-float(self), Negative(self.node))

    def __add__(self, other: Any) -> Any:
        return _carried("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return _carried("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return _carried("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _carried("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return _carried("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _carried("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _carried("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _carried("/", other, self)

    def __pow__(self, other: Any, modulo: None = None) -> Any:
        return _carried("^", self, other)

    def __rpow__(self, other: Any, modulo: None = None) -> Any:
        return _carried("^", other, self)

    def __reduce__(self) -> tuple[Any, ...]:
        return SymbolicValue, (float(self), self.node)


_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": math.pow,
}


def _carried(sign: Literal["+", "-", "*", "/", "^"], first: Any, second: Any) -> Any:
    """The result of an operation with a SymbolicValue; NotImplemented for operands that are not numbers (arrays)."""
    if not isinstance(first, (int, float)) or not isinstance(second, (int, float)):
        return NotImplemented
    value = _OPERATIONS[sign](float(first), float(second))
    return SymbolicValue(value, Binary(sign, node_of(first), node_of(second)))


def node_of(value: float) -> Node:
    """The formula of a number: what it carries, or the number itself."""
    return value.node if isinstance(value, SymbolicValue) else Number(float(value))


def children_of(node: Node) -> tuple[Node, ...]:
    """The nodes below a node."""
    if isinstance(node, (Negative, Table)):
        return (node.argument,)
    if isinstance(node, Binary):
        return (node.left, node.right)
    return node.arguments if isinstance(node, Call) else ()


def data_in(node: Node) -> tuple[Table, ...]:
    """The tables in `node`."""
    own = (node,) if isinstance(node, Table) else ()
    return own + tuple(table for child in children_of(node) for table in data_in(child))


def argument_of(table: Table) -> Node:
    """The argument of a table, without the ends at which it is held."""
    node = table.argument
    while isinstance(node, Call) and node.function in ("min", "max") and isinstance(node.arguments[-1], Number):
        node = node.arguments[0]
    return node


def names_in(node: Node) -> frozenset[str]:
    """The variables that `node` depends on."""
    if isinstance(node, Name):
        return frozenset((node.name,))
    return frozenset().union(*(names_in(child) for child in children_of(node)))
