"""Forces inside an exact beam by summation over the part towards end B (theory 10).

The part towards B exerts on the part towards A what loads and joints put on it less mass times acceleration. Inertia is
known at the stations: a station counts with the part of its length that lies beyond the cut.
"""

from __future__ import annotations

from flexmb.equations.fields.slices import slice_wrench
from flexmb.equations.kinematics import arm, state_of
from flexmb.equations.reactions import branch_wrench
from flexmb.jit import program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import (
    IDENTITY,
    ZERO,
    add,
    cross,
    load3,
    load9,
    multiply,
    rotate,
    rotate_back,
    scale,
    store3,
    sub,
    transpose,
)


@program
def sections(I, F, W, arg):
    """Force and moment at every cut, axes of the section. Needs the full residual at T, Q, V, A, LAM."""
    for k in range(I[L.N_SECTIONS]):
        cut = I[L.SECTIONS] + k * L.SECTION
        e = I[cut + L.SX_BODY]
        field = I[e + L.B_FIELD]
        block = I[e + L.B_W]
        marker = I[L.MARKERS] + I[cut + L.SX_MARKER] * L.MARKER
        place = I[marker + L.MK_F]
        origin = (F[I[cut + L.SX_F]], 0.0, 0.0)
        R = IDENTITY
        if I[marker + L.MK_FLEX] > 0:
            pose = arm(I, F, W, I[cut + L.SX_MARKER])
            R = multiply(pose[1], transpose(load9(F, place + 3)))
            origin = sub(pose[0], rotate(R, load3(F, place + L.MX_OFFSET)))
        force = ZERO
        moment = ZERO
        w = I[field + L.FD_W]
        count = I[field + L.FD_N]
        for p in range(count):
            f = (W[w + L.ND_FX * count + p], W[w + L.ND_FY * count + p], W[w + L.ND_FZ * count + p])
            f = scale(-F[I[cut + L.SX_F] + 1 + p], f)
            r = (W[w + L.ND_U * count + p], W[w + L.ND_Y * count + p], W[w + L.ND_Z * count + p])
            force = add(force, f)
            moment = add(moment, cross(sub(r, origin), f))
        for i in range(I[cut + L.SX_N_SLICES]):
            r, f, n = slice_wrench(I, F, W, e, I[I[cut + L.SX_SLICES] + i], 1)
            f = scale(-F[I[cut + L.SX_PARTS] + i], f)
            n = scale(-F[I[cut + L.SX_PARTS] + i], n)
            force = add(force, f)
            moment = add(moment, add(cross(sub(r, origin), f), n))
        for i in range(I[cut + L.SX_N_MARKERS]):
            number = I[I[cut + L.SX_MARKERS] + i]
            state = state_of(I, F, W, 2 * number)
            applied = state + L.S_COLUMNS + 6 * I[e + L.B_NF]
            f = load3(W, applied)
            force = add(force, f)
            moment = add(moment, add(cross(sub(load3(W, state + L.S_BODY), origin), f), load3(W, applied + 3)))
        Rw = load9(W, block + L.W_R_W)
        here = add(load3(W, block + L.W_P_W), rotate(Rw, origin))
        for i in range(I[cut + L.SX_N_JOINTS]):
            joint = I[L.JOINTS] + I[I[cut + L.SX_JOINTS] + 2 * i] * L.JOINT
            sign = 1.0 * I[I[cut + L.SX_JOINTS] + 2 * i + 1]
            f, n = branch_wrench(I, F, W, joint, here)
            force = add(force, scale(sign, rotate_back(Rw, f)))
            moment = add(moment, scale(sign, rotate_back(Rw, n)))
        store3(W, I[cut + L.SX_W], rotate_back(R, force))
        store3(W, I[cut + L.SX_W] + 3, rotate_back(R, moment))
