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

from flexmb.layout import flat_arrays as L
from flexmb.layout.access import eta_dot_of, eta_of, field_of
from flexmb.layout.beam_access import n_stations_of, shape_counts_of, station_array, stations_of
from flexmb.machine_code.jit import kernel, program
from flexmb.vectors import add, scale


@kernel
def shapes_at(I, field):
    """Places in F: arrays of the stations, of the shapes' values, slopes, turns and curvatures."""
    n_local = I[field + L.FD_LOCAL]
    n_stations = n_stations_of(I, field)
    n_y, n_z, n_u, n_t = shape_counts_of(I, field)
    n_bending = n_y + n_z
    constants = I[field + L.FD_F] + I[field + L.FD_SEGMENTS] * n_local * (n_local + 1)
    value = constants + L.ST_SHAPES * n_stations
    slope = value + (n_bending + n_u + n_t) * n_stations
    turn = slope + n_bending * n_stations
    return constants, value, slope, turn, turn + n_bending * n_stations


@kernel
def mix_into(F, W, shapes, x, first, number, n_stations, out):
    """W[out + p] = sum over the modes k from `first` of F[shapes + k n_stations + p] W[x + k], for all stations p."""
    for p in range(n_stations):
        W[out + p] = 0.0
    for k in range(first, first + number):
        factor = W[x + k]
        row = shapes + k * n_stations
        for p in range(n_stations):
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


@kernel
def section_frame(sigma, beta, gamma, theta):
    """Smallest rotation e1 -> (sigma, beta, gamma), then a turn theta about the first axis."""
    d = 1.0 / (1.0 + sigma)
    cos = math.cos(theta)
    sin = math.sin(theta)
    y = (-beta, 1.0 - beta * beta * d, -beta * gamma * d)
    z = (-gamma, -beta * gamma * d, 1.0 - gamma * gamma * d)
    e2 = add(scale(cos, y), scale(sin, z))
    e3 = add(scale(cos, z), scale(-sin, y))
    return (sigma, e2[0], e3[0], beta, e2[1], e3[1], gamma, e2[2], e3[2])


@program
def beam_nodes(I, F, W, body):
    """Slopes, turns, twist and rates at the stations of a body record, to its arrays in W."""
    field = field_of(I, body)
    n_y, n_z, _, _ = shape_counts_of(I, field)
    has_shear = I[field + L.FD_SHEAR] == 1
    n = n_stations_of(I, field)
    at = stations_of(I, field)
    eta = eta_of(I, body)
    eta_dot = eta_dot_of(I, body)
    _, _, slope, turn, curvature = shapes_at(I, field)
    mix_into(F, W, slope, eta, 0, n_y, n, station_array(at, n, L.ND_B))
    mix_into(F, W, slope, eta, n_y, n_z, n, station_array(at, n, L.ND_C))
    mix_into(F, W, slope, eta_dot, 0, n_y, n, station_array(at, n, L.ND_B1))
    mix_into(F, W, slope, eta_dot, n_y, n_z, n, station_array(at, n, L.ND_C1))
    mix_into(F, W, curvature, eta, 0, n_y, n, station_array(at, n, L.ND_BEND_Y))
    mix_into(F, W, curvature, eta, n_y, n_z, n, station_array(at, n, L.ND_BEND_Z))
    if has_shear:
        mix_into(F, W, turn, eta, 0, n_y, n, station_array(at, n, L.ND_BETA))
        mix_into(F, W, turn, eta, n_y, n_z, n, station_array(at, n, L.ND_GAMMA))
        mix_into(F, W, turn, eta_dot, 0, n_y, n, station_array(at, n, L.ND_BETA1))
        mix_into(F, W, turn, eta_dot, n_y, n_z, n, station_array(at, n, L.ND_GAMMA1))
    for p in range(n):
        b = W[at + L.ND_B * n + p]
        c = W[at + L.ND_C * n + p]
        b_dot = W[at + L.ND_B1 * n + p]
        c_dot = W[at + L.ND_C1 * n + p]
        s, shortening = root_of(b, c)
        s_dot, gamma_s = root_rates(b, c, s, b_dot, c_dot)
        W[at + L.ND_S * n + p] = s
        W[at + L.ND_DS * n + p] = shortening
        W[at + L.ND_S1 * n + p] = s_dot
        W[at + L.ND_S2 * n + p] = gamma_s
        if not has_shear:
            W[at + L.ND_BETA * n + p] = b
            W[at + L.ND_GAMMA * n + p] = c
            W[at + L.ND_BETA1 * n + p] = b_dot
            W[at + L.ND_GAMMA1 * n + p] = c_dot
    if n_y > 0 and n_z > 0:
        # The rates of beta', gamma' are first kept where tau and its rate will be.
        mix_into(F, W, curvature, eta_dot, 0, n_y, n, station_array(at, n, L.ND_TAU))
        mix_into(F, W, curvature, eta_dot, n_y, n_z, n, station_array(at, n, L.ND_TAU1))
        _frame_twist_into(W, at, n, has_shear)
    else:
        for p in range(3 * n):
            W[at + L.ND_TAU * n + p] = 0.0


@kernel
def _frame_twist_into(W, at, n, has_shear):
    """tau = (gamma beta' - beta gamma')/(1 + sigma) at the n stations, its rate and bias; beta' is along the beam."""
    for p in range(n):
        beta = W[at + L.ND_BETA * n + p]
        gamma = W[at + L.ND_GAMMA * n + p]
        beta_dot = W[at + L.ND_BETA1 * n + p]
        gamma_dot = W[at + L.ND_GAMMA1 * n + p]
        sigma = W[at + L.ND_S * n + p]
        sigma_dot = W[at + L.ND_S1 * n + p]
        gamma_sigma = W[at + L.ND_S2 * n + p]
        if has_shear:
            sigma, _ = root_of(beta, gamma)
            sigma_dot, gamma_sigma = root_rates(beta, gamma, sigma, beta_dot, gamma_dot)
        y = W[at + L.ND_BEND_Y * n + p]
        z = W[at + L.ND_BEND_Z * n + p]
        y_dot = W[at + L.ND_TAU * n + p]
        z_dot = W[at + L.ND_TAU1 * n + p]
        d = 1.0 / (1.0 + sigma)
        tau = (gamma * y - beta * z) * d
        tau_dot = (gamma_dot * y + gamma * y_dot - beta_dot * z - beta * z_dot - tau * sigma_dot) * d
        bias = 2.0 * (gamma_dot * y_dot - beta_dot * z_dot - tau_dot * sigma_dot) - tau * gamma_sigma
        W[at + L.ND_TAU * n + p] = tau
        W[at + L.ND_TAU1 * n + p] = tau_dot
        W[at + L.ND_TAU2 * n + p] = bias * d


@kernel
def integrate_into(I, F, W, field, source, target, factor):
    """Array `target` += factor x integral along the beam of array `source`, from the end it is measured from."""
    n_local = I[field + L.FD_LOCAL]
    n_segments = I[field + L.FD_SEGMENTS]
    matrix = I[field + L.FD_F]
    size = n_local * (n_local + 1)
    n_stations = n_stations_of(I, field)
    x = station_array(stations_of(I, field), n_stations, source)
    out = station_array(stations_of(I, field), n_stations, target)
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
            W[out + first + p] += factor * base
        for r in range(n_local):  # column by column: row r of the transposed matrix
            value = factor * W[x + first + r]
            for p in range(n_local):
                W[out + first + p] += F[rows + r * n_local + p] * value
            base += F[rows + n_local * n_local + r] * W[x + first + r]


@kernel
def gather_into(I, F, W, field, source, target):
    """The transpose: array `target` = what forces `source` on the integral at all stations do at each one."""
    n_local = I[field + L.FD_LOCAL]
    n_segments = I[field + L.FD_SEGMENTS]
    matrix = I[field + L.FD_F]
    size = n_local * (n_local + 1)
    n_stations = n_stations_of(I, field)
    x = station_array(stations_of(I, field), n_stations, source)
    out = station_array(stations_of(I, field), n_stations, target)
    beyond = 0.0
    if I[field + L.FD_FROM_END] == 1:
        for p in range(n_stations):
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
