"""Applied forces (theory 4): every load puts its wrench on the bodies or its effort on a coordinate.

Needs `kinematics`, and `chords` and the early sensors where loads refer to them. Every load leaves its effort, its
power (of what is not stored as energy) and its potential in its block of W, a force or torque also its vector.
"""

from __future__ import annotations

import math

from flexmb.equations.kinematics import apply_wrench, state_of
from flexmb.jit import call, kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.loads.laws import BEAM, FORCE, MARKER, PAIR, acts_on, law_into
from flexmb.vectors import ZERO, add, cross, dot, load3, load9, rotate, scale, store3, sub


@kernel
def _value(I, F, W, function):
    """Value of a function at the present time and sensors."""
    call(I[L.AT_FUNCTION], I, F, W, function)
    return W[I[L.X_VALUE]]


@kernel
def _at_marker(I, F, W, load, out):
    """A force or torque at a marker, components in world axes or in those of the marker."""
    a = state_of(I, F, W, 2 * I[load + L.L_A])
    vector = (_value(I, F, W, I[load + L.L_FX]), _value(I, F, W, I[load + L.L_FY]), _value(I, F, W, I[load + L.L_FZ]))
    if I[load + L.L_AXES] == 1:
        vector = rotate(load9(W, a + L.S_R), vector)
    if I[load + L.L_KIND] == FORCE:
        apply_wrench(I, W, I[load + L.L_A], vector, ZERO)
        W[out + L.LW_POWER] = dot(vector, load3(W, a + L.S_V))
    else:
        apply_wrench(I, W, I[load + L.L_A], ZERO, vector)
        W[out + L.LW_POWER] = dot(vector, load3(W, a + L.S_W))
    W[out + L.LW_EFFORT] = math.sqrt(dot(vector, vector))
    store3(W, out + L.LW_VECTOR, vector)


@kernel
def _along_body(I, F, W, load, out):
    """A force per length at the markers I[L_Q..] of a body, each standing for the length F[L_F..]."""
    vector = (_value(I, F, W, I[load + L.L_FX]), _value(I, F, W, I[load + L.L_FY]), _value(I, F, W, I[load + L.L_FZ]))
    W[out + L.LW_EFFORT] = math.sqrt(dot(vector, vector))
    for k in range(I[load + L.L_V]):
        marker = I[I[load + L.L_Q] + k]
        a = state_of(I, F, W, 2 * marker)
        force = scale(F[I[load + L.L_F] + k], vector)
        if I[load + L.L_AXES] == 1:
            force = rotate(load9(W, a + L.S_R), force)
        apply_wrench(I, W, marker, force, ZERO)
        W[out + L.LW_POWER] += dot(force, load3(W, a + L.S_V))


@kernel
def _apply_law(I, F, W, load, out, position, rate):
    """Effort of the law of a load at a length or coordinate and its rate; power and potential go to its block."""
    function = I[load + L.L_FX]
    applied = _value(I, F, W, function) if function > 0 else 0.0
    law_into(I[load + L.L_KIND], F, I[load + L.L_F], I[load + L.L_TABLE], position, rate, applied, W, out)
    return W[out + L.LW_EFFORT]


@kernel
def _between(I, F, W, load, out):
    """A law on the distance of two markers; tension is positive."""
    a = state_of(I, F, W, 2 * I[load + L.L_A])
    b = state_of(I, F, W, 2 * I[load + L.L_B])
    d = sub(load3(W, b + L.S_P), load3(W, a + L.S_P))
    length = math.sqrt(dot(d, d))
    if length < 1e-12:  # no direction; a spring with free length zero has no force here
        W[out + L.LW_EFFORT] = -_apply_law(I, F, W, load, out, length, 0.0)
        return
    direction = scale(1.0 / length, d)
    rate = dot(direction, sub(load3(W, b + L.S_V), load3(W, a + L.S_V)))
    tension = -_apply_law(I, F, W, load, out, length, rate)
    W[out + L.LW_EFFORT] = tension
    pull = scale(tension, direction)
    apply_wrench(I, W, I[load + L.L_A], pull, ZERO)
    apply_wrench(I, W, I[load + L.L_B], scale(-1.0, pull), ZERO)


@kernel
def _on_coordinate(I, F, W, load, effort):
    """Apply an effort to a joint coordinate, branch or chord."""
    if I[load + L.L_TREE] == 1:
        W[I[L.EFFORT] + I[load + L.L_COORD]] += effort
        return
    c = I[L.CHORDS] + I[load + L.L_CHORD] * L.CHORD
    block = I[c + L.CH_W] + L.C_WRENCH + 6 * I[load + L.L_COORD]
    a = state_of(I, F, W, 2 * I[c + L.K_FIRST])
    b = state_of(I, F, W, 2 * I[c + L.K_SECOND])
    d = sub(load3(W, b + L.S_P), load3(W, a + L.S_P))
    force = scale(effort, load3(W, block))
    moment = scale(effort, load3(W, block + 3))
    back = scale(-1.0, add(moment, cross(d, force)))
    apply_wrench(I, W, I[c + L.K_SECOND], force, moment)
    apply_wrench(I, W, I[c + L.K_FIRST], scale(-1.0, force), back)


@program
def loads(I, F, W, arg):
    """Apply all loads."""
    for k in range(I[L.N_LOADS]):
        load = I[L.LOADS] + k * L.LOAD
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
        else:  # L_Q and L_V are places of the value and rate of a coordinate in W
            effort = _apply_law(I, F, W, load, out, W[I[load + L.L_Q]], W[I[load + L.L_V]])
            _on_coordinate(I, F, W, load, effort)
