"""Exact inextensible beam: what its inertia and elasticity ask of the frame and of every mode (theory 2.2, 3.2).

The centre line carries the mass at the stations: f = m (a + alpha x r + w x (w x r + 2 r') + r''). Its virtual work on
the modes goes back through the integral of s, whose transpose gives the axial force in the beam (`ND_PULL`); no mode
shape of a point is formed. Rotary inertia and lumps are slices of their own.
"""

from __future__ import annotations

import math

from flexmb.equations.fields.beam_nodes import gather_into, integrate_into, mix_into, root_of, shapes_at
from flexmb.equations.fields.elastic import elastic_force_into
from flexmb.equations.fields.slices import slice_force_into
from flexmb.jit import kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import ZERO, add, cross, load3, scale, store3


@kernel
def _centre_line_into(I, F, W, e, field, accelerate):
    """Position, velocity and acceleration of the centre line at the stations, relative to the frame."""
    ny = I[field + L.FD_NY]
    nz = I[field + L.FD_NZ]
    nu = I[field + L.FD_NU]
    count = I[field + L.FD_N]
    q = I[L.Q] + I[e + L.B_ELASTIC_Q]
    v = I[L.V] + I[e + L.B_V] + I[e + L.B_NJ]
    a = I[L.A] + I[e + L.B_V] + I[e + L.B_NJ]
    stations, value, slope, _, _ = shapes_at(I, field)
    w = I[field + L.FD_W]
    mix_into(F, W, value, q, 0, ny, count, w + L.ND_Y * count)
    mix_into(F, W, value, q, ny, nz, count, w + L.ND_Z * count)
    mix_into(F, W, value, q, ny + nz, nu, count, w + L.ND_U * count)
    mix_into(F, W, value, v, 0, ny, count, w + L.ND_Y1 * count)
    mix_into(F, W, value, v, ny, nz, count, w + L.ND_Z1 * count)
    mix_into(F, W, value, v, ny + nz, nu, count, w + L.ND_U1 * count)
    for p in range(count):
        W[w + L.ND_U * count + p] += F[stations + L.ST_X * count + p]
        W[w + L.ND_S3 * count + p] = W[w + L.ND_S2 * count + p]
    if accelerate:
        # The accelerations of the slopes stand where the force will.
        mix_into(F, W, slope, a, 0, ny, count, w + L.ND_FY * count)
        mix_into(F, W, slope, a, ny, nz, count, w + L.ND_FZ * count)
        for p in range(count):
            bend = W[w + L.ND_B * count + p] * W[w + L.ND_FY * count + p]
            bend += W[w + L.ND_C * count + p] * W[w + L.ND_FZ * count + p]
            W[w + L.ND_S3 * count + p] -= bend / W[w + L.ND_S * count + p]
        mix_into(F, W, value, a, 0, ny, count, w + L.ND_Y2 * count)
        mix_into(F, W, value, a, ny, nz, count, w + L.ND_Z2 * count)
        mix_into(F, W, value, a, ny + nz, nu, count, w + L.ND_U2 * count)
    else:
        for p in range(3 * count):
            W[w + L.ND_Y2 * count + p] = 0.0
    integrate_into(I, F, W, field, L.ND_DS, L.ND_U, 1.0)
    integrate_into(I, F, W, field, L.ND_S1, L.ND_U1, 1.0)
    integrate_into(I, F, W, field, L.ND_S3, L.ND_U2, 1.0)


@kernel
def bending_excess(W, w, count, p, EIz, EIy, unequal):
    """What the exact bending energy of station p has more than 1/2 EIz beta'^2 + 1/2 EIy gamma'^2, and its derivatives.

    (energy, d/d beta, d/d gamma, d/d beta', d/d gamma', d/d theta)
    """
    b = W[w + L.ND_BETA * count + p]
    c = W[w + L.ND_GAMMA * count + p]
    y = W[w + L.ND_BEND_Y * count + p]
    z = W[w + L.ND_BEND_Z * count + p]
    square = 1.0 - b * b - c * c
    g = b * y + c * z
    if unequal == 0:
        h = g / square
        energy = 0.5 * EIz * g * h
        return energy, EIz * h * (y + h * b), EIz * h * (z + h * c), EIz * h * b, EIz * h * c, 0.0
    s, _ = root_of(b, c)
    d = s + square
    G = g / d
    Kb = y + b * G
    Kc = z + c * G
    cos = math.cos(W[w + L.ND_THETA * count + p])
    sin = math.sin(W[w + L.ND_THETA * count + p])
    k1 = cos * Kb + sin * Kc
    k2 = cos * Kc - sin * Kb
    energy = 0.5 * EIz * (k1 * k1 - y * y) + 0.5 * EIy * (k2 * k2 - z * z)
    mb = EIz * k1 * cos - EIy * k2 * sin
    mc = EIz * k1 * sin + EIy * k2 * cos
    mu = (mb * b + mc * c) / d
    fall = mu * G * (1.0 + 2.0 * s) / s  # through d = s + s^2, ds = -(b db + c dc)/s
    by_b = G * mb + mu * y + fall * b
    by_c = G * mc + mu * z + fall * c
    return energy, by_b, by_c, mb + mu * b - EIz * y, mc + mu * c - EIy * z, (EIz - EIy) * k1 * k2


@kernel
def _twist_into(I, F, W, e, field):
    """theta = phi - int tau at the stations and the torque on it, where the two bending stiffnesses differ.

    The torque works on the torsion shapes here; its transpose through the integral goes to `ND_TORSION`.
    """
    count = I[field + L.FD_N]
    first = I[field + L.FD_NY] + I[field + L.FD_NZ] + I[field + L.FD_NU]
    nt = I[field + L.FD_NT]
    stations, value, _, _, _ = shapes_at(I, field)
    w = I[field + L.FD_W]
    q = I[L.Q] + I[e + L.B_ELASTIC_Q]
    out = I[e + L.B_W] + L.W_F + 6
    mix_into(F, W, value, q, first, nt, count, w + L.ND_THETA * count)
    integrate_into(I, F, W, field, L.ND_TAU, L.ND_THETA, -1.0)
    for p in range(count):
        EIz = F[stations + L.ST_EIZ * count + p]
        EIy = F[stations + L.ST_EIY * count + p]
        W[w + L.ND_TWIST * count + p] = bending_excess(W, w, count, p, EIz, EIy, 1)[5]
    for k in range(first, first + nt):
        s = 0.0
        for p in range(count):
            s += F[value + k * count + p] * W[w + L.ND_TWIST * count + p]
        W[out + k] += s
    gather_into(I, F, W, field, L.ND_TWIST, L.ND_TORSION)


@kernel
def _twist_work(W, w, count, p):
    """Derivatives of -tau times its force with respect to beta, gamma, beta', gamma'."""
    b = W[w + L.ND_BETA * count + p]
    c = W[w + L.ND_GAMMA * count + p]
    s, _ = root_of(b, c)
    d = -W[w + L.ND_TORSION * count + p] / (1.0 + s)
    tau = W[w + L.ND_TAU * count + p] / s
    by_b = d * (b * tau - W[w + L.ND_BEND_Z * count + p])
    by_c = d * (c * tau + W[w + L.ND_BEND_Y * count + p])
    return by_b, by_c, d * c, -d * b


@kernel
def _elastic_work_into(I, F, W, field):
    """What works on slopes and curvatures at the stations: axial force, exact bending, twist.

    By slope in y and z to ND_S3 and ND_U2, by turn to ND_U1 and ND_Y1, by curvature to ND_Y2 and ND_Z2: the motion that
    stood there has done its work.
    """
    count = I[field + L.FD_N]
    unequal = I[field + L.FD_UNEQUAL]
    stations, _, _, _, _ = shapes_at(I, field)
    w = I[field + L.FD_W]
    for p in range(count):
        pull = -W[w + L.ND_PULL * count + p] / W[w + L.ND_S * count + p]
        EIz = F[stations + L.ST_EIZ * count + p]
        EIy = F[stations + L.ST_EIY * count + p]
        _, by_b, by_c, by_y, by_z, _ = bending_excess(W, w, count, p, EIz, EIy, unequal)
        if unequal:
            t_b, t_c, t_y, t_z = _twist_work(W, w, count, p)
            by_b += t_b
            by_c += t_c
            by_y += t_y
            by_z += t_z
        W[w + L.ND_S3 * count + p] = pull * W[w + L.ND_B * count + p]
        W[w + L.ND_U2 * count + p] = pull * W[w + L.ND_C * count + p]
        W[w + L.ND_U1 * count + p] = by_b
        W[w + L.ND_Y1 * count + p] = by_c
        W[w + L.ND_Y2 * count + p] = by_y
        W[w + L.ND_Z2 * count + p] = by_z
    if I[field + L.FD_SHEAR] == 0:  # turns are slopes
        for p in range(count):
            W[w + L.ND_S3 * count + p] += W[w + L.ND_U1 * count + p]
            W[w + L.ND_U2 * count + p] += W[w + L.ND_Y1 * count + p]


@kernel
def _on_modes_into(F, W, rows, first, number, count, x, out):
    """W[out + k] += sum over the stations of F[rows + k count + p] W[x + p]."""
    for k in range(first, first + number):
        row = rows + k * count
        s = 0.0
        t = 0.0
        for p in range(0, count - 1, 2):
            s += F[row + p] * W[x + p]
            t += F[row + p + 1] * W[x + p + 1]
        if count & 1:
            s += F[row + count - 1] * W[x + count - 1]
        W[out + k] += s + t


@program
def beam_force(I, F, W, arg):
    """Wrench on the frame and force on every mode of body record arg // 2; arg odd: with the mode accelerations A."""
    e = arg >> 1
    field = I[e + L.B_FIELD]
    block = I[e + L.B_W]
    ny = I[field + L.FD_NY]
    nz = I[field + L.FD_NZ]
    nu = I[field + L.FD_NU]
    count = I[field + L.FD_N]
    out = block + L.W_F + 6
    elastic_force_into(I, F, W, e, field, out)
    _centre_line_into(I, F, W, e, field, arg & 1)
    omega = load3(W, block + L.W_OMEGA)
    a = load3(W, block + L.W_ACC)
    al = load3(W, block + L.W_ALPHA)
    force = ZERO
    moment = ZERO
    stations, value, slope, turn, bend = shapes_at(I, field)
    w = I[field + L.FD_W]
    for p in range(count):
        r = (W[w + L.ND_U * count + p], W[w + L.ND_Y * count + p], W[w + L.ND_Z * count + p])
        r1 = (W[w + L.ND_U1 * count + p], W[w + L.ND_Y1 * count + p], W[w + L.ND_Z1 * count + p])
        r2 = (W[w + L.ND_U2 * count + p], W[w + L.ND_Y2 * count + p], W[w + L.ND_Z2 * count + p])
        round_about = add(cross(al, r), cross(omega, add(cross(omega, r), scale(2.0, r1))))
        f = scale(F[stations + L.ST_MASS * count + p], add(add(a, round_about), r2))
        W[w + L.ND_FX * count + p] = f[0]
        W[w + L.ND_FY * count + p] = f[1]
        W[w + L.ND_FZ * count + p] = f[2]
    for p in range(count):  # sums in a loop of their own, so that the one above takes several stations at a time
        r = (W[w + L.ND_U * count + p], W[w + L.ND_Y * count + p], W[w + L.ND_Z * count + p])
        f = (W[w + L.ND_FX * count + p], W[w + L.ND_FY * count + p], W[w + L.ND_FZ * count + p])
        force = add(force, f)
        moment = add(moment, cross(r, f))
    store3(W, block + L.W_F, force)
    store3(W, block + L.W_F + 3, moment)
    gather_into(I, F, W, field, L.ND_FX, L.ND_PULL)
    if I[field + L.FD_UNEQUAL]:
        _twist_into(I, F, W, e, field)
    _elastic_work_into(I, F, W, field)
    _on_modes_into(F, W, value, 0, ny, count, w + L.ND_FY * count, out)
    _on_modes_into(F, W, value, ny, nz, count, w + L.ND_FZ * count, out)
    _on_modes_into(F, W, value, ny + nz, nu, count, w + L.ND_FX * count, out)
    _on_modes_into(F, W, slope, 0, ny, count, w + L.ND_S3 * count, out)
    _on_modes_into(F, W, slope, ny, nz, count, w + L.ND_U2 * count, out)
    _on_modes_into(F, W, bend, 0, ny, count, w + L.ND_Y2 * count, out)
    _on_modes_into(F, W, bend, ny, nz, count, w + L.ND_Z2 * count, out)
    if I[field + L.FD_SHEAR]:
        _on_modes_into(F, W, turn, 0, ny, count, w + L.ND_U1 * count, out)
        _on_modes_into(F, W, turn, ny, nz, count, w + L.ND_Y1 * count, out)
    for k in range(I[field + L.FD_N_SLICES]):
        slice_force_into(I, F, W, e, I[field + L.FD_SLICES] + k * L.SLICE, arg & 1)
