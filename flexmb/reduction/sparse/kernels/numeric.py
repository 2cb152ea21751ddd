"""Multifrontal Cholesky factorisation: one dense front per supernode, updates passed to the parent on a stack.

The pivot columns of a front are assembled where the factor keeps them (panels.py). In a subtree the rest of the front
(its update) is assembled on top of the stack and then packed, lower triangle by columns, over the updates of the
children. The large fronts above the subtrees are assembled packed: their squares would be the peak of memory.
Source: I. S. Duff, J. K. Reid, ACM Trans. Math. Softw. 9 (1983) 302-325.

tree   = (firsts, row_starts, rows, panel_starts, parent)
matrix = (starts, neighbours, values (nnz, b, b), order, rank), the matrix in its own numbering
"""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f8, i8, returns, void
from flexmb.reduction.sparse.kernels.dense import cholesky, divide_right, subtract_product, subtract_square
from flexmb.reduction.sparse.kernels.panels import WIDTH, column_start, strip_start
from flexmb.reduction.sparse.kernels.tree import MATRIX, TREE

SINGULAR = 1e-14
"""Pivots below this share of the diagonal entry they came from are round-off."""
COLUMNS = 192
"""Columns of a packed update that are computed together."""


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
                column = at + column_start(block * (j - begin) + y, height) + place[i]
                for x in range(block):
                    panels[column + x] = values[q, y, x]
            if i == j:
                for y in range(block):
                    diagonal[block * (j - begin) + y] = values[q, y, y]


@kernel
def _add_update(child, s, block, tree, place, update, update_at, panels, rest, rest_at, is_packed, runs):
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
                    to = panel_starts[s] + column_start(column + y, height) + row
                    for x in range(length):
                        panels[to + x] += update[at + x]
                else:
                    c = column - pivots + y
                    to = rest_at + c * u + row - pivots
                    if is_packed:
                        to -= c * (c + 1) // 2
                    for x in range(length):
                        rest[to + x] += update[at + x]
                at += length
                i += runs[i] // block
                skip = 0


@kernel
def _eliminate_pivots(s, block, blas, tree, panels, diagonal):
    """Factorise the pivots and divide the rows below by them, strip after strip; -1, or the first bad pivot."""
    firsts, row_starts, rows, panel_starts, parent = tree
    pivots = block * (firsts[s + 1] - firsts[s])
    height = pivots + block * (row_starts[s + 1] - row_starts[s])
    for first in range(0, pivots, WIDTH):
        at, ld = panel_starts[s] + strip_start(first, height), height - first
        width = min(WIDTH, pivots - first)
        for before in range(0, first, WIDTH):
            left = panel_starts[s] + strip_start(before, height) + first - before
            subtract_product(blas, ld, width, WIDTH, panels, left, left, height - before, 1.0, panels, at, ld)
        status = cholesky(blas, panels, at, width, ld)
        good = width if status == 0 else status - 1
        for i in range(good):
            pivot = panels[at + i * (ld + 1)]
            if not pivot * pivot > SINGULAR * diagonal[first + i]:
                return first + i
        if good < width:
            return first + good
        if ld > width:
            divide_right(blas, ld - width, width, panels, at, ld, panels, at + width, ld)
    return -1


@kernel
def _eliminate(s, block, blas, tree, panels, diagonal, rest, rest_at, beta):
    """Eliminate the pivots and subtract their product from the rest, a square; -1, or the first bad pivot."""
    firsts, row_starts, rows, panel_starts, parent = tree
    failed = _eliminate_pivots(s, block, blas, tree, panels, diagonal)
    pivots = block * (firsts[s + 1] - firsts[s])
    u = block * (row_starts[s + 1] - row_starts[s])
    height = pivots + u
    if failed < 0 and u > 0:
        for first in range(0, pivots, WIDTH):
            below = panel_starts[s] + strip_start(first, height) + pivots - first
            width = min(WIDTH, pivots - first)
            subtract_square(
                blas, u, width, panels, below, height - first, beta if first == 0 else 1.0, rest, rest_at, u
            )
    return failed


@kernel
def _subtract_packed(s, block, blas, tree, panels, rest):
    """Subtract the product of the eliminated pivots from the packed rest, a few columns at a time."""
    firsts, row_starts, rows, panel_starts, parent = tree
    pivots = block * (firsts[s + 1] - firsts[s])
    u = block * (row_starts[s + 1] - row_starts[s])
    height = pivots + u
    products = np.empty(u * min(u, COLUMNS))
    to = 0
    for column in range(0, u, COLUMNS):
        count, tall = min(COLUMNS, u - column), u - column
        for first in range(0, pivots, WIDTH):
            at = panel_starts[s] + strip_start(first, height) + pivots - first + column
            width = min(WIDTH, pivots - first)
            beta = 0.0 if first == 0 else 1.0
            subtract_product(blas, tall, count, width, panels, at, at, height - first, beta, products, 0, tall)
        for j in range(count):
            for i in range(j, tall):
                rest[to + i - j] += products[j * tall + i]
            to += tall - j


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
            _add_update(child, s, block, tree, place, stack, at, panels, stack, top, False, runs)
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
            pivot = panels[panel_starts[s] + column_start(i, height) + i]
            share = pivot**2 / diagonal[block * firsts[s] + i]
            if share < smallest:
                smallest, place = share, block * firsts[s] + i
    return smallest, place


@array_kernel(void(i8, i8, TREE, MATRIX, f8[::1], f8[::1], f8[::1], i8[::1]))
def begin_front(s, block, tree, matrix, panels, rest, diagonal, place):
    """Start the front of `s` by itself: matrix entries into its panel, zeros into `rest`, which is packed."""
    _begin(s, block, tree, matrix, panels, diagonal, place)
    rest[:] = 0.0


@array_kernel(void(i8, i8, i8, TREE, i8[::1], f8[::1], f8[::1], f8[::1]))
def add_update(child, s, block, tree, place, update, panels, rest):
    """Add the packed update of one child to the front begun."""
    runs = np.empty(tree[1][child + 1] - tree[1][child] + 1, np.int64)
    _add_update(child, s, block, tree, place, update, 0, panels, rest, 0, True, runs)


@array_kernel(i8(i8, i8, i8[::1], TREE, f8[::1], f8[::1], f8[::1]))
def finish_front(s, block, blas, tree, panels, diagonal, rest):
    """Eliminate the pivots of the front begun and subtract their product from its packed update; -1 or the bad pivot"""
    failed = _eliminate_pivots(s, block, blas, tree, panels, diagonal)
    if failed < 0 and rest.size > 0:
        _subtract_packed(s, block, blas, tree, panels, rest)
    return failed
