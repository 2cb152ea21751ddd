"""Result of a run whose rows are in memory: no file is read, and none needs to exist.

`RunRows` is a sink of `flexmb.solvers.run.simulate`. A `MemoryResult` reads its rows like a `Result`; report and
warnings are made when they are first asked for. `save(path)` writes the file that the run would have written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import InputError
from flexmb.results.channel_columns import NamedChannel, NamedChannels
from flexmb.results.channel_names import ChannelInfo, ChannelNames, Selection
from flexmb.results.extremes import Extremes, note_extremes
from flexmb.results.result_file import Result
from flexmb.results.run_identity import RunIdentity
from flexmb.warning import WarningRecord

if TYPE_CHECKING:
    from flexmb.model.model import Model

Judgement = tuple[str, Sequence[WarningRecord]]
"""Report and warnings of a run"""


class RunRows:
    """Rows of a run, gathered in memory."""

    def __init__(self) -> None:
        self.n_rows, self.n_bytes = 0, 0
        self.checkpoint: np.ndarray | None = None
        """(k,) state of the integrator after the last row"""
        self._blocks: list[np.ndarray] = []

    def write(self, block: np.ndarray, checkpoint: np.ndarray) -> None:
        """Take output rows (n, n_out) and the state of the integrator after them (k,)."""
        if len(block):
            self.keep(np.array(block, dtype=np.float64), np.array(checkpoint, dtype=np.float64))

    def keep(self, block: np.ndarray, checkpoint: np.ndarray) -> None:
        """Take rows (n, channels) and state (s,) that nobody else changes."""
        self._blocks.append(block)
        self.checkpoint = checkpoint
        self.n_rows += len(block)
        self.n_bytes += block.nbytes

    @property
    def table(self) -> np.ndarray:
        """(n_rows, n_out) all rows, SI."""
        if len(self._blocks) != 1:
            self._blocks = [np.concatenate(self._blocks)] if self._blocks else [np.empty((0, 0))]
        return self._blocks[0]

    def extremes(self, channels: Sequence[NamedChannel]) -> dict[str, Extremes]:
        """Extremes of every scalar sensor channel and of the magnitude of every joint reaction, by path."""
        found: dict[str, Extremes] = {}
        if self.n_rows:
            times = self.table[:, channels[0].start]
            for channel in channels:
                note_extremes(found, channel.path, channel.shape, times, columns_of(channel, self.table))
        return found


def columns_of(channel: Any, rows: np.ndarray) -> np.ndarray:
    """(n, *shape) samples of a channel in output rows (n, n_out), SI."""
    columns = rows[:, channel.start : channel.start + prod(channel.shape)]
    return columns.reshape(len(rows), *channel.shape)


@dataclass(frozen=True)
class RunEnd:
    """End of a run: outcome, numbers (name, value, unit), and what makes its report and warnings."""

    outcome: str
    numbers: tuple[tuple[str, float, str], ...]
    judge: Callable[[Result], Judgement]


class MemoryResult(Result):
    """The result of a run in memory; all that a `Result` from a file can do."""

    def __init__(
        self,
        rows: RunRows,
        channels: Sequence[NamedChannel],
        identity: Callable[[], RunIdentity],
        end: RunEnd,
        path: Path,
        *,
        model: Model | None = None,
        is_written: bool = False,
    ):
        self.path = path
        """The result file; where `is_written` is false, a name for what is made of the result."""
        self.is_written, self.model = is_written, model
        self._rows, self._named, self._make_identity, self._end = rows, tuple(channels), identity, end
        self._columns = {channel.path: channel for channel in channels}
        self.channels = {c.path: ChannelInfo(c.path, c.unit, c.shape, c.text, c.columns) for c in channels}
        self.names = ChannelNames(self.channels)
        self.n_rows, self.n_blocks = rows.n_rows, int(rows.n_rows > 0)
        self._is_closed = False

    @cached_property
    def _identity(self) -> RunIdentity:
        return self._make_identity()

    @cached_property
    def _judgement(self) -> tuple[str, tuple[WarningRecord, ...]]:
        report, warnings = self._end.judge(self)
        return report, tuple(warnings)

    def read(self, selection: Selection, first: int = 0, last: int | None = None) -> np.ndarray:
        """Samples first..last of a channel or of one column of it: (n, *shape) in its unit (SI)."""
        if self._is_closed:
            again = f" Open it again: Result({str(self.path)!r})." if self.is_written else ""
            raise InputError(f"'{self.path}' is closed.{again}")
        channel = self._columns[selection.channel.path]
        if selection.column is None:
            return np.array(columns_of(channel, self._rows.table[first:last]))
        return np.array(self._rows.table[first:last, channel.start + selection.column])

    @property
    def table(self) -> np.ndarray:
        """(n_rows, n_out) the rows as the run has written them, SI; not to be changed."""
        return self._rows.table

    @property
    def extremes(self) -> dict[str, Extremes]:
        """Extremes of every scalar sensor channel and of the magnitude of every joint reaction, by path."""
        return self._rows.extremes(self._named)

    @property
    def outcome(self) -> str:
        """finished, interrupted or failed."""
        return self._end.outcome

    @property
    def report(self) -> str:
        """The run report."""
        return self._judgement[0]

    @property
    def warnings(self) -> tuple[WarningRecord, ...]:
        """The warnings of the run."""
        return self._judgement[1]

    @property
    def summary(self) -> dict[str, float]:
        """The numbers of the run report by name."""
        return {name: value for name, value, _ in self._end.numbers}

    @property
    def is_judged(self) -> bool:
        """Whether the warnings were collected: they are, when asked for."""
        return True

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._identity.name

    @property
    def model_text(self) -> str:
        """The model file of the run."""
        return self._identity.text

    @property
    def folder(self) -> str:
        """Folder of the model file at the time of the run."""
        return self._identity.folder

    @property
    def body_files(self) -> dict[str, str]:
        """Paths of the body files as the model gave them: body -> path."""
        return dict(self._identity.body_files)

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting of the run: parameters, analysis, output, ..."""
        return dict(json.loads(json.dumps(self._identity.settings)))

    @property
    def provenance(self) -> dict[str, str]:
        """Versions, date and command of the run."""
        return self._identity.provenance

    @property
    def checkpoint(self) -> np.ndarray | None:
        """(k,) state of the integrator after the last row."""
        return self._rows.checkpoint

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result file that the run would have written; an earlier result is replaced."""
        from flexmb.results.result_writer import ResultWriter

        with ResultWriter(path, NamedChannels(self._named), self._identity) as writer:
            assert self._rows.checkpoint is not None
            writer.hold(self._rows)
            writer.finish(self.outcome, self.report, self._end.numbers, self.warnings)

    def close(self) -> None:
        """Channels cannot be read afterwards."""
        self._is_closed = True

    def __reduce__(self) -> tuple[Any, ...]:
        """A result goes to another process by its path if there is a file, else with its rows, report and warnings."""
        if self.is_written:
            return Result, (str(self.path.absolute()),)
        rest = (self.outcome, self._end.numbers, self._judgement, self._identity)
        return _restored, (self._rows.table, self._rows.checkpoint, self._named, self.path, *rest)

    def __repr__(self) -> str:
        where = f"'{self.path}'" if self.is_written else "in memory"
        if self._is_closed:
            return f"<Result {where}: closed>"
        return f"<Result {where}: {self.name}, {self.n_rows} rows, {len(self.channels)} channels, {self.outcome}>"


def _restored(
    table: np.ndarray,
    checkpoint: np.ndarray,
    channels: Sequence[NamedChannel],
    path: Path,
    outcome: str,
    numbers: tuple[tuple[str, float, str], ...],
    judgement: Judgement,
    identity: RunIdentity,
) -> MemoryResult:
    """A result in memory that came from another process."""
    rows = RunRows()
    rows.write(table, checkpoint)
    return MemoryResult(rows, channels, lambda: identity, RunEnd(outcome, numbers, lambda _: judgement), path)
