"""flexmb modes: the table, the files, Campbell diagrams, frequency responses and wrong words.

Covers: cli.modes_files, cli.settings.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import loadmat

from tests.support.command_line import call, folder

__all__ = ["folder"]
Capture = pytest.CaptureFixture[str]

OSCILLATOR = """
[model]
name = "oscillator"
gravity = [0, 0, -9.81]
[parameters]
stiffness = 48
[bodies.mass]
mass = 3
inertia = [1, 1, 1]
[joints.slide]
type = "prismatic"
bodies = ["ground", "mass"]
at = [0, 0, 0]
axis = "z"
[forces.spring]
type = "joint-spring"
joint = "slide"
stiffness = "$stiffness"
damping = 4.8
[forces.push]
type = "actuator"
joint = "slide"
effort = 0
[sensors.place]
joint = "slide"
[sensors.speed]
joint = "slide"
quantity = "velocity"
[analysis]
end = 1
step = 0.01
"""
RATIO = 4.8 / (2 * np.sqrt(48.0 * 3.0))


def close(got: Any, want: Any, **tolerances: Any) -> None:
    np.testing.assert_allclose(got, want, **tolerances)


@pytest.fixture
def oscillator(folder: Path) -> Path:
    path = folder / "oscillator.toml"
    path.write_text(OSCILLATOR)
    return path


def test_table_about_start_and_equilibrium(oscillator: Path, capsys: Capture) -> None:
    code, out, err = call(capsys, "modes", "oscillator.toml", "--about", "static")
    assert (code, err) == (0, "")
    assert "the static equilibrium" in out and "WARNING" not in out
    number, frequency, ratio, decay, *_ = out.splitlines()[-1].split()
    assert number == "1"
    assert float(frequency) == pytest.approx(4 * np.sqrt(1 - RATIO**2) / (2 * np.pi), rel=1e-5)
    assert float(ratio) == pytest.approx(RATIO, rel=1e-4)
    assert float(decay) == pytest.approx(4.8 / 6.0, rel=1e-4)
    assert out.splitlines()[-1].endswith("slide.slide; mass 100 %")
    code, out, _ = call(capsys, "modes", "oscillator.toml")
    assert code == 0 and "neither an equilibrium nor a steady motion" in out


def test_free_and_unstable_motions_are_told(folder: Path, capsys: Capture) -> None:
    code, out, _ = call(capsys, "modes", "pendulum.toml", "--set", "model.gravity=[0,0,0]")
    assert code == 0 and "nothing resists pivot.angle" in out and "no modes" in out
    code, out, _ = call(capsys, "modes", "pendulum.toml", "--set", "model.gravity=[-9.81,0,0]")
    assert code == 0 and "1 of 2 modes grow" in out


def test_files(oscillator: Path, capsys: Capture) -> None:
    files = ["m.npz", "m.mat", "m.csv"]
    code, out, err = call(
        capsys, "modes", "oscillator.toml", "--about", "static", *(w for f in files for w in ("-o", f))
    )
    assert (code, err) == (0, "") and out.splitlines()[-3:] == files
    with np.load("m.npz") as arrays:
        close(arrays["A"], [[0, 1], [-16, -1.6]], atol=1e-9)
        close(arrays["B"], [[0], [1 / 3]], atol=1e-9)
        close(arrays["C"], np.eye(2), atol=1e-9)
        close(arrays["stiffness"], [[48]], atol=1e-7)
        assert arrays["states"].tolist() == ["slide.slide", "slide.slide.rate"]
        assert arrays["inputs"].tolist() == ["push"] and arrays["outputs"].tolist() == ["place", "speed"]
        close(arrays["eigenvalues"], [-0.8 + 1j * np.sqrt(16 - 0.64)], rtol=1e-9)
        matlab = loadmat("m.mat")
        for key in ("A", "B", "C", "D", "M", "damping", "stiffness"):
            assert np.array_equal(matlab[key], arrays[key]), key
    assert [str(cell[0]) for cell in matlab["outputs"][:, 0]] == ["place", "speed"]
    with open("m.csv", newline="") as file:
        (row,) = csv.DictReader(file)
    assert float(row["damping ratio"]) == pytest.approx(RATIO, rel=1e-9) and row["share of mass"] == "1.0"


def test_about_a_row_of_a_result(folder: Path, capsys: Capture) -> None:
    assert call(capsys, "run", "pendulum.toml", "-o", "swing.h5", "--set", "analysis.end=0.2", "--quiet")[0] == 0
    code, out, err = call(capsys, "modes", "pendulum.toml", "--result", "swing.h5", "--time", "0.1")
    assert (code, err) == (0, "") and "row 10 of swing.h5, t = 0.1 s" in out and "neither" in out
    code, _, err = call(capsys, "modes", "pendulum.toml", "--result", "swing.h5", "--time", "0.3")
    assert code == 2 and "covers 0 s to 0.2 s" in err
    text = OSCILLATOR.replace('axis = "z"', "").replace('"prismatic"', '"spherical"')
    (folder / "other.toml").write_text(text.split("[forces.spring]")[0] + "[analysis]\nend = 1\nstep = 0.01\n")
    code, _, err = call(capsys, "modes", "other.toml", "--result", "swing.h5")
    assert code == 2 and "the result of another model" in err


def test_over_a_parameter(oscillator: Path, capsys: Capture) -> None:
    code, out, err = call(
        capsys, "modes", "oscillator.toml", "--over", "stiffness=12:192:3", "--about", "static",
        "-o", "over.csv", "-o", "over.png",
    )  # fmt: skip
    assert (code, err) == (0, "") and "WARNING" not in out
    want = [np.sqrt(k / 3 - 0.8**2) / (2 * np.pi) for k in (12, 102, 192)]
    printed = [line.split() for line in out.splitlines()[-5:-2]]
    close([[float(word) for word in words] for words in printed], np.column_stack([[12, 102, 192], want]), rtol=1e-5)
    table = np.loadtxt("over.csv", delimiter=",", skiprows=1)
    close(table[:, 1], want, rtol=1e-9)
    close(table[:, 2], [0.8 / np.sqrt(k / 3) for k in (12, 102, 192)], rtol=1e-9)
    assert Path("over.png").read_bytes().startswith(b"\x89PNG")


def test_frequency_response(oscillator: Path, capsys: Capture) -> None:
    code, out, err = call(
        capsys, "modes", "oscillator.toml", "--about", "static", "--frf", "push:place",
        "--frequencies", "0:2:201", "-o", "r.csv", "-o", "r.svg",
    )  # fmt: skip
    assert (code, err) == (0, "")
    table = np.loadtxt("r.csv", delimiter=",", skiprows=1)
    w = 2 * np.pi * table[:, 0]
    want = 1 / (48 - 3 * w**2 + 4.8j * w)
    close(table[:, 3] + 1j * table[:, 4], want, rtol=1e-8)
    close(table[:, 1], np.abs(want), rtol=1e-8)
    top = int(np.argmax(np.abs(want)))
    assert f"{np.abs(want)[top]:.6g} at {table[top, 0]:.6g} Hz" in out
    assert "<svg" in Path("r.svg").read_text()
    code, _, err = call(capsys, "modes", "oscillator.toml", "--frf", "pull:plaice", "--frequencies", "1:2:3")
    assert code == 2 and "no input 'pull'" in err and "Did you mean 'place'" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--time", "1"], "Add --result"),
        (["--most", "0"], "must be 1 or more"),
        (["-o", "m.txt"], "must end in"),
        (["-o", "nowhere/m.npz"], "no folder"),
        (["--result", "a.h5", "--about", "static"], "Give one of them"),
        (["--about", "end"], "end"),
        (["--over", "length"], "a name and values"),
        (["--over", "length=1:2"], "START:END:COUNT"),
        (["--over", "length=1:2:1"], "START:END:COUNT"),
        (["--over", "lenght=1:2:3"], "lenght"),
        (["--over", "length=1:2:3", "-o", "a.npz"], "must end in"),
        (["--over", "length=1:2:3", "--result", "a.h5"], "cannot be combined"),
        (["--frf", "a:b"], "go together"),
        (["--frf", "a", "--frequencies", "1:2:3"], "an input and a sensor"),
        (["--frf", "a:b", "--frequencies", "-1:2:3"], "numbers of 0 or more"),
    ],
)
def test_wrong_words(folder: Path, capsys: Capture, words: list[str], message: str) -> None:
    code, _, err = call(capsys, "modes", "pendulum.toml", *words)
    assert code == 2 and message in err


def test_numbers_of_the_table_file_are_those_of_the_text(folder: Path, capsys: Capture) -> None:
    """A free motion comes first and is not counted: mode 1 of text, file and animation is the same."""
    text = (
        OSCILLATOR
        + """
[bodies.coaster]
mass = 1
inertia = [1, 1, 1]
at = [1, 0, 0]
[joints.rail]
type = "prismatic"
bodies = ["ground", "coaster"]
at = [1, 0, 0]
axis = "x"
"""
    )
    (folder / "two.toml").write_text(text)
    code, out, _ = call(capsys, "modes", "two.toml", "--about", "start", "-o", "table.csv")
    assert code == 0 and "nothing resists rail.slide" in out
    with open("table.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = [int(row["mode"]) for row in rows]
    assert numbers == [0] * (len(rows) - 1) + [1] and float(rows[-1]["frequency [Hz]"]) > 0.0
