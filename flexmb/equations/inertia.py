"""Inertia of a body: M y' + h, with y' = (a, alpha, q'') and M, h about the body origin (theory 3).

Rigid bodies and gyrostats (constant internal angular momentum) here. A flexible body has a deformation field
(`flexmb.equations.fields`) whose own programs give the force, elastic forces included, and the mass matrix.
"""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    a_wb_b_at,
    alpha_wb_b_at,
    applied_wrench_at,
    bias_of,
    block_of,
    body_of_marker,
    body_record,
    field_of,
    inertia_of,
    marker_record,
    n_modes_of,
    omega_wb_b_at,
    set_accelerate,
    state_block_of,
    wrench_of,
)
from flexmb.machine_code.jit import call, kernel, program
from flexmb.vectors import ZERO, add, cross, load3, load9, load_pair, rotate, scale, store3, store9, store_pair


@kernel
def inertia_into(F, W, inertia, block, bias):
    """First moment S, inertia J and velocity forces h of a rigid body: h_t = w x (w x S), h_r = w x (J w + rotor)."""
    S = load3(F, inertia + L.F_S)
    J = load9(F, inertia + L.F_J)
    omega = omega_wb_b_at(W, block)
    store3(W, block + L.W_S, S)
    store9(W, block + L.W_J, J)
    h_r = cross(omega, add(rotate(J, omega), load3(F, inertia + L.F_ROTOR)))
    store_pair(W, bias, cross(omega, cross(omega, S)), h_r)


@kernel
def body_force_into(F, W, inertia, block, bias):
    """Wrench that the inertia of a rigid body requires: f = M y' + h."""
    a = a_wb_b_at(W, block)
    alpha = alpha_wb_b_at(W, block)
    S = load3(W, block + L.W_S)
    J = load9(W, block + L.W_J)
    h_t, h_r = load_pair(W, bias)
    force = add(add(scale(F[inertia + L.F_MASS], a), cross(alpha, S)), h_t)
    moment = add(add(cross(S, a), rotate(J, alpha)), h_r)
    store_pair(W, block + L.W_F, force, moment)


@kernel
def clear_wrenches(I, W):
    """Markers of flexible bodies: no wrench has been applied there yet. Only forces at sections ask for it."""
    if I[L.N_SECTIONS] == 0:
        return
    for m in range(I[L.N_MARKERS]):
        marker = marker_record(I, m)
        n_modes = n_modes_of(I, body_of_marker(I, marker))
        if n_modes > 0:
            store_pair(W, applied_wrench_at(state_block_of(I, marker), n_modes), ZERO, ZERO)


@program
def body_forces(I, F, W, accelerate):
    """Inertia wrenches of all bodies; ground and joint efforts start from zero. 1: with the accelerations A.

    Needs `kinematics` with the same choice.
    """
    for k in range(I[L.N_V]):
        W[I[L.EFFORT] + k] = 0.0
    store_pair(W, wrench_of(I, body_record(I, 0)), ZERO, ZERO)
    for b in range(1, I[L.N_BODIES] + 1):
        body = body_record(I, b)
        block = block_of(I, body)
        field = field_of(I, body)
        if field > 0:
            set_accelerate(I, W, accelerate)
            call(I[I[field + L.FD_FORCE]], I, F, W, body)
        else:
            inertia = inertia_of(I, body)
            bias = bias_of(I, body)
            inertia_into(F, W, inertia, block, bias)
            body_force_into(F, W, inertia, block, bias)
    clear_wrenches(I, W)
