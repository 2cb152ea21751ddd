"""Kinetic and potential energy, and the power of everything that feeds or drains the system."""

from __future__ import annotations

from flexmb.equations.fields.elastic import damping_power
from flexmb.equations.fields.energy import FIELD_KINETIC, FIELD_MOMENTUM, FIELD_S, FIELD_STRAIN
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_wb_at,
    bias_of,
    block_of,
    body_record,
    field_of,
    inertia_of,
    load_record,
    omega_wb_b_at,
    p_wb_at,
    v_wb_b_at,
    wrench_of,
)
from flexmb.machine_code.jit import call, kernel, program
from flexmb.vectors import add, cross, dot, load3, load9, load_pair, rotate, scale


@kernel
def energies_into(I, F, W):
    """Kinetic and potential energy of all bodies and springs. Needs `kinematics`, `body_forces` and the loads."""
    gravity = load3(F, I[L.GRAVITY])
    kinetic = 0.0
    potential = 0.0
    strain = 0.0
    for b in range(1, I[L.N_BODIES] + 1):
        body = body_record(I, b)
        block = block_of(I, body)
        inertia = inertia_of(I, body)
        mass = F[inertia + L.F_MASS]
        S = load3(F, inertia + L.F_S)
        if field_of(I, body) > 0:
            call(I[L.AT_FIELD_ENERGY], I, F, W, body)
            found = bias_of(I, body)
            kinetic += W[found + FIELD_KINETIC]
            strain += W[found + FIELD_STRAIN]
            S = load3(W, found + FIELD_S)
        else:
            v = v_wb_b_at(W, block)
            omega = omega_wb_b_at(W, block)
            turning = dot(omega, rotate(load9(F, inertia + L.F_J), omega))
            kinetic += 0.5 * mass * dot(v, v) + dot(v, cross(omega, S)) + 0.5 * turning
        moment = add(scale(mass, p_wb_at(W, block)), rotate(R_wb_at(W, block), S))
        potential -= dot(gravity, moment)
    for k in range(I[L.N_LOADS]):
        potential += W[I[load_record(I, k) + L.L_W] + L.LW_POTENTIAL]
    W[I[L.ENERGY]] = kinetic
    W[I[L.ENERGY] + 1] = potential + strain
    W[I[L.ENERGY] + 3] = strain


@kernel
def powers_into(I, F, W):
    """Power of motions, loads and base. Needs the loads and, for a turning base, the wrench of ground."""
    power = I[L.POWER]
    for k in range(I[L.N_POWERS]):
        W[power + k] = 0.0
    for k in range(I[L.N_MOTIONS]):
        motion = I[L.MOTIONS] + k * L.MOTION
        row = I[motion + L.MO_ROW]
        if row >= 0:
            effort = -W[I[L.LAM] + row]
            W[I[motion + L.MO_W]] = effort
            call(I[L.AT_FUNCTION], I, F, W, I[motion + L.MO_FUNCTION])
            W[power + I[motion + L.MO_POWER]] = effort * W[I[L.X_VALUE] + 1]
    for k in range(I[L.N_LOADS]):
        load = load_record(I, k)
        if I[load + L.L_POWER] >= 0:
            W[power + I[load + L.L_POWER]] = W[I[load + L.L_W] + L.LW_POWER]
    for k in range(I[L.N_FIELDS]):
        field = I[L.FIELDS] + k * L.FIELD
        if I[field + L.FD_POWER] >= 0:
            W[power + I[field + L.FD_POWER]] = damping_power(I, F, W, I[field + L.FD_BODY], field)
    if I[L.BASE_POWER] >= 0:
        base = load3(W, I[L.BASE])
        total = 0.0
        for b in range(1, I[L.N_BODIES] + 1):
            body = body_record(I, b)
            block = block_of(I, body)
            inertia = inertia_of(I, body)
            if field_of(I, body) > 0:
                call(I[L.AT_FIELD_ENERGY], I, F, W, body)
                momentum = load3(W, bias_of(I, body) + FIELD_MOMENTUM)
            else:
                momentum = scale(F[inertia + L.F_MASS], v_wb_b_at(W, block))
                momentum = add(momentum, cross(omega_wb_b_at(W, block), load3(F, inertia + L.F_S)))
            total -= dot(base, rotate(R_wb_at(W, block), momentum))
        ground = body_record(I, 0)
        _, moment = load_pair(W, wrench_of(I, ground))
        total += dot(moment, omega_wb_b_at(W, block_of(I, ground)))
        W[power + I[L.BASE_POWER]] = total


@program
def powers(I, F, W, arg):
    """POWER at T, Q, V, A, LAM."""
    if I[L.BASE_POWER] >= 0:
        call(I[L.AT_WHOLE_RESIDUAL], I, F, W, 0)
    elif I[L.N_LOADS] > 0:
        call(I[L.AT_WRENCHES], I, F, W, 0)
    powers_into(I, F, W)
