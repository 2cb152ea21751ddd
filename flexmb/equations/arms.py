"""Arms: pose, rates and mode columns of a marker relative to its body (theory 5).

A marker's constants in F are position (3) and orientation (9) in the undeformed body; on a flexible body with n modes,
the shapes follow: (Phi, Theta) of every mode (n x 6) and, for order 2, second-order shapes (G, Gamma) (n x n x 6):
    r = r0 + Phi eta + 1/2 eta G eta,    theta = Theta eta + 1/2 eta Gamma eta,    R_bm = exp(~theta) R_bm0.
"""

from __future__ import annotations

import math

from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_bm_at,
    body_of_marker,
    constants_of_marker,
    eta_dot_of,
    eta_of,
    field_of,
    is_flexible,
    marker_record,
    mode_columns_at,
    n_modes_of,
    p_bm_at,
    state_block_of,
    store_arm,
)
from flexmb.machine_code.jit import call, kernel, program
from flexmb.vectors import ZERO, add, cross, dot, load3, load9, load_pair, multiply, rotate, scale, store3


@kernel
def find_nodes(I, F, W, body):
    """Prepare the deformation field of a body for its markers, where the field asks for it."""
    field = field_of(I, body)
    if field > 0 and I[field + L.FD_NODES] > 0:
        call(I[I[field + L.FD_NODES]], I, F, W, body)


@kernel
def arm(I, F, W, number):
    """Position, orientation, rates and biases of a marker relative to its body, in body components (theory 5).

    r, R_bm, r_dot = Psi q', omega_bm_b = Om q', gamma_r, gamma_w.
    """
    marker = marker_record(I, number)
    if not is_flexible(I, marker):
        constants = I[marker + L.MK_F]
        return p_bm_at(F, constants), R_bm_at(F, constants), ZERO, ZERO, ZERO, ZERO
    call(I[I[marker + L.MK_FLEX]], I, F, W, number)
    state = state_block_of(I, marker)
    return (
        load3(W, state + L.S_BODY),
        load9(W, state + L.S_ARM_R),
        load3(W, state + L.S_ARM_V),
        load3(W, state + L.S_ARM_W),
        load3(W, state + L.S_ARM_BIAS_R),
        load3(W, state + L.S_ARM_BIAS_W),
    )


@kernel
def copy_columns(I, W, number, n_modes, out):
    """Mode columns (Psi, Om) of a marker, zero for a rigid one."""
    marker = marker_record(I, number)
    flexible = is_flexible(I, marker)
    source = mode_columns_at(state_block_of(I, marker))
    for k in range(6 * n_modes):
        W[out + k] = W[source + k] if flexible else 0.0


@kernel
def _add_rows(F, W, out, x, rows, n_modes):
    """W[out..] += the sum over the modes m of W[x + m] times row m at F[rows..], 6 n_modes numbers; four at a time."""
    size = 6 * n_modes
    whole = n_modes // 4 * 4
    for m in range(0, whole, 4):
        x0, x1, x2, x3 = W[x + m], W[x + m + 1], W[x + m + 2], W[x + m + 3]
        r0, r1, r2, r3 = rows + m * size, rows + (m + 1) * size, rows + (m + 2) * size, rows + (m + 3) * size
        for i in range(size):
            W[out + i] += (x0 * F[r0 + i] + x1 * F[r1 + i]) + (x2 * F[r2 + i] + x3 * F[r3 + i])
    for m in range(whole, n_modes):
        x0, r0 = W[x + m], rows + m * size
        for i in range(size):
            W[out + i] += x0 * F[r0 + i]


@program
def flexible_arm(I, F, W, number):
    """Position, orientation, rates, biases and mode columns of a marker relative to its body, body components.

    Column k is (Psi_k, Om_k), six floats, with Psi_k = Phi_k + G_kl q_l and Om_k = J_l (Theta_k + Gamma_kl q_l).
    """
    marker = marker_record(I, number)
    body = body_of_marker(I, marker)
    constants = constants_of_marker(I, marker)
    state = state_block_of(I, marker)
    columns = mode_columns_at(state)
    n_modes = n_modes_of(I, body)
    eta = eta_of(I, body)
    eta_dot = eta_dot_of(I, body)
    first = constants + L.MF_SHAPES
    turned = I[L.X_FIELD]  # (G_kl, Gamma_kl) q'_l
    for i in range(6 * n_modes):
        W[columns + i] = F[first + i]
        W[turned + i] = 0.0
    if I[marker + L.MK_ORDER] > 1:
        _add_rows(F, W, columns, eta, first + 6 * n_modes, n_modes)
        _add_rows(F, W, turned, eta_dot, first + 6 * n_modes, n_modes)
    r = p_bm_at(F, constants)
    theta = ZERO
    r_dot = ZERO
    theta_dot = ZERO
    gamma_r = ZERO  # q' G q'
    theta_bias = ZERO  # q' Gamma q'
    for k in range(n_modes):
        Phi, Theta = load_pair(F, first + 6 * k)
        Psi, t = load_pair(W, columns + 6 * k)
        G_rate, Gamma_rate = load_pair(W, turned + 6 * k)
        r = add(r, scale(0.5 * W[eta + k], add(Phi, Psi)))
        theta = add(theta, scale(0.5 * W[eta + k], add(Theta, t)))
        r_dot = add(r_dot, scale(W[eta_dot + k], Psi))
        theta_dot = add(theta_dot, scale(W[eta_dot + k], t))
        gamma_r = add(gamma_r, scale(W[eta_dot + k], G_rate))
        theta_bias = add(theta_bias, scale(W[eta_dot + k], Gamma_rate))
    a, b, c, b_dot, c_dot = _exponential(theta, theta_dot)
    R_theta = _series(theta, a, b)
    J_l = _series(theta, b, c)
    for k in range(n_modes):  # Om_k = J_l t_k
        store3(W, columns + 6 * k + 3, rotate(J_l, load3(W, columns + 6 * k + 3)))
    # gam_w = J_l (q' Gamma q') + b' th x th' + c' th x (th x th') + c th' x (th x th')
    swing = cross(theta, theta_dot)
    gamma_w = add(rotate(J_l, theta_bias), add(scale(b_dot, swing), scale(c_dot, cross(theta, swing))))
    gamma_w = add(gamma_w, scale(c, cross(theta_dot, swing)))
    R_bm = multiply(R_theta, R_bm_at(F, constants))
    store_arm(W, state, r, R_bm, r_dot, rotate(J_l, theta_dot), gamma_r, gamma_w)


@kernel
def _exponential(theta, theta_dot):
    """a = sin(t)/t, b = (1 - cos t)/t^2, c = (t - sin t)/t^3 with t = |theta|, and the rates of b and c."""
    square = dot(theta, theta)
    rate = dot(theta, theta_dot)
    if square < 1e-6:
        a = 1.0 - square / 6.0 * (1.0 - square / 20.0)
        b = 0.5 - square / 24.0 * (1.0 - square / 30.0)
        c = 1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0)
        return a, b, c, -rate / 12.0, -rate / 60.0
    angle = math.sqrt(square)
    a = math.sin(angle) / angle
    b = (1.0 - math.cos(angle)) / square
    c = (1.0 - a) / square
    return a, b, c, rate * (a - 2.0 * b) / square, rate * (b - 3.0 * c) / square


@kernel
def _series(theta, a, b):
    """1 + a ~theta + b ~theta^2."""
    x, y, z = theta
    return (
        1.0 - b * (y * y + z * z),
        b * x * y - a * z,
        b * x * z + a * y,
        b * x * y + a * z,
        1.0 - b * (x * x + z * z),
        b * y * z - a * x,
        b * x * z - a * y,
        b * y * z + a * x,
        1.0 - b * (x * x + y * y),
    )
