"""Applied forces (theory 4): every load puts its wrench on the bodies or its effort on a coordinate.

Needs `kinematics`, and `chords` and the early sensors where loads refer to them. Every load leaves its effort, its
power (of what is not stored as energy) and its potential in its block of W, a force or torque also its vector.
"""

from __future__ import annotations

import math

from flexmb.equations.functions import linear_table
from flexmb.equations.markers import apply_wrench, state_of
from flexmb.jit import call, kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_wm_at,
    chord_record,
    coordinate_wrench_at,
    load_record,
    omega_wm_at,
    p_wm_at,
    v_wm_at,
)
from flexmb.loads.laws import friction, linear_spring
from flexmb.vectors import ZERO, add, cross, dot, load_pair, rotate, scale, store3, sub


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
    if I[load + L.L_KIND] == L.LOAD_FORCE:
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
def _spring_between(I, F, W, load, out):
    """Spring-damper along the line of two markers; tension positive. Parameters: stiffness, damping, free length."""
    a = state_of(I, F, W, I[load + L.L_A], False)
    b = state_of(I, F, W, I[load + L.L_B], False)
    d = sub(p_wm_at(W, b), p_wm_at(W, a))
    length = math.sqrt(dot(d, d))
    p = I[load + L.L_F]
    stiffness, damping, free_length = F[p], F[p + 1], F[p + 2]
    elongation = length - free_length
    if I[load + L.L_TABLE] > 0:
        tension, _, energy = linear_table(F, I[load + L.L_TABLE], elongation)
    else:
        tension, energy = linear_spring(stiffness, elongation)
    W[out + L.LW_POTENTIAL] = energy
    W[out + L.LW_EFFORT] = tension
    if length < 1e-12:
        return  # no direction; a spring with free length zero has no force here
    direction = scale(1.0 / length, d)
    rate = dot(direction, sub(v_wm_at(W, b), v_wm_at(W, a)))
    tension += damping * rate
    W[out + L.LW_EFFORT] = tension
    W[out + L.LW_POWER] = -damping * rate * rate
    pull = scale(tension, direction)
    apply_wrench(I, W, I[load + L.L_A], pull, ZERO)
    apply_wrench(I, W, I[load + L.L_B], scale(-1.0, pull), ZERO)


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


@kernel
def _joint_load(I, F, W, load, out):
    """Spring, friction or actuator on a joint coordinate; L_Q and L_V are places of its value and rate in W."""
    kind = I[load + L.L_KIND]
    p = I[load + L.L_F]
    rate = W[I[load + L.L_V]]
    if kind == L.LOAD_JOINT_SPRING:
        stiffness, damping, rest = F[p], F[p + 1], F[p + 2]
        deflection = W[I[load + L.L_Q]] - rest
        if I[load + L.L_TABLE] > 0:
            effort, _, energy = linear_table(F, I[load + L.L_TABLE], deflection)
        else:
            effort, energy = linear_spring(stiffness, deflection)
        W[out + L.LW_POTENTIAL] = energy
        W[out + L.LW_POWER] = -damping * rate * rate
        effort = -effort - damping * rate
    elif kind == L.LOAD_FRICTION:
        viscous, coulomb, transition = F[p], F[p + 1], F[p + 2]
        effort = -friction(viscous, coulomb, transition, rate)
        W[out + L.LW_POWER] = effort * rate
    else:
        effort = _value(I, F, W, I[load + L.L_FX])
        W[out + L.LW_POWER] = effort * rate
    W[out + L.LW_EFFORT] = effort
    _on_coordinate(I, F, W, load, effort)


@program
def loads(I, F, W, arg):
    """Apply all loads."""
    for k in range(I[L.N_LOADS]):
        load = load_record(I, k)
        kind = I[load + L.L_KIND]
        out = I[load + L.L_W]
        W[out + L.LW_POTENTIAL] = 0.0
        W[out + L.LW_POWER] = 0.0
        if kind == L.LOAD_FORCE or kind == L.LOAD_TORQUE:
            _at_marker(I, F, W, load, out)
        elif kind == L.LOAD_SPRING:
            _spring_between(I, F, W, load, out)
        elif kind == L.LOAD_DISTRIBUTED:
            _along_body(I, F, W, load, out)
        else:
            _joint_load(I, F, W, load, out)
