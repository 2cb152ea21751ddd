"""The iteration matrix of the implicit methods in sparse storage (theory 11): the same as `newton_matrix`, by fronts.

Entries of s (b' M + g' C + K) are in S from K[TANGENT_VALUES] on, in the order of the stored mass matrix; rows of G are
taken from W. The balanced matrix goes to the fronts of K[NEWTON + MATRIX]. There is no regularisation: rows that repeat
others are found by their pivots (`flexmb.solvers.fronts`), again at every factorisation, and their multipliers stay.
"""

from __future__ import annotations

from math import sqrt

from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.layout import sparse_pattern as sp
from flexmb.machine_code.jit import call, kernel, program
from flexmb.solvers.fronts import fronts_at
from flexmb.solvers.newton_matrix import LIGHT, LIGHTEST, PERTURBATION, tangent_factors
from flexmb.solvers.pointers import float_pointer, int_pointer
from flexmb.solvers.row_rank import RANK
from flexmb.solvers.state_copy import copy_block

NONE = 4.0 * RANK
"""Part of a row that others do not repeat, or size of a row, that counts as none; rows that repeat others at the start
do so here too."""


@kernel
def own_entry(I, body, number, i, j):
    """Number of the stored entry of S for own coordinates i and j of a body."""
    path = I[L.PATHS] + number * L.PATH
    depth, width = I[path + L.PA_DEPTH], I[path + L.PA_DEPTH] + I[body + L.B_NJ] + I[body + L.B_NF]
    return I[path + L.PA_AT] + i * width + depth + j


@kernel
def pattern_of(K):
    """The pattern of the Newton matrix: S as the mass matrix, or with all entries."""
    return int_pointer(K[st.AT_FULL_PATTERN] if K[st.BUILT] == 2 else K[st.AT_PATTERN])


@program
def sparse_mass_columns(K, S, W, arg):
    """Set the entries of s b' M, stiffness and damping of flexible bodies; arg = 1: right after the residual."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    s, s_b_prime = S[st.BETA] * S[st.H] * S[st.H], (1.0 - S[st.ALPHA_M]) / (1.0 - S[st.ALPHA_F])
    s_g_prime, values = S[st.GAMMA] * S[st.H], K[st.TANGENT_VALUES]
    K[st.BUILT] = 1
    call(I[L.AT_SYSTEM], I, F, W, arg)
    for e in range(I[L.N_M]):
        S[values + e] = s_b_prime * W[I[L.M] + e]
    for k in range(I[L.N_FIELDS]):
        field = I[L.FIELDS] + k * L.FIELD
        body = I[field + L.FD_BODY]
        number, first, modes = (body - I[L.BODIES]) // L.BODY, I[body + L.B_NJ], I[body + L.B_NF]
        for i in range(modes):
            for j in range(modes):
                place = values + own_entry(I, body, number, first + i, first + j)
                S[place] += s * F[I[field + L.FD_K] + i * modes + j]
                if I[field + L.FD_D] > 0:
                    S[place] += s_g_prime * F[I[field + L.FD_D] + i * modes + j]


@program
def sparse_difference_columns(K, S, W, arg):
    """Set the entries of s dr/dDq and of the rows dPHI/dDq: coordinates that share no equation move together."""
    I, F, P = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F]), int_pointer(K[st.AT_FULL_PATTERN])
    n, m, n_positions = I[L.N_V], I[L.N_ROWS], I[L.N_POS_ROWS]
    values, slopes = K[st.TANGENT_VALUES], K[st.TANGENT_VALUES] + P[sp.SP_N_S]
    r_here = K[st.NEWTON + st.VECTOR]  # residual and rows here are kept in the right-hand side, which is free now
    phi_here = r_here + n
    at_positions = K[st.SCHEME] == 1
    rows = I[L.PHI] if at_positions else I[L.PHI_DOT]
    s, b_prime, g_prime = tangent_factors(S)
    K[st.BUILT] = 2
    X = fronts_at(P, K[st.NEWTON + st.MATRIX])  # the increments are kept in the matrix, which is free now
    copy_block(W, I[L.DQ], S, X, n)
    copy_block(W, I[L.V], S, X + n, n)
    copy_block(W, I[L.A], S, X + 2 * n, n)
    call(I[L.AT_RESIDUAL], I, F, W, 0)
    copy_block(W, I[L.RES], S, r_here, n)
    copy_block(W, rows, S, phi_here, m)
    for k in range(P[sp.SP_PASSES]):
        start = P[sp.SP_PASS_STARTS] + 3 * k
        for c in range(P[start], P[start + 3]):
            j = P[P[sp.SP_PASS_COLUMNS] + c]
            e = PERTURBATION * S[K[st.SCALE] + j]
            W[I[L.DQ] + j] += e
            W[I[L.V] + j] += g_prime * e
            W[I[L.A] + j] += b_prime * e
        call(I[L.AT_COMPOSE], I, F, W, 0)
        call(I[L.AT_RESIDUAL], I, F, W, 0)
        for entry in range(P[start + 1], P[start + 4]):
            i, j = P[P[sp.SP_S_ROW] + entry], P[P[sp.SP_S_COLUMN] + entry]
            e = PERTURBATION * S[K[st.SCALE] + j]
            S[values + entry] = s * (W[I[L.RES] + i] - S[r_here + i]) / e
        for place in range(P[start + 2], P[start + 5]):
            entry = P[P[sp.SP_PASS_G] + place]
            i, j = P[P[sp.SP_G_ROW] + entry], P[P[sp.SP_G_COLUMN] + entry]
            slope = (W[rows + i] - S[phi_here + i]) / (PERTURBATION * S[K[st.SCALE] + j])
            S[slopes + entry] = slope if at_positions and i < n_positions else slope / g_prime
        for c in range(P[start], P[start + 3]):
            j = P[P[sp.SP_PASS_COLUMNS] + c]
            W[I[L.DQ] + j] = S[X + j]
            W[I[L.V] + j] = S[X + n + j]
            W[I[L.A] + j] = S[X + 2 * n + j]
    call(I[L.AT_COMPOSE], I, F, W, 0)
    call(I[L.AT_JACOBIAN], I, F, W, 0)


@kernel
def sparse_scaling_into(I, P, W, S, K, D):
    """S[D..] = the diagonal D of `newton_matrix.scaling_into`, and the weights of the rows (`row_weights_into`).

    A row that moving its coordinates by their magnitude hardly changes, beside its size, counts as none.
    """
    n, m, G, scale, weights = I[L.N_V], I[L.N_ROWS], I[L.G], K[st.SCALE], K[st.ROW_WEIGHT]
    for i in range(n):
        S[D + i] = S[K[st.TANGENT_VALUES] + P[P[sp.SP_DIAGONAL] + i]]
    heaviest = 0.0
    for i in range(n):
        heaviest = max(heaviest, abs(S[D + i]) * S[scale + i] ** 2)
    for k in range(m):
        total, length = 0.0, 0.0
        for e in range(I[I[L.G_STARTS] + k], I[I[L.G_STARTS] + k + 1]):
            j, g = I[I[L.G_COLUMNS] + e], abs(W[G + e])
            total += g * g / max(abs(S[D + j]), LIGHT * heaviest / S[scale + j] ** 2, 1e-300)
            length = max(length, g * S[scale + j])
        S[weights + k] = total / max(length, 1e-300)
    for i in range(n):
        S[D + i] = 1.0 / sqrt(max(abs(S[D + i]), LIGHTEST * heaviest / S[scale + i] ** 2, 1e-300))
    for k in range(m):
        total, largest = 0.0, 0.0
        for e in range(I[I[L.G_STARTS] + k], I[I[L.G_STARTS] + k + 1]):
            j = I[I[L.G_COLUMNS] + e]
            total += (W[G + e] * S[D + j]) ** 2
            largest = max(largest, S[D + j] / S[scale + j])
        is_none = total <= (NONE * S[K[st.ROW_SIZE] + k] * largest) ** 2
        S[D + n + k] = 0.0 if is_none else 1.0 / sqrt(total)


@program
def sparse_balance_matrix(K, S, W, arg):
    """Choose the scaling D and put the entries of D X D into the fronts."""
    I, P = int_pointer(K[st.AT_I]), pattern_of(K)
    n, D, values, at = I[L.N_V], K[st.BALANCE], K[st.TANGENT_VALUES], K[st.NEWTON + st.MATRIX]
    for i in range(n):
        S[values + P[P[sp.SP_DIAGONAL] + i]] += S[K[st.ADDED] + i]
    sparse_scaling_into(I, P, W, S, K, D)
    fronts = fronts_at(P, at)
    for i in range(P[sp.SP_NUMBERS]):
        S[fronts + i] = 0.0
    for e in range(P[sp.SP_N_S]):
        value = S[values + e] * S[D + P[P[sp.SP_S_ROW] + e]] * S[D + P[P[sp.SP_S_COLUMN] + e]]
        S[fronts + P[P[sp.SP_S_FIRST] + e]] = value
        if P[P[sp.SP_S_SECOND] + e] >= 0:
            S[fronts + P[P[sp.SP_S_SECOND] + e]] = value
    for e in range(P[sp.SP_N_G]):
        d = S[D + P[P[sp.SP_G_COLUMN] + e]] * S[D + n + P[P[sp.SP_G_ROW] + e]]
        slope = W[I[L.G] + e] if K[st.BUILT] == 1 else S[values + P[sp.SP_N_S] + e]
        S[fronts + P[P[sp.SP_G_FIRST] + e]] = d * slope
        S[fronts + P[P[sp.SP_G_SECOND] + e]] = d * W[I[L.G] + e]
    S[at + sp.FA_TOLERANCE] = NONE**2
    S[at + sp.FA_VECTOR] = K[st.NEWTON + st.VECTOR]


@program
def sparse_factor(K, S, W, at):
    """Factorise the Newton matrix in the fronts."""
    X = K[at + st.MATRIX]
    call(K[st.AT_FACTOR_FRONTS], pattern_of(K), S, S, X)
    K[at + st.FAULT] = int(S[X + sp.FA_FAULT])


@program
def sparse_solve(K, S, W, at):
    """Replace the right-hand side by the solution with the factors in the fronts."""
    call(K[st.AT_SOLVE_FRONTS], pattern_of(K), S, S, K[at + st.MATRIX])
