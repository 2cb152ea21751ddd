"""Sensors against hand statics and differences of recorded channels; works of drives, dampers and forces.

Covers: equations.sensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.flat import Flat
from tests.support.mechanisms import joint_keys, random_body, spec_of
from tests.support.one_body import BOTH, BRANCH, CHORD, RK, G, close
from tests.support.runs import Run

# Reactions by statics


def bracket(joint: dict[str, Any], coordinates: dict[str, Any], order: list[str]) -> dict[str, Any]:
    """A body of 2 kg whose centre stands 0.5 m out on x and 0.2 m out on y from the joint in the world origin."""
    parts = ("fx", "fy", "fz", "mx", "my", "mz", "force", "moment")
    return {
        "model": {"name": "bracket", "gravity": [0, 0, -G]},
        "bodies": {"arm": {"mass": 2.0, "inertia": [0.1, 0.1, 0.1], "center": [0.5, 0.2, 0]}},
        "joints": {"j": {"bodies": order, "at": [0, 0, 0], **joint}},
        "sensors": {name: {"reaction": "j", "component": name} for name in parts},
        "coordinates": coordinates,
        "analysis": {"end": 0.1, "step": 0.05},
    }


@BOTH
@pytest.mark.parametrize("order", [["ground", "arm"], ["arm", "ground"]])
def test_weight_on_a_fixed_joint(coordinates: dict[str, Any], order: list[str]) -> None:
    """Force on the second body: the weight up; moment r x (m g up) = m g (y, -x, 0). Turned round: the opposite."""
    run = Run(bracket({"type": "fixed"}, coordinates, order))
    sign = 1.0 if order[0] == "ground" else -1.0
    weight = 2.0 * G
    force, moment = sign * weight * np.array([0, 0, 1]), sign * weight * np.array([0.2, -0.5, 0])
    close(run["joints/j/force"][-1], force, atol=1e-9)
    close(run["joints/j/moment"][-1], moment, atol=1e-9)
    for k, axis in enumerate("xyz"):
        close(run[f"sensors/f{axis}"][-1], force[k], atol=1e-9)
        close(run[f"sensors/m{axis}"][-1], moment[k], atol=1e-9)
    close(run["sensors/force"][-1], weight, atol=1e-9)
    close(run["sensors/moment"][-1], weight * np.hypot(0.5, 0.2), atol=1e-9)


@BOTH
def test_reaction_stands_in_the_axes_of_the_first_marker(coordinates: dict[str, Any]) -> None:
    """A hinge along y held by its drive: z of the joint frame is y, and the reaction leaves out the drive's moment."""
    data = bracket({"type": "revolute", "axis": "y"}, coordinates, ["ground", "arm"])
    data["motions"] = {"hold": {"joint": "j", "rate": 0.0}}
    run = Run(data, type="kinematic")
    weight = 2.0 * G
    # About y the drive carries -m g x; the moment m g y about x is left to the bearing.
    close(run["motions/hold/effort"], -weight * 0.5, atol=1e-9)
    close(run["sensors/mz"], 0, atol=1e-9)
    close(run["sensors/moment"], weight * 0.2, atol=1e-9)
    close(run["sensors/fz"], 0, atol=1e-9)
    close(run["sensors/force"], weight, atol=1e-9)


@BOTH
def test_moment_is_taken_at_the_joint_marker_of_the_second_body(coordinates: dict[str, Any]) -> None:
    """A slider carried 0.3 m out: its guide's moment is about the place of the slider, not of the ground marker."""
    data = bracket({"type": "prismatic", "axis": "x"}, coordinates, ["ground", "arm"])
    data["motions"] = {"out": {"joint": "j", "rate": 0.0, "start": 0.3}}
    run = Run(data, type="kinematic")
    close(run["sensors/force"], 2.0 * G, atol=1e-9)
    close(run["sensors/moment"], 2.0 * G * np.hypot(0.5, 0.2), atol=1e-9)


# Kinematic sensors


def swinging_pair(coordinates: dict[str, Any]) -> dict[str, Any]:
    """Two random bodies in a row with markers, sensors of every kind between them, and rows on a fine grid."""
    rng = np.random.default_rng(4)
    sensors: dict[str, Any] = {"distance": {"between": ["one.tip", "two.tip"], "quantity": "distance"}}
    for quantity in ("position", "velocity", "acceleration"):
        sensors[f"joint_{quantity}"] = {"joint": "b", "coordinate": "angle2", "quantity": quantity}
        sensors[f"ground_{quantity}"] = {"marker": "two.tip", "quantity": quantity}
        for axes in ("world", "marker"):
            sensors[f"{axes}_{quantity}"] = {
                "marker": "two.tip", "relative_to": "one.tip", "axes": axes, "quantity": quantity,
            }  # fmt: skip
            sensors[f"{axes}_{quantity}_size"] = {**sensors[f"{axes}_{quantity}"], "component": "magnitude"}
            sensors[f"{axes}_{quantity}_y"] = {**sensors[f"{axes}_{quantity}"], "component": "y"}
    return {
        "model": {"name": "pair", "gravity": [0.5, 0.3, -G]},
        "bodies": {"one": random_body(rng), "two": random_body(rng)},
        "joints": {
            "a": {**joint_keys("revolute", rng), "bodies": ["ground", "one"], "velocity": 2.0},
            "b": {**joint_keys("universal", rng), "bodies": ["two", "one"], "velocity": [1.0, -2.0]},
        },
        "sensors": sensors,
        "coordinates": coordinates,
    }


@BOTH
def test_sensors_are_derivatives_of_each_other(coordinates: dict[str, Any]) -> None:
    """Central differences of fourth order over 1 ms: truncation h^4 x^(5)/30, far below 1e-6 at rates of 10/s."""
    run = Run(swinging_pair(coordinates), method="rk4", step=1e-3, end=0.05)
    for what in ("joint", "ground", "world", "marker"):
        for lower, upper in (("position", "velocity"), ("velocity", "acceleration")):
            x, rate = run[f"sensors/{what}_{lower}"], run[f"sensors/{what}_{upper}"]
            difference = (8 * (x[3:-1] - x[1:-3]) - (x[4:] - x[:-4])) / 12e-3
            size = max(1.0, float(np.abs(rate).max()))
            close(difference, rate[2:-2], atol=1e-6 * size)
            assert np.abs(rate).max() > 1e-2  # something moves


@BOTH
def test_components_magnitudes_and_axes_agree(coordinates: dict[str, Any]) -> None:
    run = Run(swinging_pair(coordinates), method="rk4", step=1e-3, end=0.02)
    for axes in ("world", "marker"):
        for quantity in ("position", "velocity", "acceleration"):
            vector = run[f"sensors/{axes}_{quantity}"]
            close(run[f"sensors/{axes}_{quantity}_size"], np.linalg.norm(vector, axis=1), atol=1e-12)
            close(run[f"sensors/{axes}_{quantity}_y"], vector[:, 1], atol=0)
    # A distance is the same in all axes; a velocity seen from a turning marker is not.
    close(run["sensors/distance"], run["sensors/world_position_size"], atol=1e-14)
    close(run["sensors/distance"], run["sensors/marker_position_size"], atol=1e-12)
    assert np.abs(run["sensors/world_velocity_size"] - run["sensors/marker_velocity_size"]).max() > 1e-2


def test_sensors_do_not_depend_on_the_tree() -> None:
    runs = [Run(swinging_pair(c), method="rk45", tolerance=1e-11, end=0.05) for c in (BRANCH, CHORD)]
    for name in swinging_pair(BRANCH)["sensors"]:
        size = max(1.0, float(np.abs(runs[0][f"sensors/{name}"][-1]).max()))
        close(runs[0][f"sensors/{name}"][-1], runs[1][f"sensors/{name}"][-1], atol=1e-7 * size)


def test_marker_acceleration_on_a_turning_body_is_centripetal() -> None:
    """Not less gravity: a sensor shows the acceleration of the motion, whatever causes it."""
    data = {
        "model": {"name": "wheel", "gravity": [0, 0, -G]},
        "bodies": {"wheel": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "markers": {"rim": {"at": [0.4, 0, 0]}}}},
        "joints": {"j": {"type": "revolute", "bodies": ["ground", "wheel"], "at": [0, 0, 0], "axis": "z"}},
        "motions": {"m": {"joint": "j", "rate": 5.0}},
        "sensors": {"a": {"marker": "wheel.rim", "quantity": "acceleration"}},
    }
    run = Run(data, type="kinematic", step=0.05, end=0.5)
    t = run["time"]
    close(run["sensors/a"], -0.4 * 25 * np.column_stack([np.cos(5 * t), np.sin(5 * t), 0 * t]), atol=1e-9)


def test_units_of_sensors() -> None:
    system = Flat(spec_of({**swinging_pair(BRANCH), "analysis": {"end": 1.0, "step": 0.1}})).system
    wanted = {"joint_velocity": "rad/s", "ground_acceleration": "m/s^2", "distance": "m"}
    assert {name: system.channel(f"sensors/{name}").unit for name in wanted} == wanted


# Efforts of forces and their works


def loaded_slider(coordinates: dict[str, Any]) -> dict[str, Any]:
    """A hinge and a slide with one load of every kind and a drive on the hinge."""
    forces = {
        "push": {"type": "force", "marker": "slider", "vector": ["2*t", 3.0, 0]},
        "twist": {"type": "torque", "marker": "arm", "vector": [0.5, 0, "cos(4*t)"], "axes": "marker"},
        "strut": {
            "type": "spring-damper", "markers": ["ground", "slider"], "stiffness": 20.0, "damping": 1.0, "length": 0.3,
        },
        "spring": {"type": "joint-spring", "joint": "rail", "stiffness": 30.0, "damping": 0.5, "rest": 0.1},
        "drag": {"type": "friction", "joint": "rail", "viscous": 0.4, "coulomb": 0.6, "transition": 0.1},
        "motor": {"type": "actuator", "joint": "rail", "effort": "1.5*sin(5*t)"},
    }  # fmt: skip
    return {
        "model": {"name": "loaded slider", "gravity": [0, -G, 0]},
        "bodies": {
            "arm": {"mass": 1.0, "inertia": [0.05, 0.1, 0.1], "center": [0.2, 0, 0]},
            "slider": {"mass": 0.5, "inertia": [0.01, 0.01, 0.01], "at": [0.5, 0, 0]},
        },
        "joints": {
            "hub": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0, 0], "axis": "z"},
            "rail": {"type": "prismatic", "bodies": ["arm", "slider"], "at": [0.5, 0, 0], "axis": "x"},
        },
        "motions": {"spin": {"joint": "hub", "expression": "2*t + 0.4*sin(6*t)"}},
        "forces": forces,
        "sensors": {name: {"force": name} for name in forces}
        | {"spin": {"motion": "spin"}, "d": {"between": ["ground", "slider"], "quantity": "distance"}},
        "coordinates": coordinates,
        "analysis": {"end": 1.0},
    }


@BOTH
def test_efforts_follow_their_laws(coordinates: dict[str, Any]) -> None:
    run = Run(loaded_slider(coordinates), **RK)
    t, x, v = run["time"], run["joints/rail/position"], run["joints/rail/velocity"]
    close(run["sensors/push"], np.hypot(2 * t, 3.0), atol=1e-12)
    close(run["sensors/twist"], np.hypot(0.5, np.cos(4 * t)), atol=1e-12)
    # Slider on a rail through the hub: the strut's length is 0.5 + x, its rate that of the rail.
    close(run["sensors/strut"], 20.0 * (run["sensors/d"] - 0.3) + v, atol=1e-8)
    close(run["sensors/d"], 0.5 + x, atol=1e-9)
    close(run["sensors/spring"], -30.0 * (x - 0.1) - 0.5 * v, atol=1e-11)
    close(run["sensors/drag"], -0.4 * v - 0.6 * np.tanh(v / 0.1), atol=1e-11)
    close(run["sensors/motor"], 1.5 * np.sin(5 * t), atol=1e-12)
    close(run["sensors/spin"], run["motions/spin/effort"], atol=0)


@BOTH
def test_every_work_is_the_integral_of_effort_times_rate(coordinates: dict[str, Any]) -> None:
    """Each work channel against Simpson's rule over the recorded rows (fixed step 1 ms: error h^4, below 1e-7)."""
    run = Run(loaded_slider(coordinates), method="rk4", step=1e-3)
    t, v = run["time"], run["joints/rail/velocity"]
    strut_rate = np.gradient(run["sensors/d"], t, edge_order=2)
    close(strut_rate, v, atol=1e-2)  # the strut lies along the rail
    turn, spin = 2 * t + 0.4 * np.sin(6 * t), 2 + 2.4 * np.cos(6 * t)
    velocity = run["bodies/slider/velocity"]
    powers = {
        "push": 2 * t * velocity[:, 0] + 3.0 * velocity[:, 1],
        "twist": np.cos(4 * t) * spin,  # the arm turns about z only
        "strut": -1.0 * v**2,
        "spring": -0.5 * v**2,
        "drag": run["sensors/drag"] * v,
        "motor": run["sensors/motor"] * v,
        "spin": run["motions/spin/effort"] * spin,
    }
    close(run["joints/hub/position"], turn, atol=1e-9)
    total = np.zeros_like(t[::2])
    for name, power in powers.items():
        simpson = np.concatenate([[0], np.cumsum((power[:-2:2] + 4 * power[1:-1:2] + power[2::2]) * 1e-3 / 3)])
        close(run[f"energy/work/{name}"][::2], simpson, atol=1e-7)
        assert np.ptp(power) > 1e-2, name
        total += run[f"energy/work/{name}"][::2]
    close(run["energy/work/total"][::2], total, atol=1e-12)


@BOTH
def test_energy_balance_with_every_load(coordinates: dict[str, Any]) -> None:
    """Works are integrated with the motion: nothing is missing and nothing counted twice."""
    run = Run(loaded_slider(coordinates), **RK)
    assert run.summary.energy_balance < 1e-8
    for name in ("strut", "spring", "drag"):
        assert np.all(np.diff(run[f"energy/work/{name}"]) <= 1e-12), name


def test_elastic_spring_has_no_work_channel() -> None:
    """What a spring stores is potential energy; only its damper does work."""
    data = loaded_slider(BRANCH)
    data["forces"]["strut"].pop("damping")
    paths = {channel.path for channel in Run(data, **RK).system.channels}
    assert "energy/work/strut" not in paths
    assert "energy/work/spring" in paths


def test_work_channels_have_names_of_their_own() -> None:
    """A force called like a motion or like the sum of all works is told apart by its kind."""
    data = loaded_slider(BRANCH)
    data["forces"] = {"spin": data["forces"]["motor"], "total": data["forces"]["drag"]}
    data["sensors"] = {}
    run = Run(data, **RK)
    paths = [channel.path for channel in run.system.channels]
    assert len(paths) == len(set(paths))
    parts = sum(run[f"energy/work/{name}"] for name in ("spin", "spin (force)", "total (force)"))
    close(run["energy/work/total"], parts, atol=1e-12)


def test_motion_does_not_depend_on_the_tree_with_every_load() -> None:
    runs = [Run(loaded_slider(c), **RK) for c in (BRANCH, CHORD, {"chords": ["rail"]}, {"chords": ["hub"]})]
    for run in runs[1:]:
        close(run.final_positions, runs[0].final_positions)
        for path in ("motions/spin/effort", "joints/hub/force", "joints/rail/moment", "energy/work/total"):
            close(run[path][-1], runs[0][path][-1], atol=1e-6)
