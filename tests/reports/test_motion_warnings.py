"""Warnings about motions: overshoot of splines, sudden tables, jumps of expressions; and the runs that show why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.run import run_model
from flexmb.cli import main
from flexmb.model.model_file import read_model
from flexmb.reports.motion_warnings import motion_warnings
from flexmb.warning import WarningRecord
from tests.support.mechanisms import spec_of

JUMP = [[0, 0], [0.5, 0], [0.501, 1], [1, 1]]
MODEL = """
[model]
name = "sudden turn"
[bodies.rod]
mass = 1
inertia = [0.1, 0.1, 0.1]
at = [0, 0, 1]
[joints.axle]
type = "revolute"
bodies = ["ground", "rod"]
at = [0, 0, 0]
axis = "y"
[motions.drive]
joint = "axle"
table = [[0, 0], [0.5, 0], [0.501, 1], [1, 1]]
[sensors.angle]
joint = "axle"
[analysis]
end = 1
step = 1e-3
"""


def found_in(motion: dict[str, Any], **analysis: Any) -> list[WarningRecord]:
    joint = {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axis": "y"}
    data = {
        "bodies": {"rod": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}},
        "joints": {"axle": joint},
        "motions": {"drive": {"joint": "axle", **motion}},
        "analysis": {"end": 1.0, **(analysis or {"step": 1e-5})},
    }
    return list(motion_warnings(spec_of(data)))


def test_the_overshoot_of_a_spline() -> None:
    (warning,) = found_in({"table": JUMP, "interpolation": "spline"}, step=1e-5)
    assert (warning.code, warning.place, warning.unit) == ("table-overshoot", "motions.drive", "rad")
    assert warning.value == pytest.approx(192.38, abs=0.01) and warning.time == pytest.approx(0.2113, abs=1e-4)
    assert not found_in({"table": JUMP})
    t = np.linspace(0.0, 1.0, 21)
    assert not found_in({"table": np.column_stack([t, np.sin(6.0 * t)]).tolist(), "interpolation": "spline"})


@pytest.mark.parametrize(
    "analysis",
    [
        {"step": 1e-3},
        {"tolerance": 1e-6},
        {"tolerance": 1e-6, "max_step": 0.01},
        {"type": "kinematic", "step": 1e-3},  # no row shows the 1,900 rad/s and their effort
    ],
)
def test_a_change_within_a_step(analysis: dict[str, Any]) -> None:
    (warning,) = found_in({"table": JUMP}, **analysis)
    assert warning.code == "sudden-motion" and warning.time == 0.5 and warning.unit == "rad/s^2"
    # 10/sqrt(3) h^-2 is the peak of the quintic step; nine places of a piece miss it by 3 % at most.
    assert warning.value == pytest.approx(10.0 / np.sqrt(3.0) * 1e6, rel=0.03)


def test_tables_that_the_steps_resolve() -> None:
    t = np.linspace(0.0, 1.0, 1001)
    fine = np.column_stack([t, np.sin(20.0 * t)]).tolist()
    assert not found_in({"table": JUMP}, step=1e-4)
    assert not found_in({"table": JUMP}, tolerance=1e-6, max_step=5e-4)
    assert not found_in({"table": fine}, step=1e-3), "points at every step are resolved when they are smooth"


@pytest.mark.parametrize(
    ("text", "at", "size", "unit"),
    [
        ("if(t < 0.3, 0, 2)", 0.3, 2.0, "rad"),
        ("0.5*(t > 0.7)", 0.7, 0.5, "rad"),
        ("max(0, 3*(t - 0.4))", 0.4, 3.0, "rad/s"),
        ("abs(t - 0.25)", 0.25, 2.0, "rad/s"),
    ],
)
def test_jumps_of_expressions(text: str, at: float, size: float, unit: str) -> None:
    (warning,) = found_in({"expression": text})
    assert warning.code == "motion-jump" and warning.unit == unit
    assert warning.time == pytest.approx(at, abs=1e-5) and warning.value == pytest.approx(size, rel=1e-3)


@pytest.mark.parametrize(
    "text",
    [
        "if(t < 0.5, t^2, 0.25 + (t - 0.5) + (t - 0.5)^2)",
        "step(t, 0, 0, 0.1, 5)",
        "if(t > 2, 7, 0)",
        "max(0, t - 0.5)^2",
    ],
)
def test_smooth_cases_do_not_jump(text: str) -> None:
    assert not found_in({"expression": text})


def test_a_run_stays_between_the_points(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(MODEL)
    with run_model(read_model(path), tmp_path / "r.h5") as result:
        angle = np.asarray(result["sensors/angle"])
        assert angle.min() >= 0.0 and angle.max() <= 1.0 + 1e-12 and np.diff(angle).min() >= -1e-12
        assert "moves by 1 rad within 0.001 s" in " ".join(result.report.split())
    spline = {"motions.drive.interpolation": "spline", "analysis.step": "1e-4"}
    with run_model(read_model(path, spline), tmp_path / "s.h5") as result:
        assert np.abs(result["sensors/angle"]).max() > 190.0
        assert "overshoots the points of its table by 192.4 rad" in " ".join(result.report.split())


def test_check_prints_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.toml"
    path.write_text(MODEL.replace("inertia = [0.1, 0.1, 0.1]", "inertia = [0.1, 0.1, 0.3]"))
    assert main(["check", str(path), "--set", "motions.drive.interpolation=spline"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "overshoots the points" in out and "no distribution of mass has" in out
