"""Exact comparison of expressions, and the equations of a model as left sides, for the tests of the symbolic road."""

from __future__ import annotations

from typing import Any

from flexmb.symbolic.engine import Integer, Symbol, as_expression, engine, expand
from flexmb.symbolic.equations import Equations, equations_of
from flexmb.system.model_file import parse_model


def made(text: str, order: int | None = None) -> Equations:
    """The equations of a model file; its [symbols] stay symbols."""
    return equations_of(parse_model(text, keep=()), order=order)


def names(*wanted: str) -> list[Any]:
    return [Symbol(name) for name in wanted]


def identical(found: Any, printed: Any) -> bool:
    """Whether two expressions are the same function.

    Sines and cosines become powers of x = exp(i angle): sums of such powers have one expanded form only.
    """
    top, _ = as_expression(found - printed).as_numer_denom()
    powers = {}
    for function in top.atoms(engine.sin, engine.cos):
        (angle,) = function.args
        x = Integer(1)
        for symbol in angle.free_symbols:
            x *= Symbol(f"exp_{symbol}") ** angle.diff(symbol)
        powers[function] = (x + 1 / x) / 2 if isinstance(function, engine.cos) else (x - 1 / x) / (2 * engine.I)
    return bool(expand(top.subs(powers)) == 0)


def left_sides(equations: Equations) -> list[Any]:
    """M a + bias + G^T lam, which the equations set to zero."""
    found = []
    for k, row in enumerate(equations.M):
        side = as_expression(equations.bias[k])
        side += sum((as_expression(m) * a for m, a in zip(row, equations.a, strict=True)), Integer(0))
        side += sum((as_expression(g[k]) * x for g, x in zip(equations.G, equations.lam, strict=True)), Integer(0))
        found.append(side)
    return found
