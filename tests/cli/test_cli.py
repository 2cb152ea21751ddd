"""The command line: exit codes, one clear message, and what the verbs write.

Covers: analyses.check, cli.check, cli.export, cli.plot, cli.progress, cli.run, cli.verbs, errors, reports.check_report,
results.channel_names, results.resuming.
"""

from __future__ import annotations

import csv
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from flexmb.analyses import judging
from flexmb.analyses import run as session
from flexmb.cli import main
from flexmb.cli.progress import ProgressLine, clock, progress_text
from flexmb.errors import ComputationError, InputError
from flexmb.model.model_file import read_model
from flexmb.results.channel_names import ChannelInfo, ChannelNames
from flexmb.results.result_file import Result
from flexmb.results.resuming import setting_differences
from flexmb.solvers.summary import RunSummary
from flexmb.system.build import build_system
from tests.support.command_line import MODEL, call, folder, write_result
from tests.support.places import ROOT

__all__ = ["folder"]  # a fixture


class FakeRun:
    """Stands for the compiled core: rows that are multiples of their time."""

    def __init__(self) -> None:
        self.stop_after: int | None = None
        self.failure = ""

    def prepare(self, model: object, sparse: bool = True) -> SimpleNamespace:
        system = build_system(model.spec)  # type: ignore[attr-defined]
        work = system.workspace()
        return SimpleNamespace(system=system, work=work, n_dof=1, balance=None, turbo=None, warnings=())

    def simulate(self, system, analysis, *, sink, progress, resume, every):  # type: ignore[no-untyped-def]
        last = system.channels[-1]
        n_out = last.start + max(1, sum(last.shape))
        first = 0 if resume is None else int(resume[0])
        blocks = 0
        for start in range(first, 101, 10):
            times = np.arange(start, min(start + 10, 101)) * analysis.step
            sink.write(times[:, None] * np.arange(1, n_out + 1), np.array([start + len(times), 0.5]))
            if progress is not None:
                progress(times[-1], analysis.end, start, 0)
            blocks += 1
            if blocks == self.stop_after:
                if self.failure:
                    raise ComputationError(self.failure)
                return self.summary("interrupted", times[-1])
        return self.summary("finished", 1.0)

    def summary(self, outcome: str, reached: float) -> RunSummary:
        counts = dict(steps=100, rejected=3, newton_iterations=210, factorisations=4)
        quality = dict(largest_constraint_error=1e-12, energy_error=1e-9, peak_energy=5.0)
        return RunSummary(outcome=outcome, method="rk4", **counts, **quality, wall_time=0.25, t_reached=reached)


@pytest.fixture
def fake_run(monkeypatch: pytest.MonkeyPatch) -> FakeRun:
    fake = FakeRun()
    monkeypatch.setattr(session, "prepare", fake.prepare)
    monkeypatch.setattr(session, "simulate", fake.simulate)
    monkeypatch.setattr(judging, "stability_warnings", lambda system, result: [])  # its programs are not compiled
    return fake


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "--help")
    assert code == 0
    assert all(verb in out for verb in ("run", "check", "export", "plot"))
    code, out, _ = call(capsys, "--version")
    assert (code, out.split()[0]) == (0, "flexmb")
    for verb in ("run", "check", "export", "plot"):
        assert call(capsys, verb, "--help")[0] == 0


def test_help_loads_nothing_heavy() -> None:
    script = "import sys; from flexmb.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    print(f"help in {time.perf_counter() - began:.2f} s")
    loaded = set(done.stderr.split())
    assert not loaded & {"numpy", "numba", "h5py", "scipy", "pydantic", "matplotlib"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rnu", "x.toml"], 'Did you mean "run"'),
        (["run"], "MODEL"),
        (["run", "pendulum.toml", "--oops"], "--oops"),
        (["run", "missing.toml"], "missing.toml"),
        (["check", "missing.toml"], "missing.toml"),
        (["run", "."], "folder"),
        (["run", "pendulum.toml", "--set", "length"], "--set name=value"),
        (["run", "pendulum.toml", "--set", "lenght=2"], "Did you mean 'length'"),
        (["run", "pendulum.toml", "-o", "nowhere/out.h5"], "there is no folder 'nowhere'"),
        (["run", "pendulum.toml", "-o", "pendulum.toml"], "not overwritten"),
        (["run", "pendulum.toml", "-o", "."], "it is a folder"),
        (["run", "pendulum.toml", "--resume"], "Nothing to resume"),
        (["export", "missing.h5", "--csv"], "There is no result file 'missing.h5'"),
        (["export", "pendulum.toml", "--csv"], "not in HDF5 format"),
        (["plot", "."], "is a folder"),
    ],
)
def test_wrong_input(
    folder: Path, fake_run: FakeRun, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    code, out, err = call(capsys, *words)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert not out
    assert list(folder.iterdir()) == [folder / "pendulum.toml"]


def test_misspelt_key_names_file_and_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.toml").write_text(MODEL.replace("mass = 1", "mas = 1"))
    code, _, err = call(capsys, "check", "bad.toml")
    assert code == 2
    assert "bad.toml:" in err and "mass" in err and "Traceback" not in err


def test_debug_shows_the_traceback(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "run", "missing.toml", "--debug")
    assert code == 2
    assert "Traceback" in err


def test_run_writes_result_and_report(folder: Path, fake_run: FakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "run", "pendulum.toml", "--set", "length=2")
    assert (code, err) == (0, "")
    for text in ("pendulum: run finished", "degrees of freedom        1", "100 (and 3 rejected)", "2.04 per step"):
        assert text in out
    assert "2.00e-10 of the peak energy 5 J" in out
    assert "tip_height" in out and "pendulum.h5 (101 rows" in out
    assert max(len(line) for line in out.splitlines()) <= 100
    with Result("pendulum.h5") as result:
        assert (result.n_rows, result.outcome) == (101, "finished")
        assert result.report == out.rstrip("\n")
        assert result.settings["parameters"] == {"length": 2}
        assert result.summary["steps"] == 100.0
        assert result["pivot.angle"].shape == (101,)
    assert call(capsys, "run", "pendulum.toml", "--quiet") == (0, "", "")


def test_failed_run_keeps_what_was_computed(
    folder: Path, fake_run: FakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_run.stop_after, fake_run.failure = (
        3,
        "Newton does not converge at t = 0.29 s (joint 'pivot'). Use a smaller step.",
    )
    code, out, err = call(capsys, "run", "pendulum.toml")
    assert (code, out) == (1, "")
    assert err == f"flexmb: {fake_run.failure}\n"
    with Result("pendulum.h5") as result:
        assert (result.n_rows, result.outcome) == (30, "failed")
        assert "Newton does not converge" in result.report


def test_interrupted_run_is_resumed(folder: Path, fake_run: FakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    fake_run.stop_after = 4
    code, out, err = call(capsys, "run", "pendulum.toml", "-o", "a.h5", "--set", "length=2")
    assert code == 130
    assert "run interrupted" in out
    assert "continue with: flexmb run pendulum.toml -o a.h5 --set length=2 --resume" in err
    fake_run.stop_after = None
    code, _, err = call(capsys, "run", "pendulum.toml", "-o", "a.h5", "--resume")
    assert code == 2 and "parameters.length was 2, is now 1" in err
    code, out, err = call(capsys, "run", "pendulum.toml", "-o", "a.h5", "--set", "length=2", "--resume")
    assert (code, err) == (0, "") and "101 rows" in out
    assert main(["run", "pendulum.toml", "-o", "b.h5", "--set", "length=2", "--quiet"]) == 0
    with Result("a.h5") as resumed, Result("b.h5") as whole:
        for path in whole.channels:
            np.testing.assert_array_equal(resumed[path], whole[path])
    code, _, err = call(capsys, "run", "pendulum.toml", "-o", "a.h5", "--set", "length=2", "--resume")
    assert code == 2 and "that run is finished" in err


def test_check_of_a_real_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "check", "pendulum.toml", "--graph", "--matrices")
    assert (code, err) == (0, "")
    for text in ("degrees of freedom        1", "redundant constraints     none", "pivot.angle", "no loops to close"):
        assert text in out
    assert "└─" in out and "circuit matrix" in out
    assert [entry.name for entry in folder.iterdir()] == ["pendulum.toml"]


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal to itself")
def test_real_run_interrupted_and_resumed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C during a real run, then --resume: bit for bit the numbers of a run in one piece."""
    words = ["run", "pendulum.toml", "--set", "analysis.end=20", "--set", "analysis.step=0.001"]
    model = read_model("pendulum.toml", {"analysis.end": "20", "analysis.step": "0.001"})

    def interrupt_later(t: float, t_end: float, steps: int, rejected: int) -> None:
        if t > 0.2:
            os.kill(os.getpid(), signal.SIGINT)

    with session.run_model(model, "a.h5", progress=interrupt_later) as part:
        assert part.outcome == "interrupted"
        assert 0.2 < part.time[-1] < 20.0
        assert "interrupted" in part.report
    assert call(capsys, *words, "-o", "a.h5", "--resume", "--quiet") == (0, "", "")
    code, out, _ = call(capsys, *words, "-o", "b.h5")
    assert code == 0 and "20000 (and 0 rejected)" in out
    with Result("a.h5") as resumed, Result("b.h5") as whole:
        assert whole.n_rows == 20001
        for path in whole.channels:
            np.testing.assert_array_equal(resumed[path], whole[path])
        assert resumed.summary["newton_iterations"] == whole.summary["newton_iterations"]
        assert whole.summary["energy_balance"] < 1e-3


def test_progress_line() -> None:
    text = progress_text(0.5, 2.0, 500, 2, (10.0, 0.1, 100), 12.0)
    assert text == "t = 0.5 of 2 s   25%  step 500 (2 rejected)  200 steps/s  8 s left"
    assert [clock(seconds) for seconds in (7.2, 185, 7800)] == ["7 s", "3:05", "2:10:00"]
    stream = io.StringIO()
    line = ProgressLine(stream)
    line(0.0, 1.0, 0, 0)
    line(1.0, 1.0, 10, 0)
    line.clear()
    assert stream.getvalue().startswith("\rt = 0 of 1 s") and stream.getvalue().endswith("\r")


def test_export(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_result(folder / "out.h5")
    code, out, _ = call(capsys, "export", "out.h5", "--csv")
    assert (code, out) == (0, "out.csv: 301 rows\n")
    with open("out.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["time [s]", "tip_height [m]", "pivot.angle [rad]"]
    with Result("out.h5") as result:
        expected = np.column_stack([result.time, result["tip_height"], result["pivot.angle"]])
    np.testing.assert_array_equal(np.array(rows, dtype=float), expected)
    code, _, _ = call(capsys, "export", "out.h5", "--csv", "force.csv", "--channel", "pivot.force", "-c", "tip_height")
    assert code == 0
    assert Path("force.csv").read_text().splitlines()[0] == (
        "time [s],pivot.force.x [N],pivot.force.y [N],pivot.force.z [N],tip_height [m]"
    )
    code, _, err = call(capsys, "export", "out.h5", "--csv", "--channel", "tip_hight")
    assert code == 2 and "Did you mean 'tip_height'" in err
    code, _, err = call(capsys, "export", "out.h5")
    assert code == 2 and "--csv" in err
    code, out, _ = call(capsys, "export", "out.h5", "--channels")
    assert code == 0 and len(out.splitlines()) == 7


def test_ambiguous_name() -> None:
    paths = ["bodies/arm/velocity", "joints/arm/velocity"]
    names = ChannelNames({path: ChannelInfo(path, "m/s", (3,), "") for path in paths})
    with pytest.raises(InputError, match="ambiguous.*'bodies/arm/velocity', 'joints/arm/velocity'"):
        names.find("arm.velocity")


def test_setting_differences_of_equal_trees() -> None:
    assert list(setting_differences({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]})) == []


@pytest.mark.skipif(
    os.name != "posix" or os.getuid() == 0, reason="a folder is closed by its mode on POSIX only, and never to root"
)
def test_folder_without_permission(folder: Path, fake_run: FakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "closed").mkdir(mode=0o555)
    code, _, err = call(capsys, "run", "pendulum.toml", "-o", "closed/out.h5")
    assert code == 2 and "nothing can be written in the folder" in err


def test_plot(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_result(folder / "out.h5")
    code, out, _ = call(capsys, "plot", "out.h5")
    assert (code, out) == (0, "out.png\n")
    assert Path("out.png").read_bytes()[:4] == b"\x89PNG"
    assert call(capsys, "plot", "out.h5", "-o", "b.svg", "-c", "pivot.force", "--against", "pivot.angle")[0] == 0
    svg = Path("b.svg").read_text()
    assert "<svg" in svg
    assert call(capsys, "plot", "out.h5", "-o", "c.pdf", "--channel", "tip_height")[0] == 0
    code, _, err = call(capsys, "plot", "out.h5", "-o", "c.jpeg2")
    assert code == 2 and "must end in .png, .svg or .pdf" in err
    code, _, err = call(capsys, "plot", "out.h5", "--against", "pivot.force")
    assert code == 2 and "3 columns" in err
    code, _, err = call(capsys, "plot", "out.h5", "-c", "pivot.angel")
    assert code == 2 and "Did you mean 'pivot.angle'" in err


def test_output_into_a_closed_pipe(folder: Path) -> None:
    write_result(folder / "out.h5")
    command = f"{sys.executable} -m flexmb export out.h5 --channels | true"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment)
    assert done.stderr == ""
