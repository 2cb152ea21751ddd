"""Numerical factorisation: the tree of fronts is processed from its leaves by one thread per core.

Input: a `Plan` and the matrix in its own numbering. Output: the columns of the factor, one panel per supernode. A task
is a whole subtree or one large front above; it starts when its children are done. BLAS itself runs with one thread,
because idle BLAS threads waste time.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats
from flexmb.cores import available_cores
from flexmb.errors import ComputationError
from flexmb.reduction.sparse.blas import addresses, blas_threads
from flexmb.reduction.sparse.kernels.numeric import add_update, begin_front, factorise_subtree, finish_front
from flexmb.reduction.sparse.plan import Plan, Task

Progress = Callable[[str, float], None]

_LARGEST_KEPT = 2**23
"""Entries of a stack that is kept for the next subtree, 64 MB"""


class NotPositiveDefinite(ComputationError):
    """The matrix has a pivot that is not positive, or that is round-off."""

    def __init__(self, block: int, place: NDArray):
        self.block = block
        """Number of the block where elimination stopped"""
        at = ", ".join(f"{value:.6g}" for value in place)
        super().__init__(
            f"The stiffness matrix is not positive definite at block {block} ({at}). A part can move without "
            "deformation: it is not held or not connected, it is a node without an element, or a mechanism; or the "
            "body is thousands of times as long as thick."
        )


def eliminate(plan: Plan, matrix: tuple, points: NDArray, progress: Progress | None) -> Floats:
    """(nnz,) panels of the factor of `matrix` = (starts, neighbours, values)."""
    work = _Work(plan, matrix)
    done = 0.0
    for task in run_tree(plan.tasks, work.run):
        if work.failed is not None:
            block = work.failed
            raise NotPositiveDefinite(block, points[block])
        done += task.operations
        if progress is not None:
            progress("factorising", min(done / max(plan.flops, 1.0), 1.0))
    return work.panels


def run_tree(tasks: Sequence[Task], work: Callable[[int], None]) -> Iterator[Task]:
    """Run every task after its children; yields each task when it is done."""
    waiting = [task.n_children for task in tasks]
    ready = [index for index, task in enumerate(tasks) if task.n_children == 0]
    heapq.heapify(ready)
    running: dict[Future, int] = {}
    workers = available_cores()
    with blas_threads(1), ThreadPoolExecutor(max_workers=workers) as pool:
        while ready or running:
            while ready and len(running) < workers:
                # the first in postorder, so that updates are kept as briefly as possible
                index = heapq.heappop(ready)
                running[pool.submit(work, index)] = index
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                index = running.pop(future)
                future.result()
                parent = tasks[index].parent
                if parent >= 0:
                    waiting[parent] -= 1
                    if waiting[parent] == 0:
                        heapq.heappush(ready, parent)
                yield tasks[index]


class _Work:
    """Data shared by the tasks."""

    def __init__(self, plan: Plan, matrix: tuple):
        self.plan = plan
        self.matrix = (*matrix, plan.order, plan.rank)
        self.panels = np.empty(plan.nnz)
        self.room = _Room()
        self.updates: dict[int, list[tuple[int, NDArray]]] = {}
        """Supernode -> its children whose packed updates wait for it"""
        self.failed: int | None = None
        """Block whose pivot was not positive"""

    def run(self, index: int) -> None:
        task = self.plan.tasks[index]
        (self._front if task.is_front else self._subtree)(task)

    def _subtree(self, task: Task) -> None:
        plan = self.plan
        stack = self.room.take(task.stack)
        failed, pivot = factorise_subtree(
            task.start, task.end, plan.block, addresses(), plan.tree, self.matrix, self.panels, stack
        )
        size = plan.update_size(task.end - 1)
        self._finish(task, failed, pivot, stack[: size * (size + 1) // 2].copy())
        self.room.give(stack)

    def _front(self, task: Task) -> None:
        plan, s = self.plan, task.start
        rest = np.empty(task.stack)
        diagonal = np.empty(plan.block * int(plan.firsts[s + 1] - plan.firsts[s]))
        place = np.empty(len(plan.order), dtype=np.int64)
        begin_front(s, plan.block, plan.tree, self.matrix, self.panels, rest, diagonal, place)
        # in the order of the tree, not of the threads: the same round-off in every run
        updates = sorted(self.updates.pop(s, []), key=lambda entry: -entry[0])
        while updates:
            child, update = updates.pop()
            add_update(child, s, plan.block, plan.tree, place, update, self.panels, rest)
            del update
        pivot = finish_front(s, plan.block, addresses(), plan.tree, self.panels, diagonal, rest)
        self._finish(task, s if pivot >= 0 else -1, pivot, rest)

    def _finish(self, task: Task, failed: int, pivot: int, update: NDArray) -> None:
        """Keep the packed update for the parent."""
        plan = self.plan
        if failed >= 0:
            self.failed = int(plan.order[plan.firsts[failed] + pivot // plan.block])
        last = task.end - 1
        if plan.parent[last] >= 0 and failed < 0:
            self.updates.setdefault(int(plan.parent[last]), []).append((last, update))


class _Room:
    """Stacks of small subtrees for reuse: fresh memory costs more time than the work in it.

    Not more are kept than are used at once. Large ones go back to the system: the factor needs that memory.
    """

    def __init__(self) -> None:
        self._free: list[NDArray] = []
        self._lock = threading.Lock()

    def take(self, size: int) -> NDArray:
        with self._lock:
            self._free.sort(key=len)
            fitting = next((index for index, array in enumerate(self._free) if len(array) >= size), None)
            if fitting is not None:
                return self._free.pop(fitting)[:size]
            if self._free:  # the largest that is too small is replaced
                self._free.pop()
        return np.empty(size)

    def give(self, array: NDArray) -> None:
        whole = array if array.base is None else array.base
        if len(whole) <= _LARGEST_KEPT:
            with self._lock:
                self._free.append(whole)
