"""Slices: rigid parts (lumps, rotary inertia of a section) that are fixed to a marker of a flexible body.

A slice moves with its marker m: f = mass a_m, n = J alpha_m + omega_m x J omega_m, with (Psi, Om) of the marker as its
modes.
"""

from __future__ import annotations

from flexmb.equations.arms import arm
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    a_wb_b_at,
    alpha_wb_b_at,
    block_of,
    composite_of,
    eta_ddot_of,
    is_flexible,
    marker_record,
    mode_columns_at,
    n_modes_of,
    omega_wb_b_at,
    state_block_of,
    wrench_of,
)
from flexmb.machine_code.jit import kernel
from flexmb.vectors import add, add_to_pair, cross, dot, load9, load_pair, multiply, rotate, scale, transpose


@kernel
def slice_wrench(I, F, W, body, record, accelerate):
    """Position of a slice, force and moment about it that its inertia requires, body axes."""
    number = I[record + L.SL_MARKER]
    marker = marker_record(I, number)
    place = I[record + L.SL_F]
    block = block_of(I, body)
    n_modes = n_modes_of(I, body)
    r, R_bm, r_dot, omega_bm, a_m, alpha_m = arm(I, F, W, number)
    columns = mode_columns_at(state_block_of(I, marker))
    omega = omega_wb_b_at(W, block)
    alpha = alpha_wb_b_at(W, block)
    if accelerate and is_flexible(I, marker):
        eta_ddot = eta_ddot_of(I, body)
        for k in range(n_modes):
            Psi, Om = load_pair(W, columns + 6 * k)
            a_m = add(a_m, scale(W[eta_ddot + k], Psi))
            alpha_m = add(alpha_m, scale(W[eta_ddot + k], Om))
    a_m = add(a_m, add(a_wb_b_at(W, block), cross(alpha, r)))
    a_m = add(a_m, cross(omega, add(cross(omega, r), scale(2.0, r_dot))))
    alpha_m = add(alpha_m, add(alpha, cross(omega, omega_bm)))
    omega_m = add(omega, omega_bm)
    J = multiply(multiply(R_bm, load9(F, place + 1)), transpose(R_bm))
    f = scale(F[place], a_m)
    n = add(rotate(J, alpha_m), cross(omega_m, rotate(J, omega_m)))
    return r, f, n


@kernel
def slice_force_into(I, F, W, body, record, accelerate):
    """Add the wrench that the inertia of a slice requires to the body's."""
    r, f, n = slice_wrench(I, F, W, body, record, accelerate)
    wrench = wrench_of(I, body)
    add_to_pair(W, wrench, f, add(cross(r, f), n))
    marker = marker_record(I, I[record + L.SL_MARKER])
    if is_flexible(I, marker):
        columns = mode_columns_at(state_block_of(I, marker))
        for k in range(n_modes_of(I, body)):
            Psi, Om = load_pair(W, columns + 6 * k)
            W[wrench + 6 + k] += dot(Psi, f) + dot(Om, n)


@kernel
def slice_mass_into(I, F, W, body, record):
    """Add the inertia of a slice to the (6 + n) x (6 + n) matrix of the body."""
    number = I[record + L.SL_MARKER]
    marker = marker_record(I, number)
    place = I[record + L.SL_F]
    o = composite_of(I, body)
    size = 6 + n_modes_of(I, body)
    r, R_bm, _, _, _, _ = arm(I, F, W, number)
    flexible = is_flexible(I, marker)
    columns = mode_columns_at(state_block_of(I, marker))
    mass = F[place]
    J = multiply(multiply(R_bm, load9(F, place + 1)), transpose(R_bm))
    for j in range(size):
        if j < 3:
            v = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            w = (0.0, 0.0, 0.0)
        elif j < 6:
            w = (1.0 if j == 3 else 0.0, 1.0 if j == 4 else 0.0, 1.0 if j == 5 else 0.0)
            v = cross(w, r)
        elif flexible:
            v, w = load_pair(W, columns + 6 * (j - 6))
        else:
            break
        f = scale(mass, v)
        n = rotate(J, w)
        m = add(cross(r, f), n)
        for i in range(3):
            W[o + i * size + j] += f[0] if i == 0 else (f[1] if i == 1 else f[2])
            W[o + (3 + i) * size + j] += m[0] if i == 0 else (m[1] if i == 1 else m[2])
        if flexible:
            for k in range(size - 6):
                Psi, Om = load_pair(W, columns + 6 * k)
                W[o + (6 + k) * size + j] += dot(Psi, f) + dot(Om, n)
