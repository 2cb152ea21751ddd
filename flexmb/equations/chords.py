"""Coordinates of joints that are chords: measured from the poses and velocities of their two markers.

For a chord with motion subspace S (first-marker frame), the relative motion V of the second marker gives the rates
v = Hp V with Hp = (S^T S)^-1 S^T, and an effort u on a coordinate acts as the wrench Hp^T u on the second marker and
its opposite on the first (theory 10): the same springs, drives and actuators work on branches and chords.
"""

from __future__ import annotations

import math

from flexmb.equations.cholesky import cholesky, cholesky_solve
from flexmb.equations.kinematics import find_nodes, root_into, state_of
from flexmb.jit import call, kernel, program
from flexmb.joints.dispatch import SCREW, counts_turns, measure_into
from flexmb.layout import flat_arrays as L
from flexmb.vectors import (
    add,
    cross,
    load3,
    load9,
    multiply,
    quaternion_matrix,
    rotate,
    rotate_back,
    scale,
    store3,
    store9,
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
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(3):
                s += W[joint + L.J_SW + 3 * i + k] * W[joint + L.J_SW + 3 * j + k]
                s += W[joint + L.J_SV + 3 * i + k] * W[joint + L.J_SV + 3 * j + k]
            W[gram + i * n + j] = s
    cholesky(W, gram, n)


@kernel
def relative_motion_into(W, a, b, out):
    """Pose (R, t), velocity (w, v) and acceleration (al, a) of marker b relative to marker a, in the frame of a.

    Written to W from `out`: w, v, al, a (12 floats); returns R, t.
    """
    Ra = load9(W, a + L.S_R)
    wa = load3(W, a + L.S_W)
    d = sub(load3(W, b + L.S_P), load3(W, a + L.S_P))
    dv = sub(load3(W, b + L.S_V), load3(W, a + L.S_V))
    da = sub(load3(W, b + L.S_A), load3(W, a + L.S_A))
    ala = load3(W, a + L.S_AL)
    w = sub(load3(W, b + L.S_W), wa)
    v = sub(dv, cross(wa, d))
    # As seen in the turning frame of a: second derivative of the relative position and of the relative rotation.
    al = sub(sub(load3(W, b + L.S_AL), ala), cross(wa, w))
    acc = sub(sub(da, cross(ala, d)), add(scale(2.0, cross(wa, v)), cross(wa, cross(wa, d))))
    store3(W, out, rotate_back(Ra, w))
    store3(W, out + 3, rotate_back(Ra, v))
    store3(W, out + 6, rotate_back(Ra, al))
    store3(W, out + 9, rotate_back(Ra, acc))
    return multiply(transpose(Ra), load9(W, b + L.S_R)), rotate_back(Ra, d)


@program
def pair(I, F, W, arg):
    """Coordinates, rates and accelerations of a joint (read as I[arg..] says) from the states of its two markers.

    Leaves the motion subspace (of a screw: its turning) at X_JOINT and the Cholesky factor of S^T S behind the
    relative motion at X_CHORD.
    """
    x = I[L.X_CHORD]
    joint = I[L.X_JOINT]
    gram = x + 12
    code = I[arg + L.K_CODE]
    n = I[arg + L.K_N]
    q = I[arg + L.K_Q]
    v = I[arg + L.K_V]
    memory = I[arg + L.K_MEMORY]
    a = I[I[L.MARKERS] + I[arg + L.K_FIRST] * L.MARKER + L.MK_W]
    b = I[I[L.MARKERS] + I[arg + L.K_SECOND] * L.MARKER + L.MK_W]
    R, t = relative_motion_into(W, a, b, x)
    measure_into(code, F, I[arg + L.K_F], W, R, t, q)
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
    call(I[L.AT_JOINT], I, F, W, arg)
    leave_turning(code, W, joint)
    gram_into(W, joint, n, gram)
    _project(W, joint, n, x, gram, v)
    call(I[L.AT_JOINT], I, F, W, arg)
    leave_turning(code, W, joint)
    for k in range(3):
        W[x + 6 + k] -= W[joint + L.J_BIAS_W + k]
        W[x + 9 + k] -= W[joint + L.J_BIAS_V + k]
    _project(W, joint, n, x + 6, gram, I[arg + L.K_A])


@program
def chord(I, F, W, arg):
    """Coordinates, rates, accelerations and coordinate wrenches of chord arg // 2; arg odd: with accelerations A."""
    c = I[L.CHORDS] + (arg >> 1) * L.CHORD
    a = state_of(I, F, W, 2 * I[c + L.K_FIRST] + (arg & 1))
    state_of(I, F, W, 2 * I[c + L.K_SECOND] + (arg & 1))
    block = I[c + L.CH_W]
    n = I[c + L.K_N]
    call(I[L.AT_PAIR], I, F, W, c)
    # Wrench of coordinate k: S (S^T S)^-1 e_k, turned to world axes; force first.
    Ra = load9(W, a + L.S_R)
    joint = I[L.X_JOINT]
    gram = I[L.X_CHORD] + 12
    unit = gram + n * n
    for k in range(n):
        for i in range(n):
            W[unit + i] = 1.0 if i == k else 0.0
        cholesky_solve(W, gram, n, unit)
        force = (0.0, 0.0, 0.0)
        moment = (0.0, 0.0, 0.0)
        for i in range(n):
            force = add(force, scale(W[unit + i], load3(W, joint + L.J_SV + 3 * i)))
            moment = add(moment, scale(W[unit + i], load3(W, joint + L.J_SW + 3 * i)))
        store3(W, block + L.C_WRENCH + 6 * k, rotate(Ra, force))
        store3(W, block + L.C_WRENCH + 6 * k + 3, rotate(Ra, moment))


@kernel
def _project(W, joint, n, motion, gram, out):
    """W[out..] = (S^T S)^-1 S^T (w, v) of the motion at W[motion]."""
    for i in range(n):
        s = 0.0
        for k in range(3):
            s += W[joint + L.J_SW + 3 * i + k] * W[motion + k]
            s += W[joint + L.J_SV + 3 * i + k] * W[motion + 3 + k]
        W[out + i] = s
    cholesky_solve(W, gram, n, out)


@program
def chords(I, F, W, arg):
    """Measure the chords: arg = 0 those that rows, loads or early sensors need, arg = 1 all, with accelerations A."""
    for k in range(I[L.N_CHORDS]):
        if arg == 1 or I[I[L.CHORDS] + k * L.CHORD + L.CH_NEEDED]:
            call(I[L.AT_CHORD], I, F, W, 2 * k + arg)


@program
def accept(I, F, W, arg):
    """Remember time, angles and rates of the accepted state T, Q, V, so that turns are counted."""
    moved = False
    for k in range(I[L.N_CHORDS]):
        c = I[L.CHORDS] + k * L.CHORD
        if I[c + L.K_MEMORY] < 0:
            continue
        if not moved:
            call(I[L.AT_KINEMATICS], I, F, W, 0)
            moved = True
        call(I[L.AT_CHORD], I, F, W, 2 * k)
        n = I[c + L.K_N]
        for i in range(n):
            W[I[c + L.K_MEMORY] + i] = W[I[c + L.K_Q] + i]
            W[I[c + L.K_MEMORY] + n + i] = W[I[c + L.K_V] + i]
        W[I[c + L.K_MEMORY] + 2 * n] = W[I[L.T]]


@program
def branches(I, F, W, arg):
    """Q and V of every tree joint from poses and velocities in the output blocks of the bodies, T and elastic Q, V."""
    root_into(I, F, W)
    first = I[L.BODIES]
    for b in range(1, I[L.N_BODIES] + 1):
        e = first + b * L.BODY
        block = I[e + L.B_W]
        out = I[e + L.B_OUT]
        R = quaternion_matrix(W[out + 3], W[out + 4], W[out + 5], W[out + 6])
        store9(W, block + L.W_R_W, R)
        store3(W, block + L.W_P_W, load3(W, out))
        store3(W, block + L.W_VEL, rotate_back(R, load3(W, out + 7)))
        store3(W, block + L.W_OMEGA, load3(W, out + 10))
        store3(W, block + L.W_ACC, (0.0, 0.0, 0.0))
        store3(W, block + L.W_ALPHA, (0.0, 0.0, 0.0))
        find_nodes(I, F, W, e)
    for b in range(1, I[L.N_BODIES] + 1):
        e = first + b * L.BODY
        if I[e + L.K_N] > 0:
            state_of(I, F, W, 2 * I[e + L.K_FIRST])
            state_of(I, F, W, 2 * I[e + L.K_SECOND])
            call(I[L.AT_PAIR], I, F, W, e)
