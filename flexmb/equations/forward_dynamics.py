"""O(n) forward dynamics of an open tree by the articulated-body method (theory 7): A from T, Q, V.

Needs `kinematics` with zero coordinate accelerations, `body_forces` and the loads: the bias accelerations are then
contained in the body wrenches, so no separate velocity terms appear.
"""

from __future__ import annotations

from flexmb.equations.cholesky import cholesky, cholesky_solve
from flexmb.equations.inverse_dynamics import to_parent_into
from flexmb.equations.mass_matrix import add_to_parent, inertia_times_columns_into, seed_into
from flexmb.jit import kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_pb_at,
    a_of,
    bias_of,
    block_of,
    body_record,
    columns_of,
    composite_of,
    is_on_ground,
    n_joint_of,
    n_modes_of,
    p_pb_at,
    parent_columns_of,
    parent_record,
    v_index_of,
    wrench_of,
)
from flexmb.vectors import ZERO, add, cross, load_pair, rotate_back, store_pair


@kernel
def _inward(I, W, body, parent, x):
    """Articulated inertia and bias of a body; hand both to the parent."""
    n_joint = n_joint_of(I, body)
    size = 6 + n_modes_of(I, body)
    n_own = size - 6 + n_joint
    columns = columns_of(I, body)
    U = I[body + L.B_U]
    D = I[body + L.B_D]
    composite = composite_of(I, body)
    wrench = wrench_of(I, body)
    effort = I[L.EFFORT] + v_index_of(I, body)
    acc = a_of(I, body)
    inertia_times_columns_into(I, W, body)
    for i in range(n_own):
        for j in range(i + 1):
            s = W[U + j * size + 6 + i - n_joint] if i >= n_joint else 0.0
            for k in range(6):
                s += W[columns + 6 * i + k] * W[U + j * size + k]
            W[D + i * n_own + j] = s
    cholesky(W, D, n_own)
    for j in range(n_own):
        s = W[effort + j] - (W[wrench + 6 + j - n_joint] if j >= n_joint else 0.0)
        for k in range(6):
            s -= W[columns + 6 * j + k] * W[wrench + k]
        W[acc + j] = s
        W[x + j] = s
    if is_on_ground(I, body):
        return
    cholesky_solve(W, D, n_own, x)
    half = x + n_own  # rows of L^-1 U^T
    bias = half + 6 * n_own
    for i in range(6):
        s = W[wrench + i]
        for j in range(n_own):
            s += W[U + j * size + i] * W[x + j]
            t = W[U + j * size + i]
            for k in range(j):
                t -= W[D + j * n_own + k] * W[half + i * n_own + k]
            W[half + i * n_own + j] = t / W[D + j * n_own + j]
        W[bias + i] = s
    for i in range(6):
        for j in range(i + 1):
            s = W[composite + i * size + j]
            for k in range(n_own):
                s -= W[half + i * n_own + k] * W[half + j * n_own + k]
            W[composite + i * size + j] = s
            W[composite + j * size + i] = s
    add_to_parent(I, W, body, parent)
    up = I[L.X_UP]
    n_parent = n_modes_of(I, parent)
    to_parent_into(I, W, body, n_parent, bias, up)
    target = wrench_of(I, parent)
    for k in range(6 + n_parent):
        W[target + k] += W[up + k]


@kernel
def _outward(I, W, body, parent, x):
    """Accelerations from the root to the leaves; the correction y' = (a, alpha, q'') of a body is in its bias block."""
    n_joint = n_joint_of(I, body)
    n_modes = n_modes_of(I, body)
    n_own = n_joint + n_modes
    size = 6 + n_modes
    y = bias_of(I, body)
    U = I[body + L.B_U]
    columns = columns_of(I, body)
    acc = a_of(I, body)
    if is_on_ground(I, body):
        store_pair(W, y, ZERO, ZERO)
    else:
        y_p = bias_of(I, parent)
        block = block_of(I, body)
        R_pb = R_pb_at(W, block)
        a_p, alpha_p = load_pair(W, y_p)
        a = rotate_back(R_pb, add(a_p, cross(alpha_p, p_pb_at(W, block))))
        store_pair(W, y, a, rotate_back(R_pb, alpha_p))
        parent_columns = parent_columns_of(I, body)
        for k in range(n_modes_of(I, parent)):
            for i in range(6):
                W[y + i] += W[parent_columns + 6 * k + i] * W[y_p + 6 + k]
    for j in range(n_own):
        s = W[acc + j]
        for i in range(6):
            s -= W[U + j * size + i] * W[y + i]
        W[x + j] = s
    cholesky_solve(W, I[body + L.B_D], n_own, x)
    for j in range(n_own):
        W[acc + j] = W[x + j]
        for i in range(6):
            W[y + i] += W[columns + 6 * j + i] * W[x + j]
    for k in range(n_modes):
        W[y + 6 + k] = W[x + n_joint + k]


@program
def articulated_bodies(I, F, W, arg):
    """Coordinate accelerations A of an open tree."""
    n_bodies = I[L.N_BODIES]
    x = I[L.X_ARTICULATED]
    for b in range(1, n_bodies + 1):
        seed_into(I, F, W, body_record(I, b))
    for b in range(n_bodies, 0, -1):
        body = body_record(I, b)
        _inward(I, W, body, parent_record(I, body), x)
    for b in range(1, n_bodies + 1):
        body = body_record(I, b)
        _outward(I, W, body, parent_record(I, body), x)
