"""Order and grouping of the cells of one type for compiled loops.

Cells are sorted along a space-filling curve (Morton 1966), so that a chunk of consecutive cells touches few rows of the
matrix, and chunks are coloured: those of one colour share no node and may be added to the same arrays in parallel. The
order of all sums is then fixed, whatever the number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats, Integers
from flexmb.elements.solid.kernels.pattern import colour_chunks
from flexmb.mesh.mesh import Cells

CHUNK = 128
"""Cells per chunk: their rows of stiffness fit the second-level cache of a core."""


@dataclass(frozen=True)
class Chunks:
    """Sorted cells and the colours of their chunks."""

    order: Integers
    """(cells,) cell of the block at each position"""
    nodes: NDArray[np.int32]
    """(cells, k) nodes in this order"""
    colours: tuple[Integers, ...]
    """Numbers of the chunks of each colour"""


def chunks_of(points: Floats, cells: Cells) -> Chunks:
    """Sort and colour the cells of a block."""
    order = np.argsort(_along_curve(points[cells.nodes[:, :4]].mean(axis=1)), kind="stable")
    nodes = np.ascontiguousarray(cells.nodes[order], dtype=np.int32)
    colours = np.empty(-(-len(nodes) // CHUNK), dtype=np.int64)
    n_colours = colour_chunks(nodes, CHUNK, np.zeros(len(points), dtype=np.uint64), colours)
    groups = (np.flatnonzero(colours == colour) for colour in range(n_colours))
    return Chunks(order, nodes, tuple(group for group in groups if len(group)))


def _along_curve(places: Floats) -> Integers:
    """Morton codes of places (n, 3): the bits of three coordinates of 16 bits, interleaved"""
    low = places.min(axis=0)
    size = float(np.max(places.max(axis=0) - low)) or 1.0
    cells = ((places - low) * (65535.0 / size)).astype(np.int64)
    code = np.zeros(len(places), dtype=np.int64)
    for axis in range(3):
        bits = cells[:, axis]
        for shift, mask in ((16, 0xFF0000FF), (8, 0xF00F00F00F), (4, 0xC30C30C30C3), (2, 0x249249249249)):
            bits = (bits | (bits << shift)) & mask
        code |= bits << axis
    return code
