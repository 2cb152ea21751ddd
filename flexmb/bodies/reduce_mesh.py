"""Reduction of a mesh with its materials to a body: assembly, interfaces by selection, reduction.

The marker of an interface is at the centre of its nodes; on a face every node is weighted by its share of the area, so
that an uneven mesh shifts neither the marker nor an averaged tie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats, Integers
from flexmb.bodies.attachments import with_attachments, with_held
from flexmb.bodies.import_verdict import import_losses
from flexmb.bodies.mesh_loads import nodal_loads
from flexmb.bodies.reduce_model import reduce_model
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.bodies.verdict import loss_reasons, with_reasons
from flexmb.elements.cell_properties import CellProperties, Materials, Thickness, cell_properties
from flexmb.elements.fe_model import FEModel
from flexmb.elements.joined import joined
from flexmb.elements.line_beams import assemble_beam_data
from flexmb.elements.section import Section
from flexmb.elements.shell.assemble import assemble_shells
from flexmb.elements.solid.assemble import assemble
from flexmb.elements.ties.connections import connected
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.mesh.mesh import SOLIDS, Mesh
from flexmb.mesh.select import select_nodes
from flexmb.mesh.shares import node_shares, node_triangles
from flexmb.reduction.interfaces import Interface, make_interface
from flexmb.reduction.request import ReductionRequest, TieRequest, read_vectors
from flexmb.reduction.sparse.memory import available_memory

Progress = Callable[[str, float], None] | None

_NEIGHBOURS = {"tet4": 14, "tet10": 27, "hex8": 25, "hex20": 48, "hex27": 60, "wedge6": 19, "wedge15": 34}
_NEIGHBOURS |= {"pyramid5": 18, "pyramid13": 31}
_NEIGHBOURS |= {"tri3": 28, "tri6": 46, "quad4": 36, "quad8": 64, "quad9": 64}
"""Nodes that share a cell with a node, on average over a large mesh"""
_BLOCK_BYTES = 84
"""Stiffness and mass of a pair of nodes"""
_COPIES = 4
"""The matrices, the part that is factorised, and the factor, which is at least twice as large as that"""


def reduce_mesh(
    mesh: Mesh,
    materials: Materials,
    request: ReductionRequest,
    *,
    name: str = "body",
    progress: Progress = None,
    provenance: Mapping[str, str] | None = None,
    thickness: Thickness = None,
    section: Section | None = None,
    y_axis: ArrayLike | None = None,
) -> ReducedBody:
    """The reduced body of a mesh of solids, shells and beams.

    Materials and the shells' thickness are given by cell set or for all cells; what is not given is that of the deck.
    """
    _reject_too_large(mesh)
    ties = [*request.interfaces, *request.markers]
    markers = _markers(with_held(mesh, request), ties) if request.masses else []
    mesh = with_attachments(mesh, request, markers)
    found = cell_properties(mesh, materials, thickness, section, y_axis)
    model = assemble_properties(found, lumped=request.lumped, hex8=request.hex8, progress=progress)
    warnings = [warning for material in found.materials for warning in material.warnings()]
    mesh = replace(mesh, notes=(*mesh.notes, *found.notes))
    return reduce_assembled(
        model, mesh, request, name=name, progress=progress, provenance=provenance, warnings=warnings
    )


def assemble_mesh(
    mesh: Mesh,
    materials: Materials = None,
    thickness: Thickness = None,
    *,
    section: Section | None = None,
    y_axis: ArrayLike | None = None,
    lumped: bool = False,
    hex8: str = "incompatible",
    progress: Progress = None,
) -> FEModel:
    """Stiffness and mass of the cells of a mesh, with the masses, springs and ties of its deck."""
    found = cell_properties(mesh, materials, thickness, section, y_axis)
    return assemble_properties(found, lumped=lumped, hex8=hex8, progress=progress)


def assemble_properties(found: CellProperties, *, lumped: bool, hex8: str, progress: Progress = None) -> FEModel:
    """Stiffness and mass of cells with their properties, with the masses, springs and ties of the deck."""
    others: list[FEModel] = []
    if lumped and (found.shells is not None or found.beams is not None):
        text = "shells and beams have consistent mass only"
        raise InputError([Fault(text, ("lumped",), "Leave it out.")])
    if found.shells is not None:
        others.append(assemble_shells(found.mesh, found.shells, progress=progress))
    if found.beams is not None:
        others.append(assemble_beam_data(found.mesh, found.beams))
    made = joined(others) if others else None
    if made is None or any(block.kind in SOLIDS for block in found.mesh.cells):
        made = assemble(found.mesh, found.solids, lumped=lumped, hex8=hex8, others=made, progress=progress)
    return connected(replace(made, losses=found.losses), found.mesh)


def _reject_too_large(mesh: Mesh) -> None:
    """Reject a mesh, before it is assembled, if not even a slender body of this size fits into memory."""
    most = max((_NEIGHBOURS.get(block.kind, 0) for block in mesh.cells), default=0)
    needed, free = _COPIES * _BLOCK_BYTES * most * mesh.n_points, available_memory()
    if free is not None and needed > free:
        raise ComputationError(
            f"a mesh of {mesh.n_points} nodes needs at least {needed / 1e9:.0f} GB to be factorised, and "
            f"{free / 1e9:.1f} GB are free. Use a coarser mesh, or a machine with more memory."
        )


def reduce_assembled(
    model: FEModel,
    mesh: Mesh,
    request: ReductionRequest,
    *,
    name: str = "body",
    progress: Progress = None,
    provenance: Mapping[str, str] | None = None,
    warnings: Sequence[str] = (),
) -> ReducedBody:
    """The reduced body of a model on the nodes of this mesh (assembled here, or imported matrices)."""
    interfaces = tie_markers(model, mesh, [*request.interfaces, *request.markers])
    loads = nodal_loads(model, mesh, request.loads)
    vectors = None if request.vectors is None else read_vectors(request.vectors, 3 * model.n_blocks)
    body = reduce_model(
        model,
        interfaces,
        request,
        name=name,
        loads=loads,
        vectors=vectors,
        progress=progress,
        notes=mesh.notes,
        warnings=warnings,
        provenance=provenance,
    )
    mesh = replace(mesh, losses=(*mesh.losses, *model.losses))
    losses = import_losses(mesh, model, interfaces, body.report["mass"]["mesh"], request.hex8)
    notes = [*body.report["notes"], *(f"{loss.text}." for loss in losses if loss.level == "note")]
    report = {**body.report, "losses": [loss.as_dict() for loss in losses], "notes": notes}
    return replace(body, report=with_reasons(report, loss_reasons(losses), first=True))


def tie_markers(model: FEModel, mesh: Mesh, requests: Sequence[TieRequest]) -> list[Interface]:
    """The requested markers; raises all faults at once."""
    triangles = node_triangles(mesh)
    made: list[Interface] = []
    faults: list[Fault] = []
    for request in requests:
        try:
            nodes = select_nodes(mesh, request.select)
            if request.tie == "follower" and len(nodes) == 1 and not np.isin(model.rotations, nodes).any():
                made.append(_single_node(model, mesh, request.name, int(nodes[0])))
                continue
            weights = node_shares(mesh, triangles, nodes)
            made.append(_tied(model, request, nodes, weights))
        except InputError as error:
            faults += [Fault(fault.text, ("interfaces", request.name), fault.hint) for fault in error.faults]
    if faults:
        raise InputError(faults)
    return made


def _tied(model: FEModel, request: TieRequest, nodes: Integers, weights: Floats | None) -> Interface:
    """An interface; nodes of a rigid one that follow a reference of the deck stand for that reference."""
    if request.tie != "rbe2" or model.ties is None:
        return make_interface(model, request.name, nodes, request.tie, weights=weights)
    point = np.average(model.points[nodes], axis=0, weights=weights)
    roots = np.unique([model.ties.roots.get(int(node), int(node)) for node in nodes])
    made = make_interface(model, request.name, roots, request.tie, point=point)
    follow = np.isin(made.rows, model.ties.dependent).reshape(-1, 3).any(axis=1)
    if follow.any():
        text = f"{int(follow.sum())} of its nodes follow others by ties of the deck, and cannot follow the marker"
        raise InputError([Fault(text, (), "Tie it by rbe3, or choose the nodes they follow.")])
    return made


def marker_places(mesh: Mesh, requests: Sequence[TieRequest]) -> dict[str, Floats]:
    """(3,) [m] of every marker that `tie_markers` makes, known without elements."""
    found = _markers(mesh, requests) if requests else []
    return {request.name: place for request, (place, _) in zip(requests, found, strict=True)}


def _markers(mesh: Mesh, requests: Sequence[TieRequest]) -> list[tuple[Floats, Floats | None]]:
    """Place (3,) [m] of every marker, and the weights of its nodes"""
    triangles = node_triangles(mesh)
    found = []
    for request in requests:
        nodes = select_nodes(mesh, request.select)
        weights = node_shares(mesh, triangles, nodes)
        found.append((np.average(mesh.points[nodes], axis=0, weights=weights), weights))
    return found


def _single_node(model: FEModel, mesh: Mesh, name: str, node: int) -> Interface:
    """A marker that moves with one node of a solid and rotates with the nodes of its cells, as a node cannot rotate"""
    found = [block.nodes[(block.nodes == node).any(axis=1)].ravel() for block in mesh.cells]
    around = np.unique(np.concatenate(found)).astype(np.int64)
    averaged = make_interface(model, name, around, "follower", point=mesh.points[node])
    E = averaged.E.copy()
    E[:3] = 0.0
    first = 3 * int(np.flatnonzero(averaged.blocks == node)[0])
    E[:3, first : first + 3] = np.eye(3)
    return replace(averaged, E=E)
