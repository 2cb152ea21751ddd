"""Universal files (.unv): nodes (data sets 15, 781, 2411), elements (780, 2412), groups (2435, 2467, 2477, ...), units.

A data set is between two lines of -1, its number on its first line. Middle nodes of second-order elements come around
the edges, between the corners. Groups become sets by their names, physical properties the sets pid_N. Materials and
sections are not read: the file is a mesh.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.formats.fixed_columns import real_columns, whole_columns
from flexmb.mesh.length_units import UNITS
from flexmb.mesh.losses import Loss
from flexmb.mesh.raw import Numbering, RawMesh, cells_by_point_ids

_LINE3 = [0, 2, 1]
_TRI6 = [0, 2, 4, 1, 3, 5]
_QUAD8 = [0, 2, 4, 6, 1, 3, 5, 7]
_TET10 = [0, 2, 4, 9, 1, 3, 5, 6, 7, 8]
_WEDGE15 = [0, 2, 4, 9, 11, 13, 1, 3, 5, 10, 12, 14, 6, 7, 8]
_HEX20 = [0, 2, 4, 6, 12, 14, 16, 18, 1, 3, 5, 7, 13, 15, 17, 19, 8, 9, 10, 11]
_BEAMS = (11, 21, 22, 23, 24)
"""Descriptors of elements with a record of their own before their nodes"""
_ELEMENTS: dict[int, tuple[str, list[int] | None]] = {
    **dict.fromkeys((11, 21, 22), ("line2", None)),
    **dict.fromkeys((23, 24), ("line3", _LINE3)),
    **dict.fromkeys((41, 51, 61, 71, 81, 91), ("tri3", None)),
    **dict.fromkeys((42, 52, 62, 72, 82, 92), ("tri6", _TRI6)),
    **dict.fromkeys((44, 54, 64, 74, 84, 94), ("quad4", None)),
    **dict.fromkeys((45, 55, 65, 75, 85, 95), ("quad8", _QUAD8)),
    111: ("tet4", None),
    112: ("wedge6", None),
    113: ("wedge15", _WEDGE15),
    115: ("hex8", None),
    116: ("hex20", _HEX20),
    118: ("tet10", _TET10),
}
"""Descriptor of an element -> cell type, and index of each node of the VTK order where the orders differ"""
_LEFT_OUT = {
    "ties": (121, 122, 123, 124),
    "springs": (136, 137, 138, 139, 141, 142),
    "masses": (161,),
}
_GROUPS = (2417, 2429, 2430, 2432, 2435, 2452, 2467, 2477)


@dataclass
class _DataSet:
    number: int
    lines: list[str]
    first: int
    """Number of its first line in the file"""

    def cut(self) -> InputError:
        text = f"the data set {self.number} that begins at line {self.first} is truncated."
        return InputError([Fault(text, hint="Write the file again.")])


def read_universal_file(path: Path) -> RawMesh:
    """Points, cells and groups of a universal file, in the units of the file."""
    ids: list[Integers] = []
    points: list[Floats] = []
    elements: list[_DataSet] = []
    groups: list[_DataSet] = []
    unit = ""
    for data in _data_sets(path):
        if data.number in (15, 781, 2411):
            own, x = _nodes(data)
            ids.append(own)
            points.append(x)
        elif data.number in (780, 2412):
            elements.append(data)
        elif data.number in _GROUPS:
            groups.append(data)
        elif data.number == 164:
            unit = _unit(data)
    if not points:
        hint = "Only the mesh of a universal file is read: data sets 2411 and 2412."
        raise InputError([Fault("the file contains no nodes.", hint=hint)])
    mesh = RawMesh(np.concatenate(points), np.concatenate(ids), unit=unit)
    numbering = Numbering(mesh.point_ids if mesh.point_ids is not None else np.zeros(0, dtype=np.int64))
    faults: list[Fault] = []
    for data in elements:
        _elements(data, mesh, numbering, faults)
    if faults:
        raise InputError(faults)
    cell_numbers = _CellNumbers(mesh)
    for data in groups:
        _group(data, mesh, numbering, cell_numbers)
    return mesh


def _data_sets(path: Path) -> Iterator[_DataSet]:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    marks = [i for i, line in enumerate(lines) if line[:6].strip() == "-1" and not line[6:].strip()]
    if len(marks) % 2:
        text = f"the data set that begins at line {marks[-1] + 1} has no end." if marks else "it has no data sets."
        raise InputError([Fault(text, hint="The file is truncated. Write it again.")])
    for begin, end in zip(marks[::2], marks[1::2], strict=True):
        head = lines[begin + 1][:6].strip() if begin + 1 < end else ""
        if not head.isdigit():  # binary data sets have letters after the number
            raise InputError([Fault(f"line {begin + 2}: a data set has no number.")])
        yield _DataSet(int(head), lines[begin + 2 : end], begin + 3)


def _nodes(data: _DataSet) -> tuple[Integers, Floats]:
    if data.number == 15:
        return whole_columns(data.lines, 10, 1, data.first)[:, 0], real_columns(data.lines, 13, 3, data.first, 40)
    if len(data.lines) % 2:
        raise data.cut()
    ids = whole_columns(data.lines[::2], 10, 1, data.first)[:, 0]
    return ids, real_columns(data.lines[1::2], 25, 3, data.first + 1)


def _unit(data: _DataSet) -> str:
    """The unit of length: the factor converts metres to it."""
    factor = real_columns(data.lines[1:2], 25, 1, data.first + 1)
    if not len(factor) or not factor[0, 0] > 0.0:
        return ""
    return next((name for name, metres in UNITS.items() if abs(factor[0, 0] * metres - 1.0) < 1e-4), "")


def _elements(data: _DataSet, mesh: RawMesh, numbering: Numbering, faults: list[Fault]) -> None:
    """Add the elements, one block per type: a record with six numbers, one more for beams, then nodes, 8 on a line."""
    found: dict[str, list[list[int]]] = {}
    lost: dict[str, int] = {}
    at, heads = 0, 7 if data.number == 780 else 6
    while at < len(data.lines):
        head = _whole(data, at, heads)
        label, kind, owner, count = head[0], head[1], head[2 if heads == 6 else 3], head[-1]
        at += 2 if kind in _BEAMS else 1
        rows = -(-count // 8) if count > 0 else 0
        if count < 0 or at + rows > len(data.lines):
            raise data.cut()
        nodes = [number for row in range(rows) for number in _whole(data, at + row, min(8, count - 8 * row))]
        at += rows
        name, order = _ELEMENTS.get(kind, (f"element type {kind}", None))
        if kind in _ELEMENTS and len(nodes) != int(name.lstrip("abcdefghijklmnopqrstuvwxyz")):
            faults.append(Fault(f"line {data.first + at - rows}: element {label} has {len(nodes)} nodes, not {name}."))
            return
        word = next((word for word, kinds in _LEFT_OUT.items() if kind in kinds), "")
        if word:
            lost[word] = lost.get(word, 0) + 1
        else:
            row = nodes if order is None else [nodes[i] for i in order]
            found.setdefault(name, []).append([label, owner, *(row if kind in _ELEMENTS else [])])
    for name, table in found.items():
        _block(name, np.array(table, dtype=np.int64), mesh, numbering, faults)
    for word, count in lost.items():
        mesh.losses.append(
            Loss(word, f"{count:,} {word} of the file left out: they are not read from universal files", count)
        )


def _whole(data: _DataSet, at: int, count: int) -> list[int]:
    """The first numbers of a line, in columns of ten."""
    line = data.lines[at]
    try:
        return [int(line[10 * i : 10 * i + 10]) for i in range(count)]
    except ValueError:
        text = f"line {data.first + at}: '{line.strip()[:60]}' does not have {count} whole numbers."
        raise InputError([Fault(text, hint="Check that the file is complete.")]) from None


def _block(name: str, table: Integers, mesh: RawMesh, numbering: Numbering, faults: list[Fault]) -> None:
    block = len(mesh.cells)
    mesh.cells.append(cells_by_point_ids(name, table[:, 0], table[:, 2:], numbering, faults, "element"))
    for number in np.unique(table[:, 1]):
        if number > 0:
            mesh.cell_sets.setdefault(f"pid_{number}", {})[block] = np.flatnonzero(table[:, 1] == number)


class _CellNumbers:
    """Finds cells by the numbers of elements."""

    def __init__(self, mesh: RawMesh) -> None:
        ids = [cells.ids for cells in mesh.cells if cells.ids is not None]
        self.starts = np.cumsum([0, *(len(part) for part in ids)])
        self.numbering = Numbering(np.concatenate([np.zeros(0, dtype=np.int64), *ids]))

    def find(self, wanted: Integers) -> dict[int, Integers]:
        places, known = self.numbering.find(wanted)
        places = np.unique(places[known])
        block = np.searchsorted(self.starts, places, side="right") - 1
        return {int(i): places[block == i] - self.starts[i] for i in np.unique(block)}


def _group(data: _DataSet, mesh: RawMesh, numbering: Numbering, cells: _CellNumbers) -> None:
    """Add the groups: a record with the number of entities at its end, a name, then entities: type, number, ...

    Data sets since 2430 have two entities of four numbers on a line, older ones four of two numbers.
    """
    width = 4 if data.number >= 2430 else 2
    per_line = 8 // width
    at = 0
    while at < len(data.lines):
        count = int(whole_columns(data.lines[at : at + 1], 10, 8, data.first + at)[0, -1])
        rows = -(-count // per_line)
        if count < 0 or at + 2 + rows > len(data.lines):
            raise data.cut()
        name = data.lines[at + 1].strip() or f"group_{at}"
        table = whole_columns(data.lines[at + 2 : at + 2 + rows], 10, 8, data.first + at + 2)
        entries = table.reshape(-1, width)[:count]
        at += 2 + rows
        places, known = numbering.find(entries[entries[:, 0] == 7, 1])
        if known.any():
            mesh.node_sets[name] = np.unique(places[known])
        if members := cells.find(entries[entries[:, 0] == 8, 1]):
            mesh.cell_sets[name] = members
