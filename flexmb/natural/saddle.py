"""The sparse matrix of the equations with multipliers, assembled on a fixed pattern and factored in a fixed order.

Entries of the mass matrix, of the curvature of the constraints and of their gradient enter, in the order in which the
sets of rows deliver them; out comes the factor of

    [ A      Phi_q^T ] [ x ]   [ b ]            [GJB eq. 4.19 with the constraints below it]
    [ Phi_q     0    ] [ y ] = [ c ],           A = M, or M + (terms of h^2) in a Newton iteration

The pattern is found once. The order of elimination is found by the first factorisation and kept: later ones only
compute numbers. For a long chain of bodies the factor has a constant number of entries per body.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from flexmb.errors import ComputationError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def summed(places: Integers, values: Floats, size: int) -> Floats:
    """(size,): the values added up place by place."""
    return np.bincount(places, weights=values, minlength=size).astype(np.float64, copy=False)


class FixedPattern:
    """A sparse matrix whose entries change and whose places do not; entries on the same place are added."""

    def __init__(self, rows: Integers, columns: Integers, shape: tuple[int, int]):
        self.shape = shape
        key = columns * np.int64(shape[0]) + rows
        places, self._slot = np.unique(key, return_inverse=True)
        self._indices = (places % shape[0]).astype(np.int32)
        counts = np.bincount(places // shape[0], minlength=shape[1])
        self._starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)

    def matrix(self, entries: Floats) -> csc_array:
        data = summed(self._slot, entries, self._indices.size)
        return csc_array((data, self._indices, self._starts), shape=self.shape)


class SaddleFactor:
    """Solves with one factored matrix."""

    def __init__(self, factor: Any, order: Integers, n: int):
        self._factor = factor
        self._order = order
        self._n = n

    def solve(self, upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
        """x (n,) and y (m,) for the right sides b (n,) and c (m,)."""
        permuted = self._factor.solve(np.concatenate((upper, lower)))
        solution = np.empty_like(permuted)
        solution[self._order] = permuted
        return solution[: self._n], solution[self._n :]


class SaddleMatrix:
    """Where every entry of the block matrix stands: A (n, n) from its rows and columns, Phi_q (m, n) likewise."""

    def __init__(self, n: int, m: int, block: tuple[Integers, Integers], gradient: tuple[Integers, Integers]):
        self.n, self.m = n, m
        rows, columns = gradient
        self._rows = np.concatenate((block[0], rows + n, columns))
        self._columns = np.concatenate((block[1], columns, rows + n))
        self._order = np.arange(n + m)
        self._pattern = FixedPattern(self._rows, self._columns, (n + m, n + m))
        self._is_ordered = False

    def factor(self, block: Floats, gradient: Floats) -> SaddleFactor:
        """The factor for the entries of A and of Phi_q; a singular matrix is a `ComputationError`."""
        entries = np.concatenate((block, gradient, gradient))
        try:
            if not self._is_ordered:
                first = splu(self._pattern.matrix(entries), permc_spec="COLAMD")
                self._keep_order(np.argsort(first.perm_c))
            factor = splu(self._pattern.matrix(entries), permc_spec="NATURAL")
        except RuntimeError as error:
            raise ComputationError(
                "The equations with multipliers are singular: constraints contradict or repeat each other in this "
                "position, or a coordinate has neither mass nor constraint. Remove the repeated constraints."
            ) from error
        return SaddleFactor(factor, self._order, self.n)

    def _keep_order(self, order: Integers) -> None:
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        size = (self.n + self.m, self.n + self.m)
        self._pattern = FixedPattern(self._rows, place[self._columns], size)
        self._order = order
        self._is_ordered = True
