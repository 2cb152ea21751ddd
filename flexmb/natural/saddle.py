"""The matrix of the equations with multipliers, assembled on a fixed pattern and factored.

Enters: entries of the mass matrix, of the curvature of the constraints and of their gradient, in the order of the sets
of rows; leaves: the factor of

    [ A      Phi_q^T ] [ x ]   [ b ]            [GJB eq. 4.19 with the constraints below it]
    [ Phi_q     0    ] [ y ] = [ c ],           A = M, or M + (terms of h^2) in a Newton iteration

The pattern is found once. Up to `MOST_FULL` unknowns the matrix is a full array. Beyond, it is sparse: the order of
elimination is found by the first factorisation and kept, later ones only compute numbers. For a long chain of bodies
the factor has a constant number of entries per body.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from flexmb.arrays import Floats, Integers
from flexmb.natural.failure import StepFailure
from flexmb.natural.row_kernels import add_at

MOST_FULL = 140
"""Most unknowns of a full matrix: for a chain of bars both kinds then take the same time."""


def singular() -> StepFailure:
    """The matrix has no inverse."""
    return StepFailure(
        "the equations with multipliers are singular: constraints are contradictory or redundant in this position, "
        "or a coordinate has neither mass nor constraint. Start elsewhere, or remove the redundant constraints.",
        "singular",
    )


def summed(places: Integers, values: Floats, size: int) -> Floats:
    """(size,): the values added up place by place."""
    return np.bincount(places, weights=values, minlength=size).astype(np.float64, copy=False)


class Factor(Protocol):
    """A factored matrix."""

    def solve(self, right: Floats) -> Floats:
        """Solution for a right side (n,) or sides (n, m)."""


class FullFactor:
    """The factor of a full matrix in columns (Fortran order), which is overwritten."""

    def __init__(self, matrix: Floats):
        self._is_empty = not matrix.size  # every body is held
        if self._is_empty:
            return
        self._lu, self._pivots, info = dgetrf(matrix, overwrite_a=True)
        if info > 0:
            raise singular()

    def solve(self, right: Floats) -> Floats:
        """Solution for a right side (n,) or sides (n, m)."""
        if self._is_empty:
            return right
        return np.asarray(dgetrs(self._lu, self._pivots, right)[0], dtype=np.float64)


class SparseFactor:
    """The factor of a sparse matrix whose columns stand in the order of their elimination."""

    def __init__(self, matrix: csc_array, order: Integers):
        try:
            self._factor: Any = splu(matrix, permc_spec="NATURAL")
        except RuntimeError as error:
            raise singular() from error
        self._order = order

    def solve(self, right: Floats) -> Floats:
        """Solution for a right side (n,) or sides (n, m)."""
        solution = np.empty_like(right)
        solution[self._order] = self._factor.solve(right)
        return solution


class FixedPattern:
    """A sparse matrix whose entries change and whose places do not; entries on the same place are added."""

    def __init__(self, rows: Integers, columns: Integers, size: int):
        self.size = size
        places, self._slot = np.unique(columns * np.int64(size) + rows, return_inverse=True)
        self._indices = (places % size).astype(np.int32)
        counts = np.bincount(places // size, minlength=size)
        self._starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)

    def matrix(self, entries: Floats) -> csc_array:
        """The matrix (size, size) of entries (n_entries,) in the order of the pattern; those of one place are added."""
        data = np.zeros(self._indices.size)
        add_at(self._slot, entries, data)
        return csc_array((data, self._indices, self._starts), shape=(self.size, self.size))


class SaddleFactor:
    """Solves with one factored matrix."""

    def __init__(self, factor: Factor, n: int):
        self._factor = factor
        self._n = n

    def solve(self, upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
        """x (n,) and y (m,) for the right sides b (n,) and c (m,)."""
        solution = self.solve_both(np.concatenate((upper, lower)))
        return solution[: self._n], solution[self._n :]

    def solve_both(self, right: Floats) -> Floats:
        """x, then y (n + m,), for b, then c."""
        return self._factor.solve(right)

    def across(self, lower: Floats) -> Floats:
        """x (n,) for the right sides zero and c (m,)."""
        right = np.zeros(self._n + lower.size)
        right[self._n :] = lower
        return self._factor.solve(right)[: self._n]


class SaddleMatrix:
    """Place of every entry of the block matrix: A (n, n) from its rows and columns, Phi_q (m, n) likewise."""

    def __init__(self, n: int, m: int, block: tuple[Integers, Integers], gradient: tuple[Integers, Integers]):
        self.n, self.m, self.size = n, m, n + m
        rows, columns = gradient
        self._rows = np.concatenate((block[0], rows + n, columns))
        self._columns = np.concatenate((block[1], columns, rows + n))
        self._slots = self._columns * np.int64(self.size) + self._rows
        self._pattern: FixedPattern | None = None

    def factor(self, block: Floats, gradient: Floats) -> SaddleFactor:
        """The factor for the entries of A and of Phi_q; a singular matrix is a `StepFailure`."""
        entries = np.concatenate((block, gradient, gradient))
        factor = self._full(entries) if self.size <= MOST_FULL else self._sparse(entries)
        return SaddleFactor(factor, self.n)

    def _full(self, entries: Floats) -> Factor:
        flat = np.zeros(self.size * self.size)
        add_at(self._slots, entries, flat)
        return FullFactor(flat.reshape((self.size, self.size), order="F"))

    def _sparse(self, entries: Floats) -> Factor:
        if self._pattern is None:
            self._pattern = self._ordered(entries)
        return SparseFactor(self._pattern.matrix(entries), self._order)

    def _ordered(self, entries: Floats) -> FixedPattern:
        """The pattern with its columns in the order of elimination."""
        try:
            first = splu(FixedPattern(self._rows, self._columns, self.size).matrix(entries), permc_spec="COLAMD")
        except RuntimeError as error:
            raise singular() from error
        self._order = np.argsort(first.perm_c)
        return FixedPattern(self._rows, np.asarray(first.perm_c, dtype=np.int64)[self._columns], self.size)
