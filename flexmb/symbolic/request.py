"""Requests for the equations of a model, checked as a whole before anything is computed.

Enters: a model and an `EquationRequest`. Leaves: the text to print; files are written when requested. Wrong requests
are rejected with an error that lists all reasons.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from flexmb.errors import Fault, InputError
from flexmb.model.model import Model
from flexmb.model.schema.beams import FlexibleTable
from flexmb.output_files import draft_of, foreign_fault, suffix_fault, write_errors
from flexmb.symbolic.canonical import operations, readable
from flexmb.symbolic.code.folder import LANGUAGES, TITLES, program_of, write_code
from flexmb.symbolic.code.program import Program
from flexmb.symbolic.embedding import embedded
from flexmb.symbolic.energy import energy_of
from flexmb.symbolic.equations import ORDERS, Equations, equations_of
from flexmb.symbolic.latex import latex_of
from flexmb.symbolic.quaternions import unit_quaternions
from flexmb.symbolic.sheet import INSTEAD, MOST_BODIES, Entry, Section, Sheet, sheet_of
from flexmb.symbolic.steps import MOST_BODIES as MOST_BODIES_OF_STEPS
from flexmb.symbolic.steps import Steps, matrix_text
from flexmb.symbolic.text import text_of

_OURS = re.compile(
    r"[^\n]*: (?:equations of motion, [a-z-]+ form|the equations in four steps)\n=+\n"
    r"|\\documentclass\[a4paper\]\{article\} % Written by flexmb\.\n"
)
"""Beginning of a file written by flexmb"""

_SHORT_ENERGY = 400
"""Operations up to which an energy or a momentum is printed"""
_MOST_BODIES_OF_CODE = 50
"""Largest number of bodies for code: its length grows with their square, and generation takes minutes"""
_FEW = 4
"""Bodies up to which code is also tried without named intermediate results"""


@dataclass(frozen=True)
class EquationRequest:
    """Form, order, symbols and where to write."""

    form: str = "augmented"
    order: int | None = None
    symbols: str | None = None
    output: Path | None = None
    latex: Path | None = None
    language: str | None = None
    steps: bool = False
    matrices: bool = False
    simplify: bool = False
    default_folder: Path = Path("equations")


def deliver(model: Model, request: EquationRequest) -> str:
    """Make the equations and write the requested files; returns the text to print."""
    faults = _faults(model, request)
    if faults:
        raise InputError(faults)
    if request.language is not None:
        return _write_code(model, request)
    equations = equations_of(model, keep=names_of(request.symbols), order=request.order)
    reduced = embedded(equations) if request.form == "embedding" else None
    sheet = sheet_of(equations, request.form, request.simplify, reduced)
    if not sheet.definitions:
        sheet.sections.append(energy_section(equations))
    text = _text(equations, sheet, request)
    written = ""
    if request.latex is not None:
        _write(request.latex, latex_of(sheet))
        written += f"LaTeX: {request.latex}\n"
    if request.output is not None:
        _write(request.output, text)
        written += f"text: {request.output}\n"
    return written or text


def energy_section(equations: Equations) -> Section:
    """Kinetic and potential energy and the momenta that stay constant, when they are short."""
    energy = energy_of(equations)
    rates = {*equations.v, *equations.a}
    wanted = [("T", energy.kinetic, ""), ("V", energy.potential, "")]
    for momentum in energy.momenta:
        why = "constant: cyclic coordinate" if momentum.is_cyclic else "constant"
        wanted.append((f"p_{momentum.coordinate.replace(' ', '_')}", momentum.value, why))
    entries = []
    for name, value, note in wanted:
        shown = readable(value, equations.angles, rates, quaternions=unit_quaternions(equations))
        if operations(shown, _SHORT_ENERGY) <= _SHORT_ENERGY:
            entries.append(Entry(name, (), shown, note))
    remark = "T + V is constant" if energy.is_constant else "T + V is not constant: a load or motion does work"
    return Section("Energy and first integrals", tuple(entries), remark)


def _text(equations: Equations, sheet: Sheet, request: EquationRequest) -> str:
    text = Steps(equations, sheet).text() if request.steps else text_of(sheet)
    return f"{text}\n{matrix_text(equations)}" if request.matrices else text


def code_of(
    model: Model, keep: Collection[str] | str = (), order: int | None = None, form: str = "augmented"
) -> Program:
    """The program of a model: from named intermediate results, or for a few bodies from the cheaper form."""
    found = []
    for named in (True, False) if len(model.symbolic_spec(keep).spec.bodies) <= _FEW else (True,):
        equations = equations_of(model, keep=keep, order=order, named=named)
        found.append(program_of(equations, embedded(equations) if form == "embedding" else None))
    return min(found, key=lambda program: program.operations)


def _write_code(model: Model, request: EquationRequest) -> str:
    program = code_of(model, names_of(request.symbols), request.order, request.form)
    folder = request.output or request.default_folder
    assert request.language is not None
    written = write_code(program, request.language, folder)
    names = ", ".join(path.name for path in written)
    return f"{TITLES[request.language]} code, {program.operations} operations: {folder} ({names})\n"


def names_of(symbols: str | None) -> tuple[str, ...] | str:
    """The parameters that --symbols names, or "all"."""
    if symbols is None:
        return ()
    names = tuple(name.strip() for name in symbols.split(",") if name.strip())
    return "all" if names == ("all",) else names


def _faults(model: Model, request: EquationRequest) -> list[Fault]:
    """All faults of a request, found before the equations are made."""
    faults = []
    bodies = model.symbolic_spec(names_of(request.symbols)).spec.bodies
    n_bodies = len(bodies)
    if not bodies:
        faults.append(Fault("the model has no bodies.", ("bodies",), "Add [bodies.NAME] with mass and inertia."))
    if request.order is not None and request.order not in ORDERS:
        text = f"--order {request.order}: use 1 or 2, or remove --order for complete equations."
        faults.append(Fault(text))
    elif request.order is not None and not any(isinstance(body, FlexibleTable) for body in bodies.values()):
        text = f"--order {request.order}: the model has no flexible body to truncate."
        faults.append(Fault(text, hint="Remove --order."))
    if request.language is None and n_bodies > MOST_BODIES:
        text = f"the model has {n_bodies} bodies; equations of more than {MOST_BODIES} bodies are not readable."
        faults.append(Fault(text, hint=INSTEAD))
    elif request.steps and n_bodies > MOST_BODIES_OF_STEPS:
        text = f"--steps prints a derivation for at most {MOST_BODIES_OF_STEPS} bodies; the model has {n_bodies}."
        faults.append(Fault(text, hint="Remove --steps, or use a smaller model."))
    if request.language is not None and n_bodies > _MOST_BODIES_OF_CODE:
        text = f"the model has {n_bodies} bodies; code is written for at most {_MOST_BODIES_OF_CODE}."
        faults.append(Fault(text, hint="Use flexmb run, which has no such limit."))
    if request.language is not None:
        others = {"--latex": request.latex, "--steps": request.steps, "--matrices": request.matrices}
        others["--simplify"] = request.simplify
        given = [name for name, value in others.items() if value]
        if given:
            faults.append(Fault(f"--code cannot be combined with {' and '.join(given)}."))
        if request.language not in LANGUAGES:
            faults.append(Fault(f"no language '{request.language}' (languages: {', '.join(LANGUAGES)})."))
        if request.form == "state-space":
            text = "--code has no state-space form: it writes M and f."
            faults.append(Fault(text, hint="Remove --form."))
    if request.steps and request.form != "augmented":
        faults.append(Fault("--steps derives the augmented form only.", hint="Remove --form."))
    if request.latex is not None:
        faults += _target_faults(request.latex, ".tex")
    if request.output is not None and request.language is None:
        faults += _target_faults(request.output, ".txt")
    return faults


def _target_faults(path: Path, suffix: str) -> list[Fault]:
    """Reason why a text cannot be written there: a folder, or a file not written by flexmb."""
    fault = suffix_fault(path, (suffix,)) or foreign_fault(path, "written by flexmb", _is_ours)
    return [Fault(fault)] if fault else []


def _is_ours(path: Path) -> bool:
    """Whether flexmb has written a file; False when it cannot be read or is a pipe or device."""
    try:
        return path.is_file() and _OURS.match(path.read_text(encoding="utf-8", errors="replace")) is not None
    except OSError:
        return False


def _write(path: Path, text: str) -> None:
    with write_errors(path), draft_of(path, path.suffix) as draft:
        draft.write_text(text, encoding="utf-8")
