"""A closed train of four-bars: rockers on ground, neighbours joined by couplers at their tips; all joints are revolute.

One degree of freedom. In space three rows of every loop repeat others.
"""

from __future__ import annotations

import math
from typing import Any


def train(n_bars: int, angle: float = 60.0, tilt: float = 0.0) -> dict[str, Any]:
    """Tables of the train of n_bars (an odd number) bars of 1 m and 1 kg; `tilt` [rad] turns one axis out of line."""
    n = (n_bars - 1) // 2
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    bar = {"mass": 1.0, "inertia": [0.01, 1 / 12, 1 / 12], "center": [0.5, 0, 0]}
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for k in range(n + 1):
        turn = {"axis": [0, 0, 1], "angle": math.radians(angle)}
        bodies[f"rocker{k}"] = {**bar, "at": [k, 0, 0], "orientation": turn}
        joints[f"foot{k}"] = _pin(["ground", f"rocker{k}"], [k, 0, 0])
    for k in range(n):
        bodies[f"coupler{k}"] = {**bar, "at": [k + c, s, 0]}
        joints[f"near{k}"] = _pin([f"rocker{k}", f"coupler{k}"], [k + c, s, 0])
        joints[f"far{k}"] = _pin([f"coupler{k}", f"rocker{k + 1}"], [k + 1 + c, s, 0])
    joints["far0"]["axis"] = [0.0, math.sin(tilt), math.cos(tilt)]
    model = {"name": f"train of {n_bars} bars", "gravity": [0, -9.81, 0]}
    return {"model": model, "bodies": bodies, "joints": joints}


def _pin(bodies: list[str], at: list[float]) -> dict[str, Any]:
    return {"type": "revolute", "bodies": bodies, "at": at, "axis": "z"}
