"""Outer surface of a solid mesh: the faces that belong to one cell only, cut into triangles.

Input: a mesh. Output: triangles by node numbers, with normals that point outwards, and these normals.
Faces are paired by their corners, so linear and quadratic neighbours match; curved faces become flat
triangles between all their nodes (4 of a tri6, 6 of a quad8, 8 of a quad9). Line cells have no surface.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.mesh.mesh import SOLIDS, SURFACES, Cells, Mesh
from flexmb.mesh.topology import face_nodes

FACE_TRIANGLES = {
    3: [(0, 1, 2)],
    6: [(0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)],
    4: [(0, 1, 2), (0, 2, 3)],
    8: [(0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 6), (4, 6, 7)],
    9: [(0, 4, 8), (4, 1, 8), (1, 5, 8), (5, 2, 8), (2, 6, 8), (6, 3, 8), (3, 7, 8), (7, 0, 8)],
}
"""Number of nodes of a face -> its triangles"""
_FOLDED = 1.0 - 1e-6
"""Cosine of the angle at an edge (0.0014 rad) below which one face lies on the other"""
_FACE_CORNERS = {3: 3, 6: 3, 4: 4, 8: 4, 9: 4}


def outer_surface(mesh: Mesh) -> tuple[Integers, Floats]:
    """Triangles (t, 3) of node numbers and their unit normals (t, 3), pointing outwards."""
    pieces = [
        nodes[:, list(triangle)]
        for nodes, _, _ in outer_faces(mesh.cells, mesh.n_points)
        for triangle in FACE_TRIANGLES[nodes.shape[1]]
    ]
    triangles = np.concatenate(pieces) if pieces else np.zeros((0, 3), dtype=np.int64)
    a, b, c = (mesh.points[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return triangles, normals / np.where(length > 0.0, length, 1.0)


def folded_faces(mesh: Mesh) -> int:
    """Number of flat triangles between corners of outer faces that lie on another one at a common edge.

    The surface of a body does not fold back on itself. Inside a mesh of tetrahedra, cells whose diagonals of a common
    quadrilateral cross share its corners only: their faces are a slit.
    """
    pieces = [
        nodes[:, list(triangle)]
        for nodes, _, _ in outer_faces(mesh.cells, mesh.n_points)
        for triangle in FACE_TRIANGLES[_FACE_CORNERS[nodes.shape[1]]]
    ]
    if not pieces:
        return 0
    triangles = np.concatenate(pieces)
    sides = np.concatenate([triangles[:, [i, (i + 1) % 3, (i + 2) % 3]] for i in range(3)])
    owner, start, end = np.tile(np.arange(len(triangles)), 3), sides[:, :2].min(axis=1), sides[:, :2].max(axis=1)
    along = mesh.points[end] - mesh.points[start]
    across = mesh.points[sides[:, 2]] - mesh.points[start]
    square = np.einsum("ij,ij->i", along, along)
    across -= along * (np.einsum("ij,ij->i", across, along) / np.where(square > 0.0, square, 1.0))[:, None]
    length = np.linalg.norm(across, axis=1, keepdims=True)
    across /= np.where(length > 0.0, length, 1.0)
    order = np.lexsort((end, start))
    folded = np.zeros(len(triangles), dtype=bool)
    for apart in range(1, 4):  # up to four such faces meet at an edge where two slits do
        a, b = order[:-apart], order[apart:]
        at_edge = (start[a] == start[b]) & (end[a] == end[b])
        lies_on = at_edge & (np.einsum("ij,ij->i", across[a], across[b]) > _FOLDED)
        folded[owner[a[lies_on]]] = folded[owner[b[lies_on]]] = True
    return int(folded.sum())


def shell_triangles(mesh: Mesh) -> Integers:
    """Triangles (t, 3) of node numbers of the shell cells."""
    pieces = [
        block.nodes[:, list(triangle)]
        for block in mesh.cells
        if block.kind in SURFACES
        for triangle in FACE_TRIANGLES[block.nodes.shape[1]]
    ]
    return np.concatenate(pieces) if pieces else np.zeros((0, 3), dtype=np.int64)


def outer_faces(blocks: Sequence[Cells], n_points: int) -> list[tuple[Integers, int, Integers]]:
    """Faces of a single cell: pieces (nodes (f, k), number of the block, cells (f,) in that block)."""
    pieces: list[tuple[Integers, int, Integers]] = []
    for number, block in enumerate(blocks):
        if block.kind in SOLIDS and len(block):
            cells = np.arange(len(block))
            pieces += [(block.nodes[:, list(face)], number, cells) for face in face_nodes(block.kind)]
    alone: list[tuple[Integers, int, Integers]] = []
    for corners in (3, 4):
        chosen = [piece for piece in pieces if _FACE_CORNERS[piece[0].shape[1]] == corners]
        if not chosen:
            continue
        single = _used_once(np.concatenate([nodes[:, :corners] for nodes, _, _ in chosen]), n_points)
        parts = np.split(single, np.cumsum([len(nodes) for nodes, _, _ in chosen])[:-1])
        for (nodes, number, cells), keep in zip(chosen, parts, strict=True):
            alone.append((nodes[keep], number, cells[keep]))
    return [piece for piece in alone if len(piece[0])]


def _used_once(corners: Integers, n_points: int) -> Flags:
    """(f,) whether no other row has the same corners. Three corners identify a face of a sound mesh."""
    low = np.sort(corners, axis=1)
    first = low[:, 0].astype(np.int64) * n_points + low[:, 1]
    order = np.lexsort((low[:, 2], first))
    same = (first[order[1:]] == first[order[:-1]]) & (low[order[1:], 2] == low[order[:-1], 2])
    single = np.ones(len(corners), dtype=bool)
    single[order[1:][same]] = False
    single[order[:-1][same]] = False
    return single
