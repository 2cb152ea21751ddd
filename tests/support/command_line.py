"""A pendulum file in a folder of its own, calls of the command line, and a result made without computing."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from flexmb.cli import main
from flexmb.results.result_creation import RunIdentity
from flexmb.results.result_writer import ResultWriter

Capture = pytest.CaptureFixture[str]
MODEL = """
[model]
name = "pendulum"
gravity = [0, 0, -9.81]
[parameters]
length = 1
[bodies.rod]
mass = 1
inertia = [0.01, 0.1, 0.1]
center = ["$length/2", 0, 0]
markers.tip = { at = ["$length", 0, 0] }
[joints.pivot]
type = "revolute"
bodies = ["ground", "rod"]
at = [0, 0, 0]
axis = "y"
[sensors.tip_height]
marker = "rod.tip"
component = "z"
[analysis]
end = 1
step = 0.01
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model file in it, which is the present one."""
    (tmp_path / "pendulum.toml").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def write_result(path: Path) -> None:
    """A result with a sensor, joints and energies, made without any computation."""
    wanted = [("time", "s", ()), ("joints/pivot/position", "rad", ()), ("joints/pivot/force", "N", (3,))]
    wanted += [(f"energy/{name}", "J", ()) for name in ("kinetic", "potential", "work/total")]
    wanted += [("sensors/tip_height", "m", ())]
    channels, start = [], 0
    for name, unit, shape in wanted:
        columns = ("angle",) if name == "joints/pivot/position" else ()
        channels.append(SimpleNamespace(path=name, unit=unit, start=start, shape=shape, text=name, columns=columns))
        start += int(np.prod(shape))
    times = np.linspace(0.0, 2.0, 301)
    rows = np.sin(times[:, None] * np.arange(1, start + 1) / 3.0)
    rows[:, 0] = times
    with ResultWriter(path, SimpleNamespace(channels=channels), RunIdentity("pendulum", "", {})) as writer:
        writer.write(rows, np.zeros(2))
        writer.finish("finished", "report")


def chain(path: Path, n: int) -> str:
    """A model file with n bars in a row."""
    lines = ["[model]", 'name = "chain"', "gravity = [0, -9.81, 0]"]
    for k in range(n):
        lines += [f"[bodies.b{k}]", "mass = 1", f"rod = [[0, {-k}, 0], [0, {-k - 1}, 0]]"]
        before = f"b{k - 1}" if k else "ground"
        lines += [f"[joints.j{k}]", 'type = "revolute"', f'bodies = ["{before}", "b{k}"]', f"at = [0, {-k}, 0]"]
        lines += ['axis = "z"']
    path.write_text("\n".join([*lines, "[analysis]", "end = 1", "step = 0.01", ""]))
    return str(path)


def refused(capsys: Capture, *words: str) -> str:
    """The message of a command that must be refused."""
    code, out, err = call(capsys, *words)
    assert (code, out) == (2, "")
    assert "Traceback" not in err and "internal error" not in err
    return err
