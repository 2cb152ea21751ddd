"""Build a `Mesh` from the raw data of a reader: check cell types, drop unused points, resolve sets, apply units.

Every set of the file becomes a node set, because interfaces are sets: of nodes as they are, of surfaces, lines or cells
by their nodes. Sets of solid and line cells are cell sets too, where materials are assigned. If several sets have one
name, the node set has priority over the surface, the surface over lines, and lines over cells.
Surface cells are shells if they have a section in the file, or are wanted and do not lie on solid cells; a file of
surface cells alone is one of shells. Lines along other cells are beams if they have a section in the file. Cells that
are left out although they have stiffness or mass are losses; `deck.USED` are the sections that the assembly uses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import USED, CellNumbers, Deck, deck_nodes
from flexmb.mesh.deck_build import length_by_materials, place_deck, unit_system
from flexmb.mesh.length_units import LARGEST_COORDINATE, UNITS, length_unit
from flexmb.mesh.losses import Loss, in_order, lost_elements, without_used
from flexmb.mesh.mesh import LINES, SOLIDS, SURFACES, Cells, Mesh
from flexmb.mesh.raw import RawMesh, distinct, listed
from flexmb.mesh.repairs import put_in_order, turn_inverted, with_centres

_WITHOUT_FACE_NODES = {"wedge18": "wedge15", "pyramid14": "pyramid13"}
_PRECEDENCE = ("nodes", "surface", "line", "cells")


def build_mesh(
    raw: RawMesh,
    unit: str | None,
    name: str = "",
    source: str = "",
    *,
    uses: frozenset[str] = USED,
    shells: bool = False,
) -> Mesh:
    """The mesh in metres, with notes on everything that differs from the file; uses : kinds of deck data."""
    notes = list(raw.notes)
    points = np.zeros((len(raw.points), 3))
    points[:, : raw.points.shape[1]] = raw.points
    _without_face_nodes(raw, notes)
    _reject_kinds(raw)
    shells = shells or not any(len(cells.nodes) for cells in raw.cells if cells.kind in {**SOLIDS, **LINES})
    roles = _roles(raw, len(points), notes, shells, uses)
    used = np.zeros(len(points), dtype=bool)
    for cells, role in zip(raw.cells, roles, strict=True):
        if role == "cells":
            used[cells.nodes] = True
    if raw.deck is not None and uses & {"masses", "springs", "ties"}:
        used[deck_nodes(raw.deck)] = True
    new = np.cumsum(used) - 1
    finite = points[used][np.isfinite(points[used]).all(axis=1)]
    extent = float(np.max(np.ptp(finite, axis=0))) if len(finite) else 0.0
    unit = unit or raw.unit or None
    by_materials = length_by_materials(raw.deck) if unit is None and raw.deck is not None else None
    unit, guess = length_unit(unit or by_materials, extent)
    if by_materials:
        guess = f"Unit guessed: {unit} (the materials of the file are usual ones in no other unit). Set it with --unit."
    notes += [guess] if guess else []
    node_sets = _node_sets(raw, roles, used, new, notes)
    _note_unused(raw, used, notes)
    blocks, cell_sets, places = _merge_blocks(raw, roles, new)
    surfaces = _surfaces(raw, roles, used, new)
    deck = None
    if raw.deck is not None and not raw.deck.is_empty:
        deck = _placed_deck(raw.deck, raw, points, used, places, unit, notes)
    losses = tuple(in_order([*_lost_cells(raw, roles, used), *without_used(raw.losses, uses)]))
    elements: Counter[str] = Counter()
    for cells, role in zip(raw.cells, roles, strict=True):
        if role == "cells" and cells.element:
            elements[cells.element] += len(cells.nodes)
    points = points[used] * UNITS[unit]
    if np.all(np.abs(points) < LARGEST_COORDINATE):  # otherwise nothing can be measured, and `checks.py` reports it
        blocks = tuple(put_in_order(points, block, notes) for block in blocks)
        blocks = turn_inverted(points, blocks, notes)
        surfaces = tuple(put_in_order(points, block, notes) for block in surfaces)
    ids = raw.point_ids[used] if raw.point_ids is not None else None
    points, blocks, ids = with_centres(points, blocks, ids, notes)
    return Mesh(
        points,
        blocks,
        surfaces,
        node_sets,
        cell_sets,
        name,
        source,
        unit,
        tuple(notes),
        ids,
        losses,
        dict(elements),
        bool(guess),
        deck,
    )


def _placed_deck(
    deck: Deck,
    raw: RawMesh,
    points: Floats,
    used: Flags,
    places: dict[int, tuple[int, int]],
    unit: str,
    notes: list[str],
) -> Deck:
    """The deck in SI units, with the numbers of the mesh; places : raw block -> block and first cell in it."""

    def cells(numbers: CellNumbers) -> CellNumbers:
        found: dict[int, list[Integers]] = {}
        for block, rows in numbers.items():
            if block in places:
                target, start = places[block]
                found.setdefault(target, []).append(np.asarray(rows, dtype=np.int64) + start)
        merged = {block: np.sort(np.concatenate(rows)) for block, rows in found.items()}
        return {block: rows for block, rows in merged.items() if len(rows)}

    system, note = unit_system(deck, unit)
    notes.append(note)
    return place_deck(deck, points, raw.point_ids, used, cells, system)


def _without_face_nodes(raw: RawMesh, notes: list[str]) -> None:
    """wedge18 -> wedge15, pyramid14 -> pyramid13: drop nodes in the middle of faces, unless a hex27 shares them."""
    if any(cells.kind == "hex27" for cells in raw.cells):
        return
    for i, cells in enumerate(raw.cells):
        if cells.kind in _WITHOUT_FACE_NODES:
            kind = _WITHOUT_FACE_NODES[cells.kind]
            raw.cells[i] = replace(cells, kind=kind, nodes=cells.nodes[:, : SOLIDS[kind]])
            notes.append(f"{len(cells.nodes)} {cells.kind} cells were converted to {kind}: face nodes were left out.")


def _reject_kinds(raw: RawMesh) -> None:
    """Reject all cells that cannot be used in one message, and a file without any usable cells."""
    counts: Counter[str] = Counter()
    for cells in raw.cells:
        counts[cells.kind] += len(cells.nodes)
    faults = []
    allowed = f"Allowed: {', '.join([*SOLIDS, *LINES])}, and {', '.join(SURFACES)} as shells or to mark surfaces."
    unknown = {kind: n for kind, n in counts.items() if kind not in {*SOLIDS, *LINES, *SURFACES, "vertex"}}
    if unknown:
        found = ", ".join(f"{n} {kind}" for kind, n in unknown.items())
        hint = f"{allowed} {_advice(list(unknown))}"
        faults.append(Fault(f"cell types that are not supported: {found}.", ("cells",), hint.strip()))
    elif not any(n for kind, n in counts.items() if kind != "vertex"):
        found = ", ".join(f"{n} {kind}" for kind, n in counts.items() if n) or "no cells at all"
        hint = "Save the cells too (in Gmsh: a physical group of the volume, or Mesh.SaveAll = 1)."
        faults.append(Fault(f"no solid, shell or line cells; the file contains {found}.", ("cells",), hint))
    if faults:
        raise InputError(faults)


def _advice(kinds: list[str]) -> str:
    if set(kinds) & set(_WITHOUT_FACE_NODES):
        return "Write the mesh with incomplete second order (Mesh.SecondOrderIncomplete = 1 in Gmsh)."
    return ""


def _roles(raw: RawMesh, n_points: int, notes: list[str], shells: bool, uses: frozenset[str]) -> list[str]:
    """Role of every block: "cells" (stiffness and mass), or "line", "surface", "nodes" (named places)."""
    roles = [""] * len(raw.cells)
    within = np.zeros(n_points, dtype=bool)
    for i, cells in enumerate(raw.cells):
        if cells.kind in SOLIDS:
            roles[i] = "cells"
            within[cells.nodes] = True
    of_solids = within.copy()
    for i, cells in enumerate(raw.cells):
        if cells.kind in SURFACES:
            own = (shells or "shells" in uses) if cells.has_section else shells and not of_solids[cells.nodes].all()
            roles[i] = "cells" if own else "surface"
            within[cells.nodes] |= own
    for i, cells in enumerate(raw.cells):
        if cells.kind == "vertex":
            roles[i] = "nodes"
        elif (
            cells.kind in LINES
            and len(cells.nodes)
            and within[cells.nodes].all()
            and not ("beams" in uses and cells.has_section)
        ):
            # Meshers name edges by lines on the edges of other cells; a beam at a solid shares one node with it.
            roles[i] = "line"
            where = [name for name, members in raw.cell_sets.items() if i in members]
            sets = f" (sets {', '.join(where)})" if where else ""
            on = "solid" if of_solids[cells.nodes].all() else "shell"
            notes.append(f"{len(cells.nodes)} {cells.kind} cells lie on {on} cells{sets}: they are not beams.")
        elif cells.kind in LINES:
            roles[i] = "cells"
    return roles


def _node_sets(raw: RawMesh, roles: list[str], used: Flags, new: Integers, notes: list[str]) -> dict[str, Integers]:
    found: dict[str, dict[str, list[Integers]]] = {}
    for name, nodes in raw.node_sets.items():
        found.setdefault(name, {}).setdefault("nodes", []).append(nodes)
    for name, members in raw.cell_sets.items():
        for i, numbers in members.items():
            found.setdefault(name, {}).setdefault(roles[i], []).append(raw.cells[i].nodes[numbers].reshape(-1))
    sets: dict[str, Integers] = {}
    for name, by_role in found.items():
        present = [role for role in _PRECEDENCE if role in by_role]
        ranked = [(role, distinct(np.concatenate(by_role[role]), len(used))) for role in present]
        role, nodes = ranked[0]
        others = [(word, other) for word, other in ranked[1:] if not np.isin(other, nodes).all()]
        if others:
            other = f"{len(others[0][1])} nodes of {_plural(others[0][0])}"
            notes.append(
                f"The name '{name}' is used for {len(nodes)} nodes of {_plural(role)} and {other}: the first is used."
            )
        lone = nodes[~used[nodes]]
        if len(lone):
            notes.append(_lone_text(raw, name, lone))
        sets[name] = new[nodes[used[nodes]]].astype(np.int64)
    return sets


def _plural(role: str) -> str:
    return {"nodes": "a node set", "surface": "surfaces", "line": "lines", "cells": "cells"}[role]


def _lone_text(raw: RawMesh, name: str, lone: Integers) -> str:
    ids = lone + 1 if raw.point_ids is None else raw.point_ids[lone]
    if len(lone) == 1:
        return f"Set '{name}': node {ids[0]} belongs to no cell (a reference point?) and was left out."
    return f"Set '{name}': {len(lone)} nodes belong to no cell and were left out ({listed(ids)})."


def _note_unused(raw: RawMesh, used: Flags, notes: list[str]) -> None:
    count = int((~used).sum())
    if count:
        ids = np.flatnonzero(~used) + 1 if raw.point_ids is None else raw.point_ids[~used]
        notes.append(f"{count} of {len(used)} points belong to no cell and were left out ({listed(ids)}).")


def _merge_blocks(
    raw: RawMesh, roles: list[str], new: Integers
) -> tuple[tuple[Cells, ...], dict[str, tuple[Integers, ...]], dict[int, tuple[int, int]]]:
    """One block per type of solid, line and shell cells, their sets, and block and first cell of every raw block."""
    chosen = [i for i, role in enumerate(roles) if role == "cells" and len(raw.cells[i].nodes)]
    kinds = list(dict.fromkeys(raw.cells[i].kind for i in chosen))
    place: dict[int, tuple[int, int]] = {}
    blocks = []
    for number, kind in enumerate(kinds):
        same = [i for i in chosen if raw.cells[i].kind == kind]
        starts = np.cumsum([0, *(len(raw.cells[i].nodes) for i in same)])
        place |= {i: (number, int(start)) for i, start in zip(same, starts, strict=False)}
        ids = [raw.cells[i].ids for i in same]
        known = [part for part in ids if part is not None]
        blocks.append(
            Cells(
                kind,
                np.ascontiguousarray(new[np.concatenate([raw.cells[i].nodes for i in same])], dtype=np.int64),
                np.concatenate(known).astype(np.int64) if len(known) == len(ids) else None,
            )
        )
    sets: dict[str, tuple[Integers, ...]] = {}
    for name, members in raw.cell_sets.items():
        parts: list[list[Integers]] = [[] for _ in kinds]
        for i, numbers in members.items():
            if i in place:
                number, start = place[i]
                parts[number].append(np.asarray(numbers, dtype=np.int64) + start)
        if any(len(piece) for part in parts for piece in part):
            whole = [np.concatenate([np.zeros(0, dtype=np.int64), *part]) for part in parts]
            sets[name] = tuple(distinct(part, len(block)) for part, block in zip(whole, blocks, strict=True))
    return tuple(blocks), sets, place


def _surfaces(raw: RawMesh, roles: list[str], used: Flags, new: Integers) -> tuple[Cells, ...]:
    """Surface cells that are no shells and whose nodes all belong to the mesh."""
    surfaces = []
    for cells, role in zip(raw.cells, roles, strict=True):
        if role != "surface":
            continue
        keep = used[cells.nodes].all(axis=1)
        if keep.any():
            ids = cells.ids[keep] if cells.ids is not None else None
            surfaces.append(Cells(cells.kind, new[cells.nodes[keep]].astype(np.int64), ids))
    return tuple(surfaces)


def _lost_cells(raw: RawMesh, roles: list[str], used: Flags) -> Iterator[Loss]:
    """Shells, bars on solids and single points that have stiffness or mass in the file, and none in the mesh."""
    lost: dict[str, Counter[str]] = {key: Counter() for key in ("shells", "skins", "bars", "points")}
    for cells, role in zip(raw.cells, roles, strict=True):
        word = cells.element or cells.kind
        if role == "surface":
            beside = int((~used[cells.nodes].all(axis=1)).sum())
            lost["shells"][word] += beside
            lost["skins"][word] += len(cells.nodes) - beside if cells.has_section else 0
        elif role == "line" and cells.has_section:
            lost["bars"][word] += len(cells.nodes)
        elif role == "nodes" and cells.element:
            lost["points"][word] += int((~used[cells.nodes].all(axis=1)).sum())
    kept = sum(len(cells.nodes) for cells, role in zip(raw.cells, roles, strict=True) if role == "cells")
    total = kept + sum(counts.total() for counts in lost.values())
    reasons = {
        "shells": ("shells", "shells beside other cells need a thickness: give --thickness"),
        "skins": ("shells", "shells on solid cells only mark surfaces without a thickness: give --thickness"),
        "bars": ("bars", "they lie along solid cells and only mark lines here: their stiffness and mass are missing"),
        "points": ("masses", "point masses are not supported: add a rigid body with this mass to the model"),
    }
    for key, counts in lost.items():
        if count := counts.total():
            words = ", ".join(f"{number:,} {word}" for word, number in counts.items() if number)
            yield lost_elements(reasons[key][0], words, count, total, reasons[key][1])
