"""Motion of all bodies of the tree, root to leaves (theory 6).

Reads T, Q, V and, when asked to accelerate, A (else all coordinate accelerations are taken as zero). Fills for every
body: pose in its parent and in the world, velocity, angular velocity, inertial acceleration (less gravity) and angular
acceleration in body components, and the columns H of its velocity with respect to its own coordinates.

Frames: p parent body, b body (c in the theory), P and C the markers of the tree joint on p and b. The theory writes
R_P, r_P for R_pP, p_pP; R_J, t_J for R_PC, p_PC; w_p, al_p for the angular velocity and acceleration of p; Psi and Om
for the columns of a marker, and q' for elastic rates too.
"""

from __future__ import annotations

from flexmb.equations.arms import arm, copy_columns, find_nodes
from flexmb.joints.dispatch import REVOLUTE, motion_into, reverse_into
from flexmb.joints.motion import clear
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_bm_at,
    R_wb_at,
    S_v_at,
    S_w_at,
    a_of,
    a_wb_b_at,
    alpha_wb_b_at,
    block_of,
    body_record,
    columns_of,
    eta_ddot_of,
    marker_record,
    n_joint_of,
    n_modes_of,
    omega_wb_b_at,
    p_bm_at,
    p_wb_at,
    parent_columns_of,
    parent_record,
    q_of,
    store_accelerations,
    store_pose,
    store_pose_in_parent,
    store_twist,
    v_of,
    v_wb_b_at,
)
from flexmb.machine_code.jit import call, kernel, program
from flexmb.vectors import (
    IDENTITY,
    ZERO,
    add,
    cross,
    load3,
    load9,
    load_pair,
    multiply,
    rotate,
    rotate_back,
    rotation_about,
    rotation_z,
    scale,
    store3,
    store_pair,
    sub,
    transpose,
)


@kernel
def root_into(I, F, W):
    """Ground: at rest, or moved by the prescribed base motion; gravity enters as the acceleration -g."""
    block = block_of(I, body_record(I, 0))
    gravity = load3(F, I[L.GRAVITY])
    value = I[L.X_VALUE]
    store3(W, I[L.BASE], ZERO)
    if I[L.BASE_ACCELERATION] > 0:
        for k in range(3):
            call(I[L.AT_FUNCTION], I, F, W, I[I[L.BASE_ACCELERATION] + k])
            W[I[L.BASE] + k] = W[value]
    a_base = load3(W, I[L.BASE])
    R_wb = IDENTITY
    omega_wb_b = ZERO
    alpha_wb_b = ZERO
    if I[L.BASE_ANGLE] > 0:
        axis = load3(F, I[L.BASE_AXIS])
        call(I[L.AT_FUNCTION], I, F, W, I[L.BASE_ANGLE])
        R_wb = rotation_about(axis, W[value])
        omega_wb_b = scale(W[value + 1], axis)
        alpha_wb_b = scale(W[value + 2], axis)
    store_pose(W, block, R_wb, ZERO)
    store_twist(W, block, ZERO, omega_wb_b)
    store_accelerations(W, block, rotate_back(R_wb, sub(a_base, gravity)), alpha_wb_b)


@kernel
def revolute_into(I, F, W, body, up, block, accelerate):
    """A revolute joint between rigid arms: the case that most mechanisms consist of, without the detours."""
    q = W[q_of(I, body)]
    q_dot = W[v_of(I, body)]
    q_ddot = W[a_of(I, body)] if accelerate else 0.0
    P = I[marker_record(I, I[body + L.B_PARENT_MARKER]) + L.MK_F]
    C = I[marker_record(I, I[body + L.B_CHILD_MARKER]) + L.MK_F]
    R_pP = R_bm_at(F, P)
    p_pP = p_bm_at(F, P)
    R_pb = multiply(multiply(R_pP, rotation_z(q)), transpose(R_bm_at(F, C)))
    p_bC = p_bm_at(F, C)
    p_pb = sub(p_pP, rotate(R_pb, p_bC))
    axis = (F[C + L.MF_R + 2], F[C + L.MF_R + 5], F[C + L.MF_R + 8])  # of the joint, body axes: z of the child marker
    omega_wp_p = omega_wb_b_at(W, up)
    alpha_wp_p = alpha_wb_b_at(W, up)
    omega_wp_b = rotate_back(R_pb, omega_wp_p)
    omega_wb_b = add(omega_wp_b, scale(q_dot, axis))
    alpha_joint = add(cross(omega_wp_b, scale(q_dot, axis)), scale(q_ddot, axis))
    alpha_wb_b = add(rotate_back(R_pb, alpha_wp_p), alpha_joint)
    v_P = add(v_wb_b_at(W, up), cross(omega_wp_p, p_pP))
    a_P = add(a_wb_b_at(W, up), add(cross(alpha_wp_p, p_pP), cross(omega_wp_p, cross(omega_wp_p, p_pP))))
    v_wb_b = sub(rotate_back(R_pb, v_P), cross(omega_wb_b, p_bC))
    a_arm = add(cross(alpha_wb_b, p_bC), cross(omega_wb_b, cross(omega_wb_b, p_bC)))
    a_wb_b = sub(rotate_back(R_pb, a_P), a_arm)
    store_pose_in_parent(W, block, R_pb, p_pb)
    store_twist(W, block, v_wb_b, omega_wb_b)
    store_accelerations(W, block, a_wb_b, alpha_wb_b)
    store_pair(W, columns_of(I, body), cross(p_bC, axis), axis)
    R_wp = R_wb_at(W, up)
    store_pose(W, block, multiply(R_wp, R_pb), add(p_wb_at(W, up), rotate(R_wp, p_pb)))


@program
def joint_motion(I, F, W, key):
    """Pose, motion subspace and bias of the joint that is read as the joint key at I[key] says, to X_JOINT."""
    clear(W, I[L.X_JOINT], I[key + L.K_N])
    motion_into(I[key + L.K_CODE], F, I[key + L.K_F], W, I[key + L.K_Q], I[key + L.K_V], I[L.X_JOINT])


@kernel
def body_into(I, F, W, body, parent, up, block, accelerate):
    """Any joint, any arms (theory 6); `body` and `parent` are records, `block` and `up` their blocks in W.

    In one piece, in the order of the theory: as kernels that hand the frames to each other it was 7 % slower.
    """
    n_joint = n_joint_of(I, body)
    n_modes = n_modes_of(I, body)
    n_parent = n_modes_of(I, parent)
    joint = I[L.X_JOINT]
    find_nodes(I, F, W, body)
    v_at = v_of(I, body)
    a_at = a_of(I, body)
    call(I[L.AT_JOINT], I, F, W, body)
    if I[body + L.B_REVERSED]:
        reverse_into(W, v_at, n_joint, joint)
    R_PC = load9(W, joint + L.J_R)
    p_PC = load3(W, joint + L.J_T)
    # Joint, axes of P: S_w q'_J, S_v q'_J, and S_w q''_J, S_v q''_J with the bias b_J.
    omega_J = ZERO
    v_J = ZERO
    alpha_J = load3(W, joint + L.J_BIAS_W)
    a_J = load3(W, joint + L.J_BIAS_V)
    for k in range(n_joint):
        S_w = S_w_at(W, joint, k)
        S_v = S_v_at(W, joint, k)
        omega_J = add(omega_J, scale(W[v_at + k], S_w))
        v_J = add(v_J, scale(W[v_at + k], S_v))
        if accelerate:
            alpha_J = add(alpha_J, scale(W[a_at + k], S_w))
            a_J = add(a_J, scale(W[a_at + k], S_v))
    # Parent marker P, parent components: w_P = w_p + w_rel, v_P = v_p + w_p x r_P + Psi q'_p.
    columns_P = parent_columns_of(I, body)
    eta_ddot_p = eta_ddot_of(I, parent)
    p_pP, R_pP, r_dot_P, omega_pP, gamma_r_P, gamma_w_P = arm(I, F, W, I[body + L.B_PARENT_MARKER])
    copy_columns(I, W, I[body + L.B_PARENT_MARKER], n_parent, columns_P)
    omega_p = omega_wb_b_at(W, up)
    alpha_p = alpha_wb_b_at(W, up)
    d = rotate(R_pP, p_PC)
    omega_P = add(omega_p, omega_pP)
    v_P = add(add(v_wb_b_at(W, up), cross(omega_p, p_pP)), r_dot_P)
    # a_P = a_p + al_p x r_P + w_p x (w_p x r_P + 2 Psi q'_p) + Psi q''_p + gam_r
    # al_P = al_p + Om q''_p + w_p x w_rel + gam_w
    a_P = add(add(a_wb_b_at(W, up), cross(alpha_p, p_pP)), gamma_r_P)
    a_P = add(a_P, cross(omega_p, add(cross(omega_p, p_pP), scale(2.0, r_dot_P))))
    alpha_P = add(add(alpha_p, cross(omega_p, omega_pP)), gamma_w_P)
    if accelerate:
        for k in range(n_parent):
            Psi, Om = load_pair(W, columns_P + 6 * k)
            a_P = add(a_P, scale(W[eta_ddot_p + k], Psi))
            alpha_P = add(alpha_P, scale(W[eta_ddot_p + k], Om))
    # Child marker C, parent components: v_m = v_P + w_P x d + R_P S_v q'_J, and so on.
    omega_PC = rotate(R_pP, omega_J)
    v_PC = rotate(R_pP, v_J)
    v_C = add(add(v_P, cross(omega_P, d)), v_PC)
    alpha_C = add(add(alpha_P, cross(omega_P, omega_PC)), rotate(R_pP, alpha_J))
    a_C = add(add(a_P, cross(alpha_P, d)), rotate(R_pP, a_J))
    a_C = add(a_C, cross(omega_P, add(cross(omega_P, d), scale(2.0, v_PC))))
    # Body, body components: R_pb = R_P R_J R_C^T, r = r_P + d - R_pb r_C.
    columns_C = columns_of(I, body) + 6 * n_joint
    p_bC, R_bC, r_dot_C, omega_bC, gamma_r_C, gamma_w_C = arm(I, F, W, I[body + L.B_CHILD_MARKER])
    copy_columns(I, W, I[body + L.B_CHILD_MARKER], n_modes, columns_C)
    R_pb = multiply(multiply(R_pP, R_PC), transpose(R_bC))
    p_bC_p = rotate(R_pb, p_bC)
    p_Pb_p = sub(d, p_bC_p)
    # w_c = R_pb^T (w_P + R_P S_w q'_J) - Om q'_c, v_c = R_pb^T v_m - w_c x r_C - Psi q'_c
    omega = sub(rotate_back(R_pb, add(omega_P, omega_PC)), omega_bC)
    v = sub(sub(rotate_back(R_pb, v_C), cross(omega, p_bC)), r_dot_C)
    # al_c = R_pb^T al_m - Om q''_c - w_c x (Om q'_c) - gam_w
    # a_c = R_pb^T a_m - al_c x r_C - w_c x (w_c x r_C + 2 Psi q'_c) - Psi q''_c - gam_r
    alpha = sub(sub(rotate_back(R_pb, alpha_C), cross(omega, omega_bC)), gamma_w_C)
    a_own = gamma_r_C
    if accelerate:
        for k in range(n_modes):
            Psi, Om = load_pair(W, columns_C + 6 * k)
            alpha = sub(alpha, scale(W[a_at + n_joint + k], Om))
            a_own = add(a_own, scale(W[a_at + n_joint + k], Psi))
    a = sub(sub(rotate_back(R_pb, a_C), cross(alpha, p_bC)), a_own)
    a = sub(a, cross(omega, add(cross(omega, p_bC), scale(2.0, r_dot_C))))
    p_pb = add(p_pP, p_Pb_p)
    store_pose_in_parent(W, block, R_pb, p_pb)
    store_twist(W, block, v, omega)
    store_accelerations(W, block, a, alpha)
    R_wp = R_wb_at(W, up)
    store_pose(W, block, multiply(R_wp, R_pb), add(p_wb_at(W, up), rotate(R_wp, p_pb)))
    # Columns (v, omega) of the body's velocity: elastic ones of A by the parent's modes, then H by its own rates.
    for k in range(n_parent):  # R_pb^T (Psi_k + Om_k x (r - r_P)), R_pb^T Om_k
        place = columns_P + 6 * k
        Psi, Om = load_pair(W, place)
        store_pair(W, place, rotate_back(R_pb, add(Psi, cross(Om, p_Pb_p))), rotate_back(R_pb, Om))
    columns_H = columns_of(I, body)
    for k in range(n_joint):  # R_pb^T (R_P S_v - (R_P S_w) x (R_pb r_C)), R_pb^T R_P S_w
        S_w = rotate(R_pP, S_w_at(W, joint, k))
        S_v = rotate(R_pP, S_v_at(W, joint, k))
        store_pair(W, columns_H + 6 * k, rotate_back(R_pb, add(S_v, cross(p_bC_p, S_w))), rotate_back(R_pb, S_w))
    for k in range(n_modes):  # Om_C,k x r_C - Psi_C,k, -Om_C,k
        place = columns_C + 6 * k
        Psi, Om = load_pair(W, place)
        store_pair(W, place, sub(cross(Om, p_bC), Psi), scale(-1.0, Om))


@program
def kinematics(I, F, W, accelerate):
    """Motion of every body; accelerate = 1 uses the coordinate accelerations A, 0 takes them as zero."""
    root_into(I, F, W)
    for b in range(1, I[L.N_BODIES] + 1):
        body = body_record(I, b)
        parent = parent_record(I, body)
        rigid = n_modes_of(I, body) == 0 and n_modes_of(I, parent) == 0
        if I[body + L.K_CODE] == REVOLUTE and I[body + L.B_REVERSED] == 0 and rigid:
            revolute_into(I, F, W, body, block_of(I, parent), block_of(I, body), accelerate)
        else:
            body_into(I, F, W, body, parent, block_of(I, parent), block_of(I, body), accelerate)
