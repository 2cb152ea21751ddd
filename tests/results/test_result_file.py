"""The result file: what is written is read, whatever happens to the writer in between.

Covers: results.disk_space, results.output_lock, results.result_creation, results.result_layout,
results.result_preamble, results.result_writer, results.versions.
"""

from __future__ import annotations

import os
import pickle
import random
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np
import pytest

from flexmb.errors import ComputationError, InputError
from flexmb.results import disk_space
from flexmb.results.result_creation import RunIdentity
from flexmb.results.result_file import Result
from flexmb.results.result_writer import ResultWriter
from flexmb.warning import WarningRecord
from tests.support.made_results import IDENTITY, SYSTEM, check_rows, fake_rows, fake_state, write_blocks
from tests.support.places import ROOT

STORAGES = (400, 0)
"""Channels with a dataset of their own: all of those here, or none, so that they share a table"""


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    path = tmp_path / "out.h5"
    with ResultWriter(path, SYSTEM, IDENTITY) as writer:
        write_blocks(writer, 0, 5)
        writer.finish("finished", "All is well.\nReally.", [("steps", 250.0, "-"), ("wall time", 0.5, "s")])
    return path


WARNINGS = [
    WarningRecord("large-turn", "Body 'rötor' turns by 0.8 rad in a step." * 20, "bodies.rötor", 0.25, 0.8, "rad"),
    WarningRecord("energy-balance", "not a number\n", "analysis.step", None, None, "1"),
]


def test_warnings_are_stored_whole_whatever_their_length(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    with ResultWriter(path, SYSTEM, IDENTITY) as writer:
        write_blocks(writer, 0, 1)
        with Result(path) as running:
            assert running.warnings == () and not running.is_judged
        writer.finish("finished", warnings=[*WARNINGS, replace(WARNINGS[0], value=float("nan"))])
    with Result(path) as result:
        assert result.warnings == (*WARNINGS, replace(WARNINGS[0], value=None)) and result.is_judged


def test_files_of_the_first_format_have_no_warnings(finished: Path) -> None:
    with h5py.File(finished, "r+") as file:
        file.attrs["format_version"] = 1
        del file["run/warnings"]
    with Result(finished) as result:
        check_rows(result)
        assert result.warnings == () and not result.is_judged


@pytest.mark.parametrize("text", [b"[3]", b"{}", b"[{", b'[{"code": 1}]', b"[null]"])
def test_damaged_warnings_are_reported(finished: Path, text: bytes) -> None:
    with h5py.File(finished, "r+") as file:
        file["run/warnings"].resize(1, axis=0)
        file["run/warnings"][0] = text
    with pytest.raises(InputError, match="is damaged and cannot be read"):
        Result(finished)


def test_a_result_goes_to_another_process_by_its_path(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(finished.parent)
    with Result(finished.name) as result:
        data = pickle.dumps(result)
    monkeypatch.chdir("/")
    with pickle.loads(data) as again:
        check_rows(again)


def test_round_trip(finished: Path) -> None:
    with Result(finished) as result:
        assert result.n_rows == len(result) == 250
        check_rows(result)
        assert result.outcome == "finished"
        assert result.report == "All is well.\nReally."
        assert result.summary == {"steps": 250.0, "wall time": 0.5}
        assert result.model_text == IDENTITY.text
        assert result.settings == IDENTITY.settings
        assert result.provenance["command"] == "flexmb run x"
        assert {"flexmb", "numpy", "numba", "started"} <= set(result.provenance)
        assert list(result.channels) == [channel.path for channel in SYSTEM.channels]
        assert result.channels["joints/guide/position"].units == ("m", "rad")
        assert result.sensors == ["tip_height"]
    assert list(finished.parent.iterdir()) == [finished]


def test_every_dataset_says_its_unit(finished: Path) -> None:
    missing = []

    def visit(path: str, item: object) -> None:
        if isinstance(item, h5py.Dataset) and not ({"unit", "text"} <= set(item.attrs)):
            missing.append(path)

    with h5py.File(finished, "r") as file:
        file.visititems(visit)
        assert file["joints/bearing/position"].attrs["unit"] == "rad"
    assert not missing


def test_short_names(finished: Path) -> None:
    with Result(finished) as result:
        np.testing.assert_array_equal(result["bearing.angle"], result["joints/bearing/position"][:, 0])
        np.testing.assert_array_equal(result["guide.angle"], result["joints/guide/position"][:, 1])
        np.testing.assert_array_equal(result["guide.force.z"], result["joints/guide/force"][:, 2])
        np.testing.assert_array_equal(result["crank.position"], result["bodies/crank/position"])
        np.testing.assert_array_equal(result["tip_height"], result["sensors/tip_height"])
        np.testing.assert_array_equal(result["bearing.angle.velocity"], result["joints/bearing/velocity"][:, 0])
        assert "tip_height" in result and "nonsense" not in result
        with pytest.raises(InputError, match=r"no channel 'bearing.angel'.*Did you mean 'bearing.angle'"):
            result["bearing.angel"]
        with pytest.raises(InputError, match="Channels: time, bodies/crank/position"):
            result["zzzz"]


def test_labels(finished: Path) -> None:
    with Result(finished) as result:
        labels = {path: [s.label for s in result.names.find(path).scalars] for path in result.channels}
    assert labels["joints/guide/position"] == ["guide.slide", "guide.angle"]
    assert labels["joints/guide/force"] == ["guide.force.x", "guide.force.y", "guide.force.z"]
    assert labels["sensors/tip_height"] + labels["energy/kinetic"] == ["tip_height", "energy.kinetic"]


def test_extremes(tmp_path: Path) -> None:
    with ResultWriter(tmp_path / "out.h5", SYSTEM, IDENTITY) as writer:
        rows = fake_rows(0, 100)
        column = next(channel.start for channel in SYSTEM.channels if channel.path == "sensors/tip_height")
        rows[:, column] = np.sin(np.arange(100) * 0.1)
        rows[7, column] = np.nan
        writer.write(rows[:60], fake_state(60))
        writer.write(rows[60:], fake_state(100))
        writer.close()
        extremes = writer.extremes["sensors/tip_height"]
    assert (extremes.low, extremes.high) == (np.nanmin(rows[:, column]), np.nanmax(rows[:, column]))
    assert extremes.high_time == rows[np.nanargmax(rows[:, column]), 0]


def test_no_block_leaves_the_old_result(finished: Path) -> None:
    with ResultWriter(finished, SYSTEM, IDENTITY) as writer:
        writer.finish("failed", "no first step")
    with Result(finished) as result:
        assert (result.outcome, result.n_rows) == ("finished", 250)
    assert list(finished.parent.iterdir()) == [finished]


def test_resume_appends(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    with ResultWriter(path, SYSTEM, IDENTITY) as writer:
        write_blocks(writer, 0, 3)
        writer.finish("interrupted", "stopped")
    with ResultWriter(path, SYSTEM, IDENTITY, resume=True) as writer:
        assert writer.checkpoint is not None
        np.testing.assert_array_equal(writer.checkpoint, fake_state(150))
        write_blocks(writer, 150, 4)
        writer.finish("finished", "done")
    with Result(path) as result:
        assert (result.n_rows, result.outcome, result.report) == (350, "finished", "done")
        check_rows(result)
    assert list(tmp_path.iterdir()) == [path]


def test_resume_with_nothing_left_to_do(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    with ResultWriter(path, SYSTEM, IDENTITY) as writer:
        write_blocks(writer, 0, 3)
    with ResultWriter(path, SYSTEM, IDENTITY, resume=True) as writer:
        writer.finish("finished", "done")
    with Result(path) as result:
        assert (result.n_rows, result.outcome, result.report) == (150, "finished", "done")
        check_rows(result)


def test_resume_refused(finished: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Nothing to resume"):
        ResultWriter(tmp_path / "other.h5", SYSTEM, IDENTITY, resume=True)
    with pytest.raises(InputError, match="that run is finished"):
        ResultWriter(finished, SYSTEM, IDENTITY, resume=True)
    path = tmp_path / "half.h5"
    with ResultWriter(path, SYSTEM, IDENTITY) as writer:
        write_blocks(writer, 0, 1)
    changed = RunIdentity("fake", "", {"analysis": {"end": 3.0, "method": "rk4"}})
    with pytest.raises(InputError) as caught:
        ResultWriter(path, SYSTEM, changed, resume=True)
    assert "analysis.end was 2.0, is now 3.0" in (text := str(caught.value))
    assert "analysis.step was 0.001, is now absent" in text
    assert 'analysis.method was absent, is now "rk4"' in text
    with Result(path) as result:
        check_rows(result)


def test_two_writers(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    with ResultWriter(path, SYSTEM, IDENTITY) as writer:
        write_blocks(writer, 0, 1)
        with pytest.raises(InputError, match=f"Another run .process {os.getpid()}. is writing"):
            ResultWriter(path, SYSTEM, IDENTITY)
        write_blocks(writer, 50, 1)
    assert Result(path).n_rows == 100
    ResultWriter(path, SYSTEM, IDENTITY).close()


@pytest.mark.parametrize("most", STORAGES)
def test_read_while_another_process_writes(tmp_path: Path, most: int) -> None:
    process, path = start_endless_writer(tmp_path, most)
    try:
        for _ in range(5):
            time.sleep(0.05)
            with Result(path) as result:
                assert result.outcome == "running"
                assert "is unfinished" in result.report
                check_rows(result)
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "There is no result file"),
        (b"", "not in HDF5 format"),
        (b"time,x\n0,1\n", "not in HDF5 format"),
        ("folder", "is a folder"),
        ("foreign", "not a result of flexmb"),
        ("version", "has result format 99"),
        ("truncated", "is truncated"),
        ("other truncated", "truncated or damaged"),
        ("headless", "is damaged"),
    ],
)
def test_wrong_files(finished: Path, content: bytes | str | None, message: str) -> None:
    path = finished.parent / "bad.h5"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content == "folder":
        path.mkdir()
    elif content == "foreign":
        h5py.File(path, "w").close()
    elif content == "version":
        path.write_bytes(finished.read_bytes())
        with h5py.File(path, "r+") as file:
            file.attrs["format_version"] = 99
    elif content == "truncated":
        path.write_bytes(finished.read_bytes()[:-5000])
    elif content == "other truncated":  # HDF5 of another program, without the length in its preamble
        with h5py.File(path, "w", libver="latest") as file:
            file["data"] = np.arange(100_000.0)
        path.write_bytes(path.read_bytes()[:-5000])
    elif content == "headless":
        path.write_bytes(finished.read_bytes())
        with h5py.File(path, "r+") as file:
            del file["checkpoint/rows"]
    with pytest.raises(InputError, match=message) as caught:
        Result(path)
    assert len(caught.value.faults) == 1


def test_nothing_foreign_is_overwritten(tmp_path: Path) -> None:
    model = tmp_path / "model.toml"
    model.write_text("[model]")
    with pytest.raises(InputError, match="not a result of flexmb: it is not overwritten"):
        ResultWriter(model, SYSTEM, IDENTITY)
    with pytest.raises(InputError, match="there is no folder"):
        ResultWriter(tmp_path / "nowhere" / "out.h5", SYSTEM, IDENTITY)
    with pytest.raises(InputError, match="it is a folder"):
        ResultWriter(tmp_path, SYSTEM, IDENTITY)
    assert list(tmp_path.iterdir()) == [model]


ENDLESS_WRITER = """
import sys
from pathlib import Path
sys.path[:0] = [{root!r}]
from flexmb.results import row_storage
from tests.support.made_results import IDENTITY, SYSTEM, ResultWriter, write_blocks
row_storage.MOST_DATASETS = {most}
resume = len(sys.argv) > 2
with ResultWriter(sys.argv[1], SYSTEM, IDENTITY, resume=resume, write_share=float("inf")) as writer:
    first = 0 if writer.checkpoint is None else int(writer.checkpoint[0])
    write_blocks(writer, first, 1, 7)
    print("first block", flush=True)
    write_blocks(writer, first + 7, 10**6, 7)
"""


def start_endless_writer(folder: Path, most: int, *options: str) -> tuple[subprocess.Popen[str], Path]:
    """A process that writes blocks without end; returns when the first one is in the file."""
    script, path = folder / "writer.py", folder / "out.h5"
    script.write_text(ENDLESS_WRITER.format(root=str(ROOT), most=most))
    process = subprocess.Popen([sys.executable, str(script), str(path), *options], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "first block\n"
    return process, path


@pytest.mark.long
@pytest.mark.parametrize("most", STORAGES)
@pytest.mark.skipif(os.name != "posix", reason="kills a process by a POSIX signal")
def test_killed_at_any_moment(tmp_path: Path, most: int) -> None:
    """Eight runs in a row, each resumed from the one before and killed without warning while writing."""
    chance = random.Random(2)
    n_before = 0
    for attempt in range(8):
        options = ["resume"] if attempt else []
        process, path = start_endless_writer(tmp_path, most, *options)
        time.sleep(chance.uniform(0.0, 0.15))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with Result(path) as result:
            assert result.outcome == "running"
            assert result.n_rows >= n_before + 7 and result.n_rows % 7 == 0
            check_rows(result)
            n_before = result.n_rows
    size = path.stat().st_size
    for _ in range(10):  # a copy that broke off: fewer blocks or a clear message, never wrong numbers
        copy = tmp_path / "copy.h5"
        copy.write_bytes(path.read_bytes()[: chance.randrange(size)])
        try:
            with Result(copy) as result:
                check_rows(result)
        except InputError as error:
            assert "damaged" in str(error) or "truncated" in str(error) or "HDF5" in str(error)


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal to itself")
def test_interrupt_waits_for_the_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.h5"
    with ResultWriter(path, SYSTEM, IDENTITY, write_share=float("inf")) as writer:
        write_blocks(writer, 0, 1)
        append = writer._append

        def interrupted_append(block: np.ndarray, state: np.ndarray) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            append(block, state)

        monkeypatch.setattr(writer, "_append", interrupted_append)
        with pytest.raises(KeyboardInterrupt):
            write_blocks(writer, 50, 1)
        writer.finish("interrupted")
    with Result(path) as result:
        assert (result.n_rows, result.outcome) == (100, "interrupted")
        check_rows(result)


def test_full_disk_is_seen_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.h5"
    with pytest.raises(ComputationError, match=r"Cannot write the result.*No space left.*--resume"):
        with ResultWriter(path, SYSTEM, IDENTITY, write_share=float("inf")) as writer:
            write_blocks(writer, 0, 2)
            monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=1000))
            write_blocks(writer, 100, 1)
    with Result(path) as result:
        assert result.n_rows == 100
        check_rows(result)


@pytest.mark.skipif(sys.platform != "linux", reason="limits on file sizes and files in memory are Linux calls")
def test_failed_write_spoils_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may not grow stands for a quota: one clear error, and the blocks before it are kept."""
    path = tmp_path / "out.h5"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def cut_off_without_limit(file: h5py.File) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        disk_space.cut_off(file)

    monkeypatch.setattr("flexmb.results.result_writer.cut_off", cut_off_without_limit)
    try:
        with pytest.raises(ComputationError, match=r"Cannot write the result.*File too large.*--resume"):
            with ResultWriter(path, SYSTEM, IDENTITY, write_share=float("inf")) as writer:
                write_blocks(writer, 0, 2)
                resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 100_000, limits[1]))
                write_blocks(writer, 100, 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    with Result(path) as result:
        assert result.n_rows >= 100
        check_rows(result)
