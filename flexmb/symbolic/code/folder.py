"""A folder with the code of a model: sources, an example and a README.

Enters: equations, a language, a folder. Leaves: the files. A file not written by flexmb is never replaced.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from flexmb.errors import Fault, InputError
from flexmb.output_files import write_errors
from flexmb.stop_signals import cleaned, deferred
from flexmb.symbolic.code import c, fortran, numba_code, numpy_code
from flexmb.symbolic.code.program import Block, Program, eliminated, matrix_block, vector_block
from flexmb.symbolic.embedding import Embedded
from flexmb.symbolic.engine import Symbol, as_expression
from flexmb.symbolic.equations import Equations

LANGUAGES: dict[str, ModuleType] = {"c": c, "fortran": fortran, "numpy": numpy_code, "numba": numba_code}
TITLES = {"c": "C", "fortran": "Fortran", "numpy": "NumPy", "numba": "numba"}
_MARK = "Written by flexmb"
_LAYOUT = {
    "c": "Matrices are stored row by row: M[i*n + j].",
    "fortran": "Indices begin at 1; arrays are stored column by column.",
    "numpy": "q[k] and v[k] may be arrays (many states at once); their shape follows the indices of the outputs.",
    "numba": "All arrays are of type float64; the outputs are written in place.",
}


def program_of(equations: Equations, embedded: Embedded | None = None) -> Program:
    """The function of a set of equations in implicit form, augmented by multipliers or with dependent rates eliminated.

    `embedded`: the embedding form of the same equations.
    """
    blocks, relation = augmented_blocks(equations) if embedded is None else embedding_blocks(equations, embedded)
    expressions = [x for block in blocks for _, x in block.entries] + [x for _, x in equations.definitions]
    used = {symbol.name for x in expressions for symbol in as_expression(x).free_symbols}
    parameters = tuple((Symbol(name), value) for name, value in equations.mechanism.symbols.items() if name in used)
    inputs = {"state": (equations.t, *equations.q), "rates": equations.v, "parameters": [s for s, _ in parameters]}
    constants, steps, blocks = eliminated(blocks, inputs, equations.angles, equations.definitions)
    return Program(
        name=program_name(equations.mechanism.name),
        title=_one_line(equations.mechanism.name) or "unnamed model",
        time=equations.t,
        coordinates=tuple((symbol, _position_meaning(equations, symbol)) for symbol in equations.q),
        rates=tuple((c.rate, f"{_rate_of(c)} [{c.unit}/s]") for c in equations.coordinates),
        parameters=parameters,
        constants=tuple(constants),
        steps=tuple(steps),
        blocks=blocks,
        relation=relation,
    )


def augmented_blocks(equations: Equations) -> tuple[tuple[Block, ...], str]:
    """M, f; with constraints also phi, G, phi_dot, gamma; with quaternions also q_dot."""
    n = len(equations.v)
    blocks = [
        matrix_block("M", equations.M, n, "mass matrix, symmetric", symmetric=True),
        vector_block("f", [-x for x in equations.bias], "forcing: applied forces minus velocity terms of inertia"),
    ]
    relation = "M a = f, with a = dv/dt"
    if equations.phi:
        relation = "M a + G^T lam = f,  phi = 0,  phi_dot = 0,  G a + gamma = 0, with a = dv/dt"
        blocks += constraint_blocks(equations)
    return tuple(blocks + _kinematic(equations)), relation


def constraint_blocks(equations: Equations) -> list[Block]:
    """Constraint outputs of the generated function: phi, G, phi_dot, gamma."""
    n = len(equations.v)
    return [
        vector_block("phi", equations.phi, "constraints, zero on the motion"),
        matrix_block("G", equations.G, n, "their Jacobian: d(phi_dot)/dv"),
        vector_block("phi_dot", equations.phi_dot, "their rates, zero on the motion"),
        vector_block("gamma", equations.gamma, "terms of their second derivatives other than G a"),
    ]


def _kinematic(equations: Equations) -> list[Block]:
    if list(equations.q_dot) == list(equations.v):
        return []
    return [vector_block("q_dot", equations.q_dot, "rates of the stored coordinates (quaternions are not rates of v)")]


def embedding_blocks(equations: Equations, embedded: Embedded) -> tuple[tuple[Block, ...], str]:
    """The equations of the independent directions, the transformation, and the constraints beside them [SM eq. 27]."""
    n, independent = len(equations.v), [equations.coordinates[k].name for k in embedded.independent]
    dependent = [equations.coordinates[k].name for k in embedded.dependent]
    blocks = [
        matrix_block("M", embedded.M, n, f"T^T M: rows of {', '.join(independent)}, columns of all rates"),
        vector_block("f", [-x for x in embedded.bias], "T^T f: their forcing"),
    ]
    relation = "M a = f,  phi = 0,  phi_dot = 0,  G a + gamma = 0, with a = dv/dt"
    if embedded.motions:
        meaning = "drives: columns of the efforts mu of the motions"
        blocks.append(matrix_block("D", embedded.drives, len(embedded.motions), meaning))
        relation = relation.replace("M a = f", "M a + D mu = f")
    if embedded.dependent:
        meaning = f"rates of {', '.join(dependent)} by {', '.join(independent)}: v_d = J v_i"
        blocks.append(matrix_block("J", embedded.J, len(independent), meaning))
    return tuple(blocks + constraint_blocks(equations) + _kinematic(equations)), relation


def program_name(title: str) -> str:
    """An identifier for files and functions."""
    name = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:40] or "model"
    reserved = {"example", "numpy", "scipy", "numba", "llvmlite", "test", "main", *sys.stdlib_module_names}
    return f"model_{name}" if name[0].isdigit() or name in reserved or name in numpy_code.PYTHON_WORDS else name


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def _position_meaning(equations: Equations, symbol: Any) -> str:
    for coordinate in equations.coordinates:
        if coordinate.position is not None and coordinate.position == symbol:
            return f"{coordinate.meaning} [{coordinate.unit}]"
    return "part of a unit quaternion [-]"


def _rate_of(coordinate: Any) -> str:
    return f"rate of {coordinate.name}" if coordinate.position is not None else coordinate.meaning


def write_code(program: Program, language: str, folder: Path) -> list[Path]:
    """Write the folder, all of its files or none; returns the files written."""
    maker = LANGUAGES[language]
    texts = {**maker.files(program), "README.md": readme(program, language)}
    check_folder(folder, texts)
    drafts = {folder / name: folder / f".{name}.{os.getpid()}.part" for name in texts}
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    with write_errors(folder), cleaned(lambda: _take_back(drafts.values(), new)):
        folder.mkdir(parents=True, exist_ok=True)
        for draft, text in zip(drafts.values(), texts.values(), strict=True):
            draft.write_text(text, encoding="utf-8")
        with deferred():
            for path, draft in drafts.items():
                os.replace(draft, path)
    return list(drafts)


def _take_back(drafts: Iterable[Path], folders: Iterable[Path]) -> None:
    """Remove the leftovers of a failed attempt: drafts and empty folders."""
    with suppress(OSError):
        for draft in drafts:
            draft.unlink(missing_ok=True)
        for folder in folders:
            folder.rmdir()


def check_folder(folder: Path, names: Iterable[str]) -> None:
    """Reject a folder that is a file, and files in it not written by flexmb."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"Cannot write '{folder}': it is a file; code is written into a folder. Choose another name.")
    foreign = []
    for name in names:
        path = folder / name
        if os.path.lexists(path) and not _is_ours(path):
            foreign.append(name)
    if foreign:
        text = f"Cannot write to '{folder}': it contains {', '.join(foreign)}, not written by flexmb."
        raise InputError([Fault(text, hint="Choose another folder.")])


def _is_ours(path: Path) -> bool:
    try:
        return path.is_file() and _MARK in path.read_text(encoding="utf-8", errors="replace")[:4000]
    except OSError:
        return False


def readme(program: Program, language: str) -> str:
    """README of the folder: arguments and outputs of the function."""
    maker = LANGUAGES[language]
    lines = [f"# {program.title}: equations of motion in {TITLES[language]}", "", f"{_MARK}.", ""]
    lines += [
        f"    {program.relation}",
        "",
        "The form is implicit: solve it for the accelerations with a linear solver.",
        "",
    ]
    lines += ["## Function", "", *(f"    {line}" for line in maker.signature(program).splitlines()), ""]
    lines += [f"{program.operations} operations after elimination of common subexpressions. {_LAYOUT[language]}", ""]
    lines += ["## Inputs", "", "t: time [s]", "", "| q | name | meaning |", "| --- | --- | --- |"]
    lines += [f"| {i} | {s.name} | {_cell(text)} |" for i, (s, text) in enumerate(program.coordinates, _base(language))]
    lines += ["", "| v | name | meaning |", "| --- | --- | --- |"]
    lines += [f"| {i} | {s.name} | {_cell(text)} |" for i, (s, text) in enumerate(program.rates, _base(language))]
    if program.parameters:
        lines += ["", "| p | name | nominal value (SI units) |", "| --- | --- | --- |"]
        lines += [
            f"| {i} | {s.name} | {'none in the model' if value is None else f'{value:.12g}'} |"
            for i, (s, value) in enumerate(program.parameters, _base(language))
        ]
    else:
        lines += ["", "p: no parameters; all numbers of the model are in the code."]
    lines += ["", "## Outputs", "", "| name | size | meaning |", "| --- | --- | --- |"]
    lines += [f"| {b.name} | {' x '.join(map(str, b.shape))} | {b.meaning} |" for b in program.blocks]
    lines += ["", "## Use", "", *(f"    {line}" for line in maker.compile_lines(program))]
    return "\n".join(lines) + "\n"


def _base(language: str) -> int:
    return 1 if language == "fortran" else 0


def _cell(text: str) -> str:
    return text.replace("|", "/")
