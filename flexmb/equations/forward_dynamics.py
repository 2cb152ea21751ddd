"""O(n) forward dynamics of an open tree by the articulated-body method (theory 7): A from T, Q, V.

Needs `kinematics` with zero coordinate accelerations, `body_forces` and the loads: the bias accelerations are then
contained in the body wrenches, so no separate velocity terms appear.
"""

from __future__ import annotations

from flexmb.equations.cholesky import cholesky, cholesky_solve
from flexmb.equations.inverse_dynamics import to_parent_into
from flexmb.equations.mass_matrix import add_to_parent, inertia_times_columns_into, seed_into
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
from flexmb.machine_code.jit import kernel, program
from flexmb.vectors import (
    ZERO,
    add,
    add_to3,
    add_to_pair,
    cross,
    dot,
    load_pair,
    multiply,
    rotate,
    rotate_back,
    scale,
    store_pair,
    transpose,
)


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


@kernel
def _is_simple(I, body, parent):
    """Whether a body has one coordinate and neither it nor its parent is flexible: most bodies of most mechanisms."""
    return n_joint_of(I, body) == 1 and n_modes_of(I, body) == 0 and n_modes_of(I, parent) == 0


@kernel
def _block(W, o):
    """3 x 3 block at W[o] of a 6 x 6 matrix."""
    return (W[o], W[o + 1], W[o + 2], W[o + 6], W[o + 7], W[o + 8], W[o + 12], W[o + 13], W[o + 14])


@kernel
def _add_block(W, o, X):
    """Add X to the 3 x 3 block at W[o] of a 6 x 6 matrix."""
    add_to3(W, o, (X[0], X[1], X[2]))
    add_to3(W, o + 6, (X[3], X[4], X[5]))
    add_to3(W, o + 12, (X[6], X[7], X[8]))


@kernel
def _less_product(X, u, v):
    """X - u v^T."""
    return (
        X[0] - u[0] * v[0],
        X[1] - u[0] * v[1],
        X[2] - u[0] * v[2],
        X[3] - u[1] * v[0],
        X[4] - u[1] * v[1],
        X[5] - u[1] * v[2],
        X[6] - u[2] * v[0],
        X[7] - u[2] * v[1],
        X[8] - u[2] * v[2],
    )


@kernel
def _turned(R, X):
    """R X R^T."""
    return multiply(multiply(R, X), transpose(R))


@kernel
def _times_cross(A, r):
    """A ~r."""
    x, y, z = r
    return (
        A[1] * z - A[2] * y,
        A[2] * x - A[0] * z,
        A[0] * y - A[1] * x,
        A[4] * z - A[5] * y,
        A[5] * x - A[3] * z,
        A[3] * y - A[4] * x,
        A[7] * z - A[8] * y,
        A[8] * x - A[6] * z,
        A[6] * y - A[7] * x,
    )


@kernel
def _sum(A, B, s):
    """A + s B."""
    return (
        A[0] + s * B[0],
        A[1] + s * B[1],
        A[2] + s * B[2],
        A[3] + s * B[3],
        A[4] + s * B[4],
        A[5] + s * B[5],
        A[6] + s * B[6],
        A[7] + s * B[7],
        A[8] + s * B[8],
    )


@kernel
def _inward_simple(I, W, body, parent):
    """The same as `_inward` for one coordinate, in registers: the inertia as its blocks A, B, D of [A, B; B^T, D]."""
    o = composite_of(I, body)
    s_v, s_w = load_pair(W, columns_of(I, body))
    f, n = load_pair(W, wrench_of(I, body))
    A, B, D = _block(W, o), _block(W, o + 3), _block(W, o + 21)
    U_v = add(rotate(A, s_v), rotate(B, s_w))
    U_w = add(rotate_back(B, s_v), rotate(D, s_w))
    d = dot(s_v, U_v) + dot(s_w, U_w)
    u = W[I[L.EFFORT] + v_index_of(I, body)] - dot(s_v, f) - dot(s_w, n)
    store_pair(W, I[body + L.B_U], U_v, U_w)
    W[I[body + L.B_D]] = d
    W[a_of(I, body)] = u
    if is_on_ground(I, body):
        return
    inverse = 1.0 / d
    part_v, part_w = scale(inverse, U_v), scale(inverse, U_w)
    block = block_of(I, body)
    R = R_pb_at(W, block)
    r = p_pb_at(W, block)
    # v_child = R^T (v + w x r): A' = A, B' = B - A ~r, D' = D + ~r B' - B^T ~r, in parent axes.
    A = _turned(R, _less_product(A, part_v, U_v))
    B = _turned(R, _less_product(B, part_v, U_w))
    D = _turned(R, _less_product(D, part_w, U_w))
    B2 = _sum(B, _times_cross(A, r), -1.0)
    D = _sum(_sum(D, transpose(_times_cross(transpose(B2), r)), -1.0), _times_cross(transpose(B), r), -1.0)
    target = composite_of(I, parent)
    _add_block(W, target, A)
    _add_block(W, target + 3, B2)
    _add_block(W, target + 18, transpose(B2))
    _add_block(W, target + 21, D)
    force = rotate(R, add(f, scale(u, part_v)))
    moment = add(rotate(R, add(n, scale(u, part_w))), cross(r, force))
    add_to_pair(W, wrench_of(I, parent), force, moment)


@kernel
def _outward_simple(I, W, body, parent):
    """The same as `_outward` for one coordinate."""
    a, alpha = ZERO, ZERO
    if not is_on_ground(I, body):
        block = block_of(I, body)
        R_pb = R_pb_at(W, block)
        a_p, alpha_p = load_pair(W, bias_of(I, parent))
        a = rotate_back(R_pb, add(a_p, cross(alpha_p, p_pb_at(W, block))))
        alpha = rotate_back(R_pb, alpha_p)
    U_v, U_w = load_pair(W, I[body + L.B_U])
    s_v, s_w = load_pair(W, columns_of(I, body))
    acceleration = (W[a_of(I, body)] - dot(U_v, a) - dot(U_w, alpha)) / W[I[body + L.B_D]]
    W[a_of(I, body)] = acceleration
    store_pair(W, bias_of(I, body), add(a, scale(acceleration, s_v)), add(alpha, scale(acceleration, s_w)))


@program
def articulated_bodies(I, F, W, arg):
    """Coordinate accelerations A of an open tree."""
    n_bodies = I[L.N_BODIES]
    x = I[L.X_ARTICULATED]
    for b in range(1, n_bodies + 1):
        seed_into(I, F, W, body_record(I, b))
    for b in range(n_bodies, 0, -1):
        body = body_record(I, b)
        parent = parent_record(I, body)
        if _is_simple(I, body, parent):
            _inward_simple(I, W, body, parent)
        else:
            _inward(I, W, body, parent, x)
    for b in range(1, n_bodies + 1):
        body = body_record(I, b)
        parent = parent_record(I, body)
        if _is_simple(I, body, parent):
            _outward_simple(I, W, body, parent)
        else:
            _outward(I, W, body, parent, x)
