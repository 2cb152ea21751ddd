"""The joint-motion record and its blank state.

A joint implements two functions in the frame of its first marker:
`motion_into(F, parameters, W, q, v, out)`: pose R, t, motion subspace (angular velocity = sum S_w v, velocity = sum
S_v v) and bias (accelerations when all coordinate accelerations are zero), written to W from
`out`, which is blank before (`clear`);
`measure_into(F, parameters, W, R, t, out)`: the coordinates that belong to a relative pose, written to W from `out`.
"""

from __future__ import annotations

from flexmb.machine_code.jit import kernel

# Offsets in a joint-motion record; one column of S takes three floats.
R, T, BIAS_W, BIAS_V, S_W, S_V = 0, 9, 12, 15, 18, 36
SIZE = 54


@kernel
def clear(W, out, n_columns):
    """Unit pose, zero subspace and zero bias."""
    for k in range(18):
        W[out + k] = 0.0
    W[out + R] = 1.0
    W[out + R + 4] = 1.0
    W[out + R + 8] = 1.0
    for k in range(3 * n_columns):
        W[out + S_W + k] = 0.0
        W[out + S_V + k] = 0.0


@kernel
def turn_z_into(W, out, angle_cos, angle_sin):
    """Pose turned about z."""
    W[out + R] = angle_cos
    W[out + R + 1] = -angle_sin
    W[out + R + 3] = angle_sin
    W[out + R + 4] = angle_cos


@kernel
def body_rates_into(W, out, columns):
    """Three rotation columns, at W[columns], whose rates are components in the second frame: S_w = R."""
    for k in range(3):
        for i in range(3):
            W[columns + 3 * k + i] = W[out + R + 3 * i + k]
