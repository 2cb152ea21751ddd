"""Free joint: no connection. Coordinates: x, y, z [m], unit quaternion; rates: velocity in the first frame, angular
velocity in the second. From ground it gives a body absolute coordinates."""

from __future__ import annotations

from flexmb.joints.motion import S_V, S_W, R, T, body_rates_into
from flexmb.machine_code.jit import kernel
from flexmb.vectors import matrix_quaternion, quaternion_matrix, store3, store4, store9


@kernel
def motion_into(F, parameters, W, q, v, out):
    store9(W, out + R, quaternion_matrix(W[q + 3], W[q + 4], W[q + 5], W[q + 6]))
    for k in range(3):
        W[out + T + k] = W[q + k]
        W[out + S_V + 4 * k] = 1.0
    body_rates_into(W, out, out + S_W + 9)


@kernel
def measure_into(F, parameters, W, R, t, out):
    store3(W, out, t)
    store4(W, out + 3, matrix_quaternion(R))
