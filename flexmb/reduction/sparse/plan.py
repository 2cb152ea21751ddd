"""Symbolic factorisation: order, supernodes and sizes, before any numerical work.

Input: the graph of a symmetric matrix of blocks. Output: a `Plan` with the entries, the memory and the operations of
the factor, and the division of the work into independent subtrees and the fronts above them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Integers
from flexmb.reduction.sparse.kernels.supernodes import arrange, fundamental, merge, row_structure, sizes
from flexmb.reduction.sparse.kernels.tree import column_counts, elimination_tree, postorder

_MERGED_WIDTHS = (12, 48, 144)
_MERGED_ZEROS = (1.0, 0.5, 0.1)
_ANY_WIDTH_ZEROS = 0.05
"""Supernodes are merged up to these widths [unknowns] while at most this share of the stored entries is zero."""
_SUBTREE_SHARE = 1.0 / 32.0
"""Subtrees that form one task have at most this share of all operations."""


@dataclass(frozen=True)
class Task:
    """Work of one thread: a whole subtree, or one front above the subtrees."""

    start: int
    end: int
    """Supernodes start .. end - 1"""
    is_front: bool
    stack: int
    """Entries of memory it needs besides the factor"""
    operations: float
    parent: int = -1
    """Task that its update goes to; -1: none"""
    n_children: int = 0


@dataclass(frozen=True)
class Plan:
    """Symbolic factorisation of a matrix of (block x block) blocks."""

    block: int
    ordering: str
    """Source of the order: METIS or coordinates"""
    order: Integers
    """(n,) blocks in order of elimination"""
    rank: NDArray[np.int32]
    """(n,) when each block is eliminated"""
    firsts: Integers
    """(s + 1,) first block of every supernode, in order of elimination"""
    row_starts: Integers
    rows: NDArray[np.int32]
    """Blocks in the rows below supernode i: rows[row_starts[i] : row_starts[i + 1]]"""
    panel_starts: Integers
    """(s + 1,) start of the columns of every supernode in the factor [entries]"""
    parent: Integers
    """(s,) parent of every supernode, -1 for roots"""
    tasks: tuple[Task, ...]
    """The work in postorder"""
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
        """Peak memory beside the factor: pending updates and the stacks of parallel tasks."""
        waiting: dict[int, int] = {}
        held = worst = 0
        for index, task in enumerate(self.tasks):
            worst = max(worst, held + task.stack)
            u = self.update_size(task.end - 1)
            held += u * (u + 1) // 2 - waiting.pop(index, 0)
            waiting[task.parent] = waiting.get(task.parent, 0) + u * (u + 1) // 2
        beside = sum(sorted((task.stack for task in self.tasks), reverse=True)[1:workers])
        return 8 * (worst + 2 * beside)


def make_plan(starts: Integers, neighbours: NDArray[np.int32], order: Integers, block: int, ordering: str) -> Plan:
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
    tasks = _split(operations, parent, stack, block * np.diff(row_starts))
    arrays = (order, rank, firsts, row_starts, rows, panel_starts, parent)
    return Plan(block, ordering, *arrays, tasks, float(operations[parent < 0].sum()))


def _split(operations: NDArray, parent: Integers, stack: Integers, updates: Integers) -> tuple[Task, ...]:
    """The largest subtrees that are small enough, and the supernodes above them, in postorder.

    In postorder a subtree is a stretch of supernodes, so a task begins where the one before it ends.
    """
    is_front = operations > _SUBTREE_SHARE * operations[parent < 0].sum()
    is_last = is_front | np.where(parent < 0, True, is_front[parent])
    lasts = np.flatnonzero(is_last)
    number = np.full(len(parent) + 1, -1)
    number[lasts] = np.arange(len(lasts))
    n_children = np.bincount(number[parent[lasts]] + 1, minlength=len(lasts) + 1)[1:]
    below = operations.copy()
    np.subtract.at(below, parent[parent >= 0], operations[parent >= 0])
    tasks, start = [], 0
    for index, last in enumerate(int(last) for last in lasts):
        front = bool(is_front[last])
        room = int(updates[last]) * (int(updates[last]) + 1) // 2 if front else int(stack[last])
        work = float(below[last] if front else operations[last])
        place = (int(number[parent[last]]) if parent[last] >= 0 else -1, int(n_children[index]))
        tasks.append(Task(start, last + 1, front, room, work, *place))
        start = last + 1
    return tuple(tasks)


def _inverse(order: NDArray) -> NDArray[np.int32]:
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank
