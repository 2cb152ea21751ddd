"""Rows in one table for many channels: to a reader of results the same as a dataset for every channel.

Covers: results.channel_list, results.earlier_result, results.row_storage.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import numpy as np
import pytest

import flexmb as fx
from flexmb.errors import InputError
from flexmb.results import row_storage
from flexmb.results.result_file import Result
from flexmb.results.result_writer import ResultWriter
from tests.support.four_bar_train import train
from tests.support.made_results import IDENTITY, SYSTEM, check_rows, fake_rows, fake_state, write_blocks


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_storage, "MOST_DATASETS", 3)


@pytest.mark.parametrize("patience", [0.0, 1e3], ids=["grown", "at its end"])
def test_a_table_is_read_like_datasets(tmp_path: Path, shared: None, patience: float) -> None:
    path = tmp_path / "out.h5"
    with ResultWriter(path, SYSTEM, IDENTITY, patience=patience) as writer:
        write_blocks(writer, 0, 6)
        writer.finish("finished", "All is well.")
    with Result(path) as result:
        assert (result.n_rows, result.outcome, result.report) == (300, "finished", "All is well.")
        check_rows(result)
        np.testing.assert_array_equal(result["guide.angle"], result["joints/guide/position"][:, 1])
        np.testing.assert_array_equal(
            result.read(result.names.find("crank.position.y"), 20, 50), fake_rows(20, 50)[:, 2]
        )
    with h5py.File(path, locking=False) as file:  # as the docstring of row_storage shows
        assert file.attrs["format_version"] == 3
        entry = next(e for e in json.loads(file["model/channels"][()]) if e["path"] == "bodies/crank/position")
        found = file["table"][:, entry["start"] : entry["start"] + 3]
        np.testing.assert_array_equal(found, fake_rows(0, 300)[:, 1:4])
        assert "bodies" not in file and {"unit", "text"} <= set(file["table"].attrs)


def test_an_interrupted_run_is_resumed(tmp_path: Path, shared: None) -> None:
    path = tmp_path / "out.h5"
    with ResultWriter(path, SYSTEM, IDENTITY) as writer:
        write_blocks(writer, 0, 3)
        writer.finish("interrupted", "stopped")
    with ResultWriter(path, SYSTEM, IDENTITY, resume=True) as writer:
        np.testing.assert_array_equal(writer.checkpoint, fake_state(150))
        write_blocks(writer, 150, 4)
        writer.finish("finished", "done")
        assert writer.extremes["sensors/tip_height"].low_time == 0.0
    with Result(path) as result:
        assert (result.n_rows, result.outcome) == (350, "finished")
        check_rows(result)
    assert list(tmp_path.iterdir()) == [path]


def test_channels_that_are_left_out_take_no_columns(tmp_path: Path, shared: None) -> None:
    chosen = [channel for channel in SYSTEM.channels if not channel.path.startswith("joints/")]
    with ResultWriter(tmp_path / "out.h5", SimpleNamespace(channels=chosen), IDENTITY) as writer:
        write_blocks(writer, 0, 2)
    with Result(tmp_path / "out.h5") as result:
        for channel in chosen:
            width = int(np.prod(channel.shape))
            wanted = fake_rows(0, 100)[:, channel.start : channel.start + width]
            np.testing.assert_array_equal(result[channel.path].reshape(100, width), wanted)
    with h5py.File(tmp_path / "out.h5", locking=False) as file:
        assert file["table"].shape == (100, sum(int(np.prod(channel.shape)) for channel in chosen))


def _changed_list(file: h5py.File, change: Callable[[list[dict[str, Any]]], None]) -> None:
    entries = json.loads(file["model/channels"][()])
    change(entries)
    text = json.dumps(entries).encode()
    del file["model/channels"]
    file["model/channels"] = np.array(text, dtype=h5py.string_dtype("utf-8", len(text)))


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: _changed_list(file, lambda entries: entries[1].pop("start")),
        lambda file: _changed_list(file, lambda entries: entries[1].update(start=-1)),
        lambda file: _changed_list(file, lambda entries: entries[1].update(start=10**6)),
        lambda file: _changed_list(file, lambda entries: entries[1].update(start="1")),
        lambda file: file.__delitem__("table"),
        lambda file: file["table"].resize(7, axis=1),
        lambda file: file["table"].resize(10**9, axis=0),
    ],
)
def test_a_forged_table_is_reported(tmp_path: Path, shared: None, damage: Callable[[h5py.File], None]) -> None:
    path = tmp_path / "out.h5"
    with ResultWriter(path, SYSTEM, IDENTITY) as writer:
        write_blocks(writer, 0, 2)
    with h5py.File(path, "r+", locking=False) as file:
        damage(file)
    with pytest.raises(InputError, match="is damaged"), Result(path) as result:
        for channel in SYSTEM.channels:
            _ = result[channel.path]


def test_a_large_model_is_written_and_saved_as_a_table(tmp_path: Path) -> None:
    """1169 channels: the file of a run, and that of `save`, have the rows of the run in memory."""
    analysis = {"analysis": {"type": "dynamic", "step": 1e-3, "end": 0.02}}
    model = fx.Model.from_tables(train(101) | analysis)
    result = fx.run(model)
    result.save(tmp_path / "saved.h5")
    fx.run(model, tmp_path / "run.h5").close()
    for name in ("saved.h5", "run.h5"):
        with h5py.File(tmp_path / name, locking=False) as file, Result(tmp_path / name) as found:
            assert sorted(file) == ["checkpoint", "model", "provenance", "run", "table"]
            assert list(found.channels) == list(result.channels)
            for path in ("time", "bodies/rocker50/position", "joints/far49/force", "solver/iterations"):
                np.testing.assert_array_equal(found[path], result[path])
