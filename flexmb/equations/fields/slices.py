"""Slices: rigid parts (lumps, rotary inertia of a section) that are fixed to a marker of a flexible body.

A slice moves with its marker: f = m a_P, n = J alpha_P + w_P x J w_P, with Psi, Omega of the marker as its modes.
"""

from __future__ import annotations

from flexmb.equations.kinematics import arm
from flexmb.jit import kernel
from flexmb.layout import flat_arrays as L
from flexmb.vectors import add, add_to3, cross, dot, load3, load9, multiply, rotate, scale, transpose


@kernel
def slice_wrench(I, F, W, e, record, accelerate):
    """Position of a slice, force and moment about it that its inertia asks for, body axes."""
    marker = I[record + L.SL_MARKER]
    place = I[record + L.SL_F]
    block = I[e + L.B_W]
    n_modes = I[e + L.B_NF]
    r, R, r1, w_rel, a_p, al_p = arm(I, F, W, marker)
    flexible = I[I[L.MARKERS] + marker * L.MARKER + L.MK_FLEX] > 0
    columns = I[I[L.MARKERS] + marker * L.MARKER + L.MK_W] + L.S_COLUMNS
    w = load3(W, block + L.W_OMEGA)
    al = load3(W, block + L.W_ALPHA)
    if accelerate and flexible:
        qa = I[L.A] + I[e + L.B_V] + I[e + L.B_NJ]
        for k in range(n_modes):
            a_p = add(a_p, scale(W[qa + k], load3(W, columns + 6 * k)))
            al_p = add(al_p, scale(W[qa + k], load3(W, columns + 6 * k + 3)))
    a_p = add(a_p, add(load3(W, block + L.W_ACC), cross(al, r)))
    a_p = add(a_p, cross(w, add(cross(w, r), scale(2.0, r1))))
    al_p = add(al_p, add(al, cross(w, w_rel)))
    w_p = add(w, w_rel)
    J = multiply(multiply(R, load9(F, place + 1)), transpose(R))
    f = scale(F[place], a_p)
    n = add(rotate(J, al_p), cross(w_p, rotate(J, w_p)))
    return r, f, n


@kernel
def slice_force_into(I, F, W, e, record, accelerate):
    """Add the wrench that the inertia of a slice asks for to the body's."""
    r, f, n = slice_wrench(I, F, W, e, record, accelerate)
    block = I[e + L.B_W]
    add_to3(W, block + L.W_F, f)
    add_to3(W, block + L.W_F + 3, add(cross(r, f), n))
    marker = I[L.MARKERS] + I[record + L.SL_MARKER] * L.MARKER
    if I[marker + L.MK_FLEX] > 0:
        columns = I[marker + L.MK_W] + L.S_COLUMNS
        for k in range(I[e + L.B_NF]):
            W[block + L.W_F + 6 + k] += dot(load3(W, columns + 6 * k), f) + dot(load3(W, columns + 6 * k + 3), n)


@kernel
def slice_mass_into(I, F, W, e, record):
    """Add the inertia of a slice to the (6 + n) x (6 + n) matrix of the body."""
    marker = I[record + L.SL_MARKER]
    place = I[record + L.SL_F]
    o = I[e + L.B_COMPOSITE]
    size = 6 + I[e + L.B_NF]
    r, R, _, _, _, _ = arm(I, F, W, marker)
    flexible = I[I[L.MARKERS] + marker * L.MARKER + L.MK_FLEX] > 0
    columns = I[I[L.MARKERS] + marker * L.MARKER + L.MK_W] + L.S_COLUMNS
    mass = F[place]
    J = multiply(multiply(R, load9(F, place + 1)), transpose(R))
    for j in range(size):
        if j < 3:
            v = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            w = (0.0, 0.0, 0.0)
        elif j < 6:
            w = (1.0 if j == 3 else 0.0, 1.0 if j == 4 else 0.0, 1.0 if j == 5 else 0.0)
            v = cross(w, r)
        elif flexible:
            v = load3(W, columns + 6 * (j - 6))
            w = load3(W, columns + 6 * (j - 6) + 3)
        else:
            break
        f = scale(mass, v)
        n = rotate(J, w)
        m = add(cross(r, f), n)
        for i in range(3):
            W[o + i * size + j] += f[0] if i == 0 else (f[1] if i == 1 else f[2])
            W[o + (3 + i) * size + j] += m[0] if i == 0 else (m[1] if i == 1 else m[2])
        if flexible:
            for k in range(size - 6):
                W[o + (6 + k) * size + j] += dot(load3(W, columns + 6 * k), f) + dot(load3(W, columns + 6 * k + 3), n)
