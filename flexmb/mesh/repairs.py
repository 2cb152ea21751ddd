"""Repairs of cells from files: nodes in VTK order, cells of positive volume.

Formats disagree on the order of edge nodes in a quadratic cell, and writers disagree with their formats. The geometry
decides: nodes are assigned to edges so that the sum of their distances to the midpoints is smallest. A cell with
reversed node order (negative volume, not folded) is reversed. Both give a note.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.mesh.measure import measure
from flexmb.mesh.mesh import SOLIDS, Cells
from flexmb.mesh.topology import EDGES, FACES, family, is_quadratic, mirrored, n_corners

_SAMPLE = 500
"""Number of cells that decide the order of a block"""


def put_in_order(points: Floats, block: Cells, notes: list[str]) -> Cells:
    """The block with the nodes of edges (and faces) in VTK order."""
    if not is_quadratic(block.kind) or not len(block):
        return block
    order = _order(points, block)
    if order == list(range(block.nodes.shape[1])):
        return block
    notes.append(f"Edge nodes of {len(block)} {block.kind} cells were not in VTK order and were reordered.")
    return replace(block, nodes=np.ascontiguousarray(block.nodes[:, order]))


def _order(points: Floats, block: Cells) -> list[int]:
    """Index of each node of the VTK order in the rows of the block; as given if the geometry does not decide."""
    from scipy.optimize import linear_sum_assignment

    chosen = np.unique(np.linspace(0, len(block) - 1, _SAMPLE).astype(np.int64))
    x = points[block.nodes[chosen]]
    given = list(range(block.nodes.shape[1]))
    if family(block.kind) == "line":
        return _line_order(x)
    corners = n_corners(block.kind)
    pairs: list[tuple[int, ...]] = list(EDGES[family(block.kind)])
    if block.kind == "quad9":
        pairs.append((0, 1, 2, 3))
    if block.kind == "hex27":
        pairs += [*FACES["hex"], tuple(range(8))]
    elif block.kind == "quad9":
        pairs.append((0, 1, 2, 3))
    middle = np.stack([x[:, list(pair)].mean(axis=1) for pair in pairs], axis=1)
    size = np.ptp(x[:, :corners], axis=1).max(axis=1)[:, None, None]
    distance = np.linalg.norm(x[:, corners:, None] - middle[:, None], axis=3) / np.where(size > 0.0, size, 1.0)
    # Mean over cells, not the median: one order must fit all cells.
    cost = distance.mean(axis=0)
    if not np.isfinite(cost).all():
        return given
    rows, columns = linear_sum_assignment(cost)
    best, own = float(cost[rows, columns].sum()), float(np.trace(cost))
    if own <= 1.5 * best + 1e-9:  # only a clear finding counts
        return given
    return [*range(corners), *(corners + rows[np.argsort(columns)]).tolist()]


def _line_order(x: Floats) -> list[int]:
    """Order of line3: the node between the others comes last."""
    across = [np.linalg.norm(x[:, (i + 1) % 3] - x[:, (i + 2) % 3], axis=1) for i in range(3)]
    between = int(np.argmax(np.median(np.stack(across), axis=1)))
    return [i for i in range(3) if i != between] + [between]


def turn_inverted(points: Floats, blocks: tuple[Cells, ...], notes: list[str]) -> tuple[Cells, ...]:
    """The blocks with every cell of negative volume reversed."""
    result = []
    for block in blocks:
        if block.kind in SOLIDS and len(block):
            inverted = measure(points, block.kind, block.nodes, with_moments=False).inverted
            if inverted.any():
                nodes = block.nodes.copy()
                nodes[inverted] = nodes[inverted][:, mirrored(block.kind)]
                block = replace(block, nodes=nodes)
                number = "All" if inverted.all() else f"{int(inverted.sum())} of {len(block)}"
                notes.append(f"{number} {block.kind} cells had negative volume; their node order was reversed.")
        result.append(block)
    return tuple(result)


def with_centres(
    points: Floats, blocks: tuple[Cells, ...], ids: Integers | None, notes: list[str]
) -> tuple[Floats, tuple[Cells, ...], Integers | None]:
    """Points, blocks and numbers of points with a ninth node in the middle of every shell cell with eight."""
    result = []
    for block in blocks:
        if block.kind == "quad8" and len(block):
            x = points[block.nodes]
            middle = 0.5 * x[:, 4:].sum(axis=1) - 0.25 * x[:, :4].sum(axis=1)
            new = len(points) + np.arange(len(block))
            points = np.concatenate([points, middle])
            if ids is not None:
                ids = np.concatenate([ids, ids.max() + 1 + np.arange(len(block))])
            notes.append(f"{len(block)} quad8 shell cells got a ninth node in their middle.")
            block = replace(block, kind="quad9", nodes=np.concatenate([block.nodes, new[:, None]], axis=1))
        result.append(block)
    return points, tuple(result), ids
