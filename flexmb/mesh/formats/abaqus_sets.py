"""Sets and surfaces of Abaqus files, resolved: sets of sets, sets of an instance, faces of elements.

A surface becomes a set of nodes: of the faces it names (S1, S2, ...), of the free faces of elements named without a
face, of shells (SPOS, SNEG), or of nodes (TYPE=NODE).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.arrays import Integers
from flexmb.errors import Fault
from flexmb.mesh.formats.abaqus_elements import face_number
from flexmb.mesh.mesh import SOLIDS, Cells
from flexmb.mesh.raw import Numbering, RawMesh
from flexmb.mesh.surface import outer_faces
from flexmb.mesh.topology import face_nodes


def _none() -> Integers:
    return np.zeros(0, dtype=np.int64)


@dataclass
class SetEntry:
    """A part of a set as the file gives it."""

    numbers: Integers = field(default_factory=_none)
    names: list[str] = field(default_factory=list)
    """Other sets, or "instance.number" and "instance.set" """
    scope: str = ""
    """Instance that numbers and names belong to; empty: the scope of the set"""
    of_elements: bool = False
    """Whether names are element sets, of which the nodes are used"""


@dataclass
class Surface:
    """*SURFACE: its TYPE and data lines."""

    type: str
    lines: list[str]


def resolve_sets(
    mesh: RawMesh,
    scopes: Sequence[Any],
    nodes: Sequence[Numbering],
    offsets: Sequence[int],
    origin: Sequence[int],
    faults: list[Fault],
) -> Resolver:
    """Enter all sets into the mesh. `scopes` have node_sets, element_sets, surfaces; the first one is the assembly."""
    resolver = Resolver(mesh, scopes, nodes, offsets, origin, faults)
    # Names of a single instance are used alone; those of the assembly have priority.
    single = len(scopes) <= 2
    for number, scope in reversed(list(enumerate(scopes))):
        prefix = f"{scope.name}." if number and not single else ""
        for name in scope.node_sets:
            mesh.node_sets[prefix + name] = resolver.nodes(number, name)
        for name in scope.element_sets:
            mesh.cell_sets[prefix + name] = resolver.by_block(resolver.elements(number, name))
        for name, surface in scope.surfaces.items():
            members = resolver.surface_nodes(number, name, surface)
            key = prefix + name
            if key in mesh.node_sets and not np.array_equal(mesh.node_sets[key], members):
                mesh.notes.append(f"A node set and a surface are called '{key}': the node set is used.")
            else:
                mesh.node_sets[key] = members
    return resolver


class Resolver:
    """Finds nodes, elements and faces by the names and numbers of a file."""

    def __init__(
        self,
        mesh: RawMesh,
        scopes: Sequence[Any],
        nodes: Sequence[Numbering],
        offsets: Sequence[int],
        origin: Sequence[int],
        faults: list[Fault],
    ):
        self.mesh, self.scopes, self.node_numbers, self.offsets, self.faults = mesh, scopes, nodes, offsets, faults
        self.starts = np.cumsum([0, *(len(cells.nodes) for cells in mesh.cells)])
        self.element_numbers, self.element_places = [], []
        for number in range(len(scopes)):
            own = [i for i, scope in enumerate(origin) if scope == number]
            ids = [mesh.cells[i].ids for i in own]
            self.element_numbers.append(
                Numbering(np.concatenate([_none(), *(part for part in ids if part is not None)]))
            )
            places = [np.arange(self.starts[i], self.starts[i + 1]) for i in own]
            self.element_places.append(np.concatenate([_none(), *places]))
        self.underway: list[tuple[bool, int, str]] = []
        self.done: dict[tuple[bool, int, str], Integers] = {}
        self.free: list[tuple[Integers, Integers]] | None = None

    def nodes(self, scope: int, name: str) -> Integers:
        """Indices in the list of points."""
        return self._members(True, scope, name)

    def elements(self, scope: int, name: str) -> Integers:
        """Elements counted through all blocks."""
        return self._members(False, scope, name)

    def by_block(self, elements: Integers) -> dict[int, Integers]:
        block = np.searchsorted(self.starts, elements, side="right") - 1
        return {int(i): elements[block == i] - self.starts[i] for i in np.unique(block)}

    def _members(self, is_nodes: bool, scope: int, name: str) -> Integers:
        key = (is_nodes, scope, name.upper())
        if key in self.underway:
            self.faults.append(Fault(f"the set '{name}' contains itself."))
            return _none()
        if key not in self.done:
            self.underway.append(key)
            sets = self.scopes[scope].node_sets if is_nodes else self.scopes[scope].element_sets
            entries = next(entries for known, entries in sets.items() if known.upper() == name.upper())
            parts = [self.entry(is_nodes, scope, name, entry) for entry in entries]
            self.done[key] = np.unique(np.concatenate([_none(), *parts]))
            self.underway.pop()
        return self.done[key]

    def entry(self, is_nodes: bool, scope: int, name: str, entry: SetEntry, quiet: bool = False) -> Integers:
        """Indices of the members of an entry; quiet: a missing one is a fault instead of a note."""
        here = self._scope(entry.scope, scope, name) if entry.scope else scope
        parts = [self._numbers(is_nodes, here, name, entry.numbers, quiet)]
        for word in entry.names:
            inner, _, last = word.rpartition(".")
            place = self._scope(inner, here, name) if inner and not self._has(is_nodes, here, word) else here
            word = last if place != here or (inner and not self._has(is_nodes, here, word)) else word
            if entry.of_elements:
                parts.append(self._nodes_of(self._named(False, place, name, word)))
            elif word.isdigit() and len(word) < 19:
                parts.append(self._numbers(is_nodes, place, name, np.array([int(word)], dtype=np.int64), quiet))
            else:
                parts.append(self._named(is_nodes, place, name, word))
        return np.concatenate(parts)

    def _has(self, is_nodes: bool, scope: int, word: str) -> bool:
        sets = self.scopes[scope].node_sets if is_nodes else self.scopes[scope].element_sets
        return any(known.upper() == word.upper() for known in sets)

    def _scope(self, word: str, otherwise: int, name: str) -> int:
        for i, scope in enumerate(self.scopes):
            if scope.name.upper() == word.upper():
                return i
        known = ", ".join(scope.name for scope in self.scopes if scope.name) or "none"
        self.faults.append(
            Fault(
                f"the set '{name}' refers to the instance '{word}', which is not in the file.",
                hint=f"Instances: {known}.",
            )
        )
        return otherwise

    def _named(self, is_nodes: bool, scope: int, name: str, word: str) -> Integers:
        if self._has(is_nodes, scope, word):
            return self._members(is_nodes, scope, word)
        self.faults.append(Fault(f"the set '{name}' contains the set '{word}', which is not in the file."))
        return _none()

    def _numbers(self, is_nodes: bool, scope: int, name: str, numbers: Integers, quiet: bool = False) -> Integers:
        """Indices of numbers. Missing ones are left out: GENERATE may run over gaps."""
        numbering = self.node_numbers[scope] if is_nodes else self.element_numbers[scope]
        places, known = numbering.find(numbers)
        if not known.all() and quiet:
            self.faults.append(Fault("a number is not in the file."))
        elif not known.all() and not self._are_points(is_nodes, scope, numbers[~known]):
            word = "nodes" if is_nodes else "elements"
            self.mesh.notes.append(f"Set '{name}': {int((~known).sum())} {word} are not in the file and were left out.")
        places = places[known]
        return places + self.offsets[scope] if is_nodes else self.element_places[scope][places]

    def _are_points(self, is_nodes: bool, scope: int, numbers: Integers) -> bool:
        """Whether the numbers are masses and springs, which are elements without cells."""
        return not is_nodes and bool(len(numbers)) and self.scopes[scope].has_points(numbers)

    def member(self, is_nodes: bool, scope: int, word: str) -> Integers:
        """Members of a named set; an unknown one is empty."""
        return self._members(is_nodes, scope, word) if self._has(is_nodes, scope, word) else _none()

    def _nodes_of(self, elements: Integers) -> Integers:
        parts = [self.mesh.cells[i].nodes[rows].reshape(-1) for i, rows in self.by_block(elements).items()]
        return np.unique(np.concatenate([_none(), *parts]))

    def surface_nodes(self, scope: int, name: str, surface: Surface) -> Integers:
        """Indices of the nodes of a surface."""
        if surface.type not in ("ELEMENT", "NODE"):
            self.mesh.notes.append(f"The surface '{name}' of type {surface.type} was left out.")
        parts = [faces.reshape(-1) for faces in self.surface_faces(scope, name, surface)]
        return np.unique(np.concatenate([_none(), *parts]))

    def surface_faces(self, scope: int, name: str, surface: Surface) -> list[Integers]:
        """(n, k) nodes of the faces of a surface, in parts; single nodes of a surface of nodes have k = 1."""
        parts: list[Integers] = []
        for line in surface.lines if surface.type in ("ELEMENT", "NODE") else []:
            fields = [field.strip() for field in line.split(",") if field.strip()]
            if not fields:
                continue
            is_nodes = surface.type == "NODE"
            word = fields[0].strip('"')
            entry = (
                SetEntry(np.array([int(word)], dtype=np.int64), [])
                if (word.isdigit() and len(word) < 19)
                else SetEntry(names=[word])
            )
            members = self.entry(is_nodes, scope, name, entry)
            label = fields[1] if len(fields) > 1 else ""
            parts += [members[:, None]] if is_nodes else self._faces(name, members, label)
        return [part for part in parts if len(part)]

    def _faces(self, name: str, elements: Integers, label: str) -> list[Integers]:
        """Nodes of the face `label` of every element; without a label those of the free faces."""
        parts: list[Integers] = []
        for i, rows in self.by_block(elements).items():
            kind, nodes = self.mesh.cells[i].kind, self.mesh.cells[i].nodes[rows]
            if kind not in SOLIDS:
                parts.append(nodes)
            elif not label:
                parts += self._free_faces(i, rows)
            elif (number := face_number(kind, label)) is not None:
                parts.append(nodes[:, list(face_nodes(kind)[number])])
            else:
                self.faults.append(
                    Fault(
                        f"the surface '{name}' refers to face '{label}', which {kind} cells do not have.",
                        hint="Faces are S1, S2, ...",
                    )
                )
        return parts

    def _free_faces(self, block: int, rows: Integers) -> list[Integers]:
        if self.free is None:
            cells = [Cells(raw.kind, raw.nodes) for raw in self.mesh.cells]
            faces = outer_faces(cells, len(self.mesh.points))
            self.free = [(nodes, number_and_cell(number, at)) for nodes, number, at in faces]
        wanted = number_and_cell(block, rows)
        return [nodes[np.isin(owner, wanted)] for nodes, owner in self.free]


def number_and_cell(block: int, cells: Integers) -> Integers:
    """One number for a cell of a block."""
    return np.int64(block) * np.int64(2**40) + cells
