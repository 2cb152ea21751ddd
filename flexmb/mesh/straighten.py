"""Folded second-order cells with straight edges instead: their mid-side nodes move to the middle of the edges.

Meshers put mid-side nodes onto curved geometry without moving the inner ones, which turns thin cells inside out at a
point. Only folded cells are changed. Nodes in the middle of faces and of the cell (hex27) move to where the straight
cell has them, so that cells that share an edge or a face still agree. A neighbour that folds by this is mended next.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.arrays import Flags, Floats
from flexmb.mesh.measure import LINEAR, measure
from flexmb.mesh.mesh import SOLIDS, Cells, Mesh
from flexmb.mesh.reference_cells import reference_nodes, shape_functions
from flexmb.mesh.repairs import turn_inverted
from flexmb.mesh.topology import family, is_quadratic, n_corners

_MOVED = 1e-9
"""Distance, relative to the size of the body, from which a node counts as moved"""


def folded_by_middles(points: Floats, block: Cells) -> Flags:
    """(n,) cells with a negative Jacobian inside or at a node that have none with straight edges."""
    if block.kind not in SOLIDS or not is_quadratic(block.kind) or not len(block):
        return np.zeros(len(block), dtype=bool)
    found = measure(points, block.kind, block.nodes, with_moments=False)
    corners = np.ascontiguousarray(block.nodes[:, : n_corners(block.kind)])
    straight = measure(points, LINEAR[family(block.kind)], corners, with_moments=False)
    low, high, at_node = straight.signs.T
    sound = ((low > 0.0) & (at_node >= 0.0)) | straight.inverted
    return (found.folded | found.folded_at_node) & sound


def straightened(mesh: Mesh) -> Mesh:
    """The mesh with straight edges where cells were folded by their mid-side nodes; a note has the numbers."""
    points, notes = mesh.points.copy(), list[str]()
    mended = [np.zeros(len(block), dtype=bool) for block in mesh.cells]
    again = True
    while again:  # every round mends further cells, so that it ends
        again = False
        for block, done in zip(mesh.cells, mended, strict=True):
            chosen = folded_by_middles(points, block) & ~done
            if chosen.any():
                _straighten(points, block, chosen)
                done |= chosen
                again = True
    if not any(done.any() for done in mended):
        return replace(mesh, notes=(*mesh.notes, "No cell is folded by its mid-side nodes: nothing was straightened."))
    distance = np.linalg.norm(points - mesh.points, axis=1)
    count = int((distance > _MOVED * np.ptp(mesh.points, axis=0).max()).sum())
    cells = ", ".join(
        f"{int(done.sum())} of {len(block)} {block.kind} cells"
        for block, done in zip(mesh.cells, mended, strict=True)
        if done.any()
    )
    notes.append(
        f"{cells} were folded and got straight edges: {count} nodes moved, by at most {distance.max() * 1e3:.3g} mm."
    )
    blocks = turn_inverted(points, mesh.cells, notes)
    return replace(mesh, points=points, cells=blocks, notes=(*mesh.notes, *notes))


def _straighten(points: Floats, block: Cells, chosen: Flags) -> None:
    """Move the nodes of these cells that are no corners to their places in the straight cell."""
    first = n_corners(block.kind)
    N = shape_functions(LINEAR[family(block.kind)], reference_nodes(block.kind)[first:])
    nodes = block.nodes[chosen]
    points[nodes[:, first:]] = np.einsum("bc,ncd->nbd", N, points[nodes[:, :first]])
