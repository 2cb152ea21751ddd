"""Connectivity of cells: connected parts, duplicate cells, coincident points."""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Flags
from flexmb.mesh.deck import deck_links, deck_nodes
from flexmb.mesh.mesh import Cells, Mesh

_SAME_PLACE = 1e-8
"""Distance below which two points coincide, relative to the largest extent"""
# A fixed direction without symmetry: points of regular meshes get different places along it.
_DIRECTION = np.array([0.5773971, 0.7071839, 0.4082113])


def connected_parts(mesh: Mesh) -> tuple[int, ...]:
    """Number of cells in each connected part, largest first; ties and springs of the deck connect."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    blocks = [block for block in mesh.cells if len(block)]
    if not blocks:
        return ()
    # Joining the first node of a cell to its others joins all of them.
    rows = np.concatenate([np.repeat(block.nodes[:, 0], block.nodes.shape[1] - 1) for block in blocks])
    columns = np.concatenate([block.nodes[:, 1:].reshape(-1) for block in blocks])
    links = [link for link in deck_links(mesh.deck) if link.max(initial=-1) < mesh.n_points]
    rows = np.concatenate([rows, *(np.repeat(link[:1], len(link)) for link in links)])
    columns = np.concatenate([columns, *links])
    graph = coo_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(mesh.n_points,) * 2)
    _, label = connected_components(graph.tocsr(), directed=False)
    sizes = np.bincount(np.concatenate([label[block.nodes[:, 0]] for block in blocks]))
    return tuple(sorted((int(size) for size in sizes if size), reverse=True))


def duplicate_cells(block: Cells) -> Flags:
    """(n,) whether an earlier cell has the same nodes, in whatever order."""
    copies = np.zeros(len(block), dtype=bool)
    if len(block) < 2:
        return copies
    # Cells with the same nodes have the same sum of hashed numbers; the few with equal sums are compared in full.
    scrambled = block.nodes.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    scrambled ^= scrambled >> np.uint64(29)
    key = (scrambled * np.uint64(0xBF58476D1CE4E5B9)).sum(axis=1, dtype=np.uint64)
    order = np.argsort(key, kind="stable")
    same = key[order[1:]] == key[order[:-1]]
    candidates = np.unique(np.concatenate([order[1:][same], order[:-1][same]]))
    if len(candidates):
        rows = np.sort(block.nodes[candidates], axis=1)
        _, first = np.unique(rows, axis=0, return_index=True)
        copies[np.delete(candidates, first)] = True
    return copies


def coincident_points(mesh: Mesh) -> int:
    """Number of points that lie where another one does, without those that the deck connects."""
    if mesh.n_points < 2:
        return 0
    tolerance = _SAME_PLACE * float(np.max(np.ptp(mesh.points, axis=0)))
    along = mesh.points @ _DIRECTION
    order = np.argsort(along)
    along, points = along[order], mesh.points[order]
    found = np.zeros(mesh.n_points, dtype=bool)
    for step in range(1, mesh.n_points):
        # Coincident points are close along any direction: only neighbours in sorted order need to be compared.
        near = np.flatnonzero(along[step:] - along[:-step] <= tolerance)
        if not len(near):
            break
        close = np.linalg.norm(points[near + step] - points[near], axis=1) <= tolerance
        found[near[close] + step] = True
    tied = deck_nodes(mesh.deck)
    found[np.isin(order, tied)] = False
    return int(found.sum())
