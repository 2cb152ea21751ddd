"""The equations as functions that replace the compiled kernels of a model: f(I, F, W, arg), C or Python for numba.

Enters: complete equations of a model with its numbers, their intermediate results named; the places of the workspace
offsets in the header I. Leaves: source text with these functions, each straight-line code that reads time, coordinates,
rates, accelerations and multipliers from W and writes its results to W:

    residual      RES = M a + bias + G^T lam, PHI, PHI_DOT
    system        M, G, PHI, PHI_DOT; arg = 0 also BIAS, GAM
    jacobian      G, PHI, PHI_DOT
    powers        POWER of all work channels
    acceleration  A = -M^-1 bias of an open tree, by M = L^T D L from the leaves to the root: no entry fills in
                  (Featherstone, Rigid Body Dynamics Algorithms, 2008, sec. 6.5)

No name of the model reaches the code, only its numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flexmb.symbolic.canonical import operations
from flexmb.symbolic.code.c import C
from flexmb.symbolic.code.factoring import factored
from flexmb.symbolic.code.language import Language
from flexmb.symbolic.code.numba_code import Numba
from flexmb.symbolic.code.program import Step, cost, named_steps
from flexmb.symbolic.engine import Symbol, as_expression
from flexmb.symbolic.equations import Equations
from flexmb.symbolic.powers import POWERS
from flexmb.symbolic.residual import residual

INPUTS = {"T": "t", "Q": "q", "V": "v", "A": "a", "LAM": "l"}
"""Header entries that the functions read, and the first letter of their names in the code."""
OUTPUTS = ("RES", "PHI", "PHI_DOT", "GAM", "M", "G", "BIAS", "A", "POWER")

IMPORTED = "acos, asin, atan, atan2, ceil, cos, cosh, exp, floor, log, sin, sinh, sqrt, tan, tanh"

Channel = tuple[str, Any]
"""A key of POWERS and the name or number of the load, motion or body"""
Write = tuple[str, int, Any]
"""Header entry of an array, place in it, expression"""


@dataclass(frozen=True)
class Stage:
    """Steps in order of computation, and what is written after them."""

    steps: tuple[Step, ...]
    writes: tuple[Write, ...]


@dataclass(frozen=True)
class Function:
    """One function; where it has a second stage, that is left out when arg is 1."""

    name: str
    stages: tuple[Stage, ...]


@dataclass(frozen=True)
class Code:
    """The functions of a model and the symbols that they read."""

    functions: tuple[Function, ...]
    inputs: Mapping[str, Sequence[Any]]
    """Symbols by header entry"""
    constants: Mapping[str, float]
    """Values of the symbols of the model"""

    @property
    def operations(self) -> int:
        """Operations of all functions."""
        stages = [stage for function in self.functions for stage in function.stages]
        counted = [x for stage in stages for _, x in stage.steps] + [x for stage in stages for _, _, x in stage.writes]
        return sum(map(operations, counted))


def code_of(equations: Equations, names: Collection[str], channels: Sequence[Channel | None] = ()) -> Code:
    """The functions `names` of complete equations with named intermediate results.

    `channels`: for `powers`, the source of every work channel (None: no power).
    """
    M, bias = [x for row in equations.M for x in row], equations.bias
    constraints: dict[str, Sequence[Any]] = {
        "G": [x for row in equations.G for x in row],
        "PHI": equations.phi,
        "PHI_DOT": equations.phi_dot,
    }
    wanted: dict[str, list[dict[str, Sequence[Any]]]] = {}
    if "residual" in names:
        wanted["residual"] = [{"RES": residual(equations), "PHI": equations.phi, "PHI_DOT": equations.phi_dot}]
    if "system" in names:
        wanted["system"] = [{"M": M, **constraints}, {"BIAS": bias, "GAM": equations.gamma}]
    if "jacobian" in names:
        wanted["jacobian"] = [constraints]
    if "powers" in names:
        power = [0 if work is None else POWERS[work[0]](equations, work[1]) for work in channels]
        wanted["powers"] = [{"POWER": power}]
    if "acceleration" in names:
        wanted["acceleration"] = [{"M": M, "BIAS": bias}]
    groups = {name: [_writes(arrays) for arrays in stages] for name, stages in wanted.items()}
    flat = [x for stages in groups.values() for writes in stages for _, _, x in writes]
    steps, reduced = _eliminated(flat, equations.definitions)
    values = iter(reduced)
    functions = []
    for name, stages in groups.items():
        made = [[(array, i, next(values)) for array, i, _ in writes] for writes in stages]
        functions.append(Function(name, _stages(steps, made) if name != "acceleration" else _forward(steps, made[0])))
    inputs = {"T": [equations.t], "Q": equations.q, "V": equations.v, "A": equations.a, "LAM": equations.lam}
    return Code(tuple(functions), inputs, dict(equations.mechanism.values))


def _writes(arrays: Mapping[str, Sequence[Any]]) -> list[Write]:
    return [(array, i, as_expression(x)) for array, values in arrays.items() for i, x in enumerate(values)]


def _eliminated(flat: Sequence[Any], definitions: Sequence[Step]) -> tuple[list[Step], list[Any]]:
    """Steps of all functions together; with common factors of sums in front when that makes them fewer."""
    steps, reduced = plain = named_steps(flat, definitions)
    other = named_steps([factored(x) for x in reduced], [(symbol, factored(x)) for symbol, x in steps])
    return min(plain, other, key=cost)


def _stage(steps: Sequence[Step], writes: Sequence[Write], done: Sequence[Step] = ()) -> Stage:
    """The steps that are needed and not done yet, in their order."""
    known = {symbol for symbol, _ in done}
    wanted = {symbol for _, _, x in writes for symbol in x.free_symbols}
    found = []
    for symbol, expression in reversed(steps):
        if symbol in wanted and symbol not in known:
            found.append((symbol, expression))
            wanted |= expression.free_symbols
    return Stage(tuple(reversed(found)), tuple(writes))


def _stages(steps: Sequence[Step], groups: Sequence[Sequence[Write]]) -> tuple[Stage, ...]:
    """Stages that follow one another, each without the steps of those before it."""
    found: list[Stage] = []
    for writes in groups:
        found.append(_stage(steps, writes, [step for stage in found for step in stage.steps]))
    return tuple(found)


def _forward(steps: Sequence[Step], writes: Sequence[Write]) -> tuple[Stage, ...]:
    """Forward dynamics from M and BIAS: the mass matrix is factored in place, entry by entry, where it is not zero."""
    M, bias = ([(i, x) for array, i, x in writes if array == name] for name in ("M", "BIAS"))
    n = len(bias)
    H = {(i // n, i % n): x for i, x in M if i % n <= i // n and x != 0}
    made: list[Step] = []

    def named(expression: Any) -> Any:
        symbol = Symbol(f"factor {len(made)}")  # no identifier: no symbol of the equations has this name
        made.append((symbol, expression))
        return symbol

    reciprocal = {}
    for k in reversed(range(n)):
        reciprocal[k] = named(1 / H[k, k])
        for i in reversed(range(k)):
            if (k, i) not in H:
                continue
            share = named(H[k, i] * reciprocal[k])
            for j in range(i + 1):
                if (k, j) in H:
                    H[i, j] = named(H.get((i, j), as_expression(0)) - share * H[k, j])
            H[k, i] = share
    x = [-value for _, value in bias]
    for i in reversed(range(n)):
        x[i] = named(x[i])
        for j in range(i):
            if (i, j) in H:
                x[j] = x[j] - H[i, j] * x[i]
    for i in range(n):
        value = x[i] * reciprocal[i]
        for j in range(i):
            if (i, j) in H:
                value = value - H[i, j] * x[j]
        x[i] = named(value)
    return _stages([*steps, *made], [_writes({"A": x})])


def source(code: Code, slots: Mapping[str, int], language: str, prefix: str) -> str:
    """The source text.

    `slots`: place of every header entry of INPUTS and OUTPUTS; `language`: "c" or "numba"; `prefix`: before the names
    of the functions.
    """
    return "\n".join((_c_lines if language == "c" else _numba_lines)(code, slots, prefix)) + "\n"


def _names(code: Code) -> dict[str, str]:
    """Text of every symbol in the code: a name, or a number."""
    names = {name: f"({float(value)!r})" for name, value in code.constants.items()}
    return names | {s.name: f"{INPUTS[entry]}{i}" for entry, group in code.inputs.items() for i, s in enumerate(group)}


def _lines(function: Function, code: Code, language: Language, kind: str, end: str, leave: str) -> Iterator[str]:
    """The body of a function; `kind` opens a definition, `end` closes a line, `leave` ends the function early."""
    names = _names(code)
    stages = function.stages
    expressions = [x for stage in stages for x in (*(x for _, x in stage.steps), *(x for _, _, x in stage.writes))]
    used = {symbol.name for x in expressions for symbol in x.free_symbols}
    for entry, group in code.inputs.items():
        for i, symbol in enumerate(group):
            if symbol.name in used:
                yield f"    {kind}{names[symbol.name]} = W[{entry} + {i}]{end}"
    for number, stage in enumerate(stages):
        if number:
            yield leave
        for symbol, expression in stage.steps:
            name = f"z{len(names)}"
            yield f"    {kind}{name} = {language.write(expression, names)}{end}"
            names[symbol.name] = name
        for array, i, expression in stage.writes:
            yield f"    W[{array} + {i}] = {language.write(expression, names)}{end}"


def _entries(function: Function, code: Code) -> list[str]:
    """Header entries that a function uses."""
    return list(dict.fromkeys([*code.inputs, *(array for stage in function.stages for array, _, _ in stage.writes)]))


def _c_lines(code: Code, slots: Mapping[str, int], prefix: str) -> Iterator[str]:
    yield "/* Written by flexmb. */"
    yield "#include <math.h>"
    yield "#include <stdint.h>"
    yield "static inline double square(double x) { return x * x; }"
    yield "static inline double sign_of(double x) { return (x > 0.0) - (x < 0.0); }"
    for function in code.functions:
        yield f"void {prefix}{function.name}(const int64_t *I, const double *F, double *restrict W, int64_t arg)"
        yield "{"
        for entry in _entries(function, code):
            yield f"    const int64_t {entry} = I[{slots[entry]}];"
        yield "    (void)F, (void)arg, (void)T, (void)Q, (void)V, (void)A, (void)LAM;"
        yield from _lines(function, code, C(), "const double ", ";", "    if (arg == 1) return;")
        yield "}"


def _numba_lines(code: Code, slots: Mapping[str, int], prefix: str) -> Iterator[str]:
    yield '"""Written by flexmb."""'
    yield f"from math import {IMPORTED}"
    yield "from numba import njit"
    yield "@njit"
    yield "def sign_of(x):"
    yield "    return float(x > 0.0) - float(x < 0.0)"
    for function in code.functions:
        yield f"def {prefix}{function.name}(I, F, W, arg):"
        for entry in _entries(function, code):
            yield f"    {entry} = I[{slots[entry]}]"
        yield from _lines(function, code, Numba(), "", "", "    if arg == 1:\n        return")
