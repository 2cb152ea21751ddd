"""Loads against closed-form motion, with the loaded joint as a branch of the tree and as a chord."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from runs import Run

RK = {"method": "rk45", "tolerance": 1e-10}
BRANCH: dict[str, Any] = {}
CHORD = {"default": "absolute"}
BOTH = pytest.mark.parametrize("coordinates", [BRANCH, CHORD], ids=["branch", "chord"])
# What a local error of 1e-10 makes of positions and rates of order one over a few oscillations.
CLOSE = 2e-8


def one_body(joint: dict[str, Any] | None, coordinates: dict[str, Any], **parts: Any) -> dict[str, Any]:
    """A body of 2 kg and 0.5 kg m^2 about z, its centre in the origin, on one joint to ground."""
    body = {"mass": 2.0, "inertia": [0.3, 0.4, 0.5], "markers": parts.pop("markers", {})}
    joints = {} if joint is None else {"j": {"bodies": ["ground", "body"], "at": [0, 0, 0], **joint}}
    return {
        "model": {"name": "one body", "gravity": parts.pop("gravity", [0, 0, 0])},
        "bodies": {"body": {**body, **parts.pop("body", {})}},
        "joints": joints,
        "coordinates": coordinates,
        "analysis": {"end": parts.pop("end", 1.0)},
        **parts,
    }


SLIDER = {"type": "prismatic", "axis": "z"}
WHEEL = {"type": "revolute", "axis": "z"}


def close(found: Any, wanted: Any, atol: float = CLOSE) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=atol)


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


# Spring-dampers between markers


def two_masses(spring: dict[str, Any], speed: float = 0.0, end: float = 2.0) -> dict[str, Any]:
    """Two free masses, 2 kg and 3 kg, at a distance of 1 m on the x axis."""
    ball = {"inertia": [0.1, 0.1, 0.1]}
    return {
        "model": {"name": "two masses"},
        "bodies": {
            "one": {"mass": 2.0, **ball},
            "two": {"mass": 3.0, "at": [1, 0, 0], "velocity": [speed, 0, 0], **ball},
        },
        "forces": {"s": {"type": "spring-damper", "markers": ["one", "two"], **spring}},
        "sensors": {"d": {"between": ["one", "two"], "quantity": "distance"}, "pull": {"force": "s"}},
        "analysis": {"end": end},
    }


REDUCED = 2.0 * 3.0 / (2.0 + 3.0)


def test_two_bodies_on_a_spring_swing_with_their_reduced_mass() -> None:
    run = Run(two_masses({"stiffness": 120.0, "length": 0.8}), **RK)
    omega = np.sqrt(120.0 / REDUCED)
    close(run["sensors/d"], 0.8 + 0.2 * np.cos(omega * run["time"]))
    close(run["sensors/pull"], 120.0 * (run["sensors/d"] - 0.8))
    close(run["energy/potential"], 0.5 * 120.0 * (run["sensors/d"] - 0.8) ** 2)
    close(2.0 * run["bodies/one/position"] + 3.0 * run["bodies/two/position"], [[3.0, 0, 0]] * len(run.rows))
    assert run.summary.energy_balance < 1e-8


def test_damped_swing_of_two_bodies() -> None:
    """d - l = e^(-D t) (A cos(w t) + B sin(w t)) with D = c / 2 mu, w^2 = k / mu - D^2."""
    run = Run(two_masses({"stiffness": 120.0, "damping": 4.0, "length": 0.8}, speed=1.0), **RK)
    decay = 4.0 / (2 * REDUCED)
    omega = np.sqrt(120.0 / REDUCED - decay**2)
    t = run["time"]
    swing = 0.2 * np.cos(omega * t) + (1.0 + decay * 0.2) / omega * np.sin(omega * t)
    close(run["sensors/d"], 0.8 + np.exp(-decay * t) * swing)
    energy = run["energy/kinetic"] + run["energy/potential"]
    close(run["energy/work/s"], energy - energy[0])
    assert np.all(np.diff(run["energy/work/s"]) <= 0.0)
    assert run.summary.energy_balance < 1e-8


def test_damper_alone_needs_no_free_length() -> None:
    run = Run(two_masses({"damping": 4.0}, speed=1.0), **RK)
    rate = 4.0 / REDUCED
    close(run["sensors/d"], 1.0 + (1.0 - np.exp(-rate * run["time"])) / rate)


def test_tabled_spring() -> None:
    """A straight table is a linear spring, also past its ends; a bent one stores the area under it."""
    line = Run(two_masses({"table": [[-0.1, -12.0], [0.05, 6.0], [0.1, 12.0]], "length": 0.8}), **RK)
    omega = np.sqrt(120.0 / REDUCED)
    close(line["sensors/d"], 0.8 + 0.2 * np.cos(omega * line["time"]))
    # Bent at 0.1 m: 60 N/m below, 240 N/m above. The step control meets the corner, hence the wider tolerance.
    bent = two_masses({"table": [[-1.0, -60.0], [0.1, 6.0], [1.1, 246.0]], "length": 1.0}, speed=1.0)
    run = Run(bent, **RK)
    x = run["sensors/d"] - 1.0
    energy = np.where(x < 0.1, 0.5 * 60 * x**2, 0.3 + 6.0 * (x - 0.1) + 0.5 * 240 * (x - 0.1) ** 2)
    close(run["energy/potential"], energy, atol=1e-12)
    close(run["sensors/pull"], np.where(x < 0.1, 60 * x, 6.0 + 240 * (x - 0.1)), atol=1e-11)
    total = run["energy/kinetic"] + run["energy/potential"]
    close(total, total[0], atol=1e-7)
    assert x.max() > 0.12  # the corner was passed


@pytest.mark.parametrize("damping", [0.0, 0.8])
def test_spring_through_zero_length(damping: float) -> None:
    """Free length zero: the pull is -k x on both sides; at the point itself it has no direction, and does no harm."""
    ends = {"type": "spring-damper", "markers": ["ground", "body"], "stiffness": 50.0}
    load = {**ends, "damping": damping, "length": 0.0}
    run = Run(one_body({**SLIDER, "velocity": 1.0}, BRANCH, forces={"s": load}), **RK)
    assert np.all(np.isfinite(run.rows))
    decay = damping / 4.0
    omega = np.sqrt(50.0 / 2.0 - decay**2)
    t = run["time"]
    # The damper pauses for the first instant only: the start is one evaluation of many.
    exact = np.exp(-decay * t) * np.sin(omega * t) / omega
    close(run["joints/j/position"], exact, atol=CLOSE if damping == 0 else 1e-5)
    resting = Run(one_body(SLIDER, BRANCH, forces={"s": {**ends, "length": 0.2}}), **RK)
    assert np.all(np.isfinite(resting.rows))  # pushed apart, but in no direction: it stays


# Springs on joint coordinates


def spring_swing(run: Run, inertia: float, stiffness: float, start: float, speed: float) -> np.ndarray:
    omega = np.sqrt(stiffness / inertia)
    return start * np.cos(omega * run["time"]) + speed / omega * np.sin(omega * run["time"])


@BOTH
@pytest.mark.parametrize(("start", "speed"), [(0.0, 40.0), (7.0, 0.0), (-20.0, -3.0)])
def test_torsion_spring_counts_full_turns(coordinates: dict[str, Any], start: float, speed: float) -> None:
    """An amplitude of several turns: one harmonic swing through all of them, also when it starts wound up."""
    load = {"type": "joint-spring", "joint": "j", "stiffness": 8.0}
    joint = {**WHEEL, "position": start, "velocity": speed}
    run = Run(one_body(joint, coordinates, forces={"s": load}, end=2.0, sensors={"s": {"force": "s"}}), **RK)
    angle = spring_swing(run, 0.5, 8.0, start, speed)
    close(run["joints/j/position"], angle, atol=1e-6)
    close(run["sensors/s"], -8.0 * angle, atol=1e-5)
    assert np.ptp(angle) > 2 * np.pi
    assert run.summary.energy_balance < 1e-8


@BOTH
def test_slide_spring_with_damping_and_rest(coordinates: dict[str, Any]) -> None:
    load = {"type": "joint-spring", "joint": "j", "stiffness": 50.0, "damping": 2.0, "rest": 0.3}
    run = Run(one_body(SLIDER, coordinates, forces={"s": load}), **RK)
    decay = 2.0 / 4.0
    omega = np.sqrt(25.0 - decay**2)
    t = run["time"]
    swing = -0.3 * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    close(run["joints/j/position"], 0.3 + swing)
    assert run.summary.energy_balance < 1e-8


@BOTH
def test_tabled_torsion_spring(coordinates: dict[str, Any]) -> None:
    """Resisting effort over deflection with play of one turn: the wheel turns on with what is left of its energy."""
    turn = 2 * np.pi
    table = [[-3 * turn, -30.0], [-turn, 0.0], [turn, 0.0], [3 * turn, 30.0]]
    load = {"type": "joint-spring", "joint": "j", "table": table}
    data = one_body({**WHEEL, "velocity": 10.0}, coordinates, forces={"s": load}, end=3.0)
    run = Run(data, method="rk45", tolerance=1e-10, max_step=0.02)  # corners of the table
    angle, stiffness = run["joints/j/position"], 30.0 / (2 * turn)
    omega = np.sqrt(stiffness / 0.5)
    t_play = turn / 10.0
    t = run["time"]
    inside, beyond = t < t_play, (t > t_play) & (t < t_play + np.pi / omega)
    close(angle[inside], 10.0 * t[inside], atol=1e-7)
    close(angle[beyond], turn + 10.0 / omega * np.sin(omega * (t[beyond] - t_play)), atol=1e-6)
    total = run["energy/kinetic"] + run["energy/potential"]
    close(total, total[0], atol=1e-6)


def test_turns_are_counted_over_steps_of_more_than_a_turn() -> None:
    """Two coaxial wheels, the joint between them a chord: constant rates let the step grow beyond half a turn."""
    wheel = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}
    hinge = {"type": "revolute", "at": [0, 0, 0], "axis": "z"}
    data = {
        "model": {"name": "coaxial"},
        "bodies": {"a": wheel, "b": wheel},
        "joints": {
            "a": {**hinge, "bodies": ["ground", "a"], "velocity": 2.0},
            "b": {**hinge, "bodies": ["ground", "b"], "velocity": -10.0},
            "between": {**hinge, "bodies": ["a", "b"]},
        },
        "coordinates": {"branches": ["a", "b"]},
        "analysis": {"end": 20.0},
        "sensors": {"turns": {"joint": "between"}},
    }
    run = Run(data, **RK)
    close(run["sensors/turns"], -12.0 * run["time"], atol=1e-9 * 240)
    assert run["solver/step"].max() * 12.0 > np.pi  # else the test shows nothing


ANGLES = {
    "revolute": ({"type": "revolute", "axis": "z"}, "angle", ()),
    "cylindrical": ({"type": "cylindrical", "axis": "z"}, "angle", ("slide",)),
    "planar": ({"type": "planar", "axis": "z"}, "angle", ("x", "y")),
    "pin-in-slot": ({"type": "pin-in-slot", "axis": "z", "slot": "x"}, "angle", ("slide",)),
    "universal 1": ({"type": "universal", "axes": ["z", "x"]}, "angle1", ("angle2",)),
    "universal 2": ({"type": "universal", "axes": ["x", "z"]}, "angle2", ("angle1",)),
    "screw": ({"type": "screw", "axis": "z", "lead": 0.02}, "angle", ()),
}


@BOTH
@pytest.mark.parametrize("name", ANGLES)
def test_every_angle_is_wound_and_counted(name: str, coordinates: dict[str, Any]) -> None:
    """The drive that winds a torsion spring at constant rate gives just its torque, over three turns."""
    joint, coordinate, others = ANGLES[name]
    motions = {"wind": {"joint": "j", "coordinate": coordinate, "rate": 20.0}}
    motions |= {other: {"joint": "j", "coordinate": other, "rate": 0.0} for other in others}
    load = {"type": "joint-spring", "joint": "j", "coordinate": coordinate, "stiffness": 0.7}
    sensors = {"angle": {"joint": "j", "coordinate": coordinate}}
    run = Run(one_body(joint, coordinates, motions=motions, forces={"s": load}, sensors=sensors), step=0.01, end=1.0)
    close(run["sensors/angle"], 20.0 * run["time"], atol=1e-9)
    close(run["motions/wind/effort"], 14.0 * run["time"], atol=1e-7)
    close(run["energy/potential"], 0.35 * (20.0 * run["time"]) ** 2, atol=1e-6)


# Friction


@BOTH
@pytest.mark.parametrize("joint", ["slide", "wheel"])
def test_viscous_friction_decays_exponentially(coordinates: dict[str, Any], joint: str) -> None:
    kind, inertia = (SLIDER, 2.0) if joint == "slide" else (WHEEL, 0.5)
    load = {"type": "friction", "joint": "j", "viscous": 1.3}
    run = Run(one_body({**kind, "velocity": 5.0}, coordinates, forces={"f": load}), **RK)
    rate = 1.3 / inertia
    t = run["time"]
    close(run["joints/j/velocity"], 5.0 * np.exp(-rate * t))
    close(run["joints/j/position"], 5.0 / rate * (1 - np.exp(-rate * t)))
    close(run["energy/work/f"], run["energy/kinetic"] - run["energy/kinetic"][0])
    assert run.summary.energy_balance < 1e-8


@BOTH
def test_coulomb_friction_stops_the_slider(coordinates: dict[str, Any]) -> None:
    """m v' = -C tanh(v/s): sinh(v/s) falls exponentially; the way is m v0^2/2C + pi^2/12 m s^2/C (s << v0)."""
    friction, sharp, speed = 4.0, 0.05, 1.0
    load = {"type": "friction", "joint": "j", "coulomb": friction, "transition": sharp}
    data = one_body({**SLIDER, "velocity": speed}, coordinates, forces={"f": load}, sensors={"f": {"force": "f"}})
    run = Run(data, **RK)
    t = run["time"]
    exact = sharp * np.arcsinh(np.sinh(speed / sharp) * np.exp(-friction / (2.0 * sharp) * t))
    close(run["joints/j/velocity"], exact)
    close(run["sensors/f"], -friction * np.tanh(exact / sharp), atol=1e-6)
    way = 2.0 * speed**2 / (2 * friction) + np.pi**2 / 12 * 2.0 * sharp**2 / friction
    assert run["joints/j/position"][-1] == pytest.approx(way, abs=1e-7)  # at rest to e^-20 of the transition speed
    assert run["energy/work/f"][-1] == pytest.approx(-0.5 * 2.0 * speed**2, abs=1e-8)
    assert np.all(np.diff(run["energy/work/f"]) <= 0.0)


@BOTH
def test_coulomb_friction_holds_a_weight_but_for_its_creep(coordinates: dict[str, Any]) -> None:
    """On a slope below the friction limit, the regularised law creeps at s artanh(load/C)."""
    load = {"type": "friction", "joint": "j", "coulomb": 30.0, "transition": 1e-3}
    data = one_body(SLIDER, coordinates, gravity=[0, 0, -9.81], forces={"f": load})
    run = Run(data, step=1e-3, method="generalized-alpha", rho=0.5, end=0.2)
    creep = 1e-3 * np.arctanh(2.0 * 9.81 / 30.0)
    assert run["joints/j/velocity"][-1] == pytest.approx(-creep, rel=1e-6)


# Actuators and the screw


@BOTH
def test_actuators_on_both_coordinates_of_a_cylindrical_joint(coordinates: dict[str, Any]) -> None:
    forces = {
        "push": {"type": "actuator", "joint": "j", "coordinate": "slide", "effort": "6*t"},
        "twist": {"type": "actuator", "joint": "j", "coordinate": "angle", "effort": -2.0},
    }
    run = Run(one_body({"type": "cylindrical", "axis": "z"}, coordinates, forces=forces, end=2.0), **RK)
    t = run["time"]
    close(run["joints/j/position"], np.column_stack([6 * t**3 / 12, -2.0 / 0.5 * t**2 / 2]))
    close(run["energy/work/push"], 0.5 * 2.0 * (6 * t**2 / 4) ** 2, atol=1e-6)
    close(run["energy/work/twist"], 0.5 * 0.5 * (4 * t) ** 2, atol=1e-6)
    # Actuators act along the free motions: the bearing carries nothing.
    close(run["joints/j/force"], 0, atol=1e-6)
    close(run["joints/j/moment"], 0, atol=1e-6)


LEAD = 0.05
ADVANCE = LEAD / (2 * np.pi)


@BOTH
def test_screw_turns_weight_into_torque(coordinates: dict[str, Any]) -> None:
    """(J + m l^2) theta'' = u - m g l with l = lead / 2 pi."""
    screw = {"type": "screw", "axis": "z", "lead": LEAD}
    load = {"type": "actuator", "joint": "j", "effort": 0.3}
    data = one_body(screw, coordinates, gravity=[0, 0, -9.81], forces={"u": load})
    run = Run(data, **RK)
    inertia = 0.5 + 2.0 * ADVANCE**2
    acceleration = (0.3 - 2.0 * 9.81 * ADVANCE) / inertia
    t = run["time"]
    close(run["joints/j/position"], 0.5 * acceleration * t**2)
    close(run["bodies/body/position"][:, 2], ADVANCE * 0.5 * acceleration * t**2)
    # The thread carries the weight and the inertia along the axis, and turns the body with what is left.
    thrust = 2.0 * (9.81 + ADVANCE * acceleration)
    close(run["joints/j/force"], np.outer(np.ones_like(t), [0, 0, thrust]), atol=1e-7)
    close(run["joints/j/moment"], np.outer(np.ones_like(t), [0, 0, -thrust * ADVANCE]), atol=1e-7)
    assert run.summary.energy_balance < 1e-8


@BOTH
def test_drive_holds_the_screw(coordinates: dict[str, Any]) -> None:
    """Force times lead per turn: the drive of a self-running screw at constant speed gives m g l."""
    screw = {"type": "screw", "axis": "z", "lead": LEAD}
    motion = {"joint": "j", "rate": 30.0}
    data = one_body(screw, coordinates, gravity=[0, 0, -9.81], motions={"m": motion})
    run = Run(data, step=0.01)
    close(run["motions/m/effort"], 2.0 * 9.81 * ADVANCE, atol=1e-7)
    close(run["energy/work/m"], 2.0 * 9.81 * run["bodies/body/position"][:, 2], atol=1e-7)
    close(run["bodies/body/position"][:, 2], ADVANCE * 30.0 * run["time"], atol=1e-9)


def matrix(p: np.ndarray) -> np.ndarray:
    """Rotation matrix of a unit quaternion, w first."""
    w, v = p[0], p[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


def rotation(turn: dict[str, Any]) -> np.ndarray:
    """Rotation matrix of axis and angle."""
    axis = np.array(turn["axis"]) / np.linalg.norm(turn["axis"])
    return matrix(np.concatenate([[np.cos(turn["angle"] / 2)], np.sin(turn["angle"] / 2) * axis]))
