"""Rotary inertia of the sections of an exact beam, at its stations (theory 2.2, 3.2).

A section turns relative to the frame by omega = n x n' + n (theta' + (gamma beta' - beta gamma')/(1 + sigma)), primes
for rates. The moment m = J alpha + omega x J omega that it requires works on its normal n and, with m . n, on
theta = phi - int tau. Rates and accelerations of theta are integrals along the beam, and the work on tau goes back
through the transposed integral with the torque of bending: the cost is linear in the number of stations.
"""

from __future__ import annotations

from flexmb.equations.fields.beam_nodes import integrate_into, mix_into, root_of, root_rates, section_frame, shapes_at
from flexmb.equations.fields.gram import add_section
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import alpha_wb_b_at, block_of, eta_ddot_of, eta_dot_of, eta_of, omega_wb_b_at, wrench_of
from flexmb.layout.beam_access import n_stations_of, shape_counts_of, station_array, stations_of
from flexmb.machine_code.jit import kernel
from flexmb.vectors import ZERO, add, add_to3, column, cross, dot, scale, store3


@kernel
def twist_slopes(W, stations, n_stations, p):
    """Derivatives of tau at station p by beta, gamma, beta', gamma'; primes along the beam."""
    beta = W[stations + L.ND_BETA * n_stations + p]
    gamma = W[stations + L.ND_GAMMA * n_stations + p]
    sigma, _ = root_of(beta, gamma)
    d = 1.0 / (1.0 + sigma)
    tau = W[stations + L.ND_TAU * n_stations + p] / sigma
    by_beta = d * (beta * tau - W[stations + L.ND_BEND_Z * n_stations + p])
    by_gamma = d * (gamma * tau + W[stations + L.ND_BEND_Y * n_stations + p])
    return by_beta, by_gamma, d * gamma, -d * beta


@kernel
def theta_into(I, F, W, body, field):
    """theta = phi - int tau at the stations."""
    n_y, n_z, n_u, n_t = shape_counts_of(I, field)
    n = n_stations_of(I, field)
    _, value, _, _, _ = shapes_at(I, field)
    theta = station_array(stations_of(I, field), n, L.ND_THETA)
    mix_into(F, W, value, eta_of(I, body), n_y + n_z + n_u, n_t, n, theta)
    if n_y > 0 and n_z > 0:
        integrate_into(I, F, W, field, L.ND_TAU, L.ND_THETA, -1.0)


@kernel
def _theta_rates_into(I, F, W, body, field, accelerate):
    """First and second rate of theta; those of beta and gamma are left in ND_Y2, ND_Z2, whose work is done."""
    n_y, n_z, n_u, n_t = shape_counts_of(I, field)
    n = n_stations_of(I, field)
    at = stations_of(I, field)
    _, value, _, turn, curvature = shapes_at(I, field)
    beta_ddot = station_array(at, n, L.ND_Y2)
    gamma_ddot = station_array(at, n, L.ND_Z2)
    theta_ddot = station_array(at, n, L.ND_THETA2)
    first = n_y + n_z + n_u
    mix_into(F, W, value, eta_dot_of(I, body), first, n_t, n, station_array(at, n, L.ND_THETA1))
    n_used = 1 if accelerate else 0
    eta_ddot = eta_ddot_of(I, body)
    mix_into(F, W, turn, eta_ddot, 0, n_used * n_y, n, beta_ddot)
    mix_into(F, W, turn, eta_ddot, n_y, n_used * n_z, n, gamma_ddot)
    mix_into(F, W, value, eta_ddot, first, n_used * n_t, n, theta_ddot)
    if n_y == 0 or n_z == 0:
        return
    bend_y_ddot = station_array(at, n, L.ND_U2)
    bend_z_ddot = station_array(at, n, L.ND_U1)
    tau_ddot = station_array(at, n, L.ND_S3)
    mix_into(F, W, curvature, eta_ddot, 0, n_used * n_y, n, bend_y_ddot)
    mix_into(F, W, curvature, eta_ddot, n_y, n_used * n_z, n, bend_z_ddot)
    for p in range(n):
        by_beta, by_gamma, by_bend_y, by_bend_z = twist_slopes(W, at, n, p)
        rate = by_beta * W[beta_ddot + p] + by_gamma * W[gamma_ddot + p]
        rate += by_bend_y * W[bend_y_ddot + p] + by_bend_z * W[bend_z_ddot + p]
        W[tau_ddot + p] = W[at + L.ND_TAU2 * n + p] + rate
    integrate_into(I, F, W, field, L.ND_TAU1, L.ND_THETA1, -1.0)
    integrate_into(I, F, W, field, L.ND_S3, L.ND_THETA2, -1.0)


@kernel
def _inertia_times(F, constants, n_stations, p, normal, theta, round_section, x):
    """J x of the section at station p; with equal moments of inertia J = Jy (1 + n n^T) whatever theta is."""
    Jy = F[constants + L.ST_JY * n_stations + p]
    if round_section:
        return scale(Jy, add(x, scale(dot(normal, x), normal)))
    Jz = F[constants + L.ST_JZ * n_stations + p]
    R = section_frame(normal[0], normal[1], normal[2], theta)
    y, z = column(R, 1), column(R, 2)
    across = add(scale(Jy * dot(y, x), y), scale(Jz * dot(z, x), z))
    return add(scale((Jy + Jz) * dot(normal, x), normal), across)


@kernel
def rotary_force_into(I, F, W, body, field, accelerate):
    """Add the moments of the sections to the wrench of the frame and their part to the torque on theta (ND_TWIST).

    By the turns of the sections they work in ND_ROT_Y and ND_ROT_Z. Needs theta; the motion of the stations is lost.
    """
    _theta_rates_into(I, F, W, body, field, accelerate)
    n = n_stations_of(I, field)
    at = stations_of(I, field)
    constants, _, _, _, _ = shapes_at(I, field)
    round_section = I[field + L.FD_ROTARY] == 1
    block = block_of(I, body)
    omega_b, alpha_b = omega_wb_b_at(W, block), alpha_wb_b_at(W, block)
    total = ZERO
    for p in range(n):
        beta, gamma = W[at + L.ND_BETA * n + p], W[at + L.ND_GAMMA * n + p]
        beta_dot, gamma_dot = W[at + L.ND_BETA1 * n + p], W[at + L.ND_GAMMA1 * n + p]
        beta_ddot, gamma_ddot = W[at + L.ND_Y2 * n + p], W[at + L.ND_Z2 * n + p]
        sigma, _ = root_of(beta, gamma)
        sigma_dot, gamma_sigma = root_rates(beta, gamma, sigma, beta_dot, gamma_dot)
        d = 1.0 / (1.0 + sigma)
        normal = (sigma, beta, gamma)
        normal_dot = (sigma_dot, beta_dot, gamma_dot)
        normal_ddot = (gamma_sigma - (beta * beta_ddot + gamma * gamma_ddot) / sigma, beta_ddot, gamma_ddot)
        swing = (gamma * beta_dot - beta * gamma_dot) * d
        spin = W[at + L.ND_THETA1 * n + p] + swing
        spin_dot = W[at + L.ND_THETA2 * n + p] + (gamma * beta_ddot - beta * gamma_ddot - swing * sigma_dot) * d
        omega_rel = add(cross(normal, normal_dot), scale(spin, normal))
        alpha_rel = add(add(cross(normal, normal_ddot), scale(spin, normal_dot)), scale(spin_dot, normal))
        omega = add(omega_b, omega_rel)
        alpha = add(add(alpha_b, cross(omega_b, omega_rel)), alpha_rel)
        theta = W[at + L.ND_THETA * n + p]
        moment = _inertia_times(F, constants, n, p, normal, theta, round_section, alpha)
        momentum = _inertia_times(F, constants, n, p, normal, theta, round_section, omega)
        moment = add(moment, cross(omega, momentum))
        W[at + L.ND_NX * n + p] = moment[0]
        W[at + L.ND_NY * n + p] = moment[1]
        W[at + L.ND_NZ * n + p] = moment[2]
        total = add(total, moment)
        # (n x dn) . m = dn . (m x n), with dn_x = -(beta dbeta + gamma dgamma)/sigma
        tilt = cross(moment, normal)
        torque = dot(moment, normal)
        W[at + L.ND_TWIST * n + p] += torque
        W[at + L.ND_ROT_Y * n + p] = tilt[1] - tilt[0] * beta / sigma + torque * gamma * d
        W[at + L.ND_ROT_Z * n + p] = tilt[2] - tilt[0] * gamma / sigma - torque * beta * d
    add_to3(W, wrench_of(I, body) + 3, total)


@kernel
def _turn_columns_into(I, F, W, field, om):
    """Angular velocity of the section at every station by every mode, to W[om + 3 (n p + k)]."""
    n_y, n_z, n_u, n_t = shape_counts_of(I, field)
    n_modes = n_y + n_z + n_u + n_t
    n = n_stations_of(I, field)
    at = stations_of(I, field)
    _, value, _, turn, curvature = shapes_at(I, field)
    tau = station_array(at, n, L.ND_S3)
    theta = station_array(at, n, L.ND_U2)
    for k in range(n_modes):
        in_y = k < n_y
        bends = k < n_y + n_z
        twists = k >= n_y + n_z + n_u
        for p in range(n):
            W[theta + p] = F[value + k * n + p] if twists else 0.0
        if bends and n_y > 0 and n_z > 0:
            for p in range(n):
                by_beta, by_gamma, by_bend_y, by_bend_z = twist_slopes(W, at, n, p)
                by_turn = by_beta if in_y else by_gamma
                by_bend = by_bend_y if in_y else by_bend_z
                W[tau + p] = by_turn * F[turn + k * n + p] + by_bend * F[curvature + k * n + p]
            integrate_into(I, F, W, field, L.ND_S3, L.ND_U2, -1.0)
        for p in range(n):
            beta, gamma = W[at + L.ND_BETA * n + p], W[at + L.ND_GAMMA * n + p]
            sigma, _ = root_of(beta, gamma)
            normal = (sigma, beta, gamma)
            slope = F[turn + k * n + p] if bends else 0.0
            b = slope if in_y else 0.0
            c = 0.0 if in_y else slope
            swing = (gamma * b - beta * c) / (1.0 + sigma)
            Om = cross(normal, (-(beta * b + gamma * c) / sigma, b, c))
            store3(W, om + 3 * (n_modes * p + k), add(Om, scale(W[theta + p] + swing, normal)))


@kernel
def rotary_mass_into(I, F, W, body, field, o, size):
    """Add the rotary inertia of the sections to the upper triangle of the mass matrix at W[o]."""
    n = n_stations_of(I, field)
    n_modes = size - 6
    at = stations_of(I, field)
    constants, _, _, _, _ = shapes_at(I, field)
    round_section = I[field + L.FD_ROTARY] == 1
    om = station_array(at, n, L.NODES) + 3 * n_modes * n  # behind the columns of the points
    if not round_section:
        theta_into(I, F, W, body, field)
    _turn_columns_into(I, F, W, field, om)
    for p in range(n):
        beta, gamma = W[at + L.ND_BETA * n + p], W[at + L.ND_GAMMA * n + p]
        sigma, _ = root_of(beta, gamma)
        normal = (sigma, beta, gamma)
        theta = W[at + L.ND_THETA * n + p]
        x = _inertia_times(F, constants, n, p, normal, theta, round_section, (1.0, 0.0, 0.0))
        y = _inertia_times(F, constants, n, p, normal, theta, round_section, (0.0, 1.0, 0.0))
        z = _inertia_times(F, constants, n, p, normal, theta, round_section, (0.0, 0.0, 1.0))
        J = (x[0], x[1], x[2], x[1], y[1], y[2], x[2], y[2], z[2])
        add_section(W, o, size, J, om + 3 * n_modes * p)
