"""Small kernels of every kind of argument, result and error, for the tests of libraries of machine code."""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import array_kernel, call, kernel, program
from flexmb.machine_code.signatures import b1, f8, i4, i8, returns, void


@kernel
def norm(x, n):
    total = 0.0
    for k in range(n):
        total += x[k] * x[k]
    return np.sqrt(total)


@program
def inner(I, F, W, arg):
    W[0] = norm(F, I[0]) * arg + np.sin(F[0]) / 3.0


@program
def outer(I, F, W, arg):
    call(I[1], I, F, W, arg)
    W[1] = W[0] ** 1.5


@program
def failing(I, F, W, arg):
    if arg > 2:
        raise ValueError("the argument is larger than 2")
    W[0] = 1.0


@program
def around_failing(I, F, W, arg):
    call(I[0], I, F, W, arg)


@array_kernel(f8(f8[:, ::1], i4[::1], f8, i8, b1))
def weighted(values, rows, factor, column, is_negative):
    total = 0.0
    for k in range(rows.size):
        total += factor * values[rows[k], column]
    return -total if is_negative else total


@array_kernel(returns((f8[::1], i8[:, ::1], i8, b1), i8, (f8[::1], i8[::1])))
def made(n, pair):
    """Arrays that the kernel makes, one of them of two dimensions, and numbers."""
    x = np.zeros(n)
    table = np.empty((n, 2), np.int64)
    for k in range(n):
        x[k] = pair[0][k % pair[0].size] / 7.0
        table[k, 0] = k
        table[k, 1] = pair[1].size
    return x, table, n * n, n > 3


@array_kernel(void(f8[:, :]))
def doubled(values):
    """Any strides"""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            values[i, j] *= 2.0


@array_kernel(f8(f8[:, :, ::1], i8))
def reshaped(values, k):
    return values.reshape(-1)[k] + 10.0 * values.reshape((2, -1))[1, 0]


@array_kernel(f8(i8))
def too_much(n):
    return np.empty(n)[0]


@array_kernel(i8(i8))
def refusing(n):
    if n < 0:
        raise ValueError("n is negative")
    return n


@array_kernel(returns(f8[::1], f8[:, ::1], f8[::1]))
def solved(A, b):
    """Needs a function of numba that a library does not have"""
    return np.linalg.solve(A, b)
