"""A body held by two joints of which one only repeats the other: all constraint rows of the loop are round-off, or a
slight tilt.

Covers: solvers.mobility.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.errors import InputError
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


def tilted(kind: str, tilt: float, coordinates: str, **first: Any) -> dict[str, Any]:
    """A body in two joints of the same kind, 0.5 m apart, the axis of the second one tilted [rad]."""
    joint = {"type": kind, "bodies": ["ground", "body"]}
    absolute = {"absolute": ["body"]} if coordinates == "mixed" else {}
    return {
        "model": {"gravity": [0, -9.81, 0]},
        "bodies": {
            "body": {"mass": 2.0, "inertia": [0.1, 0.1, 0.2], "at": [0.5, 0.1, 0.2]},
            "bob": {"mass": 0.5, "inertia": [0.01, 0.01, 0.01], "at": [0.7, 0.1, 0.2]},
        },
        "joints": {
            "one": {**joint, "at": [0, 0, 0], "axis": [0, 0, 1], **first},
            "two": {**joint, "at": [0, 0, 0.5], "axis": [0, tilt, 1]},
            "pin": {"type": "revolute", "bodies": ["body", "bob"], "at": [0.6, 0.1, 0.2], "axis": "z"},
        },
        "coordinates": {"default": "joint" if coordinates == "mixed" else coordinates} | absolute,
        "analysis": {"end": 0.1, "step": 1e-3},
    }


SPEEDS: dict[str, Any] = {"revolute": 2.0, "prismatic": 2.0, "cylindrical": [1.0, 2.0]}


@pytest.mark.parametrize("kind", SPEEDS)
@pytest.mark.parametrize("coordinates", ["joint", "absolute", "mixed"])
def test_a_slight_tilt_does_not_lock_a_body_that_is_given_a_velocity(kind: str, coordinates: str) -> None:
    """It was rejected for its velocity; two prismatic joints stood still at 1e-10 rad, with a poor energy balance."""
    wanted = Run(tilted(kind, 0.0, coordinates, velocity=SPEEDS[kind])).final_positions
    for tilt in (1e-12, 1e-10, 1e-7):
        for name in ("one", "two"):
            data = tilted(kind, tilt, coordinates)
            data["joints"][name]["velocity"] = SPEEDS[kind]
            run = Run(data)
            assert run.final_positions == pytest.approx(wanted, abs=10.0 * tilt + 1e-9)
            assert {record.code for record in run.ready.warnings} == {"nearly-redundant"}
            assert {record.place for record in run.ready.warnings} <= {"joints.one", "joints.two"}
    for tilt in (1e-5, 1e-4):
        with pytest.raises(InputError, match=r"'two' repeat others but for (1e-05|0.0001) rad"):
            Run(tilted(kind, tilt, coordinates, velocity=SPEEDS[kind]))


@pytest.mark.parametrize("coordinates", ["joint", "absolute", "mixed"])
def test_a_motion_does_not_hide_a_slight_tilt(coordinates: str) -> None:
    """Moved without a warning, or was rejected as a contradiction at 1e-7 rad."""
    drive = {"motions": {"drive": {"joint": "one", "rate": 2.0}}}
    run = Run(tilted("revolute", 1e-7, coordinates) | drive)
    assert run["joints/one/position"][-1] == pytest.approx(0.2, abs=1e-9)
    (warning,) = run.ready.warnings
    assert warning.code == "nearly-redundant" and warning.place == "joints.two" and warning.value is not None
    assert 0.3e-7 < warning.value < 3e-7
    with pytest.raises(InputError, match="'two' repeat others but for"):
        Run(tilted("revolute", 1e-5, coordinates) | drive)
