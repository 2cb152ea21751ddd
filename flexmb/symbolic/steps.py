"""The four steps of Shi and McPhee as a printed derivation of the equations of a small model.

    1  branch transformations: pose of every body by the branch coordinates            [SM 4.1, eq. 7]
    2  constraint equations: the circuit of every chord                                [SM 4.2, eq. 5, 15]
    3  cutset equations: virtual work over the cutset of every branch                  [SM 4.3, eq. 4, 22]
    4  dynamic equations: the same, sorted by accelerations, with multipliers          [SM 4.4, eq. 23, 24]

Enters: equations of a model with a handful of bodies. Leaves: plain text. On request also the incidence and path
matrices and the free-mode vectors of the joints [RS eq. 2-5, 18-21].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flexmb.axes import AXES
from flexmb.graph import cutset_matrix, format_matrix, incidence, path_matrix
from flexmb.symbolic.canonical import operations, readable
from flexmb.symbolic.engine import Integer, as_expression
from flexmb.symbolic.equations import Equations
from flexmb.symbolic.joints import joint_motion
from flexmb.symbolic.names import styles_of
from flexmb.symbolic.orders import total
from flexmb.symbolic.quaternions import unit_quaternions
from flexmb.symbolic.recursion import equations_of_motion
from flexmb.symbolic.sheet import Sheet
from flexmb.symbolic.text import broken, coordinate_lines, one_line, row_lines, symbol_lines
from flexmb.symbolic.waves import Budget
from flexmb.symbolic.writing import Style, terms_of, write

MOST_BODIES = 6
_LONGEST = 300
"""Operations up to which an expression is printed"""
_PRODUCTS = 100_000
"""Budget of products of terms for all readable forms, and the extra budget of a short expression"""
_FEW_PRODUCTS = 1000
_TOO_LONG = "(too long to print)"


class Steps:
    """The print of one set of equations."""

    def __init__(self, equations: Equations, sheet: Sheet):
        self.equations, self.sheet = equations, sheet
        self.style: Style = styles_of(equations)[0]
        self.rates = {*equations.v, *equations.a}
        self.budget = Budget(_PRODUCTS)

    def text(self) -> str:
        """All four steps."""
        equations = self.equations
        title = f"{one_line(equations.mechanism.name) or 'unnamed model'}: the equations in four steps"
        lines = [title, "=" * len(title), "", *coordinate_lines(equations, self.style), *symbol_lines(equations)]
        for head, step in (
            ("Step 1: branch transformations (pose of every body by the branch coordinates)", self.branches),
            ("Step 2: constraint equations (circuits of the chords)", self.circuits),
            ("Step 3: cutset equations (virtual work)", self.cutsets),
            ("Step 4: dynamic equations", self.dynamics),
        ):
            lines += ["", head, "-" * len(head), *step()]
        return "\n".join(lines) + "\n"

    def shown(self, value: Any) -> Any:
        """An expression in its readable form."""
        return readable(
            as_expression(total(value)),
            self.equations.angles,
            self.rates,
            budget=self.budget if self.budget.left > 0 else Budget(_FEW_PRODUCTS),
            quaternions=unit_quaternions(self.equations),
        )

    def written(self, value: Any) -> str:
        """An expression as text, or a remark when it is too long to print."""
        shown = self.shown(value)
        return write(shown, self.style) if operations(shown, _LONGEST) <= _LONGEST else _TOO_LONG

    def terms(self, shown: Any) -> list[str]:
        """The terms of a readable expression."""
        return terms_of(shown, self.style) if operations(shown, _LONGEST) <= _LONGEST else [_TOO_LONG]

    def branches(self) -> Iterator[str]:
        """Orientation and place of every body frame, world axes."""
        mechanism, parts = self.equations.mechanism, self.equations.parts
        for place in parts.places:
            branch = place.branch
            name, parent = mechanism.bodies[branch.body].name, mechanism.bodies[branch.parent].name
            if branch.joint is None:
                joint = "its body edge: six absolute coordinates from ground"
            else:
                placed = mechanism.joints[branch.joint]
                turned = ", passed against its direction" if branch.reversed else ""
                joint = f"{placed.type.name} joint '{placed.name}' from {parent}{turned}"
            frame = parts.motion.frames[branch.body]
            yield f"  body '{name}': {joint}"
            yield from self._vector("r", frame.p_w)
            yield from self._matrix("R", frame.R_w)
            yield from self._vector("omega", frame.w, " (body axes)")

    def _vector(self, name: str, values: list[Any], remark: str = "") -> list[str]:
        cells = [self.written(value) for value in values]
        line = f"    {name} = ({', '.join(cells)}){remark}"
        if len(line) <= 108:
            return [line]
        return [f"    {name}_{axis} = {cell}" for axis, cell in zip(AXES, cells, strict=True)]

    def _matrix(self, name: str, rows: list[list[Any]]) -> list[str]:
        cells = [[self.written(value) for value in row] for row in rows]
        widths = [max(len(row[j]) for row in cells) for j in range(3)]
        if sum(widths) > 90:
            return [f"    {name}[{i + 1},{j + 1}] = {cells[i][j]}" for i in range(3) for j in range(3)]
        lines = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in cells]
        return [f"    {name} = [{lines[0]}]", *(f"    {' ' * len(name)}   [{line}]" for line in lines[1:])]

    def circuits(self) -> Iterator[str]:
        """The circuit of every chord that gives rows, and the rows."""
        equations, tree = self.equations, self.equations.mechanism.topology.tree
        if not equations.rows:
            yield "  none: the branch coordinates are independent"
            return
        chords = {edge.name: edge for edge in tree.chords}
        printed: set[str] = set()
        for k, row in enumerate(equations.rows, 1):
            edge = chords.get(row.owner) or chords.get(f"motion {row.owner}")
            if edge is not None and edge.name not in printed:
                printed.add(edge.name)
                around = [f"{'+' if sign > 0 else '-'} {part.name}" for part, sign in tree.circuit(edge)]
                yield from broken(f"  chord '{edge.name}', circuit: ", _first_without_plus(around))
            terms = self.terms(self.shown(equations.phi[k - 1]))
            note = f"{row.owner}: {row.text}" if row.text else row.owner
            *first, last = broken(f"    Phi[{k}] = ", terms)
            yield from first
            yield f"{last} = 0   ({note})"

    def cutsets(self) -> Iterator[str]:
        """For every branch coordinate: the edges of its cutset, and their virtual work."""
        equations, parts = self.equations, self.equations.parts
        mechanism, tree = equations.mechanism, equations.mechanism.topology.tree
        shares = []
        for place in parts.places:
            M, bias = equations_of_motion(mechanism, [place], parts.motion, len(equations.v))
            shares.append((mechanism.bodies[place.branch.body].name, M, bias))
        rows = {edge.name: row for edge, row in zip(tree.branches, cutset_matrix(tree), strict=True)}
        edges = [edge.name for edge in (*tree.branches, *tree.chords)]
        owner = {k: place for place in parts.places for k in range(place.v, place.v + place.kind.n_v + place.n_modes)}
        for k, coordinate in enumerate(equations.coordinates):
            branch = owner[k].branch
            body = mechanism.bodies[branch.body].name
            name = f"body {body}" if branch.joint is None else mechanism.joints[branch.joint].name
            yield f"  delta {coordinate.name}:"
            if name in rows and not coordinate.is_elastic:
                cut = [f"{'+' if s > 0 else '-'} {edge}" for edge, s in zip(edges, rows[name], strict=True) if s]
                yield from broken(f"    cutset of branch '{name}': ", _first_without_plus(cut), 8)
            rest = as_expression(equations.bias[k])
            for share, M, bias in shares:
                work = -as_expression(total(bias[k]))
                rest = rest + work
                for j, acceleration in enumerate(equations.a):
                    work = work - as_expression(total(M[k][j])) * acceleration
                yield from self._work(f"inertia and weight of {share}", work)
            yield from self._work("applied forces", -rest)
            reaction = Integer(0)
            for row, multiplier in zip(equations.G, equations.lam, strict=True):
                reaction = reaction - as_expression(row[k]) * multiplier
            yield from self._work("constraints", reaction)
            yield "    sum = 0"

    def _work(self, title: str, work: Any) -> list[str]:
        value = self.shown(work)
        return [] if value == 0 else broken(f"    {title}: ", self.terms(value), 8)

    def dynamics(self) -> Iterator[str]:
        """The rows of the sheet, or a remark on how to print them."""
        yield f"  {self.sheet.relation}"
        if not self.sheet.rows:
            yield "  (too long to print; run without --steps for their entries)"
        for row in self.sheet.rows:
            yield f"  {row.note}:"
            yield from row_lines(row, self.style)


def _first_without_plus(terms: list[str]) -> list[str]:
    return [terms[0].removeprefix("+ "), *terms[1:]]


def matrix_text(equations: Equations) -> str:
    """Incidence and path matrix of the tree, and the free-mode vectors of its joints [RS eq. 3-5, 18-21]."""
    topology, mechanism = equations.mechanism.topology, equations.mechanism
    tree = topology.tree
    nodes, edges = list(tree.graph.nodes), (*tree.branches, *tree.chords)
    branches = [edge.name for edge in tree.branches]
    lines = ["Incidence matrix S: nodes x edges (branches, then chords)", ""]
    lines += [format_matrix(incidence(tree.graph, edges), nodes, [edge.name for edge in edges]), ""]
    lines += ["Path matrix T: branches x nodes", ""]
    lines += [format_matrix(path_matrix(tree), branches, nodes[1:]), ""]
    lines += ["Free-mode vectors of the branches, in the first frame of each joint: rotation; translation", ""]
    style = styles_of(equations)[0]
    for place in equations.parts.places:
        joint = None if place.branch.joint is None else mechanism.joints[place.branch.joint]
        name = joint.name if joint is not None else f"body {mechanism.bodies[place.branch.body].name}"
        q = equations.q[place.q : place.q + place.kind.n_q]
        v = equations.v[place.v : place.v + place.kind.n_v]
        motion = joint_motion(place.kind, joint.parameters if joint is not None else [], q, v)
        for rate, turning, sliding in zip(v, motion.S_w, motion.S_v, strict=True):
            vectors = [", ".join(write(as_expression(x), style) for x in vector) for vector in (turning, sliding)]
            lines += [f"  {name}, {style.symbol(rate.name)}: ({vectors[0]}); ({vectors[1]})"]
    return "\n".join(lines) + "\n"
