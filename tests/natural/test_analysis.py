"""Models in natural coordinates: the same motion, reactions, efforts and works as the core, for the rigid examples,
random closed mechanisms and all joints and loads; kinematic and inverse analyses; resuming; what is refused.

Both roads are run so finely (the core with a local error of 1e-11, natural coordinates by the classical Runge-Kutta
method) that positions agree to 1e-8 and reactions to 1e-6; the steps say why.

Covers: natural.choice, natural.core_bridge, natural.drives, natural.frame_kernels, natural.model_loads,
natural.natural_model.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.inverse import inverse_model
from flexmb.analyses.modes import modes_of_model
from flexmb.analyses.preparation import prepare
from flexmb.analyses.run import run_model
from flexmb.errors import ComputationError, InputError
from flexmb.model.model import Model
from flexmb.natural.choice import choose
from flexmb.natural.marching import ModelIntegration
from flexmb.natural.natural_model import NaturalModel
from flexmb.results.result_file import Result
from flexmb.solvers.settings import solver_settings
from flexmb.system.placement import place
from tests.support.mechanisms import TREE_JOINTS, random_tree, slider_crank, spec_of
from tests.support.natural_models import (
    ABSOLUTE,
    FINE,
    NATURAL,
    NaturalRun,
    assert_same_motion,
    differences,
    example,
    interrupted,
)
from tests.support.random_mechanisms import closed_mechanism
from tests.support.runs import Run


# rk4 with 20 to 40 mrad a step at the fastest turn: (omega h)^5 / 120 a step makes 1e-9 over some hundred steps.
@pytest.mark.parametrize(
    ("name", "step", "end"),
    [
        ("01_double_pendulum", 2e-3, 2.0),
        ("02_planar_slider_crank", 1e-3, 0.6),
        ("03_pendulating_rotor", 5e-4, 0.3),
        ("06_equations_crane", 2e-3, 1.0),
        ("09_robot_arm", 2e-3, 0.3),
        ("10_scissor_lift", 1e-2, 1.0),
    ],
)
def test_examples_move_as_in_the_core(name: str, step: float, end: float) -> None:
    data = example(name)
    data["output"] = {"every": end / 10}
    found = NaturalRun(data, method="rk4", step=step, end=end)
    want = Run(data, **FINE, end=end)
    assert_same_motion(found, want)
    assert found.summary.largest_constraint_error < 1e-13  # the core's own rows: projected to round-off
    assert found.summary.balance_gap < 1e-11  # two sets of equations, one motion
    assert found.summary.energy_balance < 1e-8


@pytest.mark.parametrize("seed", [1, 2, 3, 5])
def test_random_closed_mechanisms(seed: int) -> None:
    # Seed 2 starts near a singular position and turns ten times as fast as the others: its error decides the step.
    data = {**closed_mechanism(seed), "output": {"every": 0.04}}
    found, want = NaturalRun(data, method="rk4", step=1e-3, end=0.2), Run(data, **FINE, end=0.2)
    assert_same_motion(found, want)
    assert found.summary.balance_gap < 1e-11
    works = differences(found, want, "energy")
    assert max(works.values()) < 1e-6
    assert found.summary.energy_balance < 1e-6


def loaded_tree(seed: int) -> dict[str, Any]:
    """A tree of every joint with a spring on each coordinate that can have one, and loads in world and marker axes."""
    data = random_tree(np.random.default_rng(seed))
    spec = spec_of(data)
    forces: dict[str, Any] = {}
    for name, joint in spec.joints.items():
        for number, coordinate in enumerate(joint.kind.drivable):
            spring: dict[str, Any] = {"type": "joint-spring", "joint": name, "coordinate": coordinate, "damping": 0.3}
            if number == 0:
                spring |= {"table": [[-1.0, -9.0], [0.0, 0.0], [0.4, 3.0], [2.0, 20.0]]}
            forces[f"{name}_{coordinate}"] = {**spring, "rest": 0.1, **({} if number == 0 else {"stiffness": 5.0})}
    forces["twist"] = {"type": "torque", "marker": "body3.tip", "vector": [0.3, "sin(9*t)", -0.2], "axes": "marker"}
    forces["turn"] = {"type": "torque", "marker": "body5.tip", "vector": [0.3, 0.1, -0.2]}
    forces["push"] = {"type": "force", "marker": "body6.tip", "vector": [1.0, -2.0, 3.0], "axes": "marker"}
    table = [[-1.0, -10.0], [0.0, 0.0], [1.0, 30.0]]
    ends = {"type": "spring-damper", "markers": ["body2.tip", "ground"], "length": 0.4, "damping": 0.2}
    forces["rope"] = {**ends, "table": table}
    data["forces"] = forces
    for name, joint in spec.joints.items():
        if joint.kind.n_v:
            data["joints"][name]["velocity"] = np.random.default_rng(seed + 1).normal(size=joint.kind.n_v).tolist()
    return data


def test_all_joints_and_loads() -> None:
    # Speeds of some rad/s and a step of 1e-3 s: (omega h)^4 of 1e-10 to 1e-9.
    data = {**loaded_tree(4), "output": {"every": 0.01}}
    assert {joint["type"] for joint in data["joints"].values()} == set(TREE_JOINTS)
    found, want = (
        NaturalRun(data, method="rk4", step=1e-3, end=0.03),
        Run({**data, "coordinates": ABSOLUTE}, **FINE, end=0.03),
    )
    assert_same_motion(found, want)
    assert found.summary.n_natural - found.summary.n_natural_rows == want.ready.n_dof


def test_motions_of_joints_and_markers() -> None:
    """Driven angles beyond a turn, driven slides, a driven axis of a universal joint and a driven screw."""
    data = random_tree(
        np.random.default_rng(7), ("revolute", "cylindrical", "prismatic", "universal", "planar", "screw")
    )
    data["motions"] = {
        "spin": {"joint": "joint0", "rate": 10.0, "start": 6.1},
        "slide": {"joint": "joint1", "coordinate": "slide", "harmonic": {"amplitude": 0.1, "frequency": 3.0}},
        "tilt": {"joint": "joint3", "coordinate": "angle2", "expression": "0.3*sin(8*t)"},
        "thread": {"joint": "joint5", "expression": "5*t^2"},
    }
    data["output"] = {"every": 0.01}
    found = NaturalRun(data, method="rk4", step=1e-3, end=0.05)
    assert_same_motion(found, Run({**data, "coordinates": ABSOLUTE}, **FINE, end=0.05))
    assert found["joints/joint0/position"][-1] == pytest.approx(6.6, abs=1e-12)  # beyond one turn, without a jump


def test_driven_marker() -> None:
    """The slider is pushed; crank and rod follow, which is kinematics, and its force is the effort of the motion."""
    data = slider_crank({})
    start = float(0.2 * np.cos(0.6) + np.sqrt(0.6**2 - (0.2 * np.sin(0.6)) ** 2))
    data["motions"] = {"push": {"marker": "slider", "along": "x", "expression": f"{start!r} + 0.04*sin(7*t)"}}
    data["joints"]["bearing"]["position"] = 0.6
    data["output"] = {"every": 0.02}
    found = NaturalRun(data, method="rk4", step=2e-3, end=0.2)
    assert_same_motion(found, Run({**data, "coordinates": ABSOLUTE}, **FINE, end=0.2))


def test_two_runs_of_one_model() -> None:
    """Turn by turn, with rows of each: one does not take the arrays of the other away."""
    spec = spec_of({**closed_mechanism(1), "coordinates": NATURAL, "analysis": {"end": 0.02, "step": 1e-3}})
    settings = solver_settings(spec.analysis, 2e-3)
    model = NaturalModel(spec, prepare(SimpleNamespace(spec=spec)).system, settings)
    runs = [ModelIntegration(model, settings) for _ in range(2)]
    for run in runs:
        run.start()
    for _ in range(4):
        assert [run.advance(5) for run in runs] == ["", ""]
    first, second = (np.concatenate(run.blocks) for run in runs)
    assert first.shape[0] == 11 and np.array_equal(first[:, 0], second[:, 0])
    np.testing.assert_allclose(first, second, rtol=0, atol=1e-9 * np.abs(first).max())


def test_loads_that_sensors_steer() -> None:
    """A servo on an angle and its rate, a brake on the speed of a marker, a torque that follows a distance."""
    data = {**closed_mechanism(1), "output": {"every": 0.01}}
    data["sensors"] = {
        "angle": {"joint": "tree4"},
        "rate": {"joint": "tree4", "quantity": "velocity"},
        "speed": {"marker": "body1.tip", "quantity": "velocity", "component": "y"},
        "reach": {"between": ["body1.tip", "ground"]},
    }
    data["forces"] |= {
        "servo": {"type": "actuator", "joint": "tree4", "effort": "8*(0.9 - angle) - 0.5*rate"},
        "brake": {"type": "force", "marker": "body1.tip", "vector": [0, "-2*speed", "t"]},
        "follow": {"type": "torque", "marker": "body3.tip", "vector": ["reach", 0, 0], "axes": "marker"},
    }
    found = NaturalRun(data, method="rk4", step=1e-3, end=0.04)
    assert_same_motion(found, Run({**data, "coordinates": ABSOLUTE}, **FINE, end=0.04))
    part, checkpoint = interrupted(data, 20, method="rk4", step=1e-3, end=0.04)
    rest = NaturalRun(data, resume=checkpoint, method="rk4", step=1e-3, end=0.04)
    assert np.array_equal(np.vstack([part, rest.rows]), found.rows)


def test_stiff_loads_that_the_core_finds() -> None:
    """A sensor in one load moves all of them to the core: a stiff spring, a joint spring, friction, an actuator."""
    data = {**closed_mechanism(1), "output": {"every": 0.01}}
    data["sensors"] = {"angle": {"joint": "tree4"}}
    data["forces"] |= {
        "stiff": {
            "type": "spring-damper",
            "markers": ["body1.tip", "ground"],
            "stiffness": 4e3,
            "damping": 5.0,
            "length": 0.9,
        },
        "hold": {"type": "joint-spring", "joint": "tree4", "stiffness": 30.0, "rest": 0.2},
        "rub": {"type": "friction", "joint": "tree4", "viscous": 0.4, "coulomb": 0.3, "transition": 0.5},
    }
    own = NaturalRun(data, method="generalized-alpha", step=5e-4, end=0.04)
    data["forces"] |= {"servo": {"type": "actuator", "joint": "tree4", "effort": "0*angle"}}
    found = NaturalRun(data, method="generalized-alpha", step=5e-4, end=0.04)
    assert_same_motion(found, own, 1e-9, 1e-9)  # by the laws of natural coordinates
    # the error of the step, which falls with its square: 2.5e-6, 6.2e-7, 1.5e-7 of places at 1, 0.5, 0.25 ms
    assert_same_motion(found, Run({**data, "coordinates": ABSOLUTE}, **FINE, end=0.04), 2e-6, 2e-5)


def test_moving_base() -> None:
    """The ground turns at a varying rate and is pushed; loads in world, marker and sensed axes; a drive on top."""
    data = {**closed_mechanism(3), "output": {"every": 0.01}}
    data["base"] = {
        "rotation": {"axis": [1, 2, 2], "angle": "0.4 + 2*t + 3*t^2"},
        "acceleration": ["5*sin(20*t)", "-3", "40*t"],
    }
    data["sensors"] = {"speed": {"marker": "body1.tip", "quantity": "velocity", "component": "y"}}
    data["forces"] |= {
        "brake": {"type": "force", "marker": "body1.tip", "vector": [0, "-2*speed", 1.0]},
        "turn": {"type": "torque", "marker": "body3.tip", "vector": [0.3, 0.2, "t"]},
    }
    found = NaturalRun(data, method="rk4", step=1e-3, end=0.06)
    assert_same_motion(found, Run({**data, "coordinates": ABSOLUTE}, **FINE, end=0.06))
    assert found.summary.balance_gap < 1e-11


def test_springs_over_several_turns() -> None:
    """A wheel on a torsion spring, started at 40 rad/s: psi = (40 / w) sin w t with w^2 = k / I = 4, 20 rad, more than
    three turns each way; by a spring and by a table of one slope, at a joint that starts beyond a turn. rk4 at 40 rad/s
    and 1 ms: (0.04)^4 / 120 a radian."""
    wheel = {"mass": 1.0, "inertia": [0.1, 0.1, 0.2], "center": [0, 0, 0]}
    bearing = {"type": "revolute", "at": [0, 0, 0], "axis": "z", "position": 7.0, "velocity": 40.0}
    data: dict[str, Any] = {
        "bodies": {"a": wheel, "b": wheel},
        "joints": {name: {**bearing, "bodies": ["ground", name]} for name in "ab"},
        "forces": {
            "spring": {"type": "joint-spring", "joint": "a", "stiffness": 0.8, "rest": 7.0},
            "table": {"type": "joint-spring", "joint": "b", "table": [[-1, -0.8], [0, 0], [1, 0.8]], "rest": 7.0},
        },
        "output": {"every": 0.25},
    }
    found = NaturalRun(data, method="rk4", step=1e-3, end=2.5)
    want = 7.0 + 20.0 * np.sin(2.0 * found["time"])
    assert np.ptp(want) > 6 * np.pi
    for name in "ab":
        np.testing.assert_allclose(found[f"joints/{name}/position"].ravel(), want, rtol=0, atol=1e-6)
    energy = found["energy/kinetic"] + found["energy/potential"]
    np.testing.assert_allclose(energy, energy[0], rtol=1e-7)


def test_a_planar_linkage_shares_its_axis() -> None:
    """All pins of a slider-crank turn about one fixed vector; the crank has two points, one of them on ground."""
    choice = choose(place(spec_of({**slider_crank({}), "analysis": {"end": 1.0, "step": 0.1}})))
    crank, rod, slider = choice.bodies
    axis = {vector.number for vector in crank.vectors if np.allclose(np.abs(vector.local), [0, 1, 0])}
    assert len(axis) == 1
    assert all(axis <= {vector.number for vector in body.vectors} for body in (rod, slider))
    assert choice.vectors[axis.pop()].body == 0
    assert {point.number for point in crank.points} & {point.number for point in rod.points}
    assert [choice.points[point.number].body for point in crank.points].count(0) == 1
    assert all(body.frame.kind == "full" for body in choice.bodies)  # mass matrices are constant


def test_axes_that_miss_each_other_are_rows() -> None:
    """Two hinges of a lid whose axes differ by more than round-off of places, less than any position can tell."""
    data = example("01_double_pendulum")
    data["bodies"]["upper"]["markers"] = {"hinge": {"at": [0, 0, 0.3], "axis": [0, 3e-9, 1.0]}}
    data["markers"] = {"hinge": {"at": [0, 0, 0.3]}}
    data["joints"]["second"] = {"type": "revolute", "markers": ["ground.hinge", "upper.hinge"]}
    spec = spec_of({**data, "coordinates": NATURAL, "analysis": {"end": 1.0, "step": 0.1, "method": "rk4"}})
    choice = choose(place(spec))
    assert len(choice.rows) == len(spec.joints) + 1


BAR: dict[str, Any] = {"mass": 1.0, "inertia": [0.02, 0.03, 0.04]}


@pytest.mark.parametrize("eccentricity", [1e-5, 1e-10])
def test_places_too_close_to_be_two_points(eccentricity: float) -> None:
    """A pin beside a bearing: two points so close would give weights of 1e5 and more, and cost as many digits."""
    data: dict[str, Any] = {
        "model": {"gravity": [0, -9.81, 0]},
        "bodies": {"disc": {**BAR, "center": [0.3, 0, 0]}, "arm": {**BAR, "center": [0.4, 0.1, 0]}},
        "joints": {
            "bearing": {"type": "revolute", "bodies": ["ground", "disc"], "at": [0, 0, 0], "axis": "z", "velocity": 2},
            "pin": {"type": "revolute", "bodies": ["disc", "arm"], "at": [eccentricity, 0, 0], "axis": "z"},
        },
        "markers": {"far": {"at": [1, 0, 0]}},
        "output": {"every": 0.02},
    }
    found, want = NaturalRun(data, method="rk4", step=1e-3, end=0.1), Run(data, **FINE, end=0.1)
    assert_same_motion(found, want)
    assert found.summary.balance_gap < 1e-12


def test_fixed_and_prismatic_joints_share_their_axes() -> None:
    at = {"a": [0, 0, 0], "b": [1, 0, 0], "c": [1, 1, 0], "d": [1, 1, 1]}
    data: dict[str, Any] = {
        "model": {"gravity": [0, -9.81, 1]},
        "bodies": {name: {**BAR, "at": place} for name, place in at.items()},
        "joints": {
            "ball": {"type": "spherical", "bodies": ["ground", "a"], "at": [0, 0.3, 0.2]},
            "weld": {"type": "fixed", "bodies": ["a", "b"], "at": [0.5, 0, 0]},
            "slide": {"type": "prismatic", "bodies": ["b", "c"], "at": [1, 0.5, 0], "axis": [1, 1, 0]},
            "bolt": {"type": "fixed", "bodies": ["c", "d"], "at": [1, 1, 0.4]},
        },
        "output": {"every": 0.02},
    }
    found, want = NaturalRun(data, method="rk4", step=1e-3, end=0.1), Run(data, **FINE, end=0.1)
    assert_same_motion(found, want)
    assert found.summary.n_natural - found.summary.n_natural_rows == 4


def test_a_failed_run_keeps_its_rows(tmp_path: Path) -> None:
    """The slider is pushed beyond the reach of crank and rod, 0.8 m, after 0.228 s."""
    data = slider_crank(NATURAL)
    data["motions"] = {"push": {"marker": "slider", "along": "x", "expression": "0.7543439298304094 + 0.2*t"}}
    data["joints"]["bearing"]["position"] = 0.6
    data["analysis"] = {"end": 0.5, "step": 1e-2, "method": "rk4"}
    with pytest.raises(ComputationError, match=r"At t = 0\.228\d* s .*'push' stays open by .*cannot reach"):
        run_model(Model.from_tables(data), tmp_path / "failed.h5")
    with Result(tmp_path / "failed.h5") as result:
        assert result.outcome == "failed"
        assert result.time[-1] == pytest.approx(0.22)
        assert "natural coordinates (" in result.report


def test_generalized_alpha_and_independent_coordinates() -> None:
    """The implicit method has order 2 towards the same motion; the independent coordinates agree with rk4."""
    data = {**example("02_planar_slider_crank"), "output": {"every": 0.02}}
    want = Run(data, **FINE, end=0.06)["joints/bearing/position"]
    errors = []
    for step in (2e-3, 1e-3):
        found = NaturalRun(data, step=step, end=0.06)
        errors.append(float(np.max(np.abs(found["joints/bearing/position"] - want))))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)
    embedded = NaturalRun(data, method="rk4", formulation="embedding", step=1e-3, end=0.06)
    assert np.max(np.abs(embedded["joints/bearing/position"] - want)) < 1e-9


@pytest.mark.parametrize("method", ["generalized-alpha", "rk4"])
def test_a_run_is_resumed_bit_for_bit(method: str) -> None:
    data = {**closed_mechanism(1), "output": {"every": 2e-3}}
    settings: dict[str, Any] = {"method": method, "step": 1e-3}
    whole = NaturalRun(data, **settings, end=0.02)
    part, checkpoint = interrupted(data, 10, **settings, end=0.02)
    rest = NaturalRun(data, resume=checkpoint, **settings, end=0.02)
    assert np.array_equal(np.vstack([part, rest.rows]), whole.rows)
    assert rest.summary.steps == whole.summary.steps


def test_a_stiff_run_is_resumed_bit_for_bit() -> None:
    """A damper that settles within a fortieth of a step: the tangents of the forces are needed, and remembered."""
    data = {**example("01_double_pendulum"), "output": {"every": 0.02}}
    data["forces"] = {"damper": {"type": "friction", "joint": "elbow", "viscous": 300.0}}
    whole = NaturalRun(data, step=0.01, end=0.2)
    part, checkpoint = interrupted(data, 10, step=0.01, end=0.2)
    rest = NaturalRun(data, resume=checkpoint, step=0.01, end=0.2)
    assert np.array_equal(np.vstack([part, rest.rows]), whole.rows)
    # Stiffly damped, the two bars are one: order 2, (3 rad/s 0.01 s)^2 / 12 per radian.
    want = Run({**data, "coordinates": ABSOLUTE}, step=1e-3, end=0.2)
    np.testing.assert_allclose(whole["joints/shoulder/position"], want["joints/shoulder/position"], atol=1e-4)


def test_intervals_that_the_step_does_not_fit() -> None:
    data = {**example("01_double_pendulum"), "output": {"every": 0.03}}
    found = NaturalRun(data, method="rk4", step=4e-3, end=0.1)
    assert found["time"] == pytest.approx([0.0, 0.03, 0.06, 0.09, 0.1], abs=1e-12)
    assert_same_motion(found, Run(data, **FINE, end=0.1))


def test_kinematic_analysis() -> None:
    data = {**slider_crank({}), "output": {"every": 0.01}}
    found = NaturalRun(data, type="kinematic", step=0.01, end=0.5)
    want = Run({**data, "coordinates": ABSOLUTE}, type="kinematic", step=0.01, end=0.5)
    # No integration: both solve the same positions at the same times to round-off.
    assert_same_motion(found, want, 1e-12, 1e-10)
    with pytest.raises(InputError, match="every degree of freedom driven"):
        NaturalRun({**closed_mechanism(1)}, type="kinematic", step=0.01)


def test_inverse_dynamics(tmp_path: Path) -> None:
    found = {}
    for coordinates in ("natural", "absolute"):
        data = {**slider_crank({"default": coordinates}), "analysis": {"end": 0.5, "step": 0.01}}
        found[coordinates] = inverse_model(Model.from_tables(data), tmp_path / f"{coordinates}.h5")
    natural, absolute = found["natural"], found["absolute"]
    assert natural.how == "kinematic"
    np.testing.assert_allclose(natural.drives[0].effort, absolute.drives[0].effort, rtol=0, atol=1e-9)
    for name, reaction in absolute.reactions.items():
        np.testing.assert_allclose(natural.reactions[name].force, reaction.force, rtol=0, atol=1e-9)
        np.testing.assert_allclose(natural.reactions[name].moment, reaction.moment, rtol=0, atol=1e-9)
    assert "natural coordinates (" in natural.result.report


def test_report_and_result_file(tmp_path: Path) -> None:
    data = example("02_planar_slider_crank")
    data |= {"coordinates": NATURAL, "analysis": {"end": 0.05, "step": 1e-3}}
    with run_model(Model.from_tables(data), tmp_path / "natural.h5") as result:
        assert "natural coordinates (" in result.report
        assert "generalized-alpha (rho 0.8)" in result.report
        assert "balance of the bodies" in result.report
        assert result.summary["balance_gap"] < 1e-11
        assert result.outcome == "finished"


def test_everything_not_covered_is_refused_at_once(tmp_path: Path) -> None:
    data: dict[str, Any] = {
        "bodies": {
            "disc": {"mass": 1.0, "inertia": [0.1, 0.1, 0.2], "at": [0, 0, 0.5], "coordinates": "joint"},
            "beam": {
                "beam": [[0, 0, 0], [1, 0, 0]],
                "section": {"type": "rectangle", "y": 0.01, "z": 0.01},
                "material": {"density": 7800.0, "E": 2e11, "nu": 0.3},
            },
        },
        "joints": {
            "wheel": {
                "type": "rolling", "bodies": ["ground", "disc"], "at": [0, 0, 0], "normal": "z", "axis": "x",
                "radius": 0.5,
            },
            "hinge": {"type": "revolute", "bodies": ["ground", "beam"], "at": [0, 0, 0], "axis": "z", "tree": True},
        },
        "forces": {"wind": {"type": "distributed-force", "body": "beam", "vector": [0, 1, 0]}},
        "coordinates": NATURAL,
        "analysis": {"end": 1.0, "tolerance": 1e-6, "method": "rk45"},
    }  # fmt: skip
    with pytest.raises(InputError) as caught:
        run_model(Model.from_tables(data), tmp_path / "refused.h5")
    text = str(caught.value)
    for word in ("'beam' is flexible", "'disc' has coordinates", "'wheel' (rolling)", "'hinge'", "'wind'", '"rk45"'):
        assert word in text
    assert not (tmp_path / "refused.h5").exists()


def test_fixed_step_no_turbo_no_equilibrium(tmp_path: Path) -> None:
    data = {**example("01_double_pendulum"), "coordinates": NATURAL}
    for analysis, word in (
        ({"end": 1.0, "method": "rk4", "step": 0.1}, "turbo"),
        ({"end": 1.0, "step": 0.1, "tolerance": 1e-6}, "fixed step"),
        ({"type": "static"}, "equilibria"),
        ({"end": 1.0, "step": 0.1, "start": "static"}, "equilibria"),
    ):
        with pytest.raises(InputError, match=word):
            run_model(Model.from_tables({**data, "analysis": analysis}), tmp_path / "x.h5", turbo=word == "turbo")
    with pytest.raises(InputError, match="modes"):
        modes_of_model(Model.from_tables({**data, "analysis": {"end": 1.0, "method": "rk4", "step": 0.1}}))


@pytest.mark.parametrize("analysis", [{}, {"method": "rk4"}, {"method": "rk4", "formulation": "embedding"}])
def test_a_body_that_is_held_is_still_and_its_joint_bears_it(analysis: dict[str, str]) -> None:
    data = {
        "model": {"gravity": [0, 0, -9.81]},
        "bodies": {"bar": {"mass": 2.0, "rod": [[0, 0, 0], [1, 0, 0]]}},
        "joints": {"wall": {"type": "fixed", "bodies": ["ground", "bar"], "at": [0, 0, 0]}},
    }
    found = NaturalRun(data, step=1e-2, end=0.1, **analysis)
    assert found.summary.n_natural == 0 and found.summary.energy_balance == 0.0
    np.testing.assert_allclose(found["joints/wall/force"], np.tile([0, 0, 2 * 9.81], (11, 1)), atol=1e-13)
    np.testing.assert_allclose(found["joints/wall/moment"], np.tile([0, -9.81, 0], (11, 1)), atol=1e-13)


@pytest.mark.parametrize("method", ["generalized-alpha", "rk4"])
@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"motions": {"drive": {"joint": "bearing", "expression": "sqrt(0.05 - t)"}}}, "motion 'drive' has no finite"),
        (
            {"forces": {"push": {"type": "actuator", "joint": "bearing", "effort": "log(0.05 - t)"}}},
            "force 'push' has no finite value",
        ),
    ],
)
def test_a_law_without_a_value_is_named(what: dict[str, Any], message: str, method: str) -> None:
    with pytest.raises(ComputationError, match=rf"At t = 0\.0[45]\d* s \(step .*{message}.* end the run earlier"):
        NaturalRun(slider_crank(NATURAL) | what, step=2e-3, end=0.1, method=method)
