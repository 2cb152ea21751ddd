"""Compiled conversion from natural coordinates to the core's: positions, quaternions and their rates of all bodies.

The constant matrix C of r = C x enters as rows of entries (starts, columns, values), twelve rows per body: origin
and three axes; leaves: the core's absolute coordinates q (7 per body), rates v and accelerations a (6 per body).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f8, i8, void


@kernel
def frame_of(starts: Any, columns: Any, values: Any, body: int, x: Any, out: Any) -> None:
    """Origin and axes (4, 3) of a body, or their rates."""
    for row in range(12):
        total = 0.0
        for e in range(starts[12 * body + row], starts[12 * body + row + 1]):
            total += values[e] * x[columns[e]]
        out[row // 3, row % 3] = total


@kernel
def quaternion_of(axes: Any, p: Any) -> None:
    """Unit quaternion, scalar first, of the matrix with these columns, by its largest square (no cancellation)."""
    trace = axes[0, 0] + axes[1, 1] + axes[2, 2]
    k = 0
    if axes[1, 1] > axes[0, 0]:
        k = 1
    if axes[2, 2] > axes[k, k]:
        k = 2
    if trace >= axes[k, k]:
        p[0], p[1] = 1.0 + trace, axes[1, 2] - axes[2, 1]
        p[2], p[3] = axes[2, 0] - axes[0, 2], axes[0, 1] - axes[1, 0]
    else:
        i, j = (k + 1) % 3, (k + 2) % 3
        p[0], p[1 + k] = axes[i, j] - axes[j, i], 1.0 + axes[k, k] - axes[i, i] - axes[j, j]
        p[1 + i], p[1 + j] = axes[k, i] + axes[i, k], axes[k, j] + axes[j, k]
    size = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    for i in range(4):
        p[i] /= size


@array_kernel(void(i8[::1], i8[::1], f8[::1], i8[::1], f8[::1], f8[:, ::1]))
def place_into(starts: Any, columns: Any, values: Any, order: Any, x: Any, q: Any) -> None:
    """q (n, 7); quaternions go on without a jump."""
    place, turn = np.empty((4, 3)), np.empty(4)
    for k in range(order.size):
        frame_of(starts, columns, values, order[k], x, place)
        quaternion_of(place[1:], turn)
        for i in range(3):
            q[k, i] = place[0, i]
        along = turn[0] * q[k, 3] + turn[1] * q[k, 4] + turn[2] * q[k, 5] + turn[3] * q[k, 6]
        for i in range(4):
            q[k, 3 + i] = turn[i] if along >= 0.0 else -turn[i]


@array_kernel(void(i8[::1], i8[::1], f8[::1], i8[::1], f8[::1], f8[::1], f8[:, ::1]))
def rates_into(starts: Any, columns: Any, values: Any, order: Any, x: Any, x_rate: Any, out: Any) -> None:
    """v or a (n, 6): rate of the origin, and skew part of R^T times the rate of R."""
    place, rate = np.empty((4, 3)), np.empty((4, 3))
    for k in range(order.size):
        frame_of(starts, columns, values, order[k], x, place)
        frame_of(starts, columns, values, order[k], x_rate, rate)
        for i in range(3):
            out[k, i] = rate[0, i]
            j, m = 1 + (i + 1) % 3, 1 + (i + 2) % 3
            turning = 0.0
            for component in range(3):
                turning += place[m, component] * rate[j, component] - place[j, component] * rate[m, component]
            out[k, 3 + i] = 0.5 * turning
