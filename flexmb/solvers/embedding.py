"""Accelerations in independent velocities (theory sec. 9).

The constraint columns G_d of the dependent velocities give dq_d = J dq_i with J = -G_d^-1 G_i. Positions are closed by
Newton along the dependent velocities, velocities by G v + Phi_t = 0; with N = [J; 1], q'' = N q''_i + c and
c_d = -G_d^-1 GAM:

    N^T M N q''_i = N^T (-BIAS - M c),        G_d^T lam = -(M q'' + BIAS)_d

Rows that hold at velocity level only come last, and so do their dependent velocities: the leading block closes the
positions.
"""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.machine_code.jit import call, program
from flexmb.solvers.pointers import float_pointer, int_pointer

CLOSED = 1e-12  # |PHI| of a stage as a part of the length scale: some hundred times round-off
MAX_ITERATIONS = 10


@program
def close(K, S, W, arg):
    """Correct the dependent positions and velocities of the state in W; keeps the factor of G_d."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m, mp = I[L.N_V], I[L.N_ROWS], I[L.N_POS_ROWS]
    dependent = K[st.INDEX_D]
    X, x = K[st.DEPENDENT_POSITION + st.MATRIX], K[st.DEPENDENT_POSITION + st.VECTOR]
    tolerance = CLOSED * min(1.0, S[st.LENGTH])
    iterations = 0
    while True:
        call(I[L.AT_JACOBIAN], I, F, W, 0)
        largest = 0.0
        for k in range(mp):
            largest = max(largest, abs(W[I[L.PHI] + k]))
        if largest <= tolerance:
            break
        if iterations == MAX_ITERATIONS or not largest < 1e6:
            if largest <= 1e3 * tolerance:
                break
            K[st.STATUS] = st.NOT_CLOSED
            return
        for k in range(mp):
            S[x + k] = -W[I[L.PHI] + k]
            for c in range(mp):
                S[X + k * mp + c] = W[I[L.G] + k * n + K[dependent + c]]
        call(K[st.AT_FACTOR], K, S, S, st.DEPENDENT_POSITION)
        if K[st.DEPENDENT_POSITION + st.FAULT] != 0:
            K[st.STATUS] = st.SINGULAR
            return
        call(K[st.AT_SOLVE], K, S, S, st.DEPENDENT_POSITION)
        for i in range(I[L.N_Q]):
            W[I[L.QN] + i] = W[I[L.Q] + i]
        for i in range(n):
            W[I[L.DQ] + i] = 0.0
        for c in range(mp):
            W[I[L.DQ] + K[dependent + c]] = S[x + c]
        call(I[L.AT_COMPOSE], I, F, W, 0)
        iterations += 1
    X, x = K[st.DEPENDENT + st.MATRIX], K[st.DEPENDENT + st.VECTOR]
    for k in range(m):
        S[x + k] = -W[I[L.PHI_DOT] + k]
        for c in range(m):
            S[X + k * m + c] = W[I[L.G] + k * n + K[dependent + c]]
    call(K[st.AT_FACTOR], K, S, S, st.DEPENDENT)
    if K[st.DEPENDENT + st.FAULT] != 0:
        K[st.STATUS] = st.SINGULAR
        return
    call(K[st.AT_SOLVE], K, S, S, st.DEPENDENT)
    for c in range(m):
        W[I[L.V] + K[dependent + c]] += S[x + c]
    K[st.STATUS] = st.OK


@program
def embed(K, S, W, arg):
    """Compute J, M N and c of a closed state with the current factor of G_d, and the largest entry of J."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m = I[L.N_V], I[L.N_ROWS]
    f = n - m
    D, N, J, MN, c_d = K[st.INDEX_D], K[st.INDEX_I], K[st.JACOBIAN_D], K[st.MASS_N], K[st.BIAS_D]
    x, M, scale = K[st.DEPENDENT + st.VECTOR], I[L.M], K[st.SCALE]
    call(I[L.AT_SYSTEM], I, F, W, 0)
    S[st.J_MAX] = 0.0
    for j in range(f + 1):  # columns of J, and c last
        for k in range(m):
            S[x + k] = -W[I[L.GAM] + k] if j == f else -W[I[L.G] + k * n + K[N + j]]
        call(K[st.AT_SOLVE], K, S, S, st.DEPENDENT)
        for k in range(m):
            if j == f:
                S[c_d + k] = S[x + k]
            else:
                S[J + k * f + j] = S[x + k]
                S[st.J_MAX] = max(S[st.J_MAX], abs(S[x + k]) * S[scale + K[N + j]] / S[scale + K[D + k]])
    for i in range(n):
        for j in range(f):
            S[MN + i * f + j] = W[M + i * n + K[N + j]]
        for k in range(m):
            mass = W[M + i * n + K[D + k]]
            for j in range(f):
                S[MN + i * f + j] += mass * S[J + k * f + j]


@program
def reduced_accelerations(K, S, W, arg):
    """Accelerations and multipliers from J, M N and c."""
    I = int_pointer(K[st.AT_I])
    n, m = I[L.N_V], I[L.N_ROWS]
    f = n - m
    D, N, J, MN, c_d = K[st.INDEX_D], K[st.INDEX_I], K[st.JACOBIAN_D], K[st.MASS_N], K[st.BIAS_D]
    R, r, x = K[st.REDUCED + st.MATRIX], K[st.REDUCED + st.VECTOR], K[st.DEPENDENT + st.VECTOR]
    for i in range(n):  # z = -BIAS - M c in the place of the residual
        value = -W[I[L.BIAS] + i]
        for k in range(m):
            value -= W[I[L.M] + i * n + K[D + k]] * S[c_d + k]
        W[I[L.RES] + i] = value
    for i in range(f):
        S[r + i] = W[I[L.RES] + K[N + i]]
        for j in range(f):
            S[R + i * f + j] = S[MN + K[N + i] * f + j]
    for k in range(m):
        for i in range(f):
            factor = S[J + k * f + i]
            S[r + i] += factor * W[I[L.RES] + K[D + k]]
            for j in range(f):
                S[R + i * f + j] += factor * S[MN + K[D + k] * f + j]
    if f > 0:
        call(K[st.AT_FACTOR], K, S, S, st.REDUCED)
        if K[st.REDUCED + st.FAULT] != 0:
            K[st.STATUS] = st.SINGULAR
            return
        call(K[st.AT_SOLVE], K, S, S, st.REDUCED)
    for i in range(f):
        W[I[L.A] + K[N + i]] = S[r + i]
    for k in range(m):
        value = S[c_d + k]
        for i in range(f):
            value += S[J + k * f + i] * S[r + i]
        W[I[L.A] + K[D + k]] = value
    for k in range(m):
        value = -W[I[L.BIAS] + K[D + k]]
        for j in range(n):
            value -= W[I[L.M] + K[D + k] * n + j] * W[I[L.A] + j]
        S[x + k] = value
    call(K[st.AT_SOLVE_TRANSPOSED], K, S, S, st.DEPENDENT)
    for k in range(m):
        W[I[L.LAM] + k] = S[x + k]
    K[st.STATUS] = st.OK
