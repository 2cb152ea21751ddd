"""Quadratic deformation field at mass points (theory 3.2): r = X + phi q + 1/2 q G q, untruncated.

A point's record in F: mass, X (3), phi (n x 3), G (n x n x 3).
"""

from __future__ import annotations

from flexmb.equations.fields.elastic import elastic_force_into
from flexmb.equations.fields.gram import add_point, clear_mass, mirror
from flexmb.jit import kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import ZERO, add, cross, dot, load3, scale, store3


@kernel
def _point_into(I, F, W, e, point, psi, accelerate):
    """Position, velocity and acceleration of a point relative to the frame; its columns to W[psi..]."""
    n = I[e + L.B_NF]
    q = I[L.Q] + I[e + L.B_ELASTIC_Q]
    v = I[L.V] + I[e + L.B_V] + I[e + L.B_NJ]
    a = I[L.A] + I[e + L.B_V] + I[e + L.B_NJ]
    r = load3(F, point + 1)
    r1 = ZERO
    r2 = ZERO
    second = point + 4 + 3 * n
    for k in range(n):
        phi = load3(F, point + 4 + 3 * k)
        column = phi
        bias = ZERO
        for m in range(n):
            g = load3(F, second + 3 * (k * n + m))
            column = add(column, scale(W[q + m], g))
            bias = add(bias, scale(W[v + m], g))
        store3(W, psi + 3 * k, column)
        r = add(r, scale(0.5 * W[q + k], add(phi, column)))
        r1 = add(r1, scale(W[v + k], column))
        r2 = add(r2, scale(W[v + k], bias))
        if accelerate:
            r2 = add(r2, scale(W[a + k], column))
    return r, r1, r2


@program
def point_force(I, F, W, arg):
    """Wrench on the frame and force on every mode of body record arg // 2; arg odd: with the mode accelerations A."""
    e = arg >> 1
    field = I[e + L.B_FIELD]
    block = I[e + L.B_W]
    n = I[e + L.B_NF]
    psi = I[field + L.FD_W]
    w = load3(W, block + L.W_OMEGA)
    a = load3(W, block + L.W_ACC)
    al = load3(W, block + L.W_ALPHA)
    out = block + L.W_F + 6
    elastic_force_into(I, F, W, e, field, out)
    force = ZERO
    moment = ZERO
    for p in range(I[field + L.FD_N]):
        point = I[field + L.FD_F] + p * (4 + 3 * n + 3 * n * n)
        r, r1, r2 = _point_into(I, F, W, e, point, psi, arg & 1)
        turn = add(cross(al, r), cross(w, add(cross(w, r), scale(2.0, r1))))
        f = scale(F[point], add(add(a, turn), r2))
        force = add(force, f)
        moment = add(moment, cross(r, f))
        for k in range(n):
            W[out + k] += dot(load3(W, psi + 3 * k), f)
    store3(W, block + L.W_F, force)
    store3(W, block + L.W_F + 3, moment)


@program
def point_mass(I, F, W, arg):
    """Mass matrix of the body with record `arg`."""
    field = I[arg + L.B_FIELD]
    n = I[arg + L.B_NF]
    psi = I[field + L.FD_W]
    o, size = clear_mass(I, W, arg)
    for p in range(I[field + L.FD_N]):
        point = I[field + L.FD_F] + p * (4 + 3 * n + 3 * n * n)
        r, _, _ = _point_into(I, F, W, arg, point, psi, 0)
        add_point(W, o, size, F[point], r, psi)
    mirror(W, o, size)
