"""Sparse linear systems [S G^T; G 0] in place: factorisation by dense fronts in a fixed order, and solutions with it.

A pattern P (`flexmb.layout.sparse_pattern`) has the fronts and where entries belong; the numbers of a system are in X
from `at` on. Every front eliminates its pivots, coordinates first, the largest diagonal next, and adds what is left to
its parent (multifrontal method; Duff & Reid, ACM TOMS 9 (1983) 302). A constraint row is eliminated after all its
coordinates. Its pivot is then the square of the part of the row that others do not repeat, in the metric S^-1: a row
whose pivot is below the tolerance depends on others, and its multiplier does not change.
"""

from __future__ import annotations

from flexmb.jit import kernel, program
from flexmb.layout import sparse_pattern as sp
from flexmb.layout.sparse_pattern import FA_DEPENDENT, FA_FAULT, FA_LEAST, FA_TOLERANCE, FA_VECTOR, FACTOR


@kernel
def pivots_at(at):
    """Place of the reciprocal pivots; then the order of the pivots, two vectors and the fronts."""
    return at + FACTOR


@kernel
def order_at(P, at):
    """Place of the order of the pivots in their fronts."""
    return at + FACTOR + P[sp.SP_SIZE]


@kernel
def vector_at(P, at):
    """Place of the two vectors of a solution."""
    return at + FACTOR + 2 * P[sp.SP_SIZE]


@kernel
def fronts_at(P, at):
    """Place of the matrices of the fronts."""
    return at + FACTOR + 4 * P[sp.SP_SIZE]


@kernel
def _exchange(X, A, size, order, i, k):
    """Exchange pivots i and k of the front at A: rows, columns and their numbers in the order."""
    for j in range(size):
        X[A + i * size + j], X[A + k * size + j] = X[A + k * size + j], X[A + i * size + j]
    for j in range(size):
        X[A + j * size + i], X[A + j * size + k] = X[A + j * size + k], X[A + j * size + i]
    X[order + i], X[order + k] = X[order + k], X[order + i]


@kernel
def _leave_out(X, A, size, pivots, first, inverse):
    """Take the pivots from `first` on as rows that depend on others."""
    for k in range(first, pivots):
        X[inverse + k] = 0.0
        for i in range(k + 1, size):
            X[A + i * size + k] = 0.0
            X[A + k * size + i] = 0.0


@kernel
def _eliminate(X, A, size, k):
    """Eliminate pivot k of the front at A: column of L, row of U, what is left of the matrix."""
    inverse = 1.0 / X[A + k * size + k]
    row_k = A + k * size
    for i in range(k + 1, size):
        row = A + i * size
        if X[row + k] != 0.0:
            f = X[row + k] * inverse
            X[row + k] = f
            for j in range(k + 1, size):
                X[row + j] -= f * X[row_k + j]
    return inverse


@kernel
def _factor_front(P, X, at, front):
    """Eliminate the pivots of a front; returns the number of rows that depend on others, -1: no pivot."""
    size, pivots, coordinates = P[front + sp.FR_SIZE], P[front + sp.FR_PIVOTS], P[front + sp.FR_COORDINATES]
    first = P[front + sp.FR_FIRST]
    A, inverse, order = fronts_at(P, at) + P[front + sp.FR_AT], pivots_at(at) + first, order_at(P, at) + first
    for k in range(pivots):
        X[order + k] = k
    for k in range(pivots):
        last = coordinates if k < coordinates else pivots
        best, pivot = -1.0, k
        for i in range(k, last):
            d = abs(X[A + i * size + i])
            if d > best:
                best, pivot = d, i
        if pivot != k:
            _exchange(X, A, size, order, pivot, k)
        if k >= coordinates:
            if not best > X[at + FA_TOLERANCE]:
                _leave_out(X, A, size, pivots, k, inverse)
                return pivots - k
            X[at + FA_LEAST] = min(X[at + FA_LEAST], best)
        elif not best > 1e-300:
            return -1
        X[inverse + k] = _eliminate(X, A, size, k)
    return 0


@kernel
def _add_to_parent(P, X, at, front):
    """Add what is left of a front to its parent."""
    parent = P[front + sp.FR_PARENT]
    if parent < 0:
        return
    record = P[sp.SP_TABLE] + parent * sp.FRONT
    size, pivots, into = P[front + sp.FR_SIZE], P[front + sp.FR_PIVOTS], P[front + sp.FR_INTO]
    A, B = fronts_at(P, at) + P[front + sp.FR_AT], fronts_at(P, at) + P[record + sp.FR_AT]
    size_above = P[record + sp.FR_SIZE]
    for i in range(size - pivots):
        source, target = A + (pivots + i) * size + pivots, B + P[into + i] * size_above
        for j in range(size - pivots):
            X[target + P[into + j]] += X[source + j]


@program
def factor_fronts(P, X, W, at):
    """Factorise the matrix whose entries are in the fronts."""
    X[at + FA_DEPENDENT] = 0.0
    X[at + FA_FAULT] = 0.0
    X[at + FA_LEAST] = 1e300
    for f in range(P[sp.SP_FRONTS]):
        front = P[sp.SP_TABLE] + f * sp.FRONT
        left = _factor_front(P, X, at, front)
        if left < 0:
            X[at + FA_FAULT] = 1.0
            return
        X[at + FA_DEPENDENT] += left
        _add_to_parent(P, X, at, front)


@kernel
def _product(X, a, b, n):
    """Sum of X[a + i] X[b + i]; four partial sums, since the order of a sum may not be changed."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = n // 4 * 4
    for j in range(0, whole, 4):
        s0 += X[a + j] * X[b + j]
        s1 += X[a + j + 1] * X[b + j + 1]
        s2 += X[a + j + 2] * X[b + j + 2]
        s3 += X[a + j + 3] * X[b + j + 3]
    for j in range(whole, n):
        s0 += X[a + j] * X[b + j]
    return (s0 + s1) + (s2 + s3)


@program
def solve_fronts(P, X, W, at):
    """Replace the right-hand side in W by the solution; multipliers of rows that depend on others are zero."""
    size, b = P[sp.SP_SIZE], int(X[at + FA_VECTOR])
    x = vector_at(P, at)
    y = x + size
    inverse, order, fronts = pivots_at(at), order_at(P, at), fronts_at(P, at)
    for k in range(size):
        X[x + k] = W[b + P[P[sp.SP_UNKNOWN] + k]]
    for f in range(P[sp.SP_FRONTS]):
        front = P[sp.SP_TABLE] + f * sp.FRONT
        n, pivots, first = P[front + sp.FR_SIZE], P[front + sp.FR_PIVOTS], P[front + sp.FR_FIRST]
        A, coupled = fronts + P[front + sp.FR_AT], P[front + sp.FR_COUPLED] - pivots
        for k in range(pivots):
            X[y + first + k] = X[x + first + int(X[order + first + k])] - _product(X, A + k * n, y + first, k)
        for i in range(pivots, n):
            X[x + P[coupled + i]] -= _product(X, A + i * n, y + first, pivots)
    for f in range(P[sp.SP_FRONTS] - 1, -1, -1):
        front = P[sp.SP_TABLE] + f * sp.FRONT
        n, pivots, first = P[front + sp.FR_SIZE], P[front + sp.FR_PIVOTS], P[front + sp.FR_FIRST]
        A, coupled = fronts + P[front + sp.FR_AT], P[front + sp.FR_COUPLED] - pivots
        for k in range(pivots - 1, -1, -1):
            row, total = A + k * n, X[y + first + k]
            total -= _product(X, row + k + 1, y + first + k + 1, pivots - 1 - k)
            for j in range(pivots, n):
                total -= X[row + j] * X[x + P[coupled + j]]
            X[y + first + k] = total * X[inverse + first + k]
        for k in range(pivots):
            X[x + first + int(X[order + first + k])] = X[y + first + k]
    for k in range(size):
        W[b + P[P[sp.SP_UNKNOWN] + k]] = X[x + k]
