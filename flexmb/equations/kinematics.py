"""Motion of all bodies of the tree, root to leaves (theory 6).

Reads T, Q, V and, when arg = 1, A (else the accelerations are those with all coordinate accelerations zero). Fills for
every body: pose in its parent and in the world, velocity, angular velocity, inertial acceleration (less gravity) and
angular acceleration in body components, and the columns H of its velocity with respect to its own coordinates.
Markers: `marker_state` gives position, orientation, velocities and accelerations in world components.
"""

from __future__ import annotations

from flexmb.jit import call, kernel, program
from flexmb.joints.dispatch import REVOLUTE, motion_into, reverse_into
from flexmb.joints.motion import clear
from flexmb.layout import flat_arrays as L
from flexmb.vectors import (
    IDENTITY,
    ZERO,
    add,
    add_to3,
    cross,
    dot,
    load3,
    load9,
    multiply,
    rotate,
    rotate_back,
    rotation_about,
    rotation_z,
    scale,
    store3,
    store9,
    sub,
    transpose,
)


@kernel
def root_into(I, F, W):
    """Ground: at rest, or moved by the prescribed base motion; gravity enters as the acceleration -g."""
    block = I[I[L.BODIES] + L.B_W]
    gravity = load3(F, I[L.GRAVITY])
    value = I[L.X_VALUE]
    store3(W, I[L.BASE], ZERO)
    if I[L.BASE_ACCELERATION] > 0:
        for k in range(3):
            call(I[L.AT_FUNCTION], I, F, W, I[I[L.BASE_ACCELERATION] + k])
            W[I[L.BASE] + k] = W[value]
    base = load3(W, I[L.BASE])
    R = IDENTITY
    omega = ZERO
    alpha = ZERO
    if I[L.BASE_ANGLE] > 0:
        axis = load3(F, I[L.BASE_AXIS])
        call(I[L.AT_FUNCTION], I, F, W, I[L.BASE_ANGLE])
        R = rotation_about(axis, W[value])
        omega = scale(W[value + 1], axis)
        alpha = scale(W[value + 2], axis)
    store9(W, block + L.W_R_W, R)
    store3(W, block + L.W_P_W, ZERO)
    store3(W, block + L.W_OMEGA, omega)
    store3(W, block + L.W_VEL, ZERO)
    store3(W, block + L.W_ACC, rotate_back(R, sub(base, gravity)))
    store3(W, block + L.W_ALPHA, alpha)


@kernel
def find_nodes(I, F, W, e):
    """Prepare the deformation field of body record e for its markers, where the field asks for it."""
    field = I[e + L.B_FIELD]
    if field > 0 and I[field + L.FD_NODES] > 0:
        call(I[I[field + L.FD_NODES]], I, F, W, e)


@kernel
def arm(I, F, W, marker):
    """Position, orientation, rates and biases of a marker relative to its body, in body components."""
    record = I[L.MARKERS] + marker * L.MARKER
    if I[record + L.MK_FLEX] == 0:
        place = I[record + L.MK_F]
        return load3(F, place), load9(F, place + 3), ZERO, ZERO, ZERO, ZERO
    call(I[I[record + L.MK_FLEX]], I, F, W, marker)
    out = I[record + L.MK_W]
    return (
        load3(W, out + L.S_BODY),
        load9(W, out + L.S_ARM_R),
        load3(W, out + L.S_ARM_V),
        load3(W, out + L.S_ARM_W),
        load3(W, out + L.S_ARM_BIAS_R),
        load3(W, out + L.S_ARM_BIAS_W),
    )


@kernel
def copy_columns(I, W, marker, n_modes, out):
    """Mode columns of a marker, zero for a rigid one."""
    record = I[L.MARKERS] + marker * L.MARKER
    flexible = I[record + L.MK_FLEX] > 0
    source = I[record + L.MK_W] + L.S_COLUMNS
    for k in range(6 * n_modes):
        W[out + k] = W[source + k] if flexible else 0.0


@kernel
def revolute_into(I, F, W, e, up, block, accelerate):
    """A revolute joint between rigid arms: the case that most mechanisms consist of, without the detours."""
    q = W[I[L.Q] + I[e + L.B_Q]]
    rate = W[I[L.V] + I[e + L.B_V]]
    accel = W[I[L.A] + I[e + L.B_V]] if accelerate else 0.0
    pm = I[I[L.MARKERS] + I[e + L.B_PARENT_MARKER] * L.MARKER + L.MK_F]
    cm = I[I[L.MARKERS] + I[e + L.B_CHILD_MARKER] * L.MARKER + L.MK_F]
    RP = load9(F, pm + 3)
    rP = load3(F, pm)
    R = multiply(multiply(RP, rotation_z(q)), transpose(load9(F, cm + 3)))
    rC = load3(F, cm)
    r = sub(rP, rotate(R, rC))
    s = (F[cm + 5], F[cm + 8], F[cm + 11])  # joint axis in body components: z axis of the child marker
    w0 = load3(W, up + L.W_OMEGA)
    al0 = load3(W, up + L.W_ALPHA)
    w_parent = rotate_back(R, w0)
    w = add(w_parent, scale(rate, s))
    al = add(rotate_back(R, al0), add(cross(w_parent, scale(rate, s)), scale(accel, s)))
    vP = add(load3(W, up + L.W_VEL), cross(w0, rP))
    aP = add(load3(W, up + L.W_ACC), add(cross(al0, rP), cross(w0, cross(w0, rP))))
    v = sub(rotate_back(R, vP), cross(w, rC))
    a = sub(rotate_back(R, aP), add(cross(al, rC), cross(w, cross(w, rC))))
    store9(W, block + L.W_R, R)
    store3(W, block + L.W_P, r)
    store3(W, block + L.W_OMEGA, w)
    store3(W, block + L.W_VEL, v)
    store3(W, block + L.W_ACC, a)
    store3(W, block + L.W_ALPHA, al)
    columns = I[e + L.B_H]
    store3(W, columns, cross(rC, s))
    store3(W, columns + 3, s)
    Rw = load9(W, up + L.W_R_W)
    store9(W, block + L.W_R_W, multiply(Rw, R))
    store3(W, block + L.W_P_W, add(load3(W, up + L.W_P_W), rotate(Rw, r)))


@program
def joint_motion(I, F, W, arg):
    """Pose, motion subspace and bias of the joint that is read as I[arg..] says, to X_JOINT."""
    clear(W, I[L.X_JOINT], I[arg + L.K_N])
    motion_into(I[arg + L.K_CODE], F, I[arg + L.K_F], W, I[arg + L.K_Q], I[arg + L.K_V], I[L.X_JOINT])


@kernel
def body_into(I, F, W, e, ep, up, block, accelerate):
    """Any joint, any arms (theory 6); e and ep are the records of body and parent."""
    n_joint = I[e + L.B_NJ]
    n_modes = I[e + L.B_NF]
    n_parent = I[ep + L.B_NF]
    find_nodes(I, F, W, e)
    vo = I[L.V] + I[e + L.B_V]
    ao = I[L.A] + I[e + L.B_V]
    joint = I[L.X_JOINT]
    call(I[L.AT_JOINT], I, F, W, e)
    if I[e + L.B_REVERSED]:
        reverse_into(W, vo, n_joint, joint)
    RJ = load9(W, joint + L.J_R)
    tJ = load3(W, joint + L.J_T)
    wj = ZERO
    vj = ZERO
    awj = load3(W, joint + L.J_BIAS_W)
    avj = load3(W, joint + L.J_BIAS_V)
    for k in range(n_joint):
        sw = load3(W, joint + L.J_SW + 3 * k)
        sv = load3(W, joint + L.J_SV + 3 * k)
        wj = add(wj, scale(W[vo + k], sw))
        vj = add(vj, scale(W[vo + k], sv))
        if accelerate:
            awj = add(awj, scale(W[ao + k], sw))
            avj = add(avj, scale(W[ao + k], sv))
    # Parent-side arm.
    arm_up = I[e + L.B_ARM]
    fa = I[L.A] + I[ep + L.B_V] + I[ep + L.B_NJ]
    rP, RP, rP_dot, wP_rel, bias_r, bias_w = arm(I, F, W, I[e + L.B_PARENT_MARKER])
    copy_columns(I, W, I[e + L.B_PARENT_MARKER], n_parent, arm_up)
    w0 = load3(W, up + L.W_OMEGA)
    al0 = load3(W, up + L.W_ALPHA)
    d = rotate(RP, tJ)
    wP = add(w0, wP_rel)
    vP = add(add(load3(W, up + L.W_VEL), cross(w0, rP)), rP_dot)
    aP = add(add(load3(W, up + L.W_ACC), cross(al0, rP)), bias_r)
    aP = add(aP, cross(w0, add(cross(w0, rP), scale(2.0, rP_dot))))
    alP = add(add(al0, cross(w0, wP_rel)), bias_w)
    if accelerate:
        for k in range(n_parent):
            aP = add(aP, scale(W[fa + k], load3(W, arm_up + 6 * k)))
            alP = add(alP, scale(W[fa + k], load3(W, arm_up + 6 * k + 3)))
    wjp = rotate(RP, wj)
    vjp = rotate(RP, vj)
    # Motion of the child marker, parent components.
    vm = add(add(vP, cross(wP, d)), vjp)
    alm = add(add(alP, cross(wP, wjp)), rotate(RP, awj))
    am = add(add(aP, cross(alP, d)), rotate(RP, avj))
    am = add(am, cross(wP, add(cross(wP, d), scale(2.0, vjp))))
    # Child-side arm.
    own = I[e + L.B_H] + 6 * n_joint
    rC, RC, rC_dot, wC_rel, cbias_r, cbias_w = arm(I, F, W, I[e + L.B_CHILD_MARKER])
    copy_columns(I, W, I[e + L.B_CHILD_MARKER], n_modes, own)
    R = multiply(multiply(RP, RJ), transpose(RC))
    rc = rotate(R, rC)
    off = sub(d, rc)
    r = add(rP, off)
    w = sub(rotate_back(R, add(wP, wjp)), wC_rel)
    v = sub(sub(rotate_back(R, vm), cross(w, rC)), rC_dot)
    al = sub(sub(rotate_back(R, alm), cross(w, wC_rel)), cbias_w)
    a_own = cbias_r
    if accelerate:
        for k in range(n_modes):
            al = sub(al, scale(W[ao + n_joint + k], load3(W, own + 6 * k + 3)))
            a_own = add(a_own, scale(W[ao + n_joint + k], load3(W, own + 6 * k)))
    a = sub(sub(rotate_back(R, am), cross(al, rC)), a_own)
    a = sub(a, cross(w, add(cross(w, rC), scale(2.0, rC_dot))))
    store9(W, block + L.W_R, R)
    store3(W, block + L.W_P, r)
    store3(W, block + L.W_OMEGA, w)
    store3(W, block + L.W_VEL, v)
    store3(W, block + L.W_ACC, a)
    store3(W, block + L.W_ALPHA, al)
    Rw = load9(W, up + L.W_R_W)
    store9(W, block + L.W_R_W, multiply(Rw, R))
    store3(W, block + L.W_P_W, add(load3(W, up + L.W_P_W), rotate(Rw, r)))
    # Columns: what a parent mode, a joint rate, an own mode does to this body's velocity (v, omega).
    for k in range(n_parent):
        turn = load3(W, arm_up + 6 * k + 3)
        psi = load3(W, arm_up + 6 * k)
        store3(W, arm_up + 6 * k, rotate_back(R, add(psi, cross(turn, off))))
        store3(W, arm_up + 6 * k + 3, rotate_back(R, turn))
    columns = I[e + L.B_H]
    for k in range(n_joint):
        sw = rotate(RP, load3(W, joint + L.J_SW + 3 * k))
        sv = rotate(RP, load3(W, joint + L.J_SV + 3 * k))
        store3(W, columns + 6 * k, rotate_back(R, add(sv, cross(rc, sw))))
        store3(W, columns + 6 * k + 3, rotate_back(R, sw))
    for k in range(n_modes):
        turn = load3(W, own + 6 * k + 3)
        store3(W, own + 6 * k, sub(cross(turn, rC), load3(W, own + 6 * k)))
        store3(W, own + 6 * k + 3, scale(-1.0, turn))


@program
def kinematics(I, F, W, arg):
    """Motion of every body; arg = 1 uses the coordinate accelerations A, arg = 0 takes them as zero."""
    root_into(I, F, W)
    first = I[L.BODIES]
    for b in range(1, I[L.N_BODIES] + 1):
        e = first + b * L.BODY
        ep = first + I[e + L.B_PARENT] * L.BODY
        plain = I[e + L.K_CODE] == REVOLUTE and I[e + L.B_REVERSED] == 0 and I[e + L.B_NF] == 0 and I[ep + L.B_NF] == 0
        if plain:
            revolute_into(I, F, W, e, I[ep + L.B_W], I[e + L.B_W], arg)
        else:
            body_into(I, F, W, e, ep, I[ep + L.B_W], I[e + L.B_W], arg)


@program
def marker_state(I, F, W, arg):
    """State of marker arg // 2 in world components, to its block in W; arg odd: with the mode accelerations A.

    Accelerations are inertial ones less gravity, consistent with the last run of `kinematics`.
    """
    m = I[L.MARKERS] + (arg >> 1) * L.MARKER
    e = I[L.BODIES] + I[m + L.MK_BODY] * L.BODY
    block = I[e + L.B_W]
    out = I[m + L.MK_W]
    r, R, r_dot, w_rel, bias_r, bias_w = arm(I, F, W, arg >> 1)
    Rw = load9(W, block + L.W_R_W)
    w = load3(W, block + L.W_OMEGA)
    al = load3(W, block + L.W_ALPHA)
    v = add(add(load3(W, block + L.W_VEL), cross(w, r)), r_dot)
    a = add(add(load3(W, block + L.W_ACC), cross(al, r)), bias_r)
    a = add(a, cross(w, add(cross(w, r), scale(2.0, r_dot))))
    al = add(add(al, cross(w, w_rel)), bias_w)
    if arg & 1 and I[m + L.MK_FLEX] > 0:
        fa = I[L.A] + I[e + L.B_V] + I[e + L.B_NJ]
        for k in range(I[e + L.B_NF]):
            a = add(a, scale(W[fa + k], load3(W, out + L.S_COLUMNS + 6 * k)))
            al = add(al, scale(W[fa + k], load3(W, out + L.S_COLUMNS + 6 * k + 3)))
    store3(W, out + L.S_P, add(load3(W, block + L.W_P_W), rotate(Rw, r)))
    store9(W, out + L.S_R, multiply(Rw, R))
    store3(W, out + L.S_V, rotate(Rw, v))
    store3(W, out + L.S_W, rotate(Rw, add(w, w_rel)))
    store3(W, out + L.S_A, rotate(Rw, a))
    store3(W, out + L.S_AL, rotate(Rw, al))
    store3(W, out + L.S_BODY, r)


@kernel
def state_of(I, F, W, marker):
    """Compute the state of marker // 2 (odd: with the mode accelerations A); its place in W."""
    call(I[L.AT_MARKER], I, F, W, marker)
    return I[I[L.MARKERS] + (marker >> 1) * L.MARKER + L.MK_W]


@kernel
def apply_wrench(I, W, marker, force, moment):
    """Subtract a force and moment (world components) that act at a marker from the body wrench to be balanced.

    f_t -= F, f_r -= r x F + N and f_k -= Psi_k . F + Omega_k . N. Needs the state of the marker.
    """
    m = I[L.MARKERS] + marker * L.MARKER
    e = I[L.BODIES] + I[m + L.MK_BODY] * L.BODY
    block = I[e + L.B_W]
    state = I[m + L.MK_W]
    Rw = load9(W, block + L.W_R_W)
    f = rotate_back(Rw, force)
    n = rotate_back(Rw, moment)
    wrench = block + L.W_F
    store3(W, wrench, sub(load3(W, wrench), f))
    store3(W, wrench + 3, sub(load3(W, wrench + 3), add(cross(load3(W, state + L.S_BODY), f), n)))
    n_modes = I[e + L.B_NF]
    if n_modes > 0:
        if I[m + L.MK_FLEX] > 0:
            for k in range(n_modes):
                column = state + L.S_COLUMNS + 6 * k
                W[wrench + 6 + k] -= dot(load3(W, column), f) + dot(load3(W, column + 3), n)
        applied = state + L.S_COLUMNS + 6 * n_modes
        add_to3(W, applied, f)
        add_to3(W, applied + 3, n)
