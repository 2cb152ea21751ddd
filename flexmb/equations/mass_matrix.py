"""Mass matrix by the composite-body method (theory 7): M into W. Needs `kinematics` and `body_forces`."""

from __future__ import annotations

from flexmb.equations.inverse_dynamics import to_parent_into
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_pb_at,
    block_of,
    body_record,
    columns_of,
    composite_of,
    field_of,
    inertia_of,
    is_on_ground,
    n_joint_of,
    n_modes_of,
    n_own_of,
    p_pb_at,
    parent_record,
    v_index_of,
)
from flexmb.machine_code.jit import call, kernel, program
from flexmb.vectors import load3, multiply, store9, transpose


@kernel
def seed_into(I, F, W, body):
    """Inertia of the body itself as a (6 + n) x (6 + n) matrix: [m, -~S; ~S, J] of a rigid one."""
    field = field_of(I, body)
    if field > 0:
        call(I[I[field + L.FD_MASS]], I, F, W, body)
        return
    n = 6
    o = composite_of(I, body)
    block = block_of(I, body)
    S = load3(W, block + L.W_S)
    mass = F[inertia_of(I, body) + L.F_MASS]
    for i in range(n * n):
        W[o + i] = 0.0
    for i in range(3):
        W[o + i * n + i] = mass
        for j in range(3):
            W[o + (3 + i) * n + 3 + j] = W[block + L.W_J + 3 * i + j]
    # Upper right block -~S, lower left ~S.
    W[o + 4] = S[2]
    W[o + 5] = -S[1]
    W[o + n + 3] = -S[2]
    W[o + n + 5] = S[0]
    W[o + 2 * n + 3] = S[1]
    W[o + 2 * n + 4] = -S[0]
    for i in range(3):
        for j in range(3):
            W[o + (3 + j) * n + i] = W[o + i * n + 3 + j]


@kernel
def _turned(R, W, o, stride):
    """R X R^T of the 3 x 3 block X at W[o]."""
    second = o + stride
    third = second + stride
    X = (W[o], W[o + 1], W[o + 2], W[second], W[second + 1], W[second + 2], W[third], W[third + 1], W[third + 2])
    return multiply(multiply(R, X), transpose(R))


@kernel
def _difference(A, B):
    return (
        A[0] - B[0],
        A[1] - B[1],
        A[2] - B[2],
        A[3] - B[3],
        A[4] - B[4],
        A[5] - B[5],
        A[6] - B[6],
        A[7] - B[7],
        A[8] - B[8],
    )


@kernel
def add_to_parent(I, W, body, parent):
    """Composite inertia of the parent += A^T X A, X the symmetric first 6 x 6 block of the child's."""
    o = composite_of(I, body)
    stride = 6 + n_modes_of(I, body)
    n_parent = n_modes_of(I, parent)
    n = 6 + n_parent
    target = composite_of(I, parent)
    rows = I[L.X_LARGE]
    if n_parent == 0:
        block = block_of(I, body)
        R_pb = R_pb_at(W, block)
        x, y, z = p_pb_at(W, block)
        # v_child = R^T (v + w x r): with the blocks A, B, D of X turned to parent axes,
        # A' = A, B' = B - A ~r, D' = D + ~r B' - B^T ~r.
        skew = (0.0, -z, y, z, 0.0, -x, -y, x, 0.0)
        A = _turned(R_pb, W, o, stride)
        store9(W, rows, A)
        B = _turned(R_pb, W, o + 3, stride)
        B2 = _difference(B, multiply(A, skew))
        store9(W, rows + 9, B2)
        D = _turned(R_pb, W, o + 3 * stride + 3, stride)
        D2 = _difference(D, _difference(multiply(transpose(B), skew), multiply(skew, B2)))
        store9(W, rows + 18, D2)
        for i in range(3):
            for j in range(3):
                W[target + i * 6 + j] += W[rows + 3 * i + j]
                W[target + i * 6 + 3 + j] += W[rows + 9 + 3 * i + j]
                W[target + (3 + j) * 6 + i] += W[rows + 9 + 3 * i + j]
                W[target + (3 + i) * 6 + 3 + j] += W[rows + 18 + 3 * i + j]
        return
    column = I[L.X_UP2]
    up = I[L.X_UP]
    for j in range(6):
        to_parent_into(I, W, body, n_parent, o + j * stride, rows + j * n)
    for j in range(n):
        for i in range(6):
            W[column + i] = W[rows + i * n + j]
        to_parent_into(I, W, body, n_parent, column, up)
        for i in range(n):
            W[target + i * n + j] += W[up + i]


@kernel
def inertia_times_columns_into(I, W, body):
    """U = (composite inertia) (columns of the body's own coordinates), column by column."""
    n_joint = n_joint_of(I, body)
    n_modes = n_modes_of(I, body)
    n = 6 + n_modes
    o = composite_of(I, body)
    columns = columns_of(I, body)
    out = I[body + L.B_U]
    for j in range(n_joint + n_modes):
        for i in range(n):
            s = W[o + i * n + 6 + j - n_joint] if j >= n_joint else 0.0
            for k in range(6):
                s += W[o + i * n + k] * W[columns + 6 * j + k]
            W[out + j * n + i] = s


@kernel
def _own_columns(W, columns, n_joint, j, u):
    """Hbar_j^T u of own rate j of a body: its column with the force u, and the force on its mode."""
    s = W[u + 6 + j - n_joint] if j >= n_joint else 0.0
    for k in range(6):
        s += W[columns + 6 * j + k] * W[u + k]
    return s


@program
def mass_matrix(I, F, W, arg):
    """Full mass matrix, row major, to W from I[M]."""
    n = I[L.N_V]
    mass = I[L.M]
    up = I[L.X_UP]
    u = I[L.X_UP2]
    for i in range(n * n):
        W[mass + i] = 0.0
    for b in range(I[L.N_BODIES] + 1):
        seed_into(I, F, W, body_record(I, b))
    for b in range(I[L.N_BODIES], 0, -1):
        body = body_record(I, b)
        n_joint = n_joint_of(I, body)
        size = 6 + n_modes_of(I, body)
        v = v_index_of(I, body)
        columns = columns_of(I, body)
        U = I[body + L.B_U]
        inertia_times_columns_into(I, W, body)
        for j in range(n_own_of(I, body)):
            for i in range(j + 1):  # M_bb = Hbar^T U
                s = _own_columns(W, columns, n_joint, i, U + j * size)
                W[mass + (v + i) * n + v + j] = s
                W[mass + (v + j) * n + v + i] = s
            for k in range(6):
                W[u + k] = W[U + j * size + k]
            child = body
            while not is_on_ground(I, child):  # u <- A^T u, M_ab = Hbar_a^T u
                above = parent_record(I, child)
                to_parent_into(I, W, child, n_modes_of(I, above), u, up)
                n_joint_above = n_joint_of(I, above)
                v_above = v_index_of(I, above)
                columns_above = columns_of(I, above)
                for i in range(n_own_of(I, above)):
                    s = _own_columns(W, columns_above, n_joint_above, i, up)
                    W[mass + (v_above + i) * n + v + j] = s
                    W[mass + (v + j) * n + v_above + i] = s
                for k in range(6):
                    W[u + k] = W[up + k]
                child = above
        if not is_on_ground(I, body):
            add_to_parent(I, W, body, parent_record(I, body))


@program
def path_mass_matrix(I, F, W, arg):
    """Mass matrix in sparse storage: every body's rows over the columns of its path from the root, to W from I[M]."""
    up = I[L.X_UP]
    u = I[L.X_UP2]
    for b in range(I[L.N_BODIES] + 1):
        seed_into(I, F, W, body_record(I, b))
    for b in range(I[L.N_BODIES], 0, -1):
        body = body_record(I, b)
        n_joint = n_joint_of(I, body)
        n_own = n_own_of(I, body)
        size = 6 + n_modes_of(I, body)
        columns = columns_of(I, body)
        U = I[body + L.B_U]
        path = I[L.PATHS] + b * L.PATH
        depth = I[path + L.PA_DEPTH]
        rows = I[L.M] + I[path + L.PA_AT]
        width = depth + n_own
        inertia_times_columns_into(I, W, body)
        for j in range(n_own):
            for i in range(j + 1):  # M_bb = Hbar^T U
                s = _own_columns(W, columns, n_joint, i, U + j * size)
                W[rows + i * width + depth + j] = s
                W[rows + j * width + depth + i] = s
            for k in range(6):
                W[u + k] = W[U + j * size + k]
            child = body
            number = b
            while not is_on_ground(I, child):  # u <- A^T u, M_ab = Hbar_a^T u
                number = I[child + L.B_PARENT]
                above = body_record(I, number)
                to_parent_into(I, W, child, n_modes_of(I, above), u, up)
                n_joint_above = n_joint_of(I, above)
                columns_above = columns_of(I, above)
                place = rows + j * width + I[I[L.PATHS] + number * L.PATH + L.PA_DEPTH]
                for i in range(n_own_of(I, above)):
                    W[place + i] = _own_columns(W, columns_above, n_joint_above, i, up)
                for k in range(6):
                    W[u + k] = W[up + k]
                child = above
        if not is_on_ground(I, body):
            add_to_parent(I, W, body, parent_record(I, body))
