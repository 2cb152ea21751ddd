"""Cholesky factorisation K = C C^T of a large sparse stiffness matrix, and solutions with it.

Input: K as blocks (BSR), symmetric positive definite, and the position of every block. Output: a `Factor` that solves
for many right-hand sides at once. The plan is made first: too little memory is an error before the work starts.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats
from flexmb.cores import available_cores
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.machine_code.jit import DISABLED
from flexmb.machine_code.lanes import LANES
from flexmb.reduction.sparse.elimination import NotPositiveDefinite, eliminate
from flexmb.reduction.sparse.kernels.numeric import smallest_pivot
from flexmb.reduction.sparse.kernels.substitution import add_rows, arrange, backward, forward, restore
from flexmb.reduction.sparse.memory import available_memory
from flexmb.reduction.sparse.ordering import COORDINATES, METIS, has_metis, nested_dissection
from flexmb.reduction.sparse.plan import Plan, make_plan

__all__ = ["COORDINATES", "METIS", "Factor", "NotPositiveDefinite", "factorise", "plan_factor"]

Progress = Callable[[str, float], None]

_COLUMNS = 6 * LANES
"""Right-hand sides that are solved for together."""
_ORDERING_SECONDS = {METIS: 0.6e-6, COORDINATES: 1.5e-6}
"""[s] that ordering and planning take for every pair of neighbours, measured on bars and blocks of tet10 cells"""
_SUSPICIOUS_PIVOT = 1e-6
"""Share of a diagonal entry below which its pivot may be round-off: up to 1e-10 was measured for free bodies."""
_NO_ENERGY = 1e-15
"""Energy of a motion that counts as round-off, relative to the sum of its unknowns taken alone. Free bodies had 1e-18;
a wire 2000 times as long as thick has 4e-15, one of 4000 times 2e-16 and frequencies that are 2 % wrong."""


class Factor:
    """A factorised matrix."""

    def __init__(self, plan: Plan, panels: Floats):
        self.plan = plan
        self._panels = panels
        unknowns = plan.block * plan.order[:, None] + np.arange(plan.block)
        self._order = unknowns.ravel()

    @property
    def ordering(self) -> str:
        """METIS or coordinates"""
        return self.plan.ordering

    @property
    def nnz(self) -> int:
        """Stored entries."""
        return self.plan.nnz

    @property
    def bytes(self) -> int:
        """Memory held."""
        return self.plan.bytes

    @property
    def flops(self) -> float:
        """Operations of the factorisation."""
        return self.plan.flops

    def smallest_pivot(self, diagonal: Floats) -> tuple[float, int]:
        """Smallest pivot as a share of its diagonal entry in the matrix, and its unknown."""
        share, place = smallest_pivot(self.plan.block, self.plan.tree, self._panels, diagonal[self._order])
        return float(share), int(self._order[place])

    def solve(self, B: ArrayLike, *, in_place: bool = False) -> Floats:
        """K^-1 B for B : (n,) or (n, k); in place: the array B, stored by rows, takes the solution."""
        right = np.asarray(B, dtype=np.float64)
        if right.ndim not in (1, 2) or right.shape[0] != len(self._order):
            raise ValueError(f"the right-hand side is {right.shape}, the matrix has {len(self._order)} rows")
        columns = np.ascontiguousarray(right[:, None] if right.ndim == 1 else right)
        solution = columns if in_place else np.empty(columns.shape)
        for start in range(0, columns.shape[1], _COLUMNS):
            groups = -(-min(_COLUMNS, columns.shape[1] - start) // LANES)
            X = np.empty((groups, len(self._order), LANES))
            arrange(columns, self._order, start, X)
            self._substitute(X)
            restore(X, self._order, start, solution)
        return solution.reshape(right.shape)

    def _substitute(self, X: Floats) -> None:
        """Overwrite X (in order of elimination) with the solution."""
        plan = self.plan
        shared = (plan.block, plan.tree, self._panels, X)
        subtrees = [(task.start, task.end) for task in plan.tasks if not task.is_front]
        fronts = [task.start for task in plan.tasks if task.is_front]

        def ahead(limits: tuple[int, int]) -> Floats:
            last = limits[1] - 1
            outside = np.zeros((len(X), plan.row_starts[last + 1] - plan.row_starts[last], plan.block * LANES))
            forward(*limits, *shared, outside)
            return outside

        with ThreadPoolExecutor(max_workers=available_cores()) as pool:
            for (_, end), outside in zip(subtrees, pool.map(ahead, subtrees), strict=True):
                add_rows(plan.rows[plan.row_starts[end - 1] : plan.row_starts[end]], plan.block, outside, X)
            nothing = np.zeros((0, 0, 0))
            for s in fronts:
                forward(s, s + 1, *shared, nothing)
            for s in reversed(fronts):
                backward(s, s + 1, *shared)
            list(pool.map(lambda limits: backward(*limits, *shared), subtrees))


def factorise(
    K: Any,
    points: ArrayLike,
    *,
    ordering: str | None = None,
    later_bytes: int = 0,
    progress: Progress | None = None,
) -> Factor:
    """Factorise K (sparse, symmetric positive definite; BSR keeps its block size) with blocks at `points` (n, 3).

    later_bytes: memory that will be needed beside the factor, once it is made
    """
    if DISABLED:
        raise ComputationError("Factorising a mesh needs compiled code. Unset NUMBA_DISABLE_JIT.")
    matrix, places = _checked(K, points)
    if progress is not None:
        progress(_ordering_text(ordering or _usual_ordering(), len(matrix[1])), float("nan"))
    plan = _planned(matrix, places, ordering)
    _reject_too_large(plan, later_bytes)
    if progress is not None:
        progress("factorising", 0.0)
    factor = Factor(plan, eliminate(plan, matrix, places, progress))
    _reject_mechanism(K, factor, places)
    return factor


def plan_factor(K: Any, points: ArrayLike, *, ordering: str | None = None) -> Plan:
    """The plan of `factorise`: memory and operations, without numerical work."""
    matrix, places = _checked(K, points)
    return _planned(matrix, places, ordering)


def _reject_mechanism(K: Any, factor: Factor, points: Floats) -> None:
    """Reject a matrix with a mechanism that round-off has hidden behind positive pivots.

    A small pivot is a soft direction x or a free one: K^-1 at that unknown gives the direction, and its energy decides.
    """
    share, unknown = factor.smallest_pivot(K.diagonal())
    if share > _SUSPICIOUS_PIVOT:
        return
    x = np.zeros(K.shape[0])
    x[unknown] = 1.0
    for _ in range(2):
        x = factor.solve(x)
        x /= np.abs(x).max()
    if x @ (K @ x) < _NO_ENERGY * (x @ (K.diagonal() * x)):
        block = int(np.abs(x).argmax()) // factor.plan.block
        raise NotPositiveDefinite(block, points[block])


def _usual_ordering() -> str:
    return METIS if has_metis() else COORDINATES


def _ordering_text(method: str, n_neighbours: int) -> str:
    """The stage of ordering: it cannot report how far it is, so that its expected time is given if it is long."""
    expected = _ORDERING_SECONDS[method] * n_neighbours
    return "ordering" if expected < 1.0 else f"ordering (about {expected:.0f} s)"


def _planned(matrix: tuple, points: Floats, ordering: str | None) -> Plan:
    starts, neighbours, values = matrix
    method = ordering or _usual_ordering()
    order = nested_dissection(starts, neighbours, points, method)
    return make_plan(starts, neighbours, order, values.shape[1], method)


def _checked(K: Any, points: ArrayLike) -> tuple[tuple, Floats]:
    """(starts, neighbours, values (nnz, b, b)) of the matrix and the places of its blocks."""
    if K.format != "bsr":
        K = K.tobsr((1, 1))
    places = np.asarray(points, dtype=np.float64)
    rows, columns = K.shape
    block = K.blocksize[0]
    faults = []
    if rows != columns or K.blocksize[1] != block or rows == 0:
        faults.append(Fault(f"the stiffness matrix must be square and not empty, found {rows} x {columns}"))
    elif places.shape != (rows // block, 3):
        faults.append(Fault(f"{rows // block} blocks of the matrix need as many points, found {places.shape}"))
    if not np.isfinite(K.data).all():
        faults.append(Fault("the stiffness matrix has entries that are not finite"))
    if faults:
        raise InputError(faults)
    starts = K.indptr.astype(np.int64)
    return (starts, K.indices.astype(np.int32, copy=False), np.ascontiguousarray(K.data, dtype=np.float64)), places


def _reject_too_large(plan: Plan, later_bytes: int) -> None:
    """Reject a matrix, before the work starts, if memory does not suffice for the factorisation or for what follows."""
    free = available_memory()
    working = plan.working_bytes(available_cores())
    needed = plan.bytes + max(working, later_bytes)
    if free is None or needed <= free:
        return
    advice = "Use a coarser mesh or a machine with more memory"
    if later_bytes > working:
        advice += ", fewer modes, or the linear field"
    if plan.ordering == COORDINATES:
        advice += ', or install "pymetis", which finds a better ordering'
    then = f" and to go on ({later_bytes / 1e9:.1f} GB)" if later_bytes > working else ""
    raise ComputationError(
        f"Factorising the stiffness matrix of {plan.block * len(plan.order)} unknowns{then} needs about "
        f"{needed / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free. {advice}."
    )
