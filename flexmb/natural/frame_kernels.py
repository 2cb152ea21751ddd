"""Compiled conversion from natural coordinates to the core's: positions, quaternions and their rates of all bodies.

The constant matrix C of r = C x enters as rows of entries (starts, columns, values), twelve rows per body: origin
and three axes; leaves: the core's absolute coordinates q (7 per body), rates v and accelerations a (6 per body); forces
on v become forces on x. Arrays are given with the offset where their numbers begin.
"""

from __future__ import annotations

import math
from typing import Any

from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f8, i8, void


@kernel
def row_at(I: Any, starts: int, columns: int, F: Any, values: int, row: int, X: Any, x: int) -> float:
    """Row of C times the numbers at X[x..]."""
    total = 0.0
    for e in range(I[starts + row], I[starts + row + 1]):
        total += F[values + e] * X[x + I[columns + e]]
    return total


@kernel
def quaternion_of(r: Any) -> tuple[float, float, float, float]:
    """Unit quaternion, scalar first, of the axes r (9 numbers), by its largest square (no cancellation)."""
    xx, yy, zz = r[0], r[4], r[8]
    trace = xx + yy + zz
    if trace >= max(xx, yy, zz):
        a, b, c, d = 1.0 + trace, r[5] - r[7], r[6] - r[2], r[1] - r[3]
    elif xx >= yy and xx >= zz:
        a, b, c, d = r[5] - r[7], 1.0 + xx - yy - zz, r[3] + r[1], r[6] + r[2]
    elif yy >= zz:
        a, b, c, d = r[6] - r[2], r[3] + r[1], 1.0 + yy - zz - xx, r[7] + r[5]
    else:
        a, b, c, d = r[1] - r[3], r[6] + r[2], r[7] + r[5], 1.0 + zz - xx - yy
    size = math.sqrt(a * a + b * b + c * c + d * d)
    return a / size, b / size, c / size, d / size


@kernel
def place_into(
    I: Any, starts: int, columns: int, F: Any, values: int, order: int, n: int, X: Any, x: int, Q: Any, q: int
) -> None:
    """q (n, 7) of n bodies; quaternions go on without a jump."""
    for k in range(n):
        row, to = 12 * I[order + k], q + 7 * k
        for i in range(3):
            Q[to + i] = row_at(I, starts, columns, F, values, row + i, X, x)
        r0 = row_at(I, starts, columns, F, values, row + 3, X, x)
        r1 = row_at(I, starts, columns, F, values, row + 4, X, x)
        r2 = row_at(I, starts, columns, F, values, row + 5, X, x)
        r3 = row_at(I, starts, columns, F, values, row + 6, X, x)
        r4 = row_at(I, starts, columns, F, values, row + 7, X, x)
        r5 = row_at(I, starts, columns, F, values, row + 8, X, x)
        r6 = row_at(I, starts, columns, F, values, row + 9, X, x)
        r7 = row_at(I, starts, columns, F, values, row + 10, X, x)
        r8 = row_at(I, starts, columns, F, values, row + 11, X, x)
        a, b, c, d = quaternion_of((r0, r1, r2, r3, r4, r5, r6, r7, r8))
        sign = 1.0 if a * Q[to + 3] + b * Q[to + 4] + c * Q[to + 5] + d * Q[to + 6] >= 0.0 else -1.0
        Q[to + 3], Q[to + 4], Q[to + 5], Q[to + 6] = sign * a, sign * b, sign * c, sign * d


@kernel
def rates_into(
    I: Any, starts: int, columns: int, F: Any, values: int, order: int, n: int, X: Any, x: int, rate: int,
    out: Any, to: int,
) -> None:  # fmt: skip
    """v or a (n, 6): rate of the origin, and skew part of R^T times the rate of R; x and its rate are in X."""
    for k in range(n):
        row = 12 * I[order + k]
        for i in range(3):
            out[to + 6 * k + i] = row_at(I, starts, columns, F, values, row + i, X, rate)
            j, m = row + 3 + 3 * ((i + 1) % 3), row + 3 + 3 * ((i + 2) % 3)
            turning = 0.0
            for c in range(3):
                turning += row_at(I, starts, columns, F, values, m + c, X, x) * row_at(
                    I, starts, columns, F, values, j + c, X, rate
                )
                turning -= row_at(I, starts, columns, F, values, j + c, X, x) * row_at(
                    I, starts, columns, F, values, m + c, X, rate
                )
            out[to + 6 * k + 3 + i] = 0.5 * turning


@kernel
def add_forces(
    I: Any, starts: int, columns: int, F: Any, values: int, order: int, n: int, X: Any, x: int, B: Any, b: int,
    out: Any, to: int,
) -> None:  # fmt: skip
    """Add Q = C^T f of the forces -B (n, 6) that go with the rates v of `rates_into`.

    An angular velocity w_i = (a_k . a_j' - a_j . a_k') / 2 has the forces t_i a_k / 2 on a_j and -t_i a_j / 2 on a_k.
    """
    for body in range(n):
        row = 12 * I[order + body]
        for i in range(3):
            add_to_row(I, starts, columns, F, values, row + i, -B[b + 6 * body + i], out, to)
            j, k = row + 3 + 3 * ((i + 1) % 3), row + 3 + 3 * ((i + 2) % 3)
            half = -0.5 * B[b + 6 * body + 3 + i]
            if half != 0.0:
                for c in range(3):
                    a_j = row_at(I, starts, columns, F, values, j + c, X, x)
                    a_k = row_at(I, starts, columns, F, values, k + c, X, x)
                    add_to_row(I, starts, columns, F, values, j + c, half * a_k, out, to)
                    add_to_row(I, starts, columns, F, values, k + c, -half * a_j, out, to)


@kernel
def add_to_row(
    I: Any, starts: int, columns: int, F: Any, values: int, row: int, force: float, out: Any, to: int
) -> None:  # fmt: skip
    """Add a row of C times a force to the numbers at out[to..]."""
    for e in range(I[starts + row], I[starts + row + 1]):
        out[to + I[columns + e]] += F[values + e] * force


@array_kernel(void(i8[::1], i8, f8[::1], i8, f8[::1], f8[::1]))
def put_places(I: Any, n: int, F: Any, columns: int, x: Any, q: Any) -> None:
    """q (7 n,) of x: I holds starts (12 n + 1), then the order (n), then columns from `columns` on; F the values."""
    place_into(I, 0, columns, F, 0, 12 * n + 1, n, x, 0, q, 0)


@array_kernel(void(i8[::1], i8, f8[::1], i8, f8[::1], f8[::1], f8[::1]))
def put_forces(I: Any, n: int, F: Any, columns: int, x: Any, bias: Any, out: Any) -> None:
    """Add to out (x.size,) the forces -bias (6 n,) on v."""
    add_forces(I, 0, columns, F, 0, 12 * n + 1, n, x, 0, bias, 0, out, 0)


@array_kernel(void(i8[::1], i8, f8[::1], i8, f8[::1], f8[::1]))
def put_rates(I: Any, n: int, F: Any, columns: int, both: Any, out: Any) -> None:
    """v or a (6 n,); both: x, then its rate."""
    rates_into(I, 0, columns, F, 0, 12 * n + 1, n, both, 0, both.size // 2, out, 0)
