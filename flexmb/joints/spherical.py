"""Spherical joint: any rotation. Coordinates: unit quaternion; rates: angular velocity in the second frame."""

from __future__ import annotations

from flexmb.joints.motion import S_W, R, body_rates_into
from flexmb.machine_code.jit import kernel
from flexmb.vectors import matrix_quaternion, quaternion_matrix, store4, store9


@kernel
def motion_into(F, parameters, W, q, v, out):
    store9(W, out + R, quaternion_matrix(W[q], W[q + 1], W[q + 2], W[q + 3]))
    body_rates_into(W, out, out + S_W)


@kernel
def measure_into(F, parameters, W, R, t, out):
    store4(W, out, matrix_quaternion(R))
