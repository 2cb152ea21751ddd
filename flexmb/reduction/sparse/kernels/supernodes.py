"""Supernodes: groups of columns of the factor with (nearly) the same rows, stored and eliminated as dense fronts.

Fundamental supernodes come from the elimination tree and the column counts; small ones are then merged into their
parent where that stores few zeros (C. Ashcraft, R. Grimes, ACM Trans. Math. Softw. 15 (1989) 291-309). Children are
visited in the order that keeps the stack of update matrices small (J. W. H. Liu, ACM Trans. Math. Softw. 12 (1986)
249-264).
"""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f8, i4, i8, returns
from flexmb.reduction.sparse.kernels.panels import panel_size


@array_kernel(returns(i8[::1], i8[::1], i8[::1]))
def fundamental(parent, counts):
    """starts : (s + 1,) first columns of maximal chains of columns with nested rows; for a postordered tree"""
    n = parent.size
    children = np.zeros(n, np.int64)
    for j in range(n):
        if parent[j] != -1:
            children[parent[j]] += 1
    starts = np.empty(n + 1, np.int64)
    count = 0
    for j in range(n):
        if j == 0 or parent[j - 1] != j or counts[j] != counts[j - 1] - 1 or children[j] != 1:
            starts[count] = j
            count += 1
    starts[count] = n
    return starts[: count + 1].copy()


@array_kernel(returns((i8[::1], i8[::1], i8[::1], i8[::1]), i8[::1], i8[::1], i8[::1], i8[::1], f8[::1]))
def merge(starts, parent, counts, widths, shares):
    """Merge supernodes into their parents; returns for every supernode the one it went into (or itself), columns,
    rows and the parent of each that remains.

    Two supernodes are merged when together they have at most widths[i] columns and at most the share shares[i] of
    stored entries is zero, for some i.
    """
    n = starts.size - 1
    owner = np.empty(parent.size, np.int64)
    for s in range(n):
        for j in range(starts[s], starts[s + 1]):
            owner[j] = s
    into = np.arange(n)
    columns = np.empty(n, np.int64)
    for s in range(n):
        columns[s] = starts[s + 1] - starts[s]
    rows = np.empty(n, np.int64)
    zeros = np.zeros(n)
    above = np.full(n, -1, np.int64)
    child = np.full(n, -1, np.int64)
    sibling = np.full(n, -1, np.int64)
    for s in range(n):
        rows[s] = counts[starts[s]]
        q = parent[starts[s + 1] - 1]
        if q != -1:
            above[s] = owner[q]
    for q in range(n):
        # All children of q are done: they come before it. The widest goes first: its rows are the most similar.
        kept = -1
        while child[q] != -1:
            s = child[q]
            child[q] = sibling[s]
            width = columns[s] + columns[q]
            height = columns[s] + rows[q]
            new = zeros[s] + zeros[q] + columns[s] * (height - rows[s])
            share = new / (width * (width + 1) / 2.0 + width * (height - width))
            is_merged = False
            for i in range(widths.size):
                if width <= widths[i] and share <= shares[i]:
                    is_merged = True
            if is_merged:
                into[s] = q
                columns[q], rows[q], zeros[q] = width, height, new
            else:
                sibling[s] = kept
                kept = s
        child[q] = kept
        p = above[q]
        if p != -1:
            _insert_by_width(child, sibling, columns, p, q)
    for s in range(n - 1, -1, -1):
        if into[s] != s:
            into[s] = into[into[s]]
    for s in range(n):
        if above[s] != -1:
            above[s] = into[above[s]]
    return into, columns, rows, above


@kernel
def _insert_by_width(child, sibling, columns, parent, new):
    """Put `new` into the list of children of `parent`, widest first."""
    before = -1
    after = child[parent]
    while after != -1 and columns[after] > columns[new]:
        before = after
        after = sibling[after]
    sibling[new] = after
    if before == -1:
        child[parent] = new
    else:
        sibling[before] = new


@array_kernel(returns((i8[::1], i8[::1], i8[::1]), i8[::1], i8[::1], i8[::1], i8[::1], i8[::1], i8))
def arrange(starts, into, columns, rows, above, block):
    """Sequence of the columns and of the supernodes that remain: children before parents, and the child that needs the
    most room beyond what it leaves on the stack first.

    Returns the new sequence of columns, the first new column of each supernode and its parent.
    """
    n = into.size
    peak = np.zeros(n)
    held = np.zeros(n)
    child = np.full(n, -1, np.int64)
    sibling = np.full(n, -1, np.int64)
    for s in range(n):
        if into[s] != s:
            continue
        u = float(block * (rows[s] - columns[s]))
        room = 0.0
        stacked = 0.0
        c = child[s]
        while c != -1:
            room = max(room, stacked + peak[c])
            stacked += held[c]
            c = sibling[c]
        peak[s] = max(room, stacked + u * u)
        held[s] = 0.5 * u * (u + 1)
        p = above[s]
        if p != -1:
            before = -1
            after = child[p]
            while after != -1 and peak[after] - held[after] > peak[s] - held[s]:
                before = after
                after = sibling[after]
            sibling[s] = after
            if before == -1:
                child[p] = s
            else:
                sibling[before] = s
    return _number(starts, into, above, child, sibling)


@kernel
def _number(starts, into, above, child, sibling):
    """Depth-first numbering of the supernodes that remain, and of their columns."""
    n = into.size
    next_member = np.full(n, -1, np.int64)
    for s in range(n - 1, -1, -1):
        if into[s] != s:
            next_member[s] = next_member[into[s]]
            next_member[into[s]] = s
    sequence = np.empty(starts[n], np.int64)
    firsts = np.empty(n + 1, np.int64)
    number = np.full(n, -1, np.int64)
    path = np.empty(n, np.int64)
    column = 0
    count = 0
    for root in range(n):
        if into[root] != root or above[root] != -1:
            continue
        depth = 0
        path[0] = root
        while depth >= 0:
            s = path[depth]
            c = child[s]
            if c != -1:
                child[s] = sibling[c]
                depth += 1
                path[depth] = c
                continue
            firsts[count] = column
            number[s] = count
            count += 1
            depth -= 1
            member = next_member[s]
            while member != -1:
                for j in range(starts[member], starts[member + 1]):
                    sequence[column] = j
                    column += 1
                member = next_member[member]
            for j in range(starts[s], starts[s + 1]):
                sequence[column] = j
                column += 1
    firsts[count] = column
    parent = np.full(count, -1, np.int64)
    for s in range(n):
        if number[s] != -1 and above[s] != -1:
            parent[number[s]] = number[above[s]]
    return sequence, firsts[: count + 1].copy(), parent


@kernel
def _sort(values, count):
    """Sort the first entries in place by a heap; the sort of numba takes three seconds to compile."""
    for start in range(count // 2 - 1, -1, -1):
        _sink(values, start, count)
    for end in range(count - 1, 0, -1):
        values[0], values[end] = values[end], values[0]
        _sink(values, 0, end)


@kernel
def _sink(values, start, end):
    value = values[start]
    place = start
    while 2 * place + 1 < end:
        child = 2 * place + 1
        if child + 1 < end and values[child + 1] > values[child]:
            child += 1
        if values[child] <= value:
            break
        values[place] = values[child]
        place = child
    values[place] = value


@array_kernel(returns((i8[::1], i4[::1]), i8[::1], i4[::1], i8[::1], i4[::1], i8[::1], i8[::1]))
def row_structure(starts, neighbours, order, rank, firsts, parent):
    """Rows below the diagonal block of every supernode, ascending: row_starts : (s + 1,), rows : (...)"""
    n = firsts.size - 1
    row_starts = np.zeros(n + 1, np.int64)
    rows = np.empty(max(1024, neighbours.size), np.int32)
    child = np.full(n, -1, np.int64)
    sibling = np.full(n, -1, np.int64)
    mark = np.full(order.size, -1, np.int64)
    found = np.empty(order.size, np.int32)
    for s in range(n):
        end = firsts[s + 1]
        count = 0
        for j in range(firsts[s], end):
            for p in range(starts[order[j]], starts[order[j] + 1]):
                i = rank[neighbours[p]]
                if i >= end and mark[i] != s:
                    mark[i] = s
                    found[count] = i
                    count += 1
        c = child[s]
        while c != -1:
            for p in range(row_starts[c], row_starts[c + 1]):
                i = rows[p]
                if i >= end and mark[i] != s:
                    mark[i] = s
                    found[count] = i
                    count += 1
            c = sibling[c]
        at = row_starts[s]
        if at + count > rows.size:
            longer = np.empty(2 * rows.size + count, np.int32)
            for q in range(at):
                longer[q] = rows[q]
            rows = longer
        _sort(found, count)
        for q in range(count):
            rows[at + q] = found[q]
        row_starts[s + 1] = at + count
        if parent[s] != -1:
            sibling[s] = child[parent[s]]
            child[parent[s]] = s
    return row_starts, rows[: row_starts[n]].copy()


@array_kernel(returns((i8[::1], f8[::1], i8[::1]), i8[::1], i8[::1], i8[::1], i8))
def sizes(firsts, row_starts, parent, block):
    """Per supernode: start of its panel in the factor, operations of its subtree, stack its subtree needs (entries)."""
    n = firsts.size - 1
    panel_starts = np.zeros(n + 1, np.int64)
    operations = np.zeros(n)
    stack = np.zeros(n, np.int64)
    stacked = np.zeros(n, np.int64)
    for s in range(n):
        p = block * (firsts[s + 1] - firsts[s])
        u = block * (row_starts[s + 1] - row_starts[s])
        panel_starts[s + 1] = panel_starts[s] + panel_size(p, p + u)
        operations[s] += p * (p * (p / 3.0 + u) + float(u) * u)
        stack[s] = max(stack[s], stacked[s] + u * u)
        q = parent[s]
        if q != -1:
            operations[q] += operations[s]
            stack[q] = max(stack[q], stacked[q] + stack[s])
            stacked[q] += u * (u + 1) // 2
    return panel_starts, operations, stack
