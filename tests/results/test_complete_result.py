"""A result file that is written at once: to a reader it is the same as one that has grown block by block.

Covers: results.memory_result.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from flexmb.errors import ComputationError
from flexmb.results import complete_result, result_writer
from flexmb.results.result_file import Result
from flexmb.results.result_writer import ResultWriter
from flexmb.warning import WarningRecord
from tests.support.made_results import IDENTITY, SYSTEM, fake_rows, fake_state

END: Any = (
    "finished",
    "All is well.\nReally.",
    [("steps", 250.0, "-"), ("wall time", 0.5, "s")],
    [WarningRecord("large-turn", "it turns", "bodies.a", 0.1, 0.7, "rad")],
)


def write(path: Path, n_rows: int, patience: float, outcome: str = "finished") -> None:
    with ResultWriter(path, SYSTEM, IDENTITY, patience=patience) as writer:
        for first in range(0, n_rows, 100):
            last = min(first + 100, n_rows)
            writer.write(fake_rows(first, last), fake_state(last))
        writer.finish(outcome, *END[1:])


def contents(path: Path) -> dict[str, Any]:
    """Arrays and attributes by path, without the state of earlier blocks and the time of the run."""
    found: dict[str, Any] = {}

    def take(name: str, entry: Any) -> None:
        if isinstance(entry, h5py.Dataset):
            found[name] = (entry.dtype, entry[-1:].tolist() if name.startswith("checkpoint") else entry[()].tolist())
        found[f"{name}@"] = {key: value for key, value in entry.attrs.items() if key != "started"}

    with h5py.File(path) as file:
        file.visititems(take)
        found["@"] = dict(file.attrs)
    return found


@pytest.mark.parametrize("n_rows", [1, 250, 251])
def test_same_contents_as_a_file_that_grew(tmp_path: Path, n_rows: int) -> None:
    write(tmp_path / "grown.h5", n_rows, 0.0)
    for name in ("first.h5", "second.h5"):  # the second has the form of the first
        write(tmp_path / name, n_rows, 1e3)
        assert contents(tmp_path / name) == contents(tmp_path / "grown.h5")
        with Result(tmp_path / name) as result:
            assert (result.n_rows, result.n_blocks, result.outcome) == (n_rows, 1, "finished")
            assert result.warnings == tuple(END[3]) and result.checkpoint is not None
    assert (tmp_path / "first.h5").read_bytes()[:14] == b"flexmb result\n"
    assert {path.name for path in tmp_path.iterdir()} == {"grown.h5", "first.h5", "second.h5"}


def test_forms_do_not_mix(tmp_path: Path) -> None:
    """Numbers of one run never appear in the file of another, whatever was written before."""
    for n_rows in (30, 31, 30, 500, 31):
        write(tmp_path / f"{n_rows}.h5", n_rows, 1e3)
        with Result(tmp_path / f"{n_rows}.h5") as result:
            np.testing.assert_array_equal(result.time, fake_rows(0, n_rows)[:, 0])


def test_an_unfinished_short_run_can_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    write(path, 250, 1e3, "interrupted")
    with ResultWriter(path, SYSTEM, IDENTITY, resume=True, patience=1e3) as writer:
        assert writer.checkpoint is not None
        np.testing.assert_array_equal(writer.checkpoint, fake_state(250))
        writer.write(fake_rows(250, 300), fake_state(300))
        writer.finish("finished", "done")
    with Result(path) as result:
        assert result.n_rows == 300 and result.outcome == "finished"
        np.testing.assert_array_equal(result.time, fake_rows(0, 300)[:, 0])


def test_an_earlier_result_is_kept_until_a_run_has_finished(tmp_path: Path) -> None:
    path, earlier = tmp_path / "out.h5", tmp_path / "out.h5.earlier"
    write(path, 250, 1e3)
    write(path, 50, 1e3, "failed")
    with Result(earlier) as kept, Result(path) as failed:
        assert (kept.n_rows, failed.n_rows, failed.outcome) == (250, 50, "failed")
    write(path, 100, 1e3)
    with Result(path) as result:
        assert result.n_rows == 100 and not earlier.exists()


def test_a_failed_write_leaves_the_earlier_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.h5"
    write(path, 250, 1e3)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(result_writer, "write_complete", full)
    with pytest.raises(ComputationError, match="Nothing was written. Free disk space"):
        write(path, 50, 1e3)
    with Result(path) as result:
        assert result.n_rows == 250
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.h5"]


def test_forms_are_kept(tmp_path: Path) -> None:
    complete_result._form.cache_clear()
    for number in range(3):
        write(tmp_path / f"{number}.h5", 40, 1e3)
    assert complete_result._form.cache_info().misses == 1
