"""Driven models for inverse dynamics, and a short way to their solution."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fx
from flexmb.analyses.inverse import inverse_model
from flexmb.results.inverse_result import InverseDynamics
from tests.support.mechanisms import slider_crank
from tests.support.places import EXAMPLES

LEE = EXAMPLES / "05_inverse_slider_crank.toml"


def solve(folder: Path, data: dict[str, Any], **options: Any) -> InverseDynamics:
    return inverse_model(fx.Model.from_tables(data), folder / "out.h5", **options)


def driven(coordinates: dict[str, Any] | None = None, **analysis: Any) -> dict[str, Any]:
    data = slider_crank(coordinates or {})
    return {**data, "analysis": {"end": 1.0, "step": 1e-3, **analysis}}


def cart(**motions: Any) -> dict[str, Any]:
    """A cart of 2 kg along x with a uniform bar of 3 kg, 1 m that hangs from it, swinging about y."""
    return {
        "model": {"gravity": [0, 0, -9.81]},
        "bodies": {
            "cart": {"mass": 2.0, "inertia": [0.1] * 3},
            "bar": {"mass": 3.0, "rod": [[0, 0, 0], [0, 0, -1]]},
        },
        "joints": {
            "track": {"type": "prismatic", "bodies": ["ground", "cart"], "at": [0, 0, 0], "axis": "x"},
            "pivot": {"type": "revolute", "bodies": ["cart", "bar"], "at": [0, 0, 0], "axis": "-y", "position": 0.4},
        },
        "motions": motions,
        "analysis": {"end": 2.0, "method": "rk45", "tolerance": 1e-9},
        "output": {"every": 0.01},
    }


SWAY = {"joint": "track", "expression": "0.2*sin(3*t)"}
CRANK, COUPLER, ROCKER, BASE = 0.2, 0.5, 0.4, 0.55
START = 1.0
"""Angle of the crank in the design position [rad]."""


def rocker_angle(theta: Any, crank: float = CRANK, rocker: float = ROCKER) -> Any:
    """Angle of the rocker against the x axis for that of the crank: the upper crossing of two circles."""
    bx, by = crank * np.cos(theta) - BASE, crank * np.sin(theta)
    reach = np.hypot(bx, by)
    return np.arctan2(by, bx) - np.arccos((rocker**2 + reach**2 - COUPLER**2) / (2.0 * rocker * reach))


def four_bar(motions: dict[str, Any]) -> dict[str, Any]:
    """Crank on the left, rocker on the right, coupler above; revolute joints about z, gravity along -y."""
    phi = float(rocker_angle(START))
    B = [float(CRANK * np.cos(START)), float(CRANK * np.sin(START)), 0.0]
    C = [float(BASE + ROCKER * np.cos(phi)), float(ROCKER * np.sin(phi)), 0.0]

    def pin(first: str, second: str, at: list[float]) -> dict[str, Any]:
        return {"type": "revolute", "bodies": [first, second], "at": at, "axis": "z"}

    return {
        "model": {"gravity": [0, -9.81, 0]},
        "points": {"B": B},
        "bodies": {
            "crank": {"mass": 1.0, "rod": [[0, 0, 0], B], "markers": {"tip": {"at": "B"}}},
            "coupler": {"mass": 2.0, "rod": [B, C]},
            "rocker": {"mass": 1.5, "rod": [[BASE, 0, 0], C]},
        },
        "joints": {
            "left": pin("ground", "crank", [0, 0, 0]),
            "upper_left": pin("crank", "coupler", B),
            "upper_right": pin("coupler", "rocker", C),
            "right": pin("ground", "rocker", [BASE, 0, 0]),
        },
        "motions": motions,
        "analysis": {"end": 1.0, "step": 0.01},
    }


TURN = "0.8*t + 0.2*sin(3*t)"
DRIVE = {"joint": "left", "expression": TURN}
HEIGHT = {"marker": "crank.tip", "along": "y", "expression": f"{CRANK}*sin({START} + {TURN})"}
