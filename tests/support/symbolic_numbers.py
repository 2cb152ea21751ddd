"""Equations in symbols at numbers, beside the numeric core at the same state, for the tests."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb import Model
from flexmb.equations.programs import link
from flexmb.solvers.mechanics import Mechanics
from flexmb.symbolic.equations import Equations, equations_of
from flexmb.system.build import build_system

FUNCTIONS = "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt pi".split()
NAMES = {name: getattr(math, name) for name in FUNCTIONS}
COMPLEX = {name: getattr(cmath, name) for name in ("sin", "cos", "exp", "sqrt")}
NAMES |= {"sign": lambda x: math.copysign(1.0, x) if x else 0.0, "Abs": abs, "Max": max, "Min": min}


@dataclass(frozen=True)
class Values:
    """M, bias, Phi, G, Phi' and gamma at one state."""

    M: np.ndarray
    bias: np.ndarray
    phi: np.ndarray
    G: np.ndarray
    phi_dot: np.ndarray
    gamma: np.ndarray

    def difference(self, other: Values) -> float:
        """Largest difference of an entry, relative to the largest of its array (at least 1 for rows)."""
        found = 0.0
        for key, least in (("M", 0.0), ("bias", 0.0), ("phi", 1.0), ("G", 1.0), ("phi_dot", 1.0), ("gamma", 1.0)):
            one, two = getattr(self, key), getattr(other, key)
            assert one.shape == two.shape, key
            size = max(least, float(np.abs(two).max(initial=0.0)))
            found = max(found, float(np.abs(one - two).max(initial=0.0)) / size if size else 0.0)
        return found


def evaluator(
    inputs: Sequence[Any], outputs: Sequence[Any], definitions: Sequence[Any] = (), is_complex: bool = False
) -> Any:
    """A Python function of the values of `inputs` in order; its text is that of the expressions, without elimination.

    is_complex: of complex numbers, for derivatives by complex steps.
    """
    lines = ["def evaluate(given_):"]
    lines += [f"    {symbol} = given_[{k}]" for k, symbol in enumerate(inputs)]
    lines += [f"    {symbol} = {expression}" for symbol, expression in definitions]
    lines += ["    return [", *(f"        {expression}," for expression in outputs), "    ]"]
    space: dict[str, Any] = {**NAMES, **COMPLEX} if is_complex else dict(NAMES)
    exec("\n".join(lines), space)
    return space["evaluate"]


def values_of(equations: Equations, t: float, q: Any, v: Any, parameters: Mapping[str, float] | None = None) -> Values:
    """The equations at numbers; parameters: of kept symbols, by default those of the model."""
    parameters = equations.mechanism.values if parameters is None else parameters
    n, m = equations.n_v, equations.n_rows
    parts = [equations.bias, equations.phi, equations.phi_dot, equations.gamma]
    flat = [x for part in (*equations.M, *equations.G, *parts) for x in part]
    names = list(parameters)
    evaluate = evaluator([equations.t, *equations.q, *equations.v, *names], flat, equations.definitions)
    found = np.array(evaluate([t, *map(float, q), *map(float, v), *parameters.values()]), dtype=float)
    M, G, bias, phi, phi_dot, gamma = np.split(found, np.cumsum([n * n, m * n, n, m, m]))
    return Values(M.reshape(n, n), bias, phi, G.reshape(m, n), phi_dot, gamma)


class NumericCore:
    """The numeric core of a model with all its rows, at random states."""

    def __init__(self, tables: Mapping[str, Any] | Model):
        if not isinstance(tables, Model):
            tables = Model.from_tables({key: table for key, table in tables.items() if key != "analysis"})
        self.model = tables
        self.system = build_system(self.model.spec)
        link(self.system.ints)
        self.mechanics = Mechanics(self.system, self.system.workspace())
        self.start = self.mechanics.q.copy()

    def random_state(self, rng: np.random.Generator, deflection: float = 0.01) -> None:
        """Coordinates around the design position, elastic ones of `deflection` of the length; random rates and time."""
        core, elastic = self.mechanics, self.system.elastic
        core.q[:] = self.start
        step, rates = 0.4 * rng.normal(size=core.n_v), rng.normal(size=core.n_v)
        step[elastic] *= deflection * self.system.length_scale / 0.4
        rates[elastic] *= 10.0 * deflection * self.system.length_scale
        core.t = float(rng.uniform(0.1, 1.0))
        core.move(step)
        core.v[:] = rates

    def values(self) -> Values:
        core = self.mechanics
        core.equations()
        return Values(*(x.copy() for x in (core.M, core.bias, core.phi, core.G, core.phi_dot, core.gam)))

    def symbols(self, order: int | None = None, named: bool = True) -> Equations:
        """The equations of the same model in symbols, with the rows of the numeric core."""
        return equations_of(self.model, order=order, rows=range(len(self.system.rows)), named=named)

    def at_state(self, equations: Equations, parameters: Mapping[str, float] | None = None) -> Values:
        core = self.mechanics
        return values_of(equations, core.t, core.q, core.v, parameters)


def difference(tables: Mapping[str, Any], seed: int = 0, states: int = 2, deflection: float = 0.01) -> float:
    """Of the equations in symbols and in numbers at random states."""
    core, rng = NumericCore(tables), np.random.default_rng(seed)
    equations, worst = core.symbols(), 0.0
    for _ in range(states):
        core.random_state(rng, deflection)
        worst = max(worst, core.at_state(equations).difference(core.values()))
    return worst
