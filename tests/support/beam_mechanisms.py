"""Mechanisms of beams whose shapes are judged: a divided beam, a four-bar with a coupler that bends."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.model.schema import read_spec
from flexmb.model.schema.model_spec import ModelSpec

BEAM = {"material": {"E": 2e11, "nu": 0.3, "density": 7800}, "section": {"type": "circle", "radius": 0.005}}
EI, RHO_A = 2e11 * np.pi * 0.005**4 / 4, 7800 * np.pi * 0.005**2


def chain(n: int, shapes: Any, last: bool = True, **keys: Any) -> ModelSpec:
    """A beam of 1 m clamped at its start, divided into n fixed to each other; `last`: clamped at its end too."""
    bodies, joints = {}, {}
    for i in range(n):
        bodies[f"b{i}"] = {**BEAM, "beam": [[i / n, 0, 0], [(i + 1) / n, 0, 0]], "frame": "start", **keys}
        bodies[f"b{i}"] |= {} if shapes is None else {"shapes": shapes}
        joints[f"j{i}"] = {"type": "fixed", "bodies": [f"b{i - 1}" if i else "ground", f"b{i}"], "at": [i / n, 0, 0]}
    if last:
        joints["last"] = {"type": "fixed", "bodies": [f"b{n - 1}", "ground"], "at": [1, 0, 0]}
    return read_spec({"bodies": bodies, "joints": joints})


def four_bar(shapes: Any, **keys: Any) -> ModelSpec:
    """Crank, coupler that bends, rocker, in the x-y plane; the y axis of the coupler's section is normal to it."""
    points = {"O": [0, 0, 0], "A": [0, 0.1, 0], "B": [0.4, 0.25, 0], "C": [0.4, 0, 0]}
    coupler = {**BEAM, "beam": ["A", "B"], **keys} | ({} if shapes is None else {"shapes": shapes})
    ends = {"o": ("ground", "crank"), "a": ("crank", "coupler"), "b": ("coupler", "rocker"), "c": ("ground", "rocker")}
    return read_spec(
        {
            "model": {"gravity": [0, -9.81, 0]},
            "points": points,
            "bodies": {
                "crank": {"mass": 0.4, "rod": ["O", "A"]},
                "coupler": coupler,
                "rocker": {"mass": 0.8, "rod": ["C", "B"]},
            },
            "joints": {
                k: {"type": "revolute", "bodies": list(v), "at": k.upper(), "axis": "z"} for k, v in ends.items()
            },
        }
    )
