"""Order in which the unknowns of a sparse symmetric pattern are eliminated, and the dense fronts of the factorisation.

Nodes are groups of unknowns: the coordinates of a body, or the constraint rows of a joint. A node of coordinates may be
eliminated at any time, a node of rows only after all coordinates that it depends on: then its pivots are those of
G S^-1 G^T, and a row that repeats others shows as one that vanishes. Among the nodes that may be eliminated, that with
the fewest neighbours is next (minimum degree). Nodes with nearly the same neighbours are merged to fronts, dense
matrices of pivots and of what they are coupled to. Duff & Reid, ACM TOMS 9 (1983) 302; George & Liu, SIAM Review 31
(1989) 1.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

FRONT_COST = 100  # work of a front beside its entries, in entries: decides which nodes are merged


@dataclass
class Front:
    """A dense part of the factorisation."""

    coordinates: list[int]
    """Nodes of coordinates among its pivots, then..."""
    rows: list[int]
    """...nodes of rows."""
    coupled: list[int] = field(default_factory=list)
    """Nodes that are eliminated later and coupled to its pivots, in order of their elimination."""
    parent: int = -1
    """Number of the front that takes what is left of it; -1: none."""


def elimination_order(
    sizes: Sequence[int], cliques: Sequence[Sequence[int]], rows: Sequence[tuple[int, Sequence[int]]]
) -> tuple[list[int], list[set[int]]]:
    """Nodes in the order of elimination, and for every node those later ones that it is coupled to.

    `sizes`: unknowns of every node. `cliques`: nodes of coordinates that are all coupled to each other. `rows`: nodes
    of rows, each with the nodes of coordinates that it depends on.
    """
    n = len(sizes)
    near: list[set[int]] = [set() for _ in range(n)]
    waits = [0] * n
    for clique in cliques:
        for node in clique:
            near[node].update(clique)
    for node, others in rows:
        near[node].update(others)
        waits[node] = len(set(others))
        for other in others:
            near[other].add(node)
    held: list[list[int]] = [[] for _ in range(n)]
    for node, others in rows:
        for other in set(others):
            held[other].append(node)
    for node in range(n):
        near[node].discard(node)
    weight = [sum(sizes[other] for other in near[node]) for node in range(n)]
    waiting = [(weight[node], node) for node in range(n) if not waits[node]]
    heapq.heapify(waiting)
    order: list[int] = []
    done = [False] * n
    while waiting:
        degree, node = heapq.heappop(waiting)
        if done[node] or degree != weight[node]:
            continue
        done[node] = True
        order.append(node)
        for other in held[node]:
            waits[other] -= 1
        for other in near[node]:
            its = near[other]
            its |= near[node]
            its -= {node, other}
            weight[other] = sum(sizes[x] for x in its)
            if not waits[other]:
                heapq.heappush(waiting, (weight[other], other))
    return order, near


def fronts_of(
    sizes: Sequence[int], cliques: Sequence[Sequence[int]], rows: Sequence[tuple[int, Sequence[int]]]
) -> list[Front]:
    """The fronts in the order of elimination, every front before its parent; arguments of `elimination_order`."""
    order, near = elimination_order(sizes, cliques, rows)
    place = {node: k for k, node in enumerate(order)}
    is_row = {node for node, _ in rows}
    members: dict[int, list[int]] = {node: [node] for node in order}
    width = {node: sizes[node] for node in order}
    outside = {node: sum(sizes[other] for other in near[node]) for node in order}
    into: dict[int, int] = {}
    for node in order:  # the last node of a front has its number until all are known
        if not near[node]:
            continue
        parent = min(near[node], key=place.__getitem__)
        merged = _cost(width[node] + width[parent], outside[parent])
        if merged <= _cost(width[node], outside[node]) + _cost(width[parent], outside[parent]):
            members[parent] = members.pop(node) + members[parent]
            width[parent] += width[node]
        else:
            into[node] = parent
    number = {node: k for k, last in enumerate(node for node in order if node in members) for node in members[last]}
    found = []
    for last in (node for node in order if node in members):
        own = members[last]
        front = Front([node for node in own if node not in is_row], [node for node in own if node in is_row])
        front.coupled = sorted(near[last], key=place.__getitem__)
        front.parent = number[into[last]] if last in into else -1
        found.append(front)
    return found


def _cost(width: int, outside: int) -> int:
    """Work of a front with so many pivots, coupled to so many unknowns, in entries that a solution touches."""
    return width * (width + 2 * outside) + FRONT_COST
