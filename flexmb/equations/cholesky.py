"""Cholesky factorisation of the small positive matrices of single joints, in place in W (row major, size n)."""

from __future__ import annotations

import math

from flexmb.machine_code.jit import kernel


@kernel
def cholesky(W, o, n):
    """Lower Cholesky factor in place."""
    for j in range(n):
        s = W[o + j * n + j]
        for k in range(j):
            s -= W[o + j * n + k] * W[o + j * n + k]
        s = math.sqrt(s)
        W[o + j * n + j] = s
        inverse = 1.0 / s
        for i in range(j + 1, n):
            t = W[o + i * n + j]
            for k in range(j):
                t -= W[o + i * n + k] * W[o + j * n + k]
            W[o + i * n + j] = t * inverse


@kernel
def cholesky_solve(W, o, n, x):
    """Solve with the factor at W[o] for the right-hand side at W[x], in place."""
    for i in range(n):
        t = W[x + i]
        for k in range(i):
            t -= W[o + i * n + k] * W[x + k]
        W[x + i] = t / W[o + i * n + i]
    for i in range(n - 1, -1, -1):
        t = W[x + i]
        for k in range(i + 1, n):
            t -= W[o + k * n + i] * W[x + k]
        W[x + i] = t / W[o + i * n + i]
