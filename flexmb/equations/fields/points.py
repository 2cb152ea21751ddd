"""Quadratic deformation field at mass points (theory 3.2): r = X + phi q + 1/2 q G q, untruncated.

A point's record in F: mass, X (3), phi (n x 3), G (n x n x 3).
"""

from __future__ import annotations

from flexmb.equations.fields.elastic import elastic_force_into
from flexmb.equations.fields.gram import add_point, clear_mass, mirror
from flexmb.jit import kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    a_wb_b_at,
    alpha_wb_b_at,
    block_of,
    eta_ddot_of,
    eta_dot_of,
    eta_of,
    field_of,
    n_modes_of,
    omega_wb_b_at,
    wants_accelerations,
    wrench_of,
)
from flexmb.layout.beam_access import n_stations_of
from flexmb.vectors import ZERO, add, cross, dot, load3, scale, store3, store_pair


@kernel
def _point_into(I, F, W, body, point, psi, accelerate):
    """Position, velocity and acceleration of a point relative to the frame; its columns to W[psi..]."""
    n = n_modes_of(I, body)
    eta = eta_of(I, body)
    eta_dot = eta_dot_of(I, body)
    eta_ddot = eta_ddot_of(I, body)
    r = load3(F, point + 1)
    r_dot = ZERO
    r_ddot = ZERO
    second = point + 4 + 3 * n
    for k in range(n):
        phi = load3(F, point + 4 + 3 * k)
        column = phi
        bias = ZERO
        for m in range(n):
            g = load3(F, second + 3 * (k * n + m))
            column = add(column, scale(W[eta + m], g))
            bias = add(bias, scale(W[eta_dot + m], g))
        store3(W, psi + 3 * k, column)
        r = add(r, scale(0.5 * W[eta + k], add(phi, column)))
        r_dot = add(r_dot, scale(W[eta_dot + k], column))
        r_ddot = add(r_ddot, scale(W[eta_dot + k], bias))
        if accelerate:
            r_ddot = add(r_ddot, scale(W[eta_ddot + k], column))
    return r, r_dot, r_ddot


@program
def point_force(I, F, W, body):
    """Wrench on the frame and force on every mode of a body record; with the mode accelerations A if X_ACCELERATE.

    f_t += f, f_r += r x f, f_k += psi_k . f for f = m (a + al x r + w x (w x r + 2 r') + r'') of every point.
    """
    accelerate = wants_accelerations(I, W)
    field = field_of(I, body)
    block = block_of(I, body)
    n = n_modes_of(I, body)
    psi = I[field + L.FD_W]
    omega = omega_wb_b_at(W, block)
    a = a_wb_b_at(W, block)
    alpha = alpha_wb_b_at(W, block)
    wrench = wrench_of(I, body)
    elastic_force_into(I, F, W, body, field, wrench + 6)
    force = ZERO
    moment = ZERO
    for p in range(n_stations_of(I, field)):
        point = _point_at(I, field, n, p)
        r, r_dot, r_ddot = _point_into(I, F, W, body, point, psi, accelerate)
        turn = add(cross(alpha, r), cross(omega, add(cross(omega, r), scale(2.0, r_dot))))
        f = scale(F[point], add(add(a, turn), r_ddot))
        force = add(force, f)
        moment = add(moment, cross(r, f))
        for k in range(n):
            W[wrench + 6 + k] += dot(load3(W, psi + 3 * k), f)
    store_pair(W, wrench, force, moment)


@kernel
def _point_at(I, field, n, p):
    """Offset in F of the constants of point p of a body with n modes."""
    return I[field + L.FD_F] + p * (4 + 3 * n + 3 * n * n)


@program
def point_mass(I, F, W, body):
    """Mass matrix of a body record."""
    field = field_of(I, body)
    n = n_modes_of(I, body)
    psi = I[field + L.FD_W]
    o, size = clear_mass(I, W, body)
    for p in range(n_stations_of(I, field)):
        point = _point_at(I, field, n, p)
        r, _, _ = _point_into(I, F, W, body, point, psi, False)
        add_point(W, o, size, F[point], r, psi)
    mirror(W, o, size)
