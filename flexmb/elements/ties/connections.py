"""Point masses, springs and ties of a deck on the nodes of a mesh: what the assembly uses, and what it cannot.

Input: a mesh with its deck. Output: `Connections`, from which `connected` makes the whole model of a body: masses and
springs are added, dependent unknowns are eliminated (`elimination.py`). Nodes of shells and beams have rotations, and
those that ties, springs or masses turn. What nothing holds at a node of no cell (spin of a reference) stays at rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from flexmb.arrays import Flags, Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.joined import joined
from flexmb.elements.riders import Riders
from flexmb.elements.ties.elimination import TieRows, eliminate
from flexmb.elements.ties.springs import SpringForces, spring_forces
from flexmb.elements.ties.surface_ties import surface_rows
from flexmb.elements.ties.tie_rows import Places, averaged_rows, equation_rows, rigid_rows
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import GROUND, AveragedTie, Deck, Equation, PointMass, RigidTie, Spring, SurfaceTie, deck_nodes
from flexmb.mesh.losses import Loss
from flexmb.mesh.mesh import Mesh


@dataclass(frozen=True)
class Connections:
    """Usable masses, springs and ties of a deck."""

    places: Places
    masses: tuple[PointMass, ...]
    springs: tuple[SpringForces, ...]
    rows: tuple[TieRows, ...]
    loose: Integers
    """Nodes of no cell, or with rotations that no cell has"""
    roots: dict[int, int]
    losses: tuple[Loss, ...]
    """Entries that cannot be used"""

    @property
    def rotations(self) -> Integers:
        """Nodes with rotations"""
        return np.flatnonzero(self.places.rotation >= 0)


def deck_connections(model: FEModel, mesh: Mesh) -> Connections | None:
    """The connections of the deck of a mesh, model : of its cells; None: it has none. Raises all faults of its ties."""
    deck = mesh.deck
    if deck is None or not (deck.masses or deck.springs or deck.ties):
        return None
    in_cells, turning = np.zeros(mesh.n_points, dtype=bool), np.zeros(mesh.n_points, dtype=bool)
    for block in mesh.cells:
        in_cells[block.nodes] = True
    turning[model.rotations] = True
    own = turning.copy()
    _turned_by_ties(deck, turning)
    losses: list[Loss] = []
    masses = _masses(mesh, deck, in_cells, turning, losses)
    rotation = np.where(turning, mesh.n_points + np.cumsum(turning) - 1, -1)
    places = Places(mesh.points, rotation, _node_axes(mesh, deck))
    springs = _springs(mesh, deck, places, losses)
    rows = _rows(mesh, deck, places, losses)
    used = np.zeros(mesh.n_points, dtype=bool)
    used[deck_nodes(deck)] = True
    loose = np.flatnonzero(used & ~in_cells | turning & ~own)
    return Connections(places, tuple(masses), tuple(springs), tuple(rows), loose, rigid_roots(deck), tuple(losses))


def connected(model: FEModel, mesh: Mesh) -> FEModel:
    """The model of the cells with the masses, springs and ties of the deck."""
    found = deck_connections(model, mesh)
    if found is None:
        return model
    whole = joined([model, _attached(model.points, found)])
    if not np.array_equal(whole.rotations, found.rotations):
        raise AssertionError("rotations of cells and of the deck differ")
    springs = tuple(found.springs)
    ties = eliminate(found.rows, whole.n_blocks, found.loose, found.roots)
    return replace(whole, springs=springs, ties=ties, losses=(*model.losses, *found.losses))


def _attached(points: Floats, found: Connections) -> FEModel:
    """Masses and springs alone, as a model on the same points."""
    rotations = found.rotations
    size = 3 * (len(points) + len(rotations))
    riders, mass = _mass_riders(found, float(np.ptp(points, axis=0).max()))
    B = _rider_matrix(riders, size)
    M = (B.T @ sparse.kron(mass, sparse.eye_array(3)) @ B).tobsr(blocksize=(3, 3))
    rows, columns, values = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for spring in found.springs:
        own = np.flatnonzero(spring.unknowns >= 0)
        where = spring.unknowns[own]
        rows.append(np.repeat(where, len(own)))
        columns.append(np.tile(where, len(own)))
        values.append(spring.K[np.ix_(own, own)].ravel())
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    K = sparse.coo_array(entries, shape=(size, size)).tocsr().tobsr(blocksize=(3, 3))
    return FEModel(points, K, M, rotations, mass_riders=(riders, mass))


def _mass_riders(found: Connections, length: float) -> tuple[Riders, Any]:
    """Point masses as points: one at the centre, and three on the principal axes of each inertia.

    With P = tr(J)/2 - J = sum P_i n_i n_i^T the energy of rotation is that of the differences of the motions of the
    points c + h n_i and c, weighted by P_i/h^2.
    """
    nodes: list[int] = []
    arms: list[Floats] = []
    rows, columns, values = [], [], []
    for entry in found.masses:
        centre = len(nodes)
        nodes.append(entry.node)
        arms.append(np.array(entry.offset))
        rows.append(centre)
        columns.append(centre)
        values.append(entry.mass)
        J = np.array(entry.inertia)
        if not J.any():
            continue
        moments, axes = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
        h = 0.1 * length
        for moment, axis in zip(moments, axes.T, strict=True):
            point = len(nodes)
            nodes.append(entry.node)
            arms.append(np.array(entry.offset) + h * axis)
            rows += [point, centre, point, centre]
            columns += [point, centre, centre, point]
            values += [moment / h**2, moment / h**2, -moment / h**2, -moment / h**2]
    of_node = np.array(nodes, dtype=np.int64)
    riders = Riders(of_node, np.array(arms).reshape(-1, 3), found.places.rotation[of_node])
    return riders, sparse.coo_array((values, (rows, columns)), shape=(len(nodes),) * 2).tocsr()


def _rider_matrix(riders: Riders, size: int) -> Any:
    """(3 p, size) motion of the points by the unknowns"""
    count = len(riders.nodes)
    assert riders.arms is not None and riders.turning is not None
    p = 3 * np.arange(count)
    rows, columns, values = [], [], []
    for i in range(3):
        rows.append(p + i)
        columns.append(3 * riders.nodes + i)
        values.append(np.ones(count))
    has = riders.turning >= 0
    for i, j, k, sign in ((0, 1, 2, 1), (0, 2, 1, -1), (1, 2, 0, 1), (1, 0, 2, -1), (2, 0, 1, 1), (2, 1, 0, -1)):
        rows.append(p[has] + i)
        columns.append(3 * riders.turning[has] + j)
        values.append(sign * riders.arms[has, k])
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sparse.coo_array(entries, shape=(3 * count, size)).tocsr()


def _turned_by_ties(deck: Deck, turning: Flags) -> None:
    """Mark the nodes that ties and springs turn."""
    heavy = {entry.node for entry in deck.masses if any(entry.offset) or np.any(entry.inertia)}
    for spring in deck.springs:
        if isinstance(spring, Spring) and any(spring.stiffness[3:]):
            turning[[node for node in spring.nodes if node != GROUND]] = True
    for tie in deck.ties:
        if isinstance(tie, Equation):
            turning[[node for node, component, _ in tie.terms if component > 3]] = True
        elif isinstance(tie, RigidTie):
            turning[tie.node] = True
            if set("456") <= set(tie.components):
                turning[[node for node in tie.nodes.tolist() if node in heavy]] = True
        elif isinstance(tie, AveragedTie) and set(tie.components) & set("456"):
            turning[tie.node] = True


def _masses(mesh: Mesh, deck: Deck, in_cells: Flags, turning: Flags, losses: list[Loss]) -> list[PointMass]:
    made, fixed, apart = [], [], []
    connected_nodes = set(deck_nodes(replace(deck, masses=())).tolist())
    for entry in deck.masses:
        if not in_cells[entry.node] and entry.node not in connected_nodes:
            apart.append(entry)
            continue
        if (any(entry.offset) or np.any(entry.inertia)) and not turning[entry.node]:
            fixed.append(entry.node)
            entry = PointMass(entry.node, entry.mass)
        if entry.mass < 0.0:
            losses.append(Loss("masses", f"a mass of {entry.mass:g} kg left out: it is negative", 1, "bad"))
            continue
        made.append(entry)
    if apart:
        total = sum(entry.mass for entry in apart)
        where = f"{len(apart)} masses of {total:.6g} kg ({_named(mesh, [entry.node for entry in apart])})"
        losses.append(Loss("masses", f"{where} left out: nothing connects their nodes", len(apart), "bad"))
    if fixed:
        text = (
            f"offset and inertia of {len(fixed)} masses ({_named(mesh, fixed)}) left out: their nodes have no rotations"
        )
        losses.append(Loss("offsets", text, len(fixed)))
    return made


def _springs(mesh: Mesh, deck: Deck, places: Places, losses: list[Loss]) -> list[SpringForces]:
    made, why = [], dict[str, list[int]]()
    for spring in deck.springs:
        found = spring_forces(spring, places)
        if isinstance(found, str):
            why.setdefault(found, []).append(spring.nodes[0])
        else:
            made.append(found)
    for reason, nodes in why.items():
        grounded = "ground" in reason
        text = f"{len(nodes):,} springs ({_named(mesh, nodes)}) left out: {reason}"
        losses.append(Loss("springs", text, len(nodes), "note" if grounded else "care"))
    return made


def _rows(mesh: Mesh, deck: Deck, places: Places, losses: list[Loss]) -> list[TieRows]:
    made: list[TieRows] = []
    faults: list[Fault] = []
    grounded: list[str] = []
    surfaces = [tie for tie in deck.ties if isinstance(tie, SurfaceTie)]
    for tie in (tie for tie in deck.ties if not isinstance(tie, SurfaceTie)):
        try:
            rows = (
                rigid_rows(tie, places)
                if isinstance(tie, RigidTie)
                else averaged_rows(tie, places)
                if isinstance(tie, AveragedTie)
                else equation_rows(tie, places)
            )
        except InputError as error:
            faults += error.faults
            continue
        if rows is None:
            grounded.append(tie.name)
        else:
            made.append(rows)
    if faults:
        raise InputError(faults)
    if grounded:
        text = f"{len(grounded):,} equations ({', '.join(list(dict.fromkeys(grounded))[:5])}) left out: they hold the "
        losses.append(Loss("ties", f"{text}body to the ground, and the body is free", len(grounded), "bad"))
    n = mesh.n_points
    taken = {int(unknown) // 3 for rows in made for unknown in rows.dependent if unknown < 3 * n}
    for surface in surfaces:
        glued, free = surface_rows(surface, places, taken)
        taken |= {int(unknown) // 3 for unknown in glued.dependent if unknown < 3 * n}
        made.append(glued)
        if free:
            level = "bad" if free == len(surface.nodes) else "note"
            text = f"{free:,} of {len(surface.nodes):,} nodes of the tie '{surface.name[:60]}' stay free: "
            losses.append(Loss("ties", f"{text}they are further from its main surface than its tolerance", free, level))
    return made


def rigid_roots(deck: Deck) -> dict[int, int]:
    """Node that follows another as a rigid body -> the last of its chain."""
    step = {
        int(node): tie.node
        for tie in deck.ties
        if isinstance(tie, RigidTie) and set("123") <= set(tie.components)
        for node in tie.nodes
    }
    roots = {}
    for node in step:
        last, seen = node, set[int]()
        while last in step and last not in seen:
            seen.add(last)
            last = step[last]
        roots[node] = last
    return roots


def _node_axes(mesh: Mesh, deck: Deck) -> dict[int, Floats]:
    return {
        int(node): deck.frames[name].axes_at(mesh.points[node])
        for name, nodes in deck.node_frames.items()
        if name in deck.frames
        for node in nodes
        if node < mesh.n_points
    }


def _named(mesh: Mesh, nodes: list[int], most: int = 5) -> str:
    ids = [node + 1 if mesh.point_ids is None else int(mesh.point_ids[node]) for node in nodes[:most]]
    return f"node{'s' if len(nodes) > 1 else ''} {', '.join(map(str, ids))}{', ...' if len(nodes) > most else ''}"
