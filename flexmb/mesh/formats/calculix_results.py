"""Meshes in result files of CalculiX (.frd, ASCII): block 2C of nodes, block 3C of elements.

Line of a node or element: a key (-1, -2 for further nodes), then columns of fixed width; -3 ends a block. Results are
not read. The program writes beams and shells as the solids that it computes with. Materials become the sets mat_N.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmb.errors import Fault, InputError
from flexmb.mesh.formats.fixed_columns import real_columns, whole_columns
from flexmb.mesh.raw import Numbering, RawMesh, cells_by_point_ids

_WEDGE15 = [*range(9), 12, 13, 14, 9, 10, 11]
_HEX20 = [*range(12), 16, 17, 18, 19, 12, 13, 14, 15]
_ELEMENTS: dict[int, tuple[str, int, list[int] | None]] = {
    1: ("hex8", 8, None),
    2: ("wedge6", 6, None),
    3: ("tet4", 4, None),
    4: ("hex20", 20, _HEX20),
    5: ("wedge15", 15, _WEDGE15),
    6: ("tet10", 10, None),
    7: ("tri3", 3, None),
    8: ("tri6", 6, None),
    9: ("quad4", 4, None),
    10: ("quad8", 8, None),
    11: ("line2", 2, None),
    12: ("line3", 3, [0, 2, 1]),
}
"""Element type -> cell type, number of nodes, index of each node of the VTK order where the orders differ"""


def read_calculix_results(path: Path) -> RawMesh:
    """Points and cells of a result file, in the units of the file."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    begin, end, width = _block(lines, "2C")
    rows = lines[begin:end]
    ids = whole_columns(rows, width, 1, begin + 1, 3)[:, 0]
    points = real_columns(rows, 12, 3, begin + 1, 3 + width)
    mesh = RawMesh(points, ids)
    _elements(lines, mesh, Numbering(ids))
    return mesh


def _block(lines: list[str], key: str) -> tuple[int, int, int]:
    """First and last line of a block, and the width of its numbers."""
    start = next((i for i, line in enumerate(lines) if line[:6].strip() == key), None)
    if start is None:
        raise InputError([Fault(f"the file has no block {key}: no mesh.", hint="Write it with the mesh (*NODE FILE).")])
    form = lines[start][73:75].strip() or "1"
    if form not in ("0", "1"):
        raise InputError([Fault(f"line {start + 1}: the block {key} is binary.", hint="Write the file as ASCII.")])
    end = next((i for i in range(start + 1, len(lines)) if lines[i][:3].strip() == "-3"), None)
    if end is None:
        raise InputError([Fault(f"line {start + 1}: the block {key} has no end.", hint="The file is truncated.")])
    return start + 1, end, 5 if form == "0" else 10


def _elements(lines: list[str], mesh: RawMesh, numbering: Numbering) -> None:
    begin, end, width = _block(lines, "3C")
    most = 15 if width == 5 else 10
    heads = [i for i in range(begin, end) if lines[i][:3] == " -1"]
    table = whole_columns([lines[i][3 : 3 + width].rjust(10) + lines[i][3 + width :] for i in heads], 5, 5, begin + 1)
    ids = whole_columns([lines[i] for i in heads], width, 1, begin + 1, 3)[:, 0]
    faults: list[Fault] = []
    found: dict[int, list[int]] = {}
    for row, kind in enumerate(table[:, 2].tolist()):
        found.setdefault(kind, []).append(row)
    for kind, rows in found.items():
        name, count, order = _ELEMENTS.get(kind, (f"element type {kind}", 0, None))
        texts = []
        for row in rows:
            last = heads[row + 1] if row + 1 < len(heads) else end
            texts.append("".join(lines[i][3:].ljust(most * width) for i in range(heads[row] + 1, last)))
        members = whole_columns(texts, width, max(count, 1), begin + 1)[:, :count]
        short = np.flatnonzero((members == 0).any(axis=1))
        if len(short):
            row = rows[short[0]]
            raise InputError([Fault(f"line {heads[row] + 1}: element {ids[row]} has fewer than {count} nodes.")])
        members = members if order is None else members[:, order]
        own = np.array(rows, dtype=np.int64)
        block = len(mesh.cells)
        mesh.cells.append(cells_by_point_ids(name, ids[own], members, numbering, faults, "element"))
        for number in np.unique(table[own, 4]):
            mesh.cell_sets.setdefault(f"mat_{number}", {})[block] = np.flatnonzero(table[own, 4] == number)
    if faults:
        raise InputError(faults)
