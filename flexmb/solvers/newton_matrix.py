"""The iteration matrix of the implicit methods (theory sec. 11).

    [ s (b' M + g' C + K)   G^T ]        s = beta h^2,  b' = (1-alpha_m)/(h^2 beta (1-alpha_f)),  g' = gamma/(h beta)
    [ G                    -eps ]

Tangent 1 keeps the mass, which one composite-body pass builds, and stiffness and damping of the flexible bodies.
Tangent 2 has all (springs, damping, gyroscopic and geometric terms) by one residual for every column, with increment,
velocity and acceleration perturbed together. The matrix is balanced by a diagonal D on both sides: unit diagonal for
the coordinates, unit rows for the constraints; then eps = 1e-12 lets redundant rows and singular positions pass, while
the residual stays exact.
"""

from __future__ import annotations

from math import sqrt

from flexmb.jit import call, program
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.solvers.pointers import float_pointer, int_pointer

REGULARISATION = 1e-12
# Least diagonal of a coordinate as a part of the largest: a row that holds a coordinate with no inertia and others is
# scaled by the first, and its hold on the others, squared, must stay far above the regularisation.
LIGHTEST = 1e-8
PERTURBATION = 1e-7  # of the magnitude of a coordinate: half the digits


@program
def difference_columns(K, S, W, arg):
    """Fill the matrix with s dRES/dDQ and the rows of dPHI/dDQ; the state is left as it was."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m, mp, h = I[L.N_V], I[L.N_ROWS], I[L.N_POS_ROWS], S[st.H]
    size, X = n + m, K[st.NEWTON + st.MATRIX]
    here = K[st.NEWTON + st.VECTOR]  # the reference residual waits in the right-hand side, which is not in use now
    s = S[st.BETA] * h * h
    b_prime = (1.0 - S[st.ALPHA_M]) / (s * (1.0 - S[st.ALPHA_F]))
    g_prime = S[st.GAMMA] / (h * S[st.BETA])
    call(I[L.AT_RESIDUAL], I, F, W, 0)
    for i in range(n):
        S[here + i] = W[I[L.RES] + i]
    for k in range(m):
        S[here + n + k] = W[I[L.PHI] + k]
    for j in range(n):
        e = PERTURBATION * S[K[st.SCALE] + j]
        dq, v, a = W[I[L.DQ] + j], W[I[L.V] + j], W[I[L.A] + j]
        W[I[L.DQ] + j] = dq + e
        W[I[L.V] + j] = v + g_prime * e
        W[I[L.A] + j] = a + b_prime * e
        call(I[L.AT_COMPOSE], I, F, W, 0)
        call(I[L.AT_RESIDUAL], I, F, W, 0)
        W[I[L.DQ] + j], W[I[L.V] + j], W[I[L.A] + j] = dq, v, a
        for i in range(n):
            S[X + i * size + j] = s * (W[I[L.RES] + i] - S[here + i]) / e
        for k in range(m):
            slope = (W[I[L.PHI] + k] - S[here + n + k]) / e
            S[X + (n + k) * size + j] = slope if k < mp else slope / g_prime
    call(I[L.AT_COMPOSE], I, F, W, 0)
    call(I[L.AT_JACOBIAN], I, F, W, 0)


@program
def mass_columns(K, S, W, arg):
    """Fill the matrix with (1-alpha_m)/(1-alpha_f) M, stiffness and damping of flexible bodies, and the rows G.

    arg = 1: right after the residual of this state.
    """
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m = I[L.N_V], I[L.N_ROWS]
    size, X = n + m, K[st.NEWTON + st.MATRIX]
    c = (1.0 - S[st.ALPHA_M]) / (1.0 - S[st.ALPHA_F])
    call(I[L.AT_SYSTEM], I, F, W, arg)
    for i in range(n):
        for j in range(n):
            S[X + i * size + j] = c * W[I[L.M] + i * n + j]
    s, d = S[st.BETA] * S[st.H] * S[st.H], S[st.GAMMA] * S[st.H]  # s g' = gamma h
    for k in range(I[L.N_FIELDS]):
        field = I[L.FIELDS] + k * L.FIELD
        e = I[field + L.FD_BODY]
        first, modes = I[e + L.B_V] + I[e + L.B_NJ], I[e + L.B_NF]
        for i in range(modes):
            for j in range(modes):
                place = X + (first + i) * size + first + j
                S[place] += s * F[I[field + L.FD_K] + i * modes + j]
                if I[field + L.FD_D] > 0:
                    S[place] += d * F[I[field + L.FD_D] + i * modes + j]
    for k in range(m):
        for j in range(n):
            S[X + (n + k) * size + j] = W[I[L.G] + k * n + j]


@program
def balance_matrix(K, S, W, arg):
    """Choose the scaling D, complete the matrix by G^T and -eps, and scale it."""
    I = int_pointer(K[st.AT_I])
    n, m = I[L.N_V], I[L.N_ROWS]
    size, X, D, G = n + m, K[st.NEWTON + st.MATRIX], K[st.BALANCE], I[L.G]
    largest, scale = 0.0, K[st.SCALE]
    for i in range(n):
        largest = max(largest, abs(S[X + i * size + i]) * S[scale + i] ** 2)
    for i in range(n):
        floor = LIGHTEST * largest / S[scale + i] ** 2
        S[D + i] = 1.0 / sqrt(max(abs(S[X + i * size + i]), floor, 1e-300))
    largest = 0.0
    for k in range(m):
        total = 0.0
        for j in range(n):
            total += (W[G + k * n + j] * S[D + j]) ** 2
        S[D + n + k] = total
        largest = max(largest, total)
    for k in range(m):  # a row that vanishes at a singular position is not blown up
        S[D + n + k] = 1.0 / sqrt(S[D + n + k] + 1e-14 * largest + 1e-300)
    for i in range(size):
        d = S[D + i]
        for j in range(n):
            S[X + i * size + j] *= d * S[D + j]
        if i < n:
            for k in range(m):
                S[X + i * size + n + k] = d * W[G + k * n + i] * S[D + n + k]
        else:
            for k in range(m):
                S[X + i * size + n + k] = 0.0
            S[X + i * size + i] = -REGULARISATION


@program
def build_matrix(K, S, W, arg):
    """Build and factor the matrix at the present iterate; arg = 1: right after its residual."""
    if K[st.TANGENT] == 2:
        call(K[st.AT_DIFFERENCES], K, S, W, 0)
    else:
        call(K[st.AT_MASS], K, S, W, arg)
    call(K[st.AT_BALANCE], K, S, W, 0)
    call(K[st.AT_FACTOR], K, S, S, st.NEWTON)
    K[st.FACTORISATIONS] += 1
    K[st.SINCE] = 0
    K[st.EXCESS] = 0
    S[st.MOVED] = 0.0
    K[st.HAVE_FACTOR] = 1 if K[st.NEWTON + st.FAULT] == 0 else 0
    K[st.STATUS] = st.OK if K[st.HAVE_FACTOR] == 1 else st.SINGULAR


@program
def solve_matrix(K, S, W, arg):
    """Solve with the factor at hand; the right-hand side is replaced."""
    size, x, D = K[st.NEWTON + st.SIZE], K[st.NEWTON + st.VECTOR], K[st.BALANCE]
    for i in range(size):
        S[x + i] *= S[D + i]
    call(K[st.AT_SOLVE], K, S, S, st.NEWTON)
    for i in range(size):
        S[x + i] *= S[D + i]
