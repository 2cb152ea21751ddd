"""Prismatic joint: slides along z. Coordinate: slide [m]."""

from __future__ import annotations

from flexmb.joints.motion import S_V, T
from flexmb.machine_code.jit import kernel


@kernel
def motion_into(F, parameters, W, q, v, out):
    W[out + T + 2] = W[q]
    W[out + S_V + 2] = 1.0


@kernel
def measure_into(F, parameters, W, R, t, out):
    W[out] = t[2]
