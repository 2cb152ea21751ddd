"""Prescribed motion of the base: turntables, shaken and accelerated bases, in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.mechanisms import slider_crank
from tests.support.one_body import BOTH, BRANCH, CHORD, RK, G, close, one_body
from tests.support.runs import Run

# Base motion


TURNTABLE = {"rotation": {"axis": "z", "angle": "2*t"}}


@BOTH
def test_spring_on_a_turntable(coordinates: dict[str, Any]) -> None:
    """Radial slider on a table with constant rate O: r'' = (O^2 - k/m) r + k l / m, side force 2 m O r'."""
    rate, k, m, start = 2.0, 50.0, 2.0, 0.3
    data = one_body(
        {"type": "prismatic", "axis": "x", "position": 0.05},
        coordinates,
        body={"at": [start, 0, 0]},
        forces={"s": {"type": "joint-spring", "joint": "j", "stiffness": k}},
        base=TURNTABLE,
    )
    run = Run(data, **RK)
    t = run["time"]
    omega = np.sqrt(k / m - rate**2)
    still = k / m * start / omega**2  # the spring has its rest at the design position
    r = still + (start + 0.05 - still) * np.cos(omega * t)
    r_dot = -(start + 0.05 - still) * omega * np.sin(omega * t)
    close(run["joints/j/position"], r - start)
    angle = 2.0 * t
    close(run["bodies/body/position"], np.column_stack([r * np.cos(angle), r * np.sin(angle), 0 * t]))
    # Joint frame of an x axis: z along x; the Coriolis force lies across, in the plane.
    side = np.linalg.norm(run["joints/j/force"], axis=1)
    close(side, np.abs(2 * m * rate * r_dot), atol=1e-6)
    # The table's work: torque m d/dt(r^2) O plus nothing else.
    close(run["energy/work/base"], m * rate**2 * (r**2 - r[0] ** 2), atol=1e-7)
    assert run.summary.energy_balance < 1e-8


@BOTH
def test_table_that_speeds_up_drags_its_load(coordinates: dict[str, Any]) -> None:
    """A wheel on a free pivot keeps its rate in space: relative to the table it turns back by the table's angle."""
    data = one_body(
        {"type": "revolute", "axis": "z"},
        coordinates,
        body={"at": [0.5, 0, 0]},
        base={"rotation": {"axis": "z", "angle": "t^3"}},
    )
    data["joints"]["j"]["at"] = [0.5, 0, 0]
    run = Run(data, **RK)
    t = run["time"]
    close(run["joints/j/position"], -(t**3))
    # Work on the centre of mass: m (0.5 * 3 t^2)^2 / 2; the wheel itself does not turn.
    close(run["energy/kinetic"], 0.5 * 2.0 * (0.5 * 3 * t**2) ** 2, atol=1e-7)
    assert run.summary.energy_balance < 1e-8


def test_foucault_pendulum_turns_against_the_base() -> None:
    """A particle on isotropic springs: seen from space its path stays an unturned ellipse, whatever the table does."""
    k, m = 20.0, 2.0
    joint = {"type": "planar", "axis": "z", "position": [0.3, 0, 0], "velocity": [0, -2.0 * 0.3, 0]}
    springs = {name: {"type": "joint-spring", "joint": "j", "coordinate": name, "stiffness": k} for name in ("x", "y")}
    # Velocity -O r in the table is rest in space: a straight swing, turned by nothing.
    for coordinates in (BRANCH, CHORD):
        run = Run(one_body(joint, coordinates, forces=springs, base=TURNTABLE), **RK)
        t = run["time"]
        x = 0.3 * np.cos(np.sqrt(k / m) * t)
        close(run["bodies/body/position"], np.column_stack([x, 0 * t, 0 * t]))
        local = np.column_stack([x * np.cos(2 * t), -x * np.sin(2 * t)])
        close(run["joints/j/position"][:, :2], local)
        assert run.summary.energy_balance < 1e-8


@BOTH
def test_accelerated_base_is_gravity_turned_round(coordinates: dict[str, Any]) -> None:
    hinge = {"type": "revolute", "axis": "y", "velocity": 1.0}
    body = {"center": [0.3, 0.1, 0]}
    still = Run(one_body(hinge, coordinates, body=body, gravity=[1.0, 0, -G]), **RK)
    moved = Run(one_body(hinge, coordinates, body=body, base={"acceleration": [-1.0, 0, G]}), **RK)
    for path in ("joints/j/position", "joints/j/velocity", "joints/j/force"):
        close(still[path][-1], moved[path][-1], atol=1e-6 if path.endswith("force") else 2e-8)
    change = still["energy/potential"][-1] - still["energy/potential"][0]
    assert moved["energy/work/base"][-1] == pytest.approx(-change, abs=1e-7)
    assert moved.summary.energy_balance < 1e-8


@BOTH
def test_shaken_base_excites_the_oscillator(coordinates: dict[str, Any]) -> None:
    """m x'' + k x = -m a(t) with a = A sin(w t), from rest."""
    k, m, size, w = 50.0, 2.0, 3.0, 7.0
    data = one_body(
        {"type": "prismatic", "axis": "x"},
        coordinates,
        forces={"s": {"type": "joint-spring", "joint": "j", "stiffness": k}},
        base={"acceleration": [f"{size}*sin({w}*t)", 0, 0]},
    )
    run = Run(data, **RK)
    t, own = run["time"], np.sqrt(k / m)
    x = -size / (own**2 - w**2) * (np.sin(w * t) - w / own * np.sin(own * t))
    close(run["joints/j/position"], x)
    assert run.summary.energy_balance < 1e-8


def test_turning_and_accelerated_base_with_everything_on_it() -> None:
    """No closed form: branch and chord agree, and the works of base, drive and damper close the balance."""
    data = slider_crank({})
    data["motions"] = {}
    data["joints"]["bearing"]["velocity"] = 3.0
    data["base"] = {"rotation": {"axis": [1, 1, 2], "angle": "sin(3*t)"}, "acceleration": ["t", "2*cos(t)", "-1"]}
    data["forces"] = {
        "damper": {
            "type": "spring-damper", "markers": ["ground", "slider"], "stiffness": 30.0, "damping": 2.0, "length": 0.5,
        },
        "motor": {"type": "actuator", "joint": "bearing", "effort": "2*sin(4*t)"},
        "gust": {"type": "force", "marker": "slider", "vector": ["3*t", 1.0, 2.0]},
    }  # fmt: skip
    runs = [Run({**data, "coordinates": c}, **RK) for c in ({}, {"chords": ["bearing"]}, {"default": "absolute"})]
    for run in runs:
        assert run.summary.energy_balance < 1e-8
        close(run.final_positions, runs[0].final_positions)
    assert abs(runs[0]["energy/work/base"][-1]) > 1e-2


@BOTH
def test_slide_on_a_base_that_starts_turned(coordinates: dict[str, Any]) -> None:
    """The mechanism is drawn on the ground: it stands turned when the ground does."""
    data = one_body(
        {"type": "prismatic", "axis": "x", "velocity": 1.0},
        coordinates,
        body={"at": [0.3, 0, 0]},
        base={"rotation": {"axis": "z", "angle": "pi/2"}},
    )
    run = Run(data, **RK)
    t = run["time"]
    close(run["joints/j/position"], t)
    close(run["bodies/body/position"], np.column_stack([0 * t, 0.3 + t, 0 * t]))


@BOTH
def test_hinge_on_a_base_that_starts_turned(coordinates: dict[str, Any]) -> None:
    """Joint coordinates are zero in the design position, also when the ground starts at an angle."""
    data = one_body(
        {"type": "revolute", "axis": "z", "velocity": 1.0},
        coordinates,
        body={"at": [0.3, 0, 0]},
        base={"rotation": {"axis": "z", "angle": "pi/2"}},
    )
    data["joints"]["j"]["at"] = [0.3, 0, 0]
    run = Run(data, **RK)
    close(run["joints/j/position"], run["time"])
    close(run["bodies/body/position"], [[0, 0.3, 0]] * len(run.rows))
