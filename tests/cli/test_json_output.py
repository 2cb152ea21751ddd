"""Reports as JSON and warnings as exit codes: `--json` and `--strict` of every verb that has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.bodies.body_file import write_body
from flexmb.cli.json_output import exit_code, plain_values
from flexmb.cli.plain_output import PlainOutput
from flexmb.results.result_file import Result
from flexmb.warning import WarningRecord
from tests.support.command_line import Capture, call, folder
from tests.support.reduced_meshes import reduced

__all__ = ["folder"]
MESH = """*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
11, 5, 0, 0
12, 6, 0, 0
13, 5, 1, 0
14, 5, 0, 1
*ELEMENT, TYPE=C3D4, ELSET=all
1, 1, 2, 3, 4
2, 11, 12, 13, 14
"""


def document(capsys: Capture, *words: str, code: int = 0) -> dict[str, Any]:
    """The only thing that a command prints."""
    found, out, err = call(capsys, *words)
    assert found == code, err
    assert (err == "") is (code == 0)
    values = json.loads(out)
    assert values["command"] in " ".join(words) and "flexmb" in values
    return values


def test_json_is_plain_whatever_the_values() -> None:
    values = {"a": np.arange(2), "b": (np.float64("nan"), float("inf"), 1.5), 3: {"c": None, "d": True}, "e": Path("x")}
    found = {"a": [0, 1], "b": [None, None, 1.5], "3": {"c": None, "d": True}, "e": "x"}
    assert plain_values(values) == found and json.loads(json.dumps(plain_values(values), allow_nan=False)) == found


def test_strict_counts_warnings_and_names_their_codes(capsys: Capture) -> None:
    two = [WarningRecord("large-turn", "a"), WarningRecord("large-turn", "b")]
    assert (exit_code(two, False), exit_code([], True), exit_code(two, True)) == (0, 0, 1)
    assert capsys.readouterr().err == "flexmb: 2 warnings, --strict: exit code 1 (large-turn)\n"


def test_run(folder: Path, capsys: Capture) -> None:
    found = document(capsys, "run", "pendulum.toml", "--json", "--strict")
    assert found["outcome"] == "finished" and found["rows"] == 101 and found["warnings"] == []
    assert found["summary"]["t_reached"] == 1.0 and found["sensors"]["tip_height"]["unit"] == "m"
    assert found["sensors"]["tip_height"]["low"] == pytest.approx(-1.0, abs=1e-3)
    with Result("pendulum.h5") as result:
        assert found["peaks"] == [peak.as_dict() for peak in result.peaks]
    force, moment = found["peaks"]
    assert (force["quantity"], force["place"], force["unit"]) == ("reaction force", "joints.pivot", "N")
    assert force["value"] == pytest.approx(np.abs(result_force()).max(), rel=1e-12)
    assert moment["quantity"] == "reaction moment"


def result_force() -> np.ndarray:
    with Result("pendulum.h5") as result:
        return np.linalg.norm(result["joints/pivot/force"], axis=1)


def test_a_run_with_warnings_is_written_and_ends_with_1_if_strict(folder: Path, capsys: Capture) -> None:
    rough = ("--set", "analysis.step=0.2")
    found = document(capsys, "run", "pendulum.toml", *rough, "--json")
    assert {"energy-balance", "large-turn"} & {warning["code"] for warning in found["warnings"]}
    Path("pendulum.h5").unlink()
    code, out, err = call(capsys, "run", "pendulum.toml", *rough, "--strict")
    n = len(found["warnings"])
    assert code == 1 and out.count("WARNING") == n and f"{n} warning" in err and "--strict" in err
    with Result("pendulum.h5") as result:
        assert result.outcome == "finished" and [one.as_dict() for one in result.warnings] == found["warnings"]


def test_errors_are_documents_too(folder: Path, capsys: Capture) -> None:
    code, out, err = call(
        capsys, "run", "pendulum.toml", "--set", "analysis.end=-1", "--set", "analysis.step=-1", "--json"
    )
    found = json.loads(out)
    assert code == 2 and found["outcome"] == "rejected" and len(found["faults"]) == 2 and "2 problems" in err
    assert {fault["place"] for fault in found["faults"]} == {"analysis.end", "analysis.step"}
    text = (folder / "pendulum.toml").read_text()
    wild = '[forces.wild]\ntype = "actuator"\njoint = "pivot"\neffort = "sqrt(0.5 - t)"\n'
    (folder / "wild.toml").write_text(text + wild)
    code, out, _ = call(capsys, "run", "wild.toml", "--json")
    found = json.loads(out)
    assert code == 1 and found["outcome"] == "failed" and "'wild'" in found["error"]
    assert found["t_reached"] == pytest.approx(0.5, abs=0.02)


def test_a_hint_lists_every_name_once(folder: Path, capsys: Capture) -> None:
    text = (folder / "pendulum.toml").read_text().replace('bodies = ["ground", "rod"]', 'bodies = ["ground", "xyz"]')
    (folder / "wrong.toml").write_text(text + "[bodies.ground]\nmass = 1\ninertia = [1, 1, 1]\n")
    code, _, err = call(capsys, "check", "wrong.toml")
    assert code == 2 and "Bodies: rod, ground." in err and "'ground' is reserved" in err


def test_check(folder: Path, capsys: Capture) -> None:
    found = document(capsys, "check", "pendulum.toml", "--json", "--strict")
    assert (found["degrees_of_freedom"], found["bodies"], found["redundant"], found["warnings"]) == (1, 1, [], [])


def test_modes_away_from_an_equilibrium(folder: Path, capsys: Capture) -> None:
    found = document(capsys, "modes", "pendulum.toml", "--json", "--strict", code=1)
    assert [warning["code"] for warning in found["warnings"]] == ["not-steady"]
    assert found["warnings"][0]["place"] == "coordinates.pivot.angle" and found["warnings"][0]["time"] == 0.0
    found = document(capsys, "modes", "pendulum.toml", "--about", "static", "--json", "--strict")
    (mode,) = found["modes"]
    inertia = 0.1 + 0.25  # about the pivot
    assert mode["frequency"] == pytest.approx((9.81 * 0.5 / inertia) ** 0.5 / (2.0 * np.pi), rel=1e-6)
    sweep = document(capsys, "modes", "pendulum.toml", "--over", "length=1:2:3", "--about", "static", "--json")
    assert sweep["values"] == [1.0, 1.5, 2.0] and np.shape(sweep["frequencies"]) == (3, 1) and sweep["warnings"] == []
    code, out, err = call(capsys, "modes", "pendulum.toml", "--over", "length=1:2:3", "--strict")
    assert code == 1 and "and 2 more like it" in " ".join(out.split()) and "3 warnings, --strict" in err


def test_modes_that_grow(folder: Path, capsys: Capture) -> None:
    text = (
        (folder / "pendulum.toml").read_text().replace("-9.81", "9.81").replace('axis = "y"', 'axis = "y"\nposition = ')
    )
    (folder / "upright.toml").write_text(text.replace("position = ", 'position = "90 deg"'))
    found = document(capsys, "modes", "upright.toml", "--json")
    warning = {one["code"]: one for one in found["warnings"]}["unstable-modes"]
    assert warning["value"] == pytest.approx((9.81 * 0.5 / 0.35) ** 0.5, rel=1e-6) and warning["unit"] == "1/s"


FOUR_BAR = """
[model]
name = "four-bar"
[bodies]
a = { mass = 1, rod = [[0, 0, 0], [0, 1, 0]] }
b = { mass = 1, rod = [[0, 1, 0], [2, 1.5, 0]] }
c = { mass = 1, rod = [[2, 1.5, 0], [2, 0, 0]] }
[joints]
A = { type = "revolute", bodies = ["ground", "a"], at = [0, 0, 0], axis = "z" }
B = { type = "revolute", bodies = ["a", "b"], at = [0, 1, 0], axis = "z" }
C = { type = "revolute", bodies = ["b", "c"], at = [2, 1.5, 0], axis = "z" }
D = { type = "revolute", bodies = ["ground", "c"], at = [2, 0, 0], axis = "z" }
[motions.drive]
joint = "A"
rate = 1
[analysis]
end = 0.5
step = 0.01
"""


def test_inverse_dynamics_of_a_redundant_mechanism(folder: Path, capsys: Capture) -> None:
    (folder / "bar.toml").write_text(FOUR_BAR)
    found = document(capsys, "inverse", "bar.toml", "-o", "out.h5", "--verify", "--json", "--strict", code=1)
    (warning,) = found["warnings"]
    assert (warning["code"], warning["value"]) == ("reactions-not-unique", 3.0) and "joints.A" in warning["place"]
    assert found["drives"][0]["name"] == "drive" and found["forward_check"]["distance"]["b"] < 1e-4
    efforts = [peak for peak in found["peaks"] if peak["quantity"] == "drive effort"]
    assert [peak["place"] for peak in efforts] == ["motions.drive"]
    with Result("out.h5") as result:
        assert [one.as_dict() for one in result.warnings] == found["warnings"], "in the file, too"
    code, out, err = call(capsys, "inverse", "bar.toml", "-o", "out.h5", "--strict")
    assert code == 1 and "not unique" in out and "1 warning, --strict" in err


def test_meshes_and_bodies(folder: Path, capsys: Capture) -> None:
    (folder / "two.inp").write_text(MESH)
    found = document(capsys, "mesh", "info", "two.inp", "--unit", "m", "--json", "--strict", code=1)
    assert found["volume"] == pytest.approx(1.0 / 3.0) and found["cells"] == {"tet4": 2}
    assert [(one["code"], one["value"]) for one in found["warnings"]] == [("separate-parts", 2.0)]
    body = reduced()
    write_body(body, folder / "box.h5")
    found = document(capsys, "body", "info", "box.h5", "--json")
    assert found["report"]["verdict"] == body.report["verdict"]
    assert len(found["warnings"]) == len(body.warnings) and len(found["coordinates"]) == body.n_modes


def test_the_stream_behind_the_output_tells_whether_it_is_closed(tmp_path: Path) -> None:
    """Libraries keep the stream until the program ends and then ask it, as colorama does."""
    with (tmp_path / "out.txt").open("w") as file:
        stream = PlainOutput(file)
        assert not stream.closed
    assert stream.closed
