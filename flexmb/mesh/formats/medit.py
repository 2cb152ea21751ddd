"""Medit meshes of second order (.mesh, ASCII), which meshio does not know: TetrahedraP2, HexahedraQ2 and their kin.

A keyword is followed by the number of rows, and each row ends with a reference. References become sets with the names
that meshio gives them: medit:ref_N. The order of middle nodes follows from the geometry (`repairs.py`).
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.raw import RawCells, RawMesh, whole_numbers

_CELLS = {
    "Edges": ("line2", 2),
    "EdgesP2": ("line3", 3),
    "Triangles": ("tri3", 3),
    "TrianglesP2": ("tri6", 6),
    "Quadrilaterals": ("quad4", 4),
    "QuadrilateralsQ2": ("quad9", 9),
    "Tetrahedra": ("tet4", 4),
    "TetrahedraP2": ("tet10", 10),
    "Prisms": ("wedge6", 6),
    "PrismsP2": ("wedge18", 18),
    "Pyramids": ("pyramid5", 5),
    "PyramidsP2": ("pyramid14", 14),
    "Hexahedra": ("hex8", 8),
    "HexahedraQ2": ("hex27", 27),
}
"""Keyword -> cell type, number of nodes"""
_SECOND_ORDER = re.compile(rb"^\s*\w+(?:P2|Q2)\s*$", re.MULTILINE)
_KEYWORD = re.compile(r"[A-Za-z]\w*")


def is_second_order(path: Path) -> bool:
    """Whether an ASCII file has cells of second order."""
    return path.suffix.lower() == ".mesh" and _SECOND_ORDER.search(path.read_bytes()) is not None


def read_medit(path: Path) -> RawMesh:
    """Points, cells and references, in the units of the file."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    words = [(i, line.split()) for i, line in enumerate(lines) if _KEYWORD.match(line.strip())]
    sections = {}
    for (at, head), (end, _) in zip(words, [*words[1:], (len(lines), [])], strict=True):
        sections[head[0]] = (at + 1, head[1:], lines[at + 1 : end])
    if "End" not in sections:
        raise InputError([Fault("the file has no End.", hint="The file is truncated. Write it again.")])
    dimension = _numbers("Dimension", sections) if "Dimension" in sections else np.array([3.0])
    if dimension.tolist() != [3.0] or "Vertices" not in sections:
        raise InputError([Fault("the file contains no points in 3D.")])
    points = _table("Vertices", sections, 4)
    mesh = RawMesh(points[:, :3])
    for word, (kind, count) in _CELLS.items():
        if word in sections:
            _cells(word, kind, whole_numbers(_table(word, sections, count + 1), word), mesh)
    return mesh


def _numbers(word: str, sections: dict[str, tuple[int, list[str], list[str]]]) -> Floats:
    line, behind, rows = sections[word]
    try:
        return np.array([*behind, *" ".join(row.partition("#")[0] for row in rows).split()], dtype=np.float64)
    except ValueError:
        raise InputError([Fault(f"line {line}: {word} has a field that is not a number.")]) from None


def _table(word: str, sections: dict[str, tuple[int, list[str], list[str]]], width: int) -> Floats:
    values = _numbers(word, sections)
    if not len(values) or len(values) - 1 != values[0] * width:
        text = f"line {sections[word][0]}: {word} does not have as many rows of {width} numbers as it says."
        raise InputError([Fault(text, hint="Check that the file is complete.")])
    return values[1:].reshape(-1, width)


def _cells(word: str, kind: str, table: Integers, mesh: RawMesh) -> None:
    nodes = table[:, :-1] - 1
    if nodes.size and (nodes.min() < 0 or nodes.max() >= len(mesh.points)):
        raise InputError([Fault(f"{word} use a point that is not in the file (it has {len(mesh.points)}).")])
    block = len(mesh.cells)
    mesh.cells.append(RawCells(kind, nodes))
    for number in np.unique(table[:, -1]):
        mesh.cell_sets.setdefault(f"medit:ref_{number}", {})[block] = np.flatnonzero(table[:, -1] == number)
