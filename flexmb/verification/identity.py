"""Symbolic equations compared with printed ones: the difference must be exactly zero."""

from __future__ import annotations

from typing import Any

from flexmb.model.model_file import read_model
from flexmb.symbolic.engine import Integer, Symbol, as_expression, engine, expand
from flexmb.symbolic.equations import Equations, equations_of
from flexmb.verification import MODELS


def symbolic_equations(name: str) -> Equations:
    """Equations of models/<name>.toml; its [symbols] stay symbolic."""
    return equations_of(read_model(MODELS / f"{name}.toml", keep=()))


def names(*wanted: str) -> list[Any]:
    """Symbols of these names, which may also be given in one text, separated by blanks."""
    return [Symbol(name) for text in wanted for name in text.split()]


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
