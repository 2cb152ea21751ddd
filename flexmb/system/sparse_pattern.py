"""Pattern of a sparse system [S G^T; G 0], analysed once: the integers P that the factorisation reads.

In: nodes (groups of unknowns), which of them are coupled, and the stored entries of S and G. Out: P of
`flexmb.layout.sparse_pattern`. Any formulation that knows its own entries can have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Integers
from flexmb.graph.elimination import Front, fronts_of
from flexmb.layout import sparse_pattern as sp


@dataclass(frozen=True)
class Entries:
    """Stored entries of a sparse matrix, by row and column number."""

    row: Integers
    column: Integers


@dataclass(frozen=True)
class Passes:
    """Coordinates that are perturbed together when S and G are found by differences."""

    starts: Integers
    """(passes + 1, 3) first column, first entry of S and first entry of G of every pass."""
    columns: Integers
    order_of_G: Integers


def _diagonal(S: Entries, n: int) -> Integers:
    """Number of the entry on the diagonal of every coordinate."""
    found, on = np.zeros(n, np.int64), np.flatnonzero(S.row == S.column)
    found[S.row[on]] = on
    return found


def make_pattern(
    unknowns: Sequence[Sequence[int]],
    cliques: Sequence[Sequence[int]],
    rows: Sequence[tuple[int, Sequence[int]]],
    n_coordinates: int,
    S: Entries,
    G: Entries,
    passes: Passes | None = None,
) -> Integers:
    """P of a system.

    `unknowns`: numbers of the unknowns of every node, coordinates first, rows from n_coordinates on. `cliques`,
    `rows`: see `elimination_order`. An entry of S off the blocks of its node stands for its transposed too, unless
    `passes` say how S is found by differences.
    """
    fronts = fronts_of([len(own) for own in unknowns], cliques, rows)
    places = _Places(fronts, unknowns)
    size = len(places.unknown)
    node_of = np.zeros(size, np.int64)
    for node, own in enumerate(unknowns):
        node_of[list(own)] = node
    mirrored = (node_of[S.row] != node_of[S.column]) & (passes is None)
    second = np.where(mirrored, places.of(S.column, S.row), -1)
    rows_of_G = G.row + n_coordinates
    lists = {
        sp.SP_UNKNOWN: places.unknown,
        sp.SP_S_ROW: S.row,
        sp.SP_S_COLUMN: S.column,
        sp.SP_S_FIRST: places.of(S.row, S.column),
        sp.SP_S_SECOND: second,
        sp.SP_DIAGONAL: _diagonal(S, n_coordinates),
        sp.SP_G_ROW: G.row,
        sp.SP_G_COLUMN: G.column,
        sp.SP_G_FIRST: places.of(rows_of_G, G.column),
        sp.SP_G_SECOND: places.of(G.column, rows_of_G),
    }
    if passes is not None:
        lists |= {
            sp.SP_PASS_STARTS: passes.starts.ravel(),
            sp.SP_PASS_COLUMNS: passes.columns,
            sp.SP_PASS_G: passes.order_of_G,
        }
    table = places.table
    header = np.zeros(sp.PATTERN, np.int64)
    header[sp.SP_SIZE], header[sp.SP_COORDINATES], header[sp.SP_FRONTS] = size, n_coordinates, len(fronts)
    header[sp.SP_NUMBERS], header[sp.SP_N_S], header[sp.SP_N_G] = places.n_numbers, len(S.row), len(G.row)
    header[sp.SP_PASSES] = 0 if passes is None else len(passes.starts) - 1
    header[sp.SP_TABLE] = at = sp.PATTERN
    at += table.size
    coupled_at = at
    at += 2 * len(places.coupled)
    table[:, sp.FR_INTO] += coupled_at + len(places.coupled)
    table[:, sp.FR_COUPLED] += coupled_at
    parts = [header, table.ravel(), places.coupled, places.into]
    for slot, values in lists.items():
        header[slot], at = at, at + len(values)
        parts.append(values)
    return np.concatenate(parts).astype(np.int64)


def make_difference_pattern(
    unknowns: Sequence[Sequence[int]],
    cliques: Sequence[Sequence[int]],
    rows: Sequence[tuple[int, Sequence[int]]],
    n_coordinates: int,
    G: Entries,
) -> Integers:
    """P of a system whose S is found by differences and couples all nodes of a clique; arguments of `make_pattern`."""
    near: list[set[int]] = [{node} for node in range(len(unknowns) - len(rows))]
    for clique in cliques:
        for node in clique:
            near[node].update(clique)
    colour = _colours(near)
    own = [np.array(unknowns[node]) for node in range(len(near))]
    order = sorted((colour[node], j, node) for node in range(len(near)) for j in range(len(own[node])))
    columns = [int(own[node][j]) for _, j, node in order]
    heights = [np.concatenate([own[other] for other in sorted(others)]) for others in near]
    S_row = np.concatenate([heights[node] for _, _, node in order])
    S_column = np.repeat(columns, [len(heights[node]) for _, _, node in order])
    keys = [(c, j) for c, j, _ in order]
    first = [k for k in range(len(keys)) if k == 0 or keys[k] != keys[k - 1]] + [len(keys)]
    entries_before = np.concatenate([[0], np.cumsum([len(heights[node]) for _, _, node in order])])
    pass_of = np.zeros(n_coordinates, np.int64)
    for number, (start, end) in enumerate(zip(first, first[1:], strict=False)):
        pass_of[columns[start:end]] = number
    order_of_G = np.argsort(pass_of[G.column], kind="stable")
    G_before = np.searchsorted(pass_of[G.column][order_of_G], np.arange(len(first)))
    starts = np.column_stack([first, entries_before[first], G_before])
    passes = Passes(starts, np.array(columns), order_of_G)
    return make_pattern(unknowns, cliques, rows, n_coordinates, Entries(S_row, S_column), G, passes)


def _colours(near: Sequence[set[int]]) -> list[int]:
    """Colours of nodes: nodes of one colour have no neighbour in common, so that they can move together."""
    colour = [-1] * len(near)
    for node, others in enumerate(near):
        taken = {colour[far] for other in others for far in near[other]}
        colour[node] = next(c for c in range(len(near) + 1) if c not in taken)
    return colour


class _Places:
    """Positions of the unknowns, and places of entries in the fronts."""

    def __init__(self, fronts: Sequence[Front], unknowns: Sequence[Sequence[int]]):
        self.table = np.zeros((len(fronts), sp.FRONT), np.int64)
        numbers: list[int] = []
        for record, front in zip(self.table, fronts, strict=True):
            record[sp.FR_FIRST] = len(numbers)
            for node in front.coordinates:
                numbers += unknowns[node]
            record[sp.FR_COORDINATES] = len(numbers) - record[sp.FR_FIRST]
            for node in front.rows:
                numbers += unknowns[node]
            record[sp.FR_PIVOTS] = len(numbers) - record[sp.FR_FIRST]
        self.unknown = np.array(numbers, np.int64)
        self.position = np.empty(len(numbers), np.int64)
        self.position[self.unknown] = np.arange(len(numbers))
        coupled = []
        for front in fronts:
            own = [unknown for node in front.coupled for unknown in unknowns[node]]
            coupled.append(np.sort(self.position[np.array(own, np.int64)]))
        lengths = np.array([len(own) for own in coupled], np.int64)
        self.starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self.coupled = np.concatenate([*coupled, np.zeros(0, np.int64)]).astype(np.int64)
        self.table[:, sp.FR_SIZE] = self.table[:, sp.FR_PIVOTS] + lengths
        self.table[:, sp.FR_COUPLED] = self.table[:, sp.FR_INTO] = self.starts[:-1]
        self.table[:, sp.FR_PARENT] = [front.parent for front in fronts]
        sizes = self.table[:, sp.FR_SIZE] ** 2
        self.table[:, sp.FR_AT] = np.concatenate([[0], np.cumsum(sizes)[:-1]])[: len(fronts)]
        self.n_numbers = int(sizes.sum())
        self.front_of = np.repeat(np.arange(len(fronts)), self.table[:, sp.FR_PIVOTS])
        # A position in a front is found by its key: number of the front, then position.
        self.keys = np.repeat(np.arange(len(fronts)), lengths) * len(numbers) + self.coupled
        parents = np.repeat(self.table[:, sp.FR_PARENT], lengths)
        self.into = self._local(parents, self.coupled)

    def _local(self, front: Integers, position: Integers) -> Integers:
        """Numbers of positions in the matrices of fronts."""
        first, pivots = self.table[front, sp.FR_FIRST], self.table[front, sp.FR_PIVOTS]
        found = np.searchsorted(self.keys, front * len(self.unknown) + position)
        return np.where(position < first + pivots, position - first, pivots + found - self.starts[front])

    def of(self, row: Integers, column: Integers) -> Integers:
        """Places of entries among the numbers of the fronts: in that which eliminates the first of the two."""
        i, j = self.position[row], self.position[column]
        front = self.front_of[np.minimum(i, j)]
        size = self.table[front, sp.FR_SIZE]
        return np.asarray(self.table[front, sp.FR_AT] + self._local(front, i) * size + self._local(front, j))
