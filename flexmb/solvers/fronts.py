"""Sparse linear systems [S G^T; G 0] in place: factorisation by dense fronts in a fixed order, and solutions with it.

A pattern P (`flexmb.layout.sparse_pattern`) has the fronts and where entries belong; the numbers of a system are in X
from `at` on. Every front eliminates its pivots, coordinates first, the largest diagonal next, and adds what is left to
its parent (multifrontal method; Duff & Reid, ACM TOMS 9 (1983) 302). A constraint row is eliminated after all its
coordinates. Its pivot is then the square of the part of the row that others do not repeat, in the metric S^-1: a row
whose pivot is below the tolerance depends on others, and its multiplier does not change.

With the parts [A B; C D] of a front, A of its pivots, the front then holds [A^-1  A^-1 B; C A^-1  .]: a solution goes
through the fronts with r_D -= (C A^-1) r_A, and back with x_A = A^-1 r_A - (A^-1 B) x_D, rows of products that the
processor does four at a time.
"""

from __future__ import annotations

from flexmb.layout import sparse_pattern as sp
from flexmb.layout.sparse_pattern import FA_DEPENDENT, FA_FAULT, FA_LEAST, FA_TOLERANCE, FA_VECTOR, FACTOR
from flexmb.machine_code.jit import kernel, program


@kernel
def pivots_at(at):
    """Place of the reciprocal pivots; then the order of the pivots, a vector and the fronts."""
    return at + FACTOR


@kernel
def order_at(P, at):
    """Place of the order of the pivots in their fronts."""
    return at + FACTOR + P[sp.SP_SIZE]


@kernel
def vector_at(P, at):
    """Place of the vector of a solution."""
    return at + FACTOR + 2 * P[sp.SP_SIZE]


@kernel
def fronts_at(P, at):
    """Place of the matrices of the fronts."""
    return at + FACTOR + 3 * P[sp.SP_SIZE]


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


@kernel
def _outer_parts(X, A, size, pivots, inverse):
    """Replace U_12 by U_11^-1 U_12 = A^-1 B and L_21 by L_21 L_11^-1 = C A^-1, in the order of the pivots."""
    for i in range(pivots - 1, -1, -1):
        row = A + i * size
        for k in range(i + 1, pivots):
            f = X[row + k]
            if f != 0.0:
                for j in range(pivots, size):
                    X[row + j] -= f * X[A + k * size + j]
        for j in range(pivots, size):
            X[row + j] *= X[inverse + i]
    for i in range(pivots, size):
        row = A + i * size
        for k in range(pivots - 1, 0, -1):
            f = X[row + k]
            if f != 0.0:
                for j in range(k):
                    X[row + j] -= f * X[A + k * size + j]


@kernel
def _inner_part(X, A, size, pivots, inverse, order, scratch):
    """Replace the factors of the pivots by A^-1, and all parts by those in the order of the unknowns."""
    n = pivots
    for i in range(n):  # rows of L_11^-1, then of U_11^-1 L_11^-1
        for j in range(n):
            X[scratch + i * n + j] = 1.0 if i == j else 0.0
        for k in range(i):
            f = X[A + i * size + k]
            if f != 0.0:
                for j in range(k + 1):
                    X[scratch + i * n + j] -= f * X[scratch + k * n + j]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            f = X[A + i * size + k]
            if f != 0.0:
                for j in range(n):
                    X[scratch + i * n + j] -= f * X[scratch + k * n + j]
        for j in range(n):
            X[scratch + i * n + j] *= X[inverse + i]
    for i in range(n):
        row = A + int(X[order + i]) * size
        for j in range(n):
            X[row + int(X[order + j])] = X[scratch + i * n + j]
    for j in range(n, size):
        for i in range(n):
            X[scratch + i] = X[A + i * size + j]
        for i in range(n):
            X[A + int(X[order + i]) * size + j] = X[scratch + i]
        for i in range(n):
            X[scratch + i] = X[A + j * size + i]
        for i in range(n):
            X[A + j * size + int(X[order + i])] = X[scratch + i]


@program
def factor_fronts(P, X, W, at):
    """Factorise the matrix whose entries are in the fronts."""
    X[at + FA_DEPENDENT] = 0.0
    X[at + FA_FAULT] = 0.0
    X[at + FA_LEAST] = 1e300
    scratch = fronts_at(P, at) + P[sp.SP_NUMBERS]
    for f in range(P[sp.SP_FRONTS]):
        front = P[sp.SP_TABLE] + f * sp.FRONT
        left = _factor_front(P, X, at, front)
        if left < 0:
            X[at + FA_FAULT] = 1.0
            return
        X[at + FA_DEPENDENT] += left
        _add_to_parent(P, X, at, front)
        size, pivots, first = P[front + sp.FR_SIZE], P[front + sp.FR_PIVOTS], P[front + sp.FR_FIRST]
        A, inverse = fronts_at(P, at) + P[front + sp.FR_AT], pivots_at(at) + first
        _outer_parts(X, A, size, pivots, inverse)
        _inner_part(X, A, size, pivots, inverse, order_at(P, at) + first, scratch)


@kernel
def _products(X, A, stride, rows, length, v, out):
    """X[out..] = rows of the matrix at A times the numbers at v; four rows at a time share what they read."""
    whole = rows // 4 * 4
    for i in range(0, whole, 4):
        r0 = A + i * stride
        r1, r2, r3 = r0 + stride, r0 + 2 * stride, r0 + 3 * stride
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for j in range(length):
            f = X[v + j]
            s0 += X[r0 + j] * f
            s1 += X[r1 + j] * f
            s2 += X[r2 + j] * f
            s3 += X[r3 + j] * f
        X[out + i], X[out + i + 1], X[out + i + 2], X[out + i + 3] = s0, s1, s2, s3
    for i in range(whole, rows):
        row, s0 = A + i * stride, 0.0
        for j in range(length):
            s0 += X[row + j] * X[v + j]
        X[out + i] = s0


@program
def solve_fronts(P, X, W, at):
    """Replace the right-hand side in W by the solution; multipliers of rows that depend on others are zero."""
    size, b = P[sp.SP_SIZE], int(X[at + FA_VECTOR])
    x = vector_at(P, at)
    fronts = fronts_at(P, at)
    scratch = fronts + P[sp.SP_NUMBERS]
    for k in range(size):
        X[x + k] = W[b + P[P[sp.SP_UNKNOWN] + k]]
    for f in range(P[sp.SP_FRONTS]):
        front = P[sp.SP_TABLE] + f * sp.FRONT
        n, pivots, first = P[front + sp.FR_SIZE], P[front + sp.FR_PIVOTS], P[front + sp.FR_FIRST]
        A, coupled = fronts + P[front + sp.FR_AT], P[front + sp.FR_COUPLED]
        _products(X, A + pivots * n, n, n - pivots, pivots, x + first, scratch)
        for i in range(n - pivots):
            X[x + P[coupled + i]] -= X[scratch + i]
    for f in range(P[sp.SP_FRONTS] - 1, -1, -1):
        front = P[sp.SP_TABLE] + f * sp.FRONT
        n, pivots, first = P[front + sp.FR_SIZE], P[front + sp.FR_PIVOTS], P[front + sp.FR_FIRST]
        A, coupled = fronts + P[front + sp.FR_AT], P[front + sp.FR_COUPLED]
        for k in range(pivots):
            X[scratch + k] = X[x + first + k]
        for j in range(n - pivots):
            X[scratch + pivots + j] = -X[x + P[coupled + j]]
        _products(X, A, n, pivots, n, scratch, x + first)
    for k in range(size):
        W[b + P[P[sp.SP_UNKNOWN] + k]] = X[x + k]
