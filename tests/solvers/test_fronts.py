"""Sparse factorisation: solutions equal those of full matrices, and rows that repeat others are found.

Covers: solvers.fronts, system.sparse_pattern, layout.sparse_pattern.
"""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.layout import sparse_pattern as sp
from flexmb.layout.sparse_pattern import entries_at, factor_length
from flexmb.machine_code.jit import call
from flexmb.solvers.fronts import factor_fronts, solve_fronts
from flexmb.system.sparse_pattern import Entries, make_pattern


class Chain:
    """A random system [S G^T; G 0] of a chain: blocks of coordinates, rows between neighbours, `twice`: the last rows
    of every second joint repeat the first ones."""

    def __init__(self, n_bodies: int, twice: bool = False, seed: int = 1):
        rng = np.random.default_rng(seed)
        self.n, self.m = 4 * n_bodies, 3 * n_bodies
        unknowns = [list(range(4 * b, 4 * b + 4)) for b in range(n_bodies)]
        unknowns += [list(range(self.n + 3 * b, self.n + 3 * b + 3)) for b in range(n_bodies)]
        rows = [(n_bodies + b, [b - 1, b] if b else [b]) for b in range(n_bodies)]
        S_row = np.concatenate([np.repeat(own, 4) for own in unknowns[:n_bodies]])
        S_column = np.concatenate([np.tile(own, 4) for own in unknowns[:n_bodies]])
        self.S, self.G = np.zeros((self.n, self.n)), np.zeros((self.m, self.n))
        for own in unknowns[:n_bodies]:
            X = rng.normal(size=(4, 4))
            self.S[np.ix_(own, own)] = X @ X.T + np.eye(4)
        G_row, G_column = [], []
        for b, (_, bodies) in enumerate(rows):
            for k in range(3):
                columns = [j for body in bodies for j in unknowns[body]]
                self.G[3 * b + k, columns] = rng.normal(size=len(columns))
                G_row += [3 * b + k] * len(columns)
                G_column += columns
            if twice and b % 2:
                self.G[3 * b + 2] = 2.0 * self.G[3 * b] - self.G[3 * b + 1]
        self.entries = Entries(S_row, S_column), Entries(np.array(G_row), np.array(G_column))
        self.P = make_pattern(unknowns, [[b] for b in range(n_bodies)], rows, self.n, *self.entries)

    def factor(self) -> np.ndarray:
        """Numbers of the factorisation."""
        P, X = self.P, np.zeros(factor_length(self.P))
        fronts = X[sp.FACTOR + 3 * (self.n + self.m) :]
        fronts[entries_at(P, sp.SP_S_FIRST, sp.SP_N_S)] = self.S[self.entries[0].row, self.entries[0].column]
        for slot in (sp.SP_G_FIRST, sp.SP_G_SECOND):
            fronts[entries_at(P, slot, sp.SP_N_G)] = self.G[self.entries[1].row, self.entries[1].column]
        X[sp.FA_TOLERANCE] = 1e-12
        call(factor_fronts.address, P, X, X, 0)
        assert X[sp.FA_FAULT] == 0.0
        return X


def test_the_solution_is_that_of_the_full_matrix() -> None:
    chain = Chain(40)
    X = chain.factor()
    A = np.block([[chain.S, chain.G.T], [chain.G, np.zeros((chain.m, chain.m))]])
    assert X[sp.FA_DEPENDENT] == 0.0
    for seed in range(3):
        b = np.random.default_rng(seed).normal(size=len(A))
        x = b.copy()
        call(solve_fronts.address, chain.P, X, x, 0)
        np.testing.assert_allclose(A @ x, b, atol=1e-10 * np.abs(x).max())


def test_rows_that_repeat_others_are_found_and_take_no_part() -> None:
    """As many as the rank says; the coordinates are those of the full matrix by least squares."""
    chain = Chain(20, twice=True)
    X = chain.factor()
    assert X[sp.FA_DEPENDENT] == chain.m - np.linalg.matrix_rank(chain.G) == 10
    A = np.block([[chain.S, chain.G.T], [chain.G, np.zeros((chain.m, chain.m))]])
    b = A @ np.random.default_rng(4).normal(size=len(A))
    x = b.copy()
    call(solve_fronts.address, chain.P, X, x, 0)
    wanted = np.linalg.lstsq(A, b, rcond=1e-12)[0]
    np.testing.assert_allclose(x[: chain.n], wanted[: chain.n], atol=1e-9)
    np.testing.assert_allclose(A @ x, b, atol=1e-9)


def test_a_coordinate_without_pivot_is_reported() -> None:
    chain = Chain(5)
    chain.S[:] = 0.0
    with pytest.raises(AssertionError):
        chain.factor()
