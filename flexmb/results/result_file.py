"""Reader of result files: all complete rows of a run, finished or killed.

`Result(path)` opens the file and reads a channel only on demand. A block counts as complete when its entry in
/checkpoint/rows exists; rows behind the last complete block are ignored.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.bodies.body_layout import FORMAT as BODY_FORMAT
from flexmb.errors import InputError
from flexmb.input_files import file_fault, is_special
from flexmb.output_files import foreign_fault
from flexmb.results.channel_list import listed_channel, listed_start
from flexmb.results.channel_names import ChannelInfo, ChannelNames, Selection
from flexmb.results.result_preamble import FORMAT, READABLE_VERSIONS, SHARED, TABLE, is_left_open, stamped_length
from flexmb.results.result_views import ResultViews
from flexmb.stored_arrays import UNREADABLE, Damaged, check_texts, reason_of, stored, stored_array
from flexmb.warning import WarningRecord, warning_from

if TYPE_CHECKING:
    import h5py  # imported where a file is opened: a result in memory does without


def _open(path: Path) -> h5py.File:
    """The HDF5 file for reading, whether it is closed or its writer is running or was killed."""
    if fault := file_fault(path, "result file"):
        raise InputError(fault)
    import h5py

    if not h5py.is_hdf5(path):
        advice = f" If it is a model, run it: flexmb run {path}" if path.suffix == ".toml" else ""
        raise InputError(f"'{path}' is not a result file (it is not in HDF5 format).{advice}")
    if path.stat().st_size < stamped_length(path):
        raise InputError(f"'{path}' is truncated: a part of the file is missing. Copy it again, or rerun the model.")
    try:
        check_texts(path)
    except (Damaged, OSError) as error:
        raise InputError(f"'{path}' is damaged and cannot be read: {reason_of(error)}.") from error
    with suppress(OSError):
        return h5py.File(path, "r", locking=False)
    if not stamped_length(path):
        raise InputError(f"'{path}' is truncated or damaged and cannot be read.")
    with suppress(OSError):  # its writer has not closed it; HDF5 would wait forever for the writer of a damaged file
        if is_left_open(path):
            return h5py.File(path, "r", swmr=True, locking=False)
    try:  # or has closed it just now
        return h5py.File(path, "r", locking=False)
    except OSError as error:
        raise InputError(f"'{path}' is damaged and cannot be read: {error}.") from error


def _check_format(path: Path, file: h5py.File) -> None:
    found = _format_of(file)
    if found == BODY_FORMAT:
        raise InputError(f"'{path}' is a body file, not a result file. Show it with 'flexmb body info'.")
    if found != FORMAT:
        raise InputError(f"'{path}' is an HDF5 file, but not a result of flexmb.")
    version = file.attrs.get("format_version", 0)
    if not isinstance(version, (int, np.integer)):
        raise Damaged("it has no format version")
    if version not in READABLE_VERSIONS:
        raise InputError(
            f"'{path}' has result format {version}; this flexmb reads formats up to {READABLE_VERSIONS[-1]}. "
            "Run the model again, or read the file with the flexmb that wrote it."
        )


def is_result_file(path: Path) -> bool:
    """Whether `path` is a flexmb result, of any version, complete or not."""
    try:
        with _open(path) as file:
            return _format_of(file) == FORMAT
    except (InputError, *UNREADABLE):
        return False


def check_result_path(path: Path) -> None:
    """Raise InputError for a path where no result can be written, before anything is computed."""
    if fault := foreign_fault(path, "a result of flexmb", is_own_result, "out.h5"):
        raise InputError(fault)


def is_own_result(path: Path) -> bool:
    """Whether `path` is a flexmb result: by its first bytes, where they say so and none are missing behind them."""
    try:
        length = 0 if is_special(path) else stamped_length(path)
        return 0 < length <= path.stat().st_size or is_result_file(path)
    except OSError:
        return False


def _format_of(file: h5py.File) -> str:
    """Format attribute of the file."""
    found = file.attrs.get("format")
    return _text(found) if isinstance(found, (str, bytes)) else ""


class Result(ResultViews):
    """The result of a run, read only; rows are complete up to the last block that was written."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        self._file = _open(self.path)
        try:
            _check_format(self.path, self._file)
            self.channels: dict[str, ChannelInfo] = self._find_channels()
            self.names = ChannelNames(self.channels)
            self.n_rows, self.n_blocks = self._complete_rows()
            self._check_pieces()
        except UNREADABLE as error:
            self._file.close()
            raise InputError(f"'{self.path}' is damaged and cannot be read: {reason_of(error)}.") from error
        except InputError:
            self._file.close()
            raise

    def _find_channels(self) -> dict[str, ChannelInfo]:
        listed = _json(self._text("model/channels"))
        if not isinstance(listed, list):
            raise Damaged("its table of channels is not a list")
        channels = [listed_channel(entry) for entry in listed]
        if len({channel.path for channel in channels}) < len(channels):
            raise Damaged("two of its channels have the same name")
        is_shared = self._file.attrs["format_version"] == SHARED
        self._table = self._array(TABLE) if is_shared else None
        self._starts = {entry["path"]: listed_start(entry) for entry in listed} if is_shared else {}
        return {channel.path: channel for channel in channels}

    def _check_pieces(self) -> None:
        """Read all small entries once, so that damage is found at opening."""
        tables = self.settings
        for section in ("bodies", "joints", "motions", "forces", "sensors"):
            table = tables.get(section, {})
            if not isinstance(table, dict) or not all(isinstance(entry, dict) for entry in table.values()):
                raise Damaged(f"its settings have no table of {section}")
        if not all(isinstance(file, str) for file in self.body_files.values()):
            raise Damaged("its list of body files has entries that are not file names")
        _ = self.name, self.model_text, self.folder, self.provenance, self.outcome, self.summary, self.report
        _ = self.warnings

    def _array(self, path: str) -> h5py.Dataset:
        return stored_array(self._file, path)

    def _text(self, path: str) -> str:
        return _text(self._array(path)[()])

    def _complete_rows(self) -> tuple[int, int]:
        """Rows and blocks that were declared complete."""
        rows = np.asarray(self._array("checkpoint/rows")[:], dtype=np.int64)
        length = len(self._array("time") if self._table is None else self._table)
        states = self._array("checkpoint/state")
        if rows.ndim != 1 or states.ndim != 2 or states.dtype.kind != "f":
            raise Damaged("its list of complete blocks has a wrong type")
        n_rows = n_blocks = 0
        for block in range(min(len(rows), len(states))):
            if not n_rows < rows[block] <= length:
                break
            n_rows, n_blocks = int(rows[block]), block + 1
        return n_rows, n_blocks

    def __getitem__(self, name: str) -> np.ndarray:
        """All complete samples of a channel or of one column of it: (n_rows, *shape) in its unit (SI)."""
        return self.read(self.names.find(name))

    def read(self, selection: Selection, first: int = 0, last: int | None = None) -> np.ndarray:
        """Samples first..last of a channel or of one column of it: (n, *shape) in its unit (SI)."""
        if not self._file:
            raise InputError(f"'{self.path}' is closed. Open it again: Result({str(self.path)!r}).")
        last = self.n_rows if last is None else min(last, self.n_rows)
        path = selection.channel.path
        try:
            if self._table is None:
                return self._from_dataset(selection, first, last)
            return self._from_table(self._table, selection, first, last)
        except UNREADABLE as error:
            reason = reason_of(error)
            raise InputError(f"'{self.path}' is damaged: channel '{path}' cannot be read: {reason}.") from error

    def _from_dataset(self, selection: Selection, first: int, last: int) -> np.ndarray:
        """Samples of a channel that has a dataset of its own."""
        shape = selection.channel.shape
        where = [] if selection.column is None else [int(i) for i in np.unravel_index(selection.column, shape)]
        dataset = self._array(selection.channel.path)
        if dataset.dtype.kind != "f" or dataset.shape[1:] != shape or not dataset.shape:
            raise Damaged("its type or shape differs from the table of channels")
        if len(dataset) < last:
            raise Damaged(f"it has {len(dataset)} rows instead of {last}")
        return np.asarray(dataset[(slice(first, last), *where)], dtype=np.float64)

    def _from_table(self, table: h5py.Dataset, selection: Selection, first: int, last: int) -> np.ndarray:
        """Samples of a channel whose columns are in the table of all."""
        channel, start = selection.channel, self._starts[selection.channel.path]
        if table.dtype.kind != "f" or table.ndim != 2 or start + channel.width > table.shape[1]:
            raise Damaged("the table of all channels has another type or shape")
        if selection.column is not None:
            return np.asarray(table[first:last, start + selection.column], dtype=np.float64)
        samples = np.asarray(table[first:last, start : start + channel.width], dtype=np.float64)
        return samples.reshape(len(samples), *channel.shape)

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and self.names.find(name) is not None
        except InputError:
            return False

    def __len__(self) -> int:
        return self.n_rows

    @property
    def time(self) -> np.ndarray:
        """(n_rows,) time of every row [s]."""
        time = self["time"]
        if not np.isfinite(time).all() or np.any(np.diff(time) < 0.0):
            raise InputError(f"'{self.path}' is damaged: its times do not increase.")
        return time

    @property
    def sensors(self) -> list[str]:
        """Names of the sensors."""
        return [path.removeprefix("sensors/") for path in self.channels if path.startswith("sensors/")]

    @property
    def outcome(self) -> str:
        """running (or killed), finished, interrupted or failed."""
        return self._text("run/outcome")

    @property
    def report(self) -> str:
        """The run report; for a run that has not ended, the time reached."""
        lines = [_text(line) for line in self._array("run/report")[:]]
        if lines:
            return "\n".join(lines)
        reached = f"up to t = {self.time[-1]:.6g} s" if self.n_rows else "with no rows"
        return f"{self.name}: the run is unfinished (still running, or killed); rows are complete {reached}."

    @property
    def summary(self) -> dict[str, float]:
        """The numbers of the run report by name."""
        return {_text(row["name"]): float(row["value"]) for row in self._array("run/summary")[:]}

    @property
    def warnings(self) -> tuple[WarningRecord, ...]:
        """The warnings of the run; none for a run that has not ended, and in files of flexmb 0.7 and older."""
        if "run/warnings" not in self._file:
            return ()
        text = "".join(_text(piece) for piece in self._array("run/warnings")[:])
        entries = _json(text) if text else []
        if not isinstance(entries, list):
            raise Damaged("its warnings are not a list")
        return tuple(warning_from(entry) for entry in entries)

    @property
    def is_judged(self) -> bool:
        """Whether the warnings were collected: the run has ended, and the file can hold them."""
        return self.outcome != "running" and "run/warnings" in self._file

    @property
    def name(self) -> str:
        """Name of the model."""
        return _text(stored(self._file, "model").attrs["name"])

    @property
    def model_text(self) -> str:
        """The model file of the run."""
        return self._text("model/text")

    @property
    def folder(self) -> str:
        """Folder of the model file at the time of the run; empty: not known."""
        return _text(stored(self._file, "model").attrs.get("folder", ""))

    @property
    def body_files(self) -> dict[str, str]:
        """Paths of the body files as the model gave them: body -> path."""
        return dict(_json(_text(stored(self._file, "model").attrs.get("body_files", "{}"))))

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting of the run: parameters, analysis, output, ..."""
        return dict(_json(self._text("model/settings")))

    @property
    def provenance(self) -> dict[str, str]:
        """Versions, date and command of the run."""
        return {name: _text(value) for name, value in stored(self._file, "provenance").attrs.items()}

    @property
    def checkpoint(self) -> np.ndarray | None:
        """(k,) state of the integrator after the last complete block."""
        return np.asarray(self._array("checkpoint/state")[self.n_blocks - 1]) if self.n_blocks else None

    def __reduce__(self) -> tuple[Any, ...]:
        """A result goes to another process by its path, and is opened again there."""
        return type(self), (str(self.path.absolute()),)

    def close(self) -> None:
        """Close the file; channels cannot be read afterwards."""
        self._file.close()

    def __enter__(self) -> Result:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._file:
            return f"<Result '{self.path}': closed>"
        return f"<Result '{self.path}': {self.name}, {self.n_rows} rows, {len(self.channels)} channels, {self.outcome}>"


def _text(value: Any) -> str:
    """A text that can be written again; raises Damaged for bytes that are not UTF-8."""
    if isinstance(value, np.generic):
        value = value.item()
    return value.decode() if isinstance(value, bytes) else str(value).encode().decode()


def _json(text: str) -> Any:
    """JSON values that can be written again."""
    tables = json.loads(text)
    if "\\ud" in text.lower():  # may be half of a surrogate pair
        json.dumps(tables, ensure_ascii=False).encode()
    return tables
