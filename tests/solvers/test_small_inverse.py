"""Explicit inverse of a small matrix: against NumPy, and as the iteration matrix of a run.

Covers: solvers.small_inverse.
"""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.arrays import Floats, Integers
from flexmb.layout.solver_state import FAULT, MATRIX, PIVOTS, SIZE, VECTOR
from flexmb.solvers.small_inverse import LARGEST, invert, multiply


def dense_system(matrix: Floats, right: Floats) -> tuple[Integers, Floats]:
    """K and S with a system at the start of K: matrix, right-hand side and its scratch in S."""
    n = len(right)
    K = np.zeros(5 + n, np.int64)
    K[SIZE], K[MATRIX], K[PIVOTS], K[VECTOR] = n, 0, 5, n * n
    return K, np.concatenate([matrix.ravel(), right, np.full(n, np.nan)])


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 14, LARGEST])
def test_product_with_the_inverse_solves(n: int) -> None:
    """Matrices that need row exchanges: the diagonal is zero but for one entry."""
    rng = np.random.default_rng(n)
    matrix, wanted = rng.normal(size=(n, n)), rng.normal(size=n)
    if n > 2:
        np.fill_diagonal(matrix, 0.0)
    K, S = dense_system(matrix, matrix @ wanted)
    invert(K, S, S)
    assert K[FAULT] == 0
    multiply(K, S, S)
    error = np.abs(S[n * n : n * n + n] - wanted).max()
    assert error < 100 * np.finfo(float).eps * np.linalg.cond(matrix) * np.abs(wanted).max()
    inverse = S[: n * n].reshape(n, n).T
    np.testing.assert_allclose(inverse @ matrix, np.eye(n), rtol=0, atol=1e-13 * np.linalg.cond(matrix))


def test_singular_matrix_is_reported() -> None:
    K, S = dense_system(np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]]), np.zeros(3))
    invert(K, S, S)
    assert K[FAULT] == 2
