"""Directors of the nodes of shell cells: the normals along which their thickness is laid.

A smooth surface has one director at a node, the mean of the normals of its cells; where cells meet at a fold every side
keeps its own. Cells of one node belong together if their normals, followed from cell to cell, differ by less than the
angle of a fold.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.shell.tables import reference_nodes, shape
from flexmb.mesh.mesh import Cells

FOLD = np.radians(20.0)
"""Angle between normals from which an edge is a fold."""


def cell_normals(points: Floats, cells: Cells) -> Floats:
    """(cells, k, 3) unit normals of the cells at their nodes; zero where a cell has no area"""
    dN = shape(cells.kind, reference_nodes(cells.kind))[1]
    tangents = np.einsum("nia,cib->cnab", dN, points[cells.nodes])
    normals = np.cross(tangents[:, :, 0], tangents[:, :, 1])
    size = np.linalg.norm(normals, axis=2, keepdims=True)
    return np.divide(normals, size, out=np.zeros_like(normals), where=size > 0.0)


def directors(points: Floats, blocks: list[Cells]) -> tuple[list[Floats], Integers, Floats, list[Integers]]:
    """Directors (cells, k, 3) of every block, and the distinct ones: their nodes (d,), vectors (d, 3), and their number
    at every node of every cell, (cells, k) per block."""
    normals = [cell_normals(points, block) for block in blocks]
    node = np.concatenate([block.nodes.ravel() for block in blocks])
    normal = np.concatenate([part.reshape(-1, 3) for part in normals])
    order = np.argsort(node, kind="stable")
    starts = np.flatnonzero(np.diff(node[order], prepend=-1))
    group = np.empty(len(node), dtype=np.int64)
    count = 0
    limit = np.cos(FOLD)
    smooth = _smooth_nodes(normal[order], starts, limit)
    for first, last, is_smooth in zip(starts, [*starts[1:], len(order)], smooth, strict=True):
        members = order[first:last]
        if is_smooth:
            group[members] = count
            count += 1
        else:
            labels = _connected(normal[members] @ normal[members].T > limit)
            group[members] = count + labels
            count += int(labels.max()) + 1
    vectors = np.zeros((count, 3))
    np.add.at(vectors, group, normal)
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, size, out=np.zeros_like(vectors), where=size > 0.0)
    of_group = np.zeros(count, dtype=np.int64)
    of_group[group] = node
    numbers, place = [], 0
    for block in blocks:
        numbers.append(group[place : place + block.nodes.size].reshape(block.nodes.shape))
        place += block.nodes.size
    return [vectors[number] for number in numbers], of_group, vectors, numbers


def _smooth_nodes(normal: Floats, starts: Integers, limit: float) -> np.ndarray:
    """Whether all normals of a node are within half the angle of a fold of their mean: then none is a fold"""
    mean = np.add.reduceat(normal, starts, axis=0)
    size = np.linalg.norm(mean, axis=1, keepdims=True)
    mean = np.divide(mean, size, out=np.zeros_like(mean), where=size > 0.0)
    counts = np.diff([*starts, len(normal)])
    near = np.einsum("ij,ij->i", normal, np.repeat(mean, counts, axis=0))
    return np.minimum.reduceat(near, starts) > np.cos(0.5 * np.arccos(limit))


def _connected(near: np.ndarray) -> Integers:
    """(n,) number of the connected group of each member"""
    labels = np.full(len(near), -1, dtype=np.int64)
    found = 0
    for first in range(len(near)):
        if labels[first] >= 0:
            continue
        todo = [first]
        labels[first] = found
        while todo:
            for other in np.flatnonzero(near[todo.pop()] & (labels < 0)):
                labels[other] = found
                todo.append(int(other))
        found += 1
    return labels
