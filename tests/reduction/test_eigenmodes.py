"""Lowest modes against dense algebra and closed forms: repeated values, vectors kept out, limits by frequency."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp

from flexmb.errors import ComputationError, InputError
from flexmb.reduction.eigenmodes import lowest_modes
from flexmb.reduction.sparse.factor import factorise


class Pencil:
    """K and M with given omega^2, as functions."""

    def __init__(self, omega_squared, seed=0):
        self.values = np.sort(np.asarray(omega_squared, dtype=float))
        self.n = n = len(self.values)
        random = np.random.default_rng(seed)
        G = random.standard_normal((n, n)) / np.sqrt(n)
        self.M = G @ G.T + np.eye(n)
        C = np.linalg.cholesky(self.M)
        axes = np.linalg.qr(random.standard_normal((n, n)))[0]
        half = C @ axes
        self.K = (half * self.values) @ half.T
        self.vectors = la.solve_triangular(C.T, axes, lower=False)
        self.calls = 0

    def mass_times(self, U):
        return self.M @ U

    def solve(self, U):
        self.calls += U.shape[1]
        return self.vectors @ ((self.vectors.T @ U) / self.values[:, None])

    def modes(self, **options):
        return lowest_modes(self.mass_times, self.solve, self.n, **options)


SIZES = [3, 60, 241, 500]
"""Below and above the size up to which all modes are computed at once."""


@pytest.mark.parametrize("n", SIZES)
def test_values_vectors_and_normalisation(n):
    pencil = Pencil(np.arange(1, n + 1) ** 2.0 * 1e4)
    count = min(20, n)
    modes = pencil.modes(count=count)
    # residuals of 1e-10 bound the relative error of omega^2 by their square over the gap, so round-off remains
    assert np.allclose(modes.omega_squared, pencil.values[:count], rtol=1e-11)
    assert np.allclose(modes.frequencies, np.arange(1, count + 1) * 100 / (2 * np.pi), rtol=1e-11)
    V = modes.vectors
    assert np.allclose(V.T @ pencil.M @ V, np.eye(count), atol=1e-11)
    assert np.all(V[np.abs(V).argmax(axis=0), np.arange(count)] > 0)
    # the largest residual of K^-1 M v is that of the tolerance, and it is true
    error = pencil.solve(pencil.M @ V) * modes.omega_squared - V
    assert np.linalg.norm(error, axis=0).max() < 1e-8
    assert modes.residuals.max() < 1e-8
    assert modes.solves <= pencil.calls


@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize("multiplicity", [2, 7, 8, 19])
def test_repeated_values_are_all_found(n, multiplicity):
    others = np.arange(1, n - multiplicity + 1) ** 2.0
    pencil = Pencil(np.concatenate([np.full(multiplicity, 6.5), others]))
    modes = pencil.modes(count=multiplicity + 6)
    assert np.allclose(modes.omega_squared, pencil.values[: multiplicity + 6], rtol=1e-10)
    assert np.sum(np.isclose(modes.omega_squared, 6.5)) == multiplicity


@pytest.mark.parametrize("n", [100, 400])
def test_all_below_a_frequency(n):
    pencil = Pencil(np.concatenate([np.arange(1, n - 2) ** 2.0, [400.0, 400.0, 400.0]]))
    below = 20.5 / (2 * np.pi)
    modes = pencil.modes(below=below)
    assert len(modes.frequencies) == 23
    assert modes.frequencies.max() < below
    assert len(pencil.modes(below=below, count=5).frequencies) == 5
    assert len(pencil.modes(below=below, count=50).frequencies) == 23
    assert len(pencil.modes(below=0.01).frequencies) == 0


@pytest.mark.parametrize("n", [100, 400])
def test_known_vectors_are_kept_out(n):
    pencil = Pencil(np.concatenate([np.full(6, 1e-6), np.arange(1, n - 5) ** 2.0]))
    mixed = pencil.vectors[:, :6] @ np.random.default_rng(0).standard_normal((6, 6))
    modes = pencil.modes(count=10, known=mixed)
    assert np.allclose(modes.omega_squared, np.arange(1, 11) ** 2.0, rtol=1e-9)
    # orthogonal to round-off, although the operator makes the known vectors 1e6 times larger than the first mode
    assert np.abs(mixed.T @ pencil.M @ modes.vectors).max() < 1e-9


@pytest.mark.parametrize("n", [30, 300])
def test_more_modes_than_there_are(n):
    pencil = Pencil(np.arange(1, n + 1) ** 1.2)
    assert np.allclose(pencil.modes(count=2 * n).omega_squared, pencil.values, rtol=1e-8)


@pytest.mark.parametrize("n", [90, 600])
def test_motions_without_mass_are_no_modes(n):
    # a chain of springs with a mass at every third node only
    K = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    mass = np.where(np.arange(n) % 3 == 0, 2.0, 0.0)
    theta = la.eigvalsh(np.sqrt(mass)[:, None] * np.linalg.inv(K) * np.sqrt(mass))[::-1]
    modes = lowest_modes(lambda U: mass[:, None] * U, lambda U: la.solve(K, U, assume_a="pos"), n, count=n)
    assert len(modes.frequencies) == n // 3
    assert np.allclose(modes.omega_squared, 1.0 / theta[: n // 3], rtol=1e-8)


def test_restarts_give_the_same_modes_with_few_vectors():
    pencil = Pencil(np.arange(1, 801) ** 1.5)
    free = pencil.modes(count=25)
    bounded = pencil.modes(count=25, basis=60)
    assert np.allclose(bounded.omega_squared, free.omega_squared, rtol=1e-10)
    assert np.allclose(bounded.vectors, free.vectors, atol=1e-7)
    assert bounded.solves > free.solves


def test_is_repeatable():
    pencil = Pencil(np.arange(1, 401) ** 1.5)
    assert np.array_equal(pencil.modes(count=8).vectors, pencil.modes(count=8).vectors)


def test_wide_spectrum():
    pencil = Pencil(np.logspace(0, 12, 400))
    assert np.allclose(pencil.modes(count=30).omega_squared, pencil.values[:30], rtol=1e-9)


def test_membrane_with_the_sparse_factor():
    # square lattice held at its edge: omega^2 = 4 sin^2(i a) + 4 sin^2(j a), a = pi / (2 (m + 1)); pairs (i, j), (j, i)
    m = 40
    line = sp.diags([2.0 * np.ones(m), -np.ones(m - 1), -np.ones(m - 1)], [0, 1, -1])
    K = sp.kronsum(line, line).tobsr((1, 1))
    points = np.concatenate([np.argwhere(np.ones((m, m))), np.zeros((m * m, 1))], axis=1)
    told = []
    modes = lowest_modes(
        lambda U: U, factorise(K, points).solve, m * m, count=20, progress=lambda *told_now: told.append(told_now)
    )
    sines = 4.0 * np.sin(np.arange(1, m + 1) * np.pi / (2 * (m + 1))) ** 2
    exact = np.sort((sines[:, None] + sines).ravel())[:20]
    assert np.allclose(modes.omega_squared, exact, rtol=1e-11)
    assert told[-1] == ("modes: 20 of 20 converged", 1.0)
    residual = K @ modes.vectors - modes.vectors * modes.omega_squared
    assert np.linalg.norm(residual, axis=0).max() < 1e-6


@pytest.mark.parametrize("options", [{}, {"count": 0}, {"below": -1.0}, {"below": float("nan")}])
def test_what_is_wanted_must_be_said(options):
    with pytest.raises(InputError):
        Pencil(np.arange(1.0, 9.0)).modes(**options)


@pytest.mark.parametrize("n", [50, 300])
def test_a_solution_that_is_not_finite_is_an_error(n):
    with pytest.raises(ComputationError, match="singular"):
        lowest_modes(lambda U: U, lambda U: U * np.nan, n, count=3)


def test_a_solution_that_is_not_linear_is_found_out():
    pencil = Pencil(np.arange(1, 401) ** 2.0)
    calls = []

    def broken(U):
        calls.append(1)
        return pencil.solve(U) * (1.0 if U.shape[1] == 8 else 1.1)

    with pytest.raises(ComputationError, match="do not satisfy"):
        lowest_modes(pencil.mass_times, broken, pencil.n, count=5)
