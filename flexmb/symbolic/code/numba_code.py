"""The equations as a compiled numba function that writes into arrays.

evaluate(t, q, v, p, M, f, ...)
"""

from __future__ import annotations

from flexmb.symbolic.code.language import Language
from flexmb.symbolic.code.numpy_code import (
    PYTHON_WORDS,
    block_lines,
    example,
    parameter_lines,
    step_lines,
    unpacked,
)
from flexmb.symbolic.code.program import Program


class Numba(Language):
    """Python that numba compiles."""

    title = "numba"
    words = frozenset([*PYTHON_WORDS, "PARAMETERS", "ceil", "floor", "sign_of"])
    functions = {
        "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "atan2": "atan2",
        "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "exp": "exp", "log": "log", "sqrt": "sqrt", "abs": "abs",
        "max": "max", "min": "min", "floor": "floor", "ceil": "ceil", "sign": "sign_of",
    }  # fmt: skip


_IMPORTED = "acos, asin, atan, atan2, ceil, cos, cosh, exp, floor, log, sin, sinh, sqrt, tan, tanh"


def files(program: Program) -> dict[str, str]:
    """File names and their texts."""
    return {f"{program.name}.py": _module(program), "example.py": example(program, in_place=True)}


def compile_lines(program: Program) -> list[str]:
    """Command that runs the example."""
    return ["python example.py"]


def signature(program: Program) -> str:
    """The call of the function, for the README of the folder."""
    return f"{program.name}.evaluate(t, q, v, p, {', '.join(block.name for block in program.blocks)})"


def _module(program: Program) -> str:
    language = Numba()
    outputs = [block.name for block in program.blocks]
    names = program.names(language)
    body = [*unpacked(program, names), *step_lines(program, language, names)]
    for block in program.blocks:
        body += [f"    {block.name}[:] = 0.0", *block_lines(block, language, names)]
    lines = ['"""Equations of a model. Written by flexmb."""', "", f"from math import {_IMPORTED}  # noqa: F401", ""]
    lines += ["from numba import njit", "", *parameter_lines(program), ""]
    if any("sign_of(" in line for line in body):
        lines += [
            "@njit",
            "def sign_of(x):",
            "    return (1.0 if x > 0.0 else 0.0) - (1.0 if x < 0.0 else 0.0)",
            "",
            "",
        ]
    lines += ["@njit(cache=True)", f"def evaluate(t, q, v, p, {', '.join(outputs)}):"]
    lines += ['    """The equations at time t, coordinates q, rates v, parameters p, into the other arrays."""']
    return "\n".join([*lines, *body]) + "\n"
