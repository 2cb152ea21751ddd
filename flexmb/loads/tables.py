"""Straight-line tables in the float array F; their record is described in flexmb.model.expressions.tables."""

from __future__ import annotations

from flexmb.machine_code.jit import kernel


@kernel
def piece(F, at, x):
    """Index of the piece of a table (record at F[at]) that holds x; the end pieces hold everything beyond."""
    low = 0
    high = int(F[at]) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x >= F[at + 1 + middle]:
            low = middle
        else:
            high = middle
    return low


@kernel
def linear_table(F, at, x):
    """Value, slope and integral from 0 to x of the straight-line table at x."""
    n = int(F[at])
    i = piece(F, at, x)
    x0 = F[at + 1 + i]
    y0 = F[at + 1 + n + i]
    slope = (F[at + 2 + n + i] - y0) / (F[at + 2 + i] - x0)
    s = x - x0
    return y0 + slope * s, slope, F[at + 1 + 2 * n + i] + s * (y0 + 0.5 * slope * s)
