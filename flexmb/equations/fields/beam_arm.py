"""Markers on an exact beam: pose, rates, biases and mode columns (theory 5 for the field of `beam_nodes`).

The section at x has the normal n = (sigma, beta, gamma); its axes are the smallest rotation e1 -> n, then a turn theta
about n. With the centre line p = (x, y, z) and the marker's offset c in section axes:
    r = p + R c,    omega = n x n' + n (theta' + (gamma beta' - beta gamma')/(1 + sigma)),    r' = p' + omega x R c.
"""

from __future__ import annotations

from flexmb.equations.fields.beam_nodes import root_of, root_rates, section_frame, shapes_at, sum_over
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_bm_at,
    body_of_marker,
    constants_of_marker,
    eta_dot_of,
    eta_of,
    field_of,
    marker_record,
    mode_columns_at,
    state_block_of,
    store_arm,
)
from flexmb.layout.beam_access import n_stations_of, shape_counts_of, station_array, stations_of
from flexmb.machine_code.jit import kernel, program
from flexmb.vectors import add, cross, load3, multiply, rotate, scale, store3


@kernel
def _shortening_into(I, F, W, field, weights, columns, x, x_dot, gamma_x):
    """Shortening of the centre line by the slopes: x += int (s - 1), with its rate, bias and columns -int b phi'/s."""
    n_stations = n_stations_of(I, field)
    stations = stations_of(I, field)
    n_y, n_z, _, _ = shape_counts_of(I, field)
    _, _, slopes, _, _ = shapes_at(I, field)
    b = station_array(stations, n_stations, L.ND_B)
    c = station_array(stations, n_stations, L.ND_C)
    s = station_array(stations, n_stations, L.ND_S)
    shortening = station_array(stations, n_stations, L.ND_DS)
    s_dot = station_array(stations, n_stations, L.ND_S1)
    gamma_s = station_array(stations, n_stations, L.ND_S2)
    by_b = I[L.X_FIELD]  # change of x by the slope b at a station, times its weight
    by_c = by_b + n_stations
    for p in range(n_stations):
        weight = F[weights + p]
        x += weight * W[shortening + p]
        x_dot += weight * W[s_dot + p]
        gamma_x += weight * W[gamma_s + p]
        pull = -weight / W[s + p]
        W[by_b + p] = pull * W[b + p]
        W[by_c + p] = pull * W[c + p]
    for k in range(n_y + n_z):
        by = by_b if k < n_y else by_c
        short = 0.0
        for p in range(n_stations):
            short += F[slopes + k * n_stations + p] * W[by + p]
        W[columns + 6 * k] = short
    return x, x_dot, gamma_x


@kernel
def _frame_twist_into(I, F, W, field, weights, columns, theta, theta_dot, gamma_theta):
    """Twist of the frame of the centre line: theta -= int tau, with its rate, bias and columns."""
    n_stations = n_stations_of(I, field)
    stations = stations_of(I, field)
    n_y, n_z, _, _ = shape_counts_of(I, field)
    _, _, _, turns, curvatures = shapes_at(I, field)
    tau = station_array(stations, n_stations, L.ND_TAU)
    tau_dot = station_array(stations, n_stations, L.ND_TAU1)
    gamma_tau = station_array(stations, n_stations, L.ND_TAU2)
    betas = station_array(stations, n_stations, L.ND_BETA)
    gammas = station_array(stations, n_stations, L.ND_GAMMA)
    bend_y = station_array(stations, n_stations, L.ND_BEND_Y)
    bend_z = station_array(stations, n_stations, L.ND_BEND_Z)
    by_beta = I[L.X_FIELD]  # change of theta by beta, gamma, beta', gamma' at a station, times its weight
    by_gamma = by_beta + n_stations
    by_bend_y = by_beta + 2 * n_stations
    by_bend_z = by_beta + 3 * n_stations
    for p in range(n_stations):
        weight = F[weights + p]
        theta -= weight * W[tau + p]
        theta_dot -= weight * W[tau_dot + p]
        gamma_theta -= weight * W[gamma_tau + p]
        beta = W[betas + p]
        gamma = W[gammas + p]
        sigma, _ = root_of(beta, gamma)
        part = -weight / (1.0 + sigma)
        tau_part = W[tau + p] / sigma
        W[by_beta + p] = part * (beta * tau_part - W[bend_z + p])
        W[by_gamma + p] = part * (gamma * tau_part + W[bend_y + p])
        W[by_bend_y + p] = part * gamma
        W[by_bend_z + p] = -part * beta
    for k in range(n_y + n_z):
        by_turn = by_beta if k < n_y else by_gamma
        around = 0.0
        for p in range(n_stations):
            around += F[turns + k * n_stations + p] * W[by_turn + p]
            around += F[curvatures + k * n_stations + p] * W[by_turn + 2 * n_stations + p]
        W[columns + 6 * k + 3] = around
    return theta, theta_dot, gamma_theta


@kernel
def _columns_into(I, F, W, field, columns, values, turns, normal, offset):
    """Columns (Psi, Om) of every mode. Enter in them: shortening (first entry) and frame twist (fourth entry)."""
    n_y, n_z, n_u, n_t = shape_counts_of(I, field)
    sigma, beta, gamma = normal
    d = 1.0 / (1.0 + sigma)
    for k in range(n_y + n_z + n_u + n_t):
        column = columns + 6 * k
        around = W[column + 3]
        Om = scale(around, normal)
        if k < n_y:
            W[column + 1] = F[values + k]
            turn = F[turns + k]
            Om = add(cross(normal, (-beta * turn / sigma, turn, 0.0)), scale(around + gamma * turn * d, normal))
        elif k < n_y + n_z:
            W[column + 2] = F[values + k]
            turn = F[turns + k]
            Om = add(cross(normal, (-gamma * turn / sigma, 0.0, turn)), scale(around - beta * turn * d, normal))
        elif k < n_y + n_z + n_u:
            W[column] = F[values + k]
        else:
            Om = scale(F[values + k], normal)
        store3(W, column + 3, Om)
        store3(W, column, add(load3(W, column), cross(Om, offset)))


@program
def beam_arm(I, F, W, number):
    """Position, orientation, rates, biases and columns of a marker relative to its body. Needs the nodes."""
    marker = marker_record(I, number)
    body = body_of_marker(I, marker)
    field = field_of(I, body)
    constants = constants_of_marker(I, marker)
    state = state_block_of(I, marker)
    columns = mode_columns_at(state)
    n_y, n_z, n_u, n_t = shape_counts_of(I, field)
    n_modes = n_y + n_z + n_u + n_t
    n_stations = n_stations_of(I, field)
    eta = eta_of(I, body)
    eta_dot = eta_dot_of(I, body)
    weights = constants + L.MX_WEIGHTS
    values = weights + n_stations
    turns = values + n_modes + n_y + n_z
    # Normal of the section and its rates.
    beta = sum_over(F, W, turns, eta, 0, n_y)
    gamma = sum_over(F, W, turns, eta, n_y, n_z)
    beta_dot = sum_over(F, W, turns, eta_dot, 0, n_y)
    gamma_dot = sum_over(F, W, turns, eta_dot, n_y, n_z)
    sigma, _ = root_of(beta, gamma)
    sigma_dot, gamma_sigma = root_rates(beta, gamma, sigma, beta_dot, gamma_dot)
    # Turn about the normal and place along the beam: shapes, then what has gathered since the reference end.
    theta = sum_over(F, W, values, eta, n_y + n_z + n_u, n_t)
    theta_dot = sum_over(F, W, values, eta_dot, n_y + n_z + n_u, n_t)
    gamma_theta = 0.0
    x = F[constants + L.MX_X] + sum_over(F, W, values, eta, n_y + n_z, n_u)
    x_dot = sum_over(F, W, values, eta_dot, n_y + n_z, n_u)
    gamma_x = 0.0
    for k in range(6 * n_modes):
        W[columns + k] = 0.0
    inside = F[weights] != 0.0 or F[weights + n_stations - 1] != 0.0  # at the reference end nothing has gathered
    if inside:
        x, x_dot, gamma_x = _shortening_into(I, F, W, field, weights, columns, x, x_dot, gamma_x)
        if n_y > 0 and n_z > 0:
            theta, theta_dot, gamma_theta = _frame_twist_into(
                I, F, W, field, weights, columns, theta, theta_dot, gamma_theta
            )
    # omega = n x n' + n (theta' + (gamma beta' - beta gamma')/(1 + sigma)), and its bias
    d = 1.0 / (1.0 + sigma)
    normal = (sigma, beta, gamma)
    normal_dot = (sigma_dot, beta_dot, gamma_dot)
    swing = (gamma * beta_dot - beta * gamma_dot) * d
    spin = theta_dot + swing
    omega = add(cross(normal, normal_dot), scale(spin, normal))
    gamma_spin = gamma_theta - swing * sigma_dot * d
    gamma_w = add(add(cross(normal, (gamma_sigma, 0.0, 0.0)), scale(spin, normal_dot)), scale(gamma_spin, normal))
    R = section_frame(sigma, beta, gamma, theta)
    offset = rotate(R, load3(F, constants + L.MX_OFFSET))
    _columns_into(I, F, W, field, columns, values, turns, normal, offset)
    y = sum_over(F, W, values, eta, 0, n_y)
    z = sum_over(F, W, values, eta, n_y, n_z)
    y_dot = sum_over(F, W, values, eta_dot, 0, n_y)
    z_dot = sum_over(F, W, values, eta_dot, n_y, n_z)
    r_dot = add((x_dot, y_dot, z_dot), cross(omega, offset))
    gamma_r = add((gamma_x, 0.0, 0.0), add(cross(gamma_w, offset), cross(omega, cross(omega, offset))))
    R_bm = multiply(R, R_bm_at(F, constants))
    store_arm(W, state, add((x, y, z), offset), R_bm, r_dot, omega, gamma_r, gamma_w)
