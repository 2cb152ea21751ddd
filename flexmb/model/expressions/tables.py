"""Functions given by points: coefficients of smooth curves and areas under straight lines.

Records in the float array (x strictly increasing):
    smooth: [n, x_0..x_{n-1}, then for each of the n-1 pieces c0 ... c5]:
        y = c0 + c1 s + c2 s^2 + ... + c5 s^5, s = x - x_i
    linear: [n, x_0..x_{n-1}, y_0..y_{n-1}, area_0..area_{n-1}]: area_i is the integral of y from 0 to x_i.
Beyond its ends a table is continued with its first or last piece.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

from flexmb.model.expressions.interpolation import pieces

Points = Sequence[Sequence[float]]


def check_points(points: Points, what: str = "time", least: int = 2) -> None:
    """Raise ValueError unless there are enough finite points with strictly increasing first entries."""
    if len(points) < least:
        raise ValueError(f"a table needs at least {least} points, found {len(points)}")
    for i, point in enumerate(points):
        if len(point) != 2:
            raise ValueError(f"row {i + 1} of the table must be a pair [{what}, value]")
        if not all(math.isfinite(x) for x in point):
            raise ValueError(f"row {i + 1} of the table must hold finite numbers")
        if i and point[0] <= points[i - 1][0]:
            raise ValueError(
                f"the first column ({what}) must increase: row {i + 1} has {point[0]:g} after {points[i - 1][0]:g}"
            )


def _piece(x: Sequence[float], at: float) -> int:
    return min(max(bisect_right(x, at) - 1, 0), len(x) - 2)


def _frozen(points: Points) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in points)


def smooth_record(points: Points, form: str) -> list[float]:
    """Float record of the curve through `points`; form: "monotone" or "spline" (see interpolation.py)."""
    frozen = _frozen(points)
    return [float(len(frozen)), *(x for x, _ in frozen), *(c for piece in pieces(frozen, form) for c in piece)]


def smooth_value(points: Points, form: str, at: float) -> float:
    """Value of the curve at `at`."""
    x = [float(point[0]) for point in points]
    i = _piece(x, at)
    value = 0.0
    for c in reversed(pieces(_frozen(points), form)[i]):
        value = value * (at - x[i]) + c
    return value


def linear_value(points: Points, at: float) -> float:
    """Value of the straight-line table at `at`."""
    x = [point[0] for point in points]
    i = _piece(x, at)
    slope = (points[i + 1][1] - points[i][1]) / (x[i + 1] - x[i])
    return points[i][1] + slope * (at - x[i])


def linear_record(points: Points) -> list[float]:
    """Float record of the straight-line table through `points`, with the integral from zero to every point."""
    x = [float(point[0]) for point in points]
    y = [float(point[1]) for point in points]
    area = [0.0]
    for i in range(1, len(x)):
        area.append(area[-1] + 0.5 * (y[i] + y[i - 1]) * (x[i] - x[i - 1]))
    i = _piece(x, 0.0)
    slope = (y[i + 1] - y[i]) / (x[i + 1] - x[i])
    at_zero = area[i] - x[i] * (y[i] - 0.5 * slope * x[i])
    return [float(len(x)), *x, *y, *(a - at_zero for a in area)]
