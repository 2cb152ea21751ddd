"""Reports of runs that went badly: a failure, a poor energy balance, a resumed run."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.run import run_model
from flexmb.cli import main
from flexmb.errors import ComputationError
from flexmb.model.model_file import read_model
from flexmb.results.result_file import Result

CRANK = """
[model]
name = "crank"
gravity = [0, -9.81, 0]
[points]
O = [0, 0, 0]
A = [0.5, 0, 0]
B = [1.5, 0, 0]
[bodies.crank]
mass = 1
rod = ["O", "A"]
[bodies.rod]
mass = 1
rod = ["A", "B"]
[bodies.slider]
mass = 1
inertia = [0.01, 0.01, 0.01]
at = "B"
[joints.pin]
type = "revolute"
bodies = ["ground", "crank"]
at = "O"
axis = "z"
position = 0.5
[joints.eye]
type = "revolute"
bodies = ["crank", "rod"]
at = "A"
axis = "z"
[joints.small_end]
type = "revolute"
bodies = ["rod", "slider"]
at = "B"
axis = "z"
[joints.guide]
type = "prismatic"
bodies = ["ground", "slider"]
at = "B"
axis = "x"
"""
TURN = '[motions.turn]\njoint = "pin"\nrate = 3\nstart = 0.5\n'
PULL = '[motions.pull]\njoint = "guide"\nrate = 0.5\nstart = -0.3\n'  # out of reach after 0.6 s


def write_model(folder: Path, analysis: str, motion: str = "") -> str:
    path = folder / "crank.toml"
    text = CRANK if motion != PULL else CRANK.replace("position = 0.5\n", "")
    path.write_text(f"{text}{motion}[analysis]\n{analysis}\n")
    return str(path)


@pytest.mark.parametrize(
    "analysis",
    ["end = 2\nstep = 1e-3", "end = 2\ntolerance = 1e-6", 'end = 2\nstep = 0.01\ntype = "kinematic"'],
    ids=["fixed step", "error control", "kinematic"],
)
def test_a_failed_run_says_when_which_joint_and_what_to_change_and_keeps_its_numbers(
    tmp_path: Path, analysis: str
) -> None:
    with pytest.raises(ComputationError) as caught:
        run_model(read_model(write_model(tmp_path, analysis, PULL)), tmp_path / "out.h5")
    text, summary = str(caught.value), caught.value.summary
    assert text.startswith(f"At t = {summary.t_reached:.6g} s ") and summary.t_reached == pytest.approx(0.6, abs=0.02)
    assert any(f"'{name}'" in text for name in ("pull", "pin", "eye", "small_end", "guide")), text
    assert any(advice in text for advice in ("smaller step", "looser tolerance", "loosen", "Change the motions"))
    assert " m" in text and "m or rad" not in text
    with Result(tmp_path / "out.h5") as result:
        assert result.outcome == "failed" and result.time[-1] == pytest.approx(0.6, abs=0.03)
        assert result.summary["steps"] == summary.steps > 10
        for line in ("run failed", "time reached", "steps", "largest constraint error", "energy balance", "failure"):
            assert line in result.report


def test_a_poor_energy_balance_is_reported_with_the_remedy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Some four steps a swing lose energy; the run is still a run."""
    for analysis, remedy in (
        ("end = 5\nstep = 0.1\nrho = 0.3", "smaller step"),
        ("end = 5\ntolerance = 0.3", "tolera"),
    ):
        assert main(["run", write_model(tmp_path, analysis), "-o", str(tmp_path / "out.h5")]) == 0
        out = capsys.readouterr().out
        assert "WARNING" in out and "energy balance is off by" in out and remedy in out.split("WARNING")[1]
    assert main(["run", write_model(tmp_path, "end = 1\nstep = 1e-3"), "-o", str(tmp_path / "out.h5")]) == 0
    assert "WARNING" not in capsys.readouterr().out


HANGING = """
        bodies.a = { mass = 2.0, inertia = [0.1, 0.1, 0.1], at = [0, 0, "0.1 - 2*9.81/1e4"] }
        joints.j = { type = "prismatic", bodies = ["ground", "a"], at = [0, 0, 0], axis = "z" }
        forces.s = { type = "spring-damper", markers = ["ground", "a"], stiffness = 1e4, damping = 1, length = 0.1 }
"""
BOLTED = """
        bodies.a = { mass = 2.0, rod = [[0, 0, 0], [1, 0, 0]] }
        joints.j = { type = "fixed", bodies = ["ground", "a"], at = [0, 0, 0] }
        coordinates.default = "absolute"
"""


@pytest.mark.parametrize("parts", [HANGING, BOLTED], ids=["hanging", "bolted"])
def test_a_system_at_rest_gets_no_warning(parts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mass in equilibrium on a spring, a bar at the height where its potential is zero: energies are round-off."""
    head = 'model = { name = "rest", gravity = [0, 0, -9.81] }\nanalysis = { end = 1, step = 1e-3 }\n'
    (tmp_path / "rest.toml").write_text(head + parts)
    assert main(["run", str(tmp_path / "rest.toml"), "-o", str(tmp_path / "out.h5")]) == 0
    assert "WARNING" not in capsys.readouterr().out


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_kinematic_analysis_interrupted_and_resumed_gives_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("most_gathered", "largest_budget"):
        monkeypatch.setattr(f"flexmb.solvers.driven_analysis.DrivenAnalysis.{limit}", 20)
    model = read_model(write_model(tmp_path, 'end = 2\nstep = 0.01\ntype = "kinematic"', TURN))

    def interrupt(*numbers: Any) -> None:
        if numbers[0] > 0.5:
            os.kill(os.getpid(), signal.SIGINT)

    with run_model(model, tmp_path / "a.h5", progress=interrupt) as part:
        assert part.outcome == "interrupted" and 0.5 < part.time[-1] < 1.0
    with run_model(model, tmp_path / "a.h5", resume=True) as resumed, run_model(model, tmp_path / "b.h5") as whole:
        assert len(whole.time) == 201
        for path in whole.channels:
            np.testing.assert_array_equal(resumed[path], whole[path])
        assert resumed.summary["steps"] == whole.summary["steps"]
