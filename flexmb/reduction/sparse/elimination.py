"""The numerical factorisation: subtrees side by side, then the large fronts above them with all cores.

Enters: a `Plan` and the matrix in its own numbering. Leaves: the columns of the factor, one panel a supernode.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np
from numpy.typing import NDArray

from flexmb.errors import ComputationError
from flexmb.reduction.sparse.blas import addresses, blas_threads, cores
from flexmb.reduction.sparse.kernels.numeric import add_update, begin_front, factorise_subtree, finish_front
from flexmb.reduction.sparse.plan import Plan

Progress = Callable[[str, float], None]

_THREADED_FRONT = 2e9
"""Operations of a front from which on threads of BLAS gain more than they waste."""


class NotPositiveDefinite(ComputationError):
    """The matrix has a pivot that is not positive, or nothing but round-off."""

    def __init__(self, block: int, place: NDArray):
        self.block = block
        """Number of the block where elimination stopped"""
        at = ", ".join(f"{value:.6g}" for value in place)
        super().__init__(
            f"The stiffness matrix is not positive definite: elimination stopped at block {block} ({at}). "
            "Something can move without being deformed: a part that is not held or not connected, a node of no "
            "element, or a mechanism."
        )


def eliminate(plan: Plan, matrix: tuple, points: NDArray, progress: Progress | None) -> NDArray[np.float64]:
    """(nnz,) panels of the factor of `matrix` = (starts, neighbours, values)."""
    panels = np.empty(plan.nnz)
    arguments = (plan.block, addresses(), plan.tree, (*matrix, plan.order, plan.rank), panels)
    done = _Done(plan, points, progress)
    updates: dict[int, NDArray] = {}

    def subtree(index: int) -> tuple[int, int, int]:
        start, end = plan.subtrees[index]
        stack = np.empty(plan.stacks[index])
        failed, pivot = factorise_subtree(start, end, *arguments, stack)
        size = plan.update_size(end - 1)
        if size:
            updates[end - 1] = stack[: size * (size + 1) // 2].copy()
        return index, failed, pivot

    with blas_threads(1), ThreadPoolExecutor(max_workers=cores()) as pool:
        try:
            for task in as_completed([pool.submit(subtree, index) for index in range(len(plan.subtrees))]):
                index, failed, pivot = task.result()
                done.check(failed, pivot)
                done.add(*plan.subtrees[index])
        finally:
            pool.shutdown(cancel_futures=True)
    _eliminate_fronts(plan, arguments, updates, done)
    return panels


def _eliminate_fronts(plan: Plan, arguments: tuple, updates: dict[int, NDArray], done: _Done) -> None:
    """The supernodes above the subtrees, one after the other."""
    block, blas, tree, matrix, panels = arguments
    children: dict[int, list[int]] = {}
    for child in updates:
        children.setdefault(int(plan.parent[child]), []).append(child)
    place = np.empty(len(plan.order), dtype=np.int64)
    for s in plan.fronts:
        diagonal = np.empty(block * int(plan.firsts[s + 1] - plan.firsts[s]))
        rest = np.empty(plan.update_size(s) ** 2)
        begin_front(s, block, tree, matrix, panels, rest, diagonal, place)
        for child in children.pop(s, []):
            add_update(child, s, block, tree, place, updates.pop(child), panels, rest)
        with blas_threads(cores() if done.operations(s) > _THREADED_FRONT else 1):
            failed = finish_front(s, block, blas, tree, panels, diagonal, rest)
        done.check(s if failed >= 0 else -1, failed)
        done.add(s, s + 1)
        if len(rest):
            size = plan.update_size(s)
            rest.resize(size * (size + 1) // 2, refcheck=False)
            updates[s] = rest
            children.setdefault(int(plan.parent[s]), []).append(s)


class _Done:
    """How much of the work is done, and whether it went well."""

    def __init__(self, plan: Plan, points: NDArray, progress: Progress | None):
        self.plan, self.points, self.progress = plan, points, progress
        self.count = 0.0

    def operations(self, s: int) -> float:
        p = self.plan.block * float(self.plan.firsts[s + 1] - self.plan.firsts[s])
        u = float(self.plan.update_size(s))
        return p * (p * (p / 3.0 + u) + u * u)

    def add(self, start: int, end: int) -> None:
        if self.progress is not None:
            self.count += sum(self.operations(s) for s in range(start, end))
            self.progress("factorising", min(self.count / max(self.plan.flops, 1.0), 1.0))

    def check(self, failed: int, pivot: int) -> None:
        if failed >= 0:
            block = int(self.plan.order[self.plan.firsts[failed] + pivot // self.plan.block])
            raise NotPositiveDefinite(block, self.points[block])
