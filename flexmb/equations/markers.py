"""Markers: their state in world components (theory 5), and forces and moments that act on them (theory 4)."""

from __future__ import annotations

from flexmb.equations.kinematics import arm
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_wb_at,
    a_wb_b_at,
    alpha_wb_b_at,
    applied_wrench_at,
    block_of,
    body_of_marker,
    eta_ddot_of,
    is_flexible,
    marker_record,
    mode_columns_at,
    n_modes_of,
    omega_wb_b_at,
    p_wb_at,
    r_at,
    set_accelerate,
    state_block_of,
    v_wb_b_at,
    wants_accelerations,
    wrench_of,
)
from flexmb.machine_code.jit import call, kernel, program
from flexmb.vectors import (
    add,
    add_to_pair,
    cross,
    dot,
    load_pair,
    multiply,
    rotate,
    rotate_back,
    scale,
    store3,
    store9,
    store_pair,
    sub,
)


@program
def marker_state(I, F, W, number):
    """State of a marker to its block in W; X_ACCELERATE: with the mode accelerations A, else they are taken as zero.

    Accelerations are inertial ones less gravity, consistent with the last run of `kinematics`.
    """
    marker = marker_record(I, number)
    body = body_of_marker(I, marker)
    block = block_of(I, body)
    state = state_block_of(I, marker)
    r, R_bm, r_dot, omega_bm, gamma_r, gamma_w = arm(I, F, W, number)
    R_wb = R_wb_at(W, block)
    omega = omega_wb_b_at(W, block)
    alpha = alpha_wb_b_at(W, block)
    v_m = add(add(v_wb_b_at(W, block), cross(omega, r)), r_dot)
    a_m = add(add(a_wb_b_at(W, block), cross(alpha, r)), gamma_r)
    a_m = add(a_m, cross(omega, add(cross(omega, r), scale(2.0, r_dot))))
    alpha_m = add(add(alpha, cross(omega, omega_bm)), gamma_w)
    if wants_accelerations(I, W) and is_flexible(I, marker):
        eta_ddot = eta_ddot_of(I, body)
        for k in range(n_modes_of(I, body)):
            Psi, Om = load_pair(W, mode_columns_at(state) + 6 * k)
            a_m = add(a_m, scale(W[eta_ddot + k], Psi))
            alpha_m = add(alpha_m, scale(W[eta_ddot + k], Om))
    store3(W, state + L.S_P, add(p_wb_at(W, block), rotate(R_wb, r)))
    store9(W, state + L.S_R, multiply(R_wb, R_bm))
    store3(W, state + L.S_V, rotate(R_wb, v_m))
    store3(W, state + L.S_W, rotate(R_wb, add(omega, omega_bm)))
    store3(W, state + L.S_A, rotate(R_wb, a_m))
    store3(W, state + L.S_AL, rotate(R_wb, alpha_m))
    store3(W, state + L.S_BODY, r)


@kernel
def state_of(I, F, W, number, accelerate):
    """Compute the state of a marker; its place in W."""
    set_accelerate(I, W, accelerate)
    call(I[L.AT_MARKER], I, F, W, number)
    return state_block_of(I, marker_record(I, number))


@kernel
def apply_wrench(I, W, number, force, moment):
    """Subtract a force and moment (world components) that act at a marker from the body wrench to be balanced.

    f_t -= F, f_r -= r x F + N and f_k -= Psi_k . F + Om_k . N. Needs the state of the marker.
    """
    marker = marker_record(I, number)
    body = body_of_marker(I, marker)
    state = state_block_of(I, marker)
    R_wb = R_wb_at(W, block_of(I, body))
    f = rotate_back(R_wb, force)
    n = rotate_back(R_wb, moment)
    wrench = wrench_of(I, body)
    f_t, f_r = load_pair(W, wrench)
    store_pair(W, wrench, sub(f_t, f), sub(f_r, add(cross(r_at(W, state), f), n)))
    n_modes = n_modes_of(I, body)
    if n_modes > 0:
        if is_flexible(I, marker):
            for k in range(n_modes):
                Psi, Om = load_pair(W, mode_columns_at(state) + 6 * k)
                W[wrench + 6 + k] -= dot(Psi, f) + dot(Om, n)
        add_to_pair(W, applied_wrench_at(state, n_modes), f, n)
