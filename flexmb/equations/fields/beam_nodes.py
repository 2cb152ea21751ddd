"""Exact inextensible beam: slopes, turns and frame twist at the stations, with their rates (theory 2.1, 2.2).

    centre line  r0 = [x + u + int (s - 1), v, w],   s = sqrt(1 - b^2 - c^2),  b = v', c = w'
    section      n = (sigma, beta, gamma), smallest rotation e1 -> n, then a turn theta about n
    twist        theta = phi - int tau,   tau = (gamma beta' - beta gamma')/(1 + sigma): the material twist rate is phi'

The turns beta, gamma are the slopes themselves (Euler-Bernoulli) or functions of their own (Timoshenko). What depends
on the modes enters only through sums over them at the stations, so that the rest of the work does not grow with their
number. Everything stands in arrays over the stations, which the processor takes several at a time; integrals along the
beam go segment by segment with precomputed matrices.
"""

from __future__ import annotations

import math

from flexmb.jit import kernel, program
from flexmb.layout import flat_arrays as L


@kernel
def shapes_at(I, field):
    """Places in F: arrays of the stations, of the shapes' values, slopes, turns and curvatures."""
    n_local = I[field + L.FD_LOCAL]
    count = I[field + L.FD_N]
    bending = I[field + L.FD_NY] + I[field + L.FD_NZ]
    n = bending + I[field + L.FD_NU] + I[field + L.FD_NT]
    stations = I[field + L.FD_F] + I[field + L.FD_SEGMENTS] * n_local * (n_local + 1)
    value = stations + L.ST_SHAPES * count
    slope = value + n * count
    turn = slope + bending * count
    return stations, value, slope, turn, turn + bending * count


@kernel
def mix_into(F, W, shapes, x, first, number, count, out):
    """W[out + p] = sum over the modes k from `first` of F[shapes + k count + p] W[x + k], for all stations p."""
    for p in range(count):
        W[out + p] = 0.0
    for k in range(first, first + number):
        factor = W[x + k]
        row = shapes + k * count
        for p in range(count):
            W[out + p] += F[row + p] * factor


@kernel
def sum_over(F, W, shapes, x, first, number):
    """Sum of single values times coordinates: F[shapes + k] W[x + k] for k from `first`."""
    total = 0.0
    for k in range(first, first + number):
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
    """Slopes, turns, twist and rates at the stations of the body with record `arg`, to its arrays in W."""
    field = I[arg + L.B_FIELD]
    ny = I[field + L.FD_NY]
    nz = I[field + L.FD_NZ]
    shear = I[field + L.FD_SHEAR]
    count = I[field + L.FD_N]
    q = I[L.Q] + I[arg + L.B_ELASTIC_Q]
    v = I[L.V] + I[arg + L.B_V] + I[arg + L.B_NJ]
    _, _, slope, turn, bend = shapes_at(I, field)
    w = I[field + L.FD_W]
    mix_into(F, W, slope, q, 0, ny, count, w + L.ND_B * count)
    mix_into(F, W, slope, q, ny, nz, count, w + L.ND_C * count)
    mix_into(F, W, slope, v, 0, ny, count, w + L.ND_B1 * count)
    mix_into(F, W, slope, v, ny, nz, count, w + L.ND_C1 * count)
    mix_into(F, W, bend, q, 0, ny, count, w + L.ND_BEND_Y * count)
    mix_into(F, W, bend, q, ny, nz, count, w + L.ND_BEND_Z * count)
    if shear == 1:
        mix_into(F, W, turn, q, 0, ny, count, w + L.ND_BETA * count)
        mix_into(F, W, turn, q, ny, nz, count, w + L.ND_GAMMA * count)
        mix_into(F, W, turn, v, 0, ny, count, w + L.ND_BETA1 * count)
        mix_into(F, W, turn, v, ny, nz, count, w + L.ND_GAMMA1 * count)
    for p in range(count):
        b = W[w + L.ND_B * count + p]
        c = W[w + L.ND_C * count + p]
        b1 = W[w + L.ND_B1 * count + p]
        c1 = W[w + L.ND_C1 * count + p]
        s, ds = root_of(b, c)
        s1, s2 = root_rates(b, c, s, b1, c1)
        W[w + L.ND_S * count + p] = s
        W[w + L.ND_DS * count + p] = ds
        W[w + L.ND_S1 * count + p] = s1
        W[w + L.ND_S2 * count + p] = s2
        if shear == 0:
            W[w + L.ND_BETA * count + p] = b
            W[w + L.ND_GAMMA * count + p] = c
            W[w + L.ND_BETA1 * count + p] = b1
            W[w + L.ND_GAMMA1 * count + p] = c1
    if ny > 0 and nz > 0:
        # The rates of beta', gamma' stand where tau and its rate will.
        mix_into(F, W, bend, v, 0, ny, count, w + L.ND_TAU * count)
        mix_into(F, W, bend, v, ny, nz, count, w + L.ND_TAU1 * count)
        for p in range(count):
            b = W[w + L.ND_BETA * count + p]
            c = W[w + L.ND_GAMMA * count + p]
            b1 = W[w + L.ND_BETA1 * count + p]
            c1 = W[w + L.ND_GAMMA1 * count + p]
            s = W[w + L.ND_S * count + p]
            s1 = W[w + L.ND_S1 * count + p]
            s2 = W[w + L.ND_S2 * count + p]
            if shear == 1:
                s, _ = root_of(b, c)
                s1, s2 = root_rates(b, c, s, b1, c1)
            bend_y = W[w + L.ND_BEND_Y * count + p]
            bend_z = W[w + L.ND_BEND_Z * count + p]
            bend_y1 = W[w + L.ND_TAU * count + p]
            bend_z1 = W[w + L.ND_TAU1 * count + p]
            d = 1.0 / (1.0 + s)
            tau = (c * bend_y - b * bend_z) * d
            tau1 = (c1 * bend_y + c * bend_y1 - b1 * bend_z - b * bend_z1 - tau * s1) * d
            W[w + L.ND_TAU * count + p] = tau
            W[w + L.ND_TAU1 * count + p] = tau1
            W[w + L.ND_TAU2 * count + p] = (2.0 * (c1 * bend_y1 - b1 * bend_z1 - tau1 * s1) - tau * s2) * d
    else:
        for p in range(3 * count):
            W[w + L.ND_TAU * count + p] = 0.0


@kernel
def integrate_into(I, F, W, field, source, target, scale):
    """Array `target` += scale x integral along the beam of array `source`, from the end it is measured from."""
    n_local = I[field + L.FD_LOCAL]
    n_segments = I[field + L.FD_SEGMENTS]
    count = I[field + L.FD_N]
    matrix = I[field + L.FD_F]
    size = n_local * (n_local + 1)
    x = I[field + L.FD_W] + source * count
    out = I[field + L.FD_W] + target * count
    base = 0.0
    if I[field + L.FD_FROM_END] == 1:
        for segment in range(n_segments):
            weights = matrix + segment * size + n_local * n_local
            for r in range(n_local):
                base -= F[weights + r] * W[x + segment * n_local + r]
    for segment in range(n_segments):
        first = segment * n_local
        rows = matrix + segment * size
        for p in range(n_local):
            W[out + first + p] += scale * base
        for r in range(n_local):  # column by column: row r of the transposed matrix
            value = scale * W[x + first + r]
            for p in range(n_local):
                W[out + first + p] += F[rows + r * n_local + p] * value
            base += F[rows + n_local * n_local + r] * W[x + first + r]


@kernel
def gather_into(I, F, W, field, source, target):
    """The transpose: array `target` = what forces `source` on the integral at all stations do at each one."""
    n_local = I[field + L.FD_LOCAL]
    n_segments = I[field + L.FD_SEGMENTS]
    count = I[field + L.FD_N]
    matrix = I[field + L.FD_F]
    size = n_local * (n_local + 1)
    x = I[field + L.FD_W] + source * count
    out = I[field + L.FD_W] + target * count
    beyond = 0.0
    if I[field + L.FD_FROM_END] == 1:
        for p in range(count):
            beyond -= W[x + p]
    for segment in range(n_segments - 1, -1, -1):
        first = segment * n_local
        rows = matrix + segment * size
        total = 0.0
        for r in range(n_local):
            value = F[rows + n_local * n_local + r] * beyond
            for p in range(n_local):
                value += F[rows + r * n_local + p] * W[x + first + p]
            W[out + first + r] = value
            total += W[x + first + r]
        beyond += total
