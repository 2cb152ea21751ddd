"""A mechanism of any size moves alike: lengths times s, masses times s^3, times times sqrt(s), under the same gravity.

Angles are then those of s = 1 at the scaled times, joint forces s^3 times as large. A micrometre is as good as a
kilometre, in natural coordinates too, whose unit vectors do not shrink with the points.
"""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.run import run_model
from flexmb.model.model import Model

EVERY = 0.02


def four_bar(s: float) -> dict[str, Any]:
    """Crank, coupler and rocker of some 0.1 s to 0.3 s [m]."""
    places = {"O": (0.0, 0.0), "A": (0.05, 0.086), "B": (0.22, 0.19), "C": (0.3, 0.0)}
    bodies = {"crank": ("O", "A", 1.0), "coupler": ("A", "B", 2.0), "rocker": ("C", "B", 1.5)}
    joints = {"j1": ("ground", "crank", "O"), "j2": ("crank", "coupler", "A"), "j3": ("coupler", "rocker", "B")}
    return {
        "points": {name: [s * x, s * y, 0.0] for name, (x, y) in places.items()},
        "bodies": {name: {"rod": [a, b], "mass": mass * s**3} for name, (a, b, mass) in bodies.items()},
        "joints": {
            name: {"type": "revolute", "bodies": [a, b], "at": at, "axis": "z"}
            for name, (a, b, at) in {**joints, "j4": ("ground", "rocker", "C")}.items()
        },
    }


def slider_crank(s: float) -> dict[str, Any]:
    """Crank 0.15 s, rod 0.4 s [m], and a slider with inertia."""
    x = 0.12 + sqrt(0.4**2 - 0.09**2)
    revolutes = {"j1": ("ground", "crank", "O"), "j2": ("crank", "rod", "A"), "j3": ("rod", "slider", "B")}
    return {
        "points": {"O": [0.0, 0.0, 0.0], "A": [0.12 * s, 0.09 * s, 0.0], "B": [x * s, 0.0, 0.0]},
        "bodies": {
            "crank": {"rod": ["O", "A"], "mass": s**3},
            "rod": {"rod": ["A", "B"], "mass": 2.0 * s**3},
            "slider": {"at": "B", "mass": 1.5 * s**3, "inertia": [1e-3 * s**5] * 3},
        },
        "joints": {
            **{
                name: {"type": "revolute", "bodies": [a, b], "at": at, "axis": "z"}
                for name, (a, b, at) in revolutes.items()
            },
            "j4": {"type": "prismatic", "bodies": ["ground", "slider"], "at": "B", "axis": "x"},
        },
    }


def motion(tables: dict[str, Any], s: float, path: Path, coordinates: str, **analysis: Any) -> tuple[Any, Any]:
    """Angles and forces of all revolute joints, in the units of s = 1."""
    tables["joints"]["j1"]["velocity"] = 5.0 / sqrt(s)
    tables["model"] = {"name": "of any size", "gravity": [0.0, -9.81, 0.0]}
    tables["coordinates"], tables["output"] = {"default": coordinates}, {"every": EVERY * sqrt(s)}
    tables["analysis"] = {"type": "dynamic", "end": 10 * EVERY * sqrt(s), "step": 2e-3 * sqrt(s), **analysis}
    with run_model(Model.from_tables(tables), path / f"{s}_{coordinates}.h5") as result:
        angles = np.array([result[f"joints/j{k}/position"] for k in (1, 2, 3)])
        return angles, np.array([result[f"joints/j{k}/force"] for k in (1, 2, 3)]) / s**3


@pytest.mark.parametrize("mechanism", [four_bar, slider_crank])
@pytest.mark.parametrize(
    "analysis",
    [
        {"method": "generalized-alpha"},
        {"method": "rk4"},
        {"method": "rk4", "formulation": "embedding"},
        {"method": "rk4", "formulation": "canonical"},
    ],
    ids=lambda analysis: " ".join(analysis.values()),
)
def test_natural_coordinates(mechanism: Any, analysis: dict[str, Any], tmp_path: Path) -> None:
    """Newton's iteration ends at 4e-16 m, which is 4e-9 of a crank of 0.1 um: 1e-8 is allowed."""
    angles, forces = motion(mechanism(1.0), 1.0, tmp_path, "natural", **analysis)
    for s in (1e-6, 1e3):
        found, pulled = motion(mechanism(s), s, tmp_path, "natural", **analysis)
        np.testing.assert_allclose(found, angles, rtol=0.0, atol=1e-8 * np.max(np.abs(angles)))
        np.testing.assert_allclose(pulled, forces, rtol=0.0, atol=1e-8 * np.max(np.abs(forces)))


@pytest.mark.parametrize("mechanism", [four_bar, slider_crank])
def test_micrometres_as_in_joint_coordinates(mechanism: Any, tmp_path: Path) -> None:
    """Two sets of equations; what they differ by is the error of rk4 at this step, 1e-6 at most."""
    one, one_force = motion(mechanism(1e-6), 1e-6, tmp_path, "joint", method="rk4")
    other, other_force = motion(mechanism(1e-6), 1e-6, tmp_path, "natural", method="rk4")
    np.testing.assert_allclose(other, one, rtol=0.0, atol=1e-6 * np.max(np.abs(one)))
    np.testing.assert_allclose(other_force, one_force, rtol=0.0, atol=1e-5 * np.max(np.abs(one_force)))
