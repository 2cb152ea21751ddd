"""Applied forces (theory 4): every load puts its wrench on the bodies or its effort on a coordinate.

Needs `kinematics`, and `chords` and the early sensors where loads refer to them. Every load leaves its effort, its
power (of what is not stored as energy) and its potential in its block of W, a force or torque also its vector.
"""

from __future__ import annotations

import math

from flexmb.equations.markers import apply_wrench, state_of
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_wm_at,
    block_of,
    body_of_marker,
    chord_record,
    coordinate_wrench_at,
    eta_dot_of,
    eta_of,
    load_record,
    marker_record,
    n_modes_of,
    omega_wb_b_at,
    omega_wm_at,
    p_wm_at,
    v_wb_b_at,
    v_wm_at,
    wrench_of,
)
from flexmb.loads.laws import AXIS, BEAM, COORDINATE, FORCE, FRAMES, MARKER, PAIR, SHAPE, acts_on, law_into
from flexmb.machine_code.jit import call, kernel, program
from flexmb.vectors import ZERO, add, column, cross, dot, load3, load_pair, rotate, scale, store3, store_pair, sub


@kernel
def _value(I, F, W, function):
    """Value of a function at the present time and sensors."""
    call(I[L.AT_FUNCTION], I, F, W, function)
    return W[I[L.X_VALUE]]


@kernel
def _vector(I, F, W, load):
    """The three components of a load."""
    return (_value(I, F, W, I[load + L.L_FX]), _value(I, F, W, I[load + L.L_FY]), _value(I, F, W, I[load + L.L_FZ]))


@kernel
def _at_marker(I, F, W, load, out):
    """A force or torque at a marker, components in world axes or in those of the marker."""
    marker = I[load + L.L_A]
    a = state_of(I, F, W, marker, False)
    vector = _vector(I, F, W, load)
    if I[load + L.L_AXES] == 1:
        vector = rotate(R_wm_at(W, a), vector)
    if I[load + L.L_KIND] == FORCE:
        apply_wrench(I, W, marker, vector, ZERO)
        W[out + L.LW_POWER] = dot(vector, v_wm_at(W, a))
    else:
        apply_wrench(I, W, marker, ZERO, vector)
        W[out + L.LW_POWER] = dot(vector, omega_wm_at(W, a))
    W[out + L.LW_EFFORT] = math.sqrt(dot(vector, vector))
    store3(W, out + L.LW_VECTOR, vector)


@kernel
def _along_body(I, F, W, load, out):
    """A force per length at the markers I[L_Q..] of a body, each standing for the length F[L_F..]."""
    vector = _vector(I, F, W, load)
    markers = I[load + L.L_Q]
    lengths = I[load + L.L_F]
    W[out + L.LW_EFFORT] = math.sqrt(dot(vector, vector))
    for k in range(I[load + L.L_V]):
        marker = I[markers + k]
        a = state_of(I, F, W, marker, False)
        force = scale(F[lengths + k], vector)
        if I[load + L.L_AXES] == 1:
            force = rotate(R_wm_at(W, a), force)
        apply_wrench(I, W, marker, force, ZERO)
        W[out + L.LW_POWER] += dot(force, v_wm_at(W, a))


@kernel
def _on_shape(I, F, W, load, out):
    """A load shape times its value on the mesh of a body (theory 4): force f, moment m and forces f_k on its modes,

    f = F0 + F1_k q_k,  m = M0 + M1_k q_k + 1/2 M2_kl q_k q_l,  f_k = Q0_k + Q1_kl q_l
    """
    body = body_of_marker(I, marker_record(I, I[load + L.L_A]))
    block = block_of(I, body)
    eta = eta_of(I, body)
    eta_dot = eta_dot_of(I, body)
    wrench = wrench_of(I, body)
    n = n_modes_of(I, body)
    constants = I[load + L.L_F]
    modes = constants + L.LS_MODES
    pairs = modes + 7 * n
    value = _value(I, F, W, I[load + L.L_FX])
    force = load3(F, constants + L.LS_FORCE)
    moment = load3(F, constants + L.LS_MOMENT)
    power = 0.0
    for k in range(n):
        q = W[eta + k]
        own = F[modes + 7 * k]
        force = add(force, scale(q, load3(F, modes + 7 * k + 1)))
        moment = add(moment, scale(q, load3(F, modes + 7 * k + 4)))
        if I[load + L.L_AXES] == 1:
            for l in range(n):
                pair = pairs + 4 * (k * n + l)
                own += F[pair] * W[eta + l]
                moment = add(moment, scale(0.5 * q * W[eta + l], load3(F, pair + 1)))
        W[wrench + 6 + k] -= value * own
        power += own * W[eta_dot + k]
    power += dot(force, v_wb_b_at(W, block)) + dot(moment, omega_wb_b_at(W, block))
    f_t, f_r = load_pair(W, wrench)
    store_pair(W, wrench, sub(f_t, scale(value, force)), sub(f_r, scale(value, moment)))
    W[out + L.LW_EFFORT] = value
    W[out + L.LW_POWER] = value * power


@kernel
def _apply_law(I, F, W, load, out, position, rate):
    """Effort of the law of a load at a length or coordinate and its rate; power and potential go to its block."""
    function = I[load + L.L_FX]
    W[out + L.LW_DISTANCE] = position
    W[out + L.LW_RATE] = rate
    applied = _value(I, F, W, function) if function > 0 else 0.0
    law_into(I[load + L.L_KIND], F, I[load + L.L_F], I[load + L.L_TABLE], position, rate, applied, W, out)
    return W[out + L.LW_EFFORT]


@kernel
def _between(I, F, W, load, out):
    """A law on the distance of two markers; tension is positive."""
    a = state_of(I, F, W, I[load + L.L_A], False)
    b = state_of(I, F, W, I[load + L.L_B], False)
    d = sub(p_wm_at(W, b), p_wm_at(W, a))
    length = math.sqrt(dot(d, d))
    if length < 1e-12:  # no direction; a spring with free length zero has no force here
        W[out + L.LW_EFFORT] = -_apply_law(I, F, W, load, out, length, 0.0)
        return
    direction = scale(1.0 / length, d)
    rate = dot(direction, sub(v_wm_at(W, b), v_wm_at(W, a)))
    tension = -_apply_law(I, F, W, load, out, length, rate)
    W[out + L.LW_EFFORT] = tension
    pull = scale(tension, direction)
    store3(W, out + L.LW_VECTOR, pull)
    apply_wrench(I, W, I[load + L.L_A], pull, ZERO)
    apply_wrench(I, W, I[load + L.L_B], scale(-1.0, pull), ZERO)


@kernel
def _along_axis(I, F, W, load, out):
    """A law on the place of a marker along an axis of another one, on which it acts back at the same point."""
    a = state_of(I, F, W, I[load + L.L_A], False)
    b = state_of(I, F, W, I[load + L.L_B], False)
    axis = column(R_wm_at(W, b), I[load + L.L_AXES])
    d = sub(p_wm_at(W, a), p_wm_at(W, b))
    rate = dot(axis, sub(v_wm_at(W, a), v_wm_at(W, b))) + dot(cross(omega_wm_at(W, b), axis), d)
    push = scale(_apply_law(I, F, W, load, out, dot(axis, d), rate), axis)
    store3(W, out + L.LW_VECTOR, push)
    apply_wrench(I, W, I[load + L.L_A], push, ZERO)
    back = scale(-1.0, push)
    apply_wrench(I, W, I[load + L.L_B], back, cross(d, back))


@kernel
def _on_coordinate(I, F, W, load, effort):
    """Apply an effort to a joint coordinate, branch or chord."""
    if I[load + L.L_TREE] == 1:
        W[I[L.EFFORT] + I[load + L.L_COORD]] += effort
        return
    chord = chord_record(I, I[load + L.L_CHORD])
    first = I[chord + L.K_FIRST]
    second = I[chord + L.K_SECOND]
    a = state_of(I, F, W, first, False)
    b = state_of(I, F, W, second, False)
    d = sub(p_wm_at(W, b), p_wm_at(W, a))
    unit_force, unit_moment = load_pair(W, coordinate_wrench_at(I[chord + L.CH_W], I[load + L.L_COORD]))
    force = scale(effort, unit_force)
    moment = scale(effort, unit_moment)
    back = scale(-1.0, add(moment, cross(d, force)))
    apply_wrench(I, W, second, force, moment)
    apply_wrench(I, W, first, scale(-1.0, force), back)


@program
def loads(I, F, W, arg):
    """Apply all loads."""
    for k in range(I[L.N_LOADS]):
        load = load_record(I, k)
        out = I[load + L.L_W]
        W[out + L.LW_POTENTIAL] = 0.0
        W[out + L.LW_POWER] = 0.0
        subject = acts_on(I[load + L.L_KIND])
        if subject == MARKER:
            _at_marker(I, F, W, load, out)
        elif subject == BEAM:
            _along_body(I, F, W, load, out)
        elif subject == PAIR:
            _between(I, F, W, load, out)
        elif subject == SHAPE:
            _on_shape(I, F, W, load, out)
        elif subject == COORDINATE:  # L_Q and L_V are places of the value and rate of a coordinate in W
            effort = _apply_law(I, F, W, load, out, W[I[load + L.L_Q]], W[I[load + L.L_V]])
            _on_coordinate(I, F, W, load, effort)
        elif subject == AXIS:
            _along_axis(I, F, W, load, out)
        elif subject == FRAMES:
            call(I[L.AT_BUSHING], I, F, W, load)
        else:
            call(I[L.AT_CABLE], I, F, W, load)
