"""Loads whose components can be moved: a system like the given one whose forces, torques and actuators are constants.

In: a system and a workspace with a state. Out: the same system with the law of every load of these kinds replaced by
the value it has in that state, the places of these values in the constants F, and their names.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.jit import call
from flexmb.layout import flat_arrays as at
from flexmb.solvers.mechanics import Floats, Mechanics
from flexmb.system.system import System

_VECTORS = (at.LOAD_FORCE, at.LOAD_TORQUE, at.LOAD_DISTRIBUTED)


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
            record = int(m.I[at.LOADS]) + k * at.LOAD
            kind = int(m.I[record + at.L_KIND])
            slots: dict[str, int] = {}
            if kind in _VECTORS:
                slots = {f"{name}.x": at.L_FX, f"{name}.y": at.L_FY, f"{name}.z": at.L_FZ}
            elif kind == at.LOAD_ACTUATOR:
                slots = {name: at.L_FX}
            for label, slot in slots.items():
                call(int(m.I[at.AT_FUNCTION]), m.I, system.floats, m.W, int(m.I[record + slot]))
                self.names.append(label)
                self.values.append(float(m.W[m.I[at.X_VALUE]]))
                self.places.append(len(floats))
                floats.append(self.values[-1])
                ints[record + slot] = len(ints)
                ints += [0, 0, self.places[-1]]
        self.system = replace(system, ints=np.array(ints, dtype=np.int64), floats=np.array(floats))
