"""Order of elimination and fronts of a sparse pattern.

Covers: graph.elimination.
"""

from __future__ import annotations

import numpy as np

from flexmb.graph.elimination import elimination_order, fronts_of


def chain(n: int) -> tuple[list[int], list[list[int]], list[tuple[int, list[int]]]]:
    """n bodies of six coordinates, each joined to the next by five rows; the first to ground."""
    sizes = [6] * n + [5] * n
    rows = [(n + k, [k - 1, k] if k else [0]) for k in range(n)]
    return sizes, [[k] for k in range(n)], rows


def test_rows_come_after_all_their_coordinates() -> None:
    sizes, cliques, rows = chain(30)
    order, _ = elimination_order(sizes, cliques, rows)
    place = {node: k for k, node in enumerate(order)}
    assert sorted(order) == list(range(60))
    assert all(place[row] > max(place[other] for other in others) for row, others in rows)


def test_elimination_finds_the_fill_of_a_factorisation() -> None:
    """What a node is coupled to is what Gaussian elimination in this order fills."""
    sizes, cliques, rows = chain(8)
    order, near = elimination_order(sizes, cliques, rows)
    A = np.eye(len(sizes), dtype=bool)
    for row, others in rows:
        A[row, others] = A[others, row] = True
    for k, node in enumerate(order):
        later = [other for other in order[k + 1 :] if A[node, other]]
        assert set(later) == near[node]
        A[np.ix_(later, later)] = True


def test_fronts_of_a_chain_do_not_grow_with_its_length() -> None:
    work = []
    for n in (50, 200):
        sizes, cliques, rows = chain(n)
        fronts = fronts_of(sizes, cliques, rows)
        taken = [node for front in fronts for node in front.coordinates + front.rows]
        assert sorted(taken) == list(range(2 * n))
        assert all(front.parent > k for k, front in enumerate(fronts) if front.coupled)
        work.append(sum(_size(front, sizes) ** 2 for front in fronts) / n)
        assert max(_size(front, sizes) for front in fronts) <= 40
    assert work[1] < 1.1 * work[0]


def _size(front, sizes) -> int:  # type: ignore[no-untyped-def]
    return sum(sizes[node] for node in front.coordinates + front.rows + front.coupled)
