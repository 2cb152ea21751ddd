"""Static equilibrium against closed forms: springs, pendulums, chains, loops; prestressed starts.

Covers: solvers.residual_at_rest, solvers.static_analysis.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import flexmb as fx
from flexmb.errors import ComputationError, InputError
from flexmb.reports.run_report import stability_text
from tests.support.flexible_mechanisms import slider_crank
from tests.support.mechanisms import random_tree, spec_of
from tests.support.one_body import BOTH, SLIDER, G, one_body
from tests.support.runs import Run
from tests.support.static_models import DOWN, chain

STATIC: dict[str, Any] = {"type": "static"}
REST = {"start": "static", "end": 0.2, "step": 1e-3}


# One degree of freedom


@BOTH
def test_a_mass_sags_on_its_spring(coordinates: dict[str, Any]) -> None:
    """z = -m g/k, which here is five times the size of anything else in the model; the joint bears the side force."""
    k = 4.0
    spring = {"type": "joint-spring", "joint": "j", "stiffness": k, "damping": 3.0}
    side = {"type": "force", "marker": "body.origin", "vector": ["7*cos(t)", 0, 0]}
    run = Run(one_body(SLIDER, coordinates, gravity=DOWN, forces={"s": spring, "side": side}), **STATIC)
    assert run.rows.shape[0] == 1 and run["time"][0] == 0.0
    assert run["bodies/body/position"][0] == pytest.approx([0, 0, -2.0 * G / k], abs=1e-12)
    assert np.linalg.norm(run["joints/j/force"][0]) == pytest.approx(7.0, rel=1e-12)
    found = run.summary.equilibrium  # type: ignore[attr-defined]
    assert found.lowest == pytest.approx(k / 2.0, rel=1e-8)  # central differences of a linear force: round-off
    assert found.residual < 1e-14 and found.is_stable and found.has_potential


@pytest.mark.parametrize("start", [0.0, 0.3, -np.pi / 2, 3.0])
@BOTH
def test_a_pendulum_hangs_down_wherever_it_starts(coordinates: dict[str, Any], start: float) -> None:
    """Also from exactly above its hinge (-pi/2), where all forces are in balance. omega^2 = m g l/(I + m l^2)."""
    hinge = {"type": "revolute", "axis": "y", "position": start}
    data = one_body(hinge, coordinates, gravity=DOWN, body={"center": [0.4, 0, 0]})
    run = Run(data, **STATIC)
    angle = run["joints/j/position"][0]
    assert np.sin(angle) == pytest.approx(1.0, abs=1e-14) and np.cos(angle) == pytest.approx(0.0, abs=1e-12)
    found = run.summary.equilibrium  # type: ignore[attr-defined]
    assert found.lowest == pytest.approx(2.0 * G * 0.4 / (0.4 + 2.0 * 0.4**2), rel=1e-8)
    assert np.linalg.norm(run["joints/j/force"][0]) == pytest.approx(2.0 * G, rel=1e-12)


@BOTH
def test_a_pendulum_on_a_turning_base_swings_out(coordinates: dict[str, Any]) -> None:
    """(I_xx - I_zz - m l^2) O^2 sin cos + m g l sin = 0 with the angle from the vertical (a governor)."""
    rate, arm = 6.0, 0.4
    hinge = {"type": "revolute", "axis": "y", "position": 1.2}
    data = one_body(hinge, coordinates, gravity=DOWN, body={"center": [arm, 0, 0], "inertia": [0.01, 0.01, 0.01]})
    data["base"] = {"rotation": {"axis": "z", "angle": f"{rate}*t"}}
    run = Run(data, **STATIC)
    from_vertical = np.pi / 2 - run["joints/j/position"][0]
    assert np.cos(from_vertical) == pytest.approx(2.0 * G * arm / (2.0 * arm**2 * rate**2), rel=1e-12)
    assert run.summary.equilibrium.is_stable  # type: ignore[attr-defined]


def test_a_snapping_spring_is_left_on_the_side_where_it_starts() -> None:
    """A slider between two oblique springs: x = +-sqrt(l^2 - a^2) are stable, the middle is not."""
    spring = {"type": "spring-damper", "stiffness": 100.0, "length": 0.5}
    markers = {"a": {"at": [0.4, 0, 0]}, "b": {"at": [-0.4, 0, 0]}}
    forces = {name: {**spring, "markers": [f"ground.{name}", "body.origin"]} for name in markers}
    for start, wanted in ((0.05, 0.3), (-0.02, -0.3)):
        data = one_body({**SLIDER, "position": start}, {}, forces=forces)
        data["markers"] = markers
        assert Run(data, **STATIC)["joints/j/position"][0] == pytest.approx(wanted, abs=1e-12)
    data["joints"]["j"]["position"] = 0.0
    assert abs(Run(data, **STATIC)["joints/j/position"][0]) == pytest.approx(0.3, abs=1e-12)


def test_an_equilibrium_that_nothing_makes_stable_is_reported_as_unstable() -> None:
    """A slider on a turntable whose spring is weaker than the centrifugal force: k/m - O^2 < 0."""
    spring = {"type": "joint-spring", "joint": "j", "stiffness": 5.0}
    data = one_body({"type": "prismatic", "axis": "x"}, {}, forces={"s": spring})
    data["base"] = {"rotation": {"axis": "z", "angle": "2*t"}}
    run = Run(data, **STATIC)
    found = run.summary.equilibrium  # type: ignore[attr-defined]
    assert not found.is_stable
    assert found.lowest == pytest.approx(5.0 / 2.0 - 4.0, rel=1e-8)
    assert "UNSTABLE" in stability_text(found) and "j.slide" in stability_text(found)
    assert run["joints/j/position"][0] == 0.0


@BOTH
def test_a_wheel_with_a_heavy_side_rolls_until_that_is_below(coordinates: dict[str, Any]) -> None:
    """A quarter of a turn, on the way r pi/2: the rolling condition holds along the search, too."""
    radius = 0.3
    body = {"at": [0, 0, radius], "center": [0.1, 0, 0]}
    upright = {"type": "planar", "axis": "y", "at": [0, 0, radius]}
    data = one_body(upright, coordinates, gravity=DOWN, body=body)
    contact = {"type": "rolling", "bodies": ["ground", "body"], "at": [0, 0, 0], "normal": "z", "axis": "y"}
    data["joints"]["contact"] = {**contact, "radius": radius}
    run = Run(data, **STATIC)
    assert run["bodies/body/position"][0] == pytest.approx([radius * np.pi / 2, 0, radius], abs=1e-10)
    # omega^2 = m g e/(I + m (r - e)^2), the centre of mass e below the middle
    square = 2.0 * G * 0.1 / (0.4 + 2.0 * (radius - 0.1) ** 2)
    assert run.summary.equilibrium.lowest == pytest.approx(square, rel=1e-7)  # type: ignore[attr-defined]


# Chains and loops


def hanging(n: int, span: float) -> float:
    """Sag of the middle of a chain of n (even) equal rods between two hinges at one height, in closed form: rod i has
    the slope (n/2 - i - 1/2) w/(n H), w the weight of the chain and H the horizontal pull."""
    slopes = (n / 2 - np.arange(n // 2) - 0.5) / n

    def width(pull: float) -> float:
        return float(2.0 / n * np.sum(1.0 / np.hypot(1.0, slopes / pull)))

    pull = brentq(lambda pull: width(pull) - span, 1e-3, 1e3, xtol=1e-15)
    return float(np.sum(slopes / pull / np.hypot(1.0, slopes / pull)) / n)


@pytest.mark.parametrize("default", ["joint", "absolute"])
def test_a_chain_between_two_hinges_hangs_as_the_catenary(default: str) -> None:
    """Exactly as rods do, and as the catenary with an error of second order in the length of the rods."""
    span = 0.8
    a = brentq(lambda a: 2.0 * a * np.sinh(span / (2.0 * a)) - 1.0, 0.05, 10.0, xtol=1e-15)
    catenary = a * (np.cosh(span / (2.0 * a)) - 1.0)
    errors = []
    for n in (4, 8):
        last = {"type": "spherical", "markers": ["ground.anchor", f"rod{n - 1}.end"]}
        data = chain(n, {"last": last}, coordinates={"default": default}, markers={"anchor": {"at": [span, 0, 0]}})
        data["bodies"][f"rod{n - 1}"]["markers"] = {"end": {"at": [1.0 / n, 0, 0]}}
        data["sensors"] = {"sag": {"marker": f"rod{n // 2}.origin", "component": "z"}}
        run = Run(data, **STATIC)
        sag = -float(run["sensors/sag"][0])
        assert sag == pytest.approx(hanging(n, span), abs=1e-11)
        assert run.summary.equilibrium.is_stable  # type: ignore[attr-defined]
        errors.append(abs(sag - catenary))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def four_bar(**extra: Any) -> dict[str, Any]:
    """Crank 0.2, coupler 0.5, rocker 0.4, ground 0.6 m, uniform rods of 5 kg/m; a spring from the crank to ground."""
    A, B = _four_bar_points(1.0)
    points = {"O": [0, 0, 0], "A": [float(A[0]), 0, float(A[1])], "B": [float(B[0]), 0, float(B[1])], "C": [0.6, 0, 0]}
    hinge = {"type": "revolute", "axis": "-y"}
    return {
        "model": {"name": "four-bar", "gravity": DOWN},
        "points": points,
        "bodies": {
            "crank": {"mass": 1.0, "rod": ["O", "A"]},
            "coupler": {"mass": 2.5, "rod": ["A", "B"]},
            "rocker": {"mass": 2.0, "rod": ["C", "B"]},
        },
        "joints": {
            "o": {**hinge, "bodies": ["ground", "crank"], "at": "O"},
            "a": {**hinge, "bodies": ["crank", "coupler"], "at": "A"},
            "b": {**hinge, "bodies": ["coupler", "rocker"], "at": "B"},
            "c": {**hinge, "bodies": ["ground", "rocker"], "at": "C"},
        },
        "forces": {"s": {"type": "joint-spring", "joint": "o", "stiffness": 6.0, "rest": 0.5}},
        "analysis": {"end": 0.2, "step": 1e-3},
        **extra,
    }


def _four_bar_points(crank: float) -> tuple[np.ndarray, np.ndarray]:
    """Pins A and B in the plane (x, z) at an angle of the crank."""
    A, C = 0.2 * np.array([np.cos(crank), np.sin(crank)]), np.array([0.6, 0.0])
    d = np.linalg.norm(C - A)
    along = (0.5**2 - 0.4**2 + d**2) / (2.0 * d)
    e = (C - A) / d
    return A, A + along * e + np.sqrt(0.5**2 - along**2) * np.array([-e[1], e[0]])


def _four_bar_energy(turn: float) -> float:
    """Potential energy [J] when the crank has turned from its design position, by trigonometry."""
    A, B = _four_bar_points(1.0 + turn)
    heights = 1.0 * A[1] / 2 + 2.5 * (A[1] + B[1]) / 2 + 2.0 * B[1] / 2
    return float(G * heights + 0.5 * 6.0 * (turn - 0.5) ** 2)


@pytest.mark.parametrize("coordinates", [{}, {"default": "absolute"}, {"absolute": ["coupler"]}])
def test_a_loop_rests_where_its_energy_is_least(coordinates: dict[str, Any]) -> None:
    """The minimum of an independent energy, to half the digits as minima are; its slope vanishes to more; omega^2 by
    the second difference of the energy and the kinetic energy is left to the tests of modes."""
    run = Run(four_bar(coordinates=coordinates), **STATIC)
    turn = float(run["joints/o/position"][0])
    least = minimize_scalar(_four_bar_energy, bracket=(turn - 0.2, turn + 0.2), tol=1e-12)
    assert turn == pytest.approx(least.x, abs=1e-6)
    h = 1e-4
    slope = (_four_bar_energy(turn + h) - _four_bar_energy(turn - h)) / (2.0 * h)
    assert slope == pytest.approx(0.0, abs=1e-6)  # h^2/6 of a third derivative of some 40 J
    assert run["energy/potential"][0] - Run(four_bar(), end=1e-3)["energy/potential"][0] == pytest.approx(
        _four_bar_energy(turn) - _four_bar_energy(0.0), abs=1e-10
    )


# Starts of runs


def flexible_loop() -> dict[str, Any]:
    """The slider-crank of the examples without its drive, hung up on a spring at its slider."""
    data = slider_crank()
    del data["motions"], data["sensors"]["torque"]
    data["model"] = {"gravity": [0, -G, -G]}
    data["forces"] = {"s": {"type": "joint-spring", "joint": "guide", "stiffness": 200.0, "rest": -0.05}}
    data["joints"]["bearing"]["position"] = 0.8
    return data


CASES = {"four-bar": four_bar, "chain": lambda: chain(3), "flexible loop": flexible_loop}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("default", ["joint", "absolute"])
def test_a_run_from_equilibrium_stays_at_rest(case: str, default: str) -> None:
    """What moves is the round-off of the equilibrium: relative 1e-13 of forces of some 10 N on some kg."""
    data = {**CASES[case](), "coordinates": {"default": default}}
    end = 0.01 if case == "flexible loop" else 0.2
    run = Run(data, **{**REST, "end": end, "step": end / 200})
    assert np.abs(run["coordinates/v"]).max() < 1e-9
    assert np.ptp(run["energy/potential"]) < 1e-9
    assert run["energy/kinetic"].max() < 1e-12
    still = Run(data, **STATIC)
    for body in run.system.mechanism.bodies[1:]:
        path = f"bodies/{body.name}/position"
        assert run[path][-1] == pytest.approx(still[path][0], abs=1e-8)


@pytest.mark.parametrize("seed", [0, 4, 7])
def test_random_trees_on_springs(seed: int) -> None:
    """Stable, the same in both coordinates (4 and 7 have several equilibria), and a run from there stays at rest."""
    rng = np.random.default_rng(seed)
    kinds = ("revolute", "universal", "spherical", "distance", "spherical", "universal")
    data = random_tree(rng, tuple(rng.permutation(kinds)))
    data["markers"] = {f"g{i}": {"at": (3 * rng.normal(size=3)).tolist()} for i in range(3)}
    data["forces"] = {
        f"{body}_{marker}": {
            "type": "spring-damper",
            "markers": [f"ground.{marker}", f"{body}.tip"],
            "stiffness": float(rng.uniform(1, 20)),
            "length": float(rng.uniform(0, 3)),
        }
        for body in data["bodies"]
        for marker in data["markers"]
    }
    runs = [Run({**data, "coordinates": {"default": kind}}, **STATIC) for kind in ("joint", "absolute")]
    for run in runs:
        found = run.summary.equilibrium  # type: ignore[attr-defined]
        assert found.is_stable and found.has_potential
        assert found.residual < 1e-13
    assert runs[0].final_positions == pytest.approx(runs[1].final_positions, abs=1e-11)
    rest = Run(data, **REST)
    assert rest.final_positions == pytest.approx(runs[0].final_positions, abs=1e-10)
    assert np.abs(rest["coordinates/v"]).max() < 1e-9


def test_coordinates_do_not_matter() -> None:
    """Positions, reactions and the lowest frequency; the frequency by differences, which lose half the digits."""
    runs = [Run({**flexible_loop(), "coordinates": {"default": kind}}, **STATIC) for kind in ("joint", "absolute")]
    for path in ("joints/guide/position", "joints/bearing/force", "joints/big_end/force", "energy/strain"):
        assert runs[0][path][0] == pytest.approx(runs[1][path][0], rel=1e-7, abs=1e-9)
    lowest = [run.summary.equilibrium.lowest for run in runs]  # type: ignore[attr-defined]
    assert lowest[0] == pytest.approx(lowest[1], rel=1e-6)


def test_a_start_says_in_the_report_whether_it_is_stable(tmp_path: Path) -> None:
    result = fx.run_model(fx.Model.from_tables({**four_bar(), "analysis": REST}), tmp_path / "rest.h5")
    text = " ".join(result.report.split())
    assert "static start" in text and "stable: lowest eigenvalue of stiffness against mass" in text


def test_given_rates_and_those_of_motions_stay() -> None:
    """A driven hinge keeps its rate, the free rod below it hangs straight down; a given velocity is kept too."""
    data = chain(2, {"hinge0": {}, "hinge1": {"velocity": 0.7}})
    data["motions"] = {"drive": {"joint": "hinge0", "polynomial": [0.3, 2.0]}}
    run = Run(data, **REST)
    assert run["joints/hinge0/position"][0] == pytest.approx(0.3, abs=1e-12)
    assert run["joints/hinge1/position"][0] == pytest.approx(np.pi / 2 - 0.3, abs=1e-10)
    assert run["joints/hinge0/velocity"][0] == pytest.approx(2.0, abs=1e-12)
    assert run["joints/hinge1/velocity"][0] == pytest.approx(0.7, abs=1e-12)
    still = Run(data, **STATIC)
    assert still["joints/hinge1/position"][0] == pytest.approx(np.pi / 2 - 0.3, abs=1e-12)
    assert not still["coordinates/v"].any()
    assert still.summary.equilibrium.n_free == 1  # type: ignore[attr-defined]


# What is refused, what is said


def test_what_has_no_equilibrium_is_refused_by_name() -> None:
    free = chain(2)
    free["model"]["gravity"] = [0, 0, 0]
    with pytest.raises(ComputationError, match="nothing resists the motion of 'hinge0.angle', 'hinge1.angle'"):
        Run(free, **STATIC)
    with pytest.raises(ComputationError, match="nothing resists the motion of 'j.angle'"):
        Run(one_body({"type": "revolute", "axis": "z"}, {}, gravity=DOWN), **STATIC)
    with pytest.raises(ComputationError, match=r"nothing resists the loads that move 'j\.\w+'"):
        Run(one_body(SLIDER, {}, gravity=DOWN), **STATIC)
    with pytest.raises(ComputationError, match="nothing resists"):
        Run(one_body(SLIDER, {}), **REST)


def test_only_a_static_analysis_needs_no_end() -> None:
    assert spec_of({**chain(1), "analysis": STATIC}).analysis.end == 0.0
    for analysis in ({}, {"type": "kinematic"}, {"start": "static", "step": 1e-3}):
        with pytest.raises(InputError, match="'end' is missing"):
            spec_of({**chain(1), "analysis": analysis})
    with pytest.raises(InputError, match="Choices: given, static"):
        spec_of({**chain(1), "analysis": {"end": 1.0, "start": "rest"}})


def test_the_report_says_how_exact_and_how_stable(tmp_path: Path) -> None:
    result = fx.run_model(fx.Model.from_tables({**four_bar(), "analysis": STATIC}), tmp_path / "still.h5")
    assert result.outcome == "finished" and len(result.time) == 1
    assert "static analysis: equilibrium at t = 0" in result.report
    assert "stable: lowest eigenvalue of stiffness against mass" in result.report
    assert "Hz), in o.angle" in " ".join(result.report.split())
    assert result.summary["unbalanced_force"] < 1e-13
    assert result.summary["lowest_stiffness"] > 0.0
    driven = {**four_bar(), "motions": {"drive": {"joint": "o", "rate": 1.0}}, "analysis": STATIC}
    held = fx.run_model(fx.Model.from_tables(driven), tmp_path / "held.h5")
    assert "no free motion" in held.report
