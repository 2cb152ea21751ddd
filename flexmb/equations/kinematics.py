"""Motion of all bodies of the tree, root to leaves (theory 6).

Reads T, Q, V and, when arg = 1, A (else the accelerations are those with all coordinate accelerations zero). Fills for
every body: pose in its parent and in the world, velocity, angular velocity, inertial acceleration (less gravity) and
angular acceleration in body components, and the columns H of its velocity with respect to its own coordinates.
Markers: `marker_state_into` gives position, orientation, velocities and accelerations in world components.
"""

from __future__ import annotations

from flexmb.equations import layout as L
from flexmb.equations.arms import arm
from flexmb.equations.functions import evaluate
from flexmb.jit import kernel, program
from flexmb.joints.dispatch import REVOLUTE, motion_into, reverse_into
from flexmb.vectors import (
    IDENTITY,
    ZERO,
    add,
    cross,
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
    t = W[I[L.T]]
    block = I[I[L.BODIES] + L.B_W]
    gravity = load3(F, I[L.GRAVITY])
    base = ZERO
    if I[L.BASE_ACCELERATION] > 0:
        s = I[L.BASE_ACCELERATION]
        base = (evaluate(I, F, W, I[s], t)[0], evaluate(I, F, W, I[s + 1], t)[0], evaluate(I, F, W, I[s + 2], t)[0])
    store3(W, I[L.BASE], base)
    R = IDENTITY
    omega = ZERO
    alpha = ZERO
    if I[L.BASE_ANGLE] > 0:
        axis = load3(F, I[L.BASE_AXIS])
        angle, rate, second = evaluate(I, F, W, I[L.BASE_ANGLE], t)
        R = rotation_about(axis, angle)
        omega = scale(rate, axis)
        alpha = scale(second, axis)
    store9(W, block + L.W_R_W, R)
    store3(W, block + L.W_P_W, ZERO)
    store3(W, block + L.W_OMEGA, omega)
    store3(W, block + L.W_VEL, ZERO)
    store3(W, block + L.W_ACC, rotate_back(R, sub(base, gravity)))
    store3(W, block + L.W_ALPHA, alpha)


@kernel
def revolute_into(I, F, W, e, up, block, accelerate):
    """A revolute joint between rigid arms: the case that most mechanisms consist of, without the detours."""
    q = W[I[L.Q] + I[e + L.B_Q]]
    rate = W[I[L.V] + I[e + L.B_V]]
    accel = W[I[L.A] + I[e + L.B_V]] if accelerate else 0.0
    pm = I[e + L.B_PARENT_MARKER]
    cm = I[e + L.B_CHILD_MARKER]
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


@kernel
def body_into(I, F, W, e, ep, up, block, accelerate):
    """Any joint, any arms (theory 6); e and ep are the records of body and parent."""
    n_joint = I[e + L.B_NJ]
    n_modes = I[e + L.B_NF]
    n_parent = I[ep + L.B_NF]
    vo = I[L.V] + I[e + L.B_V]
    ao = I[L.A] + I[e + L.B_V]
    joint = I[L.X_JOINT]
    motion_into(I[e + L.B_CODE], F, I[e + L.B_JOINT_F], W, I[L.Q] + I[e + L.B_Q], vo, joint)
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
    fq = I[L.Q] + I[ep + L.B_ELASTIC_Q]
    fv = I[L.V] + I[ep + L.B_V] + I[ep + L.B_NJ]
    fa = I[L.A] + I[ep + L.B_V] + I[ep + L.B_NJ]
    rP, RP, rP_dot, wP_rel, bias_r, bias_w = arm(
        F, W, I[e + L.B_PARENT_MARKER], I[e + L.B_PARENT_FLEX], fq, fv, n_parent, arm_up
    )
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
    own = I[L.X_ARM]
    cq = I[L.Q] + I[e + L.B_ELASTIC_Q]
    rC, RC, rC_dot, wC_rel, cbias_r, cbias_w = arm(
        F, W, I[e + L.B_CHILD_MARKER], I[e + L.B_CHILD_FLEX], cq, vo + n_joint, n_modes, own
    )
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
        store3(W, columns + 6 * (n_joint + k), sub(cross(turn, rC), load3(W, own + 6 * k)))
        store3(W, columns + 6 * (n_joint + k) + 3, scale(-1.0, turn))


@program
def kinematics(I, F, W, arg):
    """Motion of every body; arg = 1 uses the coordinate accelerations A, arg = 0 takes them as zero."""
    root_into(I, F, W)
    first = I[L.BODIES]
    for b in range(1, I[L.N_BODIES] + 1):
        e = first + b * L.BODY
        ep = first + I[e + L.B_PARENT] * L.BODY
        plain = I[e + L.B_CODE] == REVOLUTE and I[e + L.B_REVERSED] == 0 and I[e + L.B_NF] == 0 and I[ep + L.B_NF] == 0
        if plain:
            revolute_into(I, F, W, e, I[ep + L.B_W], I[e + L.B_W], arg)
        else:
            body_into(I, F, W, e, ep, I[ep + L.B_W], I[e + L.B_W], arg)


@kernel
def marker_state_into(I, F, W, marker, columns, out, accelerate):
    """State of a marker in world components (layout MARKER_STATE); its mode columns (body components) to `columns`.

    Accelerations are inertial ones less gravity, consistent with the last run of `kinematics`.
    """
    m = I[L.MARKERS] + marker * L.MARKER
    e = I[L.BODIES] + I[m + L.MK_BODY] * L.BODY
    block = I[e + L.B_W]
    n_modes = I[e + L.B_NF]
    fv = I[L.V] + I[e + L.B_V] + I[e + L.B_NJ]
    r, R, r_dot, w_rel, bias_r, bias_w = arm(
        F, W, I[m + L.MK_F], I[m + L.MK_FLEX], I[L.Q] + I[e + L.B_ELASTIC_Q], fv, n_modes, columns
    )
    Rw = load9(W, block + L.W_R_W)
    w = load3(W, block + L.W_OMEGA)
    al = load3(W, block + L.W_ALPHA)
    v = add(add(load3(W, block + L.W_VEL), cross(w, r)), r_dot)
    a = add(add(load3(W, block + L.W_ACC), cross(al, r)), bias_r)
    a = add(a, cross(w, add(cross(w, r), scale(2.0, r_dot))))
    al = add(add(al, cross(w, w_rel)), bias_w)
    if accelerate:
        fa = I[L.A] + I[e + L.B_V] + I[e + L.B_NJ]
        for k in range(n_modes):
            a = add(a, scale(W[fa + k], load3(W, columns + 6 * k)))
            al = add(al, scale(W[fa + k], load3(W, columns + 6 * k + 3)))
    store3(W, out + L.S_P, add(load3(W, block + L.W_P_W), rotate(Rw, r)))
    store9(W, out + L.S_R, multiply(Rw, R))
    store3(W, out + L.S_V, rotate(Rw, v))
    store3(W, out + L.S_W, rotate(Rw, add(w, w_rel)))
    store3(W, out + L.S_A, rotate(Rw, a))
    store3(W, out + L.S_AL, rotate(Rw, al))
    store3(W, out + L.S_BODY, r)


@kernel
def apply_wrench(I, W, marker, r, columns, force, moment):
    """Subtract a force and moment (world components) that act at a marker from the body wrench to be balanced.

    r is the marker's position in body components, `columns` its mode columns: f_t -= F, f_r -= r x F + N and
    f_k -= Psi_k . F + Omega_k . N.
    """
    m = I[L.MARKERS] + marker * L.MARKER
    e = I[L.BODIES] + I[m + L.MK_BODY] * L.BODY
    block = I[e + L.B_W]
    Rw = load9(W, block + L.W_R_W)
    f = rotate_back(Rw, force)
    n = rotate_back(Rw, moment)
    wrench = block + L.W_F
    store3(W, wrench, sub(load3(W, wrench), f))
    store3(W, wrench + 3, sub(load3(W, wrench + 3), add(cross(r, f), n)))
    for k in range(I[e + L.B_NF]):
        psi = load3(W, columns + 6 * k)
        turn = load3(W, columns + 6 * k + 3)
        W[wrench + 6 + k] -= psi[0] * f[0] + psi[1] * f[1] + psi[2] * f[2]
        W[wrench + 6 + k] -= turn[0] * n[0] + turn[1] * n[1] + turn[2] * n[2]
