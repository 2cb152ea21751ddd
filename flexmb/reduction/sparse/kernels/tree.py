"""Elimination tree of a symmetric matrix, its postorder and the column counts of its Cholesky factor.

The graph is given by rows (`starts`, `neighbours`) in its own numbering; `order[i]` is the block eliminated as the
i-th and `rank` the inverse of it, so that no permuted copy is made. Source: J. W. H. Liu, The role of elimination
trees in sparse factorization, SIAM J. Matrix Anal. Appl. 11 (1990) 134-172.
"""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import array_kernel
from flexmb.machine_code.signatures import f8, i4, i8, returns

TREE = (i8[::1], i8[::1], i4[::1], i8[::1], i8[::1])
"""Types of the arrays that describe a factor: firsts, row_starts, rows, panel_starts, parent."""
MATRIX = (i8[::1], i4[::1], f8[:, :, ::1], i8[::1], i4[::1])
"""Types of a matrix in its own numbering: starts, neighbours, values, order, rank."""


@array_kernel(returns(i8[::1], i8[::1], i4[::1], i8[::1], i4[::1]))
def elimination_tree(starts, neighbours, order, rank):
    """parent : (n,) in elimination numbers, -1 for roots"""
    n = order.size
    parent = np.full(n, -1, np.int64)
    ancestor = np.full(n, -1, np.int64)
    for i in range(n):
        for p in range(starts[order[i]], starts[order[i] + 1]):
            k = rank[neighbours[p]]
            while k != -1 and k < i:
                above = ancestor[k]
                ancestor[k] = i
                if above == -1:
                    parent[k] = i
                k = above
    return parent


@array_kernel(returns(i8[::1], i8[::1]))
def postorder(parent):
    """sequence : (n,) every node after its children, children in ascending order"""
    n = parent.size
    first_child = np.full(n, -1, np.int64)
    sibling = np.full(n, -1, np.int64)
    for j in range(n - 1, -1, -1):
        if parent[j] != -1:
            sibling[j] = first_child[parent[j]]
            first_child[parent[j]] = j
    sequence = np.empty(n, np.int64)
    path = np.empty(n, np.int64)
    count = 0
    for root in range(n):
        if parent[root] != -1:
            continue
        depth = 0
        path[0] = root
        while depth >= 0:
            node = path[depth]
            child = first_child[node]
            if child == -1:
                sequence[count] = node
                count += 1
                depth -= 1
            else:
                first_child[node] = sibling[child]
                depth += 1
                path[depth] = child
    return sequence


@array_kernel(returns(i8[::1], i8[::1], i4[::1], i8[::1], i4[::1], i8[::1]))
def column_counts(starts, neighbours, order, rank, parent):
    """(n,) blocks in every column of the factor, the diagonal included: every row's subtree is walked once"""
    n = order.size
    counts = np.ones(n, np.int64)
    mark = np.full(n, -1, np.int64)
    for i in range(n):
        mark[i] = i
        for p in range(starts[order[i]], starts[order[i] + 1]):
            k = rank[neighbours[p]]
            while k < i and mark[k] != i:
                counts[k] += 1
                mark[k] = i
                k = parent[k]
    return counts
