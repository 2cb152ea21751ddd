"""Stops of joints, distances and markers against closed forms, in every kind of coordinates; what a stop must not do.

Covers: loads.laws, model.schema.stops, model.schema.load_targets, model.schema.force_checks, reports.stop_report.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.analyses.modes import modes_of_model
from flexmb.errors import InputError
from flexmb.model.model import Model
from flexmb.model.schema.stops import approach_share, restitution_at
from flexmb.reports.stop_report import stop_texts
from flexmb.symbolic.equations import equations_of
from tests.support.one_body import BOTH, BRANCH, RK, SLIDER, WHEEL, close, one_body
from tests.support.runs import Run

HERTZ = {"stiffness": 4e6, "exponent": 1.5, "damping": 0.25}


def buffer(joint: dict[str, Any], coordinates: dict[str, Any], end: float = 0.5, **law: Any) -> dict[str, Any]:
    """A body that meets a stop at 0.1 m (rad) with a speed of 2."""
    stop = {"type": "joint-stop", "joint": "j", "upper": 0.1, **law}
    return one_body({**joint, "velocity": 2.0}, coordinates, forces={"stop": stop}, end=end)


@BOTH
@pytest.mark.parametrize("joint", [SLIDER, WHEEL], ids=["slide", "angle"])
def test_rebound_of_hunt_and_crossley(joint: dict[str, Any], coordinates: dict[str, Any]) -> None:
    """v / chi - ln(1 + chi v) / chi^2 is the same before and after; what is lost is the work of the stop."""
    run = Run(buffer(joint, coordinates, **HERTZ), **RK)
    v = run["joints/j/velocity"]
    before, after = 2.0, v[-1]
    share = [s / 0.25 - np.log1p(0.25 * s) / 0.0625 for s in (before, after)]
    assert share[0] == pytest.approx(share[1], rel=1e-6) and after < 0.0
    inertia = 2.0 if joint is SLIDER else 0.5
    close(run["energy/work/stop"][-1], 0.5 * inertia * (after**2 - before**2), atol=1e-7)
    assert np.all(run["forces/stop/effort"] <= 0.0) and run["forces/stop/effort"].min() < -10.0
    assert run.summary.energy_balance < 1e-6


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        ("exact", (0.8, 0.5)),
        ("hunt-crossley", (0.833, 0.663)),
        ("lankarani-nikravesh", (0.847, 0.725)),
        ("flores", (0.789, 0.470)),
    ],
)
def test_restitution(formula: str, wanted: tuple[float, float]) -> None:
    """What is asked for, and what the published approximations give for 0.8 and 0.5 (three digits, own derivation)."""
    for e, found in zip((0.8, 0.5), wanted, strict=True):
        law = {"stiffness": 1e5, "restitution": e, "speed": 2.0, "formula": formula}
        run = Run(buffer(SLIDER, BRANCH, **law), **RK)
        assert -run["joints/j/velocity"][-1] / 2.0 == pytest.approx(found, abs=1e-6 if formula == "exact" else 5e-4)


def test_damping_and_restitution_are_inverse() -> None:
    for e in (0.999, 0.8, 0.5, 0.05):
        assert restitution_at(approach_share(e), 1.0) == pytest.approx(e, rel=1e-9)
    assert approach_share(1.0) == 0.0 and restitution_at(0.0, 3.0) == 1.0


def pair_of_bodies(force: dict[str, Any]) -> dict[str, Any]:
    """Two free bodies that turn and approach each other."""
    return {
        "model": {"name": "two bodies"},
        "bodies": {
            "one": {"mass": 2.0, "inertia": [0.1, 0.2, 0.3], "velocity": [1, 0.2, 0], "angular_velocity": [0, 0, 0.5],
                    "markers": {"side": {"at": [0.2, 0.1, 0]}}},
            "two": {"mass": 3.0, "inertia": [0.1, 0.2, 0.3], "at": [1, 0.3, 0.1], "angular_velocity": [0.3, 0, -0.4]},
        },
        "forces": {"stop": force},
        "analysis": {"end": 2.0},
    }  # fmt: skip


@pytest.mark.parametrize(
    "force",
    [
        {"type": "stop", "markers": ["one.side", "two"], "lower": 0.4},
        {"type": "stop", "markers": ["one.side", "two"], "upper": 0.85},
        {"type": "marker-stop", "marker": "one.side", "relative_to": "two", "along": "x", "upper": -0.3},
    ],
    ids=["apart", "together", "wall"],
)
def test_stops_between_bodies_keep_momentum_and_energy(force: dict[str, Any]) -> None:
    run = Run(pair_of_bodies({**force, "stiffness": 2e4, "exponent": 1.2, "damping": 0.3}), **RK)
    assert np.abs(run["forces/stop/effort"]).max() > 10.0 and run["energy/work/stop"][-1] < -1e-3
    assert run.summary.energy_balance < 1e-6
    linear, angular = np.zeros((len(run.rows), 3)), np.zeros((len(run.rows), 3))
    for name, mass in (("one", 2.0), ("two", 3.0)):
        p, v, w = (run[f"bodies/{name}/{key}"] for key in ("position", "velocity", "angular_velocity"))
        q = run[f"bodies/{name}/quaternion"]
        local = w * [0.1, 0.2, 0.3]
        turned = local + 2 * np.cross(q[:, 1:], np.cross(q[:, 1:], local) + q[:, :1] * local)
        linear += mass * v
        angular += mass * np.cross(p, v) + turned
    close(linear - linear[0], 0.0, atol=1e-9)
    close(angular - angular[0], 0.0, atol=1e-8)


def test_a_body_on_the_floor_by_three_kinds_of_stop() -> None:
    """Bounces with a loss: by its place, by the joint and by the distance from a point above."""
    floor = {"type": "marker-stop", "marker": "body", "along": "z", "lower": -0.2, "stiffness": 5e4, "damping": 0.2}
    rail = {"type": "joint-stop", "joint": "j", "lower": -0.2, "stiffness": 5e4, "damping": 0.2}
    stop = {"type": "stop", "markers": ["ground.top", "body"], "upper": 1.2, "stiffness": 5e4, "damping": 0.2}
    parts: dict[str, Any] = {"gravity": [0, 0, -9.81], "end": 0.6, "markers": {}}
    runs = []
    for force in (floor, rail, stop):
        for coordinates in (BRANCH, {"default": "absolute"}):
            data = one_body(SLIDER, coordinates, forces={"s": force}, **parts)
            data["markers"] = {"top": {"at": [0, 0, 1]}}
            runs.append(Run(data, **RK)["bodies/body/position"][-1, 2])
    close(runs, [runs[0]] * len(runs), atol=1e-7)


def test_natural_coordinates(tmp_path: Path) -> None:
    for force in (
        {"type": "marker-stop", "marker": "body", "along": "z", "lower": -0.02},
        {"type": "joint-stop", "joint": "j", "lower": -0.02},
        {"type": "stop", "markers": ["ground.top", "body"], "upper": 1.02},
    ):
        found = []
        for coordinates in ({"default": "joint"}, {"default": "natural"}):
            law = {"stiffness": 5e3, "exponent": 1.5, "damping": 0.2}
            data = one_body(SLIDER, coordinates, forces={"s": {**force, **law}}, gravity=[0, 0, -9.81], end=0.2)
            data["markers"] = {"top": {"at": [0, 0, 1]}}
            data["analysis"] |= {"step": 1e-3, "method": "rk4"}
            with fx.run_model(Model.from_tables(data), tmp_path / "r.h5") as result:
                found.append((result["bodies/body/position"][-1, 2], result["energy/work/s"][-1]))
                assert result.summary["energy_balance"] < 1e-6
        close(found[0], found[1], atol=1e-9)


def test_rest_and_small_motions_on_a_floor(tmp_path: Path) -> None:
    """m g = k d^n, and w^2 = n k d^(n - 1) / m about it."""
    floor = {"type": "marker-stop", "marker": "body", "along": "z", "lower": 0.0, "stiffness": 1e6, "exponent": 1.5}
    data = one_body({**SLIDER, "position": -1e-3}, BRANCH, forces={"s": floor}, gravity=[0, 0, -9.81])
    data["analysis"] = {"type": "static"}
    depth = (2.0 * 9.81 / 1e6) ** (1 / 1.5)
    with fx.run_model(Model.from_tables(data), tmp_path / "r.h5") as result:
        assert result["joints/j/position"][-1] == pytest.approx(-depth, rel=1e-6)
    data["analysis"] = {"end": 1.0, "step": 1e-3}
    (mode,) = modes_of_model(Model.from_tables(data), about="static").shown
    assert 2 * np.pi * mode.frequency == pytest.approx(np.sqrt(1.5 * 1e6 * np.sqrt(depth) / 2.0), rel=1e-5)


def test_a_driven_body_feels_the_stop(tmp_path: Path) -> None:
    """Inverse dynamics: the drive has to push with the force of the stop, by its law."""
    stop = {"type": "joint-stop", "joint": "j", "upper": 0.1, **HERTZ}
    motions = {"push": {"joint": "j", "expression": "0.11*sin(5*t)"}}
    run = Run(one_body(SLIDER, BRANCH, forces={"s": stop}, motions=motions), step=1e-3)
    t = run["time"]
    x, v, a = 0.11 * np.sin(5 * t), 0.55 * np.cos(5 * t), -2.75 * np.sin(5 * t)
    depth = np.maximum(0.0, x - 0.1)
    force = 4e6 * depth**1.5 * np.maximum(0.0, 1 + 0.25 * v)
    close(run["motions/push/effort"], 2.0 * a + force, atol=1e-6 * force.max())
    assert force.max() > 3000.0


def test_a_beam_against_a_wall() -> None:
    """A flexible body on one side: the tip of a cantilever falls on a stop; the energy balance stays closed."""
    data = {
        "model": {"name": "tip", "gravity": [0, 0, -9.81]},
        "bodies": {
            "beam": {"beam": [[0, 0, 0], [1, 0, 0]], "material": "steel",
                     "section": {"type": "circle", "diameter": 0.01}, "field": "linear"},
        },
        "joints": {"clamp": {"type": "fixed", "bodies": ["ground", "beam"], "at": [0, 0, 0]}},
        "forces": {"s": {"type": "marker-stop", "marker": "beam.end", "along": "z", "lower": -5e-3, "stiffness": 1e5,
                         "exponent": 1.5, "damping": 0.5}},
        "analysis": {"end": 0.1},
    }  # fmt: skip
    run = Run(data, **RK)
    assert run["forces/s/effort"].max() > 1.0 and run["energy/work/s"][-1] < 0.0
    assert run.summary.energy_balance < 1e-6


def test_limits_of_a_joint_are_a_stop_of_its_coordinate(tmp_path: Path) -> None:
    short = one_body(
        {**SLIDER, "velocity": 2.0, "limits": [-0.05, 0.1], "limit_stiffness": 1e5, "limit_damping": 0.2}, BRANCH
    )
    stop = {"type": "joint-stop", "joint": "j", "lower": -0.05, "upper": 0.1, "stiffness": 1e5, "damping": 0.2}
    long = one_body({**SLIDER, "velocity": 2.0}, BRANCH, forces={"j_limits": stop})
    close(Run(short, **RK).rows, Run(long, **RK).rows, atol=0.0)
    for keys, text in (
        ({"limits": [0.1, -0.1], "limit_stiffness": 1.0}, "inside out"),
        ({"limits": [-0.1, 0.1]}, "needs 'limit_stiffness'"),
        ({"limit_damping": 1.0}, "only for 'limits'"),
    ):
        with pytest.raises(InputError, match=text):
            Model.from_tables(one_body({**SLIDER, **keys}, BRANCH)).check()
    with pytest.raises(InputError, match="a name that a force has already"):
        Model.from_tables({**short, "forces": {"j_limits": {**stop, "stiffness": 7.0}}}).check()


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"stiffness": -1.0, "upper": 0.1}, "greater than 0"),
        ({"stiffness": 1.0, "upper": 0.1, "exponent": 0.5}, "at least 1"),
        ({"stiffness": 1.0, "upper": 0.1, "lower": 0.2}, "inside out"),
        ({"stiffness": 1.0}, "needs lower or upper"),
        ({"stiffness": 1.0, "upper": 0.1, "restitution": 0.5}, "needs 'speed'"),
        ({"stiffness": 1.0, "upper": 0.1, "speed": 0.5}, "only for 'restitution'"),
        ({"stiffness": 1.0, "upper": 0.1, "restitution": 0.5, "speed": 1, "damping": 1}, "give only one"),
        ({"stiffness": 1.0, "upper": 0.1, "restitution": 0.0, "speed": 1}, "greater than 0"),
    ],
)
def test_bad_stops(keys: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        Model.from_tables(one_body(SLIDER, BRANCH, forces={"s": {"type": "joint-stop", "joint": "j", **keys}})).check()


def test_stops_have_no_symbols() -> None:
    data = buffer(SLIDER, BRANCH, **HERTZ)
    data["analysis"]["step"] = 1e-3
    with pytest.raises(InputError, match="'stop' has no symbolic form: its law is not smooth"):
        equations_of(Model.from_tables(data))


def test_the_report_says_when_and_how_hard_and_whether_the_contact_is_resolved(tmp_path: Path) -> None:
    data = buffer(SLIDER, BRANCH, **HERTZ)
    data["forces"]["far"] = {"type": "joint-stop", "joint": "j", "lower": -9.0, "stiffness": 1.0}
    data["analysis"] |= {"step": 1e-3}
    with fx.run_model(Model.from_tables(data), tmp_path / "r.h5") as result:
        hit, missed = stop_texts(Model.from_tables(data).spec, result)
        assert hit.startswith("stop: hit 1 time, first at t = 0.05") and "it took" in hit and missed == "far: not hit"
        assert "hardest with" in result.report
        (warning,) = (w for w in result.warnings if w.code == "contact-not-resolved")
        assert warning.value is not None and warning.value < 20 and "Use step = 0.0002 s" in warning.text
    data["analysis"]["step"] = 1e-4
    with fx.run_model(Model.from_tables(data), tmp_path / "r.h5") as result:
        assert not [w for w in result.warnings if w.code == "contact-not-resolved"]
        assert -result["joints/j/velocity"][-1] == pytest.approx(1.49687, rel=2e-3)


def test_a_start_deep_inside_a_stop_is_a_warning(tmp_path: Path) -> None:
    data = one_body(
        {**SLIDER, "position": 0.2}, BRANCH, forces={"s": {"type": "joint-stop", "joint": "j", "upper": 0.1, **HERTZ}}
    )
    data["analysis"] |= {"tolerance": 1e-7, "end": 0.1}
    with fx.run_model(Model.from_tables(data), tmp_path / "r.h5") as result:
        (warning,) = (w for w in result.warnings if w.code == "starts-in-contact")
        assert warning.value == pytest.approx(0.1, rel=1e-6) and "0.1 m beyond the end" in warning.text
