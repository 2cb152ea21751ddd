"""Mechanisms that cannot work: each gets one clear message that names the place, or is handled and said."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.preparation import Preparation, prepare
from flexmb.errors import ComputationError, InputError
from flexmb.solvers.run import simulate
from tests.support.mechanisms import spec_of
from tests.support.runs import Rows, Run

BODY = {"mass": 1.0, "inertia": [0.01, 0.02, 0.02]}


def ready(data: dict[str, Any]) -> Preparation:
    return prepare(SimpleNamespace(spec=spec_of(data)))


def four_bar(coupler: float = 1.0, **extra: Any) -> dict[str, Any]:
    """A four-bar in the x-y plane whose coupler has its own length; it closes only if that fits."""
    return {
        "model": {"name": "four-bar"},
        "points": {"A": [0, 0, 0], "B": [0, 1, 0], "C": [1, 1, 0], "D": [1, 0, 0]},
        "bodies": {
            "crank": {**BODY, "at": "A", "markers": {"top": {"at": [0, 1, 0]}}},
            "coupler": {**BODY, "at": "B", "markers": {"left": {}, "right": {"at": [coupler, 0, 0]}}},
            "rocker": {**BODY, "at": "D", "markers": {"top": {"at": [0, 1, 0]}}},
        },
        "joints": {
            "a": {"type": "revolute", "bodies": ["ground", "crank"], "at": "A", "axis": "z"},
            "b": {"type": "revolute", "markers": ["crank.top", "coupler.left"]},
            "c": {"type": "revolute", "markers": ["coupler.right", "rocker.top"]},
            "d": {"type": "revolute", "bodies": ["ground", "rocker"], "at": "D", "axis": "z"},
        },
        "analysis": {"end": 0.1, "step": 0.01},
        **extra,
    }


def test_a_loop_that_cannot_close_names_the_joint_and_the_gap() -> None:
    with pytest.raises(ComputationError) as error:
        ready(four_bar(coupler=4.0))
    text = str(error.value)
    assert "cannot be assembled" in text
    assert any(f"'{joint}'" in text for joint in "abcd")
    assert "by 1 m" in text  # 4 m of coupler against 3 m of reach


def test_a_given_position_that_hinders_closing_is_named() -> None:
    data = four_bar()
    for joint in ("a", "b", "d"):
        data["joints"][joint]["position"] = 1.0
    with pytest.raises((ComputationError, InputError)) as error:
        ready(data)
    assert "a.angle" in str(error.value) or "position" in str(error.value)


def test_redundant_constraints_are_counted_and_named_by_joint() -> None:
    """A planar four-bar of spatial revolutes: 4 x 5 - 3 x 6 = 2 < 0 degrees of freedom by counting, one in truth."""
    found = ready(four_bar())
    assert found.n_dof == 1
    assert found.system.n_redundant == 3
    assert {found.system.evaluated[k].owner for rows in found.system.sharing.sets for k in rows.rows} <= set("abcd")
    run = Run(four_bar())
    assert run.summary.outcome == "finished"


def test_two_equal_joints_are_one_and_a_spare_one() -> None:
    data = four_bar()
    data["joints"]["d2"] = dict(data["joints"]["d"])
    found = ready(data)
    assert found.n_dof == 1
    assert found.system.n_redundant == 8
    owners = {found.system.evaluated[k].owner for rows in found.system.sharing.sets for k in rows.rows}
    assert {"d", "d2"} & owners


def test_an_over_driven_mechanism_is_refused_with_the_names_of_the_motions() -> None:
    data = four_bar(motions={"one": {"joint": "a", "rate": 1.0}, "two": {"joint": "d", "rate": 2.0}})
    with pytest.raises(InputError) as error:
        ready(data)
    assert "one" in str(error.value) and "two" in str(error.value)


def test_a_motion_that_agrees_with_the_others_is_reported_as_redundant() -> None:
    """Parallelogram: crank and rocker turn alike, so that driving both alike is superfluous but consistent."""
    data = four_bar(motions={"one": {"joint": "a", "rate": 1.0}, "two": {"joint": "d", "rate": 1.0}})
    found = ready(data)
    assert found.n_dof == 0
    assert ["two"] == [found.system.evaluated[k].owner for k in found.system.sharing.left_out]


def test_a_body_without_mass_that_can_move_is_named() -> None:
    data = {
        "model": {"name": "massless"},
        "bodies": {"arm": BODY, "tip": {"mass": 0.0, "inertia": [0, 0, 0], "at": [1, 0, 0]}},
        "joints": {
            "root": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0, 0], "axis": "z"},
            "wrist": {"type": "revolute", "bodies": ["arm", "tip"], "at": [1, 0, 0], "axis": "z"},
        },
        "analysis": {"end": 0.1, "step": 0.01},
    }
    with pytest.raises(ComputationError) as error:
        ready(data)
    assert "wrist.angle" in str(error.value)
    assert "mass" in str(error.value)


def test_a_point_mass_that_can_spin_is_named() -> None:
    """A spherical joint under a point mass leaves the spin about the rod without inertia."""
    data = {
        "model": {"name": "spinning point", "gravity": [0, 0, -9.81]},
        "bodies": {"bob": {"mass": 1.0, "inertia": [0, 0, 0], "center": [0, 0, -1]}},
        "joints": {"pivot": {"type": "spherical", "bodies": ["ground", "bob"], "at": [0, 0, 0]}},
        "analysis": {"end": 0.1, "step": 0.01},
    }
    with pytest.raises(ComputationError) as error:
        ready(data)
    assert "pivot" in str(error.value)


def test_initial_velocities_that_contradict_each_other_are_named() -> None:
    data = four_bar()
    data["joints"]["a"]["velocity"] = 1.0
    data["joints"]["d"]["velocity"] = 3.0
    with pytest.raises((InputError, ComputationError)) as error:
        ready(data)
    assert "velocit" in str(error.value)
    assert "a" in str(error.value) and "d" in str(error.value)


def test_a_run_into_a_dead_end_says_when_and_keeps_what_it_has() -> None:
    """A slider that is pulled beyond the reach of crank and rod: 1.5 m, from 1.2 m at 0.5 m/s, so at 0.6 s."""
    data = {
        "model": {"name": "too far"},
        "points": {"O": [0, 0, 0], "A": [0.5, 0, 0], "B": [1.5, 0, 0]},
        "bodies": {
            "crank": {"mass": 1.0, "rod": ["O", "A"]},
            "rod": {"mass": 1.0, "rod": ["A", "B"]},
            "slider": {**BODY, "at": "B"},
        },
        "joints": {
            "pin": {"type": "revolute", "bodies": ["ground", "crank"], "at": "O", "axis": "z"},
            "eye": {"type": "revolute", "bodies": ["crank", "rod"], "at": "A", "axis": "z"},
            "small_end": {"type": "revolute", "bodies": ["rod", "slider"], "at": "B", "axis": "z"},
            "guide": {"type": "prismatic", "bodies": ["ground", "slider"], "at": "B", "axis": "x"},
        },
        "motions": {"pull": {"joint": "guide", "rate": 0.5, "start": -0.3}},
        "analysis": {"end": 2.0, "step": 0.001},
    }
    spec = spec_of(data)
    sink = Rows()
    with pytest.raises(ComputationError) as error:
        simulate(prepare(SimpleNamespace(spec=spec)).system, spec.analysis, sink=sink)
    rows = np.concatenate(sink.blocks)
    assert rows[-1, 0] == pytest.approx(0.6, abs=0.01)  # what was computed is there, up to the dead end
    assert "0.59" in str(error.value) or "0.6" in str(error.value)
    assert any(name in str(error.value) for name in ("pull", "pin", "eye", "small_end", "guide"))


def test_nan_cannot_enter() -> None:
    with pytest.raises(InputError) as error:
        spec_of({"bodies": {"b": {"mass": float("nan"), "inertia": [1, 1, 1]}}})
    assert "bodies.b.mass" in str(error.value)


@pytest.mark.parametrize("method", [{"step": 0.01}, {"method": "rk45", "tolerance": 1e-8}])
def test_a_force_that_loses_its_value_is_named(method: dict[str, Any]) -> None:
    """sqrt(0.5 - t) ends at 0.5 s; the run must say so and not blame the mechanism."""
    data = {
        "model": {"name": "rooted"},
        "bodies": {"block": BODY},
        "joints": {"rail": {"type": "prismatic", "bodies": ["ground", "block"], "at": [0, 0, 0], "axis": "x"}},
        "forces": {
            "good": {"type": "actuator", "joint": "rail", "effort": 1.0},
            "root": {"type": "force", "marker": "block", "vector": ["sqrt(0.5 - t)", 0, 0]},
        },
        "analysis": {"end": 1.0},
    }
    with pytest.raises(ComputationError) as error:
        Run(data, **method)
    assert "force 'root' has no finite value" in str(error.value)
    assert "0.5" in str(error.value) or "0.49" in str(error.value)
