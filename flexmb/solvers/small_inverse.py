"""Explicit inverse of a small matrix, in the place of its factors: solving is then one product.

For the iteration matrix of the implicit methods, with which every step solves several times: at 14 unknowns a product
takes a quarter of the time of two triangular solves, whose entries wait for each other. An iteration matrix need not be
exact, so that the larger round-off of an inverse does not matter: the residual decides. Same records as
`linear_algebra`; the right-hand side is followed by room for one more.

Gauss-Jordan elimination in place: Golub & Van Loan, Matrix Computations, sec. 3.4; Higham, Accuracy and Stability of
Numerical Algorithms, sec. 14.4.
"""

from __future__ import annotations

from flexmb.layout.solver_state import FAULT, MATRIX, PIVOTS, SIZE, VECTOR
from flexmb.machine_code.jit import kernel, program

LARGEST = 24  # unknowns up to which an inverse pays: it costs three times a factorisation


@kernel
def _exchange(W, first, second, count, stride):
    """Exchange `count` numbers at W[first..] and W[second..], `stride` apart."""
    for j in range(count):
        value = W[first + j * stride]
        W[first + j * stride] = W[second + j * stride]
        W[second + j * stride] = value


@program
def invert(K, S, W, at):
    """Replace the matrix by its inverse, stored by columns."""
    n, o, p = K[at + SIZE], K[at + MATRIX], K[at + PIVOTS]
    K[at + FAULT] = 0
    for c in range(n):
        row_c = o + c * n
        best, pivot = abs(W[row_c + c]), c
        for i in range(c + 1, n):
            size = abs(W[o + i * n + c])
            if size > best:
                best, pivot = size, i
        K[p + c] = pivot
        if not best > 1e-300:
            K[at + FAULT] = 1 + c
            return
        if pivot != c:
            _exchange(W, row_c, o + pivot * n, n, 1)
        inverse = 1.0 / W[row_c + c]
        W[row_c + c] = 1.0
        for j in range(n):
            W[row_c + j] *= inverse
        for i in range(n):
            if i != c:
                row_i = o + i * n
                f = W[row_i + c]
                W[row_i + c] = 0.0
                for j in range(n):
                    W[row_i + j] -= f * W[row_c + j]
    for count in range(n):  # rows exchanged in the matrix are columns exchanged in its inverse
        c = n - 1 - count
        if K[p + c] != c:
            _exchange(W, o + c, o + K[p + c], n, n)
    for i in range(n):
        for j in range(i):
            value = W[o + i * n + j]
            W[o + i * n + j] = W[o + j * n + i]
            W[o + j * n + i] = value


@program
def multiply(K, S, W, at):
    """Replace the right-hand side by its product with the inverse: four columns for every load and store of the sum."""
    n, o, x = K[at + SIZE], K[at + MATRIX], K[at + VECTOR]
    y = x + n
    for i in range(n):
        W[y + i] = 0.0
    whole = n // 4 * 4
    for j in range(0, whole, 4):
        x0, x1, x2, x3 = W[x + j], W[x + j + 1], W[x + j + 2], W[x + j + 3]
        c0, c1, c2, c3 = o + j * n, o + (j + 1) * n, o + (j + 2) * n, o + (j + 3) * n
        for i in range(n):
            W[y + i] += (x0 * W[c0 + i] + x1 * W[c1 + i]) + (x2 * W[c2 + i] + x3 * W[c3 + i])
    for j in range(whole, n):
        x0, c0 = W[x + j], o + j * n
        for i in range(n):
            W[y + i] += x0 * W[c0 + i]
    for i in range(n):
        W[x + i] = W[y + i]
