"""Nodes that share a cell (the pattern of stiffness and mass), and cells that may be processed in parallel.

Cells of all types are one after the other in `nodes`, cell c from start[c] to start[c + 1].
"""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import i4, i8, u8, void


@array_kernel(void(i8[::1], i4[::1], i8[::1], i4[::1]))
def cells_of_nodes(start, nodes, first, cells):
    """Cells of node n in cells[first[n] : first[n + 1]]; `first` (n + 1,) enters as zeros"""
    for i in range(nodes.size):
        first[nodes[i] + 1] += 1
    for n in range(first.size - 1):
        first[n + 1] += first[n]
    place = first[:-1].copy()
    for c in range(start.size - 1):
        for i in range(start[c], start[c + 1]):
            n = nodes[i]
            cells[place[n]] = c
            place[n] += 1


@kernel
def neighbours_into(n, start, nodes, first, cells, seen, row):
    """Neighbours of node n, itself among them, unsorted into `row`; returns how many. `seen` remembers n."""
    count = 0
    for p in range(first[n], first[n + 1]):
        c = cells[p]
        for i in range(start[c], start[c + 1]):
            m = nodes[i]
            if seen[m] != n:
                seen[m] = n
                if row.size > 0:
                    row[count] = m
                count += 1
    return count


@kernel
def sort(row):
    """Sort a short row in place: by insertion, in gaps for the longer ones."""
    for gap in (40, 13, 4, 1):
        for i in range(gap, row.size):
            value = row[i]
            j = i
            while j >= gap and row[j - gap] > value:
                row[j] = row[j - gap]
                j -= gap
            row[j] = value


@array_kernel(void(i8, i8, i8[::1], i4[::1], i8[::1], i4[::1], i8[::1]))
def row_lengths(begin, end, start, nodes, first, cells, lengths):
    """Number of neighbours of the nodes begin .. end - 1"""
    seen = np.full(lengths.size, -1, np.int32)
    nothing = np.empty(0, np.int32)
    for n in range(begin, end):
        lengths[n] = neighbours_into(n, start, nodes, first, cells, seen, nothing)


@array_kernel(void(i8, i8, i8[::1], i4[::1], i8[::1], i4[::1], i8[::1], i4[::1]))
def fill_rows(begin, end, start, nodes, first, cells, indptr, indices):
    """Sorted neighbours of the nodes begin .. end - 1"""
    seen = np.full(indptr.size - 1, -1, np.int32)
    for n in range(begin, end):
        row = indices[indptr[n] : indptr[n + 1]]
        neighbours_into(n, start, nodes, first, cells, seen, row)
        sort(row)


@array_kernel(i8(i4[:, ::1], i8, u8[::1], i8[::1]))
def colour_chunks(nodes, chunk, masks, colours):
    """A colour for each chunk of `chunk` cells such that chunks of one colour share no node; returns their number.

    Greedy. Colours up to 63 are kept as bits of `masks` at the nodes; a chunk for which all are taken gets a colour of
    its own.
    """
    n_chunks = colours.size
    highest = 0
    own = 64
    for c in range(n_chunks):
        taken = np.uint64(0)
        last = min((c + 1) * chunk, nodes.shape[0])
        for e in range(c * chunk, last):
            for i in range(nodes.shape[1]):
                taken |= masks[nodes[e, i]]
        colour = 0
        while colour < 64 and (taken >> np.uint64(colour)) & np.uint64(1):
            colour += 1
        if colour == 64:
            colours[c] = own
            own += 1
            continue
        colours[c] = colour
        highest = max(highest, colour + 1)
        bit = np.uint64(1) << np.uint64(colour)
        for e in range(c * chunk, last):
            for i in range(nodes.shape[1]):
                masks[nodes[e, i]] |= bit
    return own if own > 64 else highest


@kernel
def find(indices, low, high, node):
    """Index of `node` in the sorted indices[low:high]"""
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low
