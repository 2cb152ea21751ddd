"""A function of time and of sensors, and the forms in which a model file gives one: ramp, harmonic, table, ..."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from flexmb.model.expressions.evaluation import fold, measure
from flexmb.model.expressions.nodes import Binary, Call, Name, Node, Number, SymbolicValue, Table, names_in
from flexmb.model.expressions.tables import check_points
from flexmb.model.expressions.tokens import TextError


@dataclass(frozen=True)
class Expression:
    """A function of time (and of sensors): its tree, with all parameters inserted."""

    node: Node
    text: str = ""
    names: frozenset[str] = field(default_factory=frozenset)
    """Variables it depends on: "t" and sensor names."""

    @property
    def constant(self) -> float | None:
        """Its value when it does not vary, else None."""
        return self.node.value if isinstance(self.node, Number) else None

    def __call__(self, t: float = 0.0, **channels: float) -> float:
        """Value at time `t` [s]; for checks and plots (the solver runs the compiled program)."""
        value = measure(self.node, {"t": float(t), **channels}).value
        if value is None:
            missing = sorted(self.names - {"t", *channels})
            raise TextError(f"give a value for {', '.join(missing)}")
        return value


def constant(value: float) -> Expression:
    """The expression that is always `value`."""
    return Expression(_number(value), repr(float(value)))


def _number(value: float) -> Number:
    """Node of a number; a `SymbolicValue` keeps its formula."""
    return Number(value if isinstance(value, SymbolicValue) else float(value))


_T = Name("t")


def _of_time(node: Node, text: str) -> Expression:
    node = fold(node)
    return Expression(node, text, names_in(node))


def linear(rate: float, start: float = 0.0) -> Expression:
    """start + rate t."""
    return polynomial((start, rate))


def polynomial(coefficients: Sequence[float]) -> Expression:
    """c0 + c1 t + c2 t^2 + ..."""
    node: Node = _number(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        node = Binary("+", _number(c), Binary("*", node, _T))
    if all(c == 0 and not isinstance(c, SymbolicValue) for c in coefficients[1:]):
        node = _number(coefficients[0])
    return _of_time(node, " + ".join(f"{c!r}*t^{k}" for k, c in enumerate(coefficients)))


def harmonic(amplitude: float, frequency: float, phase: float = 0.0, offset: float = 0.0) -> Expression:
    """offset + amplitude sin(2 pi frequency t + phase); frequency in Hz, phase in rad."""
    angle = Binary("+", Binary("*", Number(2 * math.pi * frequency), _T), Number(phase))
    node = Binary("+", Number(offset), Binary("*", Number(amplitude), Call("sin", (angle,))))
    return _of_time(node, f"{offset!r} + {amplitude!r}*sin(2*pi*{frequency!r}*t + {phase!r})")


def ramp(to: float, over: float, start: float = 0.0) -> Expression:
    """Smoothly from `start` at t = 0 to `to` at t = `over` [s], constant afterwards."""
    arguments = (_T, Number(0.0), _number(start), _number(over), _number(to))
    return _of_time(Call("step", arguments), f"step(t, 0, {start!r}, {over!r}, {to!r})")


def table(
    points: Sequence[Sequence[float]],
    form: Literal["monotone", "spline", "linear"] = "monotone",
    of: str = "t",
    what: str = "time",
) -> Expression:
    """Through `points`, a curve (interpolation.py) or straight lines. Raises ValueError when they do not increase."""
    check_points(points, what)
    node = Table(Name(of), tuple((float(x), float(y)) for x, y in points), form)
    return Expression(node, f"{form} table of {len(points)} points", frozenset((of,)))
