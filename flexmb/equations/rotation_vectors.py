"""The rotation vector of a relative orientation: axis times angle, theta = log R_ab, and its rates.

With omega the angular velocity of b relative to a, axes of a (R_ab' = omega~ R_ab), and phi = |theta|:

    theta' = T omega,  T = 1 - theta~/2 + c theta~^2,  c = (1 - (phi/2) cot(phi/2)) / phi^2

[Bauchau & Trainelli 2003]. It has one value up to phi = pi, where its sign changes.
"""

from __future__ import annotations

import math

from flexmb.machine_code.jit import kernel
from flexmb.vectors import add, cross, dot, matrix_quaternion, scale

SMALL = 1e-2
"""Angle [rad] below which series are used: what they leave out is less than 1e-16 of 1."""


@kernel
def rotation_vector(R):
    """theta of a rotation matrix [rad]."""
    w, x, y, z = matrix_quaternion(R)
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    size = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 if size < 1e-150 else 2.0 * math.atan2(size, w) / size
    return (factor * x, factor * y, factor * z)


@kernel
def _coefficient(phi2):
    """c, and its derivative by phi over phi, of the square of phi."""
    if phi2 < SMALL * SMALL:
        return (
            1.0 / 12.0 + phi2 * (1.0 / 720.0 + phi2 * (1.0 / 30240.0 + phi2 / 1209600.0)),
            1.0 / 360.0 + phi2 * (1.0 / 7560.0 + phi2 / 201600.0),
        )
    phi = math.sqrt(phi2)
    s = math.sin(0.5 * phi)
    cot = math.cos(0.5 * phi) / s
    return (1.0 - 0.5 * phi * cot) / phi2, (0.5 * cot / phi + 0.25 / (s * s) - 2.0 / phi2) / phi2


@kernel
def vector_rate(theta, omega):
    """theta' of a relative angular velocity in axes of a."""
    c, _ = _coefficient(dot(theta, theta))
    turned = cross(theta, omega)
    return add(omega, add(scale(-0.5, turned), scale(c, cross(theta, turned))))


@kernel
def moment_of(theta, effort):
    """T^T effort: the moment on b, axes of a, of an effort on theta."""
    c, _ = _coefficient(dot(theta, theta))
    turned = cross(theta, effort)
    return add(effort, add(scale(0.5, turned), scale(c, cross(theta, turned))))


@kernel
def component_gradient(theta, theta_dot, axis):
    """g and g' of a component of theta: theta_i' = g . omega, g = T^T e_i."""
    e = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
    c, slope = _coefficient(dot(theta, theta))
    once = cross(theta, e)
    twice = cross(theta, once)
    rate = cross(theta_dot, e)
    c_dot = slope * dot(theta, theta_dot)
    g = add(e, add(scale(0.5, once), scale(c, twice)))
    both = add(cross(theta_dot, once), cross(theta, rate))
    return g, add(scale(0.5, rate), add(scale(c_dot, twice), scale(c, both)))
