"""Mass matrix by the composite-body method (theory 7): M into W. Needs `kinematics` and `body_forces`."""

from __future__ import annotations

from flexmb.equations.inverse_dynamics import to_parent_into
from flexmb.jit import call, kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import load3, load9, multiply, store9, transpose


@kernel
def seed_into(I, F, W, e):
    """Inertia of the body itself as a (6 + n) x (6 + n) matrix."""
    field = I[e + L.B_FIELD]
    if field > 0:
        call(I[I[field + L.FD_MASS]], I, F, W, e)
        return
    n = 6
    o = I[e + L.B_COMPOSITE]
    block = I[e + L.B_W]
    S = load3(W, block + L.W_S)
    mass = F[I[e + L.B_INERTIA]]
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
def add_to_parent(I, W, e, ep):
    """Composite inertia of the parent += A^T X A, X the symmetric first 6 x 6 block of the child's."""
    o = I[e + L.B_COMPOSITE]
    stride = 6 + I[e + L.B_NF]
    n_parent = I[ep + L.B_NF]
    n = 6 + n_parent
    target = I[ep + L.B_COMPOSITE]
    rows = I[L.X_LARGE]
    if n_parent == 0:
        block = I[e + L.B_W]
        R = load9(W, block + L.W_R)
        x, y, z = load3(W, block + L.W_P)
        # v_child = R^T (v + w x r): with the blocks A, B, D of X turned to parent axes,
        # A' = A, B' = B - A ~r, D' = D + ~r B' - B^T ~r.
        skew = (0.0, -z, y, z, 0.0, -x, -y, x, 0.0)
        A = _turned(R, W, o, stride)
        store9(W, rows, A)
        B = _turned(R, W, o + 3, stride)
        B2 = _difference(B, multiply(A, skew))
        store9(W, rows + 9, B2)
        D = _turned(R, W, o + 3 * stride + 3, stride)
        D2 = _difference(D, _difference(multiply(transpose(B), skew), multiply(skew, B2)))
        store9(W, rows + 18, D2)
        for i in range(3):
            for j in range(3):
                W[target + i * 6 + j] += W[rows + 3 * i + j]
                W[target + i * 6 + 3 + j] += W[rows + 9 + 3 * i + j]
                W[target + (3 + j) * 6 + i] += W[rows + 9 + 3 * i + j]
                W[target + (3 + i) * 6 + 3 + j] += W[rows + 18 + 3 * i + j]
        return
    up = I[L.X_UP]
    for j in range(6):
        to_parent_into(I, W, e, n_parent, o + j * stride, rows + j * n)
    for j in range(n):
        for i in range(6):
            W[I[L.X_UP2] + i] = W[rows + i * n + j]
        to_parent_into(I, W, e, n_parent, I[L.X_UP2], up)
        for i in range(n):
            W[target + i * n + j] += W[up + i]


@kernel
def inertia_times_columns_into(I, W, e):
    """U = (composite inertia) (columns of the body's own coordinates), column by column."""
    n_joint = I[e + L.B_NJ]
    n_modes = I[e + L.B_NF]
    n = 6 + n_modes
    o = I[e + L.B_COMPOSITE]
    columns = I[e + L.B_H]
    out = I[e + L.B_U]
    for j in range(n_joint + n_modes):
        for i in range(n):
            s = W[o + i * n + 6 + j - n_joint] if j >= n_joint else 0.0
            for k in range(6):
                s += W[o + i * n + k] * W[columns + 6 * j + k]
            W[out + j * n + i] = s


@program
def mass_matrix(I, F, W, arg):
    """Full mass matrix, row major, to W from I[M]."""
    n = I[L.N_V]
    mass = I[L.M]
    first = I[L.BODIES]
    up = I[L.X_UP]
    second = I[L.X_UP2]
    for i in range(n * n):
        W[mass + i] = 0.0
    for b in range(I[L.N_BODIES] + 1):
        seed_into(I, F, W, first + b * L.BODY)
    for b in range(I[L.N_BODIES], 0, -1):
        e = first + b * L.BODY
        n_joint = I[e + L.B_NJ]
        n_own = n_joint + I[e + L.B_NF]
        size = 6 + I[e + L.B_NF]
        vo = I[e + L.B_V]
        columns = I[e + L.B_H]
        U = I[e + L.B_U]
        inertia_times_columns_into(I, W, e)
        for j in range(n_own):
            for i in range(j + 1):
                s = W[U + j * size + 6 + i - n_joint] if i >= n_joint else 0.0
                for k in range(6):
                    s += W[columns + 6 * i + k] * W[U + j * size + k]
                W[mass + (vo + i) * n + vo + j] = s
                W[mass + (vo + j) * n + vo + i] = s
            for k in range(6):
                W[second + k] = W[U + j * size + k]
            c = e
            while I[c + L.B_PARENT] > 0:
                a = first + I[c + L.B_PARENT] * L.BODY
                to_parent_into(I, W, c, I[a + L.B_NF], second, up)
                ja = I[a + L.B_NJ]
                va = I[a + L.B_V]
                ca = I[a + L.B_H]
                for i in range(ja + I[a + L.B_NF]):
                    s = W[up + 6 + i - ja] if i >= ja else 0.0
                    for k in range(6):
                        s += W[ca + 6 * i + k] * W[up + k]
                    W[mass + (va + i) * n + vo + j] = s
                    W[mass + (vo + j) * n + va + i] = s
                for k in range(6):
                    W[second + k] = W[up + k]
                c = a
        if I[e + L.B_PARENT] > 0:
            add_to_parent(I, W, e, first + I[e + L.B_PARENT] * L.BODY)
