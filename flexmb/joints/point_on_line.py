"""Point on a line: slides along z, any rotation. Coordinates: slide [m], unit quaternion; rates: slide rate, angular
velocity in the second frame."""

from __future__ import annotations

from flexmb.joints.motion import S_V, S_W, R, T, body_rates_into
from flexmb.machine_code.jit import kernel
from flexmb.vectors import matrix_quaternion, quaternion_matrix, store4, store9


@kernel
def motion_into(F, parameters, W, q, v, out):
    store9(W, out + R, quaternion_matrix(W[q + 1], W[q + 2], W[q + 3], W[q + 4]))
    W[out + T + 2] = W[q]
    W[out + S_V + 2] = 1.0
    body_rates_into(W, out, out + S_W + 3)


@kernel
def measure_into(F, parameters, W, R, t, out):
    W[out] = t[2]
    store4(W, out + 1, matrix_quaternion(R))
