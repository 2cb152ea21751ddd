"""Linearised equations and modes against closed forms, published frequencies, time simulation and other coordinates.

Covers: solvers.body_slices, solvers.frequency_response, solvers.linear_inputs, solvers.linear_point,
solvers.modal_analysis.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

from flexmb.analyses.modes import modes_of_model
from flexmb.analyses.preparation import prepare
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.model.model_file import parse_model
from flexmb.solvers.frequency_response import frequency_response
from flexmb.solvers.linearise import linearise
from flexmb.solvers.modal_analysis import modes
from flexmb.verification import DATA, MODELS
from tests.support.linear_models import TIGHT, G, close, linear, modes_of, parallelogram, rates_of, ready
from tests.support.mechanisms import slider_crank
from tests.support.runs import Run


def pendulum(**extra: Any) -> dict[str, Any]:
    """A hanging rod with its mass centre at 0.5 m and inertia 0.35 kg m^2 about the pivot."""
    rod = {"mass": 1.0, "inertia": [0.1, 0.1, 0.01], "center": [0, 0, -0.5], "markers": {"tip": {"at": [0, 0, -1]}}}
    return {
        "model": {"name": "pendulum", "gravity": [0, 0, -G]},
        "bodies": {"rod": rod},
        "joints": {"pivot": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axis": "y"}},
        **extra,
    }


def test_pendulum_with_inputs_and_outputs() -> None:
    found = linear(
        pendulum(
            forces={
                "push": {"type": "force", "marker": "rod.tip", "vector": [0, 0, 3.0]},
                "motor": {"type": "actuator", "joint": "pivot", "effort": 0.0},
            },
            sensors={"tip": {"marker": "rod.tip"}, "turn": {"joint": "pivot", "quantity": "acceleration"}},
        )
    )
    stiffness = 0.5 * G - 3.0  # the push upwards takes from gravity
    assert found.states == ("pivot.angle", "pivot.angle.rate")
    assert found.inputs == ("push.x", "push.y", "push.z", "motor")
    assert found.outputs == ("tip.x", "tip.y", "tip.z", "turn")
    assert found.notes == ()
    close(found.A, [[0, 1], [-stiffness / 0.35, 0]], rtol=TIGHT, atol=TIGHT)
    close(found.B, [[0, 0, 0, 0], [-1 / 0.35, 0, 0, 1 / 0.35]], rtol=TIGHT, atol=TIGHT)
    close(found.C, [[-1, 0], [0, 0], [0, 0], [-stiffness / 0.35, 0]], rtol=TIGHT, atol=TIGHT)
    close(found.D[3], found.B[1], rtol=TIGHT, atol=TIGHT)
    assert found.damping is not None and found.stiffness is not None
    close([found.M[0, 0], found.damping[0, 0], found.stiffness[0, 0]], [0.35, 0, stiffness], atol=TIGHT)


def test_feedback_is_in_the_system_and_the_input_comes_beside_it() -> None:
    data = pendulum(
        sensors={"angle": {"joint": "pivot"}, "rate": {"joint": "pivot", "quantity": "velocity"}},
        forces={"motor": {"type": "actuator", "joint": "pivot", "effort": "-2*angle - 0.3*rate"}},
    )
    found = linear(data)
    close(found.A[1], [-(0.5 * G + 2.0) / 0.35, -0.3 / 0.35], rtol=TIGHT)
    close(found.B[1], [1 / 0.35], rtol=TIGHT)


def test_upright_pendulum_falls() -> None:
    data = pendulum(model={"name": "upright", "gravity": [0, 0, G]})
    found = modes_of(data)
    close(sorted(mode.eigenvalue.real for mode in found), np.array([-1, 1]) * np.sqrt(0.5 * G / 0.35), rtol=TIGHT)
    assert all(mode.frequency == 0.0 for mode in found)


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_double_pendulum(coordinates: str) -> None:
    # Two equal point masses on rods of equal length: omega^2 = (2 -+ sqrt 2) g/L.
    bob = {"mass": 2.0, "inertia": [1e-9, 1e-9, 1e-9]}
    data = {
        "model": {"name": "double pendulum", "gravity": [0, 0, -G]},
        "bodies": {"one": {**bob, "at": [0, 0, -0.7]}, "two": {**bob, "at": [0, 0, -1.4]}},
        "joints": {
            "first": {"type": "revolute", "bodies": ["ground", "one"], "at": [0, 0, 0], "axis": "y"},
            "second": {"type": "revolute", "bodies": ["one", "two"], "at": [0, 0, -0.7], "axis": "y"},
        },
        "coordinates": {"default": coordinates},
    }
    found = modes_of(data)
    # The bobs have 1e-9/(2 * 0.49) of the inertia of a point mass.
    close(rates_of(found), np.sqrt((2 + np.array([-1, 1]) * np.sqrt(2)) * G / 0.7), rtol=1e-8)
    for mode, sign in zip(found, (1, -1), strict=True):
        assert sum(mode.bodies.values()) == pytest.approx(1.0)
        # Angles 1 : +-sqrt 2, so that the bobs move by 1 : 1 +- sqrt 2.
        square = (1 + sign * np.sqrt(2)) ** 2
        assert mode.bodies["two"] == pytest.approx(square / (1 + square), rel=1e-6)


def oscillator(damping: float, **extra: Any) -> dict[str, Any]:
    """3 kg on a spring of 48 N/m: 4 rad/s."""
    return {
        "model": {"name": "oscillator"},
        "bodies": {"mass": {"mass": 3.0, "inertia": [1, 1, 1]}},
        "joints": {"slide": {"type": "prismatic", "bodies": ["ground", "mass"], "at": [0, 0, 0], "axis": "x"}},
        "forces": {"spring": {"type": "joint-spring", "joint": "slide", "stiffness": 48.0, "damping": damping}},
        **extra,
    }


def test_damping_ratio() -> None:
    (mode,) = modes_of(oscillator(4.8))
    ratio = 4.8 / (2 * np.sqrt(48.0 * 3.0))
    assert mode.damping_ratio == pytest.approx(ratio, rel=TIGHT)
    assert 2 * np.pi * mode.frequency == pytest.approx(4 * np.sqrt(1 - ratio**2), rel=TIGHT)


def test_overdamped_modes_do_not_oscillate() -> None:
    found = modes_of(oscillator(60.0))
    close([mode.eigenvalue for mode in found], [-10 + np.sqrt(84), -10 - np.sqrt(84)], rtol=1e-8)


def test_a_state_that_is_no_equilibrium_is_reported() -> None:
    (note,) = linear(oscillator(0.0, model={"name": "falls", "gravity": [2.0, 0, 0]})).notes
    assert "neither an equilibrium" in note and "0.125 (SI units) away in slide" in note  # g m/k
    data = oscillator(0.0, model={"name": "falls", "gravity": [2.0, 0, 0]}, forces={})
    (note,) = linear(data).notes
    assert "slide.slide has an acceleration of 2" in note and "nothing balances" in note


def test_gyroscope_precession_and_nutation() -> None:
    # Upright gyrostat on a universal joint: I w^2 - h w + m g l = 0 (Goldstein, sleeping top).
    inertia, momentum, moment = 0.4 + 2.0 * 0.3**2, 9.0, 2.0 * G * 0.3
    top = {"mass": 2.0, "inertia": [0.4, 0.4, 0.2], "center": [0, 0, 0.3], "rotor": [0, 0, momentum]}
    data = {
        "model": {"name": "gyroscope", "gravity": [0, 0, -G]},
        "bodies": {"top": top},
        "joints": {"foot": {"type": "universal", "bodies": ["ground", "top"], "at": [0, 0, 0], "axes": ["x", "y"]}},
    }
    close(rates_of(modes_of(data)), np.sort(np.roots([inertia, -momentum, moment])), rtol=1e-8)


def test_sleeping_top_in_its_turning_frame() -> None:
    # The same with its own spin on a spherical joint: rotations are counted in the body, which turns by the spin.
    inertia, axial, spin = 0.4 + 2.0 * 0.3**2, 0.2, 40.0
    top = {"mass": 2.0, "inertia": [0.4, 0.4, axial], "center": [0, 0, 0.3]}
    foot = {"type": "spherical", "bodies": ["ground", "top"], "at": [0, 0, 0]}
    found = ready({"model": {"name": "top", "gravity": [0, 0, -G]}, "bodies": {"top": top}, "joints": {"foot": foot}})
    found.work[found.system.ints[L.V] + 2] = spin
    linearised = linearise(found.system, found.work)
    want = np.abs(np.roots([inertia, -axial * spin, 2.0 * G * 0.3]) - spin)
    close(rates_of(modes(found.system, linearised)), np.sort(want), rtol=1e-7)
    (note,) = linearised.notes
    assert "small rotations of 'foot' (40 rad/s) are measured in rotating axes" in note


@pytest.mark.parametrize("field", ["exact", "quadratic"])
def test_rotating_cantilever(field: str) -> None:
    """Flapping and lagging frequencies of Wright et al. (1982); eight polynomials reach 2e-6."""
    table = np.loadtxt(DATA / "rotating_cantilever_flap.csv", delimiter=",")
    text = (MODELS / "B05a_rotating_cantilever.toml").read_text()
    for _, eta, *flap in table[[1, 6, -1]]:
        drive = f'\n[motions.drive]\njoint = "bearing"\nexpression = "{eta}*t"\n'
        found = prepare(parse_model(text + drive, settings={"bodies.beam.field": field}))
        linearised = linearise(found.system, found.work)
        assert linearised.notes == ()
        all_modes = modes(found.system, linearised)
        flapping = [mode for mode in all_modes if ".z" in mode.coordinate][:3]
        lagging = [mode for mode in all_modes if ".y" in mode.coordinate][:3]
        close(rates_of(flapping), flap, rtol=1e-5)
        close(rates_of(lagging), np.sqrt(np.square(flap) - eta**2), rtol=1e-5)
        assert all(mode.elastic == pytest.approx(1.0) and mode.bodies == {"beam": 1.0} for mode in all_modes)


@pytest.mark.parametrize("about", ["steady", "start"])
def test_rotating_cantilever_that_stretches(about: str) -> None:
    """With axial shapes the tension that stiffens comes from the steady stretch: at the start it is not there."""
    eta, flap = 6.0, 7.360373019
    text = (MODELS / "B05a_rotating_cantilever.toml").read_text()
    text += f'\n[motions.drive]\njoint = "bearing"\nexpression = "{eta}*t"\n'
    settings = {
        "bodies.beam.section.A": "1e4",  # rho A stays 1, E A is 1e4: the beam gets longer by eta^2/(3 E A) = 1e-3
        "bodies.beam.material.density": "1e-4",
        "bodies.beam.shapes": '{ family = "monomials", bending = 6, axial = 4 }',
    }
    report = modes_of_model(parse_model(text, settings=settings), about=about)
    found = rates_of([mode for mode in report.modes if ".z" in mode.coordinate])[0]
    if about == "steady":
        assert report.linear.notes == ()
        assert found == pytest.approx(flap, rel=1e-2)
    else:
        assert "away in beam.u" in report.linear.notes[0]
        assert found == pytest.approx(3.516, rel=0.05)


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_coordinates_that_do_not_turn_with_the_mechanism_are_reported(coordinates: str) -> None:
    """A slider on a spring on a turning arm: omega^2 = k/m - rate^2 along the arm, not along a fixed axis."""
    body = {"mass": 2.0, "inertia": [0.1, 0.1, 0.1]}
    data = {
        "model": {"name": "turning slider"},
        "bodies": {"arm": body, "slider": body},
        "joints": {
            "bearing": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0, 0], "axis": "z"},
            "slide": {"type": "prismatic", "bodies": ["arm", "slider"], "at": [0, 0, 0], "axis": "x"},
        },
        "motions": {"drive": {"joint": "bearing", "expression": "0.7 + 3*t"}},
        "forces": {"spring": {"type": "joint-spring", "joint": "slide", "stiffness": 50.0}},
        "coordinates": {"default": coordinates},
    }
    found = ready(data)
    linearised = linearise(found.system, found.work)
    if coordinates == "joint":
        assert linearised.notes == ()
        close(rates_of(modes(found.system, linearised)), [4.0], rtol=TIGHT)
    else:
        assert "change as the mechanism moves" in linearised.notes[0]


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_loop_in_joint_and_absolute_coordinates(coordinates: str) -> None:
    inertia = 2 * (0.03 + 1.2 * 0.3**2) + 2.5 * 0.6**2
    moment = (2 * 1.2 * 0.3 + 2.5 * 0.6) * G
    (mode,) = modes_of(parallelogram(coordinates))
    assert 2 * np.pi * mode.frequency == pytest.approx(np.sqrt(moment / inertia), rel=TIGHT)
    assert mode.bodies["coupler"] == pytest.approx(2.5 * 0.6**2 / inertia, rel=1e-8)


def test_a_fully_driven_mechanism_has_no_modes() -> None:
    found = ready({**slider_crank({"default": "joint"}), "analysis": {"end": 1.0, "step": 0.01}})
    linearised = linearise(found.system, found.work)
    assert linearised.states == ("drive", "drive.rate") and modes(found.system, linearised) == []


def test_a_free_fall_is_reported() -> None:
    top = {"mass": 1.0, "inertia": [1.0, 2.0, 2.5]}
    (note,) = linear({"model": {"name": "falls", "gravity": [0, 0, -G]}, "bodies": {"top": top}}).notes
    assert "top.z has an acceleration of -9.81" in note and "nothing balances" in note


def test_a_loop_in_a_singular_position_is_refused() -> None:
    data = parallelogram("joint")
    for name in ("left", "right"):
        data["bodies"][name] = {"mass": 1.2, "inertia": [0.01, 0.1, 0.1], "center": [0.3, 0, 0]}
    data["bodies"]["right"]["at"] = [1, 0, 0]
    data["bodies"]["coupler"]["at"] = [1.1, 0, 0]
    data["joints"]["b"]["at"], data["joints"]["c"]["at"] = [0.6, 0, 0], [1.6, 0, 0]
    with pytest.raises(ComputationError, match="singular position"):
        linear(data)


def test_motion_as_input() -> None:
    # A pendulum on a driven cart: I a = -m g l angle - m l u for a cart that moves along x, about y downwards.
    data = pendulum()
    data["bodies"]["cart"] = {"mass": 1.0, "inertia": [1, 1, 1]}
    data["joints"]["pivot"]["bodies"] = ["cart", "rod"]
    data["joints"]["slide"] = {"type": "prismatic", "bodies": ["ground", "cart"], "at": [0, 0, 0], "axis": "x"}
    data["motions"] = {"shake": {"joint": "slide", "expression": "0*t"}}
    data["sensors"] = {"tip": {"marker": "rod.tip", "component": "x"}, "effort": {"motion": "shake"}}
    found = linear(data)
    assert found.states == ("pivot.angle", "pivot.angle.rate", "shake", "shake.rate")
    assert found.inputs == ("shake.acceleration",)
    wanted = [[0, 1, 0, 0], [-0.5 * G / 0.35, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    close(found.A, wanted, rtol=TIGHT, atol=TIGHT)
    close(found.B[:, 0], [0, 0.5 / 0.35, 0, 1], rtol=TIGHT, atol=TIGHT)
    close(found.C[0], [-1, 0, 1, 0], rtol=TIGHT, atol=TIGHT)
    assert found.D[1, 0] == pytest.approx(2.0 - 0.5**2 / 0.35, rel=TIGHT)  # both masses, less what the swing gives way


def test_linear_response_is_the_limit_of_a_run() -> None:
    """A flexible loop pushed by a small force: the run departs from the linear response by the square of it."""
    beam = {
        "beam": [[0, 0, -0.6], [1, 0, -0.6]],
        "material": {"E": 5e6, "G": 2e6, "density": 1000.0},
        "section": {"type": "rectangle", "y": 0.05, "z": 0.03},
        "shapes": {"bending": {"z": 3}},
        "markers": {"mid": {"at": [0.5, 0, 0]}},
        "damping": {"ratio": 0.01},
    }
    data = parallelogram("joint")
    data["model"]["gravity"] = [0, 0, 0]
    data["bodies"]["coupler"] = beam
    data["forces"] = {
        "hold": {"type": "joint-spring", "joint": "a", "stiffness": 30.0, "damping": 0.2},
        "push": {"type": "force", "marker": "coupler.mid", "vector": [0, 0, 0]},
    }
    data["sensors"] = {axis: {"marker": "coupler.mid", "component": axis} for axis in "xz"}
    data["output"] = {"every": 0.1}
    found = linear(data)
    j, times = found.inputs.index("push.z"), np.linspace(0.0, 0.4, 5)
    k = found.inputs.index("push.x")
    n = len(found.A)
    departures = []
    for size in (1e-2, 2e-2):
        force = size * (found.B[:, j] + found.B[:, k])
        block = np.zeros((n + 1, n + 1))
        block[:n, :n], block[:n, n] = found.A, force
        want = np.array([found.C @ expm(block * t)[:n, n] for t in times])
        data["forces"]["push"]["vector"] = [size, 0, size]
        run = Run(data, end=0.4, method="rk45", tolerance=1e-11)
        close(run["time"], times, atol=1e-12)
        got = np.array([run[f"sensors/{axis}"] - run[f"sensors/{axis}"][0] for axis in "xz"]).T
        departures.append(np.max(np.abs(got - want)) / np.max(np.abs(want)))
    assert departures[0] < 1e-3
    assert departures[1] == pytest.approx(2.0 * departures[0], rel=0.02)  # the cubic terms are 1e-3 of the quadratic


def test_frequency_response_is_the_steady_end_of_a_run() -> None:
    """At resonance: after 25 decay times only the forced oscillation is left, measured over its last period."""
    w, push = 4.0, {"type": "actuator", "joint": "slide"}
    data = oscillator(4.8, sensors={"place": {"joint": "slide"}}, output={"every": 2 * np.pi / 4.0 / 32})
    data["forces"]["push"] = {**push, "effort": 0.0}
    (want,) = frequency_response(linear(data), "push", "place", np.array([w / (2 * np.pi)]))
    assert want == pytest.approx(1 / (4.8j * w), rel=TIGHT)
    data["forces"]["push"] = {**push, "effort": f"cos({w}*t)"}
    run = Run(data, end=20 * 2 * np.pi / w, method="rk45", tolerance=1e-9)
    time, place = run["time"][-32:], run["sensors/place"][-32:]
    got = 2.0 * np.mean(place * np.exp(-1j * w * time))
    assert abs(got - want) < 1e-7 * abs(want)  # exp(-25) = 1e-11, and the error of the run
