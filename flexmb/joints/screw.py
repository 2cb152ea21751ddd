"""Screw joint: turns about z and advances in proportion. Coordinate: angle [rad]; parameter: advance [m/rad]."""

from __future__ import annotations

import math

from flexmb.joints.motion import S_V, S_W, T, turn_z_into
from flexmb.machine_code.jit import kernel


@kernel
def motion_into(F, parameters, W, q, v, out):
    turn_z_into(W, out, math.cos(W[q]), math.sin(W[q]))
    W[out + T + 2] = F[parameters] * W[q]
    W[out + S_W + 2] = 1.0
    W[out + S_V + 2] = F[parameters]


@kernel
def measure_into(F, parameters, W, R, t, out):
    """The angle within a turn comes from the orientation, the number of turns from the advance."""
    angle = math.atan2(R[3] - R[1], R[0] + R[4])
    turns = round((t[2] / F[parameters] - angle) / (2.0 * math.pi))
    W[out] = angle + 2.0 * math.pi * turns
