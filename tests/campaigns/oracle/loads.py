"""Applied loads: forces and torques at markers, springs and dampers between markers, loads on joint coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.campaigns.oracle.description import Description
from tests.campaigns.oracle.rows import Rows, coordinate_row

if TYPE_CHECKING:
    from tests.campaigns.oracle.machine import Kinematics, Machine

Array = Any


class Loads:
    """All loads of a model."""

    def __init__(self, description: Description):
        self._at_markers = [load for load in description.forces if load["type"] in ("force", "torque")]
        self._springs = [load for load in description.forces if load["type"] == "spring-damper"]
        self._on_joints = [load for load in description.forces if "joint" in load]
        joints = description.joints
        self._rows = Rows([coordinate_row(joints[load["joint"]], load["coordinate"]) for load in self._on_joints])

    def generalised(self, machine: Machine, at: Kinematics, t: float) -> Array:
        """(n,) generalised force of all loads."""
        total, zero = np.zeros(machine.n), np.zeros(3)
        for load in self._at_markers:
            vector = np.array([wave(t) for wave in load["vector"]])
            vector = at.Rm[load["marker"]] @ vector if load.get("axes") == "marker" else vector
            pair = (vector, zero) if load["type"] == "force" else (zero, vector)
            total += machine.pulled_back(at, load["marker"], *pair)
        for load in self._springs:
            a, b = load["markers"]
            d, rate = at.pm[b] - at.pm[a], at.vm[b] - at.vm[a]
            length = float(np.linalg.norm(d))
            pull = load["stiffness"] * (length - load["length"]) + load["damping"] * float(d @ rate) / length
            total += machine.pulled_back(at, a, pull * d / length, zero)
            total -= machine.pulled_back(at, b, pull * d / length, zero)
        if self._on_joints:
            position = self._rows.values(at.pm, at.Rm)
            rate = self._rows.rates(at.pm, at.Rm, at.vm, at.wm)
            efforts = [_effort(load, *both, t) for load, *both in zip(self._on_joints, position, rate, strict=True)]
            total += np.array(efforts) @ machine.spread(at, self._rows, *self._rows.wrenches(at.pm, at.Rm))
        return total

    def positions(self, at: Kinematics) -> list[float]:
        """Joint coordinates that carry loads."""
        return list(self._rows.values(at.pm, at.Rm)) if self._on_joints else []

    def potential(self, at: Kinematics) -> float:
        """Energy of the springs [J]."""
        total = 0.0
        for load in self._springs:
            a, b = load["markers"]
            total += 0.5 * load["stiffness"] * (float(np.linalg.norm(at.pm[b] - at.pm[a])) - load["length"]) ** 2
        if self._on_joints:
            for load, position in zip(self._on_joints, self._rows.values(at.pm, at.Rm), strict=True):
                if load["type"] == "joint-spring":
                    total += 0.5 * load["stiffness"] * (position - load["rest"]) ** 2
        return total


def _effort(load: dict[str, Any], position: float, rate: float, t: float) -> float:
    """Effort on a joint coordinate, positive along it."""
    if load["type"] == "actuator":
        return float(load["effort"](t))
    if load["type"] == "joint-spring":
        return -load["stiffness"] * (position - load["rest"]) - load["damping"] * rate
    return -load["viscous"] * rate - load["coulomb"] * float(np.tanh(rate / load["transition"]))
