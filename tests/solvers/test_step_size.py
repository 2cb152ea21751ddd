"""Error control: the error of a run against a converged one, as a multiple of the tolerance.

Covers: solvers.runge_kutta, solvers.step_size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.runs import Run

GRAVITY = {"name": "error control", "gravity": [0, 0, -9.81]}
HINGE = {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": "y"}


def rod(start: float, end: float, mass: float = 1.0) -> dict[str, Any]:
    """A slender rigid rod along x."""
    return {"mass": mass, "rod": [[start, 0, 0], [end, 0, 0]], "markers": {"tip": {"at": [end, 0, 0]}}}


def pendulum(end: float) -> dict[str, Any]:
    return {"model": GRAVITY, "bodies": {"a": rod(0, 1)}, "joints": {"j": HINGE}, "analysis": {"end": end}}


def double_pendulum() -> dict[str, Any]:
    joints = {"j": HINGE, "k": {**HINGE, "bodies": ["a", "b"], "at": [1, 0, 0]}}
    return {"model": GRAVITY, "bodies": {"a": rod(0, 1), "b": rod(1, 2)}, "joints": joints, "analysis": {"end": 2.0}}


def soft_pendulum() -> dict[str, Any]:
    """A beam of rubber, released level: it bends by a tenth of its length and rings."""
    beam = {
        "beam": [[0, 0, 0], [1, 0, 0]],
        "material": {"E": 2e8, "nu": 0.3, "density": 2000},
        "section": {"type": "circle", "diameter": 0.02},
        "shapes": {"family": "modes", "bending": {"y": 0, "z": 3}},
        "frame": "chord",
        "markers": {"tip": {"along": 1.0}, "middle": {"along": 0.5}},
    }
    return {"model": GRAVITY, "bodies": {"a": beam}, "joints": {"j": HINGE}, "analysis": {"end": 1.0}}


def slider_crank() -> dict[str, Any]:
    slider = {"mass": 0.4, "inertia": [1e-3, 1e-3, 1e-3], "at": [0.65, 0, 0], "markers": {"tip": {"at": [0.65, 0, 0]}}}
    joints = {
        "j": {**HINGE, "velocity": 20.0},
        "k": {**HINGE, "bodies": ["a", "b"], "at": [0.15, 0, 0]},
        "l": {**HINGE, "bodies": ["b", "s"], "at": [0.65, 0, 0]},
        "m": {"type": "prismatic", "bodies": ["ground", "s"], "at": [0.65, 0, 0], "axis": "x"},
    }
    bodies = {"a": rod(0, 0.15, 0.5), "b": rod(0.15, 0.65, 0.5), "s": slider}
    return {"model": GRAVITY, "bodies": bodies, "joints": joints, "analysis": {"end": 1.0}}


def spring_mass() -> dict[str, Any]:
    body = {"mass": 1.0, "inertia": [1e-3, 1e-3, 1e-3], "at": [0, 0, 1.0], "markers": {"tip": {"at": [0, 0, 1.0]}}}
    joint = {"type": "prismatic", "bodies": ["ground", "a"], "at": [0, 0, 1.0], "axis": "z"}
    spring = {"type": "joint-spring", "joint": "j", "stiffness": 400.0}
    data = {"model": GRAVITY, "bodies": {"a": body}, "joints": {"j": joint}, "forces": {"f": spring}}
    return {**data, "analysis": {"end": 3.0}}


CASES = {
    "pendulum": pendulum(2.0),
    "pendulum, 15 swings": pendulum(20.0),
    "double pendulum": double_pendulum(),
    "soft pendulum": soft_pendulum(),
    "slider-crank": slider_crank(),
    "spring": spring_mass(),
}


@pytest.mark.parametrize("method", ["generalized-alpha", "rk45"])
@pytest.mark.parametrize("name", CASES)
def test_error_of_the_run_is_within_ten_tolerances(name: str, method: str) -> None:
    data = dict(CASES[name])
    data["output"] = {"every": data["analysis"]["end"] / 50}
    middles = {"middle": "a.middle"} if name == "soft pendulum" else {}
    places = {body: f"{body}.tip" for body in data["bodies"]} | middles
    data["sensors"] = {place: {"marker": marker} for place, marker in places.items()}
    exact = Run(data, method="rk45", tolerance=1e-11)
    for tolerance in (1e-4, 1e-6):
        run = Run(data, method=method, tolerance=tolerance)
        error = max(np.abs(run[f"sensors/{place}"] - exact[f"sensors/{place}"]).max() for place in places)
        assert error < 10.0 * tolerance * run.system.length_scale, (tolerance, run.summary.steps)
