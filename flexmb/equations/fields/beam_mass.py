"""Exact inextensible beam: mass matrix of the body, (6 + n) x (6 + n) (theory 2.2, 3)."""

from __future__ import annotations

from flexmb.equations.fields.beam_nodes import integrate_into, mix_into, shapes_at
from flexmb.equations.fields.gram import add_point, clear_mass, mirror
from flexmb.equations.fields.slices import slice_mass_into
from flexmb.jit import program
from flexmb.layout import flat_arrays as L


@program
def beam_mass(I, F, W, arg):
    """Mass matrix of the body with record `arg`. Needs the arrays of `beam_nodes`; leaves the forces as they are."""
    field = I[arg + L.B_FIELD]
    ny = I[field + L.FD_NY]
    nz = I[field + L.FD_NZ]
    nu = I[field + L.FD_NU]
    n = ny + nz + nu + I[field + L.FD_NT]
    q = I[L.Q] + I[arg + L.B_ELASTIC_Q]
    count = I[field + L.FD_N]
    stations, value, slope, _, _ = shapes_at(I, field)
    w = I[field + L.FD_W]
    mix_into(F, W, value, q, 0, ny, count, w + L.ND_Y * count)
    mix_into(F, W, value, q, ny, nz, count, w + L.ND_Z * count)
    mix_into(F, W, value, q, ny + nz, nu, count, w + L.ND_U * count)
    for p in range(count):
        W[w + L.ND_U * count + p] += F[stations + L.ST_X * count + p]
    integrate_into(I, F, W, field, L.ND_DS, L.ND_U, 1.0)
    psi = w + L.NODES * count  # shapes of the points, count x n x 3
    for k in range(n):
        axis = 1 if k < ny else (2 if k < ny + nz else 0)
        on_line = 1.0 if k < ny + nz + nu else 0.0
        for p in range(count):
            place = psi + 3 * (n * p + k)
            W[place] = 0.0
            W[place + 1] = 0.0
            W[place + 2] = 0.0
            W[place + axis] = on_line * F[value + k * count + p]
    for k in range(ny + nz):  # the shortening by every bending mode
        bend = w + (L.ND_B if k < ny else L.ND_C) * count
        for p in range(count):
            W[w + L.ND_S3 * count + p] = -W[bend + p] * F[slope + k * count + p] / W[w + L.ND_S * count + p]
            W[w + L.ND_U2 * count + p] = 0.0
        integrate_into(I, F, W, field, L.ND_S3, L.ND_U2, 1.0)
        for p in range(count):
            W[psi + 3 * (n * p + k)] = W[w + L.ND_U2 * count + p]
    o, size = clear_mass(I, W, arg)
    for p in range(count):
        r = (W[w + L.ND_U * count + p], W[w + L.ND_Y * count + p], W[w + L.ND_Z * count + p])
        add_point(W, o, size, F[stations + L.ST_MASS * count + p], r, psi + 3 * n * p)
    mirror(W, o, size)
    for k in range(I[field + L.FD_N_SLICES]):
        slice_mass_into(I, F, W, arg, I[field + L.FD_SLICES] + k * L.SLICE)
