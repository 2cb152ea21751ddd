"""Vertex separators of a region of a graph, improved by moves of single blocks.

A block between the sides is moved to one of them; its neighbours on the other side then come between. The move with the
largest gain goes first, also when it is a loss; at the end of a pass the best state seen is restored. Source: C. M.
Fiduccia, R. M. Mattheyses, 19th Design Automation Conf. (1982) 175-181; for separators: C. Ashcraft, J. W. H. Liu,
SIAM J. Matrix Anal. Appl. 19 (1998) 325-354.

graph = (starts, neighbours, region, side): side is 0, 1 or BETWEEN; only blocks of the region `number` are seen.
lists = (after, before, heads): for each side, blocks between by the loss of moving them there, doubly linked.
"""

from __future__ import annotations

import numpy as np

from flexmb.jit import kernel

BETWEEN = 2
PASSES = 8
LARGEST_SHARE = 0.58
"""Share of the blocks of a region that one side may have."""
PATIENCE = 0.3
"""A pass ends after so many moves without gain, as a share of the size of the separator (at least 40)."""


@kernel
def boundary_size(graph, number, blocks):
    """Blocks in the smaller of the two one-sided boundaries of the cut."""
    starts, neighbours, region, side = graph
    sizes = np.zeros(2, np.int64)
    for q in range(blocks.size):
        v = blocks[q]
        for p in range(starts[v], starts[v + 1]):
            w = neighbours[p]
            if region[w] == number and side[w] != side[v]:
                sizes[side[v]] += 1
                break
    return min(sizes[0], sizes[1])


@kernel
def initial_separator(graph, number, blocks):
    """Move the boundary of one side between the sides: of the side whose boundary is smaller."""
    starts, neighbours, region, side = graph
    is_boundary = np.zeros(blocks.size, np.int8)
    sizes = np.zeros(2, np.int64)
    for q in range(blocks.size):
        v = blocks[q]
        for p in range(starts[v], starts[v + 1]):
            w = neighbours[p]
            if region[w] == number and side[w] != side[v]:
                is_boundary[q] = 1
                sizes[side[v]] += 1
                break
    chosen = 0 if sizes[0] <= sizes[1] else 1
    for q in range(blocks.size):
        if is_boundary[q] and side[blocks[q]] == chosen:
            side[blocks[q]] = BETWEEN


@kernel
def _put(lists, to, v, loss):
    after, before, heads = lists
    head = heads[to, loss]
    after[to, v] = head
    before[to, v] = -1
    if head != -1:
        before[to, head] = v
    heads[to, loss] = v


@kernel
def _take(lists, to, v, loss):
    after, before, heads = lists
    if before[to, v] != -1:
        after[to, before[to, v]] = after[to, v]
    else:
        heads[to, loss] = after[to, v]
    if after[to, v] != -1:
        before[to, after[to, v]] = before[to, v]


@kernel
def _enter(graph, number, lists, counts, v):
    """Count the neighbours of v on both sides; counts[1 - to] is the loss of moving it to side `to`."""
    starts, neighbours, region, side = graph
    counts[0, v] = 0
    counts[1, v] = 0
    for p in range(starts[v], starts[v + 1]):
        w = neighbours[p]
        if w != v and region[w] == number and side[w] != BETWEEN:
            counts[side[w], v] += 1
    _put(lists, 0, v, counts[1, v])
    _put(lists, 1, v, counts[0, v])


@kernel
def _move(graph, number, lists, counts, locked, stamp, v, to, moves, at):
    """Move v to side `to`; writes v and the blocks it pulls between into `moves` from `at` on, returns the end."""
    starts, neighbours, region, side = graph
    other = 1 - to
    _take(lists, 0, v, counts[1, v])
    _take(lists, 1, v, counts[0, v])
    side[v] = to
    locked[v] = stamp
    moves[at] = v
    at += 1
    for p in range(starts[v], starts[v + 1]):
        w = neighbours[p]
        if w == v or region[w] != number:
            continue
        if side[w] == BETWEEN:
            if locked[w] != stamp:
                _take(lists, other, w, counts[to, w])
                _put(lists, other, w, counts[to, w] + 1)
            counts[to, w] += 1
        elif side[w] == other:
            side[w] = BETWEEN
            moves[at] = w
            at += 1
            for r in range(starts[w], starts[w + 1]):
                x = neighbours[r]
                if x != w and region[x] == number and side[x] == BETWEEN:
                    if locked[x] != stamp:
                        _take(lists, to, x, counts[other, x])
                        _put(lists, to, x, counts[other, x] - 1)
                    counts[other, x] -= 1
            _enter_if_free(graph, number, lists, counts, locked, stamp, w)
    return at


@kernel
def _enter_if_free(graph, number, lists, counts, locked, stamp, w):
    _enter(graph, number, lists, counts, w)
    if locked[w] == stamp:
        _take(lists, 0, w, counts[1, w])
        _take(lists, 1, w, counts[0, w])


@kernel
def refine(graph, number, blocks, lists, counts, moves, locked):
    """Make the separator of a region smaller, and the sides more equal where that costs nothing."""
    starts, neighbours, region, side = graph
    n = blocks.size
    sizes = np.zeros(3, np.int64)
    for q in range(n):
        sizes[side[blocks[q]]] += 1
    for turn in range(PASSES):
        stamp = PASSES * number + turn + 1
        before = _cost(sizes, n)
        _refine_once(graph, number, blocks, lists, counts, moves, locked, stamp, sizes)
        if _cost(sizes, n) >= before:
            break


@kernel
def _cost(sizes, n):
    """Size of the separator, and a little for unequal sides."""
    return sizes[BETWEEN] * (1.0 + 0.25 * abs(sizes[0] - sizes[1]) / n)


@kernel
def _refine_once(graph, number, blocks, lists, counts, moves, locked, stamp, sizes):
    """One pass; every block is moved at most once."""
    starts, neighbours, region, side = graph
    heads = lists[2]
    heads[:] = -1
    n = blocks.size
    for q in range(n):
        if side[blocks[q]] == BETWEEN:
            _enter(graph, number, lists, counts, blocks[q])
    best_cost, best_at, best_moves = _cost(sizes, n), 0, 0
    best_sizes = sizes.copy()
    patience = max(40, int(PATIENCE * sizes[BETWEEN]))
    at, n_moves = 0, 0
    while n_moves - best_moves < patience and at < moves.size - 2 * heads.shape[1] - 4:
        v, to = _best_move(heads, sizes, n)
        if v < 0:
            break
        begin = at
        at = _move(graph, number, lists, counts, locked, stamp, v, to, moves, at + 1)
        # entry: length with the side as sign, then the block and what it pulled between
        moves[begin] = (at - begin) * (1 if to == 0 else -1)
        pulled = at - begin - 2
        sizes[to] += 1
        sizes[1 - to] -= pulled
        sizes[BETWEEN] += pulled - 1
        n_moves += 1
        if _cost(sizes, n) < best_cost:
            best_cost, best_at, best_moves = _cost(sizes, n), at, n_moves
            best_sizes[:] = sizes
    _undo(side, moves, best_at, at)
    sizes[:] = best_sizes


@kernel
def _best_move(heads, sizes, n):
    """Block and side with the smallest loss that keeps the sides within their share; (-1, 0): none."""
    best, side, smallest = -1, 0, heads.shape[1]
    for to in range(2):
        if sizes[to] + 1 > LARGEST_SHARE * n:
            continue
        for loss in range(heads.shape[1]):
            if heads[to, loss] != -1:
                if loss < smallest or (loss == smallest and sizes[to] < sizes[1 - to]):
                    best, side, smallest = heads[to, loss], to, loss
                break
    return best, side


@kernel
def _undo(side, moves, keep, end):
    """Take back the moves written behind `keep`, the last one first."""
    n_entries = 0
    at = keep
    while at < end:
        n_entries += 1
        at += abs(moves[at])
    begins = np.empty(n_entries, np.int64)
    at = keep
    for i in range(n_entries):
        begins[i] = at
        at += abs(moves[at])
    for i in range(n_entries - 1, -1, -1):
        at = begins[i]
        length = abs(moves[at])
        to = 0 if moves[at] > 0 else 1
        side[moves[at + 1]] = BETWEEN
        for q in range(at + 2, at + length):
            side[moves[q]] = 1 - to
