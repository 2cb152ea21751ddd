"""What a stranger types on the command line: wrong files, wrong targets, empty models; one message, exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from flexmb.results.result_file import Result
from tests.support.command_line import MODEL, Capture, call, folder, refused, write_result

__all__ = ["folder"]  # a fixture
ACTUATOR = '[forces.motor]\ntype = "actuator"\njoint = "pivot"\neffort = "{}"\n'


def test_result_given_as_a_model(folder: Path, capsys: Capture) -> None:
    write_result(folder / "out.h5")
    for verb in ("run", "check"):
        assert "out.h5: this is a result or body file; give a model file (.toml)" in refused(capsys, verb, "out.h5")


def test_a_model_given_as_a_result(folder: Path, capsys: Capture) -> None:
    Path("lift.toml").write_text("[model]")
    for verb in (("plot",), ("report",), ("export", "--csv")):
        assert "run it: flexmb run lift.toml" in refused(capsys, *verb, "lift.toml")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("lift.toml", "run"), "The command comes first: 'flexmb run lift.toml'"),
        (("lift.h5",), "'flexmb plot lift.h5'"),
        (("run",), "See 'flexmb run --help'."),
        (("mesh", "inf", "x.msh"), "See 'flexmb mesh --help'."),
        (("bogus",), "See 'flexmb --help'."),
    ],
)
def test_words_that_no_verb_understands(capsys: Capture, words: tuple[str, ...], told: str) -> None:
    assert told in refused(capsys, *words)


def test_a_sensor_of_a_whole_vector_is_in_the_report(folder: Path, capsys: Capture) -> None:
    Path("m.toml").write_text(MODEL + '[sensors.place]\nmarker = "rod"\nquantity = "velocity"\n')
    code, out, _ = call(capsys, "run", "m.toml")
    rows = [line.split() for line in out.splitlines() if line.strip().startswith("place.")]
    assert code == 0 and [(row[0], row[-1]) for row in rows] == [(f"place.{letter}", "m/s") for letter in "xyz"]


def test_binary_file(folder: Path, capsys: Capture) -> None:
    (folder / "noise.toml").write_bytes(bytes(range(256)))
    assert refused(capsys, "run", "noise.toml") == (
        "noise.toml:2: the file is not UTF-8 text.\n1 problem; nothing was run.\n"
    )


@pytest.mark.parametrize("text", ["", "[analysis]\nend = 1\nstep = 0.1\n"], ids=["empty", "no bodies"])
def test_model_without_bodies(folder: Path, capsys: Capture, text: str) -> None:
    (folder / "empty.toml").write_text(text)
    assert "the model has no bodies. Add [bodies.NAME]" in refused(capsys, "check", "empty.toml")
    assert refused(capsys, "run", "empty.toml")


def test_export_overwrites_tables_only(folder: Path, capsys: Capture) -> None:
    write_result(folder / "out.h5")
    for name in ("pendulum.toml", "out.h5"):
        before = (folder / name).read_bytes()
        assert "does not end in .csv: it is not overwritten" in refused(capsys, "export", "out.h5", "--csv", name)
        assert (folder / name).read_bytes() == before
    assert "there is no folder 'no'" in refused(capsys, "export", "out.h5", "--csv", "no/out.csv")
    for _ in range(2):
        assert call(capsys, "export", "out.h5", "--csv", "out.csv")[0] == 0


@pytest.mark.parametrize(
    ("effort", "reason"),
    [("1/t", "division by zero"), ("log(t)*tip_height", "log(0) is not a finite number"), ("0.1^(-400 - t)", "finite")],
)
def test_expression_without_a_value_at_the_start(folder: Path, capsys: Capture, effort: str, reason: str) -> None:
    (folder / "bad.toml").write_text(MODEL + ACTUATOR.format(effort))
    message = refused(capsys, "run", "bad.toml")
    assert f"'{effort}' has no value at t = 0" in message and reason in message and "bad.toml:" in message


@pytest.mark.parametrize("key", ["analysis.step", "analysis.max_step", "output.every"])
def test_more_steps_than_anybody_waits_for(folder: Path, capsys: Capture, key: str) -> None:
    assert "needs more than 1e+12 steps until t = 1 s" in refused(
        capsys, "run", "pendulum.toml", "--set", f"{key}=1e-13"
    )


def test_body_without_joints_is_exported_and_drawn(folder: Path, capsys: Capture) -> None:
    """Neither sensors nor joint coordinates: the poses of the bodies are what there is to see."""
    body = '[bodies."größe"]\nmass = 1\ninertia = [1, 1, 1]\nvelocity = [1, 0, 0]\n'
    (folder / "free body.toml").write_text(f"{body}[analysis]\nend = 1\nstep = 0.1\n")
    assert call(capsys, "run", "free body.toml", "--quiet") == (0, "", "")
    assert call(capsys, "export", "free body.h5", "--csv")[0] == 0
    header, *_, last = (folder / "free body.csv").read_text().splitlines()
    columns = [f"größe.position.{axis} [m]" for axis in "xyz"] + [f"größe.quaternion.{axis} [1]" for axis in "wxyz"]
    assert header.split(",") == ["time [s]", *columns]
    assert [float(number) for number in last.split(",")] == pytest.approx([1, 1, 0, 0, 1, 0, 0, 0])
    assert call(capsys, "plot", "free body.h5")[0] == 0
    with Result("free body.h5") as result:
        info = result.channels["coordinates/q"]
        assert info.columns[:4] == ("größe.x", "größe.y", "größe.z", "größe.qw")
        assert info.units == ("m", "m", "m", "1", "1", "1", "1")


def test_methods_are_compared_from_the_command_line(folder: Path, capsys: Capture) -> None:
    (folder / "p.toml").write_text(MODEL + "rho = 0.9\n")
    for method in ("hht", "rk4"):
        code, out, err = call(
            capsys, "run", "p.toml", "--set", f"analysis.method={method}", "--set", "analysis.end=0.1"
        )
        assert (code, err) == (0, "") and method in out
    code, out, err = call(capsys, "run", "p.toml", "--set", "analysis.tolerance=1e-6")
    assert (code, err) == (0, "") and "error-controlled step" in out


def test_check_shows_positions_of_absolute_coordinates(folder: Path, capsys: Capture) -> None:
    model = MODEL.replace('at = [0, 0, 0]\naxis = "y"', 'at = [0, 0, 0]\naxis = "y"\nposition = "30 deg"')
    (folder / "p.toml").write_text(model.replace("[bodies.rod]", "[bodies.rod]\nat = [0, 0, 0]"))
    code, out, _ = call(capsys, "check", "p.toml", "--set", "coordinates.default=absolute", "--graph")
    assert code == 0
    assert "rod.x                                  0               0  m, m/s" in out
    assert "body rod (body)" in out and "pivot (joint, 5 equations)" in out
    code, out, _ = call(capsys, "check", "p.toml")
    assert "1 coordinate, 0 constraint rows" in out and "0.523599" in out
