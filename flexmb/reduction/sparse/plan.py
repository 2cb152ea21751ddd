"""What a factorisation will do, before it does it: order, supernodes, sizes.

Enters: the graph of a symmetric matrix of blocks. Leaves: a `Plan`, which knows the entries, the memory and the
operations of the factor, and how the work is split into independent subtrees and the fronts above them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexmb.reduction.sparse.kernels.supernodes import arrange, fundamental, merge, row_structure, sizes
from flexmb.reduction.sparse.kernels.tree import column_counts, elimination_tree, postorder

Numbers = NDArray[np.int64]

_MERGED_WIDTHS = (12, 48, 144)
_MERGED_ZEROS = (1.0, 0.5, 0.1)
_ANY_WIDTH_ZEROS = 0.05
"""Supernodes are merged up to these widths [unknowns] while at most this share of what is stored is zero."""
_SUBTREE_SHARE = 1.0 / 32.0
"""Subtrees that are worked on as a whole have at most this share of all operations."""


@dataclass(frozen=True)
class Plan:
    """Symbolic factorisation of a matrix of (block x block) blocks."""

    block: int
    ordering: str
    """Where the order comes from: METIS or coordinates"""
    order: Numbers
    """(n,) blocks in order of elimination"""
    rank: NDArray[np.int32]
    """(n,) when each block is eliminated"""
    firsts: Numbers
    """(s + 1,) first block of every supernode, in order of elimination"""
    row_starts: Numbers
    rows: NDArray[np.int32]
    """Blocks in the rows below supernode i: rows[row_starts[i] : row_starts[i + 1]]"""
    panel_starts: Numbers
    """(s + 1,) where the columns of every supernode stand in the factor [entries]"""
    parent: Numbers
    """(s,) parent of every supernode, -1 for roots"""
    subtrees: tuple[tuple[int, int], ...]
    """First and last + 1 supernode of subtrees that do not touch each other"""
    stacks: tuple[int, ...]
    """Entries of the stack that each of them needs"""
    fronts: tuple[int, ...]
    """The supernodes above them, in order"""
    flops: float
    """Operations (multiply and add counted apart)"""

    @property
    def tree(self) -> tuple[NDArray, ...]:
        """The arrays that kernels work on."""
        return self.firsts, self.row_starts, self.rows, self.panel_starts, self.parent

    @property
    def nnz(self) -> int:
        """Stored entries of the factor."""
        return int(self.panel_starts[-1])

    def update_size(self, s: int) -> int:
        """Rows below the pivots of supernode `s` [unknowns]."""
        return int(self.block * (self.row_starts[s + 1] - self.row_starts[s]))

    @property
    def bytes(self) -> int:
        """Memory of the factor itself."""
        return 8 * self.nnz + sum(array.nbytes for array in (*self.tree, self.order, self.rank))

    def working_bytes(self, workers: int) -> int:
        """Memory that the factorisation needs besides the factor, at its worst moment."""
        largest = sorted(self.stacks)[-workers:]
        held = {end - 1: self.update_size(end - 1) * (self.update_size(end - 1) + 1) // 2 for _, end in self.subtrees}
        total = sum(held.values())
        worst = total + sum(largest)
        children: dict[int, int] = {}
        for s in (*held, *self.fronts):
            u = self.update_size(s)
            if s not in held:
                worst = max(worst, total + u * u)
                total += u * u - children.pop(s, 0)
            parent = int(self.parent[s])
            children[parent] = children.get(parent, 0) + held.get(s, u * u)
        return 8 * worst


def make_plan(starts: Numbers, neighbours: NDArray[np.int32], order: Numbers, block: int, ordering: str) -> Plan:
    """Symbolic factorisation for blocks eliminated in an order equivalent to `order`."""
    rank = _inverse(order)
    parent = elimination_tree(starts, neighbours, order, rank)
    sequence = postorder(parent)
    order, rank_of = order[sequence], _inverse(sequence)
    rank = _inverse(order)
    parent = np.where(parent[sequence] < 0, -1, rank_of[parent[sequence]]).astype(np.int64)
    counts = column_counts(starts, neighbours, order, rank, parent)
    chains = fundamental(parent, counts)
    widths = np.array([max(width // block, 1) for width in _MERGED_WIDTHS] + [len(order)], dtype=np.int64)
    zeros = np.array([*_MERGED_ZEROS, _ANY_WIDTH_ZEROS])
    into, columns, rows, above = merge(chains, parent, counts, widths, zeros)
    sequence, firsts, parent = arrange(chains, into, columns, rows, above, block)
    order = order[sequence]
    rank = _inverse(order)
    row_starts, rows = row_structure(starts, neighbours, order, rank, firsts, parent)
    panel_starts, operations, stack = sizes(firsts, row_starts, parent, block)
    subtrees, fronts = _split(operations, parent)
    total = float(operations[parent < 0].sum())
    stacks = tuple(int(stack[end - 1]) for _, end in subtrees)
    arrays = (order, rank, firsts, row_starts, rows, panel_starts, parent)
    return Plan(block, ordering, *arrays, subtrees, stacks, fronts, total)


def _split(operations: NDArray, parent: Numbers) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
    """The largest subtrees that are small enough, and the supernodes above them.

    In postorder a subtree is a stretch of supernodes; it begins where the stretch before it ends.
    """
    is_front = operations > _SUBTREE_SHARE * operations[parent < 0].sum()
    above = np.where(parent < 0, True, is_front[parent])
    roots = np.flatnonzero(~is_front & above)
    fronts = np.flatnonzero(is_front)
    subtrees = []
    for root in roots:
        before = np.searchsorted(fronts, root)
        last_front = int(fronts[before - 1]) + 1 if before else 0
        last_tree = subtrees[-1][1] if subtrees else 0
        subtrees.append((max(last_front, last_tree), int(root) + 1))
    return tuple(subtrees), tuple(int(s) for s in fronts)


def _inverse(order: NDArray) -> NDArray[np.int32]:
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank
