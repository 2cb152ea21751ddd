"""Joint reactions (theory 10): force and moment on the second body at its joint marker, in axes of the first marker.

A chord's reaction is that of its multipliers. A branch transmits the accumulated wrench of its child; what acts along
its free motions (drives, springs, actuators) is taken out, so that both give the same numbers.
"""

from __future__ import annotations

from flexmb.equations.cholesky import cholesky_solve
from flexmb.equations.chords import gram_into, leave_turning
from flexmb.equations.markers import state_of
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_wb_at,
    R_wm_at,
    S_v_at,
    S_w_at,
    block_of,
    body_record,
    joint_record,
    p_wb_at,
    p_wm_at,
    row_record,
    wrench_of,
)
from flexmb.machine_code.jit import call, kernel, program
from flexmb.vectors import ZERO, add, cross, dot, load_pair, rotate, rotate_back, scale, store_pair, sub


@kernel
def branch_wrench(I, F, W, joint, p_w):
    """Force and moment (world axes) that a tree joint transmits to its second body, reduced to the place p_w."""
    body = body_record(I, I[joint + L.JO_BODY])
    block = block_of(I, body)
    R_wb = R_wb_at(W, block)
    f_b, n_b = load_pair(W, wrench_of(I, body))
    force = rotate(R_wb, f_b)
    moment = rotate(R_wb, n_b)
    p_wb = p_wb_at(W, block)
    if I[joint + L.JO_REVERSED]:
        force = scale(-1.0, force)
        moment = scale(-1.0, moment)
    return force, add(moment, cross(sub(p_wb, p_w), force))


@kernel
def _remove_free_part(I, F, W, joint, force, moment):
    """(1 - S (S^T S)^-1 S^T) applied to a wrench in axes of the first marker; a screw's effort is a pure torque."""
    n = I[joint + L.JO_NV]
    key = body_record(I, I[joint + L.JO_BODY])
    x = I[L.X_JOINT]
    call(I[L.AT_JOINT], I, F, W, key)
    gram = I[L.X_CHORD]
    effort = gram + n * n
    for i in range(n):
        W[effort + i] = dot(S_w_at(W, x, i), moment) + dot(S_v_at(W, x, i), force)
    leave_turning(I[key + L.K_CODE], W, x)
    gram_into(W, x, n, gram)
    cholesky_solve(W, gram, n, effort)
    for i in range(n):
        force = sub(force, scale(W[effort + i], S_v_at(W, x, i)))
        moment = sub(moment, scale(W[effort + i], S_w_at(W, x, i)))
    return force, moment


@program
def reactions(I, F, W, arg):
    """Reactions of all joints. Needs the full residual at T, Q, V, A, LAM (wrenches accumulated, row wrenches set)."""
    for k in range(I[L.N_JOINTS]):
        joint = joint_record(I, k)
        a = state_of(I, F, W, I[joint + L.JO_A], False)
        b = state_of(I, F, W, I[joint + L.JO_B], False)
        R_wa = R_wm_at(W, a)
        if I[joint + L.JO_BODY] > 0:
            force, moment = branch_wrench(I, F, W, joint, p_wm_at(W, b))
            force, moment = _remove_free_part(I, F, W, joint, rotate_back(R_wa, force), rotate_back(R_wa, moment))
        else:
            force = ZERO
            moment = ZERO
            for i in range(I[joint + L.JO_ROWS]):
                row = I[I[joint + L.JO_ROW_LIST] + i]
                f, n = load_pair(W, I[row_record(I, row) + L.R_W])
                s = -W[I[L.LAM_ALL] + row]
                force = add(force, scale(s, f))
                moment = add(moment, scale(s, n))
            force = rotate_back(R_wa, force)
            moment = rotate_back(R_wa, moment)
        store_pair(W, I[joint + L.JO_W], force, moment)
