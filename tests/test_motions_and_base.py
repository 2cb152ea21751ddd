"""Prescribed motions of joints, markers and of the base; rotors and rolling: efforts and motion in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from runs import Run

from flexmb.errors import InputError

RK = {"method": "rk45", "tolerance": 1e-10}
BRANCH: dict[str, Any] = {}
CHORD = {"default": "absolute"}
BOTH = pytest.mark.parametrize("coordinates", [BRANCH, CHORD], ids=["branch", "chord"])
G = 9.81


def close(found: Any, wanted: Any, atol: float = 2e-8) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=atol)


def one_body(joint: dict[str, Any], coordinates: dict[str, Any], **parts: Any) -> dict[str, Any]:
    """A body of 2 kg on one joint to ground at the world origin."""
    body = {"mass": 2.0, "inertia": [0.3, 0.4, 0.5], **parts.pop("body", {})}
    return {
        "model": {"name": "one body", "gravity": parts.pop("gravity", [0, 0, 0])},
        "bodies": {"body": body},
        "joints": {"j": {"bodies": ["ground", "body"], "at": [0, 0, 0], **joint}},
        "coordinates": coordinates,
        "analysis": {"end": 1.0},
        **parts,
    }


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


def slider_crank(coordinates: dict[str, Any]) -> dict[str, Any]:
    rod = {"mass": 1.0, "inertia": [0.001, 0.02, 0.02]}
    return {
        "model": {"name": "slider-crank", "gravity": [0, 0, -G]},
        "bodies": {
            "crank": {**rod, "center": [0.1, 0, 0]},
            "rod": {**rod, "at": [0.2, 0, 0], "center": [0.3, 0, 0]},
            "slider": {"mass": 2.0, "inertia": [0.01, 0.01, 0.01], "at": [0.8, 0, 0]},
        },
        "joints": {
            "bearing": {"type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0, 0], "axis": "-y"},
            "pin": {"type": "revolute", "bodies": ["crank", "rod"], "at": [0.2, 0, 0], "axis": "-y"},
            "wrist": {"type": "revolute", "bodies": ["rod", "slider"], "at": [0.8, 0, 0], "axis": "-y"},
            "slide": {"type": "prismatic", "bodies": ["ground", "slider"], "at": [0.8, 0, 0], "axis": "x"},
        },
        "motions": {"drive": {"joint": "bearing", "expression": "0.5 + 6*t + 0.3*sin(5*t)"}},
        "coordinates": coordinates,
        "analysis": {"end": 1.0},
    }


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


# Rotors


@pytest.mark.parametrize("carried", [False, True], ids=["spinning body", "rotor"])
def test_steady_precession_of_a_top(carried: bool) -> None:
    """A level gyroscope: Omega H = m g l with H the spin about its axis; it neither nods nor sinks."""
    m, length, transverse, axial, precession = 2.0, 0.3, 0.05, 0.02, 1.5
    momentum = m * G * length / precession
    # Level axis along x of the body; precession about z leaves no other component on x.
    body = {"mass": m, "inertia": [axial, transverse, transverse], "center": [length, 0, 0]}
    spin = 0.0 if carried else momentum / axial
    if carried:
        body["rotor"] = [momentum, 0, 0]
    data = {
        "model": {"name": "gyroscope", "gravity": [0, 0, -G]},
        "bodies": {"top": body},
        "joints": {
            "pivot": {
                "type": "spherical",
                "bodies": ["ground", "top"],
                "at": [0, 0, 0],
                "velocity": [spin, 0, precession],
            }  # fmt: skip
        },
        "sensors": {"center": {"marker": "top.center"}},
        "analysis": {"end": 1.0},
    }
    body["markers"] = {"center": {"at": [length, 0, 0]}}
    for coordinates in (BRANCH, CHORD):
        run = Run({**data, "coordinates": coordinates}, **RK)
        t = run["time"]
        circle = length * np.column_stack([np.cos(precession * t), np.sin(precession * t), 0 * t])
        close(run["sensors/center"], circle, atol=1e-7)
        centripetal = m * precession**2 * length
        force = run["joints/pivot/force"]
        close(force, np.column_stack([*(-centripetal / length * circle[:, :2].T), m * G + 0 * t]), atol=1e-5)
        assert run.summary.energy_balance < 1e-8


def test_driven_gyrostat_needs_its_gyroscopic_moment() -> None:
    """A turntable drive under a tilting frame with rotor: the bearing carries Omega x H, the drive nothing."""
    data = one_body(
        {"type": "revolute", "axis": "z"},
        BRANCH,
        body={"rotor": [4.0, 0, 0]},
        motions={"m": {"joint": "j", "rate": 3.0}},
    )
    for coordinates in (BRANCH, CHORD):
        run = Run({**data, "coordinates": coordinates}, type="kinematic", step=0.1)
        t = run["time"]
        # Omega x H in space: 3 * 4 along the y axis that turns with the body; joint frame = axes of ground.
        moment = run["joints/j/moment"]
        close(np.linalg.norm(moment, axis=1), 12.0, atol=1e-9)
        close(moment[:, 2], 0, atol=1e-9)
        close(moment[0] @ moment[-1], 144.0 * np.cos(3 * t[-1]), atol=1e-7)
        close(run["motions/m/effort"], 0, atol=1e-9)


# Rolling


def disc(**parts: Any) -> dict[str, Any]:
    """A disc of radius 0.3 m, 2 kg, axis y, standing on the plane z = 0."""
    joint = {"type": "rolling", "bodies": ["ground", "disc"], "at": [0, 0, 0], "normal": "z", "axis": "y"}
    joint["radius"] = 0.3
    return {
        "model": {"name": "disc", "gravity": parts.pop("gravity", [0, 0, -G])},
        "bodies": {
            "disc": {"mass": 2.0, "inertia": [0.045, 0.09, 0.045], "at": [0, 0, 0.3], **parts.pop("body", {})},
        },
        "joints": {"contact": joint},
        "analysis": {"end": 1.0},
        **parts,
    }


def test_disc_rolls_straight_at_constant_speed() -> None:
    run = Run(disc(body={"velocity": [0.6, 0, 0], "angular_velocity": [0, 2.0, 0]}), **RK)
    t = run["time"]
    close(run["bodies/disc/position"], np.column_stack([0.6 * t, 0 * t, 0.3 + 0 * t]))
    close(run["joints/contact/force"], [[0, 0, 2.0 * G]] * len(t), atol=1e-7)
    assert run.ready.n_dof == 3


def test_disc_rolls_down_a_slope() -> None:
    """a = g sin / (1 + J / m r^2) = 2/3 g sin for a homogeneous disc; friction m g sin / 3. Slope by gravity."""
    slope = 0.3
    gravity = [G * np.sin(slope), 0, -G * np.cos(slope)]
    run = Run(disc(gravity=gravity, body={"velocity": [0, 0, 0]}), **RK)
    t = run["time"]
    close(run["bodies/disc/position"][:, 0], G * np.sin(slope) / 3 * t**2)
    pull = np.array([-2.0 * G * np.sin(slope) / 3, 0, 2.0 * G * np.cos(slope)])
    close(run["joints/contact/force"], np.outer(np.ones_like(t), pull), atol=1e-6)
    # Friction acts at the contact point, 0.3 m under the centre: its moment about the centre spins the disc.
    assert run.summary.energy_balance < 1e-8


def test_disc_pushed_at_its_centre() -> None:
    """m x'' = F - R, J omega' = R r: x'' = F / (m + J / r^2), and the work of the push is all there is."""
    push = {"type": "force", "marker": "disc", "vector": [5.0, 0, 0]}
    run = Run(disc(forces={"push": push}), **RK)
    t = run["time"]
    close(run["bodies/disc/position"][:, 0], 0.5 * 5.0 / (2.0 + 0.09 / 0.09) * t**2)
    close(run["energy/work/push"], run["energy/kinetic"])


def test_wobbling_disc_keeps_its_energy_and_does_not_slide() -> None:
    """Steady rolling disturbed: energy, and at every row the speed of the lowest point of the disc."""
    body = {"velocity": [1.5, -0.12, 0], "angular_velocity": [0.4, 5.0, 0.8]}
    run = Run(disc(body=body), **RK)
    assert run.summary.energy_balance < 1e-8
    lean = []
    for p, v, position, omega in zip(
        run["bodies/disc/quaternion"],
        run["bodies/disc/velocity"],
        run["bodies/disc/position"],
        run["bodies/disc/angular_velocity"],
        strict=True,
    ):
        R = matrix(p)
        axis = R[:, 1]
        down = -np.array([0, 0, 1.0]) + axis[2] * axis
        arm = 0.3 * down / np.linalg.norm(down)
        close(v + np.cross(R @ omega, arm), 0, atol=1e-9)
        assert abs(position[2] + arm[2]) < 1e-9
        lean.append(axis[2])
    assert np.ptp(lean) > 0.05


def matrix(p: np.ndarray) -> np.ndarray:
    """Rotation matrix of a unit quaternion, w first."""
    w, v = p[0], p[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew
