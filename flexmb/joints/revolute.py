"""Revolute joint: turns about z. Coordinate: angle [rad]."""

from __future__ import annotations

import math

from flexmb.joints.motion import S_W, turn_z_into
from flexmb.machine_code.jit import kernel


@kernel
def motion_into(F, parameters, W, q, v, out):
    turn_z_into(W, out, math.cos(W[q]), math.sin(W[q]))
    W[out + S_W + 2] = 1.0


@kernel
def measure_into(F, parameters, W, R, t, out):
    W[out] = math.atan2(R[3] - R[1], R[0] + R[4])
