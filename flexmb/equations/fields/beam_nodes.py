"""Exact inextensible beam: slopes, turns and frame twist at the stations, with their rates (theory 2.1, 2.2).

    centre line  r0 = [x + u + int (s - 1), v, w],   s = sqrt(1 - b^2 - c^2),  b = v', c = w'
    section      n = (sigma, beta, gamma), smallest rotation e1 -> n, then a turn theta about n
    twist        theta = phi - int tau,   tau = (gamma beta' - beta gamma')/(1 + sigma): the material twist rate is phi'

The turns beta, gamma are the slopes themselves (Euler-Bernoulli) or functions of their own (Timoshenko). What depends on
the modes enters only through sums over them at the stations, so that the rest of the work does not grow with their
number. Integrals along the beam go segment by segment with precomputed matrices.
"""

from __future__ import annotations

import math

from flexmb.equations import layout as L
from flexmb.jit import kernel, program


@kernel
def stations_at(I, field):
    """Place in F of the first station, and the length of a station's record."""
    n_local = I[field + L.FD_LOCAL]
    bending = I[field + L.FD_NY] + I[field + L.FD_NZ]
    n = bending + I[field + L.FD_NU] + I[field + L.FD_NT]
    first = I[field + L.FD_F] + I[field + L.FD_SEGMENTS] * n_local * (n_local + 1)
    return first, L.ST_SHAPES + n + 3 * bending


@kernel
def sum_over(F, W, shapes, x, first, count):
    """Sum of shapes times coordinates: F[shapes + k] W[x + k] for k from `first`."""
    total = 0.0
    for k in range(first, first + count):
        total += F[shapes + k] * W[x + k]
    return total


@kernel
def root_of(b, c):
    """s = sqrt(1 - b^2 - c^2) and s - 1 without loss of digits; beyond the vertical nothing is defined (NaN)."""
    square = b * b + c * c
    s = math.sqrt(1.0 - square) if square < 1.0 else math.nan
    return s, -square / (1.0 + s)


@kernel
def root_rates(b, c, s, b1, c1):
    """Rate of s, and what its second rate is without accelerations."""
    s1 = -(b * b1 + c * c1) / s
    return s1, -(b1 * b1 + c1 * c1 + s1 * s1) / s


@program
def beam_nodes(I, F, W, arg):
    """Slopes, turns, twist and rates at the stations of the body with record `arg`, to its nodes in W."""
    field = I[arg + L.B_FIELD]
    ny = I[field + L.FD_NY]
    nz = I[field + L.FD_NZ]
    n = ny + nz + I[field + L.FD_NU] + I[field + L.FD_NT]
    q = I[L.Q] + I[arg + L.B_ELASTIC_Q]
    v = I[L.V] + I[arg + L.B_V] + I[arg + L.B_NJ]
    station, stride = stations_at(I, field)
    node = I[field + L.FD_W]
    for _ in range(I[field + L.FD_N]):
        slope = station + L.ST_SHAPES + n
        turn = slope + ny + nz
        bend = turn + ny + nz
        b = sum_over(F, W, slope, q, 0, ny)
        c = sum_over(F, W, slope, q, ny, nz)
        b1 = sum_over(F, W, slope, v, 0, ny)
        c1 = sum_over(F, W, slope, v, ny, nz)
        s, ds = root_of(b, c)
        s1, s2 = root_rates(b, c, s, b1, c1)
        W[node + L.ND_B] = b
        W[node + L.ND_C] = c
        W[node + L.ND_S] = s
        W[node + L.ND_DS] = ds
        W[node + L.ND_B1] = b1
        W[node + L.ND_C1] = c1
        W[node + L.ND_S1] = s1
        W[node + L.ND_S2] = s2
        if I[field + L.FD_SHEAR] == 1:
            b = sum_over(F, W, turn, q, 0, ny)
            c = sum_over(F, W, turn, q, ny, nz)
            b1 = sum_over(F, W, turn, v, 0, ny)
            c1 = sum_over(F, W, turn, v, ny, nz)
            s, ds = root_of(b, c)
            s1, s2 = root_rates(b, c, s, b1, c1)
        W[node + L.ND_BETA] = b
        W[node + L.ND_GAMMA] = c
        W[node + L.ND_BETA1] = b1
        W[node + L.ND_GAMMA1] = c1
        bend_y = sum_over(F, W, bend, q, 0, ny)
        bend_z = sum_over(F, W, bend, q, ny, nz)
        W[node + L.ND_BEND_Y] = bend_y
        W[node + L.ND_BEND_Z] = bend_z
        if ny > 0 and nz > 0:
            bend_y1 = sum_over(F, W, bend, v, 0, ny)
            bend_z1 = sum_over(F, W, bend, v, ny, nz)
            d = 1.0 / (1.0 + s)
            tau = (c * bend_y - b * bend_z) * d
            first = c1 * bend_y + c * bend_y1 - b1 * bend_z - b * bend_z1
            tau1 = (first - tau * s1) * d
            W[node + L.ND_TAU] = tau
            W[node + L.ND_TAU1] = tau1
            W[node + L.ND_TAU2] = (2.0 * (c1 * bend_y1 - b1 * bend_z1) - 2.0 * tau1 * s1 - tau * s2) * d
        else:
            W[node + L.ND_TAU] = 0.0
            W[node + L.ND_TAU1] = 0.0
            W[node + L.ND_TAU2] = 0.0
        station += stride
        node += L.NODE


@kernel
def integrate_into(I, F, W, field, source, target, scale):
    """Node entry `target` += scale x integral along the beam of node entry `source`, from the end it is measured from."""
    n_local = I[field + L.FD_LOCAL]
    n_segments = I[field + L.FD_SEGMENTS]
    matrix = I[field + L.FD_F]
    size = n_local * (n_local + 1)
    first = I[field + L.FD_W]
    base = 0.0
    if I[field + L.FD_FROM_END] == 1:
        for segment in range(n_segments):
            weights = matrix + segment * size + n_local * n_local
            for r in range(n_local):
                base -= F[weights + r] * W[first + (segment * n_local + r) * L.NODE + source]
    for segment in range(n_segments):
        rows = matrix + segment * size
        nodes = first + segment * n_local * L.NODE
        total = 0.0
        for p in range(n_local):
            x = base
            for r in range(n_local):
                x += F[rows + p * n_local + r] * W[nodes + r * L.NODE + source]
            W[nodes + p * L.NODE + target] += scale * x
            total += F[rows + n_local * n_local + p] * W[nodes + p * L.NODE + source]
        base += total


@kernel
def gather_into(I, F, W, field, source, target):
    """The transpose: node entry `target` = what a force `source` on the integral at all stations does at each one."""
    n_local = I[field + L.FD_LOCAL]
    n_segments = I[field + L.FD_SEGMENTS]
    matrix = I[field + L.FD_F]
    size = n_local * (n_local + 1)
    first = I[field + L.FD_W]
    beyond = 0.0
    if I[field + L.FD_FROM_END] == 1:
        for p in range(n_local * n_segments):
            beyond -= W[first + p * L.NODE + source]
    for segment in range(n_segments - 1, -1, -1):
        rows = matrix + segment * size
        nodes = first + segment * n_local * L.NODE
        total = 0.0
        for r in range(n_local):
            x = F[rows + n_local * n_local + r] * beyond
            for p in range(n_local):
                x += F[rows + p * n_local + r] * W[nodes + p * L.NODE + source]
            W[nodes + r * L.NODE + target] = x
            total += W[nodes + r * L.NODE + source]
        beyond += total
