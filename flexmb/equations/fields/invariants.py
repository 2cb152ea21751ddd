"""Quadratic deformation field by its inertia invariants (theory 3.1), truncated at order 0 (linear field), 1 or 2.

Constants in F, n modes: m, S0 (3), P0 (9), S1 (n x 3), N1 (n x 9), N2 (n x n x 9), then for order >= 1 S2 (n x n x 3),
X (n x n x 9), for order 2 N3 (n x n x n x 9). The kinetic energy is truncated, not single terms, so that the equations
are exactly Lagrange's of that energy.
Scratch in W: S_psi (n x 3), B (n x 9), C (n x n x 9), and N3 contracted with the rates (n x 9).
"""

from __future__ import annotations

from flexmb.equations.fields.elastic import elastic_force_into
from flexmb.equations.fields.gram import clear_mass, mirror
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    a_wb_b_at,
    alpha_wb_b_at,
    block_of,
    eta_ddot_of,
    eta_dot_of,
    eta_of,
    field_of,
    n_modes_of,
    omega_wb_b_at,
    wants_accelerations,
    wrench_of,
)
from flexmb.machine_code.jit import kernel, program
from flexmb.vectors import (
    ZERO,
    add,
    cross,
    dot,
    load3,
    load9,
    rotate,
    rotate_back,
    scale,
    store3,
    store9,
    store_pair,
    transpose,
)

NINE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def _axis(B):
    """int rho x psi of B = int rho psi^T."""
    return (B[5] - B[7], B[6] - B[2], B[1] - B[3])


@kernel
def _trace(B):
    return B[0] + B[4] + B[8]


@kernel
def _plus(A, s, B):
    """A + s B."""
    return (
        A[0] + s * B[0],
        A[1] + s * B[1],
        A[2] + s * B[2],
        A[3] + s * B[3],
        A[4] + s * B[4],
        A[5] + s * B[5],
        A[6] + s * B[6],
        A[7] + s * B[7],
        A[8] + s * B[8],
    )


@kernel
def _constants_at(f, n):
    """Offsets in F of S1, N1, N2, S2, X, N3 when the constants of n modes begin at F[f]."""
    s1 = f + 13
    n1 = s1 + 3 * n
    n2 = n1 + 9 * n
    s2 = n2 + 9 * n * n
    x = s2 + 3 * n * n
    return s1, n1, n2, s2, x, x + 9 * n * n


@kernel
def _scratch_at(I, field, n):
    """Offsets in W of S_psi, B and C of n modes."""
    s_psi = I[field + L.FD_W]
    b = s_psi + 3 * n
    return s_psi, b, b + 9 * n


@kernel
def _integrals_into(I, F, W, body, field):
    """S and P of the deformed body; S_psi, B and C to the scratch. C_kl = N2_kl + q_m (N3_k,lm + N3_l,km^T)."""
    n = n_modes_of(I, body)
    order = I[field + L.FD_ORDER]
    q = eta_of(I, body)
    f = I[field + L.FD_F]
    s1, n1, n2, s2, x, n3 = _constants_at(f, n)
    s_psi, b, c = _scratch_at(I, field, n)
    if order > 1:
        for k in range(n):
            for m in range(n):
                total = NINE
                for j in range(n):
                    total = _plus(total, W[q + j], load9(F, n3 + 9 * ((k * n + m) * n + j)))
                store9(W, c + 9 * (k * n + m), total)  # N3_k,mj q_j for now
    S = load3(F, f + 1)
    P = load9(F, f + 4)
    for k in range(n):
        column = load3(F, s1 + 3 * k)
        B = load9(F, n1 + 9 * k)
        half = ZERO
        P_k = NINE
        for m in range(n):
            qm = W[q + m]
            N2 = load9(F, n2 + 9 * (m * n + k))
            B = _plus(B, qm, N2)
            P_k = _plus(P_k, 0.5 * qm, _plus(N2, 1.0, transpose(N2)))
            if order > 0:
                X = load9(F, x + 9 * (k * n + m))
                B = _plus(B, qm, X)
                P_k = _plus(P_k, 0.5 * qm, _plus(X, 1.0, transpose(X)))
                half = add(half, scale(0.5 * qm, load3(F, s2 + 3 * (k * n + m))))
            if order > 1:
                own = load9(W, c + 9 * (k * n + m))
                B = _plus(_plus(B, 0.5 * qm, transpose(own)), qm, load9(W, c + 9 * (m * n + k)))
                P_k = _plus(P_k, 0.5 * qm, _plus(own, 1.0, transpose(own)))
        N1 = load9(F, n1 + 9 * k)
        P = _plus(P, W[q + k], _plus(_plus(N1, 1.0, transpose(N1)), 1.0, P_k))
        S = add(S, scale(W[q + k], add(column, half)))
        store3(W, s_psi + 3 * k, add(column, scale(2.0, half)))
        store9(W, b + 9 * k, B)
    for k in range(n):
        for m in range(k + 1):
            C = load9(F, n2 + 9 * (k * n + m))
            if order > 1:
                C = _plus(_plus(C, 1.0, load9(W, c + 9 * (k * n + m))), 1.0, transpose(load9(W, c + 9 * (m * n + k))))
            store9(W, c + 9 * (k * n + m), C)
            store9(W, c + 9 * (m * n + k), transpose(C))
    return S, P


@kernel
def _inertia(P):
    """J = tr(P) 1 - P."""
    t = _trace(P)
    return (t - P[0], -P[1], -P[2], -P[3], t - P[4], -P[5], -P[6], -P[7], t - P[8])


@program
def invariant_force(I, F, W, body):
    """Wrench on the frame and force on every mode of a body record; with the mode accelerations A if X_ACCELERATE.

    M y' + h with the blocks of theory 3, the symbols of 3.1.
    """
    accelerate = wants_accelerations(I, W)
    field = field_of(I, body)
    block = block_of(I, body)
    n = n_modes_of(I, body)
    order = I[field + L.FD_ORDER]
    q = eta_of(I, body)
    v = eta_dot_of(I, body)
    acc = eta_ddot_of(I, body)
    out = wrench_of(I, body) + 6
    elastic_force_into(I, F, W, body, field, out)
    S, P = _integrals_into(I, F, W, body, field)
    f = I[field + L.FD_F]
    _, _, _, s2, x, n3 = _constants_at(f, n)
    s_psi, b, c = _scratch_at(I, field, n)
    w = omega_wb_b_at(W, block)
    a = a_wb_b_at(W, block)
    al = alpha_wb_b_at(W, block)
    J = _inertia(P)
    rate = ZERO  # S_psi q'
    bias = ZERO  # int gam, and S_psi q''
    turning = NINE  # int rho gam^T, and B_k q''_k
    Bq = NINE  # B_k q'_k
    for k in range(n):
        rate = add(rate, scale(W[v + k], load3(W, s_psi + 3 * k)))
        Bq = _plus(Bq, W[v + k], load9(W, b + 9 * k))
        if accelerate:
            bias = add(bias, scale(W[acc + k], load3(W, s_psi + 3 * k)))
            turning = _plus(turning, W[acc + k], load9(W, b + 9 * k))
        if order > 0:
            for m in range(n):
                vv = W[v + k] * W[v + m]
                bias = add(bias, scale(vv, load3(F, s2 + 3 * (k * n + m))))
                turning = _plus(turning, vv, load9(F, x + 9 * (k * n + m)))
    ww = dot(w, w)
    for k in range(n):
        B = load9(W, b + 9 * k)
        total = dot(load3(W, s_psi + 3 * k), a) + dot(_axis(B), al) + dot(w, rotate(B, w)) - _trace(B) * ww
        for m in range(n):
            C = load9(W, c + 9 * (m * n + k))
            total += 2.0 * W[v + m] * dot(w, _axis(C))
            if accelerate:
                total += W[acc + m] * _trace(C)
        if order > 1:
            Z = NINE  # N3_k,lm q'_l q'_m
            for m in range(n):
                for j in range(n):
                    Z = _plus(Z, W[v + m] * W[v + j], load9(F, n3 + 9 * ((k * n + m) * n + j)))
            total += _trace(Z)
            turning = _plus(turning, W[q + k], Z)
        W[out + k] += total
    mass = F[f]
    force = add(add(scale(mass, a), cross(al, S)), add(cross(w, add(cross(w, S), scale(2.0, rate))), bias))
    moment = add(add(cross(S, a), rotate(J, al)), add(cross(w, rotate(J, w)), _axis(turning)))
    t = _trace(Bq)
    back = rotate_back(Bq, w)
    moment = add(moment, scale(2.0, (t * w[0] - back[0], t * w[1] - back[1], t * w[2] - back[2])))
    store_pair(W, wrench_of(I, body), force, moment)


@program
def invariant_mass(I, F, W, body):
    """Mass matrix of a body record."""
    field = field_of(I, body)
    n = n_modes_of(I, body)
    S, P = _integrals_into(I, F, W, body, field)
    s_psi, b, c = _scratch_at(I, field, n)
    o, size = clear_mass(I, W, body)
    mass = F[I[field + L.FD_F]]
    for i in range(3):
        W[o + i * size + i] = mass
    W[o + 4] = S[2]
    W[o + 5] = -S[1]
    W[o + size + 3] = -S[2]
    W[o + size + 5] = S[0]
    W[o + 2 * size + 3] = S[1]
    W[o + 2 * size + 4] = -S[0]
    J = _inertia(P)
    W[o + 3 * size + 3] = J[0]
    W[o + 3 * size + 4] = J[1]
    W[o + 3 * size + 5] = J[2]
    W[o + 4 * size + 4] = J[4]
    W[o + 4 * size + 5] = J[5]
    W[o + 5 * size + 5] = J[8]
    for k in range(n):
        turn = _axis(load9(W, b + 9 * k))
        for i in range(3):
            W[o + i * size + 6 + k] = W[s_psi + 3 * k + i]
        W[o + 3 * size + 6 + k] = turn[0]
        W[o + 4 * size + 6 + k] = turn[1]
        W[o + 5 * size + 6 + k] = turn[2]
        for m in range(k + 1):
            W[o + (6 + m) * size + 6 + k] = _trace(load9(W, c + 9 * (m * n + k)))
    mirror(W, o, size)
