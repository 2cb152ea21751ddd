"""Exact inextensible beam: what its inertia and elasticity ask of the frame and of every mode (theory 2.2, 3.2).

The centre line carries the mass at the stations: f = m (a + alpha x r + w x (w x r + 2 r') + r''). Its virtual work on
the modes goes back through the integral of s, whose transpose gives the axial force in the beam (`ND_PULL`); no mode
shape of a point is formed. Rotary inertia and lumps are slices of their own.
"""

from __future__ import annotations

import math

from flexmb.equations import layout as L
from flexmb.equations.fields.beam_nodes import gather_into, integrate_into, stations_at, sum_over
from flexmb.equations.fields.elastic import elastic_force_into
from flexmb.equations.fields.slices import slice_force_into
from flexmb.jit import kernel, program
from flexmb.vectors import ZERO, add, cross, load3, scale, store3


@kernel
def _centre_line_into(I, F, W, e, field, accelerate):
    """Position, velocity and acceleration of the centre line at the stations, relative to the frame."""
    ny = I[field + L.FD_NY]
    nz = I[field + L.FD_NZ]
    nu = I[field + L.FD_NU]
    q = I[L.Q] + I[e + L.B_ELASTIC_Q]
    v = I[L.V] + I[e + L.B_V] + I[e + L.B_NJ]
    a = I[L.A] + I[e + L.B_V] + I[e + L.B_NJ]
    n = ny + nz + nu + I[field + L.FD_NT]
    station, stride = stations_at(I, field)
    node = I[field + L.FD_W]
    for _ in range(I[field + L.FD_N]):
        value = station + L.ST_SHAPES
        slope = value + n
        W[node + L.ND_Y] = sum_over(F, W, value, q, 0, ny)
        W[node + L.ND_Z] = sum_over(F, W, value, q, ny, nz)
        W[node + L.ND_U] = F[station + L.ST_X] + sum_over(F, W, value, q, ny + nz, nu)
        W[node + L.ND_Y1] = sum_over(F, W, value, v, 0, ny)
        W[node + L.ND_Z1] = sum_over(F, W, value, v, ny, nz)
        W[node + L.ND_U1] = sum_over(F, W, value, v, ny + nz, nu)
        W[node + L.ND_S3] = W[node + L.ND_S2]
        if accelerate:
            W[node + L.ND_Y2] = sum_over(F, W, value, a, 0, ny)
            W[node + L.ND_Z2] = sum_over(F, W, value, a, ny, nz)
            W[node + L.ND_U2] = sum_over(F, W, value, a, ny + nz, nu)
            b2 = sum_over(F, W, slope, a, 0, ny)
            c2 = sum_over(F, W, slope, a, ny, nz)
            W[node + L.ND_S3] -= (W[node + L.ND_B] * b2 + W[node + L.ND_C] * c2) / W[node + L.ND_S]
        else:
            W[node + L.ND_Y2] = 0.0
            W[node + L.ND_Z2] = 0.0
            W[node + L.ND_U2] = 0.0
        station += stride
        node += L.NODE
    integrate_into(I, F, W, field, L.ND_DS, L.ND_U, 1.0)
    integrate_into(I, F, W, field, L.ND_S1, L.ND_U1, 1.0)
    integrate_into(I, F, W, field, L.ND_S3, L.ND_U2, 1.0)


@kernel
def _twist_into(I, F, W, e, field):
    """theta = phi - int tau at the stations, where the two bending stiffnesses differ."""
    nt = I[field + L.FD_NT]
    q = I[L.Q] + I[e + L.B_ELASTIC_Q]
    first = I[field + L.FD_NY] + I[field + L.FD_NZ] + I[field + L.FD_NU]
    station, stride = stations_at(I, field)
    node = I[field + L.FD_W]
    for _ in range(I[field + L.FD_N]):
        W[node + L.ND_THETA] = sum_over(F, W, station + L.ST_SHAPES, q, first, nt)
        station += stride
        node += L.NODE
    integrate_into(I, F, W, field, L.ND_TAU, L.ND_THETA, -1.0)


@kernel
def bending_excess(W, node, EIz, EIy, unequal):
    """What the exact bending energy of a station has more than 1/2 EIz beta'^2 + 1/2 EIy gamma'^2, and its derivatives.

    (energy, d/d beta, d/d gamma, d/d beta', d/d gamma', d/d theta)
    """
    b = W[node + L.ND_BETA]
    c = W[node + L.ND_GAMMA]
    p = W[node + L.ND_BEND_Y]
    r = W[node + L.ND_BEND_Z]
    square = 1.0 - b * b - c * c
    g = b * p + c * r
    if unequal == 0:
        h = g / square
        energy = 0.5 * EIz * g * h
        return energy, EIz * h * (p + h * b), EIz * h * (r + h * c), EIz * h * b, EIz * h * c, 0.0
    s = math.sqrt(square)
    d = s + square
    G = g / d
    Kb = p + b * G
    Kc = r + c * G
    cos = math.cos(W[node + L.ND_THETA])
    sin = math.sin(W[node + L.ND_THETA])
    k1 = cos * Kb + sin * Kc
    k2 = cos * Kc - sin * Kb
    energy = 0.5 * EIz * (k1 * k1 - p * p) + 0.5 * EIy * (k2 * k2 - r * r)
    mb = EIz * k1 * cos - EIy * k2 * sin
    mc = EIz * k1 * sin + EIy * k2 * cos
    mu = (mb * b + mc * c) / d
    fall = mu * G * (1.0 + 2.0 * s) / s  # through d = s + s^2, ds = -(b db + c dc)/s
    by_b = G * mb + mu * p + fall * b
    by_c = G * mc + mu * r + fall * c
    return energy, by_b, by_c, mb + mu * b - EIz * p, mc + mu * c - EIy * r, (EIz - EIy) * k1 * k2


@kernel
def _twist_work(W, node):
    """Derivatives of -tau times its force with respect to beta, gamma, beta', gamma'."""
    force = -W[node + L.ND_TORSION]
    b = W[node + L.ND_BETA]
    c = W[node + L.ND_GAMMA]
    s = math.sqrt(1.0 - b * b - c * c)
    d = force / (1.0 + s)
    tau = W[node + L.ND_TAU] / s
    return (
        d * (b * tau - W[node + L.ND_BEND_Z]),
        d * (c * tau + W[node + L.ND_BEND_Y]),
        d * c,
        -d * b,
    )


@program
def beam_force(I, F, W, arg):
    """Wrench on the frame and force on every mode of body record arg // 2; arg odd: with the mode accelerations A."""
    e = arg >> 1
    field = I[e + L.B_FIELD]
    block = I[e + L.B_W]
    ny = I[field + L.FD_NY]
    nz = I[field + L.FD_NZ]
    nu = I[field + L.FD_NU]
    nt = I[field + L.FD_NT]
    n = ny + nz + nu + nt
    unequal = I[field + L.FD_UNEQUAL]
    _centre_line_into(I, F, W, e, field, arg & 1)
    if unequal:
        _twist_into(I, F, W, e, field)
    w = load3(W, block + L.W_OMEGA)
    a = load3(W, block + L.W_ACC)
    al = load3(W, block + L.W_ALPHA)
    force = ZERO
    moment = ZERO
    station, stride = stations_at(I, field)
    node = I[field + L.FD_W]
    for _ in range(I[field + L.FD_N]):
        r = (W[node + L.ND_U], W[node + L.ND_Y], W[node + L.ND_Z])
        r1 = (W[node + L.ND_U1], W[node + L.ND_Y1], W[node + L.ND_Z1])
        r2 = (W[node + L.ND_U2], W[node + L.ND_Y2], W[node + L.ND_Z2])
        turn = add(cross(al, r), cross(w, add(cross(w, r), scale(2.0, r1))))
        f = scale(F[station + L.ST_MASS], add(add(a, turn), r2))
        force = add(force, f)
        moment = add(moment, cross(r, f))
        store3(W, node + L.ND_FX, f)
        if unequal:
            excess = bending_excess(W, node, F[station + L.ST_EIZ], F[station + L.ST_EIY], unequal)
            W[node + L.ND_TWIST] = excess[5]
        station += stride
        node += L.NODE
    store3(W, block + L.W_F, force)
    store3(W, block + L.W_F + 3, moment)
    out = block + L.W_F + 6
    elastic_force_into(I, F, W, e, field, out)
    gather_into(I, F, W, field, L.ND_FX, L.ND_PULL)
    station, stride = stations_at(I, field)
    node = I[field + L.FD_W]
    if unequal:
        for p in range(I[field + L.FD_N]):
            for k in range(ny + nz + nu, n):
                W[out + k] += F[station + p * stride + L.ST_SHAPES + k] * W[node + p * L.NODE + L.ND_TWIST]
        gather_into(I, F, W, field, L.ND_TWIST, L.ND_TORSION)
    for _ in range(I[field + L.FD_N]):
        value = station + L.ST_SHAPES
        slope = value + n
        turn_at = slope + ny + nz
        bend = turn_at + ny + nz
        pull = -W[node + L.ND_PULL] / W[node + L.ND_S]
        by_b = pull * W[node + L.ND_B]
        by_c = pull * W[node + L.ND_C]
        _, on_b, on_c, on_p, on_r, _ = bending_excess(
            W, node, F[station + L.ST_EIZ], F[station + L.ST_EIY], unequal
        )
        if unequal:
            t_b, t_c, t_p, t_r = _twist_work(W, node)
            on_b += t_b
            on_c += t_c
            on_p += t_p
            on_r += t_r
        if I[field + L.FD_SHEAR] == 1:
            for k in range(ny):
                W[out + k] += F[turn_at + k] * on_b
            for k in range(ny, ny + nz):
                W[out + k] += F[turn_at + k] * on_c
        else:
            by_b += on_b
            by_c += on_c
        fx = W[node + L.ND_FX]
        fy = W[node + L.ND_FY]
        fz = W[node + L.ND_FZ]
        for k in range(ny):
            W[out + k] += F[value + k] * fy + F[slope + k] * by_b + F[bend + k] * on_p
        for k in range(ny, ny + nz):
            W[out + k] += F[value + k] * fz + F[slope + k] * by_c + F[bend + k] * on_r
        for k in range(ny + nz, ny + nz + nu):
            W[out + k] += F[value + k] * fx
        station += stride
        node += L.NODE
    for k in range(I[field + L.FD_N_SLICES]):
        slice_force_into(I, F, W, e, I[field + L.FD_SLICES] + k * L.SLICE, arg & 1)
