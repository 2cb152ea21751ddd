"""Gmsh mesh files, versions 2.2, 4.0 and 4.1, text and binary [Gmsh manual, "MSH file format"].

Physical groups become sets, also several on one entity and groups without a name (surface_3, volume_1, ...). Without
any group the geometrical entities give the sets in the same way. Version 2.2 writes an element once per group; these
copies are merged.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.formats.gmsh_stream import BinaryNumbers, Numbers, TextNumbers, truncated
from flexmb.mesh.raw import Numbering, RawCells, RawMesh, cells_by_point_ids, distinct, whole_numbers

_HEX20 = [*range(8), 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15]
_WEDGE15 = [*range(6), 6, 9, 7, 12, 14, 13, 8, 10, 11]
_PYRAMID13 = [*range(5), 5, 8, 10, 6, 7, 9, 11, 12]
_TYPES: dict[int, tuple[str, int, list[int] | None]] = {
    1: ("line2", 2, None),
    2: ("tri3", 3, None),
    3: ("quad4", 4, None),
    4: ("tet4", 4, None),
    5: ("hex8", 8, None),
    6: ("wedge6", 6, None),
    7: ("pyramid5", 5, None),
    8: ("line3", 3, None),
    9: ("tri6", 6, None),
    10: ("quad9", 9, None),
    11: ("tet10", 10, [0, 1, 2, 3, 4, 5, 6, 7, 9, 8]),
    12: ("hex27", 27, [*_HEX20, 22, 23, 21, 24, 20, 25, 26]),
    13: ("wedge18", 18, [*_WEDGE15, 15, 17, 16]),
    14: ("pyramid14", 14, [*_PYRAMID13, 13]),
    15: ("vertex", 1, None),
    16: ("quad8", 8, None),
    17: ("hex20", 20, _HEX20),
    18: ("wedge15", 15, _WEDGE15),
    19: ("pyramid13", 13, _PYRAMID13),
}
"""Element type number of Gmsh -> cell type, number of nodes, index of each node of the VTK order in that of Gmsh"""
_DIMENSIONS = {"vertex": 0, "line": 1, "tri": 2, "quad": 2}
_WORDS = ("point", "line", "surface", "volume")


@dataclass
class _Found:
    """Contents of the sections."""

    names: dict[tuple[int, int], str] = field(default_factory=dict)
    """(dimension, tag) of a physical group -> name"""
    groups: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    """(dimension, tag) of an entity -> tags of its physical groups"""
    node_ids: list[Integers] = field(default_factory=list)
    points: list[Floats] = field(default_factory=list)
    blocks: list[tuple[int, Integers, Integers, Integers, Integers]] = field(default_factory=list)
    """Element type, ids, nodes, tag of the physical group (-1: by entity, 0: none) and entity of every element"""


def read_gmsh(path: Path) -> RawMesh:
    """Points, cells and physical groups of a Gmsh file (2.2, 4.0, 4.1; text or binary), in the units of the file."""
    data = path.read_bytes()
    header = re.match(rb"\s*\$MeshFormat\s+(\d+(?:\.\d+)?)\s+([01])\s+(\d{1,3})[ \t]*\r?\n", data)
    if header is None:
        raise InputError([Fault("the file does not begin with $MeshFormat followed by version, type and data size.")])
    version, is_binary, size = header.group(1).decode(), header.group(2) == b"1", int(header.group(3))
    if version not in ("2", "2.0", "2.1", "2.2", "4", "4.0", "4.1") or size not in (4, 8):
        allowed = "Allowed: versions 2.2, 4.0 and 4.1."
        text = f"version {version} of the Gmsh format with data size {size} is not supported."
        raise InputError([Fault(text, hint=allowed)])
    order = "<" if data[header.end() : header.end() + 4] != b"\x00\x00\x00\x01" else ">"
    found = _Found()
    position = data.find(b"$EndMeshFormat")
    while (section := re.compile(rb"^\$(?!End)(\w+)[^\n]*\n", re.MULTILINE).search(data, max(position, 0))) is not None:
        name, start = section.group(1).decode(), section.end()
        if name == "PhysicalNames":
            _read_names(data, start, found)
        elif name in ("Entities", "Nodes", "Elements"):
            read = {"2": _SECTIONS_2, "4": _SECTIONS_4}[version[0]].get(name)
            if read is not None:
                position = read(data, start, is_binary, order, size, version, found)
        elif name == "PartitionedEntities":
            raise InputError([Fault("the mesh is partitioned.", hint="Save it without partitions.")])
        closing = data.find(b"$End" + name.encode(), max(position, start))
        if closing < 0:
            raise truncated(name)
        position = closing + 4 + len(name)
    return _assemble(found, version)


def _numbers(data: bytes, start: int, section: str, is_binary: bool, order: str, size: int) -> Numbers:
    if is_binary:
        return BinaryNumbers(data, start, section, order, size)
    return TextNumbers(data, start, section)


def _read_names(data: bytes, start: int, found: _Found) -> None:
    end = data.find(b"$EndPhysicalNames", start)
    text = data[start : max(end, start)].decode("utf-8", errors="replace")
    for dimension, tag, name in re.findall(r'^\s*(\d)\s+(-?\d{1,18})\s+"(.*)"\s*$', text, re.MULTILINE):
        found.names[int(dimension), int(tag)] = name


def _entities_4(data: bytes, start: int, is_binary: bool, order: str, size: int, version: str, found: _Found) -> int:
    numbers = _numbers(data, start, "Entities", is_binary, order, size)
    box_of_point = 3 if version == "4.1" else 6
    for dimension, count in enumerate(numbers.sizes(4)):
        for _ in range(int(count)):
            tag = int(numbers.integers(1)[0])
            numbers.reals(6 if dimension else box_of_point)
            groups = numbers.integers(int(numbers.sizes(1)[0]))
            found.groups[dimension, tag] = [abs(int(group)) for group in groups]
            if dimension:
                numbers.integers(int(numbers.sizes(1)[0]))
    return numbers.end


def _nodes_4(data: bytes, start: int, is_binary: bool, order: str, size: int, version: str, found: _Found) -> int:
    numbers = _numbers(data, start, "Nodes", is_binary, order, size)
    is_new = version == "4.1"
    n_blocks = int(numbers.sizes(4 if is_new else 2)[0])
    for _ in range(n_blocks):
        head = numbers.integers(3)
        dimension, parametric = int(head[0] if is_new else head[1]), bool(head[2])
        count = int(numbers.sizes(1)[0])
        if not 0 <= dimension <= 3:
            raise truncated("Nodes")
        width = 3 + (dimension if parametric else 0)
        if is_new:
            ids = numbers.sizes(count)
            rows = numbers.reals(count * width).reshape(count, width)
        else:
            first, rows = numbers.records(count, 1, width)
            ids = first[:, 0]
        found.node_ids.append(ids)
        found.points.append(rows[:, :3])
    return numbers.end


def _elements_4(data: bytes, start: int, is_binary: bool, order: str, size: int, version: str, found: _Found) -> int:
    numbers = _numbers(data, start, "Elements", is_binary, order, size)
    is_new = version == "4.1"
    n_blocks = int(numbers.sizes(4 if is_new else 2)[0])
    for _ in range(n_blocks):
        head = numbers.integers(3)
        tag, kind = int(head[1] if is_new else head[0]), int(head[2])
        count = int(numbers.sizes(1)[0])
        width = 1 + _width(kind)
        read = numbers.sizes if is_new else numbers.integers
        rows = read(count * width).reshape(count, width)
        by_entity = np.full(count, -1, dtype=np.int64)
        found.blocks.append((kind, rows[:, 0], rows[:, 1:], by_entity, np.full(count, tag, dtype=np.int64)))
    return numbers.end


def _nodes_2(data: bytes, start: int, is_binary: bool, order: str, size: int, version: str, found: _Found) -> int:
    count, start = _count_line(data, start, "Nodes")
    numbers = _numbers(data, start, "Nodes", is_binary, order, size)
    ids, points = numbers.records(count, 1, 3)
    found.node_ids.append(ids[:, 0])
    found.points.append(points)
    return numbers.end


def _elements_2(data: bytes, start: int, is_binary: bool, order: str, size: int, version: str, found: _Found) -> int:
    count, start = _count_line(data, start, "Elements")
    numbers = _numbers(data, start, "Elements", is_binary, order, size)
    if isinstance(numbers, TextNumbers):
        _text_elements_2(numbers, count, found)
        return numbers.end
    while count > 0:
        kind, n_rows, n_tags = (int(number) for number in numbers.integers(3))
        if n_rows < 1 or n_tags < 0:
            raise truncated("Elements")
        rows = numbers.integers(n_rows * (1 + n_tags + _width(kind))).reshape(n_rows, -1)
        _add_rows_2(kind, n_tags, rows[:, :1], rows[:, 1:], found)
        count -= n_rows
    return numbers.end


def _text_elements_2(numbers: TextNumbers, count: int, found: _Found) -> None:
    """Rows `id type n_tags tags nodes`, read in runs of equal type and number of tags."""
    values, position, most = numbers.values, 0, 64
    while count > 0:
        if position + 3 > len(values):
            raise truncated("Elements")
        kind, n_tags = (int(number) for number in whole_numbers(values[position + 1 : position + 3], "$Elements"))
        if n_tags < 0:
            raise truncated("Elements")
        width = 3 + n_tags + _width(kind)
        n_rows = min(count, most, (len(values) - position) // width)
        if n_rows < 1:
            raise truncated("Elements")
        rows = values[position : position + n_rows * width].reshape(n_rows, width)
        other = np.flatnonzero((rows[:, 1] != kind) | (rows[:, 2] != n_tags))
        run = int(other[0]) if len(other) else n_rows
        # The length of a run is doubled while it lasts, so that many short ones stay cheap too.
        most = most * 2 if run == n_rows else 64
        whole = whole_numbers(rows[:run], "$Elements")
        _add_rows_2(kind, n_tags, whole[:, :1], whole[:, 3:], found)
        position += run * width
        count -= run


def _add_rows_2(kind: int, n_tags: int, ids: Integers, rest: Integers, found: _Found) -> None:
    none = np.zeros(len(ids), dtype=np.int64)
    physical = rest[:, 0] if n_tags > 0 else none
    entity = rest[:, 1] if n_tags > 1 else none
    found.blocks.append((kind, ids[:, 0], rest[:, n_tags:], np.abs(physical), entity))


_SECTIONS_2 = {"Nodes": _nodes_2, "Elements": _elements_2}
_SECTIONS_4 = {"Entities": _entities_4, "Nodes": _nodes_4, "Elements": _elements_4}


def _count_line(data: bytes, start: int, section: str) -> tuple[int, int]:
    line = re.compile(rb"\s*(\d{1,18})[ \t]*\r?\n").match(data, start)
    if line is None:
        raise truncated(section)
    return int(line.group(1)), line.end()


def _width(kind: int) -> int:
    if kind not in _TYPES:
        hint = "Set Mesh.ElementOrder to 1 or 2 in Gmsh: cells of first and second order are supported."
        raise InputError([Fault(f"the file contains cells of Gmsh type {kind}, which is not supported.", hint=hint)])
    return _TYPES[kind][1]


def _dimension(kind: str) -> int:
    return _DIMENSIONS.get(kind.rstrip("0123456789"), 3)


def _assemble(found: _Found, version: str) -> RawMesh:
    if not found.points or not found.blocks:
        missing = "$Nodes" if not found.points else "$Elements"
        raise InputError([Fault(f"the file has no {missing} section.", hint="It is truncated or contains no mesh.")])
    ids = np.concatenate(found.node_ids)
    numbering = Numbering(ids)
    faults: list[Fault] = []
    mesh = RawMesh(np.concatenate(found.points), ids)
    groups: list[Integers] = []
    entities: list[Integers] = []
    for number in dict.fromkeys(block[0] for block in found.blocks):
        same = [block for block in found.blocks if block[0] == number]
        kind, _, order = _TYPES[number]
        nodes = np.concatenate([block[2] for block in same])
        nodes = nodes if order is None else nodes[:, order]
        mesh.cells.append(
            cells_by_point_ids(kind, np.concatenate([b[1] for b in same]), nodes, numbering, faults, "element")
        )
        groups.append(np.concatenate([block[3] for block in same]))
        entities.append(np.concatenate([block[4] for block in same]))
    if faults:
        raise InputError(faults)
    _name_sets(mesh, found, groups, entities)
    return mesh


def _name_sets(mesh: RawMesh, found: _Found, groups: list[Integers], entities: list[Integers]) -> None:
    has_groups = any(found.groups.values()) or any(np.any(tags > 0) for tags in groups)
    if not has_groups:
        mesh.notes.append(
            "The file has no physical groups: the sets are its geometrical entities, such as surface_1 and volume_1."
        )
    for i, cells in enumerate(mesh.cells):
        dimension = _dimension(cells.kind)
        members: dict[str, list[Integers]] = defaultdict(list)
        keep, new = (np.arange(len(cells.nodes)),) * 2
        if has_groups and np.any(groups[i] >= 0):
            keep, new = _merge_copies(cells, groups[i], entities[i])
            for tag in np.unique(groups[i][groups[i] > 0]):
                members[_group_name(found, dimension, int(tag))].append(new[groups[i] == tag])
        elif has_groups:
            for entity in np.unique(entities[i]):
                chosen = np.flatnonzero(entities[i] == entity)
                for tag in found.groups.get((dimension, int(entity)), []):
                    members[_group_name(found, dimension, tag)].append(chosen)
        else:
            for entity in np.unique(entities[i]):
                members[f"{_WORDS[dimension]}_{entity}"].append(np.flatnonzero(entities[i] == entity))
        if len(keep) < len(cells.nodes):
            count = len(cells.nodes) - len(keep)
            mesh.notes.append(f"{count} copies of {cells.kind} cells that are in several physical groups were merged.")
            ids = cells.ids[keep] if cells.ids is not None else None
            mesh.cells[i] = RawCells(cells.kind, cells.nodes[keep], ids)
        for name, parts in members.items():
            mesh.cell_sets.setdefault(name, {})[i] = distinct(np.concatenate(parts), len(keep))


def _group_name(found: _Found, dimension: int, tag: int) -> str:
    return found.names.get((dimension, tag)) or f"{_WORDS[dimension]}_{tag}"


def _merge_copies(cells: RawCells, groups: Integers, entities: Integers) -> tuple[Integers, Integers]:
    """Cells to keep, and for every cell its new number: copies occur only if an entity is in several groups."""
    n = len(cells.nodes)
    pairs = np.unique(np.stack([entities, groups], axis=1), axis=0)
    if len(np.unique(pairs[:, 0])) == len(pairs):
        return np.arange(n), np.arange(n)
    _, first, inverse = np.unique(cells.nodes, axis=0, return_index=True, return_inverse=True)
    keep, rank = np.unique(first, return_inverse=True)
    return keep, rank[inverse.reshape(-1)]
