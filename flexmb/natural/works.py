"""Works of loads and drives along a motion in natural coordinates, of fourth order from the first step on.

Enters: the powers P at the accepted states; leaves: the work of every step of length h,

    W = h/24 (9 P' + 19 P - 5 P_-1 + P_-2)       after two steps of the same length    (Adams-Moulton)
    W = h/6 (P + 4 P_1/2 + P')                   before that                           (Simpson)

with P_1/2 at the middle of the step, where the state is that of the polynomial of fifth degree through positions,
rates and accelerations of both ends.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.arrays import Floats
from flexmb.natural.projection import accelerations
from flexmb.natural.state import NaturalState
from flexmb.natural.system import NaturalSystem


class Works:
    """Memory of the powers of the last states."""

    def __init__(self, n_powers: int):
        self.numbers = np.zeros(2 + 2 * n_powers)
        """Length of the last steps [s], how many of them in a row; powers one and two states before the last [W]"""
        self._before, self._older = self.numbers[2:].reshape(2, n_powers)

    def of_step(self, h: float, last: Floats, new: Floats, middle: Callable[[], Floats]) -> Floats:
        """(n_powers,) [J] of a step from the powers `last` to `new`; `middle` finds those of the middle."""
        steps = int(self.numbers[1]) if self.numbers[0] == h else 0
        if steps >= 2:
            work = h / 24.0 * (9.0 * new + 19.0 * last - 5.0 * self._before + self._older)
        else:
            work = h / 6.0 * (last + 4.0 * middle() + new)
        self._older[:], self._before[:] = self._before, last
        self.numbers[:2] = h, min(steps + 1, 2)
        return np.asarray(work, dtype=np.float64)


def middle_state(system: NaturalSystem, first: NaturalState, last: NaturalState) -> NaturalState:
    """The state in the middle of a step."""
    h, t = last.t - first.t, 0.5 * (first.t + last.t)
    way = (last.x - first.x)[system.moving]
    x = first.x.copy()
    x[system.moving] += 0.5 * way + h * (5.0 / 32.0) * (first.v - last.v) + h * h / 64.0 * (first.a + last.a)
    v = 1.875 / h * way - 0.4375 * (first.v + last.v) + h / 32.0 * (last.a - first.a)
    return NaturalState(t, x, v, *accelerations(system, x, v, t))
