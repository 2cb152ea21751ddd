"""The equations as a NumPy function that takes one state, or many at once.

    M, f, ... = evaluate(t, q, v, p)

q[k] and v[k] may be arrays: their shape then follows the indices of the outputs, M[i, j, ...].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flexmb.symbolic.code.language import Language
from flexmb.symbolic.code.program import Block, Program, used_names
from flexmb.symbolic.code.wrapping import wrapped

PYTHON_WORDS = """False None True and as assert async await break class continue def del elif else except finally for
from global if import in is lambda nonlocal not or pass raise return try while with yield match case type abs max min
float int len range list dict set tuple zip map print sum np numpy numba njit math evaluate""".split()


class NumPy(Language):
    """Python with NumPy, for one state or many."""

    title = "NumPy"
    words = frozenset([*PYTHON_WORDS, "broadcast", "zeros", "PARAMETERS"])
    functions = {
        "sin": "np.sin", "cos": "np.cos", "tan": "np.tan", "asin": "np.arcsin", "acos": "np.arccos",
        "atan": "np.arctan", "atan2": "np.arctan2", "sinh": "np.sinh", "cosh": "np.cosh", "tanh": "np.tanh",
        "exp": "np.exp", "log": "np.log", "sqrt": "np.sqrt", "abs": "np.abs", "max": "np.maximum",
        "min": "np.minimum", "floor": "np.floor", "ceil": "np.ceil", "sign": "np.sign",
    }  # fmt: skip

    def choose(self, value: str, condition: str, otherwise: str) -> str:
        return f"np.where({condition}, {value}, {otherwise})"

    def both(self, conditions: Sequence[str], word: str) -> str:
        return {"and": " & ", "or": " | "}[word].join(conditions)


def files(program: Program) -> dict[str, str]:
    """File names and their texts."""
    return {f"{program.name}.py": _module(program), "example.py": example(program, in_place=False)}


def compile_lines(program: Program) -> list[str]:
    """Command that runs the example."""
    return ["python example.py"]


def signature(program: Program) -> str:
    """The call of the function, for the README of the folder."""
    return f"{', '.join(block.name for block in program.blocks)} = {program.name}.evaluate(t, q, v, p)"


def _module(program: Program) -> str:
    language = NumPy()
    outputs = [block.name for block in program.blocks]
    names = program.names(language, ["shape"])
    lines = ['"""Equations of a model. Written by flexmb."""', "", "import numpy as np", "", *parameter_lines(program)]
    lines += ["", "def evaluate(t, q, v, p=PARAMETERS):", '    """The equations at time t, coordinates q, rates v."""']
    lines += unpacked(program, names)
    lines += ["    shape = np.broadcast_shapes(np.shape(t), np.shape(q)[1:], np.shape(v)[1:])"]
    lines += step_lines(program, language, names)
    for block in program.blocks:
        sizes = ", ".join(str(n) for n in block.shape)
        lines += [f"    {block.name} = np.zeros(({sizes}, *shape))", *block_lines(block, language, names)]
    return "\n".join([*lines, f"    return {', '.join(outputs)}{',' if len(outputs) == 1 else ''}"]) + "\n"


def parameter_lines(program: Program) -> Iterator[str]:
    """Nominal values, in the order of p."""
    values = [repr(float(value)) if value is not None else "float('nan')" for _, value in program.parameters]
    yield from wrapped(f"PARAMETERS = ({', '.join(values)}{',' if len(values) == 1 else ''})")
    yield ""


def unpacked(program: Program, names: dict[str, str]) -> Iterator[str]:
    """Names for the entries of the input arrays."""
    used = used_names(program)
    for array, group in (("q", program.coordinates), ("v", program.rates), ("p", program.parameters)):
        for i, (symbol, _) in enumerate(group):
            if symbol.name in used:
                yield f"    {names[symbol.name]} = {array}[{i}]"


def step_lines(program: Program, language: Language, names: dict[str, str]) -> Iterator[str]:
    """The steps, those of the parameters alone first."""
    for title, steps in (("of the parameters alone", program.constants), ("of the state", program.steps)):
        if steps:
            yield f"    # {title}"
        for symbol, expression in steps:
            yield from _line(f"    {names[symbol.name]} = ", language.write(expression, names))


def block_lines(block: Block, language: Language, names: dict[str, str]) -> Iterator[str]:
    """The entries of one output."""
    for index, expression in block.entries:
        place = ", ".join(map(str, index))
        mirrored = f" = {block.name}[{index[1]}, {index[0]}]" if block.symmetric and index[0] != index[1] else ""
        yield from _line(f"    {block.name}[{place}]{mirrored} = ", language.write(expression, names))


def _line(start: str, value: str) -> list[str]:
    whole = f"{start}{value}"
    pieces = wrapped(whole)
    return pieces if len(pieces) == 1 else [*wrapped(f"{start}({value})")]


def example(program: Program, in_place: bool) -> str:
    """A script that evaluates the equations and solves them for the accelerations."""
    name, outputs = program.name, [block.name for block in program.blocks]
    lines = ['"""The equations at one state. Written by flexmb."""', "", "import numpy as np", "", f"import {name}", ""]
    lines += [f"q = 0.1 * np.arange(1.0, {len(program.coordinates) + 1})"]
    lines += [f"v = 0.2 * np.arange(1.0, {len(program.rates) + 1})"]
    if in_place:
        lines += [f"p = np.array({name}.PARAMETERS)"]
        lines += [f"{block.name} = np.zeros({block.shape!r})" for block in program.blocks]
        lines += [f"{name}.evaluate(0.0, q, v, p, {', '.join(outputs)})"]
    else:
        lines += [f"{', '.join(outputs)}{',' if len(outputs) == 1 else ''} = {name}.evaluate(0.0, q, v)"]
    lines += [f'print("{output} =", {output}, sep="\\n")' for output in outputs]
    if "phi" not in outputs:
        lines += ["", "# M a = f", 'print("a =", np.linalg.solve(M, f), sep="\\n")']
    elif "J" not in outputs and "D" not in outputs:
        lines += ["", "# M a + G^T lam = f,  G a + gamma = 0; least squares, because rows may repeat others"]
        lines += ["K = np.block([[M, G.T], [G, np.zeros((len(phi), len(phi)))]])"]
        lines += ["x = np.linalg.lstsq(K, np.concatenate([f, -gamma]), rcond=None)[0]"]
        lines += ['print("a =", x[: len(f)], "lam =", x[len(f) :], sep="\\n")']
    return "\n".join(lines) + "\n"
