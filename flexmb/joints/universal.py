"""Universal joint: turns about x of the first frame, then about y of the second: R = Rx(angle1) Ry(angle2).

Coordinates: angle1, angle2 [rad].
"""

from __future__ import annotations

import math

from flexmb.joints.motion import BIAS_W, S_W, R
from flexmb.machine_code.jit import kernel


@kernel
def motion_into(F, parameters, W, q, v, out):
    c1 = math.cos(W[q])
    s1 = math.sin(W[q])
    c2 = math.cos(W[q + 1])
    s2 = math.sin(W[q + 1])
    W[out + R] = c2
    W[out + R + 1] = 0.0
    W[out + R + 2] = s2
    W[out + R + 3] = s1 * s2
    W[out + R + 4] = c1
    W[out + R + 5] = -s1 * c2
    W[out + R + 6] = -c1 * s2
    W[out + R + 7] = s1
    W[out + R + 8] = c1 * c2
    W[out + S_W] = 1.0
    W[out + S_W + 3 + 1] = c1
    W[out + S_W + 3 + 2] = s1
    W[out + BIAS_W + 1] = -s1 * W[v] * W[v + 1]
    W[out + BIAS_W + 2] = c1 * W[v] * W[v + 1]


@kernel
def measure_into(F, parameters, W, R, t, out):
    W[out] = math.atan2(R[7], R[4])
    W[out + 1] = math.atan2(R[2], R[0])
