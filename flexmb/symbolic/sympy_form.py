"""The equations of a model as sympy objects, to linearise, solve or differentiate them.

M a + G^T lam = f,   Phi = 0,   G a + gamma = 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flexmb.errors import InputError
from flexmb.symbolic.canonical import readable
from flexmb.symbolic.engine import to_sympy
from flexmb.symbolic.equations import Equations
from flexmb.symbolic.quaternions import unit_quaternions


@dataclass(frozen=True)
class SympyEquations:
    """Lists of sympy symbols and matrices of sympy expressions; columns are matrices with one column."""

    t: Any
    q: list[Any]
    """Stored coordinates, quaternions as four"""
    v: list[Any]
    a: list[Any]
    lam: list[Any]
    q_dot: Any
    """q' as functions of q and v"""
    M: Any
    f: Any
    Phi: Any
    G: Any
    gamma: Any
    symbols: dict[Any, float | None]
    """Symbols of the model and their values; None where it gives none"""


def sympy_equations(equations: Equations) -> SympyEquations:
    """The same equations in sympy, every entry in its readable form."""
    import sympy  # type: ignore[import-untyped]

    if equations.definitions:
        raise InputError("the sympy form needs equations without named intermediate results. Use named=False.")
    rates, units = [*equations.v, *equations.a], unit_quaternions(equations)

    def matrix(rows: list[list[Any]], width: int) -> Any:
        entries = [to_sympy(readable(x, equations.angles, rates, quaternions=units)) for row in rows for x in row]
        return sympy.Matrix(len(rows), width, entries)

    def column(values: list[Any]) -> Any:
        return matrix([[x] for x in values], 1)

    return SympyEquations(
        t=to_sympy(equations.t),
        q=[to_sympy(x) for x in equations.q],
        v=[to_sympy(x) for x in equations.v],
        a=[to_sympy(x) for x in equations.a],
        lam=[to_sympy(x) for x in equations.lam],
        q_dot=column(equations.q_dot),
        M=matrix(equations.M, equations.n_v),
        f=-column(equations.bias),
        Phi=column(equations.phi),
        G=matrix(equations.G, equations.n_v),
        gamma=column(equations.gamma),
        symbols={sympy.Symbol(name): value for name, value in equations.mechanism.symbols.items()},
    )
