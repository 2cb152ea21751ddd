"""Forward and backward substitution with a factor stored in supernodes.

X : (g, block n, 8) right-hand sides in groups of eight, unknowns in order of elimination, overwritten. The columns of a
supernode are taken up to six at a time: a small triangle, then the rows below it (lanes.py). A subtree writes only to
its own rows of X and to `outside`, so that subtrees can be processed in parallel.
"""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f8, i4, i8, void
from flexmb.reduction.sparse.kernels.lanes import (
    LANES,
    subtract_1,
    subtract_3,
    subtract_6,
    subtract_transposed_1,
    subtract_transposed_3,
    subtract_transposed_6,
)
from flexmb.reduction.sparse.kernels.panels import WIDTH, column_start
from flexmb.reduction.sparse.kernels.tree import TREE


@kernel
def _width(left):
    """Number of columns to process together when `left` remain."""
    return 6 if left >= 6 else (3 if left >= 3 else 1)


@kernel
def _subtract(width, columns, height, rows, x, y):
    """y -= A x at addresses"""
    if width == 6:
        subtract_6(columns, height, rows, x, y)
    elif width == 3:
        subtract_3(columns, height, rows, x, y)
    else:
        subtract_1(columns, height, rows, x, y)


@kernel
def _subtract_transposed(width, columns, height, rows, y, x):
    """x -= A^T y at addresses"""
    if width == 6:
        subtract_transposed_6(columns, height, rows, y, x)
    elif width == 3:
        subtract_transposed_3(columns, height, rows, y, x)
    else:
        subtract_transposed_1(columns, height, rows, y, x)


@kernel
def _triangle(panels, at, height, width, x, own):
    """x = C^-1 x for the small triangle C at `at`"""
    for c in range(width):
        pivot = 1.0 / panels[at + c * (height + 1)]
        for i in range(LANES):
            x[own + LANES * c + i] *= pivot
        for r in range(c + 1, width):
            factor = panels[at + c * height + r]
            for i in range(LANES):
                x[own + LANES * r + i] -= factor * x[own + LANES * c + i]


@kernel
def _transposed_triangle(panels, at, height, width, x, own):
    """x = C^-T x for the small triangle C at `at`"""
    for c in range(width - 1, -1, -1):
        for r in range(c + 1, width):
            factor = panels[at + c * height + r]
            for i in range(LANES):
                x[own + LANES * c + i] -= factor * x[own + LANES * r + i]
        pivot = 1.0 / panels[at + c * (height + 1)]
        for i in range(LANES):
            x[own + LANES * c + i] *= pivot


@kernel
def _forward_columns(pivots, u, panels, at, x, own, group, n_groups, product, product_group):
    """Substitute in the pivots of a supernode and collect what they subtract from the rows below in `product`."""
    height = pivots + u
    factor, first_x, first_product = (
        np.int64(panels.ctypes.data),
        np.int64(x.ctypes.data),
        np.int64(product.ctypes.data),
    )
    for first in range(0, pivots, WIDTH):
        ld, end = height - first, min(first + WIDTH, pivots)
        j = first
        while j < end:
            width = _width(end - j)
            corner = at + column_start(j, height) + j
            for g in range(n_groups):
                place = g * group + own + LANES * j
                _triangle(panels, corner, ld, width, x, place)
                here = first_x + 8 * place
                next_rows = here + 8 * LANES * width
                _subtract(width, factor + 8 * (corner + width), ld, pivots - j - width, here, next_rows)
                below = factor + 8 * (corner + pivots - j)
                _subtract(width, below, ld, u, here, first_product + 8 * g * product_group)
            j += width


@array_kernel(void(i8, i8, i8, TREE, f8[::1], f8[:, :, ::1], f8[:, :, ::1]))
def forward(start, end, block, tree, panels, X, outside):
    """X = C^-1 X for supernodes start .. end - 1; what they subtract from rows behind them is put into `outside`.

    outside : (g, rows of the last supernode, 8 block), zero before; empty: X takes them itself.
    """
    firsts, row_starts, rows, panel_starts, parent = tree
    x = X.reshape(-1)
    n_groups, group = X.shape[0], X.shape[1] * LANES
    tallest = 0
    for s in range(start, end):
        tallest = max(tallest, row_starts[s + 1] - row_starts[s])
    size = block * LANES
    product = np.empty(n_groups * tallest * size + 1)
    behind = firsts[end]
    last = row_starts[end - 1]
    is_alone = outside.size == 0
    for s in range(start, end):
        pivots = block * (firsts[s + 1] - firsts[s])
        n_rows = row_starts[s + 1] - row_starts[s]
        product[: n_groups * n_rows * size] = 0.0
        own = firsts[s] * size
        _forward_columns(
            pivots, block * n_rows, panels, panel_starts[s], x, own, group, n_groups, product, n_rows * size
        )
        for g in range(n_groups):
            place = 0
            for q in range(n_rows):
                row = rows[row_starts[s] + q]
                from_here = (g * n_rows + q) * size
                if row < behind or is_alone:
                    for i in range(size):
                        x[g * group + row * size + i] += product[from_here + i]
                else:
                    while rows[last + place] != row:
                        place += 1
                    for i in range(size):
                        outside[g, place, i] += product[from_here + i]


@array_kernel(void(i8, i8, i8, TREE, f8[::1], f8[:, :, ::1]))
def backward(start, end, block, tree, panels, X):
    """X = C^-T X for supernodes end - 1 .. start; the rows behind them are final."""
    firsts, row_starts, rows, panel_starts, parent = tree
    x = X.reshape(-1)
    n_groups, group = X.shape[0], X.shape[1] * LANES
    tallest = 0
    for s in range(start, end):
        tallest = max(tallest, row_starts[s + 1] - row_starts[s])
    size = block * LANES
    gathered = np.empty(n_groups * tallest * size + 1)
    for s in range(end - 1, start - 1, -1):
        n_rows = row_starts[s + 1] - row_starts[s]
        for g in range(n_groups):
            for q in range(n_rows):
                row = rows[row_starts[s] + q]
                for i in range(size):
                    gathered[(g * n_rows + q) * size + i] = x[g * group + row * size + i]
        pivots = block * (firsts[s + 1] - firsts[s])
        own = firsts[s] * size
        _backward_columns(
            pivots, block * n_rows, panels, panel_starts[s], x, own, group, n_groups, gathered, n_rows * size
        )


@kernel
def _backward_columns(pivots, u, panels, at, x, own, group, n_groups, gathered, gathered_group):
    """Substitute in the pivots of a supernode, with the values of the rows below in `gathered`."""
    height = pivots + u
    factor, first_x = np.int64(panels.ctypes.data), np.int64(x.ctypes.data)
    first_gathered = np.int64(gathered.ctypes.data)
    j = pivots
    while j > 0:
        first = (j - 1) // WIDTH * WIDTH
        ld = height - first
        width = _width(j - first)
        j -= width
        corner = at + column_start(j, height) + j
        for g in range(n_groups):
            place = g * group + own + LANES * j
            here = first_x + 8 * place
            below = factor + 8 * (corner + pivots - j)
            _subtract_transposed(width, below, ld, u, first_gathered + 8 * g * gathered_group, here)
            next_rows = here + 8 * LANES * width
            _subtract_transposed(width, factor + 8 * (corner + width), ld, pivots - j - width, next_rows, here)
            _transposed_triangle(panels, corner, ld, width, x, place)


@array_kernel(void(i4[::1], i8, f8[:, :, ::1], f8[:, :, ::1]))
def add_rows(rows, block, outside, X):
    """Add the contribution of a subtree to the rows behind it to X."""
    for g in range(X.shape[0]):
        for q in range(rows.size):
            for y in range(block):
                for i in range(LANES):
                    X[g, block * rows[q] + y, i] += outside[g, q, y * LANES + i]


@array_kernel(void(f8[:, ::1], i8[::1], i8, f8[:, :, ::1]))
def arrange(columns, order, start, X):
    """X (g, n, 8): right-hand sides of (n, k) from `start` on in order of elimination, filled up with zeros"""
    for i in range(order.size):
        for g in range(X.shape[0]):
            first = start + LANES * g
            if first + LANES <= columns.shape[1]:  # a row of known length is copied at once
                for k in range(LANES):
                    X[g, i, k] = columns[order[i], first + k]
            else:
                for k in range(LANES):
                    X[g, i, k] = columns[order[i], first + k] if first + k < columns.shape[1] else 0.0


@array_kernel(void(f8[:, :, ::1], i8[::1], i8, f8[:, ::1]))
def restore(X, order, start, columns):
    """Write the solutions into the columns (n, k) from `start` on."""
    for i in range(order.size):
        for g in range(X.shape[0]):
            first = start + LANES * g
            if first + LANES <= columns.shape[1]:
                for k in range(LANES):
                    columns[order[i], first + k] = X[g, i, k]
            else:
                for k in range(columns.shape[1] - first):
                    columns[order[i], first + k] = X[g, i, k]
