"""Prescribed motions of joints and markers, kinematic analysis: motion and efforts in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.errors import InputError
from tests.support.mechanisms import slider_crank
from tests.support.one_body import BOTH, BRANCH, CHORD, RK, G, close, one_body
from tests.support.runs import Run

# Motions of joint coordinates: every way to write a function of time, with its first and second derivative.

TIMES = np.linspace(0.0, 1.0, 21)
TABLE = [[float(t), float(np.sin(2 * t))] for t in np.linspace(-0.2, 1.2, 141)]
W = 2 * np.pi * 0.7
MOTIONS: dict[str, tuple[dict[str, Any], Any, float]] = {
    "rate": ({"rate": 3.0, "start": 0.4}, lambda t: (0.4 + 3 * t, 3 + 0 * t, 0 * t), 1e-9),
    "polynomial": (
        {"polynomial": [0.1, -0.5, 1.5, 2.0]},
        lambda t: (0.1 - 0.5 * t + 1.5 * t**2 + 2 * t**3, -0.5 + 3 * t + 6 * t**2, 3 + 12 * t),
        1e-9,
    ),
    "harmonic": (
        {"harmonic": {"amplitude": 0.5, "frequency": 0.7, "phase": 0.3, "offset": 0.2}},
        lambda t: (0.2 + 0.5 * np.sin(W * t + 0.3), 0.5 * W * np.cos(W * t + 0.3), -0.5 * W**2 * np.sin(W * t + 0.3)),
        1e-9,
    ),
    # The smooth step of degree five: x = s^3 (10 - 15 s + 6 s^2), at rest with no acceleration at both ends.
    "ramp": (
        {"ramp": {"from": 0.2, "to": 1.2, "over": 0.8}},
        lambda t: tuple(np.array(_ramp(np.minimum(t / 0.8, 1.0))) / [[1.0], [0.8], [0.64]] + [[0.2], [0], [0]]),
        1e-9,
    ),
    # A C2 spline through a sine: its second derivative is off by the square of the spacing, 0.01 s.
    "table": ({"table": TABLE}, lambda t: (np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)), 2e-4),
    "expression": (
        {"expression": "0.3*exp(-t)*cos(3*t)"},
        lambda t: (
            0.3 * np.exp(-t) * np.cos(3 * t),
            0.3 * np.exp(-t) * (-np.cos(3 * t) - 3 * np.sin(3 * t)),
            0.3 * np.exp(-t) * (-8 * np.cos(3 * t) + 6 * np.sin(3 * t)),
        ),
        1e-9,
    ),
}


def _ramp(s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return s**3 * (10 - 15 * s + 6 * s**2), 30 * s**2 * (1 - s) ** 2, 60 * s * (1 - s) * (1 - 2 * s)


@BOTH
@pytest.mark.parametrize("form", MOTIONS)
def test_driven_pendulum_asks_for_its_inverse_dynamics(form: str, coordinates: dict[str, Any]) -> None:
    """Torque of the drive = J theta'' + m g c cos(theta), with theta measured from the horizontal."""
    motion, function, atol = MOTIONS[form]
    arm = {"center": [0.25, 0, 0]}
    data = one_body(
        {"type": "revolute", "axis": "-y"},  # up is positive
        coordinates,
        body=arm,
        gravity=[0, 0, -G],
        motions={"m": {"joint": "j", **motion}},
        sensors={"effort": {"motion": "m"}},
    )
    run = Run(data, type="kinematic", step=0.05)
    t = run["time"]
    angle, rate, acceleration = function(t)
    close(run["joints/j/position"], angle, atol=atol)
    close(run["joints/j/velocity"], rate, atol=atol)
    close(run["joints/j/acceleration"], acceleration, atol=atol)
    torque = (0.4 + 2.0 * 0.25**2) * acceleration + 2.0 * G * 0.25 * np.cos(angle)
    close(run["motions/m/effort"], torque, atol=10 * atol)
    close(run["sensors/effort"], run["motions/m/effort"], atol=0)


@BOTH
@pytest.mark.parametrize("form", ["harmonic", "expression", "polynomial"])
def test_work_of_the_drive_closes_the_balance(form: str, coordinates: dict[str, Any]) -> None:
    motion, function, _ = MOTIONS[form]
    data = one_body(
        {"type": "revolute", "axis": [1, 2, 2]},
        coordinates,
        body={"center": [0.2, -0.1, 0.3]},
        gravity=[0, 0, -G],
        motions={"m": {"joint": "j", **motion}},
    )
    # No degree of freedom is left for the error control: the step is given. Order five in the works: 1e-11 at 0.01 s.
    run = Run(data, method="rk45", step=0.01)
    assert run.summary.energy_balance < 1e-8
    assert np.ptp(run["energy/work/m"]) > 0.1
    close(run["joints/j/position"], function(run["time"])[0], atol=1e-10)


DRIVEN = {
    "prismatic": ({"type": "prismatic", "axis": "x"}, {"slide": "0.3*sin(2*t)"}, {"slide": (2.0, 1)}),
    "cylindrical": (
        {"type": "cylindrical", "axis": "x"},
        {"slide": "0.3*sin(2*t)", "angle": "t^2"},
        {"slide": (2.0, 1), "angle": (0.3, 1)},
    ),
    "planar": (
        {"type": "planar", "axis": "z"},
        {"x": "t^2", "y": "0.2*t^3", "angle": "0.1*t^2"},
        {"x": (2.0, 1), "y": (2.0, 1), "angle": (0.5, 1)},
    ),
    "pin-in-slot": (
        {"type": "pin-in-slot", "axis": "z", "slot": "y"},
        {"slide": "0.4*t^2", "angle": "3*t^2"},
        {"slide": (2.0, 1), "angle": (0.5, 1)},
    ),
}


@BOTH
@pytest.mark.parametrize("kind", DRIVEN)
def test_drives_of_every_coordinate(kind: str, coordinates: dict[str, Any]) -> None:
    """A body driven at its centre along and about principal axes: every effort is inertia times acceleration."""
    joint, functions, inertias = DRIVEN[kind]
    motions = {name: {"joint": "j", "coordinate": name, "expression": text} for name, text in functions.items()}
    sensors = {f"{name}_a": {"joint": "j", "coordinate": name, "quantity": "acceleration"} for name in functions} | {
        name: {"joint": "j", "coordinate": name} for name in functions
    }
    run = Run(one_body(joint, coordinates, motions=motions, sensors=sensors), type="kinematic", step=0.05)
    t = run["time"]
    for name, text in functions.items():
        exact = eval(text.replace("^", "**"), {"t": t, "sin": np.sin})  # noqa: S307 - own text
        close(run[f"sensors/{name}"], exact, atol=1e-10)
        close(run[f"motions/{name}/effort"], inertias[name][0] * run[f"sensors/{name}_a"], atol=1e-9)
    exact = {"slide": -1.2 * np.sin(2 * t), "x": 2 + 0 * t}
    first = next(iter(functions))
    if kind != "pin-in-slot":
        close(run[f"sensors/{first}_a"], exact[first], atol=1e-9)


@BOTH
def test_universal_joint_driven_about_both_axes(coordinates: dict[str, Any]) -> None:
    """R = Rx(a) Ry(b): pose by hand, power of the two drives against the kinetic energy of a ball."""
    motions = {
        "a": {"joint": "j", "coordinate": "angle1", "expression": "5*t"},
        "b": {"joint": "j", "coordinate": "angle2", "expression": "0.7*sin(3*t)"},
    }
    data = one_body(
        {"type": "universal", "axes": ["x", "y"]},
        coordinates,
        body={"inertia": [0.4, 0.4, 0.4], "markers": {"tip": {"at": [0, 0, 1]}}},
        motions=motions,
        sensors={"tip": {"marker": "body.tip"}},
    )
    run = Run(data, type="kinematic", step=0.01)
    t = run["time"]
    a, b = 5 * t, 0.7 * np.sin(3 * t)
    close(run["joints/j/position"], np.column_stack([a, b]), atol=1e-10)
    tip = np.column_stack([np.sin(b), -np.sin(a) * np.cos(b), np.cos(a) * np.cos(b)])
    close(run["sensors/tip"], tip, atol=1e-10)
    # T = j/2 (a'^2 + b'^2), so that the drive of a is idle and that of b gives j b''.
    close(run["motions/a/effort"], 0, atol=1e-9)
    close(run["motions/b/effort"], -0.4 * 0.7 * 9 * np.sin(3 * t), atol=1e-9)


# Motions of markers


def test_marker_driven_along_a_ground_axis() -> None:
    """A free body pulled up at its centre: the effort is weight and inertia, and its work closes the balance."""
    data = {
        "model": {"name": "hoist", "gravity": [0, 0, -G]},
        "bodies": {"load": {"mass": 3.0, "inertia": [0.1, 0.1, 0.1], "velocity": [1.0, 0, 0]}},
        "motions": {"lift": {"marker": "load", "along": "z", "expression": "0.2*sin(2*t)^2"}},
        "analysis": {"end": 2.0},
    }
    run = Run(data, **RK, max_step=0.02)
    t = run["time"]
    close(run["bodies/load/position"], np.column_stack([t, 0 * t, 0.2 * np.sin(2 * t) ** 2]))
    close(run["motions/lift/effort"], 3.0 * (G + 1.6 * np.cos(4 * t)))
    assert run.summary.energy_balance < 1e-8
    assert run.ready.n_dof == 5


def test_marker_driven_relative_to_a_turning_body() -> None:
    """A bead led out along a turning spoke, r = r0 + u t: thrust -m omega^2 r, torque 2 m u omega r."""
    omega, r0, u, m = 3.0, 0.2, 0.5, 0.7
    data = {
        "model": {"name": "bead on a spoke"},
        "bodies": {
            "spoke": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "markers": {"rail": {"at": [0, 0, 0]}}},
            "bead": {"mass": m, "inertia": [0.01, 0.01, 0.01], "at": [r0, 0, 0]},
        },
        "joints": {
            "hub": {"type": "revolute", "bodies": ["ground", "spoke"], "at": [0, 0, 0], "axis": "z"},
            "rail": {"type": "prismatic", "bodies": ["spoke", "bead"], "at": [r0, 0, 0], "axis": "x"},
        },
        "motions": {
            "spin": {"joint": "hub", "rate": omega},
            "lead": {"marker": "bead", "along": "x", "relative_to": "spoke.rail", "rate": u, "start": r0},
        },
    }
    for coordinates in (BRANCH, CHORD):
        run = Run({**data, "coordinates": coordinates}, end=1.0, type="kinematic", step=0.02)
        t = run["time"]
        r = r0 + u * t
        close(run["bodies/bead/position"][:, :2], np.column_stack([r * np.cos(3 * t), r * np.sin(3 * t)]), atol=1e-10)
        close(run["motions/lead/effort"], -m * omega**2 * r, atol=1e-9)
        close(run["motions/spin/effort"], 2 * m * r * u * omega, atol=1e-9)


# Kinematic analysis


@pytest.mark.parametrize("coordinates", [{}, {"chords": ["bearing"]}, {"default": "absolute"}])
def test_kinematic_equals_dynamic_analysis(coordinates: dict[str, Any]) -> None:
    """Nothing is free: both solve the same algebra at every step, efforts and reactions included."""
    data = slider_crank(coordinates)
    kinematic = Run(data, type="kinematic", step=0.01)
    dynamic = Run(data, method="rk4", step=0.01)
    paths = ["joints/slide/position", "joints/wrist/velocity", "joints/slide/acceleration", "motions/drive/effort"]
    for path in [*paths, "joints/bearing/force", "joints/pin/force", "energy/kinetic"]:
        close(kinematic[path], dynamic[path], atol=1e-7)
    angle = 0.5 + 6 * kinematic["time"] + 0.3 * np.sin(5 * kinematic["time"])
    reach = 0.2 * np.cos(angle) + np.sqrt(0.36 - 0.04 * np.sin(angle) ** 2)
    close(kinematic["joints/slide/position"], reach - 0.8, 1e-9)
    assert dynamic.summary.energy_balance < 1e-6  # order four at 0.01 s
    # The kinematic analysis sums the work of the drive by a rule of third order.
    fine = Run(data, type="kinematic", step=0.005)
    assert fine.summary.energy_balance < kinematic.summary.energy_balance / 6 < 1e-4


def test_kinematic_analysis_is_refused_when_something_is_free() -> None:
    data = slider_crank({})
    data["motions"] = {}
    with pytest.raises(InputError, match="every degree of freedom driven by a motion; 1 are free"):
        Run(data, type="kinematic", step=0.01)


def test_drive_may_start_several_turns_on() -> None:
    """A motion that begins at 20 rad is the same pose as 20 - 6 pi, for a branch and for a chord."""
    for coordinates in (BRANCH, CHORD):
        motion = {"joint": "j", "rate": 2.0, "start": 20.0}
        data = one_body({"type": "revolute", "axis": "z"}, coordinates, motions={"m": motion})
        run = Run(data, type="kinematic", step=0.1)
        close(run["joints/j/position"], 20.0 + 2.0 * run["time"], atol=1e-9)
