"""Constraint rows of chords and motions (theory 8): Phi, its rates, its Jacobian and the forces of the multipliers.

Every row is a condition between two markers A and B (a coordinate of the tree: between its two frames). Its gradient is
a wrench (f, n) on B, world axes, and the opposite wrench on A: force -f and moment -n - d x f with d = p_B - p_A. The
Jacobian row is that wrench pair pulled back to the coordinates; a multiplier scales the pair.
"""

from __future__ import annotations

import math

from flexmb.equations.chords import relative_motion_into
from flexmb.equations.inverse_dynamics import to_parent_into
from flexmb.equations.markers import apply_wrench, state_of
from flexmb.equations.rotation_vectors import component_gradient, rotation_vector, vector_rate
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_wb_at,
    R_wm_at,
    a_wm_at,
    alpha_wm_at,
    block_of,
    body_of_marker,
    body_record,
    chord_record,
    columns_of,
    coordinate_wrench_at,
    is_flexible,
    is_on_ground,
    marker_record,
    mode_columns_at,
    n_joint_of,
    n_modes_of,
    omega_wm_at,
    p_wm_at,
    parent_record,
    r_at,
    row_record,
    state_block_of,
    state_of_marker,
    v_index_of,
    v_wm_at,
)
from flexmb.machine_code.jit import call, kernel, program
from flexmb.vectors import (
    ZERO,
    add,
    column,
    cross,
    dot,
    load3,
    load_pair,
    rotate,
    rotate_back,
    scale,
    store_pair,
    sub,
)

JACOBIAN, JACOBIAN_AGAIN, MULTIPLIERS, VALUES = range(4)
"""Quantity that `rows` are evaluated for."""


@kernel
def turning(axis, omega, alpha):
    """First and second time derivative of a unit vector that turns with a frame."""
    rate = cross(omega, axis)
    return rate, add(cross(alpha, axis), cross(omega, rate))


@kernel
def _distance_rates(W, a, b):
    """d = p_wb - p_wa of two markers with its first and second time derivative, world axes."""
    d = sub(p_wm_at(W, b), p_wm_at(W, a))
    dv = sub(v_wm_at(W, b), v_wm_at(W, a))
    da = sub(a_wm_at(W, b), a_wm_at(W, a))
    return d, dv, da


@kernel
def _point(W, a, b, axis):
    """a_i . d: a component of the distance in the frame of A."""
    d, dv, da = _distance_rates(W, a, b)
    u = column(R_wm_at(W, a), axis)
    u1, u2 = turning(u, omega_wm_at(W, a), alpha_wm_at(W, a))
    second = dot(u2, d) + 2.0 * dot(u1, dv) + dot(u, da)
    return dot(u, d), dot(u1, d) + dot(u, dv), second, u, ZERO


@kernel
def _dot(W, a, b, i, j):
    """a_i . b_j: the cosine between an axis of A and one of B."""
    u = column(R_wm_at(W, a), i)
    x = column(R_wm_at(W, b), j)
    u1, u2 = turning(u, omega_wm_at(W, a), alpha_wm_at(W, a))
    x1, x2 = turning(x, omega_wm_at(W, b), alpha_wm_at(W, b))
    second = dot(u2, x) + 2.0 * dot(u1, x1) + dot(u, x2)
    return dot(u, x), dot(u1, x) + dot(u, x1), second, ZERO, cross(x, u)


@kernel
def _distance(W, a, b, length):
    """(d . d - l^2) / (2 l): the distance of two points."""
    d, dv, da = _distance_rates(W, a, b)
    value = (dot(d, d) - length * length) / (2.0 * length)
    return value, dot(d, dv) / length, (dot(dv, dv) + dot(d, da)) / length, scale(1.0 / length, d), ZERO


@kernel
def _screw(W, a, b, lead, x):
    """sin(angle - advance / lead), written without the angle so that turns need no counting."""
    R, t = relative_motion_into(W, a, b, x)
    psi = t[2] / lead
    omega = load3(W, x)
    psi1 = W[x + 5] / lead
    psi2 = W[x + 11] / lead
    e = (R[0], R[3], R[6])  # x axis of B in the frame of A
    e1, e2 = turning(e, omega, load3(W, x + 6))
    c = math.cos(psi)
    s = math.sin(psi)
    along = c * e[0] + s * e[1]
    value = -s * e[0] + c * e[1]
    first = -psi1 * along - s * e1[0] + c * e1[1]
    second = -psi2 * along - psi1 * psi1 * value - 2.0 * psi1 * (c * e1[0] + s * e1[1]) - s * e2[0] + c * e2[1]
    R_wa = R_wm_at(W, a)
    return value, first, second, rotate(R_wa, (0.0, 0.0, -along / lead)), rotate(R_wa, cross(e, (-s, c, 0.0)))


@kernel
def _roll(W, a, b, k, radius):
    """Contact of a disc (axis z of B) with the plane x, y of A: height (k = 2) and the two sliding speeds (k = 0, 1).

    The gradient is the same for all three: a unit force along axis k of A at the contact point.
    """
    R_wa = R_wm_at(W, a)
    omega_wa = omega_wm_at(W, a)
    omega_wb = omega_wm_at(W, b)
    alpha_wa = alpha_wm_at(W, a)
    n = column(R_wa, 2)
    u = column(R_wm_at(W, b), 2)
    n1 = cross(omega_wa, n)
    u1 = cross(omega_wb, u)
    c = dot(n, u)
    c1 = dot(n1, u) + dot(n, u1)
    s = math.sqrt(max(1.0 - c * c, 1e-30))
    s1 = -c * c1 / s
    e = scale(1.0 / s, sub(n, scale(c, u)))
    e1 = sub(sub(n1, add(scale(c1, u), scale(c, u1))), scale(s1, e))
    arm = scale(-radius, e)
    arm1 = scale(-radius / s, e1)
    f = column(R_wa, k)
    f1 = cross(omega_wa, f)
    d, dv, da = _distance_rates(W, a, b)
    g = sub(dv, cross(omega_wa, d))
    g1 = sub(da, add(cross(alpha_wa, d), cross(omega_wa, dv)))
    w = sub(omega_wb, omega_wa)
    w1 = sub(alpha_wm_at(W, b), alpha_wa)
    turn = cross(arm, f)
    first = dot(f, g) + dot(w, turn)
    second = dot(f1, g) + dot(f, g1) + dot(w1, turn) + dot(w, add(cross(arm1, f), cross(arm, f1)))
    value = dot(n, d) - radius * s if k == 2 else first
    return value, first, second, f, turn


@kernel
def _turn(W, a, b, axis, x):
    """A component of the rotation vector of B relative to A, axes of A."""
    R, _ = relative_motion_into(W, a, b, x)
    omega = load3(W, x)
    theta = rotation_vector(R)
    g, g1 = component_gradient(theta, vector_rate(theta, omega), axis)
    value = theta[0] if axis == 0 else theta[1] if axis == 1 else theta[2]
    second = dot(g, load3(W, x + 6)) + dot(g1, omega)
    return value, dot(g, omega), second, ZERO, rotate(R_wm_at(W, a), g)


@kernel
def row_into(I, F, W, row, k, a, b, accelerate):
    """Phi, its rates (into PHI_ALL, PHI_DOT_ALL, GAM_ALL) and the wrench of row k; marker states are at W[a], W[b]."""
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
    elif kind == L.ROW_TEETH:
        call(I[L.AT_TEETH], I, F, W, row)
        value, first, second = load3(W, I[L.X_VALUE])
        force, moment = load_pair(W, I[row + L.R_W])
    elif kind == L.ROW_TURN:
        value, first, second, force, moment = _turn(W, a, b, I[row + L.R_I], I[L.X_CHORD])
    elif kind == L.ROW_TREE:
        value = W[I[L.Q] + I[row + L.R_SUB]]
        first = W[I[L.V] + I[row + L.R_COORD]]
        if accelerate:
            second = W[I[L.A] + I[row + L.R_COORD]]
    else:
        block = I[chord_record(I, I[row + L.R_COORD]) + L.CH_W]
        i = I[row + L.R_SUB]
        value = W[block + L.C_Q + i]
        first = W[block + L.C_V + i]
        second = W[block + L.C_A + i]
        force, moment = load_pair(W, coordinate_wrench_at(block, i))
    if I[row + L.R_FUNCTION] > 0:
        call(I[L.AT_FUNCTION], I, F, W, I[row + L.R_FUNCTION])
        f, f_t, f_tt = load3(W, I[L.X_VALUE])
        value -= f
        first -= f_t
        second -= f_tt
    W[I[L.PHI_ALL] + k] = value
    W[I[L.PHI_DOT_ALL] + k] = first
    W[I[L.GAM_ALL] + k] = second
    store_pair(W, I[row + L.R_W], force, moment)


@kernel
def pull_back(I, W, number, force, moment, target):
    """Add the generalised force of a force and moment at a marker (world axes) to W[target..]."""
    marker = marker_record(I, number)
    ground = body_record(I, 0)
    body = body_of_marker(I, marker)
    R_wb = R_wb_at(W, block_of(I, body))
    f = rotate_back(R_wb, force)
    n = rotate_back(R_wb, moment)
    here = I[L.X_UP2]
    up = I[L.X_UP]
    state = state_block_of(I, marker)
    store_pair(W, here, f, add(cross(r_at(W, state), f), n))
    for k in range(n_modes_of(I, body)):
        W[here + 6 + k] = 0.0
        if is_flexible(I, marker):
            Psi, Om = load_pair(W, mode_columns_at(state) + 6 * k)
            W[here + 6 + k] = dot(Psi, f) + dot(Om, n)
    while body > ground:
        n_joint = n_joint_of(I, body)
        columns = columns_of(I, body)
        v = target + v_index_of(I, body)
        for j in range(n_joint + n_modes_of(I, body)):
            s = W[here + 6 + j - n_joint] if j >= n_joint else 0.0
            for k in range(6):
                s += W[columns + 6 * j + k] * W[here + k]
            W[v + j] += s
        if is_on_ground(I, body):
            break
        parent = parent_record(I, body)
        n_parent = n_modes_of(I, parent)
        to_parent_into(I, W, body, n_parent, here, up)
        for k in range(6 + n_parent):
            W[here + k] = W[up + k]
        body = parent


@kernel
def _clear_path(I, W, number, target):
    """Set the entries of W[target..] that belong to the body of a marker and to its ancestors to zero."""
    body = body_of_marker(I, marker_record(I, number))
    while body > body_record(I, 0):
        v = target + v_index_of(I, body)
        for j in range(n_joint_of(I, body) + n_modes_of(I, body)):
            W[v + j] = 0.0
        body = parent_record(I, body)


@kernel
def keep_row(I, W, k, full):
    """Sparse storage: copy the entries of row k of G from the full row at W[full..]."""
    target = I[L.G_ALL]
    for entry in range(I[I[L.G_STARTS] + k], I[I[L.G_STARTS] + k + 1]):
        W[target + entry] = W[full + I[I[L.G_COLUMNS] + entry]]


@program
def rows(I, F, W, purpose):
    """All rows, for one purpose. Needs `kinematics` (and `chords` where rows use them).

    JACOBIAN: with the Jacobian G. JACOBIAN_AGAIN: the same, after rows at the same motion, so that the markers have
    their state. MULTIPLIERS: the multipliers' wrenches are added to the bodies and efforts; the accelerations of the
    kinematics include A. VALUES: neither. Rows that are only watched are evaluated for JACOBIAN, and have none; a
    multiplier they have in output rows only.
    """
    n = I[L.N_V]
    wants_forces = purpose == MULTIPLIERS
    wants_jacobian = purpose == JACOBIAN or purpose == JACOBIAN_AGAIN
    is_sparse = I[L.SPARSE] == 1
    a = 0
    b = 0
    last_a = -1
    last_b = -1
    for k in range(I[L.N_ALL_ROWS]):
        row = row_record(I, k)
        is_watched = I[row + L.R_WATCHED] == 1
        if is_watched and (purpose == JACOBIAN_AGAIN or (wants_forces and W[I[L.LAM_ALL] + k] == 0.0)):
            continue
        if I[row + L.R_KIND] == L.ROW_COUPLING:
            call(I[L.AT_COUPLING], I, F, W, 4 * k + purpose)
            continue
        marker_a = I[row + L.R_A]
        marker_b = I[row + L.R_B]
        on_tree = I[row + L.R_KIND] == L.ROW_TREE
        if not on_tree and (marker_a != last_a or marker_b != last_b):
            if purpose == JACOBIAN_AGAIN:
                a = state_of_marker(I, marker_a)
                b = state_of_marker(I, marker_b)
            else:
                a = state_of(I, F, W, marker_a, wants_forces)
                b = state_of(I, F, W, marker_b, wants_forces)
            last_a = marker_a
            last_b = marker_b
        row_into(I, F, W, row, k, a, b, wants_forces)
        if k >= I[L.N_ALL_POS_ROWS]:
            W[I[L.PHI_ALL] + k] = W[I[L.PHI_DOT_ALL] + k]
        if (is_watched and not wants_forces) or purpose == VALUES:
            continue
        target = I[L.G_ALL] + k * n
        if wants_jacobian:
            if is_sparse:
                target = I[L.X_ROW]
                if not on_tree:
                    _clear_path(I, W, marker_a, target)
                    _clear_path(I, W, marker_b, target)
            else:
                for j in range(n):
                    W[target + j] = 0.0
        if on_tree:
            if wants_jacobian:
                W[target + I[row + L.R_COORD]] = 1.0
                if is_sparse:
                    keep_row(I, W, k, target)
            if wants_forces:
                W[I[L.EFFORT] + I[row + L.R_COORD]] -= W[I[L.LAM_ALL] + k]
            continue
        force, moment = load_pair(W, I[row + L.R_W])
        d = sub(p_wm_at(W, b), p_wm_at(W, a))
        back = scale(-1.0, add(moment, cross(d, force)))
        against = scale(-1.0, force)
        if wants_jacobian:
            pull_back(I, W, marker_b, force, moment, target)
            pull_back(I, W, marker_a, against, back, target)
            if is_sparse:
                keep_row(I, W, k, target)
        if wants_forces:
            # The constraint force on the system is -G^T lam; apply_wrench takes applied forces.
            s = -W[I[L.LAM_ALL] + k]
            apply_wrench(I, W, marker_b, scale(s, force), scale(s, moment))
            apply_wrench(I, W, marker_a, scale(s, against), scale(s, back))


@kernel
def row_times(I, W, k, X, x):
    """Row k of G times the numbers at X[x..]."""
    total = 0.0
    if I[L.SPARSE] == 1:
        for entry in range(I[I[L.G_STARTS] + k], I[I[L.G_STARTS] + k + 1]):
            total += W[I[L.G] + entry] * X[x + I[I[L.G_COLUMNS] + entry]]
        return total
    n = I[L.N_V]
    for j in range(n):
        total += W[I[L.G] + k * n + j] * X[x + j]
    return total
