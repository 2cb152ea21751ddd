"""The one place that tells joint types apart in compiled code. Codes: `flexmb.joints.table`."""

from __future__ import annotations

from flexmb.jit import kernel
from flexmb.joints import (
    cylindrical,
    distance,
    free,
    pin_in_slot,
    planar,
    point_on_line,
    prismatic,
    revolute,
    screw,
    spherical,
    universal,
)
from flexmb.joints.motion import BIAS_V, BIAS_W, S_V, S_W, R, T
from flexmb.vectors import add, cross, load3, load9, rotate_back, scale, store3, store9, sub, transpose

FIXED, REVOLUTE, PRISMATIC, CYLINDRICAL, SCREW, UNIVERSAL, SPHERICAL = 0, 1, 2, 3, 4, 5, 6
PLANAR, FREE, PIN_IN_SLOT, POINT_ON_LINE, DISTANCE, ROLLING = 7, 8, 9, 10, 11, 12

_revolute, _revolute_measure = revolute.motion_into, revolute.measure_into
_prismatic, _prismatic_measure = prismatic.motion_into, prismatic.measure_into
_cylindrical, _cylindrical_measure = cylindrical.motion_into, cylindrical.measure_into
_screw, _screw_measure = screw.motion_into, screw.measure_into
_universal, _universal_measure = universal.motion_into, universal.measure_into
_spherical, _spherical_measure = spherical.motion_into, spherical.measure_into
_planar, _planar_measure = planar.motion_into, planar.measure_into
_free, _free_measure = free.motion_into, free.measure_into
_pin, _pin_measure = pin_in_slot.motion_into, pin_in_slot.measure_into
_line, _line_measure = point_on_line.motion_into, point_on_line.measure_into
_distance, _distance_measure = distance.motion_into, distance.measure_into


@kernel
def motion_into(code, F, parameters, W, q, v, out):
    """Pose, motion subspace and bias of a joint at coordinates W[q..] and rates W[v..], to a blank W[out..]."""
    if code == REVOLUTE:
        _revolute(F, parameters, W, q, v, out)
    elif code == PRISMATIC:
        _prismatic(F, parameters, W, q, v, out)
    elif code == CYLINDRICAL:
        _cylindrical(F, parameters, W, q, v, out)
    elif code == SCREW:
        _screw(F, parameters, W, q, v, out)
    elif code == UNIVERSAL:
        _universal(F, parameters, W, q, v, out)
    elif code == SPHERICAL:
        _spherical(F, parameters, W, q, v, out)
    elif code == PLANAR:
        _planar(F, parameters, W, q, v, out)
    elif code == FREE:
        _free(F, parameters, W, q, v, out)
    elif code == PIN_IN_SLOT:
        _pin(F, parameters, W, q, v, out)
    elif code == POINT_ON_LINE:
        _line(F, parameters, W, q, v, out)
    elif code == DISTANCE:
        _distance(F, parameters, W, q, v, out)


@kernel
def measure_into(code, F, parameters, W, R, t, out):
    """Coordinates of a joint of type `code` from the pose R, t of its second frame in its first."""
    if code == REVOLUTE:
        _revolute_measure(F, parameters, W, R, t, out)
    elif code == PRISMATIC:
        _prismatic_measure(F, parameters, W, R, t, out)
    elif code == CYLINDRICAL:
        _cylindrical_measure(F, parameters, W, R, t, out)
    elif code == SCREW:
        _screw_measure(F, parameters, W, R, t, out)
    elif code == UNIVERSAL:
        _universal_measure(F, parameters, W, R, t, out)
    elif code == SPHERICAL:
        _spherical_measure(F, parameters, W, R, t, out)
    elif code == PLANAR:
        _planar_measure(F, parameters, W, R, t, out)
    elif code == FREE:
        _free_measure(F, parameters, W, R, t, out)
    elif code == PIN_IN_SLOT:
        _pin_measure(F, parameters, W, R, t, out)
    elif code == POINT_ON_LINE:
        _line_measure(F, parameters, W, R, t, out)
    elif code == DISTANCE:
        _distance_measure(F, parameters, W, R, t, out)


@kernel
def reverse_into(W, v, n_columns, out):
    """Turn a joint motion round: pose and motion of the first frame seen from the second, same coordinates.

    With R, t, omega, alpha, t_dot, t_ddot of the joint: R' = R^T, t' = -R^T t, omega' = -R^T omega and
    t_ddot' = -R^T (t_ddot - alpha x t - 2 omega x t_dot + omega x (omega x t)).
    """
    pose = load9(W, out + R)
    t = load3(W, out + T)
    omega = (0.0, 0.0, 0.0)
    t_dot = (0.0, 0.0, 0.0)
    for k in range(n_columns):
        s_w = load3(W, out + S_W + 3 * k)
        s_v = load3(W, out + S_V + 3 * k)
        omega = add(omega, scale(W[v + k], s_w))
        t_dot = add(t_dot, scale(W[v + k], s_v))
        store3(W, out + S_W + 3 * k, scale(-1.0, rotate_back(pose, s_w)))
        store3(W, out + S_V + 3 * k, scale(-1.0, rotate_back(pose, add(s_v, cross(t, s_w)))))
    bias_w = load3(W, out + BIAS_W)
    bias_v = sub(load3(W, out + BIAS_V), cross(bias_w, t))
    bias_v = add(bias_v, cross(omega, sub(cross(omega, t), scale(2.0, t_dot))))
    store3(W, out + BIAS_W, scale(-1.0, rotate_back(pose, bias_w)))
    store3(W, out + BIAS_V, scale(-1.0, rotate_back(pose, bias_v)))
    store3(W, out + T, scale(-1.0, rotate_back(pose, t)))
    store9(W, out + R, transpose(pose))
