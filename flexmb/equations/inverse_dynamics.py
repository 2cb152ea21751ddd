"""Leaves-to-root pass of the recursive Newton-Euler method (theory 7): body wrenches -> generalised forces.

`to_parent_into` is the transpose of the velocity transformation from a parent to its child (A^T in theory 6).
"""

from __future__ import annotations

from flexmb.jit import kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import add, add_to3, cross, load3, load9, rotate, store3


@kernel
def to_parent_into(I, W, e, n_parent, wrench, out):
    """W[out..] = A^T W[wrench..wrench+6]: the wrench on a child as a wrench on its parent (and on its modes)."""
    block = I[e + L.B_W]
    R = load9(W, block + L.W_R)
    force = rotate(R, load3(W, wrench))
    moment = add(rotate(R, load3(W, wrench + 3)), cross(load3(W, block + L.W_P), force))
    arm = I[e + L.B_ARM]
    for k in range(n_parent):
        s = 0.0
        for i in range(6):
            s += W[arm + 6 * k + i] * W[wrench + i]
        W[out + 6 + k] = s
    store3(W, out, force)
    store3(W, out + 3, moment)


@program
def backward(I, F, W, arg):
    """Generalised forces H^T f of the body wrenches, less the applied joint efforts, to W from `arg`.

    The wrenches are accumulated on the way: afterwards the wrench of body b is what its tree joint transmits to it,
    and that of ground what the ground receives.
    """
    first = I[L.BODIES]
    up = I[L.X_UP]
    effort = I[L.EFFORT]
    for b in range(I[L.N_BODIES], 0, -1):
        e = first + b * L.BODY
        n_joint = I[e + L.B_NJ]
        n_modes = I[e + L.B_NF]
        vo = I[e + L.B_V]
        columns = I[e + L.B_H]
        block = I[e + L.B_W]
        wrench = block + L.W_F
        f0 = W[wrench]
        f1 = W[wrench + 1]
        f2 = W[wrench + 2]
        f3 = W[wrench + 3]
        f4 = W[wrench + 4]
        f5 = W[wrench + 5]
        for j in range(n_joint + n_modes):
            c = columns + 6 * j
            s = W[c] * f0 + W[c + 1] * f1 + W[c + 2] * f2 + W[c + 3] * f3 + W[c + 4] * f4 + W[c + 5] * f5
            if j >= n_joint:
                s += W[wrench + 6 + j - n_joint]
            W[arg + vo + j] = s - W[effort + vo + j]
        ep = first + I[e + L.B_PARENT] * L.BODY
        n_parent = I[ep + L.B_NF]
        target = I[ep + L.B_W] + L.W_F
        if n_parent == 0:
            R = load9(W, block + L.W_R)
            force = rotate(R, (f0, f1, f2))
            add_to3(W, target, force)
            add_to3(W, target + 3, add(rotate(R, (f3, f4, f5)), cross(load3(W, block + L.W_P), force)))
        else:
            to_parent_into(I, W, e, n_parent, wrench, up)
            for k in range(6 + n_parent):
                W[target + k] += W[up + k]
