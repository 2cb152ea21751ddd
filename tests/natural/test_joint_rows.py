"""Joints written as rows where sharing is not possible, each against the core; the curvature of all rows in the matrix
of the Newton iteration, against differences of the equations and by the rate at which the iteration converges.

Covers: natural.row_kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.natural import choice
from flexmb.natural.integration import first_state
from flexmb.natural.system import NaturalSystem
from flexmb.system.placement import place
from tests.support.mechanisms import TREE_JOINTS, joint_keys, random_body, random_tree, spec_of
from tests.support.natural_equations import agree_with_python
from tests.support.natural_linkages import four_bar
from tests.support.natural_links import two_links
from tests.support.natural_models import ABSOLUTE, FINE, NaturalRun, assert_same_motion
from tests.support.natural_turntable import turntable
from tests.support.random_mechanisms import closed_mechanism
from tests.support.runs import Run


def assert_as_in_the_core(data: dict[str, Any], end: float, step: float = 1e-3, balance: float = 1e-11) -> NaturalRun:
    data = {**data, "output": {"every": end / 4}}
    found = NaturalRun(data, method="rk4", step=step, end=end)
    assert_same_motion(found, Run({**data, "coordinates": ABSOLUTE}, **FINE, end=end))
    assert found.summary.balance_gap < balance
    return found


def share_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No two bodies have a point or vector in common: every joint is written as rows."""
    monkeypatch.setattr(choice._Shared, "join", lambda self, first, second: False)


@pytest.mark.parametrize("kinds", [TREE_JOINTS[:6], TREE_JOINTS[6:]])
def test_every_joint_by_rows_alone(kinds: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree of all joints; nothing is on ground but by rows. Speeds of some rad/s at 1 ms: (omega h)^4 of 1e-9."""
    data = random_tree(np.random.default_rng(12), kinds)
    shared = NaturalRun({**data, "output": {"every": 0.01}}, method="rk4", step=1e-3, end=0.01)
    share_nothing(monkeypatch)
    found = assert_as_in_the_core(data, 0.04)
    assert found.summary.n_natural > shared.summary.n_natural
    freedoms = [run.summary.n_natural - run.summary.n_natural_rows for run in (found, shared)]
    assert freedoms[0] == freedoms[1] == found.ready.n_dof


def test_a_closed_mechanism_by_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops, springs, a drive, friction; and the same motion as with shared points."""
    data = closed_mechanism(1)
    shared = assert_as_in_the_core(data, 0.04)
    share_nothing(monkeypatch)
    found = assert_as_in_the_core(data, 0.04)
    assert found.summary.n_natural > shared.summary.n_natural
    for path in ("bodies/body3/position", "joints/loop2/force"):
        np.testing.assert_allclose(found[path], shared[path], rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["spherical", "revolute", "universal", "fixed"])
def test_joints_beside_another_joint(kind: str) -> None:
    """A second joint 1e-5 of the size beside the first: too close to be another point of the body, so it is rows."""
    rng = np.random.default_rng(13)
    first, second = joint_keys("spherical", rng), joint_keys(kind, rng)
    second["at"] = (np.array(first["at"]) + 1e-5 * rng.normal(size=3)).tolist()
    data = {
        "model": {"gravity": [1.0, -2.0, -9.0]},
        "bodies": {name: random_body(rng) for name in ("a", "b")},
        "joints": {
            "first": {**first, "bodies": ["ground", "a"], "velocity": [0.5, -1.0, 2.0]},
            "second": {**second, "bodies": ["a", "b"]},
        },
        "markers": {"far": {"at": [3.0, 0, 0]}},
    }
    placed = choice.choose(place(spec_of({**data, "analysis": {"end": 1.0, "step": 0.1}})))
    assert len(placed.rows) == 3  # one set of rows for each joint, and the place of the second
    assert_as_in_the_core(data, 0.1)


@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "planar", "prismatic"])
def test_joints_twice_and_off_by_round_off(kind: str) -> None:
    """Two joints say the same, the second off by 1e-10: its axes are others in the eyes of the choice, so it is rows;
    these repeat the first and leave the same freedom."""
    slant = {"axis": [0, 1e-10, 1.0]}
    once = {"type": kind, "bodies": ["ground", "lid"], "at": [0.3, 0, 0], "axis": "z"}
    data: dict[str, Any] = {
        "model": {"gravity": [1.0, -9.0, -2.0]},
        "bodies": {"lid": {"mass": 1.2, "inertia": [0.02, 0.03, 0.04], "center": [0.5, 0.2, 0.1]}},
        "joints": {"first": once, "second": {**once, **slant, "at": [0.3, 0, 0.4]}},
    }
    if kind == "planar":
        data["joints"]["second"]["at"] = [0.3, 0.4, 0]
    # The core shares what the joints are off by, 1e-10, between them; natural coordinates follow the first.
    found = assert_as_in_the_core(data, 0.1, balance=1e-10)
    alone = assert_as_in_the_core({**data, "joints": {"first": once}}, 0.1)
    np.testing.assert_allclose(found["bodies/lid/position"], alone["bodies/lid/position"], rtol=0, atol=1e-9)


def test_a_joint_between_welded_bodies_says_nothing() -> None:
    """Its places and axes follow from the same points and vectors: what is left of its rows is round-off."""
    rng = np.random.default_rng(2)
    data = {
        "model": {"gravity": [0, -9.81, 1.0]},
        "bodies": {name: random_body(rng) for name in ("a", "b")},
        "joints": {
            "line": {**joint_keys("point-on-line", rng), "bodies": ["ground", "a"]},
            "weld": {**joint_keys("fixed", rng), "bodies": ["b", "a"]},
            "slot": {**joint_keys("pin-in-slot", rng), "bodies": ["b", "a"]},
        },
    }
    found = assert_as_in_the_core(data, 0.04)
    assert found.summary.n_natural - found.summary.n_natural_rows == 4


@pytest.mark.parametrize("formulation", ["augmented", "embedding", "canonical"])
def test_a_locked_structure_rests(formulation: str) -> None:
    """No freedom is left: what moves is round-off, and no road takes it for a motion. Reactions as in the core."""
    rng = np.random.default_rng(3)
    data: dict[str, Any] = {
        "model": {"gravity": [1.0, -9.81, 0]},
        "bodies": {name: random_body(rng) for name in ("a", "b")},
        "joints": {
            "left": {**joint_keys("revolute", rng), "bodies": ["ground", "a"]},
            "right": {**joint_keys("universal", rng), "bodies": ["b", "ground"]},
            "line": {**joint_keys("point-on-line", rng), "bodies": ["a", "ground"]},
            "top": {**joint_keys("planar", rng), "bodies": ["a", "b"]},
        },
        "output": {"every": 0.01},
    }
    found = NaturalRun(data, method="rk4", step=1e-3, end=0.02, formulation=formulation)
    assert found.summary.n_natural == found.summary.n_natural_rows
    assert_same_motion(found, Run({**data, "coordinates": ABSOLUTE}, method="rk4", step=1e-3, end=0.02))


def systems() -> dict[str, tuple[NaturalSystem, np.ndarray]]:
    """Dot products, linear rows, an angle about an axis in space, planar and spatial."""
    kinds = ("prismatic", "universal")
    return {**{kind: two_links(kind) for kind in kinds}, "four-bar": four_bar(2), "turntable": turntable()}


@pytest.mark.parametrize("name", ["prismatic", "universal", "four-bar", "turntable"])
def test_curvature_of_the_constraints(name: str) -> None:
    """d(Phi_q^T lambda)/dq against central differences: exact for products, 1e-9 for the sine of an angle."""
    system, _ = systems()[name]
    rows, rng = system.constraints, np.random.default_rng(3)
    multipliers = rng.normal(size=system.m)
    x, step = system.start.copy(), 1e-5
    x[system.moving] += 0.05 * rng.normal(size=system.n)
    found = np.zeros((system.n, system.n))
    np.add.at(found, (rows.hessian_rows, rows.hessian_columns), rows.hessian_entries(x, multipliers))
    wanted = np.zeros_like(found)
    for k, column in enumerate(system.moving):
        sides = []
        for sign in (1.0, -1.0):
            moved = x.copy()
            moved[column] += sign * step
            sides.append(multipliers @ rows.dense(rows.entries(moved)))
        wanted[:, k] = (sides[0] - sides[1]) / (2.0 * step)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)
    assert np.max(np.abs(wanted)) > 0.1


@pytest.mark.parametrize("name", ["prismatic", "universal", "four-bar"])
def test_programs_are_the_equations(name: str) -> None:
    """Residual, rows and mass of the packed arrays are those of the system in Python, at any state."""
    system, velocities = systems()[name]
    agree_with_python(system, first_state(system, velocities))
