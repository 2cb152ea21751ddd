"""Nested dissection by coordinates: cut a body across, separate the blocks on the cut, and cut both halves again.

A region is cut at the median of the coordinate along one of its principal axes, whichever has the smallest separator;
the separator is then improved by moves of single blocks (separators.py). Blocks of a separator are eliminated after all
that they separate. Source: A. George, SIAM J. Numer. Anal. 10 (1973) 345-363.
"""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f8, i4, i8, returns
from flexmb.reduction.sparse.kernels.separators import BETWEEN, boundary_size, initial_separator, refine

LEAF = 8
"""Regions of at most this many blocks are not cut further."""
FLAT = 0.2
"""Axes along which a region spreads less than this share of the longest (in variance) are not tried."""


@array_kernel(returns(i8[::1], i8[::1], i4[::1], f8[:, ::1]))
def dissect(starts, neighbours, points):
    """(n,) blocks in order of elimination, for a graph by rows and the places (n, 3) of its blocks."""
    n = starts.size - 1
    blocks = np.arange(n)
    sorted_blocks = np.empty(n, np.int64)
    region = np.zeros(n, np.int64)
    side = np.zeros(n, np.int8)
    along = np.empty(n)
    ranked = np.empty(n)
    heap = np.empty((2, 16 * n + 64), np.int64)
    counts = np.zeros((2, n), np.int64)
    moves = np.empty(8 * n + 64, np.int64)
    locked = np.zeros(n, np.int64)
    graph = starts, neighbours, region, side
    open_regions = np.empty((n + 2, 2), np.int64)
    open_regions[0, 0], open_regions[0, 1] = 0, n
    n_open = 1
    number = 0
    while n_open > 0:
        n_open -= 1
        low, high = open_regions[n_open, 0], open_regions[n_open, 1]
        if high - low <= LEAF:
            continue
        number += 1
        for q in range(low, high):
            region[blocks[q]] = number
        _cut(graph, number, blocks[low:high], points, along, ranked)
        refine(graph, number, blocks[low:high], heap, counts, moves, locked)
        sizes = _sort_by_side(blocks[low:high], side, sorted_blocks)
        for q in range(low + sizes[0] + sizes[1], high):
            region[blocks[q]] = 0
        if sizes[0] == 0 and sizes[1] == 0:
            continue
        for half in range(2):
            begin = low + half * sizes[0]
            open_regions[n_open, 0], open_regions[n_open, 1] = begin, begin + sizes[half]
            # a half that is the whole region would be cut the same way for ever
            if 0 < sizes[half] < high - low:
                n_open += 1
    return blocks


@kernel
def _cut(graph, number, blocks, points, along, ranked):
    """Put every block of the region on a side or between, by the best of the cuts across the principal axes."""
    starts, neighbours, region, side = graph
    variances, axes = _principal_axes(points, blocks)
    smallest = -1
    best = 0
    for axis in range(3):
        if variances[axis] < FLAT * variances[0]:
            continue
        _halve(points, blocks, axes[axis], along, ranked, side)
        size = boundary_size(graph, number, blocks)
        if smallest < 0 or size < smallest:
            smallest, best = size, axis
    _halve(points, blocks, axes[best], along, ranked, side)
    initial_separator(graph, number, blocks)


@kernel
def _halve(points, blocks, axis, along, ranked, side):
    """Sides 0 and 1 by the median of the coordinate along `axis`; by number when all lie at one place."""
    m = blocks.size
    for q in range(m):
        v = blocks[q]
        along[q] = points[v, 0] * axis[0] + points[v, 1] * axis[1] + points[v, 2] * axis[2]
        ranked[q] = along[q]
    median = _select(ranked, m, m // 2)
    below = 0
    for q in range(m):
        side[blocks[q]] = 0 if along[q] < median else 1
        below += along[q] < median
    if below < m // 4:
        for q in range(m):
            # many blocks at the median: let them go to the side that is too small
            if along[q] == median and below < m // 2:
                side[blocks[q]] = 0
                below += 1


@kernel
def _sort_by_side(blocks, side, room):
    """Side 0 first, then side 1, then what is between; returns how many there are of each."""
    sizes = np.zeros(3, np.int64)
    for q in range(blocks.size):
        sizes[side[blocks[q]]] += 1
        room[q] = blocks[q]
    at = np.zeros(3, np.int64)
    at[1] = sizes[0]
    at[BETWEEN] = sizes[0] + sizes[1]
    for q in range(blocks.size):
        half = side[room[q]]
        blocks[at[half]] = room[q]
        at[half] += 1
    return sizes


@kernel
def _select(values, n, k):
    """The k-th smallest of values[:n], which are reordered."""
    low, high = 0, n - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return values[k]


@kernel
def _principal_axes(points, blocks):
    """Variances (descending) and axes (rows) of the points of a region, by Jacobi rotations."""
    centre = np.zeros(3)
    A = np.zeros((3, 3))
    for q in range(blocks.size):
        for i in range(3):
            centre[i] += points[blocks[q], i] / blocks.size
    for q in range(blocks.size):
        for i in range(3):
            for j in range(3):
                A[i, j] += (points[blocks[q], i] - centre[i]) * (points[blocks[q], j] - centre[j])
    V = np.zeros((3, 3))
    for i in range(3):
        V[i, i] = 1.0
    for _ in range(12):
        for i in range(2):
            for j in range(i + 1, 3):
                if abs(A[i, j]) > 1e-15 * (A[i, i] + A[j, j]):
                    angle = 0.5 * np.arctan2(2.0 * A[i, j], A[i, i] - A[j, j])
                    _rotate(A, V, i, j, np.cos(angle), np.sin(angle))
    variances = np.zeros(3)
    axes = np.zeros((3, 3))
    for place in range(3):
        largest = 0
        for i in range(3):
            if A[i, i] > A[largest, largest]:
                largest = i
        variances[place] = A[largest, largest]
        for i in range(3):
            axes[place, i] = V[i, largest]
        A[largest, largest] = -1.0
    return variances, axes


@kernel
def _rotate(A, V, i, j, c, s):
    """A = G^T A G, V = V G for the rotation G in the plane i, j"""
    for k in range(3):
        A[k, i], A[k, j] = c * A[k, i] + s * A[k, j], c * A[k, j] - s * A[k, i]
    for k in range(3):
        A[i, k], A[j, k] = c * A[i, k] + s * A[j, k], c * A[j, k] - s * A[i, k]
    for k in range(3):
        V[k, i], V[k, j] = c * V[k, i] + s * V[k, j], c * V[k, j] - s * V[k, i]
