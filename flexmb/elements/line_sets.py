"""Line cells of a mesh as beams, and their properties: one value for all, or one per cell set.

Input: a mesh and values. Output: beams (pairs of nodes), a value for each, and all faults: points without beams,
unknown sets, cells without a value or with two different ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault
from flexmb.mesh.deck import deck_nodes
from flexmb.mesh.mesh import LINES, Mesh
from flexmb.suggestions import did_you_mean


@dataclass(frozen=True)
class LineCells:
    """Beams of the line cells: a three-node cell is two of them, start to middle and middle to end."""

    ends: Integers
    """(e, 2) node numbers"""
    block: Integers
    """(e,) block of `mesh.cells` that it comes from"""
    cell: Integers
    """(e,) number of the cell in its block"""
    number: Integers
    """(e,) number of the cell among all line cells, counted over the blocks"""
    ids: Integers
    """(e,) number of the cell in its file, or its `number` counted from 1"""

    def name(self, beam: int) -> str:
        """Name of the cell of a beam in messages."""
        return f"cell {self.ids[beam]}"


def line_cells(mesh: Mesh) -> tuple[LineCells, list[Fault]]:
    """The beams of a mesh, and its faults."""
    faults = []
    parts: list[tuple[Integers, ...]] = []
    first = 0
    for block, cells in enumerate(mesh.cells):
        if cells.kind not in LINES:
            continue
        n = len(cells)
        number = np.arange(first, first + n)
        ids = number + 1 if cells.ids is None else cells.ids
        pairs = [(0, 1)] if cells.kind == "line2" else [(0, 2), (2, 1)]
        for pair in pairs:
            parts.append((cells.nodes[:, pair], np.full(n, block), np.arange(n), number, ids))
        first += n
    if not parts:
        faults.append(Fault("the mesh has no line cells", ("mesh",), "Beams need line cells (2 or 3 nodes)."))
        empty = np.zeros(0, dtype=np.int64)
        return LineCells(np.zeros((0, 2), dtype=np.int64), empty, empty, empty, empty), faults
    lines = LineCells(*(np.concatenate(columns).astype(np.int64) for columns in zip(*parts, strict=True)))
    return lines, faults + _wrong_points(mesh, lines)


def _wrong_points(mesh: Mesh, lines: LineCells) -> list[Fault]:
    n = len(mesh.points)
    faults = []
    if lines.ends.min() < 0 or lines.ends.max() >= n:
        return [Fault(f"line cells use nodes outside 0 .. {n - 1}", ("mesh",))]
    if not np.isfinite(mesh.points).all():
        faults.append(Fault("points have coordinates that are not finite", ("mesh",)))
    unused = np.setdiff1d(np.setdiff1d(np.arange(n), lines.ends), deck_nodes(mesh.deck))
    if unused.size and all(cells.kind in LINES for cells in mesh.cells):
        text = f"{unused.size} points belong to no line cell, the first is number {unused[0]}"
        faults.append(Fault(text, ("mesh",), "Remove them: nothing holds them."))
    return faults


def values_of(mesh: Mesh, lines: LineCells, given: Any, what: str, kind: type) -> tuple[list[Any], list[Fault]]:
    """One value of type `kind` per beam; `given` is the value, or a mapping of cell sets to values."""
    if isinstance(given, kind):
        return [given] * len(lines.ends), []
    if not isinstance(given, Mapping):
        text = f"{what} must be a {kind.__name__} or a mapping of cell sets to them, found {type(given).__name__}"
        return [None] * len(lines.ends), [Fault(text, (what,))]
    faults = [
        Fault(f"{what} of set '{name}' is not a {kind.__name__}", (what, name))
        for name, value in given.items()
        if not isinstance(value, kind)
    ]
    owner, found = _owners(mesh, lines, list(given), what, list(given.values()))
    values = list(given.values())
    return [None if number < 0 else values[number] for number in owner], faults + found


def directions_of(mesh: Mesh, lines: LineCells, given: Any) -> tuple[Floats, list[Fault]]:
    """(e, 3) direction of every beam's y axis; rows of NaN where none is given."""
    n_beams, n_cells = len(lines.ends), int(lines.number.max()) + 1
    wanted = np.full((n_beams, 3), np.nan)
    if given is None:
        return wanted, []
    if isinstance(given, Mapping):
        vectors = [_vector(value) for value in given.values()]
        names = list(given)
        faults = [
            Fault(f"y_axis of set '{name}' must be three numbers, not all zero", ("y_axis", name))
            for name, vector in zip(names, vectors, strict=True)
            if vector is None
        ]
        keys = [None if vector is None else tuple(vector) for vector in vectors]
        owner, found = _owners(mesh, lines, names, "y_axis", keys, needed=False)
        if not faults:
            table = np.array([*vectors, np.full(3, np.nan)])
            wanted = table[owner]
        return wanted, faults + found
    one = _vector(given)
    if one is not None:
        return np.tile(one, (n_beams, 1)), []
    try:
        table = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.shape == (n_cells, 3) and np.isfinite(table).all() and (np.abs(table).max(axis=1) > 0.0).all():
        return table[lines.number], []
    text = f"y_axis must be a direction of three numbers, or one for each of the {n_cells} line cells"
    return wanted, [Fault(text, ("y_axis",), "Directions must be finite and not zero.")]


def _vector(value: Any) -> Floats | None:
    try:
        vector = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None
    return vector if vector.shape == (3,) and np.isfinite(vector).all() and np.abs(vector).max() > 0.0 else None


def _owners(
    mesh: Mesh, lines: LineCells, names: list[str], what: str, values: list[Any], needed: bool = True
) -> tuple[Integers, list[Fault]]:
    """(e,) index of the set in `names` that gives each beam its value, -1 for none."""
    owner = np.full(len(lines.ends), -1, dtype=np.int64)
    faults = []
    for number, name in enumerate(names):
        if name not in mesh.cell_sets:
            faults.append(
                Fault(
                    f"the mesh has no cell set '{name}'",
                    (what, name),
                    did_you_mean(str(name), mesh.cell_sets, "Sets of the mesh"),
                )
            )
            continue
        inside = np.zeros(len(lines.ends), dtype=bool)
        for block, cells in enumerate(mesh.cell_sets[name]):
            inside |= (lines.block == block) & np.isin(lines.cell, cells)
        for other in np.unique(owner[inside]):
            if other >= 0 and values[other] != values[number]:
                text = f"the sets '{names[other]}' and '{name}' share line cells and give them different values"
                faults.append(Fault(text, (what, name)))
        owner[inside] = number
    left = np.unique(lines.number[owner < 0])
    if needed and left.size and not faults:
        first = lines.name(int(np.flatnonzero(owner < 0)[0]))
        text = f"{left.size} line cells have no {what}, the first is {first}"
        faults.append(Fault(text, (what,), f"Sets of the mesh: {', '.join(mesh.cell_sets) or 'none'}."))
    return owner, faults
