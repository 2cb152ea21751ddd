"""Joint friction, actuators and the screw against closed-form motion, as a branch and as a chord."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.one_body import BOTH, RK, SLIDER, WHEEL, close, one_body
from tests.support.runs import Run

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
