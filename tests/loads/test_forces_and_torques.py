"""Forces and torques at markers, of time and of channels, with the joint as a branch of the tree and as a chord.

Covers: equations.forces.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.one_body import BOTH, BRANCH, RK, SLIDER, WHEEL, close, matrix, one_body, rotation
from tests.support.runs import Run

# Forces and torques at markers


@BOTH
def test_force_of_time_on_a_slider(coordinates: dict[str, Any]) -> None:
    """m x'' = F sin(w t): x = F/(m w) (t - sin(w t)/w)."""
    force = {"type": "force", "marker": "body", "vector": [5.0, 0, "3*sin(4*t)"]}
    run = Run(one_body(SLIDER, coordinates, forces={"f": force}), **RK)
    t = run["time"]
    close(run["joints/j/position"], 3 / (2 * 4) * (t - np.sin(4 * t) / 4))
    close(run["energy/work/f"], run["energy/kinetic"])
    assert run.summary.energy_balance < 1e-8


@BOTH
def test_force_in_marker_axes_turns_with_the_body(coordinates: dict[str, Any]) -> None:
    """A tangential force on a wheel: J theta'' = F r. In world axes the same force would make a pendulum of it."""
    markers = {"rim": {"at": [0.2, 0, 0]}}
    force = {"type": "force", "marker": "body.rim", "vector": [0, 10.0, 0], "axes": "marker"}
    run = Run(one_body(WHEEL, coordinates, markers=markers, forces={"f": force}, end=3.0), **RK)
    t = run["time"]
    close(run["joints/j/position"], 0.5 * (10.0 * 0.2 / 0.5) * t**2, atol=2e-7)  # 18 rad
    close(run["energy/work/f"], 0.5 * 0.5 * (4.0 * t) ** 2, atol=2e-7)
    world = Run(one_body(WHEEL, coordinates, markers=markers, forces={"f": {**force, "axes": "world"}}, end=3.0), **RK)
    # From rest at the horizontal, the work of a constant force is F times the way: F r sin(theta).
    close(world["energy/kinetic"], 10.0 * 0.2 * np.sin(world["joints/j/position"]))
    assert np.ptp(world["joints/j/position"]) < np.pi + 1e-6


@pytest.mark.parametrize("axes", ["world", "marker"])
def test_torque_and_eccentric_force_on_a_free_ball(axes: str) -> None:
    """A body with J = j 1 keeps a constant angular acceleration in the axes in which the moment is constant."""
    turn = {"axis": [1, 2, -1], "angle": 0.8}
    ball = {"inertia": [0.4, 0.4, 0.4], "angular_velocity": [0, 0, 0]}
    marker = {"at": [0.1, -0.2, 0.3], "orientation": turn}
    torque = np.array([1.0, -2.0, 0.5])
    load = {"type": "torque", "marker": "body.m", "vector": torque.tolist(), "axes": axes}
    run = Run(one_body(None, BRANCH, body=ball, markers={"m": marker}, forces={"f": load}), **RK)
    R = rotation(turn)
    omega = run["bodies/body/angular_velocity"]
    t = run["time"][:, None]
    if axes == "marker":
        close(omega, t * (R @ torque) / 0.4)
    else:
        close([matrix(p) @ w for p, w in zip(run["bodies/body/quaternion"], omega, strict=True)], t * torque / 0.4)
    close(run["bodies/body/position"], 0)
    if axes == "marker":
        push = {"type": "force", "marker": "body.m", "vector": torque.tolist(), "axes": axes}
        run = Run(one_body(None, BRANCH, body=ball, markers={"m": marker}, forces={"f": push}), **RK)
        close(run["bodies/body/angular_velocity"], np.outer(run["time"], np.cross(marker["at"], R @ torque) / 0.4))
        assert run.summary.energy_balance < 1e-8


@BOTH
def test_weight_as_a_force_equals_gravity(coordinates: dict[str, Any]) -> None:
    body = {"center": [0.3, 0.1, 0], "markers": {"center": {"at": [0.3, 0.1, 0]}}}
    hinge = {"type": "revolute", "axis": "y", "velocity": 1.0}
    gravity = Run(one_body(hinge, coordinates, body=body, gravity=[0, 0, -9.81]), **RK)
    weight = {"type": "force", "marker": "body.center", "vector": [0, 0, -2 * 9.81]}
    force = Run(one_body(hinge, coordinates, body=body, forces={"f": weight}), **RK)
    for path in ("joints/j/position", "joints/j/velocity"):
        close(gravity[path][-1], force[path][-1])
    fall = gravity["energy/potential"][-1] - gravity["energy/potential"][0]
    assert force["energy/work/f"][-1] == pytest.approx(-fall, abs=1e-7)
    # Gravity is in the reaction like any other force.
    close(gravity["joints/j/force"][-1], force["joints/j/force"][-1], atol=1e-6)


def test_free_fall_in_any_direction() -> None:
    g = np.array([1.0, -2.0, -9.0])
    body = {"center": [0.3, 0.1, 0], "velocity": [1, 0, 3], "angular_velocity": [0, 0, 0]}
    run = Run(one_body(None, BRANCH, body=body, gravity=g.tolist()), **RK)
    t = run["time"][:, None]
    close(run["bodies/body/position"], t * [1, 0, 3] + 0.5 * t**2 * g)
    close(run["energy/potential"] + run["energy/kinetic"], run["energy/potential"][0] + 0.5 * 2.0 * 10.0)


# Loads of a channel


@BOTH
def test_spring_written_as_an_expression_of_joint_sensors(coordinates: dict[str, Any]) -> None:
    joint = {**SLIDER, "position": 0.3, "velocity": -1.0}
    built_in = {"type": "joint-spring", "joint": "j", "stiffness": 60.0, "damping": 1.5, "rest": 0.1}
    sensors = {"x": {"joint": "j"}, "v": {"joint": "j", "quantity": "velocity"}}
    actuator = {"type": "actuator", "joint": "j", "effort": "-60*(x - 0.1) - 1.5*v"}
    marker = {"type": "force", "marker": "body", "vector": [0, 0, "-60*(x - 0.1) - 1.5*v"]}
    spring = Run(one_body(joint, coordinates, forces={"f": built_in}), **RK)
    for load in (actuator, marker):
        run = Run(one_body(joint, coordinates, forces={"f": load}, sensors=sensors), **RK)
        close(run["joints/j/position"][-1], spring["joints/j/position"][-1])
        stored = spring["energy/potential"][-1] - spring["energy/potential"][0]
        close(run["energy/work/f"][-1], spring["energy/work/f"][-1] - stored)
        assert run.summary.energy_balance < 1e-8


def test_spring_damper_written_as_an_expression_of_marker_sensors() -> None:
    """A mass in space on a spring to a ground marker: force along the line, from distance, position and velocity."""
    ground = {"nail": {"at": [0.1, -0.2, 0.3]}}
    body = {"at": [1.0, 0.2, -0.1], "velocity": [0.0, 1.0, 0.5], "angular_velocity": [0, 0, 0]}
    built_in = {
        "type": "spring-damper", "markers": ["ground.nail", "body"], "stiffness": 40.0, "damping": 2.0, "length": 0.7,
    }  # fmt: skip
    sensors: dict[str, Any] = {"d": {"between": ["body", "ground.nail"], "quantity": "distance"}}
    for axis in "xyz":
        sensors[f"p{axis}"] = {"marker": "body", "component": axis, "relative_to": "ground.nail"}
        sensors[f"v{axis}"] = {"marker": "body", "component": axis, "quantity": "velocity"}
    pull = "-(40*(d - 0.7) + 2*(px*vx + py*vy + pz*vz)/d)*p{}/d"
    load = {"type": "force", "marker": "body", "vector": [pull.format(axis) for axis in "xyz"]}
    data = one_body(None, BRANCH, body=body, forces={"f": built_in})
    data["markers"] = ground
    spring = Run(data, **RK)
    data = one_body(None, BRANCH, body=body, forces={"f": load}, sensors=sensors)
    data["markers"] = ground
    written = Run(data, **RK)
    close(written["bodies/body/position"][-1], spring["bodies/body/position"][-1])
    close(written["bodies/body/velocity"][-1], spring["bodies/body/velocity"][-1], atol=1e-7)
    assert spring["energy/work/f"][-1] < -0.1  # the damper took its part
    assert max(spring.summary.energy_balance, written.summary.energy_balance) < 1e-8
