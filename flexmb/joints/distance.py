"""Distance joint: a massless rod of given length with a ball at either end.

In the tree it has five rates: two turn the rod (components y, z in a frame that follows the rod without spinning
about it, stored as a quaternion: the direction has no singular position), three turn the second frame.
Coordinates: rod quaternion, orientation quaternion; parameter: length [m].
"""

from __future__ import annotations

import math

from flexmb.joints.motion import BIAS_V, S_V, S_W, R, T, body_rates_into
from flexmb.machine_code.jit import kernel
from flexmb.vectors import matrix_quaternion, quaternion_matrix, scale, store3, store4, store9


@kernel
def motion_into(F, parameters, W, q, v, out):
    length = F[parameters]
    rod = quaternion_matrix(W[q], W[q + 1], W[q + 2], W[q + 3])
    store9(W, out + R, quaternion_matrix(W[q + 4], W[q + 5], W[q + 6], W[q + 7]))
    t = scale(length, (rod[0], rod[3], rod[6]))
    store3(W, out + T, t)
    store3(W, out + S_V, scale(-length, (rod[2], rod[5], rod[8])))
    store3(W, out + S_V + 3, scale(length, (rod[1], rod[4], rod[7])))
    store3(W, out + BIAS_V, scale(-(W[v] * W[v] + W[v + 1] * W[v + 1]), t))
    body_rates_into(W, out, out + S_W + 6)


@kernel
def measure_into(F, parameters, W, R, t, out):
    """The rod frame is the shortest turn of the x axis into the direction of t."""
    length = math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    c = t[0] / length if length > 0.0 else 1.0
    if c > -0.999999:
        w = math.sqrt(0.5 * (1.0 + c))
        W[out] = w
        W[out + 1] = 0.0
        W[out + 2] = -0.5 * t[2] / (length * w) if length > 0.0 else 0.0
        W[out + 3] = 0.5 * t[1] / (length * w) if length > 0.0 else 0.0
    else:
        W[out] = 0.0
        W[out + 1] = 0.0
        W[out + 2] = 0.0
        W[out + 3] = 1.0
    store4(W, out + 4, matrix_quaternion(R))
