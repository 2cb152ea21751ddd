"""Dense linear systems in place: LU with partial pivoting, and the solves with it.

The programs find their system through five integers of K at `at` (size n, offset of the row-major matrix in S, offset
of the pivots in K, offset of the right-hand side in S, and a status set by `factor`: 0, or 1 + column with no pivot).
`factor` is right-looking in panels of four columns, so that the trailing update runs along rows and does four
multiply-adds for every load and store. Golub & Van Loan, Matrix Computations, sec. 3.2 and 3.4.
"""

from __future__ import annotations

from flexmb.layout.solver_state import FAULT, MATRIX, PIVOTS, SIZE, VECTOR
from flexmb.machine_code.jit import program


@program
def factor(K, S, W, at):
    """Replace the matrix by its factors L and U (unit diagonal of L not stored), with row exchanges."""
    n, o, p = K[at + SIZE], K[at + MATRIX], K[at + PIVOTS]
    K[at + FAULT] = 0
    k = 0
    while k < n:
        end = min(k + 4, n)
        for c in range(k, end):  # the panel
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
                row_p = o + pivot * n
                for j in range(n):
                    value = W[row_c + j]
                    W[row_c + j] = W[row_p + j]
                    W[row_p + j] = value
            inverse = 1.0 / W[row_c + c]
            for i in range(c + 1, n):
                row_i = o + i * n
                f = W[row_i + c] * inverse
                W[row_i + c] = f
                for j in range(c + 1, end):
                    W[row_i + j] -= f * W[row_c + j]
        for c in range(k + 1, end):  # the rows of U beside the panel
            for r in range(k, c):
                f = W[o + c * n + r]
                for j in range(end, n):
                    W[o + c * n + j] -= f * W[o + r * n + j]
        if end - k == 4:
            u0, u1, u2, u3 = o + k * n, o + (k + 1) * n, o + (k + 2) * n, o + (k + 3) * n
            for i in range(end, n):
                row = o + i * n
                f0, f1, f2, f3 = W[row + k], W[row + k + 1], W[row + k + 2], W[row + k + 3]
                for j in range(end, n):
                    W[row + j] -= (f0 * W[u0 + j] + f1 * W[u1 + j]) + (f2 * W[u2 + j] + f3 * W[u3 + j])
        k = end


@program
def solve(K, S, W, at):
    """Replace the right-hand side by the solution; four partial sums, since the order of a sum may not be changed."""
    n, o, p, x = K[at + SIZE], K[at + MATRIX], K[at + PIVOTS], K[at + VECTOR]
    for k in range(n):
        pivot = K[p + k]
        if pivot != k:
            value = W[x + k]
            W[x + k] = W[x + pivot]
            W[x + pivot] = value
    for step in range(2):
        for count in range(n):
            i = count if step == 0 else n - 1 - count
            first = 0 if step == 0 else i + 1
            last = i if step == 0 else n
            row = o + i * n
            s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
            whole = first + (last - first) // 4 * 4
            for j in range(first, whole, 4):
                s0 += W[row + j] * W[x + j]
                s1 += W[row + j + 1] * W[x + j + 1]
                s2 += W[row + j + 2] * W[x + j + 2]
                s3 += W[row + j + 3] * W[x + j + 3]
            for j in range(whole, last):
                s0 += W[row + j] * W[x + j]
            value = W[x + i] - ((s0 + s1) + (s2 + s3))
            W[x + i] = value if step == 0 else value / W[row + i]


@program
def solve_transposed(K, S, W, at):
    """Replace the right-hand side by the solution of the transposed system."""
    n, o, p, x = K[at + SIZE], K[at + MATRIX], K[at + PIVOTS], K[at + VECTOR]
    for i in range(n):
        value = W[x + i] / W[o + i * n + i]
        W[x + i] = value
        for j in range(i + 1, n):
            W[x + j] -= value * W[o + i * n + j]
    for count in range(n):
        i = n - 1 - count
        value = W[x + i]
        for j in range(i):
            W[x + j] -= value * W[o + i * n + j]
    for count in range(n):
        k = n - 1 - count
        pivot = K[p + k]
        if pivot != k:
            value = W[x + k]
            W[x + k] = W[x + pivot]
            W[x + pivot] = value
