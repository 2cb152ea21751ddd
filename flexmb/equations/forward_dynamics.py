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
from flexmb.vectors import add, cross, load3, load9, rotate_back, store3


@kernel
def _inward(I, W, e, ep, x):
    """Articulated inertia and bias of a body; hand both to the parent."""
    n_joint = I[e + L.B_NJ]
    size = 6 + I[e + L.B_NF]
    n_own = size - 6 + n_joint
    columns = I[e + L.B_H]
    U = I[e + L.B_U]
    D = I[e + L.B_D]
    composite = I[e + L.B_COMPOSITE]
    wrench = I[e + L.B_W] + L.W_F
    vo = I[e + L.B_V]
    acc = I[L.A] + vo
    inertia_times_columns_into(I, W, e)
    for i in range(n_own):
        for j in range(i + 1):
            s = W[U + j * size + 6 + i - n_joint] if i >= n_joint else 0.0
            for k in range(6):
                s += W[columns + 6 * i + k] * W[U + j * size + k]
            W[D + i * n_own + j] = s
    cholesky(W, D, n_own)
    for j in range(n_own):
        s = W[I[L.EFFORT] + vo + j] - (W[wrench + 6 + j - n_joint] if j >= n_joint else 0.0)
        for k in range(6):
            s -= W[columns + 6 * j + k] * W[wrench + k]
        W[acc + j] = s
        W[x + j] = s
    if I[e + L.B_PARENT] == 0:
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
    add_to_parent(I, W, e, ep)
    up = I[L.X_UP]
    n_parent = I[ep + L.B_NF]
    to_parent_into(I, W, e, n_parent, bias, up)
    target = I[ep + L.B_W] + L.W_F
    for k in range(6 + n_parent):
        W[target + k] += W[up + k]


@kernel
def _outward(I, W, e, ep, x):
    """Accelerations from the root to the leaves; the correction y' of every body stands in its bias block."""
    n_joint = I[e + L.B_NJ]
    n_modes = I[e + L.B_NF]
    n_own = n_joint + n_modes
    size = 6 + n_modes
    y = I[e + L.B_BIAS]
    U = I[e + L.B_U]
    columns = I[e + L.B_H]
    acc = I[L.A] + I[e + L.B_V]
    if I[e + L.B_PARENT] > 0:
        yp = I[ep + L.B_BIAS]
        block = I[e + L.B_W]
        R = load9(W, block + L.W_R)
        w = load3(W, yp + 3)
        store3(W, y, rotate_back(R, add(load3(W, yp), cross(w, load3(W, block + L.W_P)))))
        store3(W, y + 3, rotate_back(R, w))
        arm = I[e + L.B_ARM]
        for k in range(I[ep + L.B_NF]):
            for i in range(6):
                W[y + i] += W[arm + 6 * k + i] * W[yp + 6 + k]
    else:
        for i in range(6):
            W[y + i] = 0.0
    for j in range(n_own):
        s = W[acc + j]
        for i in range(6):
            s -= W[U + j * size + i] * W[y + i]
        W[x + j] = s
    cholesky_solve(W, I[e + L.B_D], n_own, x)
    for j in range(n_own):
        W[acc + j] = W[x + j]
        for i in range(6):
            W[y + i] += W[columns + 6 * j + i] * W[x + j]
    for k in range(n_modes):
        W[y + 6 + k] = W[x + n_joint + k]


@program
def articulated_bodies(I, F, W, arg):
    """Coordinate accelerations A of an open tree."""
    first = I[L.BODIES]
    n_bodies = I[L.N_BODIES]
    x = I[L.X_ARTICULATED]
    for b in range(1, n_bodies + 1):
        seed_into(I, F, W, first + b * L.BODY)
    for b in range(n_bodies, 0, -1):
        e = first + b * L.BODY
        _inward(I, W, e, first + I[e + L.B_PARENT] * L.BODY, x)
    for b in range(1, n_bodies + 1):
        e = first + b * L.BODY
        _outward(I, W, e, first + I[e + L.B_PARENT] * L.BODY, x)
