"""The classical Runge-Kutta step, for equations whose unknowns are not (q, v) (`independent`, `canonical`)."""

from __future__ import annotations

from collections.abc import Callable

from flexmb.arrays import Floats


def runge_kutta_step(rate: Callable[[float, Floats], Floats], t: float, y: Floats, h: float) -> Floats:
    """y one step later, order 4."""
    first = rate(t, y)
    second = rate(t + 0.5 * h, y + 0.5 * h * first)
    third = rate(t + 0.5 * h, y + 0.5 * h * second)
    last = rate(t + h, y + h * third)
    return y + h / 6.0 * (first + 2.0 * (second + third) + last)
