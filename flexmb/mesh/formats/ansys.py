"""Ansys archive files (.cdb): NBLOCK, EBLOCK, CMBLOCK, materials (MP, MPDATA), shell sections, supports (D).

Elements of material 3 become the set mat_3; components of nodes and elements become sets by their names. Element types
with 8 and 20 nodes also stand for wedges, pyramids and tetrahedra, by repeated nodes: K = L, or M = N = O = P.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import Deck, ShellProperty, SolidProperty, Support
from flexmb.mesh.formats.ansys_elements import SHELLS, cells_of, lost_kind
from flexmb.mesh.formats.ansys_materials import deck_materials
from flexmb.mesh.formats.fixed_columns import real_columns, whole_columns
from flexmb.mesh.losses import Loss
from flexmb.mesh.mesh import SOLIDS
from flexmb.mesh.raw import Numbering, RawCells, RawMesh, cells_by_point_ids

_FORMAT = re.compile(r"\(\s*(\d+)\s*i\s*(\d+)(?:\s*,\s*(\d+)\s*e\s*(\d+))?", re.IGNORECASE)
_MOVES = {"UX": "1", "UY": "2", "UZ": "3", "ROTX": "4", "ROTY": "5", "ROTZ": "6"}
_ATTRIBUTES = 11
"""Numbers of an element before its nodes: material, type, real constants, section, ..., number of nodes, ..., number"""
_WHY = {
    "springs": "springs, joints and contact are not read",
    "ties": "ties and contact inside a body are not supported: merge the nodes, or tie them by --interface",
    "masses": "point masses are not supported: add a rigid body with this mass to the model",
    "elements": "their type is not known to flexmb",
}


@dataclass
class _File:
    types: dict[int, int] = field(default_factory=dict)
    """Number of an element type -> its library number: 186"""
    node_ids: list[Integers] = field(default_factory=list)
    points: list[Floats] = field(default_factory=list)
    elements: list[list[int]] = field(default_factory=list)
    """Attributes and nodes"""
    components: dict[str, tuple[str, Integers]] = field(default_factory=dict)
    materials: dict[int, dict[str, float]] = field(default_factory=dict)
    thickness: dict[int, float] = field(default_factory=dict)
    """Section or set of real constants -> thickness of shells"""
    held: dict[tuple[int, float], set[str]] = field(default_factory=dict)
    """Node and value -> components"""
    lost: Counter[str] = field(default_factory=Counter)
    turned: int = 0


def read_ansys(path: Path) -> RawMesh:
    """Points, cells, components and materials of an archive file, in the units of the file."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    found, at, section = _File(), 0, 0
    while at < len(lines):
        fields = [text.strip() for text in lines[at].partition("!")[0].split(",")]
        word = fields[0].upper()
        if word in ("NBLOCK", "EBLOCK", "CMBLOCK"):
            at = {"NBLOCK": _nodes, "EBLOCK": _elements, "CMBLOCK": _component}[word](lines, at, fields, found)
            continue
        try:
            section = _command(word, fields, found, section, lines[at + 1] if at + 1 < len(lines) else "")
        except (ValueError, IndexError):
            text = f"line {at + 1}: '{lines[at].strip()[:60]}' cannot be read."
            raise InputError([Fault(text, hint="Check that the file is complete.")]) from None
        at += 1
    if not found.points:
        raise InputError([Fault("the file has no block of nodes (NBLOCK).", hint="Write it with CDWRITE, DB.")])
    return _assemble(found)


def _command(word: str, fields: list[str], found: _File, section: int, below: str) -> int:
    """Process a command; returns the number of the current shell section, 0: none."""
    if word == "ET":
        found.types[int(fields[1])] = int(fields[2]) if fields[2].isdigit() else 0
    elif word == "MP":
        found.materials.setdefault(int(fields[2]), {})[fields[1].upper()] = _real(fields[3])
    elif word == "MPDATA":
        found.materials.setdefault(int(fields[4]), {}).setdefault(fields[3].upper(), _real(fields[6]))
    elif word == "SECTYPE":
        return int(fields[1]) if fields[2].upper() == "SHELL" else 0
    elif word == "SECDATA" and section:
        found.thickness[section] = found.thickness.get(section, 0.0) + _real(fields[1])
    elif word == "SECBLOCK" and section:
        found.thickness[section] = _real(below.split(",")[0])
    elif word == "SECOFFSET" and section and fields[1].upper() not in ("", "MID"):
        found.lost["SECOFFSET"] += 1
    elif word == "D" and len(fields) > 3 and fields[1].isdigit():
        moves = set(_MOVES.values()) if fields[2].upper() == "ALL" else {_MOVES.get(fields[2].upper(), "")}
        found.held.setdefault((int(fields[1]), _real(fields[3] or "0")), set()).update(moves - {""})
    elif word in ("CE", "CP"):
        found.lost[word] += 1
    return section


def _real(text: str) -> float:
    value = float(text.upper().replace("D", "E"))
    if not abs(value) < 1e100:
        raise ValueError
    return value


def _widths(lines: list[str], at: int) -> tuple[int, int, int]:
    """Number of whole columns, their width, and the width of the real ones (0: none) of the format line."""
    match = _FORMAT.match(lines[at].strip()) if at < len(lines) else None
    if match is None:
        raise InputError([Fault(f"line {at + 1}: a block needs its format, such as (3i9,6e21.13e3).")])
    return int(match[1]), int(match[2]), int(match[4] or 0)


def _end(lines: list[str], at: int, begin: int) -> int:
    """First line from `at` on that is no row of numbers of a block that begins at a line."""
    while at < len(lines) and (lines[at][:1] in " \t-" or lines[at][:1].isdigit()) and lines[at].strip() != "-1":
        at += 1
    if at >= len(lines):
        raise InputError([Fault(f"line {begin + 1}: the block has no end.", hint="The file is truncated.")])
    return at


def _nodes(lines: list[str], at: int, fields: list[str], found: _File) -> int:
    count, width, real = _widths(lines, at + 1)
    end = _end(lines, at + 2, at)
    rows = [line for line in lines[at + 2 : end] if line.strip()]
    if not real:
        raise InputError([Fault(f"line {at + 2}: the format of the nodes has no real numbers.")])
    found.node_ids.append(whole_columns(rows, width, 1, at + 3)[:, 0])
    values = real_columns(rows, real, 6, at + 3, count * width)
    found.points.append(values[:, :3])
    found.turned += int(values[:, 3:].any(axis=1).sum())
    return end + 1


def _elements(lines: list[str], at: int, fields: list[str], found: _File) -> int:
    count, width, _ = _widths(lines, at + 1)
    end = _end(lines, at + 2, at)
    if len(fields) < 3 or fields[2].upper() != "SOLID" or count <= _ATTRIBUTES:
        found.lost["EBLOCK without SOLID"] += 1
        return end + 1
    table = whole_columns(lines[at + 2 : end], width, count, at + 3).tolist()
    row = 0
    while row < len(table):
        start, wanted = table[row], table[row][8]
        nodes = start[_ATTRIBUTES:]
        row += 1
        while len(nodes) < wanted and row < len(table):
            nodes += table[row]
            row += 1
        if len(nodes) < wanted or wanted < 0:
            text = f"line {at + 2 + row}: element {start[10]} does not have its {wanted} nodes."
            raise InputError([Fault(text, hint="Check that the file is complete.")])
        found.elements.append([*start[:_ATTRIBUTES], *nodes[:wanted]])
    return end + 1


def _component(lines: list[str], at: int, fields: list[str], found: _File) -> int:
    """A component: numbers, of which a negative one ends the range that the one before it begins."""
    name, kind, total = fields[1], fields[2].upper(), int(fields[3].split()[0])
    per_line, width, _ = _widths(lines, at + 1)
    rows = -(-total // max(per_line, 1))
    table = whole_columns(lines[at + 2 : at + 2 + rows], width, per_line, at + 3).reshape(-1)[:total]
    pieces = []
    for i, number in enumerate(table.tolist()):
        if number >= 0:
            pieces.append(np.array([number], dtype=np.int64))
        elif i and 0 <= -number - table[i - 1] < 50_000_000:
            pieces.append(np.arange(table[i - 1] + 1, -number + 1, dtype=np.int64))
        else:
            raise InputError([Fault(f"line {at + 1}: the component '{name[:40]}' has a range that does not begin.")])
    found.components[name] = (kind, np.concatenate([np.zeros(0, dtype=np.int64), *pieces]))
    return at + 2 + rows


def _assemble(found: _File) -> RawMesh:
    ids = np.concatenate(found.node_ids)
    mesh = RawMesh(np.concatenate(found.points), ids)
    numbering = Numbering(ids)
    faults: list[Fault] = []
    groups: dict[tuple[str, str], list[list[int]]] = {}
    for row in found.elements:
        number = found.types.get(row[1], 0)
        kind, nodes = cells_of(number, row[_ATTRIBUTES:])
        if not nodes:
            found.lost[f"{kind} {number}"] += 1
        else:
            groups.setdefault((kind, f"element {number}"), []).append([row[10], row[0], row[3], row[2], *nodes])
    owners: list[Integers] = []
    for (kind, word), table in groups.items():
        values = np.array(table, dtype=np.int64)
        cells = cells_by_point_ids(kind, values[:, 0], values[:, 4:], numbering, faults, "element")
        is_shell = int(word.split()[1]) in SHELLS
        mesh.cells.append(RawCells(kind, cells.nodes, values[:, 0], "" if kind in SOLIDS else word, is_shell))
        owners.append(values[:, :4])
        for number in np.unique(values[:, 1]):
            members = np.flatnonzero(values[:, 1] == number)
            mesh.cell_sets.setdefault(f"mat_{number}", {})[len(mesh.cells) - 1] = members
    if faults:
        raise InputError(faults)
    _components(found, mesh, numbering)
    mesh.deck = _deck(found, mesh, numbering, owners)
    mesh.losses += _losses(found)
    if found.turned:
        mesh.notes.append(f"{found.turned} nodes have rotated systems, which were not read: supports there may differ.")
    return mesh


def _components(found: _File, mesh: RawMesh, numbering: Numbering) -> None:
    ids = [cells.ids for cells in mesh.cells if cells.ids is not None]
    starts = np.cumsum([0, *(len(part) for part in ids)])
    elements = Numbering(np.concatenate([np.zeros(0, dtype=np.int64), *ids]))
    for name, (kind, numbers) in found.components.items():
        places, known = (numbering if kind.startswith("NODE") else elements).find(numbers)
        places = np.unique(places[known])
        if kind.startswith("NODE"):
            mesh.node_sets[name] = places
        else:
            block = np.searchsorted(starts, places, side="right") - 1
            mesh.cell_sets[name] = {int(i): places[block == i] - starts[i] for i in np.unique(block)}


def _deck(found: _File, mesh: RawMesh, numbering: Numbering, owners: list[Integers]) -> Deck:
    materials, unusable = deck_materials(found.materials)
    if unusable:
        mesh.losses.append(Loss("materials", f"cannot be used: {'; '.join(unusable[:3])}", len(unusable)))
    solids = []
    for number in found.materials:
        name = f"mat_{number}"
        members = mesh.cell_sets.get(name, {})
        cells = {block: rows for block, rows in members.items() if mesh.cells[block].kind in SOLIDS}
        if cells:
            solids.append(SolidProperty(name, cells, name))
    shells = []
    for section, thickness in found.thickness.items():
        for number in found.materials:
            cells = {
                block: rows
                for block, owner in enumerate(owners)
                if mesh.cells[block].has_section
                and len(rows := np.flatnonzero((owner[:, 1] == number) & (owner[:, 2] == section)))
            }
            if cells:
                shells.append(ShellProperty(f"section_{section}", cells, f"mat_{number}", thickness))
    groups: dict[tuple[str, float], list[int]] = {}
    for (node, value), held in found.held.items():
        groups.setdefault(("".join(sorted(held)), value), []).append(node)
    supports = []
    for (components, value), nodes in groups.items():
        places, known = numbering.find(np.array(nodes, dtype=np.int64))
        if components:
            supports.append(Support("support", np.unique(places[known]), components, value))
    return Deck(materials, shells=tuple(shells), solids=tuple(solids), supports=tuple(supports))


def _losses(found: _File) -> list[Loss]:
    losses = []
    kinds: dict[str, Counter[str]] = {}
    for word, count in found.lost.items():
        if word.split()[0] != "mesh":
            kinds.setdefault(lost_kind(word), Counter())[word] += count
    for kind, counts in kinds.items():
        words = ", ".join(f"{count:,} {word}" for word, count in counts.items())
        level = "bad" if kind == "elements" else "care"
        losses.append(Loss(kind, f"{words} left out: {_WHY.get(kind, 'they are not read')}", counts.total(), level))
    if found.held:
        text = f"supports of {len(found.held):,} nodes left out: the body is free, and joints of the model hold it"
        losses.append(Loss("supports", text, len(found.held), "note", deck="supports"))
    return losses
