"""The slider-crank of Lee et al. 2001 as computed by inverse dynamics."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

import flexmb as fx
from flexmb.results.joint_reactions import joint_reactions
from tests.support.example_scripts import script

Array = NDArray[np.float64]
NAME = "05_inverse_slider_crank"
CASES: dict[str, dict[str, Any]] = {
    "rigid": {"rigid_rod": True},
    "flexible_linear_modes": {"field": "linear"},
    "flexible_second_order": {"field": "quadratic", "order": 2},
    "complete": {"field": "quadratic", "order": "full"},
    "exact": {"field": "exact"},
}


@cache
def computed(case: str, default: str = "joint") -> tuple[Array, dict[str, Array]]:
    model = script(NAME).slider_crank(**CASES[case])
    model.coordinates(default=default)
    model.output(every=2e-4)
    if case == "rigid":
        model.analysis(type="kinematic")
    with TemporaryDirectory() as folder, fx.run_model(model, Path(folder) / "out.h5") as result:
        forces = {name: joint.force_world for name, joint in joint_reactions(result, model=model).items()}
        found = {"slider": result["sensors/slider_x"], "torque": result["sensors/torque"]}
        for name, joint in (("FO", "bearing"), ("FA", "crank_pin"), ("FB", "slider_pin")):
            found |= {f"{name}_x": forces[joint][:, 0], f"{name}_y": forces[joint][:, 1]}
        found["guide"] = forces["guide"][:, 1]
        return result.time, found
