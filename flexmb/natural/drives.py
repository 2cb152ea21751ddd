"""Functions of time that drive constraint rows, evaluated by the core."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.arrays import Floats
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import call
from flexmb.system.system import System


@dataclass(frozen=True, eq=False)
class CoreFunction:
    """A function of time with its two derivatives, by the program that the core has of it at I[start]."""

    system: System
    work: Floats
    """(w,) a workspace of its own"""
    start: int

    def __call__(self, t: float) -> tuple[float, float, float]:
        ints, W = self.system.ints, self.work
        W[ints[L.T]] = t
        call(int(ints[L.AT_FUNCTION]), ints, self.system.floats, W, self.start)
        value, rate, acceleration = W[ints[L.X_VALUE] : ints[L.X_VALUE] + 3].tolist()
        return value, rate, acceleration
