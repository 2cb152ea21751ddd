"""Constraint rows of chords and motions (theory 8): Phi, its rates, its Jacobian and the forces of the multipliers.

Every row is a condition between two markers A and B (a coordinate of the tree: between its two frames). Its gradient is
a wrench (f, n) on B, world axes, and the opposite wrench on A: force -f and moment -n - d x f with d = p_B - p_A. The
Jacobian row is that wrench pair pulled back to the coordinates; a multiplier scales the pair.
"""

from __future__ import annotations

import math

from flexmb.equations.chords import relative_motion_into
from flexmb.equations.inverse_dynamics import to_parent_into
from flexmb.equations.kinematics import apply_wrench, state_of
from flexmb.jit import call, kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import (
    ZERO,
    add,
    column,
    cross,
    dot,
    load3,
    load9,
    rotate,
    rotate_back,
    scale,
    store3,
    sub,
)


@kernel
def _turning(axis, omega, alpha):
    """First and second time derivative of a unit vector that turns with a frame."""
    rate = cross(omega, axis)
    return rate, add(cross(alpha, axis), cross(omega, rate))


@kernel
def _point(W, a, b, axis):
    """a_i . d: a component of the distance in the frame of A."""
    d = sub(load3(W, b + L.S_P), load3(W, a + L.S_P))
    dv = sub(load3(W, b + L.S_V), load3(W, a + L.S_V))
    da = sub(load3(W, b + L.S_A), load3(W, a + L.S_A))
    u = column(load9(W, a + L.S_R), axis)
    u1, u2 = _turning(u, load3(W, a + L.S_W), load3(W, a + L.S_AL))
    second = dot(u2, d) + 2.0 * dot(u1, dv) + dot(u, da)
    return dot(u, d), dot(u1, d) + dot(u, dv), second, u, ZERO


@kernel
def _dot(W, a, b, i, j):
    """a_i . b_j: the cosine between an axis of A and one of B."""
    u = column(load9(W, a + L.S_R), i)
    x = column(load9(W, b + L.S_R), j)
    u1, u2 = _turning(u, load3(W, a + L.S_W), load3(W, a + L.S_AL))
    x1, x2 = _turning(x, load3(W, b + L.S_W), load3(W, b + L.S_AL))
    second = dot(u2, x) + 2.0 * dot(u1, x1) + dot(u, x2)
    return dot(u, x), dot(u1, x) + dot(u, x1), second, ZERO, cross(x, u)


@kernel
def _distance(W, a, b, length):
    """(d . d - l^2) / (2 l): the distance of two points."""
    d = sub(load3(W, b + L.S_P), load3(W, a + L.S_P))
    dv = sub(load3(W, b + L.S_V), load3(W, a + L.S_V))
    da = sub(load3(W, b + L.S_A), load3(W, a + L.S_A))
    value = (dot(d, d) - length * length) / (2.0 * length)
    return value, dot(d, dv) / length, (dot(dv, dv) + dot(d, da)) / length, scale(1.0 / length, d), ZERO


@kernel
def _screw(W, a, b, lead, x):
    """sin(angle - advance / lead), written without the angle so that turns need no counting."""
    R, t = relative_motion_into(W, a, b, x)
    psi = t[2] / lead
    w = load3(W, x)
    psi1 = W[x + 5] / lead
    psi2 = W[x + 11] / lead
    e = (R[0], R[3], R[6])  # x axis of B in the frame of A
    e1, e2 = _turning(e, w, load3(W, x + 6))
    c = math.cos(psi)
    s = math.sin(psi)
    along = c * e[0] + s * e[1]
    value = -s * e[0] + c * e[1]
    first = -psi1 * along - s * e1[0] + c * e1[1]
    second = -psi2 * along - psi1 * psi1 * value - 2.0 * psi1 * (c * e1[0] + s * e1[1]) - s * e2[0] + c * e2[1]
    Ra = load9(W, a + L.S_R)
    return value, first, second, rotate(Ra, (0.0, 0.0, -along / lead)), rotate(Ra, cross(e, (-s, c, 0.0)))


@kernel
def _roll(W, a, b, k, radius):
    """Contact of a disc (axis z of B) with the plane x, y of A: height (k = 2) and the two sliding speeds (k = 0, 1).

    The gradient is the same for all three: a unit force along axis k of A at the contact point.
    """
    Ra = load9(W, a + L.S_R)
    wa = load3(W, a + L.S_W)
    wb = load3(W, b + L.S_W)
    ala = load3(W, a + L.S_AL)
    n = (Ra[2], Ra[5], Ra[8])
    Rb = load9(W, b + L.S_R)
    u = (Rb[2], Rb[5], Rb[8])
    n1 = cross(wa, n)
    u1 = cross(wb, u)
    c = dot(n, u)
    c1 = dot(n1, u) + dot(n, u1)
    s = math.sqrt(max(1.0 - c * c, 1e-30))
    s1 = -c * c1 / s
    e = scale(1.0 / s, sub(n, scale(c, u)))
    e1 = sub(sub(n1, add(scale(c1, u), scale(c, u1))), scale(s1, e))
    arm = scale(-radius, e)
    arm1 = scale(-radius / s, e1)
    f = column(Ra, k)
    f1 = cross(wa, f)
    d = sub(load3(W, b + L.S_P), load3(W, a + L.S_P))
    dv = sub(load3(W, b + L.S_V), load3(W, a + L.S_V))
    da = sub(load3(W, b + L.S_A), load3(W, a + L.S_A))
    g = sub(dv, cross(wa, d))
    g1 = sub(da, add(cross(ala, d), cross(wa, dv)))
    w = sub(wb, wa)
    w1 = sub(load3(W, b + L.S_AL), ala)
    turn = cross(arm, f)
    first = dot(f, g) + dot(w, turn)
    second = dot(f1, g) + dot(f, g1) + dot(w1, turn) + dot(w, add(cross(arm1, f), cross(arm, f1)))
    value = dot(n, d) - radius * s if k == 2 else first
    return value, first, second, f, turn


@kernel
def row_into(I, F, W, row, k, a, b, accelerate):
    """Phi, Phi_dot, Phi_ddot (into PHI, PHI_DOT, GAM) and the wrench of row k; marker states stand at W[a], W[b]."""
    kind = I[row + L.R_KIND]
    value = 0.0
    first = 0.0
    second = 0.0
    force = ZERO
    moment = ZERO
    if kind == L.ROW_POINT:
        value, first, second, force, moment = _point(W, a, b, I[row + L.R_I])
    elif kind == L.ROW_DOT:
        value, first, second, force, moment = _dot(W, a, b, I[row + L.R_I], I[row + L.R_J])
    elif kind == L.ROW_DISTANCE:
        value, first, second, force, moment = _distance(W, a, b, F[I[row + L.R_F]])
    elif kind == L.ROW_SCREW:
        value, first, second, force, moment = _screw(W, a, b, F[I[row + L.R_F]], I[L.X_CHORD])
    elif kind == L.ROW_ROLL:
        value, first, second, force, moment = _roll(W, a, b, I[row + L.R_I], F[I[row + L.R_F]])
    elif kind == L.ROW_TREE:
        value = W[I[L.Q] + I[row + L.R_SUB]]
        first = W[I[L.V] + I[row + L.R_COORD]]
        if accelerate:
            second = W[I[L.A] + I[row + L.R_COORD]]
    else:
        block = I[I[L.CHORDS] + I[row + L.R_COORD] * L.CHORD + L.CH_W]
        sub_index = I[row + L.R_SUB]
        value = W[block + L.C_Q + sub_index]
        first = W[block + L.C_V + sub_index]
        second = W[block + L.C_A + sub_index]
        force = load3(W, block + L.C_WRENCH + 6 * sub_index)
        moment = load3(W, block + L.C_WRENCH + 6 * sub_index + 3)
    if I[row + L.R_FUNCTION] > 0:
        call(I[L.AT_FUNCTION], I, F, W, I[row + L.R_FUNCTION])
        value -= W[I[L.X_VALUE]]
        first -= W[I[L.X_VALUE] + 1]
        second -= W[I[L.X_VALUE] + 2]
    W[I[L.PHI] + k] = value
    W[I[L.PHI_DOT] + k] = first
    W[I[L.GAM] + k] = second
    store3(W, I[row + L.R_W], force)
    store3(W, I[row + L.R_W] + 3, moment)


@kernel
def _pull_back(I, W, marker, force, moment, target):
    """Add the generalised force of a force and moment at a marker (world axes) to W[target..]."""
    m = I[L.MARKERS] + marker * L.MARKER
    first = I[L.BODIES]
    e = first + I[m + L.MK_BODY] * L.BODY
    Rw = load9(W, I[e + L.B_W] + L.W_R_W)
    f = rotate_back(Rw, force)
    n = rotate_back(Rw, moment)
    here = I[L.X_UP2]
    up = I[L.X_UP]
    store3(W, here, f)
    state = I[m + L.MK_W]
    store3(W, here + 3, add(cross(load3(W, state + L.S_BODY), f), n))
    for k in range(I[e + L.B_NF]):
        W[here + 6 + k] = 0.0
        if I[m + L.MK_FLEX] > 0:
            column_k = state + L.S_COLUMNS + 6 * k
            W[here + 6 + k] = dot(load3(W, column_k), f) + dot(load3(W, column_k + 3), n)
    while e > first:
        n_joint = I[e + L.B_NJ]
        h = I[e + L.B_H]
        vo = target + I[e + L.B_V]
        for j in range(n_joint + I[e + L.B_NF]):
            s = W[here + 6 + j - n_joint] if j >= n_joint else 0.0
            for k in range(6):
                s += W[h + 6 * j + k] * W[here + k]
            W[vo + j] += s
        if I[e + L.B_PARENT] == 0:
            break
        ep = first + I[e + L.B_PARENT] * L.BODY
        to_parent_into(I, W, e, I[ep + L.B_NF], here, up)
        for k in range(6 + I[ep + L.B_NF]):
            W[here + k] = W[up + k]
        e = ep


@program
def rows(I, F, W, arg):
    """All active rows. arg bit 0: Jacobian G; bit 1: add the multipliers' wrenches to the bodies and efforts;
    bit 2: the accelerations of the kinematics include A; bit 3: the markers have their state from rows at the same
    motion. Needs `kinematics` (and `chords` where rows use them)."""
    n = I[L.N_V]
    accelerate = 1 if arg & 4 else 0
    a = 0
    b = 0
    last_a = -1
    last_b = -1
    for k in range(I[L.N_ROWS]):
        row = I[L.ROWS] + k * L.ROW
        marker_a = I[row + L.R_A]
        marker_b = I[row + L.R_B]
        on_tree = I[row + L.R_KIND] == L.ROW_TREE
        if not on_tree and (marker_a != last_a or marker_b != last_b):
            if arg & 8:
                a = I[I[L.MARKERS] + marker_a * L.MARKER + L.MK_W]
                b = I[I[L.MARKERS] + marker_b * L.MARKER + L.MK_W]
            else:
                a = state_of(I, F, W, 2 * marker_a + accelerate)
                b = state_of(I, F, W, 2 * marker_b + accelerate)
            last_a = marker_a
            last_b = marker_b
        row_into(I, F, W, row, k, a, b, accelerate)
        if k >= I[L.N_POS_ROWS]:
            W[I[L.PHI] + k] = W[I[L.PHI_DOT] + k]
        target = I[L.G] + k * n
        if arg & 1:
            for j in range(n):
                W[target + j] = 0.0
        if on_tree:
            if arg & 1:
                W[target + I[row + L.R_COORD]] = 1.0
            if arg & 2:
                W[I[L.EFFORT] + I[row + L.R_COORD]] -= W[I[L.LAM] + k]
            continue
        force = load3(W, I[row + L.R_W])
        moment = load3(W, I[row + L.R_W] + 3)
        d = sub(load3(W, b + L.S_P), load3(W, a + L.S_P))
        back = scale(-1.0, add(moment, cross(d, force)))
        against = scale(-1.0, force)
        if arg & 1:
            _pull_back(I, W, marker_b, force, moment, target)
            _pull_back(I, W, marker_a, against, back, target)
        if arg & 2:
            # The constraint force on the system is -G^T lam; apply_wrench takes applied forces.
            s = -W[I[L.LAM] + k]
            apply_wrench(I, W, marker_b, scale(s, force), scale(s, moment))
            apply_wrench(I, W, marker_a, scale(s, against), scale(s, back))
