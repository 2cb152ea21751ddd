"""Exact inextensible beam: what its inertia and elasticity require of the frame and of every mode (theory 2.2, 3.2).

The centre line carries the mass at the stations: f = m (a + alpha x r + w x (w x r + 2 r') + r''). Its virtual work on
the modes goes back through the integral of s, whose transpose gives the axial force in the beam (`ND_PULL`); no mode
shape of a point is formed. Rotary inertia is added in `beam_rotary`; lumps are slices of their own.
"""

from __future__ import annotations

import math

from flexmb.equations.fields.beam_nodes import gather_into, integrate_into, mix_into, root_of, shapes_at
from flexmb.equations.fields.beam_rotary import rotary_force_into, theta_into, twist_slopes
from flexmb.equations.fields.elastic import elastic_force_into
from flexmb.equations.fields.slices import slice_force_into
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    a_wb_b_at,
    alpha_wb_b_at,
    block_of,
    eta_ddot_of,
    eta_dot_of,
    eta_of,
    field_of,
    omega_wb_b_at,
    wants_accelerations,
    wrench_of,
)
from flexmb.layout.beam_access import n_stations_of, shape_counts_of, station_array, station_vector, stations_of
from flexmb.machine_code.jit import kernel, program
from flexmb.vectors import ZERO, add, cross, scale, store_pair

POSITION = (L.ND_U, L.ND_Y, L.ND_Z)
VELOCITY = (L.ND_U1, L.ND_Y1, L.ND_Z1)
ACCELERATION = (L.ND_U2, L.ND_Y2, L.ND_Z2)
FORCE = (L.ND_FX, L.ND_FY, L.ND_FZ)
MOMENT = (L.ND_NX, L.ND_NY, L.ND_NZ)
"""Arrays over the stations: motion of the centre line, inertia force, moment of the rotary inertia."""


@kernel
def _centre_line_into(I, F, W, body, field, accelerate):
    """Position, velocity and acceleration of the centre line at the stations, relative to the frame."""
    n_y, n_z, n_u, _ = shape_counts_of(I, field)
    n_stations = n_stations_of(I, field)
    stations = stations_of(I, field)
    eta = eta_of(I, body)
    eta_dot = eta_dot_of(I, body)
    constants, value, _, _, _ = shapes_at(I, field)
    x = station_array(stations, n_stations, L.ND_U)
    mix_into(F, W, value, eta, 0, n_y, n_stations, station_array(stations, n_stations, L.ND_Y))
    mix_into(F, W, value, eta, n_y, n_z, n_stations, station_array(stations, n_stations, L.ND_Z))
    mix_into(F, W, value, eta, n_y + n_z, n_u, n_stations, x)
    mix_into(F, W, value, eta_dot, 0, n_y, n_stations, station_array(stations, n_stations, L.ND_Y1))
    mix_into(F, W, value, eta_dot, n_y, n_z, n_stations, station_array(stations, n_stations, L.ND_Z1))
    mix_into(F, W, value, eta_dot, n_y + n_z, n_u, n_stations, station_array(stations, n_stations, L.ND_U1))
    gamma_s = station_array(stations, n_stations, L.ND_S2)
    s_ddot = station_array(stations, n_stations, L.ND_S3)
    for p in range(n_stations):
        W[x + p] += F[constants + L.ST_X * n_stations + p]
        W[s_ddot + p] = W[gamma_s + p]
    if accelerate:
        _accelerations_into(I, F, W, body, field)
    else:
        y_ddot = station_array(stations, n_stations, L.ND_Y2)  # z'' and x'' follow
        for p in range(3 * n_stations):
            W[y_ddot + p] = 0.0
    integrate_into(I, F, W, field, L.ND_DS, L.ND_U, 1.0)
    integrate_into(I, F, W, field, L.ND_S1, L.ND_U1, 1.0)
    integrate_into(I, F, W, field, L.ND_S3, L.ND_U2, 1.0)


@kernel
def _accelerations_into(I, F, W, body, field):
    """Part of the mode accelerations A in s'', and y'', z'', u'' of the shapes."""
    n_y, n_z, n_u, _ = shape_counts_of(I, field)
    n_stations = n_stations_of(I, field)
    stations = stations_of(I, field)
    eta_ddot = eta_ddot_of(I, body)
    _, value, slope, _, _ = shapes_at(I, field)
    b = station_array(stations, n_stations, L.ND_B)
    c = station_array(stations, n_stations, L.ND_C)
    s = station_array(stations, n_stations, L.ND_S)
    s_ddot = station_array(stations, n_stations, L.ND_S3)
    b_ddot = station_array(stations, n_stations, L.ND_FY)  # kept where the force will be
    c_ddot = station_array(stations, n_stations, L.ND_FZ)
    mix_into(F, W, slope, eta_ddot, 0, n_y, n_stations, b_ddot)
    mix_into(F, W, slope, eta_ddot, n_y, n_z, n_stations, c_ddot)
    for p in range(n_stations):
        bend = W[b + p] * W[b_ddot + p]
        bend += W[c + p] * W[c_ddot + p]
        W[s_ddot + p] -= bend / W[s + p]
    mix_into(F, W, value, eta_ddot, 0, n_y, n_stations, station_array(stations, n_stations, L.ND_Y2))
    mix_into(F, W, value, eta_ddot, n_y, n_z, n_stations, station_array(stations, n_stations, L.ND_Z2))
    mix_into(F, W, value, eta_ddot, n_y + n_z, n_u, n_stations, station_array(stations, n_stations, L.ND_U2))


@kernel
def bending_excess(W, stations, n_stations, p, EIz, EIy, unequal):
    """Exact bending energy of station p less 1/2 EIz beta'^2 + 1/2 EIy gamma'^2, and its derivatives.

    (energy, d/d beta, d/d gamma, d/d beta', d/d gamma', d/d theta); `stations` is the place of all arrays in W.
    """
    b = W[stations + L.ND_BETA * n_stations + p]
    c = W[stations + L.ND_GAMMA * n_stations + p]
    y = W[stations + L.ND_BEND_Y * n_stations + p]
    z = W[stations + L.ND_BEND_Z * n_stations + p]
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
    theta = W[stations + L.ND_THETA * n_stations + p]
    cos = math.cos(theta)
    sin = math.sin(theta)
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
def _twist_into(I, F, W, body, field, accelerate):
    """Torque on theta = phi - int tau at the stations, of unequal bending stiffnesses and of rotary inertia.

    It works on the torsion shapes here; its transpose through the integral goes to `ND_TORSION`.
    """
    n_stations = n_stations_of(I, field)
    stations = stations_of(I, field)
    n_y, n_z, n_u, n_t = shape_counts_of(I, field)
    constants, value, _, _, _ = shapes_at(I, field)
    torque = station_array(stations, n_stations, L.ND_TWIST)
    unequal = I[field + L.FD_UNEQUAL]
    if unequal or I[field + L.FD_ROTARY] == 2:
        theta_into(I, F, W, body, field)
    for p in range(n_stations):
        EIz = F[constants + L.ST_EIZ * n_stations + p]
        EIy = F[constants + L.ST_EIY * n_stations + p]
        W[torque + p] = bending_excess(W, stations, n_stations, p, EIz, EIy, 1)[5] if unequal else 0.0
    if I[field + L.FD_ROTARY]:
        rotary_force_into(I, F, W, body, field, accelerate)
    _on_modes_into(F, W, value, n_y + n_z + n_u, n_t, n_stations, torque, wrench_of(I, body) + 6)
    gather_into(I, F, W, field, L.ND_TWIST, L.ND_TORSION)


@kernel
def _elastic_work_into(I, F, W, field):
    """Forces on slopes and curvatures at the stations: axial force, exact bending, twist.

    By slope in y and z to ND_S3 and ND_U2, by turn to ND_U1 and ND_Y1, by curvature to ND_Y2 and ND_Z2: the motion that
    was there has done its work. The rotary inertia works by the turns too.
    """
    n_stations = n_stations_of(I, field)
    stations = stations_of(I, field)
    unequal = I[field + L.FD_UNEQUAL]
    rotary = I[field + L.FD_ROTARY]
    constants, _, _, _, _ = shapes_at(I, field)
    b = station_array(stations, n_stations, L.ND_B)
    c = station_array(stations, n_stations, L.ND_C)
    s = station_array(stations, n_stations, L.ND_S)
    axial = station_array(stations, n_stations, L.ND_PULL)
    by_slope_y = station_array(stations, n_stations, L.ND_S3)
    by_slope_z = station_array(stations, n_stations, L.ND_U2)
    by_turn_y = station_array(stations, n_stations, L.ND_U1)
    by_turn_z = station_array(stations, n_stations, L.ND_Y1)
    by_bend_y = station_array(stations, n_stations, L.ND_Y2)
    by_bend_z = station_array(stations, n_stations, L.ND_Z2)
    for p in range(n_stations):
        pull = -W[axial + p] / W[s + p]
        EIz = F[constants + L.ST_EIZ * n_stations + p]
        EIy = F[constants + L.ST_EIY * n_stations + p]
        _, by_b, by_c, by_y, by_z, _ = bending_excess(W, stations, n_stations, p, EIz, EIy, unequal)
        if unequal or rotary:
            t_b, t_c, t_y, t_z = twist_slopes(W, stations, n_stations, p)
            torsion = W[stations + L.ND_TORSION * n_stations + p]
            by_b -= torsion * t_b
            by_c -= torsion * t_c
            by_y -= torsion * t_y
            by_z -= torsion * t_z
        if rotary:
            by_b += W[stations + L.ND_ROT_Y * n_stations + p]
            by_c += W[stations + L.ND_ROT_Z * n_stations + p]
        W[by_slope_y + p] = pull * W[b + p]
        W[by_slope_z + p] = pull * W[c + p]
        W[by_turn_y + p] = by_b
        W[by_turn_z + p] = by_c
        W[by_bend_y + p] = by_y
        W[by_bend_z + p] = by_z
    if I[field + L.FD_SHEAR] == 0:  # turns are slopes
        for p in range(n_stations):
            W[by_slope_y + p] += W[by_turn_y + p]
            W[by_slope_z + p] += W[by_turn_z + p]


@kernel
def _on_modes_into(F, W, shapes, first, number, n_stations, x, out):
    """W[out + k] += sum over the stations of F[shapes + k n_stations + p] W[x + p]."""
    for k in range(first, first + number):
        row = shapes + k * n_stations
        s = 0.0
        t = 0.0
        for p in range(0, n_stations - 1, 2):
            s += F[row + p] * W[x + p]
            t += F[row + p + 1] * W[x + p + 1]
        if n_stations & 1:  # an odd number of stations
            s += F[row + n_stations - 1] * W[x + n_stations - 1]
        W[out + k] += s + t


@kernel
def _inertia_force_into(I, F, W, body, field):
    """f = m (a + alpha x r + w x (w x r + 2 r') + r'') at the stations, and its wrench on the frame."""
    n_stations = n_stations_of(I, field)
    stations = stations_of(I, field)
    block = block_of(I, body)
    omega = omega_wb_b_at(W, block)
    a = a_wb_b_at(W, block)
    alpha = alpha_wb_b_at(W, block)
    constants, _, _, _, _ = shapes_at(I, field)
    fx = station_array(stations, n_stations, L.ND_FX)
    fy = station_array(stations, n_stations, L.ND_FY)
    fz = station_array(stations, n_stations, L.ND_FZ)
    for p in range(n_stations):
        r = station_vector(W, stations, n_stations, POSITION, p)
        r_dot = station_vector(W, stations, n_stations, VELOCITY, p)
        r_ddot = station_vector(W, stations, n_stations, ACCELERATION, p)
        turn = add(cross(alpha, r), cross(omega, add(cross(omega, r), scale(2.0, r_dot))))
        f = scale(F[constants + L.ST_MASS * n_stations + p], add(add(a, turn), r_ddot))
        W[fx + p] = f[0]
        W[fy + p] = f[1]
        W[fz + p] = f[2]
    force = ZERO
    moment = ZERO
    for p in range(n_stations):  # sums in a loop of their own, so that the one above takes several stations at a time
        r = station_vector(W, stations, n_stations, POSITION, p)
        f = station_vector(W, stations, n_stations, FORCE, p)
        force = add(force, f)
        moment = add(moment, cross(r, f))
    store_pair(W, wrench_of(I, body), force, moment)


@program
def beam_force(I, F, W, body):
    """Wrench on the frame and force on every mode of a body record; with the mode accelerations A if X_ACCELERATE."""
    accelerate = wants_accelerations(I, W)
    field = field_of(I, body)
    n_y, n_z, n_u, _ = shape_counts_of(I, field)
    n_stations = n_stations_of(I, field)
    stations = stations_of(I, field)
    out = wrench_of(I, body) + 6
    elastic_force_into(I, F, W, body, field, out)
    _centre_line_into(I, F, W, body, field, accelerate)
    _inertia_force_into(I, F, W, body, field)
    gather_into(I, F, W, field, L.ND_FX, L.ND_PULL)
    if I[field + L.FD_UNEQUAL] or I[field + L.FD_ROTARY]:
        _twist_into(I, F, W, body, field, accelerate)
    _elastic_work_into(I, F, W, field)
    _, value, slope, turn, curvature = shapes_at(I, field)
    _on_modes_into(F, W, value, 0, n_y, n_stations, station_array(stations, n_stations, L.ND_FY), out)
    _on_modes_into(F, W, value, n_y, n_z, n_stations, station_array(stations, n_stations, L.ND_FZ), out)
    _on_modes_into(F, W, value, n_y + n_z, n_u, n_stations, station_array(stations, n_stations, L.ND_FX), out)
    _on_modes_into(F, W, slope, 0, n_y, n_stations, station_array(stations, n_stations, L.ND_S3), out)
    _on_modes_into(F, W, slope, n_y, n_z, n_stations, station_array(stations, n_stations, L.ND_U2), out)
    _on_modes_into(F, W, curvature, 0, n_y, n_stations, station_array(stations, n_stations, L.ND_Y2), out)
    _on_modes_into(F, W, curvature, n_y, n_z, n_stations, station_array(stations, n_stations, L.ND_Z2), out)
    if I[field + L.FD_SHEAR]:
        _on_modes_into(F, W, turn, 0, n_y, n_stations, station_array(stations, n_stations, L.ND_U1), out)
        _on_modes_into(F, W, turn, n_y, n_z, n_stations, station_array(stations, n_stations, L.ND_Y1), out)
    for k in range(I[field + L.FD_N_SLICES]):
        slice_force_into(I, F, W, body, I[field + L.FD_SLICES] + k * L.SLICE, accelerate)
