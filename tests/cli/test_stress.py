"""flexmb stress: report, files, JSON, and every bad input as one clear message.

Covers: reports.stress_report.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import flexmb as fx
from flexmb.cli import main
from flexmb.reports.stress_report import stress_report
from tests.support.made_results import made_result
from tests.support.places import EXAMPLES
from tests.support.stress_models import PERIOD, bar_file, beam, bending, with_mass

Capture = pytest.CaptureFixture[str]
LINE = "sigma_a = 40 MPa, N = 1e6, k = 5"
SHAPES = {"family": "elements", "elements": 1, "bending": {"y": 0, "z": 2}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of a beam (beam.h5), a mesh (mesh.h5), without stress (plain.h5), without flexible bodies (rigid.h5)."""
    folder = tmp_path_factory.mktemp("runs")
    fx.run_model(with_mass(beam(shapes=SHAPES)), folder / "beam.h5").close()
    for name, stress in (("mesh", True), ("plain", False)):
        body = {"file": str(bar_file(folder, stress=stress)), "at": [0, 0, 0]}
        fx.run_model(with_mass(body, periods=0.6, step=PERIOD / 100), folder / f"{name}.h5").close()
    settings = {"analysis.end": "0.01"}
    fx.run_model(fx.read_model(EXAMPLES / "01_double_pendulum.toml", settings), folder / "rigid.h5").close()
    return folder


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def test_the_report(capsys: Capture) -> None:
    assert main(["stress", "beam.h5", "--sn", LINE]) == 0
    text = capsys.readouterr().out
    assert "cantilever: stress" in text and "321 rows, t = 0 to " in text
    assert f"bar: largest von Mises stress {1e-6 * bending(0.0):.5g}" in text
    row = next(line.split() for line in text.splitlines() if line.split()[:1] == ["1"])
    assert row[:4] == ["1", "0,", "6,", "4"], "the tension side first"
    assert "S-N line                  sigma_a = 40 MPa, N = 1e+06, k = 5" in text
    assert "ASTM E1049" in text and "runs to 1" in text
    assert max(map(len, text.splitlines())) <= 120


def test_all_files_and_json(capsys: Capture, folder: Path) -> None:
    files = ["-o", "a.png", "-o", "a.vtu", "-o", "a.csv"]
    assert main(["stress", "mesh.h5", "--spots", "3", "--by", "principal", "--json", *files]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["command"] == "stress" and document["by"] == "principal" and document["sn"] is None
    assert document["files"] == ["a.png", "a.vtu", "a.csv"] and all(
        (folder / name).is_file() for name in document["files"]
    )
    with fx.Result(folder / "mesh.h5") as result:
        found = result.stress(spots=3, by="principal")
    (body,) = document["bodies"]
    assert [spot["node"] for spot in body["spots"]] == [spot.node for spot in found.spots]
    assert body["spots"][0]["principal"] == found.spots[0].principal
    assert [one["code"] for one in document["warnings"]] == [one.code for one in found.warnings]


def test_strict_counts_warnings(capsys: Capture) -> None:
    assert main(["stress", "mesh.h5", "--strict"]) == 1
    assert "--strict: exit code 1" in capsys.readouterr().err
    assert main(["stress", "beam.h5", "--strict"]) == 0


def test_a_static_result_has_stress_but_no_cycles(capsys: Capture, folder: Path) -> None:
    fx.run_model(with_mass(beam(shapes=SHAPES), type="static"), folder / "static.h5").close()
    assert main(["stress", "static.h5"]) == 0
    assert f"stress {0.5e-6 * bending(0.0):.4g}" in capsys.readouterr().out
    assert main(["stress", "static.h5", "--sn", LINE]) == 2
    assert "--sn: one row has no cycles to count" in capsys.readouterr().err


def test_an_old_result_without_rates_and_of_a_run_that_was_killed(capsys: Capture, folder: Path) -> None:
    """Elastic positions are enough; the report says that the run has not finished."""
    with fx.Result(folder / "beam.h5") as result:
        kept = ("time", "bodies/bar/position", "bodies/bar/quaternion", "bodies/bar/elastic_position")
        series = {path: (result.channels[path].unit, np.asarray(result[path])) for path in kept}
        old = made_result(folder / "old.h5", series, result.settings, text=result.model_text, outcome="interrupted")
        old.close()
    assert main(["stress", "old.h5"]) == 0
    text = capsys.readouterr().out
    assert f"stress {1e-6 * bending(0.0):.5g}" in text and "The run has not finished (interrupted)" in text


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (["none.h5"], ["There is no result file 'none.h5'"]),
        (["rigid.h5"], ["The model has no flexible body, so there is no stress."]),
        (["rigid.h5", "--body", "bar"], ["--body: 'bar' is not a flexible body of the result. The model has none."]),
        (["plain.h5"], ["Body 'bar' has no stress: ", "'flexmb reduce ... --stress'", "stress = true"]),
        (
            ["beam.h5", "--body", "baar", "--body", "weight"],
            ["'baar' is not", "Did you mean 'bar'?", "'weight' is not"],
        ),
        (["beam.h5", "--from", "7 s"], ["there are no rows from t = 7 to "]),
        (["beam.h5", "--from", "10 ms", "--to", "5 ms"], ["--to: the end at 0.005 s is not after the start at 0.01 s"]),
        (
            ["beam.h5", "--from", "x", "--apart", "3 kg", "-o", "a.txt"],
            ["--from x", "--apart 3 kg", "must end in .png"],
        ),
        (["beam.h5", "--spots", "0", "--apart", "-1"], ["--spots: 0 hot spots", "--apart: the distance"]),
        (["beam.h5", "--by", "tresca"], ['"von-mises", "principal"']),
        (["beam.h5", "--sn", "k"], ["--sn: 'k' is not of the form", "sigma_a and N and k are missing"]),
        (["beam.h5", "--bodies", "nowhere"], ["--bodies: there is no folder 'nowhere'"]),
        (["bar_linear_True.h5"], ["is a body file, not a result file"]),
        (["beam.h5", "-o", "no/a.png"], ["there is no folder 'no'"]),
    ],
)
def test_bad_inputs(words: list[str], messages: list[str], capsys: Capture) -> None:
    assert main(["stress", *words]) == 2
    text = capsys.readouterr().err
    assert all(message in text for message in messages), text
    assert "Traceback" not in text and "internal error" not in text


def test_no_hot_spot_is_said(folder: Path) -> None:
    with fx.Result(folder / "mesh.h5") as result:
        text = stress_report(result.stress(off_ties=True, apart=1.0))
    assert "no hot spot: there is no stress, or all of it is near interfaces" in text
