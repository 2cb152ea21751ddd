"""Sensors: named scalars of the state, for expressions (the early ones) and for the result."""

from __future__ import annotations

import math

from flexmb.equations.chords import relative_motion_into
from flexmb.equations.kinematics import state_of
from flexmb.jit import kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import add, cross, dot, load3, load9, rotate, rotate_back, scale, sub


@kernel
def _component(vector, k):
    """Component 0, 1, 2, or the magnitude for 3."""
    if k == 0:
        return vector[0]
    if k == 1:
        return vector[1]
    if k == 2:
        return vector[2]
    return _norm(vector)


@kernel
def _norm(vector):
    return math.sqrt(dot(vector, vector))


@kernel
def _between(I, F, W, sensor, accelerate):
    """Position, velocity, acceleration of marker A relative to marker B, in world axes or in those of B."""
    kind = I[sensor + L.SE_KIND]
    a = state_of(I, F, W, 2 * I[sensor + L.SE_A] + accelerate)
    b = state_of(I, F, W, 2 * I[sensor + L.SE_B] + accelerate)
    k = I[sensor + L.SE_COMPONENT]
    if kind == L.SENSE_DISTANCE:
        return _norm(sub(load3(W, a + L.S_P), load3(W, b + L.S_P)))
    if I[sensor + L.SE_AXES] == 1:
        x = I[L.X_CHORD]
        pose = relative_motion_into(W, b, a, x)
        if kind == L.SENSE_POSITION:
            return _component(pose[1], k)
        return _component(load3(W, x + 3 if kind == L.SENSE_VELOCITY else x + 9), k)
    o = L.S_P
    if kind == L.SENSE_VELOCITY:
        o = L.S_V
    elif kind == L.SENSE_ACCELERATION:
        o = L.S_A
    return _component(sub(load3(W, a + o), load3(W, b + o)), k)


@kernel
def _swung(e, f, sign, x):
    """x after the smallest rotation that takes the unit vector e to f (sign 1), or back from f to e (sign -1)."""
    w = scale(sign, cross(e, f))
    wx = cross(w, x)
    return add(x, add(wx, scale(1.0 / (1.0 + dot(e, f)), cross(w, wx))))


@kernel
def _deflection(I, F, W, sensor):
    """Marker A minus the place that it has beside the chord from marker B to C when the body is undeformed.

    World axes, or those of the chord: the body axes after the smallest rotation that takes the undeformed chord to the
    present one, so that the frame of the body does not matter.
    """
    a = load3(W, state_of(I, F, W, 2 * I[sensor + L.SE_A]) + L.S_P)
    b = load3(W, state_of(I, F, W, 2 * I[sensor + L.SE_B]) + L.S_P)
    c = load3(W, state_of(I, F, W, 2 * I[sensor + L.SE_C]) + L.S_P)
    f = I[sensor + L.SE_F]
    part, undeformed, offset = F[f], load3(F, f + 1), load3(F, f + 4)
    d = sub(a, add(scale(1.0 - part, b), scale(part, c)))
    body = I[I[L.MARKERS] + I[sensor + L.SE_A] * L.MARKER + L.MK_BODY]
    R = load9(W, I[I[L.BODIES] + body * L.BODY + L.B_W] + L.W_R_W)
    chord = rotate_back(R, sub(c, b))
    chord = scale(1.0 / _norm(chord), chord)
    if I[sensor + L.SE_AXES] == 1:
        d = sub(_swung(undeformed, chord, -1.0, rotate_back(R, d)), offset)
    else:
        d = sub(d, rotate(R, _swung(undeformed, chord, 1.0, offset)))
    return _component(d, I[sensor + L.SE_COMPONENT])


@program
def sensors(I, F, W, arg):
    """Fill the sensor slots: arg = 0 those that expressions use, arg = 1 all, with accelerations."""
    n = I[L.N_SENSORS] if arg == 1 else I[L.N_EARLY_SENSORS]
    for k in range(n):
        sensor = I[L.SENSORS] + k * L.SENSOR
        kind = I[sensor + L.SE_KIND]
        if kind == L.SENSE_SLOT:
            W[I[sensor + L.SE_W]] = W[I[sensor + L.SE_SOURCE]]
        elif kind == L.SENSE_NORM:
            W[I[sensor + L.SE_W]] = _norm(load3(W, I[sensor + L.SE_SOURCE]))
        elif kind == L.SENSE_DEFLECTION:
            W[I[sensor + L.SE_W]] = _deflection(I, F, W, sensor)
        else:
            W[I[sensor + L.SE_W]] = _between(I, F, W, sensor, arg)
