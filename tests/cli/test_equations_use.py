"""flexmb equations in the hands of a new user: files that are not ours, odd names, models without equations."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from flexmb.model.model_file import read_model
from tests.support.command_line import call, chain, folder
from tests.support.places import EXAMPLES
from tests.support.symbolic_numbers import NumericCore

__all__ = ["folder"]
CRANE = str(EXAMPLES / "06_equations_crane.toml")
PENDULUM = """[model]
name = "NAME"
[symbols]
SYMBOL = 1.5
[bodies.bob]
mass = 2
inertia = [0, 0, "$SYMBOL^3"]
[joints.pivot]
type = "revolute"
bodies = ["ground", "bob"]
at = [0, 0, 0]
axis = "z"
[analysis]
end = 1
step = 0.01
"""


def model(folder: Path, name: str = "pendulum", symbol: str = "j") -> str:
    (folder / "own.toml").write_text(PENDULUM.replace("NAME", name).replace("SYMBOL", symbol))
    return "own.toml"


@pytest.mark.parametrize(
    ("name", "text", "option"),
    [
        ("thesis.tex", "\\documentclass[a4paper]{article}\nmy thesis\n", "--latex"),
        ("notes.txt", "Notes: equations of motion of my own\n", "-o"),
        ("notes.txt", "x\nCrane: equations of motion, augmented form\n====\n", "-o"),
    ],
)
def test_files_of_the_user_stay(
    name: str, text: str, option: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / name).write_text(text)
    code, out, err = call(capsys, "equations", CRANE, option, name)
    assert (code, out) == (2, "") and "not written by flexmb" in err
    assert (folder / name).read_text() == text


@pytest.mark.parametrize("words", [("-o", "own.txt"), ("--latex", "own.tex"), ("-o", "own.txt", "--steps")])
def test_own_files_may_be_written_again(
    words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert call(capsys, "equations", CRANE, *words)[0] == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_refused_and_not_waited_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(folder / "pipe.txt")
    code, _, err = call(capsys, "equations", CRANE, "-o", "pipe.txt")
    assert code == 2 and "pipe.txt" in err


def test_a_folder_is_written_as_a_whole_or_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "code").mkdir()
    (folder / "code" / "overhead_crane.c").symlink_to(folder / "elsewhere.c")  # leads out of the folder
    code, _, err = call(capsys, "equations", CRANE, "--code", "c", "-o", "code")
    assert code == 2 and "overhead_crane.c" in err and not (folder / "elsewhere.c").exists()
    assert [path.name for path in (folder / "code").iterdir()] == ["overhead_crane.c"]
    (folder / "file").write_text("")
    code, _, err = call(capsys, "equations", CRANE, "--code", "c", "-o", "file/code")
    assert code == 2 and "Cannot write" in err


def test_a_failed_write_leaves_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path.write_text

    def full(self: Path, text: str, **options: str) -> int:
        if "README" in self.name:
            raise OSError(28, "No space left on device")
        return whole(self, text, **options)

    monkeypatch.setattr(Path, "write_text", full)
    code, _, err = call(capsys, "equations", CRANE, "--code", "c", "-o", "new/code")
    assert code == 2 and "No space left" in err and not (folder / "new").exists()


@pytest.mark.parametrize("name", ["Platform", "copy", "Types", "numbers"])
def test_a_module_hides_none_of_python(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """platform.py beside the example would be taken for the one that NumPy imports."""
    code, _, _ = call(capsys, "equations", model(folder, name), "--code", "numpy", "-o", "code")
    assert code == 0 and (folder / "code" / f"model_{name.lower()}.py").exists()
    made = subprocess.run([sys.executable, "example.py"], cwd=folder / "code", capture_output=True, text=True)
    assert made.returncode == 0 and "3.375" in made.stdout


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_symbol_that_is_a_function_of_c(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, _ = call(capsys, "equations", model(folder, symbol="pow"), "--code", "c", "-o", "code")
    assert code == 0
    subprocess.run(["cc", "example.c", "pendulum.c", "-o", "example", "-lm"], cwd=folder / "code", check=True)
    made = subprocess.run(["./example"], cwd=folder / "code", capture_output=True, text=True)
    assert made.stdout.split()[:2] == ["M", "3.375"]


@pytest.mark.parametrize("words", [(), ("--code", "c", "-o", "code"), ("--steps",)])
def test_a_model_without_bodies(words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "none.toml").write_text('[model]\nname = "none"\n[analysis]\nend = 1\nstep = 0.1\n')
    code, out, err = call(capsys, "equations", "none.toml", *words)
    assert (code, out) == (2, "") and "no bodies" in err and not (folder / "code").exists()


@pytest.mark.long
def test_steps_of_a_long_model_end_soon(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Four universal joints: expressions of ten thousands of operations are named too long, not printed."""
    lines = ["[model]", 'name = "chain"', "gravity = [0, -9.81, 0]", "[symbols]"]
    lines += [f'{letter}{k} = "?"' for k in range(4) for letter in "ml"]
    for k in range(4):
        ends = [f'"-(0{"".join(f"+$l{i}" for i in range(n))})"' for n in (k, k + 1)]
        lines += [f"[bodies.b{k}]", f'mass = "$m{k}"', f"rod = [[0, {ends[0]}, 0], [0, {ends[1]}, 0]]"]
        lines += [f"[joints.j{k}]", 'type = "universal"', f'bodies = ["{f"b{k - 1}" if k else "ground"}", "b{k}"]']
        lines += [f"at = [0, {ends[0]}, 0]", 'axes = ["x", "y"]']
    (folder / "chain.toml").write_text("\n".join([*lines, "[analysis]", "end = 1", "step = 0.01", ""]))
    begin = time.perf_counter()
    code, out, _ = call(capsys, "equations", "chain.toml", "--steps")
    assert code == 0 and "too long to print" in out and max(map(len, out.splitlines())) < 5000
    assert time.perf_counter() - begin < 30


def worst_difference(text: str, folder: Path) -> float:
    """Of symbols and numbers at a random state."""
    (folder / "own.toml").write_text(text)
    core = NumericCore(read_model(folder / "own.toml", {}))
    equations = core.symbols()
    names = [s.name for s in (*equations.q, *equations.v, *equations.a, *equations.lam)]
    assert len(set(names)) == len(names) and not set(names) & {*equations.mechanism.symbols}
    core.random_state(np.random.default_rng(1))
    return core.at_state(equations).difference(core.values())


def test_names_that_are_those_of_rates(folder: Path) -> None:
    """A joint x_dot before a joint x, whose rate would have its name; a symbol x_dot of a model with a joint x."""
    second = '[bodies.b2]\nmass = 1\ninertia = [0, 0, 1]\nat = [0, -3, 0]\n[joints.x]\ntype = "revolute"\n'
    second += 'bodies = ["bob", "b2"]\nat = [0, -2, 0]\naxis = "z"\n[analysis]'
    text = PENDULUM.replace("SYMBOL", "j")
    text = text.replace("joints.pivot", "joints.x_dot").replace("[analysis]", second)
    assert worst_difference(text, folder) < 1e-12
    assert worst_difference(PENDULUM.replace("SYMBOL", "x_dot").replace("joints.pivot", "joints.x"), folder) < 1e-12


def test_a_coordinate_with_the_name_of_a_multiplier(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (EXAMPLES / "02_planar_slider_crank.toml").read_text().replace("alpha1", "lambda_1")
    assert worst_difference(text, folder) < 1e-12
    _, out, _ = call(capsys, "equations", "own.toml")
    assert "lambda = (lambda__1)" in out and "cos(alpha2 + lambda_1)*lambda__1" in out


def test_a_symbol_with_the_name_of_an_entry(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "equations", model(folder, symbol="J_1_1"))
    assert "M[1,1] = J_1_1^3" in out


def test_latex_says_what_stays_constant(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, "equations", CRANE, "--latex", "crane.tex")
    assert r"\qquad \text{(constant: cyclic coordinate)}" in (folder / "crane.tex").read_text()
    call(capsys, "equations", str(EXAMPLES / "02_planar_slider_crank.toml"), "--latex", "crank.tex")
    assert r"\qquad \text{(slider: offset along y)}" in (folder / "crank.tex").read_text()


def test_code_of_a_very_long_chain(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "equations", chain(folder / "chain.toml", 51), "--code", "c", "-o", "code")
    assert (code, out) == (2, "") and "51 bodies" in err and not (folder / "code").exists()


def test_natural_coordinates_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "equations", "pendulum.toml", "--set", "coordinates.default=natural")
    assert (code, out) == (2, "") and "not natural ones" in err
