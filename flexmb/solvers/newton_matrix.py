"""The iteration matrix of the implicit methods (theory sec. 11).

Newton's method on the residual r(q, v, v') + G^T lam = 0 and the rows in the unknowns dq and s dlam has the matrix

    [ s (b' M + g' C + K)   G^T ]        s = beta h^2,  b' = (1-alpha_m)/(h^2 beta (1-alpha_f)),  g' = gamma/(h beta)
    [ G                    -eps ]

with M, C, K the derivatives of r by accelerations, velocities and coordinates; the factor s keeps the entries of the
order of the mass, however small the step. Rows at velocity level, divided by g', have the derivative G too.

Tangent 1 keeps the mass, which one composite-body pass builds, and stiffness and damping of the flexible bodies:
s b' = (1-alpha_m)/(1-alpha_f) and s g' = gamma h. Tangent 2 has all (springs, damping, gyroscopic and geometric terms)
by one residual for every column, with increment, velocity and acceleration perturbed together. The matrix is balanced
by a diagonal D on both sides: unit diagonal for the coordinates, unit rows for the constraints; then eps = 1e-12 lets
redundant rows and singular positions pass, while the residual stays exact.

The matrix is X[row, column], n + m rows, in S from K[NEWTON + MATRIX] on: coordinates first, then constraint rows.
"""

from __future__ import annotations

from math import sqrt

from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.machine_code.jit import call, kernel, program
from flexmb.solvers.pointers import float_pointer, int_pointer
from flexmb.solvers.state_copy import copy_block

REGULARISATION = 1e-12
# Least diagonal of a coordinate as a part of the largest: a row that holds a coordinate with no inertia and others is
# scaled by the first, and its hold on the others, squared, must stay far above the regularisation.
LIGHTEST = 1e-8
LIGHT = 1e-4  # the same for the weight of a multiplier
PERTURBATION = 1e-7  # fraction of the magnitude of a coordinate: half the digits


@kernel
def tangent_factors(S):
    """s, b' and g' of the step: an increment dq of Dq changes v' by b' dq and v by g' dq."""
    h = S[st.H]
    s = S[st.BETA] * h * h
    b_prime = (1.0 - S[st.ALPHA_M]) / (s * (1.0 - S[st.ALPHA_F]))
    g_prime = S[st.GAMMA] / (h * S[st.BETA])
    return s, b_prime, g_prime


@kernel
def entry(X, size, row, column):
    """Offset in S of an entry of the matrix at X."""
    return X + row * size + column


@program
def difference_columns(K, S, W, arg):
    """Fill the matrix with s dr/dDq and the rows of dPHI/dDq; the state is left as it was."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m, n_positions = I[L.N_V], I[L.N_ROWS], I[L.N_POS_ROWS]
    size, X = n + m, K[st.NEWTON + st.MATRIX]
    r_here = K[st.NEWTON + st.VECTOR]  # residual and rows here are kept in the right-hand side, which is free now
    phi_here = r_here + n
    at_positions = K[st.SCHEME] == 1
    rows = I[L.PHI] if at_positions else I[L.PHI_DOT]
    s, b_prime, g_prime = tangent_factors(S)
    call(I[L.AT_RESIDUAL], I, F, W, 0)
    copy_block(W, I[L.RES], S, r_here, n)
    copy_block(W, rows, S, phi_here, m)
    for j in range(n):
        e = PERTURBATION * S[K[st.SCALE] + j]
        Dq, v, vdot = W[I[L.DQ] + j], W[I[L.V] + j], W[I[L.A] + j]
        W[I[L.DQ] + j] = Dq + e
        W[I[L.V] + j] = v + g_prime * e
        W[I[L.A] + j] = vdot + b_prime * e
        call(I[L.AT_COMPOSE], I, F, W, 0)
        call(I[L.AT_RESIDUAL], I, F, W, 0)
        W[I[L.DQ] + j], W[I[L.V] + j], W[I[L.A] + j] = Dq, v, vdot
        for i in range(n):
            S[entry(X, size, i, j)] = s * (W[I[L.RES] + i] - S[r_here + i]) / e
        for k in range(m):
            slope = (W[rows + k] - S[phi_here + k]) / e
            S[entry(X, size, n + k, j)] = slope if at_positions and k < n_positions else slope / g_prime
    call(I[L.AT_COMPOSE], I, F, W, 0)
    call(I[L.AT_JACOBIAN], I, F, W, 0)


@kernel
def add_field_stiffness(I, F, S, X, size, s, s_g_prime):
    """Add s K + s g' D of every flexible body to the entries of its elastic coordinates."""
    for k in range(I[L.N_FIELDS]):
        field = I[L.FIELDS] + k * L.FIELD
        body = I[field + L.FD_BODY]
        first, modes = I[body + L.B_V] + I[body + L.B_NJ], I[body + L.B_NF]
        for i in range(modes):
            for j in range(modes):
                place = entry(X, size, first + i, first + j)
                S[place] += s * F[I[field + L.FD_K] + i * modes + j]
                if I[field + L.FD_D] > 0:
                    S[place] += s_g_prime * F[I[field + L.FD_D] + i * modes + j]


@program
def mass_columns(K, S, W, arg):
    """Fill the matrix with s b' M, stiffness and damping of flexible bodies, and the rows G.

    arg = 1: right after the residual of this state.
    """
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m = I[L.N_V], I[L.N_ROWS]
    size, X, M, G = n + m, K[st.NEWTON + st.MATRIX], I[L.M], I[L.G]
    s, s_b_prime = S[st.BETA] * S[st.H] * S[st.H], (1.0 - S[st.ALPHA_M]) / (1.0 - S[st.ALPHA_F])
    s_g_prime = S[st.GAMMA] * S[st.H]
    call(I[L.AT_SYSTEM], I, F, W, arg)
    for i in range(n):
        for j in range(n):
            S[entry(X, size, i, j)] = s_b_prime * W[entry(M, n, i, j)]
    add_field_stiffness(I, F, S, X, size, s, s_g_prime)
    for k in range(m):
        for j in range(n):
            S[entry(X, size, n + k, j)] = W[entry(G, n, k, j)]


@kernel
def scaling_into(I, W, S, X, scale, D):
    """S[D..] = the diagonal D: 1/sqrt of the diagonal of the coordinates, 1/length of the constraint rows G D."""
    n, m, G = I[L.N_V], I[L.N_ROWS], I[L.G]
    size, largest = n + m, 0.0
    for i in range(n):
        largest = max(largest, abs(S[entry(X, size, i, i)]) * S[scale + i] ** 2)
    for i in range(n):
        floor = LIGHTEST * largest / S[scale + i] ** 2
        S[D + i] = 1.0 / sqrt(max(abs(S[entry(X, size, i, i)]), floor, 1e-300))
    largest = 0.0
    for k in range(m):
        total = 0.0
        for j in range(n):
            total += (W[entry(G, n, k, j)] * S[D + j]) ** 2
        S[D + n + k] = total
        largest = max(largest, total)
    for k in range(m):  # a row that vanishes at a singular position is not blown up
        S[D + n + k] = 1.0 / sqrt(S[D + n + k] + 1e-14 * largest + 1e-300)


@kernel
def row_weights_into(I, W, S, X, scale, weights):
    """S[weights..] = gap that s lam_k = 1 would open between bodies that are free, as a multiple of the row's scale.

    sum of G_kj^2 / X_jj, light coordinates at least LIGHT of the heaviest; before the matrix is scaled.
    """
    n, m, G = I[L.N_V], I[L.N_ROWS], I[L.G]
    size, largest = n + m, 0.0
    for i in range(n):
        largest = max(largest, abs(S[entry(X, size, i, i)]) * S[scale + i] ** 2)
    for k in range(m):
        total, length = 0.0, 0.0
        for j in range(n):
            g = abs(W[entry(G, n, k, j)])
            total += g * g / max(abs(S[entry(X, size, j, j)]), LIGHT * largest / S[scale + j] ** 2, 1e-300)
            length = max(length, g * S[scale + j])
        S[weights + k] = total / max(length, 1e-300)


@program
def balance_matrix(K, S, W, arg):
    """Choose the scaling D, complete the matrix by G^T and -eps, and scale it: D X D."""
    I = int_pointer(K[st.AT_I])
    n, m = I[L.N_V], I[L.N_ROWS]
    size, X, D, G = n + m, K[st.NEWTON + st.MATRIX], K[st.BALANCE], I[L.G]
    row_weights_into(I, W, S, X, K[st.SCALE], K[st.ROW_WEIGHT])
    scaling_into(I, W, S, X, K[st.SCALE], D)
    for i in range(size):
        d = S[D + i]
        for j in range(n):
            S[entry(X, size, i, j)] *= d * S[D + j]
        if i < n:
            for k in range(m):
                S[entry(X, size, i, n + k)] = d * W[entry(G, n, k, i)] * S[D + n + k]
        else:
            for k in range(m):
                S[entry(X, size, i, n + k)] = 0.0
            S[entry(X, size, i, i)] = -REGULARISATION


@program
def build_matrix(K, S, W, arg):
    """Build and factor the matrix at the current iterate; arg = 1: right after its residual."""
    if K[st.TANGENT] == 2:
        call(K[st.AT_DIFFERENCES], K, S, W, 0)
    else:
        call(K[st.AT_MASS], K, S, W, arg)
    call(K[st.AT_BALANCE], K, S, W, 0)
    call(K[st.AT_FACTOR], K, S, S, st.NEWTON)
    K[st.FACTORISATIONS] += 1
    if K[st.TANGENT] == 2:
        K[st.FULL_LEFT] -= 1
    elif K[st.FULL_SPAN] > 1:
        K[st.FULL_SPAN] -= 1
    K[st.SINCE] = 0
    K[st.EXCESS] = 0
    S[st.MOVED] = 0.0
    K[st.HAVE_FACTOR] = 1 if K[st.NEWTON + st.FAULT] == 0 else 0
    K[st.STATUS] = st.OK if K[st.HAVE_FACTOR] == 1 else st.SINGULAR


@program
def solve_matrix(K, S, W, arg):
    """Solve with the current factor of D X D, x = D (D X D)^-1 D b; the right-hand side b is replaced by x."""
    size, x, D = K[st.NEWTON + st.SIZE], K[st.NEWTON + st.VECTOR], K[st.BALANCE]
    for i in range(size):
        S[x + i] *= S[D + i]
    call(K[st.AT_SOLVE], K, S, S, st.NEWTON)
    for i in range(size):
        S[x + i] *= S[D + i]
