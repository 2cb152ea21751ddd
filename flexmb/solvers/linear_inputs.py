"""Loads as inputs: copy of a system whose forces, torques and actuators are constants that can be varied.

In: a system and a workspace with a state. Out: the same system with the law of every such load replaced by its value in
that state, the offsets of these values in the constants F, and their names.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.arrays import Floats
from flexmb.layout import flat_arrays as L
from flexmb.loads.table import LOAD_TYPES, LoadCode
from flexmb.machine_code.jit import call
from flexmb.solvers.mechanics import Mechanics
from flexmb.system.system import System

_EXPRESSIONS = {row.code: row.expression for row in LOAD_TYPES.values()}


class OpenedLoads:
    """A copy of a system with loads as constants."""

    def __init__(self, system: System, work: Floats):
        m = Mechanics(system, work.copy())
        m.equations()
        ints, floats = system.ints.tolist(), system.floats.tolist()
        self.names: list[str] = []
        self.values: list[float] = []
        self.places: list[int] = []
        for k, name in enumerate(system.forces):
            record = int(m.I[L.LOADS]) + k * L.LOAD
            expression = _EXPRESSIONS[LoadCode(m.I[record + L.L_KIND])]
            slots: dict[str, int] = {}
            if expression == "vector":
                slots = {f"{name}.x": L.L_FX, f"{name}.y": L.L_FY, f"{name}.z": L.L_FZ}
            elif expression is not None:
                slots = {name: L.L_FX}
            for label, slot in slots.items():
                call(int(m.I[L.AT_FUNCTION]), m.I, system.floats, m.W, int(m.I[record + slot]))
                self.names.append(label)
                self.values.append(float(m.W[m.I[L.X_VALUE]]))
                self.places.append(len(floats))
                floats.append(self.values[-1])
                ints[record + slot] = len(ints)
                ints += [0, 0, self.places[-1]]
        self.system = replace(system, ints=np.array(ints, dtype=np.int64), floats=np.array(floats))
