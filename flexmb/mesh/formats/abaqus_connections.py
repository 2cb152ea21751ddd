"""Masses, springs, ties and supports of Abaqus and CalculiX.

Input: keyword blocks of a scope (the file, or an instance), and the nodes and faces behind names. Output: data of the
deck. The first node of *MPC and *EQUATION depends on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.mesh.deck import (
    BASIC,
    GROUND,
    AveragedTie,
    Equation,
    Matrix,
    PointMass,
    RigidTie,
    ScalarSpring,
    Spring,
    Support,
    SurfaceTie,
    Tie,
)
from flexmb.mesh.formats.abaqus_frames import Orientation
from flexmb.mesh.formats.abaqus_materials import numbers
from flexmb.mesh.formats.abaqus_sections import Unusable
from flexmb.mesh.formats.abaqus_text import Block

KINDS = {
    **dict.fromkeys(("MASS", "ROTARYI"), "masses"),
    **dict.fromkeys(("SPRING1", "SPRING2", "SPRINGA"), "springs"),
    **dict.fromkeys(
        ("*TIE", "*MPC", "*EQUATION", "*COUPLING", "*KINEMATIC COUPLING", "*RIGID BODY"),
        "ties",
    ),
    "*BOUNDARY": "supports",
}
"""Element type, or keyword with its star -> kind of deck data"""
WORDS = (
    *("TIE", "MPC", "EQUATION", "COUPLING", "KINEMATIC", "DISTRIBUTING", "KINEMATIC COUPLING", "RIGID BODY"),
    *("BOUNDARY", "MASS", "ROTARY INERTIA", "SPRING"),
)
_HELD = {
    "ENCASTRE": "123456",
    "PINNED": "123",
    "XSYMM": "156",
    "YSYMM": "246",
    "ZSYMM": "345",
    "XASYMM": "234",
    "YASYMM": "135",
    "ZASYMM": "126",
}
"""Named conditions of *BOUNDARY -> components"""
_EQUAL = {"TIE": "123456", "PIN": "123"}


@dataclass
class Names:
    """Nodes, faces and elements behind the names of a scope."""

    points: Floats
    """(n, 3) of the file"""
    nodes: Callable[[str], Integers]
    """Positions of a node number, a node set, or a member of an instance; raises Unusable"""
    faces: Callable[[str], list[Integers]]
    """Faces (n, k) of a surface, by their number of nodes; single nodes have k = 1"""
    point_elements: Callable[[str], list[tuple[str, Integers]]]
    """Element type and nodes of the masses and springs of an element set"""
    orientations: Mapping[str, Orientation]
    turn: Floats
    """(3, 3) rotation of the instance"""

    def node(self, word: str) -> int:
        """Position of a single node."""
        found = self.nodes(word)
        if len(found) != 1:
            raise Unusable(f"'{word[:40]}' is not one node")
        return int(found[0])

    def axes(self, block: Block, x: Floats) -> Floats:
        """(3, 3) axes of the orientation of a keyword at a point."""
        word = block.name("ORIENTATION")
        if not word:
            return self.turn.T
        if word.upper() not in self.orientations:
            raise Unusable(f"there is no usable orientation '{word[:40]}'")
        return self.orientations[word.upper()].turned.axes_at(x)


class ConnectionReader:
    """Turns blocks into deck data, in the order of the file."""

    def __init__(self) -> None:
        self.masses: list[PointMass] = []
        self.springs: list[Spring | ScalarSpring] = []
        self.ties: list[Tie] = []
        self.supports: list[Support] = []
        self._coupling: Block | None = None

    def read(self, block: Block, names: Names) -> None:
        """Take a block; raises Unusable."""
        word = block.word
        if word == "MASS":
            self._mass(block, names)
        elif word == "ROTARY INERTIA":
            self._inertia(block, names)
        elif word == "SPRING":
            self.springs += _springs(block, names)
        elif word == "BOUNDARY":
            self.supports += _supports(block, names)
        elif word == "COUPLING":
            self._coupling = block
        elif word in ("KINEMATIC", "DISTRIBUTING"):
            if self._coupling is not None:
                self.ties.append(_coupling(self._coupling, block, names))
        else:
            self.ties += _TIES[word](block, names)

    def _mass(self, block: Block, names: Names) -> None:
        mass = numbers(block.lines, 1)[0]
        for kind, nodes in names.point_elements(block.name("ELSET")):
            if kind == "MASS":
                self._add(PointMass(int(nodes[0]), mass))

    def _inertia(self, block: Block, names: Names) -> None:
        I11, I22, I33, I12, I13, I23 = numbers(block.lines[:1], 6, at_least=1)
        J = np.array([[I11, I12, I13], [I12, I22, I23], [I13, I23, I33]])
        for kind, nodes in names.point_elements(block.name("ELSET")):
            if kind == "ROTARYI":
                axes = names.axes(block, names.points[nodes[0]])
                self._add(PointMass(int(nodes[0]), 0.0, inertia=_matrix(axes.T @ J @ axes)))

    def _add(self, new: PointMass) -> None:
        """Add a mass or an inertia; both of one node are one point mass."""
        for i, old in enumerate(self.masses):
            if old.node == new.node and bool(old.mass) != bool(new.mass):
                inertia = np.array(old.inertia) + np.array(new.inertia)
                self.masses[i] = replace(old, mass=old.mass + new.mass, inertia=_matrix(inertia))
                return
        self.masses.append(new)


def _springs(block: Block, names: Names) -> Iterator[Spring | ScalarSpring]:
    if "NONLINEAR" in block.parameters:
        raise Unusable("it is not linear")
    k = numbers(block.lines[-1:], 1)[0]  # the line before is blank, or has components
    for kind, nodes in names.point_elements(block.name("ELSET")):
        a, b = int(nodes[0]), int(nodes[1]) if len(nodes) > 1 else GROUND
        if kind == "SPRINGA":
            if b == GROUND:
                raise Unusable("SPRINGA needs two nodes")
            if len(block.lines) > 1 and block.lines[0].replace(",", "").strip():
                raise Unusable("it depends on temperature")
            yield _axial(a, b, k, names.points)
        elif kind in ("SPRING1", "SPRING2"):
            if len(block.lines) != 2:
                raise Unusable("it needs one line with its components and one with its stiffness")
            first, second = (int(value) for value in numbers(block.lines[:1], 2, at_least=1))
            second = second or first
            if not (1 <= first <= 6 and 1 <= second <= 6):
                raise Unusable("its components are not from 1 to 6")
            if block.name("ORIENTATION") and first == second:
                axes = names.axes(block, names.points[a])
                values = tuple(k if i == first - 1 else 0.0 for i in range(6))
                point = tuple(float(x) for x in names.points[a])
                yield Spring((a, b), values, _matrix(axes), point)  # type: ignore[arg-type]
            elif block.name("ORIENTATION"):
                raise Unusable("it couples two components in an orientation")
            else:
                yield ScalarSpring((a, b), (first, second if b != GROUND else 0), k)


def _axial(a: int, b: int, k: float, points: Floats) -> Spring:
    line = points[b] - points[a]
    if not np.linalg.norm(line) > 0.0:
        raise Unusable("its nodes coincide")
    x = line / np.linalg.norm(line)
    y = np.cross(np.eye(3)[int(np.argmin(np.abs(x)))], x)
    y = y / np.linalg.norm(y)
    middle = tuple(float(value) for value in (points[a] + points[b]) / 2.0)
    return Spring((a, b), (k, 0.0, 0.0, 0.0, 0.0, 0.0), _matrix(np.stack([x, y, np.cross(x, y)])), middle)  # type: ignore[arg-type]


def _supports(block: Block, names: Names) -> Iterator[Support]:
    for line in block.lines:
        fields = [field.strip() for field in line.split(",")]
        word = fields[0].strip('"')
        nodes = names.nodes(word)
        name = word if not word.isdigit() else f"node_{word}"
        if len(fields) < 2 or not fields[1]:
            raise Unusable(f"'{line[:40]}' has no component")
        if fields[1].upper() in _HELD:
            yield Support(name, nodes, _HELD[fields[1].upper()])
            continue
        first = int(fields[1])
        last = int(fields[2]) if len(fields) > 2 and fields[2] else first
        components = "".join(str(i) for i in range(first, last + 1) if 1 <= i <= 6)
        if components:
            value = numbers([fields[3]], 1)[0] if len(fields) > 3 and fields[3] else 0.0
            yield Support(name, nodes, components, value)


def _coupling(block: Block, kind: Block, names: Names) -> Tie:
    if block.name("ORIENTATION"):
        raise Unusable("its components are in an orientation")
    reference = names.node(block.name("REF NODE"))
    nodes = _of_faces(names.faces(block.name("SURFACE")))
    name = block.name("CONSTRAINT NAME") or block.name("SURFACE")
    if kind.word == "KINEMATIC":
        return RigidTie(name, reference, nodes[nodes != reference], _components(kind))
    if kind.name("WEIGHTING METHOD").upper() not in ("", "UNIFORM"):
        raise Unusable("its weights depend on the distance")
    return AveragedTie(name, reference, _components(kind), nodes, np.ones(len(nodes)))


def _components(block: Block) -> str:
    """Components of *KINEMATIC or *DISTRIBUTING: ranges on its data lines; without any, all."""
    found: set[int] = set()
    for line in block.lines:
        fields = [field.strip() for field in line.split(",") if field.strip()]
        first, last = int(fields[0]), int(fields[-1])
        found |= set(range(first, last + 1)) & set(range(1, 7))
    return "".join(str(i) for i in sorted(found)) or "123456"


def _kinematic_coupling(block: Block, names: Names) -> Iterator[Tie]:
    reference = names.node(block.name("REF NODE"))
    for line in block.lines:
        fields = [field.strip() for field in line.split(",") if field.strip()]
        held = _components(Block("", {}, [",".join(fields[1:])])) if len(fields) > 1 else "123456"
        yield RigidTie(fields[0], reference, names.nodes(fields[0]), held)


def _rigid_body(block: Block, names: Names) -> Iterator[Tie]:
    reference = names.node(block.name("REF NODE"))
    for key, components in (("TIE NSET", "123456"), ("NSET", "123456"), ("PIN NSET", "123")):
        if word := block.name(key):
            nodes = names.nodes(word)
            yield RigidTie(word, reference, nodes[nodes != reference], components)
    if block.name("ELSET"):
        raise Unusable("its body is an element set")


def _mpc(block: Block, names: Names) -> Iterator[Tie]:
    for line in block.lines:
        fields = [field.strip() for field in line.split(",") if field.strip()]
        kind = fields[0].upper()
        if len(fields) != 3 or kind not in ("BEAM", "LINK", *_EQUAL):
            raise Unusable(f"'{line[:40]}' is not BEAM, LINK, PIN or TIE with two nodes or sets")
        first, second = names.nodes(fields[1]), names.nodes(fields[2])
        if len(second) == 1:
            second = np.repeat(second, len(first))
        if len(first) != len(second):
            raise Unusable("its sets have different numbers of nodes")
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            name = f"mpc {fields[1]}"
            if kind == "BEAM":
                yield RigidTie(name, b, np.array([a]))
            elif kind == "LINK":
                yield _link(name, a, b, names.points)
            else:
                for component in _EQUAL[kind]:
                    yield Equation(name, ((a, int(component), 1.0), (b, int(component), -1.0)))


def _link(name: str, a: int, b: int, points: Floats) -> Equation:
    """Constant distance, linear: (u_a - u_b) . (x_a - x_b) = 0, the largest component first."""
    line = points[a] - points[b]
    if not np.linalg.norm(line) > 0.0:
        raise Unusable("its nodes coincide")
    n = line / np.linalg.norm(line)
    order = [int(i) for i in np.argsort(-np.abs(n)) if n[i] != 0.0]
    terms = [(a, i + 1, float(n[i])) for i in order] + [(b, i + 1, -float(n[i])) for i in order]
    return Equation(name, tuple(terms))


def _equation(block: Block, names: Names) -> Iterator[Tie]:
    lines = [[field.strip() for field in line.split(",")] for line in block.lines]
    at = 0
    while at < len(lines):
        count, fields = int(lines[at][0]), list[str]()
        at += 1
        while len(fields) < 3 * count and at < len(lines):
            fields += [field for field in lines[at] if field]
            at += 1
        if count < 1 or len(fields) != 3 * count:
            raise Unusable("an equation has too few terms")
        terms = [(names.nodes(fields[i]), int(fields[i + 1]), float(fields[i + 2])) for i in range(0, 3 * count, 3)]
        if any(not 1 <= component <= 6 for _, component, _ in terms):
            raise Unusable("a component is not from 1 to 6")
        size = max(len(nodes) for nodes, _, _ in terms)
        if any(len(nodes) not in (1, size) for nodes, _, _ in terms):
            raise Unusable("its sets have different numbers of nodes")
        for i in range(size):
            yield Equation(
                f"equation {fields[0]}", tuple((int(nodes[min(i, len(nodes) - 1)]), c, a) for nodes, c, a in terms)
            )


def _tie(block: Block, names: Names) -> Iterator[Tie]:
    tolerance = block.name("POSITION TOLERANCE")
    for line in block.lines:
        fields = [field.strip().strip('"') for field in line.split(",") if field.strip()]
        if len(fields) < 2:
            raise Unusable("it needs two surfaces")
        faces = tuple(part for part in names.faces(fields[1]) if part.shape[1] > 1)
        if not faces:
            raise Unusable(f"its main surface '{fields[1][:40]}' has no faces")
        nodes = _of_faces(names.faces(fields[0]))
        yield SurfaceTie(block.name("NAME") or fields[0], nodes, faces, float(tolerance) if tolerance else None)


_TIES: dict[str, Callable[[Block, Names], Any]] = {
    "KINEMATIC COUPLING": _kinematic_coupling,
    "RIGID BODY": _rigid_body,
    "MPC": _mpc,
    "EQUATION": _equation,
    "TIE": _tie,
}


def _of_faces(faces: list[Integers]) -> Integers:
    if not faces:
        raise Unusable("its surface is empty")
    return np.unique(np.concatenate([part.reshape(-1) for part in faces]))


def _matrix(rows: Floats) -> Matrix:
    return tuple(tuple(float(value) for value in row) for row in rows) if len(rows) else BASIC
