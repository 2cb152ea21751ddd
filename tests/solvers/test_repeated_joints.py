"""A body held by two joints of which one only repeats the other: all constraint rows of the loop are round-off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.runs import Run

PAIRS = [("prismatic", "prismatic"), ("revolute", "revolute"), ("cylindrical", "cylindrical"), ("planar", "planar")]
PLACE = [0.3, -0.2, 0.5]


def held_twice(first: str, second: str, coordinates: str) -> dict[str, Any]:
    """A body in joints along one axis, which slides and turns no digit of the axes can express exactly."""
    axis = np.array([1.0, 2.0, 3.0])
    R = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    joint = {"bodies": ["ground", "body"], "axis": axis.tolist()}
    return {
        "model": {"gravity": [0, 0, -9.81]},
        "bodies": {
            "body": {"mass": 1.0, "inertia": [0.1, 0.2, 0.25], "at": PLACE, "orientation": R.tolist(), "center": PLACE}
        },
        "joints": {
            "one": {**joint, "type": first, "at": [0.1, 0.2, 0.3]},
            "two": {**joint, "type": second, "at": ([0.1, 0.2, 0.3] + 0.2 * axis).tolist()},
        },
        "coordinates": {"default": coordinates},
        "analysis": {"end": 0.2, "method": "rk45", "tolerance": 1e-10},
    }


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_second_joint_changes_neither_start_nor_motion(first: str, second: str, coordinates: str) -> None:
    """It started up to 2 m elsewhere, or was rejected as a contradiction."""
    data = held_twice(first, second, coordinates)
    twice = Run(data)
    del data["joints"]["two"]
    once = Run(data)
    assert twice["bodies/body/position"][0] == pytest.approx(PLACE, abs=1e-12)
    assert twice.final_positions == pytest.approx(once.final_positions, abs=1e-8)
    assert np.linalg.norm(once.final_positions - PLACE) > 1e-3


def test_the_gap_of_a_second_hinge_that_is_tilted_counts_in_the_constraint_error() -> None:
    """All its rows repeat the first hinge but for 1e-7 rad, so that the solvers see none of them."""
    data = held_twice("revolute", "revolute", "joint")
    data["joints"]["two"]["axis"] = [1.0, 2.0, 3.0 + 1e-7]
    run = Run(data, method="generalized-alpha", step=1e-3, tolerance=None)
    assert run.system.n_rows == 0 and 1e-10 < run.summary.largest_constraint_error < 1e-7
