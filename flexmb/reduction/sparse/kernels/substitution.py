"""Forward and backward substitution with a factor stored in supernodes.

X : (block n, k) right-hand sides by rows, in elimination order, overwritten. For BLAS it is X^T by columns, so the
triangle stands on the right. A subtree writes only to its own rows of X and to `outside`, so that subtrees can be
worked on side by side.
"""

from __future__ import annotations

import numpy as np

from flexmb.jit import array_kernel
from flexmb.reduction.sparse.kernels.dense import divide_right, multiply


@array_kernel
def forward(start, end, block, blas, tree, panels, X, outside):
    """X = C^-1 X for supernodes start .. end - 1; what they subtract from rows behind them is put into `outside`.

    outside : (rows of the last supernode, block k), zero before; empty: X takes them itself.
    """
    firsts, row_starts, rows, panel_starts, parent = tree
    k = X.shape[1]
    x = X.reshape(-1)
    tallest = 0
    for s in range(start, end):
        tallest = max(tallest, row_starts[s + 1] - row_starts[s])
    product = np.empty(tallest * block * k + 1)
    behind = firsts[end]
    last = row_starts[end - 1]
    is_alone = outside.size == 0
    width = block * k
    for s in range(start, end):
        at = panel_starts[s]
        pivots = block * (firsts[s + 1] - firsts[s])
        n_rows = row_starts[s + 1] - row_starts[s]
        height = pivots + block * n_rows
        own = firsts[s] * width
        divide_right(blas, True, k, pivots, panels, at, height, x, own, k)
        if n_rows == 0:
            continue
        u = block * n_rows
        multiply(blas, True, k, u, pivots, 1.0, x, own, k, panels, at + pivots, height, 0.0, product, 0, k)
        place = 0
        for q in range(n_rows):
            row = rows[row_starts[s] + q]
            if row < behind or is_alone:
                for i in range(width):
                    x[row * width + i] -= product[q * width + i]
            else:
                while rows[last + place] != row:
                    place += 1
                for i in range(width):
                    outside[place, i] += product[q * width + i]


@array_kernel
def backward(start, end, block, blas, tree, panels, X):
    """X = C^-T X for supernodes end - 1 .. start; the rows behind them are final."""
    firsts, row_starts, rows, panel_starts, parent = tree
    k = X.shape[1]
    x = X.reshape(-1)
    tallest = 0
    for s in range(start, end):
        tallest = max(tallest, row_starts[s + 1] - row_starts[s])
    gathered = np.empty(tallest * block * k + 1)
    width = block * k
    for s in range(end - 1, start - 1, -1):
        at = panel_starts[s]
        pivots = block * (firsts[s + 1] - firsts[s])
        n_rows = row_starts[s + 1] - row_starts[s]
        height = pivots + block * n_rows
        own = firsts[s] * width
        if n_rows > 0:
            for q in range(n_rows):
                row = rows[row_starts[s] + q]
                for i in range(width):
                    gathered[q * width + i] = x[row * width + i]
            u = block * n_rows
            multiply(blas, False, k, pivots, u, -1.0, gathered, 0, k, panels, at + pivots, height, 1.0, x, own, k)
        divide_right(blas, False, k, pivots, panels, at, height, x, own, k)


@array_kernel
def subtract_rows(rows, block, outside, X):
    """Take what a subtree left for the rows behind it from X."""
    k = X.shape[1]
    for q in range(rows.size):
        for y in range(block):
            for i in range(k):
                X[block * rows[q] + y, i] -= outside[q, y * k + i]
