"""Exact inextensible beam: mass matrix of the body, (6 + n) x (6 + n), and strain energy (theory 2.2, 3)."""

from __future__ import annotations

from flexmb.equations import layout as L
from flexmb.equations.fields.beam_nodes import integrate_into, stations_at, sum_over
from flexmb.equations.fields.gram import add_point, clear_mass, mirror
from flexmb.equations.fields.slices import slice_mass_into
from flexmb.jit import program


@program
def beam_mass(I, F, W, arg):
    """Mass matrix of the body with record `arg`. Needs the nodes."""
    field = I[arg + L.B_FIELD]
    ny = I[field + L.FD_NY]
    nz = I[field + L.FD_NZ]
    nu = I[field + L.FD_NU]
    n = ny + nz + nu + I[field + L.FD_NT]
    q = I[L.Q] + I[arg + L.B_ELASTIC_Q]
    count = I[field + L.FD_N]
    first, stride = stations_at(I, field)
    nodes = I[field + L.FD_W]
    psi = nodes + count * L.NODE  # count x n x 3
    # Shapes of the points: what is linear, then the shortening of every bending mode by integration.
    for p in range(count):
        value = first + p * stride + L.ST_SHAPES
        out = psi + 3 * n * p
        for k in range(3 * n):
            W[out + k] = 0.0
        for k in range(ny):
            W[out + 3 * k + 1] = F[value + k]
        for k in range(ny, ny + nz):
            W[out + 3 * k + 2] = F[value + k]
        for k in range(ny + nz, ny + nz + nu):
            W[out + 3 * k] = F[value + k]
        node = nodes + p * L.NODE
        W[node + L.ND_Y] = sum_over(F, W, value, q, 0, ny)
        W[node + L.ND_Z] = sum_over(F, W, value, q, ny, nz)
        W[node + L.ND_U] = F[first + p * stride + L.ST_X] + sum_over(F, W, value, q, ny + nz, nu)
    integrate_into(I, F, W, field, L.ND_DS, L.ND_U, 1.0)
    for k in range(ny + nz):
        for p in range(count):
            node = nodes + p * L.NODE
            bend = W[node + L.ND_B] if k < ny else W[node + L.ND_C]
            W[node + L.ND_FX] = -bend * F[first + p * stride + L.ST_SHAPES + n + k] / W[node + L.ND_S]
            W[node + L.ND_FY] = 0.0
        integrate_into(I, F, W, field, L.ND_FX, L.ND_FY, 1.0)
        for p in range(count):
            W[psi + 3 * (n * p + k)] = W[nodes + p * L.NODE + L.ND_FY]
    o, size = clear_mass(I, W, arg)
    for p in range(count):
        node = nodes + p * L.NODE
        r = (W[node + L.ND_U], W[node + L.ND_Y], W[node + L.ND_Z])
        add_point(W, o, size, F[first + p * stride + L.ST_MASS], r, psi + 3 * n * p)
    mirror(W, o, size)
    for k in range(I[field + L.FD_N_SLICES]):
        slice_mass_into(I, F, W, arg, I[field + L.FD_SLICES] + k * L.SLICE)
