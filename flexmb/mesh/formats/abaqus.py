"""Abaqus and CalculiX input files: nodes, elements, sets and surfaces, flat or in parts and instances.

A flat file is one scope of numbers. Every *INSTANCE is a further scope: the nodes of its part, translated, then rotated
about an axis. Sets may list numbers, other sets and (in the assembly) members of an instance; they are resolved at the
end, when all are known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import Frame
from flexmb.mesh.formats.abaqus_deck import WORDS, DeckBuilder
from flexmb.mesh.formats.abaqus_elements import LEFT_OUT, read_elements
from flexmb.mesh.formats.abaqus_frames import read_system
from flexmb.mesh.formats.abaqus_losses import LostKeywords
from flexmb.mesh.formats.abaqus_materials import Materials
from flexmb.mesh.formats.abaqus_sets import SetEntry, Surface, resolve_sets
from flexmb.mesh.formats.abaqus_text import Block, blocks, rows
from flexmb.mesh.raw import Numbering, RawCells, RawMesh, cells_by_point_ids, listed, whole_numbers

_GENERATORS = ("NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "SUBMODEL", "SUPERELEMENT")
"""Keywords that create or move nodes and elements: the mesh would be wrong without them"""
_MOST_GENERATED = 20_000_000
"""Most numbers that GENERATE may create"""


@dataclass
class Scope:
    """One numbering of nodes and elements: a flat file, a part or an instance."""

    name: str = ""
    node_ids: list[Integers] = field(default_factory=list)
    points: list[Floats] = field(default_factory=list)
    elements: list[tuple[str, Integers, Integers, str, str]] = field(default_factory=list)
    """Cell type, ids, nodes by their numbers, element type, element set"""
    node_sets: dict[str, list[SetEntry]] = field(default_factory=dict)
    element_sets: dict[str, list[SetEntry]] = field(default_factory=dict)
    surfaces: dict[str, Surface] = field(default_factory=dict)
    deck: list[Block] = field(default_factory=list)
    """Keywords of the deck, in the order of the file"""
    points_of: dict[int, tuple[str, Integers, str]] = field(default_factory=dict)
    """Number of a mass or spring -> element type, nodes by their numbers, element set"""
    system: Frame | None = None
    """*SYSTEM of the nodes that follow; None: the basic one"""
    turn: Floats = field(default_factory=lambda: np.eye(3))
    shift: Floats = field(default_factory=lambda: np.zeros(3))
    """Place of an instance: x -> turn x + shift"""

    def point_elements(self, name: str) -> list[tuple[str, Integers]]:
        """Element types and nodes of the masses and springs of an element set."""
        numbers = self._numbers_in(name.upper(), 0)
        return [
            (kind, nodes)
            for number, (kind, nodes, owner) in self.points_of.items()
            if owner.upper() == name.upper() or number in numbers
        ]

    def has_points(self, numbers: Integers) -> bool:
        """Whether all numbers are those of masses and springs."""
        return all(int(number) in self.points_of for number in numbers)

    def _numbers_in(self, name: str, depth: int) -> set[int]:
        found: set[int] = set()
        for known, entries in self.element_sets.items():
            if known.upper() == name and depth < 20:
                for entry in entries:
                    found |= set(entry.numbers.tolist()) & self.points_of.keys()
                    for word in entry.names:
                        found |= self._numbers_in(word.upper(), depth + 1)
        return found


@dataclass
class _File:
    whole: Scope = field(default_factory=Scope)
    parts: dict[str, Scope] = field(default_factory=dict)
    instances: list[Scope] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    lost: LostKeywords = field(default_factory=LostKeywords)
    materials: Materials = field(default_factory=Materials)


def read_abaqus(path: Path) -> RawMesh:
    """Points, cells and sets of an Abaqus or CalculiX input file, in the units of the file."""
    found = _File()
    scope, is_open = found.whole, ""
    for block in blocks(path):
        if block.word == "PART":
            scope = found.parts[block.name("NAME").upper()] = Scope(block.name("NAME"))
            is_open = block.word
        elif block.word == "INSTANCE":
            scope, is_open = _instance(block, found), block.word
        elif block.word in ("END PART", "END INSTANCE"):
            scope, is_open = found.whole, ""
        elif block.word in _GENERATORS:
            hint = "Write the mesh with all nodes and elements listed."
            found.faults.append(Fault(f"{block.place}: *{block.word} is not supported.", hint=hint))
        else:
            _content(block, scope, found)
    if is_open:
        hint = "The file is truncated. Write it again."
        found.faults.append(Fault(f"*{is_open} has no *END {is_open}.", hint=hint))
    if not found.instances and found.parts:
        # Parts without an assembly: each is where it was drawn.
        found.instances = list(found.parts.values())
    if found.faults:
        raise InputError(found.faults)
    return _flatten(found)


def _content(block: Block, scope: Scope, found: _File) -> None:
    """Process a keyword that adds to the current scope; all others are no part of the mesh, and may be a loss."""
    if block.word == "NODE":
        _nodes(block, scope)
    elif block.word == "ELEMENT":
        kind, ids, nodes = read_elements(block)
        if kind == LEFT_OUT:
            found.lost.element(block, len(ids))
            _point_elements(block, scope)
        else:
            scope.elements.append((kind, ids, nodes, block.name("TYPE").upper(), block.name("ELSET")))
            _enter(scope.element_sets, block.name("ELSET"), [SetEntry(numbers=ids)])
    elif block.word in ("NSET", "ELSET"):
        _set(block, scope, found)
    elif block.word == "SURFACE":
        scope.surfaces[block.name("NAME")] = Surface(block.name("TYPE").upper() or "ELEMENT", block.lines)
    elif block.word == "SYSTEM":
        _system(block, scope, found)
    else:
        if block.word in WORDS:
            scope.deck.append(block)
        elif block.word in ("MATERIAL", "ELASTIC", "DENSITY"):
            found.materials.read(block)
        found.lost.read(block)


def _system(block: Block, scope: Scope, found: _File) -> None:
    try:
        scope.system = read_system(block)
    except (ValueError, IndexError):
        text = f"{block.title}: its three points do not span a system."
        found.faults.append(Fault(text, hint="Write the origin, a point on x and one in the xy plane."))


def _point_elements(block: Block, scope: Scope) -> None:
    """Keep masses and springs: number, then one or two nodes. Others, and unreadable ones, stay only a loss."""
    word = block.name("TYPE").upper()
    if word not in ("MASS", "ROTARYI", "SPRING1", "SPRING2", "SPRINGA"):
        return
    for line in block.lines:
        fields = [field.strip() for field in line.split(",") if field.strip()]
        if len(fields) > 1 and all(field.isdigit() and len(field) < 18 for field in fields):
            nodes = np.array([int(field) for field in fields[1:]], dtype=np.int64)
            scope.points_of[int(fields[0])] = (word, nodes, block.name("ELSET"))


def _nodes(block: Block, scope: Scope) -> None:
    table = rows(block, 4)
    ids = whole_numbers(table[:, 0], block.title)
    scope.node_ids.append(ids)
    points = _cartesian(table[:, 1:], block.name("SYSTEM").upper() or "R")
    if scope.system is not None:
        with np.errstate(invalid="ignore", over="ignore"):  # `checks.py` reports such coordinates
            points = np.array(scope.system.origin) + points @ np.array(scope.system.axes)
    scope.points.append(points)
    _enter(scope.node_sets, block.name("NSET"), [SetEntry(numbers=ids)])


def _cartesian(x: Floats, system: str) -> Floats:
    """Coordinates of *NODE, SYSTEM=R, C (r, angle, z) or S (r, angle, angle to the equator), angles in degrees."""
    angle = np.radians(x[:, 1])
    if system.startswith("C"):
        return np.stack([x[:, 0] * np.cos(angle), x[:, 0] * np.sin(angle), x[:, 2]], axis=1)
    if system.startswith("S"):
        height = np.radians(x[:, 2])
        flat = x[:, 0] * np.cos(height)
        return np.stack([flat * np.cos(angle), flat * np.sin(angle), x[:, 0] * np.sin(height)], axis=1)
    return x


def _enter(sets: dict[str, list[SetEntry]], name: str, entries: list[SetEntry]) -> None:
    """Add to a set; names are not case-sensitive."""
    if name:
        known = next((key for key in sets if key.upper() == name.upper()), name)
        sets.setdefault(known, []).extend(entries)


def _set(block: Block, scope: Scope, found: _File) -> None:
    is_nodes = block.word == "NSET"
    name = block.name(block.word)
    if not name:
        found.faults.append(Fault(f"*{block.word} has no name.", hint=f"Write *{block.word}, {block.word}=name."))
        return
    entries: list[SetEntry] = []
    instance = block.name("INSTANCE")
    if is_nodes and block.name("ELSET"):
        entries.append(SetEntry(names=[block.name("ELSET")], scope=instance, of_elements=True))
    fields = [field.strip() for line in block.lines for field in line.split(",") if field.strip()]
    if "GENERATE" in block.parameters:
        entries.append(SetEntry(numbers=_generated(block, name, found), scope=instance))
    else:
        numbers = [field for field in fields if field.lstrip("+-").isdigit()]
        names = [field.strip('"') for field in fields if not field.lstrip("+-").isdigit()]
        if any(len(number) > 18 for number in numbers):
            found.faults.append(Fault(f"{block.place}: *{block.word} '{name[:40]}' has a number that is too large."))
            return
        entries.append(SetEntry(np.array(numbers, dtype=np.int64), names, instance))
    _enter(scope.node_sets if is_nodes else scope.element_sets, name, entries)


def _generated(block: Block, name: str, found: _File) -> Integers:
    """Numbers of GENERATE: first, last, step (1 when left out)."""
    pieces = [np.zeros(0, dtype=np.int64)]
    for line in block.lines:
        fields = [field.strip() for field in line.split(",") if field.strip()]
        if not 1 <= len(fields) <= 3 or not all(field.isdigit() for field in fields):
            text = f"*{block.word} '{name}', GENERATE: '{line}' is not first, last, step."
            found.faults.append(Fault(text))
            continue
        first, last = int(fields[0]), int(fields[1] if len(fields) > 1 else fields[0])
        step = max(1, int(fields[2])) if len(fields) > 2 else 1
        if (last - first) // step + sum(len(piece) for piece in pieces) > _MOST_GENERATED:
            found.faults.append(Fault(f"*{block.word} '{name}', GENERATE: '{line}' creates too many numbers."))
            continue
        pieces.append(np.arange(first, last + 1, step, dtype=np.int64))
    return np.concatenate(pieces)


def _instance(block: Block, found: _File) -> Scope:
    """A scope with the placed content of the part; the lines up to *END INSTANCE add to it."""
    name, part_name = block.name("NAME"), block.name("PART")
    part = found.parts.get(part_name.upper())
    if part is None and part_name:
        known = ", ".join(part.name for part in found.parts.values()) or "none"
        found.faults.append(
            Fault(
                f"*INSTANCE '{name}' refers to part '{part_name}', which is not in the file.", hint=f"Parts: {known}."
            )
        )
    source = part or Scope()
    placed = Scope(name, list(source.node_ids), [_placed(x, block) for x in source.points], list(source.elements))
    placed.node_sets = {key: list(entries) for key, entries in source.node_sets.items()}
    placed.element_sets = {key: list(entries) for key, entries in source.element_sets.items()}
    placed.surfaces = dict(source.surfaces)
    placed.deck, placed.points_of = list(source.deck), dict(source.points_of)
    corners = _placed(np.vstack([np.zeros(3), np.eye(3)]), block)
    placed.turn, placed.shift = (corners[1:] - corners[0]).T, corners[0]
    found.instances.append(placed)
    return placed


def _placed(points: Floats, block: Block) -> Floats:
    """Translation (first data line), then rotation by an angle in degrees about the axis from a to b (second line)."""
    if not block.lines:
        return points
    points = points + rows(Block(block.word, {}, block.lines[:1]), 3)[0]
    if len(block.lines) > 1:
        turn = rows(Block(block.word, {}, block.lines[1:2]), 7)[0]
        a, axis = turn[:3], turn[3:6] - turn[:3]
        if np.linalg.norm(axis) > 0.0:
            axis = axis / np.linalg.norm(axis)
            x, angle = points - a, np.radians(turn[6])
            along = np.outer(x @ axis, axis)
            points = a + along + np.cos(angle) * (x - along) + np.sin(angle) * np.cross(axis, x)
    return points


def _flatten(found: _File) -> RawMesh:
    """All scopes in one list of points and cells, and the sets resolved."""
    scopes = [
        scope for scope in (found.whole, *found.instances) if scope is found.whole or scope.points or scope.elements
    ]
    faults: list[Fault] = []
    nodes: list[Numbering] = []
    offsets: list[int] = []
    points: list[Floats] = []
    ids: list[Integers] = []
    for scope in scopes:
        own = np.concatenate([np.zeros(0, dtype=np.int64), *scope.node_ids])
        nodes.append(Numbering(own))
        offsets.append(sum(len(part) for part in points))
        points.append(np.concatenate([np.zeros((0, 3)), *scope.points]))
        ids.append(own)
    mesh = RawMesh(np.concatenate(points), np.concatenate(ids))
    if not len(mesh.points):
        raise InputError([Fault("the file holds no nodes (*NODE).")])
    origin = []
    for number, scope in enumerate(scopes):
        for kind, element_ids, rows_of_ids, word, owner in scope.elements:
            cells = cells_by_point_ids(kind, element_ids, rows_of_ids, nodes[number], faults, "element")
            has_section = found.lost.has_section(kind, word, owner)
            if word == "C3D8" and not found.lost.solid_sections:
                word = ""  # a mesher's name of the cell: without sections nobody chose a formulation
            mesh.cells.append(RawCells(kind, cells.nodes + offsets[number], element_ids, word, has_section))
            origin.append(number)
    for scope, numbering in zip(scopes, nodes, strict=True):
        if len(numbering.repeated):
            where = f" of instance '{scope.name}'" if scope.name else ""
            mesh.notes.append(
                f"Nodes{where} are defined more than once; the last definition is used: {listed(numbering.repeated)}."
            )
    resolver = resolve_sets(mesh, scopes, nodes, offsets, origin, faults)
    if faults:
        raise InputError(faults)
    builder = DeckBuilder(mesh, scopes, found.materials, resolver)
    mesh.deck = builder.build()
    mesh.losses += found.lost.losses(builder.unusable)
    return mesh
