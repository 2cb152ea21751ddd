"""The equations as a sheet of named entries, before they become text or LaTeX.

Enters: equations, a form, and whether sympy simplifies. Leaves: a `Sheet`: sections of entries in readable form,
the equations row by row when they are short, and definitions z1, z2, ... of common subexpressions when they are long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from flexmb.errors import Fault, InputError
from flexmb.symbolic.canonical import LARGEST, operations, readable
from flexmb.symbolic.code.program import cost, matrix_block, named_steps, vector_block
from flexmb.symbolic.embedding import Embedded
from flexmb.symbolic.engine import Integer, Symbol, as_expression
from flexmb.symbolic.equations import Equations
from flexmb.symbolic.quaternions import unit_quaternions
from flexmb.symbolic.waves import Budget

SHORT = 500
"""Operations up to which the equations are also written out row by row"""
READABLE = 5000
"""Operations up to which entries are printed as they are; beyond, common subexpressions get names"""
_LONGEST = 800
"""Operations of one entry, likewise"""
PRINTABLE = 12000
"""Most operations after elimination that are still printed"""
_PRODUCTS = 100_000
"""Budget of products of terms for readable forms: about a second"""
MOST_BODIES = 12
"""Largest number of bodies for printed equations"""
MOST_RATES = 30
INSTEAD = "Write them as code instead: --code c -o FOLDER (or fortran, numpy, numba)."


@dataclass(frozen=True)
class Entry:
    """One entry: M[2,1] = expression."""

    symbol: str
    index: tuple[int, ...]
    expression: Any
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A group of entries under a title."""

    title: str
    entries: tuple[Entry, ...]
    remark: str = ""


@dataclass(frozen=True)
class Row:
    """An equation: sum of factor * unknown = right side."""

    note: str
    terms: tuple[tuple[Any, Any, tuple[str, tuple[int, ...]]], ...]
    """Factor, unknown, and the entry that the factor is"""
    right: Any


@dataclass
class Sheet:
    """Everything that is printed of a set of equations."""

    equations: Equations
    form: str
    relation: str
    sections: list[Section]
    definitions: list[tuple[Any, Any]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    forces: tuple[str, tuple[Any, ...]] = ("lambda", ())
    """Name and symbols of the multipliers that the equations keep"""


def sheet_of(
    equations: Equations, form: str = "augmented", simplify: bool = False, embedded: Embedded | None = None
) -> Sheet:
    """The sheet of a form: augmented, embedding (needs `embedded`) or state-space."""
    if form == "state-space" and equations.phi:
        count = "1 constraint row" if len(equations.phi) == 1 else f"{len(equations.phi)} constraint rows"
        text = f"the state-space form needs an open tree without motions; this model has {count}."
        raise InputError([Fault(text, hint="Use --form augmented or --form embedding.")])
    if form != "embedding":
        embedded = None
    elif embedded is None:
        raise ValueError("the embedding form needs the embedded equations")
    if len(equations.v) > MOST_RATES:
        text = f"the model has {len(equations.v)} rates; equations of more than {MOST_RATES} are not readable as text."
        raise InputError([Fault(text, hint=INSTEAD)])
    blocks, relation = _blocks(equations, form, embedded)
    flat = [as_expression(x) for _, block, _ in blocks for _, x in block.entries]
    values, definitions = _shown(equations, flat, simplify)
    supply = iter(values)
    sections = []
    for title, block, notes in blocks:
        made = tuple(
            Entry(block.name, tuple(i + 1 for i in index), next(supply), notes[index[0]] if notes else "")
            for index, _ in block.entries
        )
        entries = tuple(entry for entry in made if entry.expression != Integer(0))
        sections.append(Section(title, entries, _zeros(entries, block.shape, block.symmetric)))
    sheet = Sheet(equations, form, relation, sections, definitions)
    sheet.forces = ("lambda", tuple(equations.lam))
    if embedded is not None:
        sheet.forces = ("mu", tuple(equations.lam[k] for k in embedded.motions))
    if not definitions and sum(map(operations, values)) <= SHORT:
        sheet.rows = _rows(equations, sections, embedded)
    return sheet


def _blocks(equations: Equations, form: str, embedded: Embedded | None) -> tuple[list[Any], str]:
    """(title, block, notes of the rows) in the order of printing, and their relation."""
    n = len(equations.v)
    names = [c.name for c in equations.coordinates]
    owners = [f"{row.owner}: {row.text}" if row.text else row.owner for row in equations.rows]
    constraints = [
        ("Constraints Phi = 0", vector_block("Phi", equations.phi, ""), owners),
        ("Jacobian G: Phi' = G v + dPhi/dt", matrix_block("G", equations.G, n, ""), None),
        ("gamma: G a + gamma = 0", vector_block("gamma", equations.gamma, ""), None),
    ]
    if embedded is not None:
        chosen = [names[k] for k in embedded.independent]
        M, bias, drives = _pulled(equations, embedded)
        made = [
            ("Mass matrix T^T M: independent directions x all rates", matrix_block("M_i", M, n, ""), None),
            ("Forcing T^T f", vector_block("f_i", [-x for x in bias], ""), chosen),
        ]
        relation = "M_i a = f_i,  Phi = 0"
        if embedded.motions:
            block = matrix_block("D", drives, len(embedded.motions), "")
            made.append(("Drives D: columns of the efforts mu of the motions", block, None))
            relation = "M_i a + D mu = f_i,  Phi = 0"
        if embedded.dependent:
            title = f"Transformation J: ({', '.join(names[k] for k in embedded.dependent)})' = J ({', '.join(chosen)})'"
            made.insert(0, (title, matrix_block("J", embedded.J, len(chosen), ""), None))
        return made + constraints, relation
    dynamics = [
        ("Mass matrix M (symmetric: lower part)", matrix_block("M", equations.M, n, "", symmetric=True), None),
        ("Forcing f", vector_block("f", [-x for x in equations.bias], ""), names),
    ]
    if form == "state-space":
        stored = [symbol.name for symbol in equations.q]
        kinematics = ("Kinematics q'", vector_block("q'", equations.q_dot, ""), stored)
        return [kinematics, *dynamics], "q' = q'(q, v),  M v' = f"
    if not equations.phi:
        return dynamics, "M a = f"
    return dynamics + constraints, "M a + G^T lambda = f,  Phi = 0"


def _pulled(equations: Equations, embedded: Embedded) -> tuple[list[list[Any]], list[Any], list[list[Any]]]:
    """T^T M, T^T bias and T^T G^T of the motions; J stays a symbol unless the products are truncated at an order."""
    if equations.order is not None:
        return embedded.M, embedded.bias, embedded.drives
    n, dependent = len(equations.v), list(embedded.dependent)

    def pull(c: int, values: Sequence[Any]) -> Any:
        found = as_expression(values[embedded.independent[c]])
        for i, k in enumerate(dependent):
            if embedded.J[i][c] != 0:
                found += Symbol(f"J[{i + 1},{c + 1}]") * as_expression(values[k])
        return found

    count = range(len(embedded.independent))
    M = [[pull(c, [equations.M[k][j] for k in range(n)]) for j in range(n)] for c in count]
    drives = [[pull(c, equations.G[row]) for row in embedded.motions] for c in count]
    return M, [pull(c, equations.bias) for c in count], drives


def _zeros(entries: Sequence[Any], shape: tuple[int, ...], symmetric: bool) -> str:
    size = shape[0] if len(shape) == 1 else shape[0] * (shape[0] + 1) // 2 if symmetric else shape[0] * shape[1]
    if not size:
        return ""
    if not entries:
        return "all entries are zero"
    missing = size - len(entries)
    return f"{'the other entry is' if missing == 1 else 'all other entries are'} zero" if missing else ""


def _shown(equations: Equations, flat: list[Any], simplify: bool) -> tuple[list[Any], list[tuple[Any, Any]]]:
    """Expressions to print, with definitions when they are long."""
    rates = {*equations.v, *equations.a}
    budget, left, units = Budget(_PRODUCTS), READABLE, unit_quaternions(equations)
    sizes = [operations(x, LARGEST) for x in flat]
    values: dict[int, Any] = {}
    for k in sorted(range(len(flat)), key=lambda k: -sizes[k]):  # the largest first: excess length shows early
        values[k] = readable(flat[k], equations.angles, rates, simplify, budget, units)
        size = operations(values[k], READABLE)
        left -= size
        if left < 0 or size > _LONGEST or (budget.left < 0 and not simplify):
            break
    else:
        return [values[k] for k in range(len(flat))], []
    steps, reduced = named_steps(flat)
    n = cost((steps, reduced))
    if n > PRINTABLE:
        text = (
            f"the equations have {n} operations even with common subexpressions named; more than {PRINTABLE} are not "
            "readable as text."
        )
        raise InputError([Fault(text, hint=INSTEAD)])
    return reduced, steps


def _rows(equations: Equations, sections: list[Section], embedded: Embedded | None) -> list[Row]:
    """The dynamic equations written out."""
    found = {(entry.symbol, entry.index): entry.expression for section in sections for entry in section.entries}
    embedding = embedded is not None
    chosen, forces = list(range(len(equations.v))), list(equations.lam)
    if embedded is not None:
        chosen, forces = list(embedded.independent), [equations.lam[k] for k in embedded.motions]
    rows = []
    for i, k in enumerate(chosen, 1):
        terms = []
        for j, acceleration in enumerate(equations.a, 1):
            place = ("M_i", (i, j)) if embedding else ("M", (max(i, j), min(i, j)))
            terms += [(found[place], acceleration, place)] if place in found else []
        for r, multiplier in enumerate(forces, 1):
            place = ("D", (i, r)) if embedding else ("G", (r, i))
            terms += [(found[place], multiplier, place)] if place in found else []
        right = found.get(("f_i" if embedding else "f", (i,)), Integer(0))
        rows.append(Row(equations.coordinates[k].name, tuple(terms), right))
    return rows
