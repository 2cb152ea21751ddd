"""Planar joint: slides along x and y, turns about z. Coordinates: x, y [m], angle [rad]."""

from __future__ import annotations

import math

from flexmb.joints.motion import S_V, S_W, T, turn_z_into
from flexmb.machine_code.jit import kernel


@kernel
def motion_into(F, parameters, W, q, v, out):
    turn_z_into(W, out, math.cos(W[q + 2]), math.sin(W[q + 2]))
    W[out + T] = W[q]
    W[out + T + 1] = W[q + 1]
    W[out + S_V] = 1.0
    W[out + S_V + 3 + 1] = 1.0
    W[out + S_W + 6 + 2] = 1.0


@kernel
def measure_into(F, parameters, W, R, t, out):
    W[out] = t[0]
    W[out + 1] = t[1]
    W[out + 2] = math.atan2(R[3] - R[1], R[0] + R[4])
