"""Leaves-to-root pass of the recursive Newton-Euler method (theory 7): body wrenches -> generalised forces.

`to_parent_into` is the transpose of the velocity transformation from a parent to its child (A^T in theory 6).
"""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_pb_at,
    block_of,
    body_record,
    columns_of,
    n_joint_of,
    n_modes_of,
    p_pb_at,
    parent_columns_of,
    parent_record,
    v_index_of,
    wrench_of,
)
from flexmb.machine_code.jit import kernel, program
from flexmb.vectors import add, add_to_pair, cross, load_pair, rotate, store_pair


@kernel
def to_parent_into(I, W, body, n_parent, wrench, out):
    """W[out..] = A^T W[wrench..wrench+6]: the wrench on a child as a wrench on its parent (and on its modes)."""
    block = block_of(I, body)
    R_pb = R_pb_at(W, block)
    f_b, n_b = load_pair(W, wrench)
    force = rotate(R_pb, f_b)
    moment = add(rotate(R_pb, n_b), cross(p_pb_at(W, block), force))
    columns = parent_columns_of(I, body)
    for k in range(n_parent):
        s = 0.0
        for i in range(6):
            s += W[columns + 6 * k + i] * W[wrench + i]
        W[out + 6 + k] = s
    store_pair(W, out, force, moment)


@program
def backward(I, F, W, out):
    """Generalised forces H^T f of the body wrenches, less the applied joint efforts, to W from `out`.

    The wrenches are accumulated on the way: afterwards the wrench of body b is what its tree joint transmits to it,
    and that of ground what the ground receives.
    """
    up = I[L.X_UP]
    effort = I[L.EFFORT]
    for b in range(I[L.N_BODIES], 0, -1):
        body = body_record(I, b)
        n_joint = n_joint_of(I, body)
        n_modes = n_modes_of(I, body)
        v = v_index_of(I, body)
        columns = columns_of(I, body)
        block = block_of(I, body)
        wrench = wrench_of(I, body)
        f, n = load_pair(W, wrench)
        for j in range(n_joint + n_modes):  # tau = H^T f, and the forces on the own modes
            c = columns + 6 * j
            s = W[c] * f[0] + W[c + 1] * f[1] + W[c + 2] * f[2] + W[c + 3] * n[0] + W[c + 4] * n[1] + W[c + 5] * n[2]
            if j >= n_joint:
                s += W[wrench + 6 + j - n_joint]
            W[out + v + j] = s - W[effort + v + j]
        parent = parent_record(I, body)
        n_parent = n_modes_of(I, parent)
        parent_wrench = wrench_of(I, parent)
        if n_parent == 0:  # f_p += A^T f
            R_pb = R_pb_at(W, block)
            force = rotate(R_pb, f)
            add_to_pair(W, parent_wrench, force, add(rotate(R_pb, n), cross(p_pb_at(W, block), force)))
        else:
            to_parent_into(I, W, body, n_parent, wrench, up)
            for k in range(6 + n_parent):
                W[parent_wrench + k] += W[up + k]
