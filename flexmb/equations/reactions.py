"""Joint reactions (theory 10): force and moment on the second body at its joint marker, in axes of the first marker.

A chord's reaction is that of its multipliers. A branch transmits the accumulated wrench of its child; what acts along
its free motions (drives, springs, actuators) is taken out, so that both roads give the same numbers.
"""

from __future__ import annotations

from flexmb.equations.cholesky import cholesky_solve
from flexmb.equations.chords import gram_into, leave_turning
from flexmb.equations.kinematics import state_of
from flexmb.jit import call, kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import ZERO, add, cross, dot, load3, load9, rotate, rotate_back, scale, store3, sub


@kernel
def branch_wrench(I, F, W, joint, second):
    """Force and moment (world axes) that a tree joint transmits to its second body, at the second marker's place."""
    e = I[L.BODIES] + I[joint + L.JO_BODY] * L.BODY
    block = I[e + L.B_W]
    Rw = load9(W, block + L.W_R_W)
    force = rotate(Rw, load3(W, block + L.W_F))
    moment = rotate(Rw, load3(W, block + L.W_F + 3))
    origin = load3(W, block + L.W_P_W)
    if I[joint + L.JO_REVERSED]:
        force = scale(-1.0, force)
        moment = scale(-1.0, moment)
    return force, add(moment, cross(sub(origin, second), force))


@kernel
def _remove_free_part(I, F, W, joint, force, moment):
    """(1 - S (S^T S)^-1 S^T) applied to a wrench in axes of the first marker; a screw's effort is a pure torque."""
    n = I[joint + L.JO_NV]
    e = I[L.BODIES] + I[joint + L.JO_BODY] * L.BODY
    x = I[L.X_JOINT]
    call(I[L.AT_JOINT], I, F, W, e)
    gram = I[L.X_CHORD]
    effort = gram + n * n
    for i in range(n):
        W[effort + i] = dot(load3(W, x + L.J_SW + 3 * i), moment) + dot(load3(W, x + L.J_SV + 3 * i), force)
    leave_turning(I[e + L.K_CODE], W, x)
    gram_into(W, x, n, gram)
    cholesky_solve(W, gram, n, effort)
    for i in range(n):
        force = sub(force, scale(W[effort + i], load3(W, x + L.J_SV + 3 * i)))
        moment = sub(moment, scale(W[effort + i], load3(W, x + L.J_SW + 3 * i)))
    return force, moment


@program
def reactions(I, F, W, arg):
    """Reactions of all joints. Needs the full residual at T, Q, V, A, LAM (wrenches accumulated, row wrenches set)."""
    for k in range(I[L.N_JOINTS]):
        joint = I[L.JOINTS] + k * L.JOINT
        a = state_of(I, F, W, 2 * I[joint + L.JO_A])
        b = state_of(I, F, W, 2 * I[joint + L.JO_B])
        Ra = load9(W, a + L.S_R)
        if I[joint + L.JO_BODY] > 0:
            force, moment = branch_wrench(I, F, W, joint, load3(W, b + L.S_P))
            force, moment = _remove_free_part(I, F, W, joint, rotate_back(Ra, force), rotate_back(Ra, moment))
        else:
            force = ZERO
            moment = ZERO
            for i in range(I[joint + L.JO_ROWS]):
                row = I[I[joint + L.JO_ROW_LIST] + i]
                o = I[I[L.ROWS] + row * L.ROW + L.R_W]
                s = -W[I[L.LAM] + row]
                force = add(force, scale(s, load3(W, o)))
                moment = add(moment, scale(s, load3(W, o + 3)))
            force = rotate_back(Ra, force)
            moment = rotate_back(Ra, moment)
        store3(W, I[joint + L.JO_W], force)
        store3(W, I[joint + L.JO_W] + 3, moment)
