"""flexmb inverse on the command line."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import flexmb as fx
from tests.support.command_line import call, folder
from tests.support.places import EXAMPLES

__all__ = ["folder"]
LEE = str(EXAMPLES / "05_inverse_slider_crank.toml")
SHORT = ("--set", "analysis.end=5 ms")


def test_report_result_and_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "inverse", LEE, "-o", "lee.h5", "--csv", "lee.csv", *SHORT)
    assert (code, err) == (0, "")
    words = " ".join(out.split())
    assert "1 motion drives the only rigid degree of freedom; 4 elastic coordinates are not prescribed" in words
    assert "act on the second body of a joint, at its marker there" in words
    assert max(map(len, out.splitlines())) <= 110
    with fx.Result(folder / "lee.h5") as result:
        assert result.outcome == "finished"
        torque, force = result["motions/drive/effort"], result["joints/bearing/force"]
    # The bearing's first marker stands on the ground with world axes: both axes show the same force, largest at t = 0.
    (line,) = [line.split() for line in out.splitlines() if line.split()[:2] == ["bearing", "crank"]][:1]
    assert line[2:4] == [f"{np.linalg.norm(force[0]):.5g}", "0"] and line[4:7] == line[7:10]
    (drive,) = [line.split() for line in out.splitlines() if line.split()[:1] == ["drive"] and "N*m" in line][:1]
    assert float(drive[1]) == pytest.approx(torque[np.abs(torque).argmax()], rel=1e-5)
    with (folder / "lee.csv").open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert head[:2] == ["time [s]", "drive.effort [N*m]"] and len(head) == 2 + 4 * 9
    np.testing.assert_array_equal([float(row[1]) for row in rows], torque)


def test_quiet_and_default_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "inverse", LEE, "--quiet", *SHORT) == (0, "", "")
    assert (folder / "05_inverse_slider_crank.h5").is_file()


def test_a_model_without_motions_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "inverse", "pendulum.toml")
    assert (code, out) == (2, "")
    assert "needs prescribed motions" in err and not (folder / "pendulum.h5").exists()


def test_a_table_over_the_model_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "inverse", LEE, "--csv", "pendulum.toml", *SHORT)
    assert code == 2 and "not overwritten" in err
    assert not list(folder.glob("*.h5"))


def test_verify(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "inverse", LEE, "--verify", *SHORT)
    assert code == 0 and "driven by the efforts alone (splines through 501 points)" in " ".join(out.split())


def test_verify_of_bodies_in_balance_says_what_departs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "inverse", LEE, "--verify", "--elastic", "quasi-static", *SHORT)
    assert code == 0 and "the efforts leave out vibration" in " ".join(out.split())
