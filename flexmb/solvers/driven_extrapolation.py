"""Extrapolation of a quasi-static motion to the next instant: the first iterate of its balance.

PATH has the last instants, each with q, v, a and with y, y' and y''. q, y, y' and y'' each follow by the polynomial
through their values at equal distances; not y from y', nor y' from y'', which have the errors of difference quotients.
The last difference of these values is what their polynomial missed at this instant: the degree that missed least is
taken, for a smooth motion a high one, for one with noise or jumps a low one. Taylor's series where that is better, or
few instants are known. q is only where the search for a closed position starts.
Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, sec. III.1.
"""

from __future__ import annotations

from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import kernel
from flexmb.solvers.driven_kernels import HUGE, move, move_on
from flexmb.solvers.state_copy import copy_block

EQUAL = 1e-6  # relative difference of two steps that counts as none
ENOUGH = 4  # instants from which a polynomial is better than Taylor's series for y
MOST = 7  # instants in PATH


@kernel
def path_size(I, K):
    """Numbers of an instant in PATH."""
    return I[L.N_Q] + 2 * I[L.N_V] + 3 * K[ds.N_FREE]


@kernel
def remember(I, S, K):
    """Put the instant before the step in front of PATH."""
    size, n_q, n_v = path_size(I, K), I[L.N_Q], I[L.N_V]
    if abs(S[ds.H] - S[ds.H_BEFORE]) > EQUAL * S[ds.H]:
        K[ds.N_KNOWN] = 0
    for back in range(MOST - 1, 0, -1):
        copy_block(S, K[ds.PATH] + (back - 1) * size, S, K[ds.PATH] + back * size, size)
    copy_block(S, K[ds.Q_N], S, K[ds.PATH], n_q)
    copy_block(S, K[ds.V_N], S, K[ds.PATH] + n_q, n_v)
    copy_block(S, K[ds.A_N], S, K[ds.PATH] + n_q + n_v, n_v)
    copy_block(S, K[ds.CENTRE_N], S, K[ds.PATH] + n_q + 2 * n_v, 3 * K[ds.N_FREE])
    S[ds.H_BEFORE] = S[ds.H]
    K[ds.N_KNOWN] = min(K[ds.N_KNOWN] + 1, MOST)


@kernel
def best_number(I, S, K, block, scale, count):
    """Number of instants whose polynomial missed the block `block` of the last one least, and what it missed."""
    size, known, work = path_size(I, K), K[ds.N_KNOWN], K[ds.DIFFERENCES]
    best, least = 1, HUGE
    for k in range(known):
        copy_block(S, K[ds.PATH] + k * size + block, S, work + k * count, count)
    for order in range(1, known):
        missed = 0.0
        for i in range((known - order) * count):
            S[work + i] -= S[work + i + count]
        for i in range(count):
            missed = max(missed, abs(S[work + i]) / S[scale + i])
        if missed < least:
            best, least = order, missed
    return best, least


@kernel
def polynomial_into(I, S, K, block, count, number, X, out):
    """X[out..] = the polynomial through the block `block` of the last `number` instants, at the next one."""
    size, weight = path_size(I, K), 1.0
    for i in range(count):
        X[out + i] = 0.0
    for k in range(number):  # binomial coefficients with alternating signs
        weight = float(number) if k == 0 else -weight * (number - k) / (k + 1)
        for i in range(count):
            X[out + i] += weight * S[K[ds.PATH] + k * size + block + i]


@kernel
def extrapolate_balance(I, S, K):
    """Move CENTRE on by H."""
    n, c, h = K[ds.N_FREE], K[ds.CENTRE], S[ds.H]
    first = I[L.N_Q] + 2 * I[L.N_V]
    if K[ds.N_KNOWN] >= ENOUGH:
        for part in range(3):
            block = first + part * n
            number, _ = best_number(I, S, K, block, K[ds.SCALE_FREE], n)
            polynomial_into(I, S, K, block, n, number, S, c + part * n)
        return
    before = K[ds.PATH] + path_size(I, K) + first
    for j in range(n):
        second = S[c + 2 * n + j]
        third = (second - S[before + 2 * n + j]) / h if K[ds.N_KNOWN] > 1 else 0.0
        S[c + j] += h * (S[c + n + j] + h / 2.0 * (second + h / 3.0 * third))
        S[c + n + j] += h * (second + h / 2.0 * third)
        S[c + 2 * n + j] += h * third


@kernel
def extrapolate(I, F, W, S, K):
    """Move CENTRE and W[Q] on by H."""
    remember(I, S, K)
    extrapolate_balance(I, S, K)
    n_q, n_v, h = I[L.N_Q], I[L.N_V], S[ds.H]
    if K[ds.N_KNOWN] > 1:
        number, missed = best_number(I, S, K, n_q, K[ds.SCALE], n_v)
        by_series, a, before = 0.0, K[ds.PATH] + n_q + n_v, path_size(I, K)
        for i in range(n_v):
            by_series = max(by_series, 0.5 * h * abs(S[a + i] - S[a + before + i]) / S[K[ds.SCALE] + i])
        if missed < by_series:
            polynomial_into(I, S, K, 0, n_q, number, W, I[L.Q])
            for i in range(n_v):
                W[I[L.DQ] + i] = 0.0
            move(I, F, W)  # quaternions have unit length
            return
    move_on(I, F, W, S, K[ds.V_N], h)
