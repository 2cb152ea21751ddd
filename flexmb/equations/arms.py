"""Flexible arms: pose, rates and mode columns of a marker on a flexible body (theory 5).

A marker's place in F holds position (3) and orientation (9) in the undeformed body; with n modes, the shapes follow:
Phi (n x 3), Theta (n x 3) and, for order 2, the second-order shapes G (n x n x 3), Gamma (n x n x 3):
    r = r0 + Phi q + 1/2 q G q,    theta = Theta q + 1/2 q Gamma q,    R = exp(~theta) R0.
"""

from __future__ import annotations

import math

from flexmb.jit import kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import ZERO, add, cross, dot, load3, load9, multiply, rotate, scale, store3, store9


@program
def flexible_arm(I, F, W, arg):
    """Position, orientation, rates, biases and mode columns of marker `arg` relative to its body, body components.

    Column k is (dr/dq_k, omega_k), six floats.
    """
    record = I[L.MARKERS] + arg * L.MARKER
    e = I[L.BODIES] + I[record + L.MK_BODY] * L.BODY
    marker = I[record + L.MK_F]
    order = I[record + L.MK_ORDER]
    out = I[record + L.MK_W]
    columns = out + L.S_COLUMNS
    n_modes = I[e + L.B_NF]
    q = I[L.Q] + I[e + L.B_ELASTIC_Q]
    v = I[L.V] + I[e + L.B_V] + I[e + L.B_NJ]
    r = load3(F, marker)
    R = load9(F, marker + 3)
    shapes = marker + 12
    turns = shapes + 3 * n_modes
    shapes2 = turns + 3 * n_modes
    turns2 = shapes2 + 3 * n_modes * n_modes
    theta = ZERO
    r_dot = ZERO
    theta_dot = ZERO
    bias_r = ZERO
    theta_bias = ZERO
    for k in range(n_modes):
        phi = load3(F, shapes + 3 * k)
        turn = load3(F, turns + 3 * k)
        psi = phi
        slope = turn
        g_rate = ZERO
        t_rate = ZERO
        if order > 1:
            for m in range(n_modes):
                g = load3(F, shapes2 + 3 * (k * n_modes + m))
                t = load3(F, turns2 + 3 * (k * n_modes + m))
                psi = add(psi, scale(W[q + m], g))
                slope = add(slope, scale(W[q + m], t))
                g_rate = add(g_rate, scale(W[v + m], g))
                t_rate = add(t_rate, scale(W[v + m], t))
        store3(W, columns + 6 * k, psi)
        store3(W, columns + 6 * k + 3, slope)
        r = add(r, scale(0.5 * W[q + k], add(phi, psi)))
        theta = add(theta, scale(0.5 * W[q + k], add(turn, slope)))
        r_dot = add(r_dot, scale(W[v + k], psi))
        theta_dot = add(theta_dot, scale(W[v + k], slope))
        bias_r = add(bias_r, scale(W[v + k], g_rate))
        theta_bias = add(theta_bias, scale(W[v + k], t_rate))
    square = dot(theta, theta)
    rate = dot(theta, theta_dot)
    if square < 1e-6:
        a = 1.0 - square / 6.0 * (1.0 - square / 20.0)
        b = 0.5 - square / 24.0 * (1.0 - square / 30.0)
        c = 1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0)
        b_dot = -rate / 12.0
        c_dot = -rate / 60.0
    else:
        angle = math.sqrt(square)
        a = math.sin(angle) / angle
        b = (1.0 - math.cos(angle)) / square
        c = (1.0 - a) / square
        b_dot = rate * (a - 2.0 * b) / square
        c_dot = rate * (b - 3.0 * c) / square
    turn_matrix = _series(theta, a, b)
    J = _series(theta, b, c)
    for k in range(n_modes):
        store3(W, columns + 6 * k + 3, rotate(J, load3(W, columns + 6 * k + 3)))
    first = cross(theta, theta_dot)
    bias_w = add(rotate(J, theta_bias), add(scale(b_dot, first), scale(c_dot, cross(theta, first))))
    bias_w = add(bias_w, scale(c, cross(theta_dot, first)))
    store3(W, out + L.S_BODY, r)
    store9(W, out + L.S_ARM_R, multiply(turn_matrix, R))
    store3(W, out + L.S_ARM_V, r_dot)
    store3(W, out + L.S_ARM_W, rotate(J, theta_dot))
    store3(W, out + L.S_ARM_BIAS_R, bias_r)
    store3(W, out + L.S_ARM_BIAS_W, bias_w)


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
