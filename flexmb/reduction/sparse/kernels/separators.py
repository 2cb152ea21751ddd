"""Vertex separators of a region of a graph, improved by moves of single blocks.

A block between the sides is moved to one of them; its neighbours on the other side then come between. The move with the
largest gain goes first, also when it is a loss; at the end of a pass the best state seen is restored. Source: C. M.
Fiduccia, R. M. Mattheyses, 19th Design Automation Conf. (1982) 175-181; for separators: C. Ashcraft, J. W. H. Liu,
SIAM J. Matrix Anal. Appl. 19 (1998) 325-354.

graph = (starts, neighbours, region, side): side is 0, 1 or BETWEEN; only blocks of the region `number` count.
heap : (2, ...) for each side, blocks between as keys `loss n + block`: how many others a move there pulls between.
"""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import kernel

BETWEEN = 2
PASSES = 8
LARGEST_SHARE = 0.58
"""Share of the blocks of a region that one side may have."""
PATIENCE = 0.3
"""Moves without gain that end a pass, as a share of the size of the separator (at least 40)."""


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
def _push(heap, sizes, to, key):
    """Add a key to the heap of side `to`, smallest first, unless it is full; heap[to, 0] is not used."""
    if sizes[to] + 1 == heap.shape[1]:
        return
    sizes[to] += 1
    at = sizes[to]
    while at > 1 and heap[to, at // 2] > key:
        heap[to, at] = heap[to, at // 2]
        at //= 2
    heap[to, at] = key


@kernel
def _pop(heap, sizes, to):
    """Take the smallest key from the heap of side `to`."""
    smallest = heap[to, 1]
    last = heap[to, sizes[to]]
    sizes[to] -= 1
    n = sizes[to]
    at = 1
    while 2 * at <= n:
        below = 2 * at
        if below < n and heap[to, below + 1] < heap[to, below]:
            below += 1
        if last <= heap[to, below]:
            break
        heap[to, at] = heap[to, below]
        at = below
    heap[to, at] = last
    return smallest


@kernel
def _count(graph, number, counts, v):
    """Count the neighbours of v on both sides."""
    starts, neighbours, region, side = graph
    counts[0, v] = 0
    counts[1, v] = 0
    for p in range(starts[v], starts[v + 1]):
        w = neighbours[p]
        if region[w] == number and side[w] != BETWEEN:
            counts[side[w], v] += 1


@kernel
def _move(graph, number, heap, heap_sizes, counts, v, to, moves, at):
    """Move v to side `to`; writes v and the blocks it pulls between into `moves` from `at` on, returns the end.

    Keys of blocks whose loss decreases are pushed again; those whose loss increases are detected when they are popped.
    """
    starts, neighbours, region, side = graph
    n = side.size
    other = 1 - to
    side[v] = to
    moves[at] = v
    at += 1
    for p in range(starts[v], starts[v + 1]):
        w = neighbours[p]
        if region[w] != number or side[w] == to:
            continue
        if side[w] == BETWEEN:
            counts[to, w] += 1
            continue
        side[w] = BETWEEN
        moves[at] = w
        at += 1
        _count(graph, number, counts, w)
        for r in range(starts[w], starts[w + 1]):
            x = neighbours[r]
            if x != w and region[x] == number and side[x] == BETWEEN:
                counts[other, x] -= 1
                _push(heap, heap_sizes, to, counts[other, x] * n + x)
        for half in range(2):
            _push(heap, heap_sizes, half, counts[1 - half, w] * n + w)
    return at


@kernel
def refine(graph, number, blocks, heap, counts, moves, locked):
    """Make the separator of a region smaller, and the sides more equal where that costs nothing."""
    starts, neighbours, region, side = graph
    n = blocks.size
    sizes = np.zeros(3, np.int64)
    for q in range(n):
        sizes[side[blocks[q]]] += 1
    for turn in range(PASSES):
        stamp = PASSES * number + turn + 1
        before = _cost(sizes, n)
        _refine_once(graph, number, blocks, heap, counts, moves, locked, stamp, sizes)
        if _cost(sizes, n) >= before:
            break


@kernel
def _cost(sizes, n):
    """Size of the separator, and a little for unequal sides."""
    return sizes[BETWEEN] * (1.0 + 0.25 * abs(sizes[0] - sizes[1]) / n)


@kernel
def _refine_once(graph, number, blocks, heap, counts, moves, locked, stamp, sizes):
    """One pass; every block is moved at most once."""
    starts, neighbours, region, side = graph
    n = blocks.size
    heap_sizes = np.zeros(2, np.int64)
    for q in range(n):
        v = blocks[q]
        if side[v] == BETWEEN:
            _count(graph, number, counts, v)
            for to in range(2):
                _push(heap, heap_sizes, to, counts[1 - to, v] * side.size + v)
    best_cost, best_at, best_moves = _cost(sizes, n), 0, 0
    best_sizes = sizes.copy()
    patience = max(40, int(PATIENCE * sizes[BETWEEN]))
    at, n_moves = 0, 0
    while n_moves - best_moves < patience and at < moves.size // 2:
        v, to = _best_move(graph, heap, heap_sizes, counts, locked, stamp, sizes, n)
        if v < 0:
            break
        begin = at
        locked[v] = stamp
        at = _move(graph, number, heap, heap_sizes, counts, v, to, moves, at + 1)
        # entry: length with the side as sign, then the block and what it pulled between
        moves[begin] = (at - begin) * (1 if to == 0 else -1)
        pulled = at - begin - 2
        sizes[to] += 1
        sizes[1 - to] -= pulled
        sizes[BETWEEN] += pulled - 1
        n_moves += 1
        if _cost(sizes, n) < best_cost:
            best_cost, best_at, best_moves = _cost(sizes, n), at, n_moves
            for k in range(3):
                best_sizes[k] = sizes[k]
    _undo(side, moves, best_at, at)
    for k in range(3):
        sizes[k] = best_sizes[k]


@kernel
def _best_move(graph, heap, heap_sizes, counts, locked, stamp, sizes, n):
    """Block and side with the smallest loss that keeps the sides within their share; (-1, 0): none."""
    side = graph[3]
    for to in range(2):
        # keys that are out of date: of blocks that moved, or whose loss has changed
        while heap_sizes[to] > 0:
            loss, v = heap[to, 1] // side.size, heap[to, 1] % side.size
            is_free = side[v] == BETWEEN and locked[v] != stamp
            if is_free and loss == counts[1 - to, v]:
                break
            _pop(heap, heap_sizes, to)
            if is_free and loss < counts[1 - to, v]:
                _push(heap, heap_sizes, to, counts[1 - to, v] * side.size + v)
    best, chosen = -1, 0
    for to in range(2):
        if heap_sizes[to] > 0 and sizes[to] + 1 <= LARGEST_SHARE * n:
            key = heap[to, 1] // side.size
            if best < 0 or key < best or (key == best and sizes[to] < sizes[1 - to]):
                best, chosen = key, to
    if best < 0:
        return -1, 0
    return _pop(heap, heap_sizes, chosen) % side.size, chosen


@kernel
def _undo(side, moves, keep, end):
    """Undo the moves written after `keep`, the last one first."""
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
