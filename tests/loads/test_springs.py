"""Springs and dampers between markers and on joint coordinates against closed-form motion; turns are counted.

Covers: loads.laws.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.one_body import BOTH, BRANCH, CLOSE, RK, SLIDER, WHEEL, close, one_body
from tests.support.runs import Run

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
