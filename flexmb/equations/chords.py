"""Coordinates of joints that are chords: measured from the poses and velocities of their two markers.

For a chord with motion subspace S (first-marker frame), the relative motion V of the second marker gives the rates
v = Hp V with Hp = (S^T S)^-1 S^T, and an effort u on a coordinate acts as the wrench Hp^T u on the second marker and
its opposite on the first (theory 10): the same springs, drives and actuators work on branches and chords.
"""

from __future__ import annotations

import math

from flexmb.equations.arms import find_nodes
from flexmb.equations.cholesky import cholesky, cholesky_solve
from flexmb.equations.kinematics import root_into
from flexmb.equations.markers import state_of
from flexmb.joints.dispatch import SCREW, counts_turns, measure_into
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_wm_at,
    S_v_at,
    S_w_at,
    a_wm_at,
    alpha_wm_at,
    block_of,
    body_record,
    chord_record,
    coordinate_wrench_at,
    omega_wm_at,
    p_wm_at,
    set_accelerate,
    state_of_marker,
    store_accelerations,
    store_pose,
    store_twist,
    v_wm_at,
    wants_accelerations,
)
from flexmb.machine_code.jit import call, kernel, program
from flexmb.vectors import (
    ZERO,
    add,
    cross,
    load3,
    multiply,
    quaternion_matrix,
    rotate,
    rotate_back,
    scale,
    store_pair,
    sub,
    transpose,
)

TWO_PI = 2.0 * math.pi


@kernel
def leave_turning(code, W, joint):
    """Keep of a screw's subspace its turning only: its rate is that of its angle, an effort on it a torque."""
    if code == SCREW:
        W[joint + L.J_SV + 2] = 0.0


@kernel
def gram_into(W, joint, n, gram):
    """Cholesky factor of S^T S, S the motion subspace of n columns in the joint motion at W[joint]."""
    S_w = joint + L.J_SW
    S_v = joint + L.J_SV
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(3):
                s += W[S_w + 3 * i + k] * W[S_w + 3 * j + k]
                s += W[S_v + 3 * i + k] * W[S_v + 3 * j + k]
            W[gram + i * n + j] = s
    cholesky(W, gram, n)


@kernel
def relative_motion_into(W, a, b, out):
    """Pose, velocity and acceleration of marker b relative to marker a, in the frame of a.

    Written to W from `out`: omega_ab, v_ab, alpha_ab, a_ab (12 floats); returns R_ab, p_ab.
    """
    R_wa = R_wm_at(W, a)
    omega_wa = omega_wm_at(W, a)
    d = sub(p_wm_at(W, b), p_wm_at(W, a))
    dv = sub(v_wm_at(W, b), v_wm_at(W, a))
    da = sub(a_wm_at(W, b), a_wm_at(W, a))
    alpha_wa = alpha_wm_at(W, a)
    omega_ab = sub(omega_wm_at(W, b), omega_wa)
    v_ab = sub(dv, cross(omega_wa, d))
    # As seen in the turning frame of a: second derivative of the relative position and of the relative rotation.
    alpha_ab = sub(sub(alpha_wm_at(W, b), alpha_wa), cross(omega_wa, omega_ab))
    carried = add(scale(2.0, cross(omega_wa, v_ab)), cross(omega_wa, cross(omega_wa, d)))
    a_ab = sub(sub(da, cross(alpha_wa, d)), carried)
    store_pair(W, out, rotate_back(R_wa, omega_ab), rotate_back(R_wa, v_ab))
    store_pair(W, out + 6, rotate_back(R_wa, alpha_ab), rotate_back(R_wa, a_ab))
    return multiply(transpose(R_wa), R_wm_at(W, b)), rotate_back(R_wa, d)


@program
def pair(I, F, W, key):
    """Coordinates, rates and accelerations of a joint (joint key at I[key]) from the states of its two markers.

    Leaves the motion subspace (of a screw: its turning) at X_JOINT and the Cholesky factor of S^T S behind the
    relative motion at X_CHORD.
    """
    x = I[L.X_CHORD]
    joint = I[L.X_JOINT]
    gram = x + 12
    code = I[key + L.K_CODE]
    n = I[key + L.K_N]
    q = I[key + L.K_Q]
    v = I[key + L.K_V]
    memory = I[key + L.K_MEMORY]
    a = state_of_marker(I, I[key + L.K_FIRST])
    b = state_of_marker(I, I[key + L.K_SECOND])
    R_ab, p_ab = relative_motion_into(W, a, b, x)
    measure_into(code, F, I[key + L.K_F], W, R_ab, p_ab, q)
    if memory >= 0:
        # The turn that is nearest to the remembered angle, carried on with its rate.
        passed = W[I[L.T]] - W[memory + 2 * n]
        for k in range(n):
            if counts_turns(code, k):
                near = W[memory + k] + W[memory + n + k] * passed
                W[q + k] += TWO_PI * round((near - W[q + k]) / TWO_PI)
    # The subspace does not depend on the rates; the bias does, and follows in a second pass.
    for k in range(n):
        W[v + k] = 0.0
    call(I[L.AT_JOINT], I, F, W, key)
    leave_turning(code, W, joint)
    gram_into(W, joint, n, gram)
    _project(W, joint, n, x, gram, v)
    call(I[L.AT_JOINT], I, F, W, key)
    leave_turning(code, W, joint)
    for k in range(3):
        W[x + 6 + k] -= W[joint + L.J_BIAS_W + k]
        W[x + 9 + k] -= W[joint + L.J_BIAS_V + k]
    _project(W, joint, n, x + 6, gram, I[key + L.K_A])


@program
def chord(I, F, W, number):
    """Coordinates, rates, accelerations and coordinate wrenches of a chord; with the mode A if X_ACCELERATE."""
    accelerate = wants_accelerations(I, W)
    key = chord_record(I, number)
    a = state_of(I, F, W, I[key + L.K_FIRST], accelerate)
    state_of(I, F, W, I[key + L.K_SECOND], accelerate)
    block = I[key + L.CH_W]
    n = I[key + L.K_N]
    call(I[L.AT_PAIR], I, F, W, key)
    # Wrench of coordinate k: S (S^T S)^-1 e_k, turned to world axes; force first.
    R_wa = R_wm_at(W, a)
    joint = I[L.X_JOINT]
    gram = I[L.X_CHORD] + 12
    unit = gram + n * n
    for k in range(n):
        for i in range(n):
            W[unit + i] = 1.0 if i == k else 0.0
        cholesky_solve(W, gram, n, unit)
        force = ZERO
        moment = ZERO
        for i in range(n):
            force = add(force, scale(W[unit + i], S_v_at(W, joint, i)))
            moment = add(moment, scale(W[unit + i], S_w_at(W, joint, i)))
        store_pair(W, coordinate_wrench_at(block, k), rotate(R_wa, force), rotate(R_wa, moment))


@kernel
def _project(W, joint, n, motion, gram, out):
    """W[out..] = (S^T S)^-1 S^T (omega, v) of the motion at W[motion]."""
    S_w = joint + L.J_SW
    S_v = joint + L.J_SV
    for i in range(n):
        s = 0.0
        for k in range(3):
            s += W[S_w + 3 * i + k] * W[motion + k]
            s += W[S_v + 3 * i + k] * W[motion + 3 + k]
        W[out + i] = s
    cholesky_solve(W, gram, n, out)


@program
def chords(I, F, W, all_of_them):
    """Measure the chords: 0 those that rows, loads or early sensors need, 1 all, with the accelerations A."""
    for k in range(I[L.N_CHORDS]):
        if all_of_them == 1 or I[chord_record(I, k) + L.CH_NEEDED]:
            set_accelerate(I, W, all_of_them)
            call(I[L.AT_CHORD], I, F, W, k)


@program
def accept(I, F, W, arg):
    """Remember time, angles and rates of the accepted state T, Q, V, so that turns are counted, and by LAM the flanks
    of teeth in contact."""
    if I[L.N_TEETH] > 0:
        call(I[L.AT_FLANKS], I, F, W, 0)
    moved = False
    for k in range(I[L.N_CHORDS]):
        key = chord_record(I, k)
        memory = I[key + L.K_MEMORY]
        if memory < 0:
            continue
        if not moved:
            call(I[L.AT_KINEMATICS], I, F, W, 0)
            moved = True
        set_accelerate(I, W, False)
        call(I[L.AT_CHORD], I, F, W, k)
        n = I[key + L.K_N]
        for i in range(n):
            W[memory + i] = W[I[key + L.K_Q] + i]
            W[memory + n + i] = W[I[key + L.K_V] + i]
        W[memory + 2 * n] = W[I[L.T]]


@program
def branches(I, F, W, arg):
    """Q and V of every tree joint from poses and velocities in the output blocks of the bodies, T and elastic Q, V."""
    root_into(I, F, W)
    for b in range(1, I[L.N_BODIES] + 1):
        body = body_record(I, b)
        block = block_of(I, body)
        out = I[body + L.B_OUT]
        p = out + L.BO_QUATERNION
        R_wb = quaternion_matrix(W[p], W[p + 1], W[p + 2], W[p + 3])
        store_pose(W, block, R_wb, load3(W, out + L.BO_POSITION))
        v_wb_b = rotate_back(R_wb, load3(W, out + L.BO_VELOCITY))
        store_twist(W, block, v_wb_b, load3(W, out + L.BO_OMEGA))
        store_accelerations(W, block, ZERO, ZERO)
        find_nodes(I, F, W, body)
    for b in range(1, I[L.N_BODIES] + 1):
        key = body_record(I, b)
        if I[key + L.K_N] > 0:
            state_of(I, F, W, I[key + L.K_FIRST], False)
            state_of(I, F, W, I[key + L.K_SECOND], False)
            call(I[L.AT_PAIR], I, F, W, key)
