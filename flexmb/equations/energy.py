"""Kinetic and potential energy, and the power of everything that feeds or drains the system."""

from __future__ import annotations

from flexmb.equations.fields.elastic import damping_power
from flexmb.jit import call, kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import add, cross, dot, load3, load9, rotate, scale


@kernel
def energies_into(I, F, W):
    """Kinetic and potential energy of all bodies and springs. Needs `kinematics`, `body_forces` and the loads."""
    gravity = load3(F, I[L.GRAVITY])
    kinetic = 0.0
    potential = 0.0
    strain = 0.0
    for b in range(1, I[L.N_BODIES] + 1):
        e = I[L.BODIES] + b * L.BODY
        block = I[e + L.B_W]
        f = I[e + L.B_INERTIA]
        mass = F[f]
        S = load3(F, f + L.F_S)
        if I[e + L.B_FIELD] > 0:
            call(I[L.AT_FIELD_ENERGY], I, F, W, e)
            kinetic += W[I[e + L.B_BIAS]]
            strain += W[I[e + L.B_BIAS] + 1]
            S = load3(W, I[e + L.B_BIAS] + 2)
        else:
            v = load3(W, block + L.W_VEL)
            w = load3(W, block + L.W_OMEGA)
            kinetic += 0.5 * mass * dot(v, v) + dot(v, cross(w, S)) + 0.5 * dot(w, rotate(load9(F, f + L.F_J), w))
        moment = add(scale(mass, load3(W, block + L.W_P_W)), rotate(load9(W, block + L.W_R_W), S))
        potential -= dot(gravity, moment)
    for k in range(I[L.N_LOADS]):
        potential += W[I[I[L.LOADS] + k * L.LOAD + L.L_W] + L.LW_POTENTIAL]
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
        m = I[L.MOTIONS] + k * L.MOTION
        if I[m + L.MO_ROW] >= 0:
            effort = -W[I[L.LAM] + I[m + L.MO_ROW]]
            W[I[m + L.MO_W]] = effort
            call(I[L.AT_FUNCTION], I, F, W, I[m + L.MO_FUNCTION])
            W[power + I[m + L.MO_POWER]] = effort * W[I[L.X_VALUE] + 1]
    for k in range(I[L.N_LOADS]):
        load = I[L.LOADS] + k * L.LOAD
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
            e = I[L.BODIES] + b * L.BODY
            block = I[e + L.B_W]
            f = I[e + L.B_INERTIA]
            if I[e + L.B_FIELD] > 0:
                call(I[L.AT_FIELD_ENERGY], I, F, W, e)
                momentum = load3(W, I[e + L.B_BIAS] + 5)
            else:
                momentum = scale(F[f], load3(W, block + L.W_VEL))
                momentum = add(momentum, cross(load3(W, block + L.W_OMEGA), load3(F, f + L.F_S)))
            total -= dot(base, rotate(load9(W, block + L.W_R_W), momentum))
        ground = I[I[L.BODIES] + L.B_W]
        total += dot(load3(W, ground + L.W_F + 3), load3(W, ground + L.W_OMEGA))
        W[power + I[L.BASE_POWER]] = total


@program
def powers(I, F, W, arg):
    """POWER at T, Q, V, A, LAM."""
    if I[L.BASE_POWER] >= 0:
        call(I[L.AT_WHOLE_RESIDUAL], I, F, W, 0)
    elif I[L.N_LOADS] > 0:
        call(I[L.AT_WRENCHES], I, F, W, 0)
    powers_into(I, F, W)
