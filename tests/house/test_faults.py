"""Runs that are killed, interrupted or refused the disk: what was complete stays, one message says why.

Covers: stop_signals.
"""

from __future__ import annotations

import codecs
import errno
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from flexmb.bodies.body_file import write_body
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.machine_code.code_cache import code_folder
from flexmb.machine_code.jit import program
from flexmb.results.result_file import Result
from flexmb.results.result_writer import ResultWriter
from tests.campaigns.kill_loop import kill_loop, wait_for_file
from tests.support.command_line import MODEL, folder, write_result
from tests.support.made_results import IDENTITY, SYSTEM, fake_rows, write_blocks
from tests.support.places import ROOT
from tests.support.reduced_bodies import body_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, signals and limits of Linux")
__all__ = ["folder"]  # a fixture
LONG = ["--set", "analysis.end=200", "--set", "analysis.step=0.0005"]
SHORT = ["--set", "analysis.end=1"]


class Child:
    """A forked process that calls the command line; what it says is kept in files."""

    def __init__(self, folder: Path, *words: str, before: Callable[[], None] | None = None):
        self.out, self.err = folder / "child.out", folder / "child.err"
        self.process = multiprocessing.get_context("fork").Process(target=self._run, args=(words, before))
        self.process.start()

    def _run(self, words: tuple[str, ...], before: Callable[[], None] | None) -> None:
        for path, number in ((self.out, 1), (self.err, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
        if before is not None:
            before()
        sys.argv = ["flexmb", *words]
        code = main()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

    def end(self) -> tuple[int | None, str]:
        """Exit code and the message on stderr."""
        self.process.join(120)
        return self.process.exitcode, self.err.read_text()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "pendulum.toml"
    path.write_text(MODEL)
    assert main(["run", str(path), "-o", str(tmp_path / "first.h5"), "--quiet"]) == 0  # a child then compiles nothing
    return path


def assert_one_message(text: str) -> None:
    assert text.startswith("flexmb: ") and text.count("\n") == 1 and "Traceback" not in text


@pytest.mark.long
def test_kills_lose_nothing(tmp_path: Path) -> None:
    tally = kill_loop(10, seed=3, folder=tmp_path, names=["implicit", "explicit"])
    assert tally.kills >= 10 and tally.finished >= 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_is_obeyed_after_the_block(model: Path, number: int) -> None:
    output = model.with_name("out.h5")
    child = Child(model.parent, "run", str(model), "-o", str(output), *LONG)
    wait_for_file(child.process, output, None)
    os.kill(child.process.pid or 0, number)
    code, text = child.end()
    assert code == 130
    assert_one_message(text)
    assert "continue with: flexmb run" in text and "--resume" in text
    with Result(output) as result:
        assert result.outcome == "interrupted" and result.n_rows > 0
    assert sorted(path.name for path in model.parent.glob("out*")) == ["out.h5"]


def end_before_the_move(number: int) -> Callable[[], None]:
    def ask(*_: object) -> None:
        os.kill(os.getpid(), number)

    return lambda: setattr(os, "replace", ask)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "words",
    [
        ("export", "out.h5", "--csv", "x.csv"),
        ("equations", "pendulum.toml", "--latex", "x.tex"),
        ("equations", "pendulum.toml", "--code", "c", "-o", "code"),
        ("modes", "pendulum.toml", "-o", "x.npz"),
    ],
)
def test_a_request_to_end_leaves_no_draft(folder: Path, words: tuple[str, ...], number: int) -> None:
    """When a file is written and not yet in its place."""
    write_result(folder / "out.h5")
    with tempfile.TemporaryDirectory() as said:
        assert Child(Path(said), *words, before=end_before_the_move(number)).end() == (130, "flexmb: interrupted.\n")
    assert sorted(path.name for path in folder.iterdir()) == ["out.h5", "pendulum.toml"]


def test_a_request_to_end_is_not_lost_in_a_callback(tmp_path: Path) -> None:
    """Python's own answer to Ctrl-C is an exception, which a destructor swallows."""

    class Swallowing:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.0)

    def before() -> None:
        warnings = SimpleNamespace(catch_warnings=Swallowing)  # made and lost as soon as signals are taken
        setattr(sys.modules["flexmb.cli"], "warnings", warnings)  # noqa: B010

    assert Child(tmp_path, "check", "nothing.toml", before=before).end() == (130, "flexmb: interrupted.\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_what_nohup_ignores_stays_ignored(model: Path, number: int) -> None:
    output = model.with_name("out.h5")
    words = ["run", str(model), "-o", str(output), "--set", "analysis.end=20", "--quiet"]
    child = Child(model.parent, *words, before=lambda: void(signal.signal(number, signal.SIG_IGN)))
    wait_for_file(child.process, output, None)
    if child.process.is_alive():
        os.kill(child.process.pid or 0, number)
    assert child.end() == (0, "")


def void(_: object) -> None:
    """For calls in a lambda."""


def test_a_finished_result_is_kept_until_the_next_is_finished(model: Path) -> None:
    output, earlier = model.with_name("out.h5"), model.with_name("out.h5.earlier")
    assert main(["run", str(model), "-o", str(output), "--quiet"]) == 0
    whole = output.read_bytes()
    for _ in range(2):  # a second run that is killed does not take the place of the finished one
        child = Child(model.parent, "run", str(model), "-o", str(output), *LONG)
        wait_for_file(child.process, output, output.stat().st_ino)
        child.process.kill()
        child.end()
        assert earlier.read_bytes() == whole
        with Result(output) as result:
            assert result.outcome == "running"
    child = Child(model.parent, "run", str(model), "-o", str(output), *LONG)
    wait_for_file(child.process, output, output.stat().st_ino)
    os.kill(child.process.pid or 0, signal.SIGINT)
    assert child.end()[0] == 130
    with Result(output) as result:
        assert "out.h5.earlier: kept until" in " ".join(result.report.split())
    assert main(["run", str(model), "-o", str(output), *SHORT, "--quiet"]) == 0
    assert not earlier.exists()


def test_two_runs_of_one_file(model: Path) -> None:
    output = model.with_name("out.h5")
    child = Child(model.parent, "run", str(model), "-o", str(output), *LONG)
    wait_for_file(child.process, output, None)
    other = Child(model.parent / "..", "run", str(model), "-o", str(output), *LONG)
    code, text = other.end()
    os.kill(child.process.pid or 0, signal.SIGKILL)
    child.end()
    assert code == 2
    assert_one_message(text)
    assert f"Another run (process {child.process.pid}) is writing" in text
    assert Result(output).n_rows > 0


@pytest.mark.long
def test_every_length_of_a_cut_off_file(tmp_path: Path) -> None:
    """Of one whose writer was killed, and every fourth of a finished one: one message, whatever is missing."""
    path, one_channel = tmp_path / "out.h5", SimpleNamespace(channels=SYSTEM.channels[:1])
    with ResultWriter(path, one_channel, IDENTITY, chunk_rows=16) as writer:
        write_blocks(writer, 0, 3, 5)
        killed = path.read_bytes()
        writer.finish("finished", "all is well")
    for data, stride in ((path.read_bytes(), 4), (killed, 1)):
        copy = tmp_path / "copy.h5"
        copy.write_bytes(data)
        with Result(copy) as result:
            assert result.n_rows >= 5
            np.testing.assert_array_equal(result.time, fake_rows(0, result.n_rows)[:, 0])
        for length in range(len(data) - 1, -1, -stride):
            os.truncate(copy, length)
            with pytest.raises(InputError) as caught:
                Result(copy)
            assert len(caught.value.faults) == 1 and str(copy) in str(caught.value)


def limit_files(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_disk_that_is_full_at_once_or_later(model: Path) -> None:
    """A limit on the size of files stands for a full disk."""
    for size, some_rows in ((100_000, False), (3_000_000, True)):
        output = model.with_name(f"out{size}.h5")
        child = Child(model.parent, "run", str(model), "-o", str(output), *LONG, before=limit_files(size))
        code, text = child.end()
        assert code == 1
        assert_one_message(text)
        assert "File too large" in text and ("Free disk space and use --resume" in text) == some_rows
        assert output.exists() == some_rows
        if some_rows:
            with Result(output) as result:
                assert result.n_rows > 100 and np.all(np.diff(result.time) > 0.0)


def test_a_full_disk_under_a_body_file(tmp_path: Path) -> None:
    target = write_body(body_of(), tmp_path / "beam.h5")
    whole = target.read_bytes()

    def write_again() -> None:
        limit_files(len(whole) // 2)()
        try:
            write_body(body_of(), target)
        except InputError as error:
            os._exit(0 if "Cannot write '" + str(target) + "': File too large." in str(error) else 3)
        os._exit(4)

    process = multiprocessing.get_context("fork").Process(target=write_again)
    process.start()
    process.join(60)
    assert process.exitcode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["beam.h5"] and target.read_bytes() == whole


def test_a_full_disk_behind_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be kept is compiled for this time only."""
    attempts = []

    def keep(*_: object) -> None:
        attempts.append(1)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("flexmb.machine_code.numba_compiler.keep_code", keep)
    monkeypatch.setattr("flexmb.machine_code.numba_compiler.stored_code", lambda *_: None)

    def double(I, F, W, arg):  # type: ignore[no-untyped-def]
        W[0] = 2.0 * F[0]

    work = np.zeros(1)
    program(double)(np.zeros(1, dtype=np.int64), np.array([21.0]), work)
    assert work[0] == 42.0 and attempts == [1]


@pytest.mark.parametrize(
    ("verb", "name"),
    [("export --csv", "x.csv"), ("export --mat", "x.mat"), ("plot -o", "x.svg")],
)
def test_a_file_for_others_is_whole_or_as_it_was(tmp_path: Path, verb: str, name: str) -> None:
    result, target = tmp_path / "out.h5", tmp_path / name
    write_result(result)
    words = [verb.split()[0], str(result), verb.split()[1], str(target)]
    assert main(words) == 0  # what it imports the children then have
    target.unlink()
    for before in (b"what stood here", None):
        if before is not None and name != "x.mat":  # only an HDF5 file is replaced by one
            target.write_bytes(before)
        expected = target.read_bytes() if target.exists() else None
        code, text = Child(tmp_path, *words, before=limit_files(2000)).end()
        assert code in (1, 2)
        assert_one_message(text)
        assert "File too large" in text
        assert (target.read_bytes() if target.exists() else None) == expected
        target.unlink(missing_ok=True)
    assert not [path for path in tmp_path.iterdir() if ".part" in path.name]


@pytest.mark.skipif(os.geteuid() != 0, reason="root becomes nobody; others see test_cli.test_folder_without_permission")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    """Not even a lock is left in a folder of others; the message comes before anything is computed."""
    with tempfile.TemporaryDirectory() as folder:
        closed = Path(folder)
        closed.chmod(0o755)
        model = closed / "pendulum.toml"
        model.write_text(MODEL)
        check_closed_folder(closed, model, tmp_path)


def check_closed_folder(closed: Path, model: Path, said: Path) -> None:
    codecs.lookup("utf-8-sig")  # nobody may not read the library of root's Python, from where it would be loaded
    write_result(closed / "old.h5")
    content = (closed / "old.h5").read_bytes()
    for words in (
        ("run", str(model), "-o", str(closed / "out.h5")),
        ("run", str(model), "-o", str(closed / "old.h5")),
        ("export", str(closed / "old.h5"), "--csv", str(closed / "x.csv")),
        ("plot", str(closed / "old.h5"), "-o", str(closed / "x.png")),
    ):
        code, text = Child(said, *words, before=lambda: os.setuid(65534)).end()
        assert code == 2, text
        assert_one_message(text)
        assert "ermission denied" in text
    assert sorted(path.name for path in closed.iterdir()) == ["old.h5", "pendulum.toml"]
    assert (closed / "old.h5").read_bytes() == content


def test_no_home_and_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are cached in a folder of this user, else nowhere: not in the temporary folder, where others write."""
    for name in ("FLEXMB_CACHE", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("HOME", str(file))  # below a file nothing can be created
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert code_folder("kernels").path is None and sorted(tmp_path.iterdir()) == [file]


def test_no_home_at_all(tmp_path: Path) -> None:
    """The command line without any environment but the path, in a folder that is deleted under it."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    (tmp_path / "pendulum.toml").write_text(MODEL)
    words = [sys.executable, "-m", "flexmb", "check", "pendulum.toml"]
    done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.long
def test_killed_while_others_write(tmp_path: Path) -> None:
    """A plot and an export that are killed again and again: the old file or the new one, never half of one."""
    result = tmp_path / "out.h5"
    write_result(result)
    for verb, option, name, end in (("export", "--csv", "x.csv", b"\n"), ("plot", "-o", "x.svg", b"</svg>\n")):
        target = tmp_path / name
        began = time.perf_counter()
        assert Child(tmp_path, verb, str(result), option, str(target)).end()[0] == 0
        seconds = time.perf_counter() - began
        whole = len(target.read_bytes())
        for share in np.linspace(0.0, 1.0, 5):
            target.write_bytes(b"old")
            child = Child(tmp_path, verb, str(result), option, str(target))
            time.sleep(share * seconds)
            child.process.kill()
            child.end()
            found = target.read_bytes()
            assert found == b"old" or (found.endswith(end) and abs(len(found) - whole) < 0.01 * whole)
