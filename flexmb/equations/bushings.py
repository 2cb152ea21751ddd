"""Bushing: a spring and damper in all six directions between the frames A and B of two markers.

d = R_A^T (p_B - p_A) and the rotation vector t of R_A^T R_B are its displacement e = (d, t), seen from A; its efforts:

    s = K e + C e_dot + preload + curves(e),    V = 1/2 e^T K e + preload . e + areas under the curves

e_dot needs t_dot = J w, with w = R_A^T (w_B - w_A) and J = 1 - ~t/2 + c ~t ~t, c = 1/|t|^2 - cot(|t|/2) / (2 |t|)
[Bauchau & Trainelli 2003]. By virtual work, -R_A s_d and -R_A J^T s_t act on B at p_B, the opposite on A there: forces
do not depend on where the pair of frames is, and V is their potential.
"""

from __future__ import annotations

import math

from flexmb.equations.markers import apply_wrench, state_of
from flexmb.equations.rotation_vectors import moment_of, rotation_vector, vector_rate
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import R_wm_at, omega_wm_at, p_wm_at, v_wm_at
from flexmb.loads.tables import linear_table
from flexmb.machine_code.jit import kernel, program
from flexmb.vectors import (
    add,
    cross,
    dot,
    load_pair,
    multiply,
    rotate,
    rotate_back,
    scale,
    store_pair,
    sub,
    transpose,
)

DAMPING, PRELOAD, NUMBERS = 36, 72, 78
"""Places in the numbers of a bushing: stiffness (6, 6), damping (6, 6), preload (6)."""


@kernel
def _efforts_into(I, F, W, load, out, e, rate):
    """Efforts (6,) to the vector and moment of the block; power of the damping, potential."""
    p = I[load + L.L_F]
    curves = I[load + L.L_Q]
    power = 0.0
    potential = 0.0
    for i in range(6):
        elastic = 0.0
        damped = 0.0
        for j in range(6):
            elastic += F[p + 6 * i + j] * e[j]
            damped += F[p + DAMPING + 6 * i + j] * rate[j]
        preload = F[p + PRELOAD + i]
        potential += (0.5 * elastic + preload) * e[i]
        power -= damped * rate[i]
        effort = elastic + preload + damped
        if I[curves + i] > 0:
            value, _, area = linear_table(F, I[curves + i], e[i])
            effort += value
            potential += area
        W[out + L.LW_VECTOR + i] = effort
    W[out + L.LW_POWER] = power
    W[out + L.LW_POTENTIAL] = potential


@program
def bushing(I, F, W, load):
    """Apply a bushing; its force and moment on B are left in world axes, its effort is the size of the force."""
    out = I[load + L.L_W]
    a = state_of(I, F, W, I[load + L.L_A], False)
    b = state_of(I, F, W, I[load + L.L_B], False)
    R = R_wm_at(W, a)
    omega = omega_wm_at(W, a)
    gap = sub(p_wm_at(W, b), p_wm_at(W, a))
    d = rotate_back(R, gap)
    turn = rotation_vector(multiply(transpose(R), R_wm_at(W, b)))
    d_dot = rotate_back(R, sub(sub(v_wm_at(W, b), v_wm_at(W, a)), cross(omega, gap)))
    turn_dot = vector_rate(turn, rotate_back(R, sub(omega_wm_at(W, b), omega)))
    e = (d[0], d[1], d[2], turn[0], turn[1], turn[2])
    rate = (d_dot[0], d_dot[1], d_dot[2], turn_dot[0], turn_dot[1], turn_dot[2])
    _efforts_into(I, F, W, load, out, e, rate)
    pull, twist = load_pair(W, out + L.LW_VECTOR)
    force = rotate(R, pull)
    moment = rotate(R, moment_of(turn, twist))
    apply_wrench(I, W, I[load + L.L_A], force, add(moment, cross(gap, force)))
    force = scale(-1.0, force)
    moment = scale(-1.0, moment)
    apply_wrench(I, W, I[load + L.L_B], force, moment)
    store_pair(W, out + L.LW_VECTOR, force, moment)
    W[out + L.LW_EFFORT] = math.sqrt(dot(force, force))
