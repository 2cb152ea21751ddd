"""Lowest modes of vibration: K v = omega^2 M v, from a function that solves with K and one that multiplies by M.

Block Lanczos for the operator K^-1 M, self-adjoint in the inner product of M, with full reorthogonalisation and thick
restart. Known vectors (rigid motions) are deflated exactly. As many equal frequencies are found as the block is wide;
if that many are found, the search continues from random vectors. Sources: R. G. Grimes, J. G. Lewis, H. D.
Simon, SIAM J. Matrix Anal. Appl. 15 (1994) 228-272; restart: K. Wu, H. Simon, the same 22 (2000) 602-616.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Flags, Floats
from flexmb.errors import ComputationError, InputError
from flexmb.reduction.sparse.blas import blas_threads
from flexmb.reduction.sparse.memory import available_memory

Columns = Callable[[Floats], Floats]
Progress = Callable[[str, float], None]

BLOCK = 8
"""Vectors that are added to the basis at a time."""
_DENSE = 240
"""Unknowns up to which all modes are computed at once."""
_DENSE_LARGEST = 4000
"""The same if a third of all modes or more is requested."""
_DEPENDENT = 1e-12
"""A vector that keeps less than this share of its length after orthogonalisation is dependent."""
_MOST_STEPS = 400
"""Number of blocks after which the search stops."""
_TRUE_RESIDUAL = 1e-5
"""Residual of a check solution above which modes are rejected."""
_CLUSTER = 1e-6
"""Relative distance of omega^2 below which frequencies count as equal."""


@dataclass(frozen=True)
class Eigenmodes:
    """Modes in ascending frequency."""

    frequencies: Floats
    """(k,) [Hz]"""
    omega_squared: Floats
    """(k,) [1/s^2]"""
    vectors: Floats
    """(n, k), M-orthonormal, the largest component of each positive"""
    residuals: Floats
    """(k,) |K^-1 M v - v / omega^2| omega^2 in the norm of M"""
    solves: int
    """Right-hand sides solved for"""


def lowest_modes(
    mass_times: Columns,
    solve: Columns,
    n: int,
    *,
    count: int | None = None,
    below: float | None = None,
    known: ArrayLike | None = None,
    tolerance: float = 1e-10,
    block: int = BLOCK,
    basis: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Eigenmodes:
    """The `count` lowest modes, or all modes below the frequency `below` [Hz], or both limits together.

    mass_times, solve: M U and K^-1 U for columns U : (n, k). known : (n, r) vectors to deflate. basis: most vectors to
    keep at a time (default: by the free memory). Fewer modes are returned if there are no more.
    """
    if count is None and below is None:
        raise InputError("give a number of modes, a frequency limit, or both; neither was given")
    if (count is not None and count < 1) or (below is not None and not below > 0.0):
        raise InputError(f"a number of modes and a frequency must be positive, found {count} and {below}")
    target = _Target(count, below, progress)
    with blas_threads(1):
        space = _Space(mass_times, solve, n, known, seed)
        if n <= max(_DENSE, min(3 * (count or 0), _DENSE_LARGEST)):
            return _dense_modes(space, target)
        return _Lanczos(space, target, tolerance, min(block, n), basis).run()


@dataclass
class _Target:
    """The requested modes; theta = 1 / omega^2 in descending order."""

    count: int | None
    below: float | None
    progress: Progress | None

    def wanted(self, theta: Floats) -> int:
        """Number of the values that are requested."""
        number = len(theta)
        if self.below is not None:
            number = int(np.sum(theta >= 1.0 / (2.0 * np.pi * self.below) ** 2))
        return number if self.count is None else min(number, self.count)

    def is_reached(self, theta: Floats, is_converged: Flags) -> bool:
        """Whether all requested modes converged; by frequency also the next one, so that none can be missing."""
        number = self.wanted(theta)
        if number == self.count:
            return bool(is_converged[:number].all())
        return self.below is not None and number < len(theta) and bool(is_converged[: number + 1].all())

    def report(self, theta: Floats, residuals: Floats, tolerance: float) -> None:
        """Report the search: residuals fall by about the same factor with every block."""
        if self.progress is None:
            return
        residuals = residuals[: self.wanted(theta)]
        total = max(len(residuals) if self.count is None else self.count, 1)
        done = int((residuals <= tolerance).sum())
        shares = np.log(np.clip(residuals, tolerance, 1.0)) / np.log(tolerance)
        of_total = f"{done} of {total} converged" if len(residuals) else "first vectors"
        self.progress(f"modes: {of_total}", float(shares.sum()) / total)


class _Space:
    """The operator K^-1 M with the known vectors deflated."""

    def __init__(self, mass_times: Columns, solve: Columns, n: int, known: ArrayLike | None, seed: int):
        self.n, self.solves = n, 0
        self._random = np.random.default_rng(seed)
        self._mass_times, self._solve = mass_times, solve
        self.known = self.known_mass = np.zeros((0, n))
        if known is not None:
            X = np.asarray(known, dtype=np.float64).reshape(n, -1)
            X, MX, _ = orthonormal(X, self.mass_times(X), _DEPENDENT)
            X, MX, _ = orthonormal(X, MX, _DEPENDENT)
            self.known, self.known_mass = np.ascontiguousarray(X.T), np.ascontiguousarray(MX.T)

    def mass_times(self, U: Floats) -> Floats:
        return self._mass_times(np.ascontiguousarray(U))

    def apply(self, MX: Floats) -> Floats:
        """K^-1 M X without the known vectors, from M X"""
        self.solves += MX.shape[1]
        W = self._solve(np.ascontiguousarray(MX))
        if not np.isfinite(W).all():
            raise ComputationError(
                "The stiffness matrix is singular: a solution is not finite. Check that every part is connected."
            )
        return W - self.known.T @ (self.known_mass @ W) if len(self.known) else W

    def balanced(self, loads: Floats) -> Floats:
        """Loads that do not excite the known vectors, whose response would otherwise swamp the others."""
        return loads - self.known_mass.T @ (self.known @ loads) if len(self.known) else loads

    def random_block(self, width: int) -> tuple[Floats, Floats]:
        """X and M X, random in the range of K^-1 M: motions without mass are not in it."""
        X = self.apply(self.balanced(self.mass_times(self._random.standard_normal((self.n, width)))))
        X, MX, _ = orthonormal(X, self.mass_times(X), _DEPENDENT)
        return X, MX


def orthonormal(X: Floats, MX: Floats, shortest: float, floor: float = 0.0) -> tuple[Floats, Floats, Floats]:
    """M-orthonormal basis of the columns of X, M times it, and the matrix X^T M X.

    Columns no longer than `floor` are dropped, and directions that keep less than `shortest` of their length when the
    others are removed.
    """
    gram = X.T @ MX
    gram = 0.5 * (gram + gram.T)
    lengths = np.sqrt(np.maximum(np.diag(gram), 0.0))
    scale = np.where(lengths > floor, 1.0 / np.maximum(lengths, 1e-300), 0.0)
    values, axes = np.linalg.eigh(gram * np.outer(scale, scale))
    kept = values > shortest**2
    change = scale[:, None] * axes[:, kept] / np.sqrt(values[kept])
    return X @ change, MX @ change, gram


class _Lanczos:
    """The search: an M-orthonormal basis Q that grows by blocks, with H = Q^T M K^-1 M Q."""

    def __init__(self, space: _Space, target: _Target, tolerance: float, block: int, most: int | None):
        self.space, self.target, self.tolerance, self.block, self.most = space, target, tolerance, block, most
        self.Q = self.MQ = np.empty((0, space.n))
        """Vectors by rows; the first `size` are in use"""
        self.size = 0
        self.H = self.S = np.zeros((0, 0))
        self.theta = self.residuals = np.zeros(0)
        self.largest_cluster = 0

    def run(self) -> Eigenmodes:
        self.target.report(self.theta, self.residuals, self.tolerance)
        X, MX = self._clean(*self.space.random_block(self.block))
        for _ in range(_MOST_STEPS):
            if not X.shape[1]:
                return self._result()
            self._make_room(X.shape[1])
            rest = self._extend(X, MX)
            X, MX, gram = orthonormal(rest, self.space.mass_times(rest), _DEPENDENT)
            self._ritz(gram)
            is_converged = self.residuals <= self.tolerance
            self.target.report(self.theta, self.residuals, self.tolerance)
            is_reached = self.target.is_reached(self.theta, is_converged)
            is_hidden = is_reached and self._may_hide_more()
            if is_reached and not is_hidden:
                return self._result()
            X, MX = self._clean(X, MX)
            if X.shape[1] < self.block or is_hidden:
                fresh, mass = self.space.random_block(self.block)
                X, MX = self._clean(np.hstack([X, fresh]), np.hstack([MX, mass]), _DEPENDENT)
                X, MX = self._clean(X, MX)
        raise ComputationError(
            f"Only {int(is_converged.sum())} modes converged after {self.space.solves} solutions with the stiffness "
            f"matrix (to {self.tolerance:.0e}; the next to {self.residuals[~is_converged][0]:.1e}). The stiffness "
            "matrix may be close to singular: check that every part is connected."
        )

    def _extend(self, X: Floats, MX: Floats) -> Floats:
        """Append a block to the basis; returns K^-1 M X without its part in the basis."""
        old, new = self.size, self.size + X.shape[1]
        self.Q[old:new], self.MQ[old:new] = X.T, MX.T
        self.size = new
        W = self.space.apply(MX)
        column = self.MQ[:new] @ W
        H = np.zeros((new, new))
        H[:old, :old] = self.H
        H[:, old:], H[old:, :] = column, column.T
        H[old:, old:] = 0.5 * (column[old:] + column[old:].T)
        self.H = H
        return W - self.Q[:new].T @ column

    def _clean(self, X: Floats, MX: Floats, shortest: float = 0.5) -> tuple[Floats, Floats]:
        """Remove from X its part in the basis and in the known vectors, and make it M-orthonormal.

        When they were removed before, a vector that loses half of its length again was round-off and adds nothing.
        """
        for basis, mass in ((self.Q[: self.size], self.MQ[: self.size]), (self.space.known, self.space.known_mass)):
            if len(basis):
                inside = mass @ X
                X, MX = X - basis.T @ inside, MX - mass.T @ inside
        X, MX, _ = orthonormal(X, MX, shortest, shortest)
        return X, MX

    def _ritz(self, gram: Floats) -> None:
        """Values and vectors of H, largest first, and how far each is from an eigenvector.

        K^-1 M (Q s) - theta (Q s) = rest s_last, and gram holds the products of the columns of rest.
        """
        theta, S = np.linalg.eigh(self.H)
        self.theta, self.S = theta[::-1], S[:, ::-1]
        last = self.S[self.size - len(gram) :]
        squares = np.einsum("ik,ij,jk->k", last, gram, last)
        floor = 10.0 * np.finfo(float).eps * self.theta[0]
        self.residuals = np.sqrt(np.maximum(squares, 0.0)) / np.maximum(self.theta, floor)
        # Values at the level of round-off of the largest cannot be more accurate.
        self.residuals[self.theta < floor] = np.inf

    def _may_hide_more(self) -> bool:
        """Whether as many frequencies are equal as the block is wide: there might be more of them."""
        theta = self.theta[: self.target.wanted(self.theta)]
        splits = np.flatnonzero(np.abs(np.diff(theta)) > _CLUSTER * theta[1:])
        cluster = int(np.diff(np.concatenate([[-1], splits, [len(theta) - 1]])).max(initial=0))
        is_new = cluster >= self.block and cluster > self.largest_cluster
        self.largest_cluster = max(cluster, self.largest_cluster)
        return is_new

    def _make_room(self, width: int) -> None:
        """Make sure that a block fits: enlarge the arrays, or keep only the best vectors (thick restart)."""
        wanted = self.target.wanted(self.theta) + 1
        if self.target.below is None:
            wanted = self.target.count or 1
        most = self.most or _basis_limit(self.space.n, wanted, self.block)
        if self.size + width > most and self.size > wanted + 2 * self.block:
            kept = wanted + self.block
            S = self.S[:, :kept]
            self.Q[:kept], self.MQ[:kept] = S.T @ self.Q[: self.size], S.T @ self.MQ[: self.size]
            self.H, self.size = np.diag(self.theta[:kept]), kept
        if self.size + width > len(self.Q):
            rows = max(most, self.size + width)  # the system allocates memory only when it is written
            for name in ("Q", "MQ"):
                larger = np.empty((rows, self.space.n))
                larger[: self.size] = getattr(self, name)[: self.size]
                setattr(self, name, larger)

    def _result(self) -> Eigenmodes:
        number = self.target.wanted(self.theta[np.isfinite(self.residuals)])
        theta, residuals = self.theta[:number], self.residuals[:number]
        vectors = self.Q[: self.size].T @ self.S[:, :number]
        _check_truth(self.space, theta, vectors)
        return _as_modes(theta, vectors, residuals, self.space.solves)


def _basis_limit(n: int, wanted: int, block: int) -> int:
    """Most vectors to keep: ample for convergence without restart, at most a third of the free memory."""
    ample = max(2 * wanted + 6 * block, wanted + 12 * block)
    free = available_memory()
    by_memory = ample if free is None else int(free / 3.0 / (16 * n))
    return max(min(ample, by_memory), wanted + 4 * block)


def _check_truth(space: _Space, theta: Floats, vectors: Floats) -> None:
    """Solve once more for random sums of all modes: an error in any mode would show."""
    if not len(theta):
        return
    signs = np.random.default_rng(1).choice([-1.0, 1.0], size=(len(theta), 2)) / theta[:, None]
    sums = vectors @ signs
    error = space.apply(space.mass_times(sums)) - vectors @ (theta[:, None] * signs)
    size = np.sqrt(np.einsum("ik,ik->k", error, space.mass_times(error)) / len(theta)).max()
    if not size < _TRUE_RESIDUAL:
        raise ComputationError(
            f"The modes found do not satisfy K v = omega^2 M v (relative residual {size:.1e}): the stiffness matrix is "
            "ill-conditioned. Check that every part is connected, and look for extremely thin or distorted cells."
        )


def _dense_modes(space: _Space, target: _Target) -> Eigenmodes:
    """All modes of a small model: with M = S S^T the operator is S^T K^-1 S."""
    values, axes = np.linalg.eigh(space.mass_times(np.eye(space.n)))
    kept = values > 1e-14 * values[-1]
    S = space.balanced(axes[:, kept] * np.sqrt(values[kept]))
    X = space.apply(S)
    theta, y = np.linalg.eigh(0.5 * (S.T @ X + X.T @ S))
    theta, y = theta[::-1], y[:, ::-1]
    theta = theta[theta > 1e-15 * theta[0]][: len(theta) - len(space.known)]
    theta = theta[: target.wanted(theta)]
    vectors = X @ y[:, : len(theta)] / theta
    error = space.apply(space.mass_times(vectors)) / theta - vectors
    residuals = np.sqrt(np.maximum(np.einsum("ik,ik->k", error, space.mass_times(error)), 0.0))
    target.report(theta, np.zeros(len(theta)), 1e-10)
    return _as_modes(theta, vectors, residuals, space.solves)


def _as_modes(theta: Floats, vectors: Floats, residuals: Floats, solves: int) -> Eigenmodes:
    """Frequencies and vectors with the largest component positive."""
    peaks = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[peaks, np.arange(len(theta))] < 0.0, -1.0, 1.0)
    omega_squared = 1.0 / theta
    return Eigenmodes(np.sqrt(omega_squared) / (2.0 * np.pi), omega_squared, vectors * signs, residuals, solves)
