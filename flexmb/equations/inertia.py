"""Inertia of a body: M y' + h, with y' = (a, alpha, q'') and M, h about the body origin (theory 3).

Rigid bodies and gyrostats (constant internal angular momentum) here. A flexible body has a deformation field
(`flexmb.equations.fields`) whose own programs give the force, elastic forces included, and the mass matrix.
"""

from __future__ import annotations

from flexmb.jit import call, kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import add, cross, load3, load9, rotate, scale, store3, store9


@kernel
def inertia_into(I, F, W, e, block):
    """First moment S, inertia J and velocity forces h of a rigid body: h_t = w x (w x S), h_r = w x (J w + rotor)."""
    f = I[e + L.B_INERTIA]
    S = load3(F, f + L.F_S)
    J = load9(F, f + L.F_J)
    w = load3(W, block + L.W_OMEGA)
    store3(W, block + L.W_S, S)
    store9(W, block + L.W_J, J)
    bias = I[e + L.B_BIAS]
    store3(W, bias, cross(w, cross(w, S)))
    store3(W, bias + 3, cross(w, add(rotate(J, w), load3(F, f + L.F_ROTOR))))


@kernel
def body_force_into(I, F, W, e, block):
    """Wrench that the inertia of a body asks for: f = M y' + h."""
    a = load3(W, block + L.W_ACC)
    al = load3(W, block + L.W_ALPHA)
    S = load3(W, block + L.W_S)
    J = load9(W, block + L.W_J)
    bias = I[e + L.B_BIAS]
    force = add(add(scale(F[I[e + L.B_INERTIA]], a), cross(al, S)), load3(W, bias))
    moment = add(add(cross(S, a), rotate(J, al)), load3(W, bias + 3))
    store3(W, block + L.W_F, force)
    store3(W, block + L.W_F + 3, moment)


@kernel
def clear_wrenches(I, W):
    """Markers of flexible bodies: no wrench has been applied there yet. Only forces at sections ask for it."""
    if I[L.N_SECTIONS] == 0:
        return
    for m in range(I[L.N_MARKERS]):
        marker = I[L.MARKERS] + m * L.MARKER
        n = I[I[L.BODIES] + I[marker + L.MK_BODY] * L.BODY + L.B_NF]
        if n > 0:
            applied = I[marker + L.MK_W] + L.S_COLUMNS + 6 * n
            for k in range(6):
                W[applied + k] = 0.0


@program
def body_forces(I, F, W, arg):
    """Inertia wrenches of all bodies; ground and joint efforts start from zero. arg = 1: with the accelerations A.

    Needs `kinematics` with the same arg.
    """
    for k in range(I[L.N_V]):
        W[I[L.EFFORT] + k] = 0.0
    first = I[L.BODIES]
    ground = I[first + L.B_W] + L.W_F
    for k in range(6):
        W[ground + k] = 0.0
    for b in range(1, I[L.N_BODIES] + 1):
        e = first + b * L.BODY
        block = I[e + L.B_W]
        field = I[e + L.B_FIELD]
        if field > 0:
            call(I[I[field + L.FD_FORCE]], I, F, W, 2 * e + arg)
        else:
            inertia_into(I, F, W, e, block)
            body_force_into(I, F, W, e, block)
    clear_wrenches(I, W)
