"""Sensors: named scalars of the state, for expressions (the early ones) and for the result."""

from __future__ import annotations

import math

from flexmb.equations.chords import relative_motion_into
from flexmb.equations.markers import state_of
from flexmb.equations.rotation_vectors import rotation_vector, vector_rate
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    R_wb_at,
    R_wm_at,
    a_wm_at,
    alpha_wm_at,
    block_of,
    body_of_marker,
    marker_record,
    omega_wm_at,
    p_wm_at,
    v_wm_at,
)
from flexmb.machine_code.jit import kernel, program
from flexmb.vectors import add, cross, dot, load3, rotate, rotate_back, scale, sub


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
def _in_axes_of(I, W, a, b, kind):
    """A quantity of marker A relative to marker B, in the axes of B; states at W[a], W[b]."""
    x = I[L.X_CHORD]
    R_ba, p_ba = relative_motion_into(W, b, a, x)
    if kind == L.SENSE_POSITION:
        return p_ba
    if kind == L.SENSE_VELOCITY:
        return load3(W, x + 3)
    if kind == L.SENSE_ACCELERATION:
        return load3(W, x + 9)
    if kind == L.SENSE_OMEGA:
        return load3(W, x)
    if kind == L.SENSE_ALPHA:
        return load3(W, x + 6)
    theta = rotation_vector(R_ba)
    return theta if kind == L.SENSE_ORIENTATION else vector_rate(theta, load3(W, x))


@kernel
def _in_world_axes(I, W, a, b, kind):
    """The same in world axes."""
    if kind == L.SENSE_VELOCITY:
        return sub(v_wm_at(W, a), v_wm_at(W, b))
    if kind == L.SENSE_ACCELERATION:
        return sub(a_wm_at(W, a), a_wm_at(W, b))
    if kind == L.SENSE_OMEGA:
        return sub(omega_wm_at(W, a), omega_wm_at(W, b))
    if kind == L.SENSE_ALPHA:
        return sub(alpha_wm_at(W, a), alpha_wm_at(W, b))
    if kind == L.SENSE_POSITION or kind == L.SENSE_DISTANCE:
        return sub(p_wm_at(W, a), p_wm_at(W, b))
    R_wb = R_wm_at(W, b)
    theta = rotate(R_wb, _in_axes_of(I, W, a, b, L.SENSE_ORIENTATION))
    if kind == L.SENSE_ORIENTATION:
        return theta
    return add(rotate(R_wb, _in_axes_of(I, W, a, b, kind)), cross(omega_wm_at(W, b), theta))


@kernel
def _between(I, F, W, sensor, accelerate):
    """A component, the magnitude or its rate of a quantity of marker A relative to B, in world axes or those of B."""
    kind = I[sensor + L.SE_KIND]
    a = state_of(I, F, W, I[sensor + L.SE_A], accelerate)
    b = state_of(I, F, W, I[sensor + L.SE_B], accelerate)
    k = I[sensor + L.SE_COMPONENT]
    in_axes = I[sensor + L.SE_AXES] == 1
    x = _in_axes_of(I, W, a, b, kind) if in_axes else _in_world_axes(I, W, a, b, kind)
    if k < 4:
        return _component(x, k)
    rate = _in_axes_of(I, W, a, b, kind + 1) if in_axes else _in_world_axes(I, W, a, b, kind + 1)
    size = _norm(x)
    return dot(x, rate) / size if size > 0.0 else _norm(rate)


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
    a = p_wm_at(W, state_of(I, F, W, I[sensor + L.SE_A], False))
    b = p_wm_at(W, state_of(I, F, W, I[sensor + L.SE_B], False))
    c = p_wm_at(W, state_of(I, F, W, I[sensor + L.SE_C], False))
    f = I[sensor + L.SE_F]
    part, undeformed, offset = F[f], load3(F, f + 1), load3(F, f + 4)
    d = sub(a, add(scale(1.0 - part, b), scale(part, c)))
    body = body_of_marker(I, marker_record(I, I[sensor + L.SE_A]))
    R_wb = R_wb_at(W, block_of(I, body))
    chord = rotate_back(R_wb, sub(c, b))
    chord = scale(1.0 / _norm(chord), chord)
    if I[sensor + L.SE_AXES] == 1:
        d = sub(_swung(undeformed, chord, -1.0, rotate_back(R_wb, d)), offset)
    else:
        d = sub(d, rotate(R_wb, _swung(undeformed, chord, 1.0, offset)))
    return _component(d, I[sensor + L.SE_COMPONENT])


@program
def sensors(I, F, W, all_of_them):
    """Fill the sensor slots: 0 those that expressions use, 1 all, with the accelerations A."""
    n = I[L.N_SENSORS] if all_of_them == 1 else I[L.N_EARLY_SENSORS]
    for k in range(n):
        sensor = I[L.SENSORS] + k * L.SENSOR
        kind = I[sensor + L.SE_KIND]
        out = I[sensor + L.SE_W]
        if kind == L.SENSE_SLOT:
            W[out] = W[I[sensor + L.SE_SOURCE]]
        elif kind == L.SENSE_NORM:
            W[out] = _norm(load3(W, I[sensor + L.SE_SOURCE]))
        elif kind == L.SENSE_DEFLECTION:
            W[out] = _deflection(I, F, W, sensor)
        elif kind == L.SENSE_WORLD:
            marker = state_of(I, F, W, I[sensor + L.SE_A], False)
            vector = rotate(R_wm_at(W, marker), load3(W, I[sensor + L.SE_SOURCE]))
            W[out] = _component(vector, I[sensor + L.SE_COMPONENT])
        else:
            W[out] = _between(I, F, W, sensor, all_of_them)
