"""Multifrontal Cholesky factorisation: one dense front per supernode, updates passed to the parent on a stack.

The pivot columns of a front are assembled where the factor keeps them; the rest of the front (its update) is
assembled on top of the stack and then packed, lower triangle by columns, over the updates of the children. Source:
I. S. Duff, J. K. Reid, ACM Trans. Math. Softw. 9 (1983) 302-325.

tree   = (firsts, row_starts, rows, panel_starts, parent)
matrix = (starts, neighbours, values (nnz, b, b), order, rank), the matrix in its own numbering
"""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f8, i8, returns, void
from flexmb.reduction.sparse.kernels.dense import cholesky, divide_right, subtract_square
from flexmb.reduction.sparse.kernels.tree import MATRIX, TREE

SINGULAR = 1e-14
"""Pivots below this share of the diagonal entry they came from are round-off."""


@kernel
def _begin(s, block, tree, matrix, panels, diagonal, place):
    """Zero the panel of `s`, write the matrix entries of its columns and number its rows in `place`."""
    firsts, row_starts, rows, panel_starts, parent = tree
    starts, neighbours, values, order, rank = matrix
    begin, end = firsts[s], firsts[s + 1]
    at = panel_starts[s]
    height = block * (end - begin + row_starts[s + 1] - row_starts[s])
    panels[at : panel_starts[s + 1]] = 0.0
    for i in range(begin, end):
        place[i] = block * (i - begin)
    for q in range(row_starts[s], row_starts[s + 1]):
        place[rows[q]] = block * (end - begin + q - row_starts[s])
    for j in range(begin, end):
        old = order[j]
        for q in range(starts[old], starts[old + 1]):
            i = rank[neighbours[q]]
            if i < j:
                continue
            for y in range(block):
                column = at + (block * (j - begin) + y) * height + place[i]
                for x in range(block):
                    panels[column + x] = values[q, y, x]
            if i == j:
                for y in range(block):
                    diagonal[block * (j - begin) + y] = values[q, y, y]


@kernel
def _add_update(child, s, block, tree, place, update, update_at, panels, rest, rest_at, runs):
    """Add the packed update of `child` to the front of `s`: pivot columns into `panels`, the others into `rest`."""
    firsts, row_starts, rows, panel_starts, parent = tree
    pivots = block * (firsts[s + 1] - firsts[s])
    u = block * (row_starts[s + 1] - row_starts[s])
    height = pivots + u
    first, count = row_starts[child], row_starts[child + 1] - row_starts[child]
    # runs[i]: how many rows from i on lie side by side in the front
    runs[count - 1] = block
    for i in range(count - 2, -1, -1):
        joined = place[rows[first + i + 1]] == place[rows[first + i]] + block
        runs[i] = block + runs[i + 1] if joined else block
    at = update_at
    for j in range(count):
        column = place[rows[first + j]]
        for y in range(block):
            # the first block of the column starts on the diagonal, y rows further down
            i = j
            skip = y
            while i < count:
                length = runs[i] - skip
                row = place[rows[first + i]] + skip
                if column < pivots:
                    to = panel_starts[s] + (column + y) * height + row
                    for x in range(length):
                        panels[to + x] += update[at + x]
                else:
                    to = rest_at + (column - pivots + y) * u + row - pivots
                    for x in range(length):
                        rest[to + x] += update[at + x]
                at += length
                i += runs[i] // block
                skip = 0


@kernel
def _eliminate(s, block, blas, tree, panels, diagonal, rest, rest_at, beta):
    """Factorise the pivots, divide the rows below by them and subtract their product; -1, or the first bad pivot."""
    firsts, row_starts, rows, panel_starts, parent = tree
    at = panel_starts[s]
    pivots = block * (firsts[s + 1] - firsts[s])
    u = block * (row_starts[s + 1] - row_starts[s])
    height = pivots + u
    status = cholesky(blas, panels, at, pivots, height)
    good = pivots if status == 0 else status - 1
    for i in range(good):
        pivot = panels[at + i * (height + 1)]
        if not pivot * pivot > SINGULAR * diagonal[i]:
            return i
    if good < pivots:
        return good
    if u > 0:
        divide_right(blas, u, pivots, panels, at, height, panels, at + pivots, height)
        subtract_square(blas, u, pivots, panels, at + pivots, height, beta, rest, rest_at, u)
    return -1


@kernel
def _pack(rest, rest_at, u, to):
    """Move the lower triangle of the square at `rest_at` to `to` (not above it), column after column."""
    for j in range(u):
        source = rest_at + j * u + j
        for i in range(u - j):
            rest[to + i] = rest[source + i]
        to += u - j


@array_kernel(returns((i8, i8), i8, i8, i8, i8[::1], TREE, MATRIX, f8[::1], f8[::1]))
def factorise_subtree(start, end, block, blas, tree, matrix, panels, stack):
    """Factorise supernodes start .. end - 1, a subtree in postorder; leaves the packed update of the last at stack[0].

    Returns (-1, 0) or the supernode and pivot that failed.
    """
    firsts, row_starts, rows, panel_starts, parent = tree
    place = np.empty(matrix[3].size, np.int64)
    runs = np.empty(matrix[3].size + 1, np.int64)
    widest = 0
    for s in range(start, end):
        widest = max(widest, firsts[s + 1] - firsts[s])
    diagonal = np.empty(block * widest)
    waiting = np.empty(end - start + 1, np.int64)
    n_waiting = 0
    top = 0
    for s in range(start, end):
        _begin(s, block, tree, matrix, panels, diagonal, place)
        u = block * (row_starts[s + 1] - row_starts[s])
        has_children = n_waiting > 0 and parent[waiting[n_waiting - 1]] == s
        if has_children:
            stack[top : top + u * u] = 0.0
        at = top
        while n_waiting > 0 and parent[waiting[n_waiting - 1]] == s:
            n_waiting -= 1
            child = waiting[n_waiting]
            size = block * (row_starts[child + 1] - row_starts[child])
            at -= size * (size + 1) // 2
            _add_update(child, s, block, tree, place, stack, at, panels, stack, top, runs)
        failed = _eliminate(s, block, blas, tree, panels, diagonal, stack, top, 1.0 if has_children else 0.0)
        if failed >= 0:
            return s, failed
        _pack(stack, top, u, at)
        top = at + u * (u + 1) // 2
        if u > 0:
            waiting[n_waiting] = s
            n_waiting += 1
    return -1, 0


@array_kernel(returns((f8, i8), i8, TREE, f8[::1], f8[::1]))
def smallest_pivot(block, tree, panels, diagonal):
    """Smallest pivot as a share of its diagonal entry (in order of elimination), and its index."""
    firsts, row_starts, rows, panel_starts, parent = tree
    smallest, place = np.inf, 0
    for s in range(parent.size):
        pivots = block * (firsts[s + 1] - firsts[s])
        height = pivots + block * (row_starts[s + 1] - row_starts[s])
        for i in range(pivots):
            share = panels[panel_starts[s] + i * (height + 1)] ** 2 / diagonal[block * firsts[s] + i]
            if share < smallest:
                smallest, place = share, block * firsts[s] + i
    return smallest, place


@array_kernel(void(i8, i8, TREE, MATRIX, f8[::1], f8[::1], f8[::1], i8[::1]))
def begin_front(s, block, tree, matrix, panels, rest, diagonal, place):
    """Start the front of `s` by itself: matrix entries into its panel, zeros into `rest`."""
    _begin(s, block, tree, matrix, panels, diagonal, place)
    rest[:] = 0.0


@array_kernel(void(i8, i8, i8, TREE, i8[::1], f8[::1], f8[::1], f8[::1]))
def add_update(child, s, block, tree, place, update, panels, rest):
    """Add the packed update of one child to the front begun."""
    runs = np.empty(tree[1][child + 1] - tree[1][child] + 1, np.int64)
    _add_update(child, s, block, tree, place, update, 0, panels, rest, 0, runs)


@array_kernel(i8(i8, i8, i8[::1], TREE, f8[::1], f8[::1], f8[::1]))
def finish_front(s, block, blas, tree, panels, diagonal, rest):
    """Eliminate the pivots of the front begun and pack its update to the beginning of `rest`; -1 or the bad pivot."""
    failed = _eliminate(s, block, blas, tree, panels, diagonal, rest, 0, 1.0)
    if failed < 0:
        _pack(rest, 0, block * (tree[1][s + 1] - tree[1][s]), 0)
    return failed
