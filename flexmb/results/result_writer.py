"""Writer of a result file during a run.

`ResultWriter` is the sink of `flexmb.solvers.run.simulate`: it takes blocks of output rows with the integrator's state
after them. The file is created beside its final name with the first block, then renamed: a run that computed nothing
never replaces an older result, and a finished one is kept as "out.h5.earlier" until the new run is finished, too. From
then on the file is appended in SWMR mode (see `result_layout`).
Blocks are held back as long as writing them would take more than a tenth of the time. A run that ends before its
first block is due is written at once (see `complete_result`).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from math import prod
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import h5py
import numpy as np

from flexmb.errors import ComputationError
from flexmb.results import result_layout as layout
from flexmb.results.complete_result import write_complete, write_end
from flexmb.results.disk_space import cut_off, require_space
from flexmb.results.earlier_result import earlier_path, keep_finished
from flexmb.results.extremes import Extremes, note_extremes
from flexmb.results.memory_result import RunRows, columns_of
from flexmb.results.output_lock import OutputLock
from flexmb.results.result_creation import create_result, open_for_appending
from flexmb.results.result_file import Result, check_result_path, is_own_result
from flexmb.results.resuming import open_for_resuming
from flexmb.results.row_storage import RowStorage, share_a_table
from flexmb.results.run_identity import RunIdentity
from flexmb.stop_signals import deferred
from flexmb.warning import WarningRecord

_HELD_BACK_BYTES = 2**26
_COPY_NUMBERS = 2**23


class SystemLike(Protocol):
    """Channels of a system, as the writer needs them; channel 0 is the time."""

    @property
    def channels(self) -> Sequence[layout.ChannelLike]:
        """Channels in the order of their columns."""


class ResultWriter:
    """The growing result file of one run; `patience`: time for which the first rows may be held back [s]."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        system: SystemLike,
        identity: RunIdentity,
        *,
        resume: bool = False,
        chunk_rows: int = 512,
        write_share: float = 0.1,
        patience: float = 0.0,
    ):
        self.path = Path(path)
        self.identity = identity
        self.rows: RunRows | None = None if resume else RunRows()
        """All rows of the run, as long as they are few; None: they are in the file only."""
        self.extremes: dict[str, Extremes] = {}
        """Extremes of the sensors and of the magnitude of joint reactions in the rows written so far, by path."""
        self._channels = list(system.channels)
        self._chunk_rows, self._write_share = chunk_rows, write_share
        self._file: h5py.File | None = None
        self._storage: RowStorage | None = None
        self._earlier: Result | None = None
        self._held: list[np.ndarray] = []
        self._held_states: list[np.ndarray] = []
        self._last_write = (0.0, 0.0)  # when it ended, how long it took [s]
        self._n_written, self._due = 0, time.perf_counter() + patience
        self._broken, self._has_rows, self._is_complete = False, resume, False
        check_result_path(self.path)
        self._lock = OutputLock(self.path)
        try:
            if resume:
                self._earlier = open_for_resuming(self.path, identity, self._channels)
        except BaseException:
            self._lock.release()
            raise

    @property
    def checkpoint(self) -> np.ndarray | None:
        """(k,) state to continue from, when an earlier run is resumed."""
        return None if self._earlier is None else self._earlier.checkpoint

    @property
    def n_rows(self) -> int:
        """Number of rows that are written or held back."""
        return self._n_written + sum(map(len, self._held))

    @property
    def _held_bytes(self) -> int:
        return sum(rows.nbytes for rows in self._held)

    @property
    def n_channels(self) -> int:
        """Number of channels that are written."""
        return len(self._channels)

    @property
    def started(self) -> bool:
        """Whether the file of this run has its final name."""
        return self._file is not None or self._is_complete

    def hold(self, rows: RunRows) -> None:
        """Take all rows of a run that has ended."""
        self.rows, self._held, self._held_states = rows, [rows.table], [np.asarray(rows.checkpoint)]

    def write(self, block: np.ndarray, checkpoint: np.ndarray) -> None:
        """Append output rows (n, n_out) and the state of the integrator after them (n_state,)."""
        if not len(block):
            return
        block, checkpoint = np.array(block, dtype=np.float64), np.array(checkpoint, dtype=np.float64)
        self._held.append(block)
        self._held_states.append(checkpoint)
        if self.rows is not None:
            self.rows.keep(block, checkpoint)
            self.rows = self.rows if self.rows.n_bytes <= _HELD_BACK_BYTES else None
        now, (ended, took) = time.perf_counter(), self._last_write
        due = now >= self._due if self._file is None else (now - ended) * self._write_share >= took
        if due or self._held_bytes > _HELD_BACK_BYTES:
            self._commit()

    def flush(self) -> None:
        """Write the rows held back."""
        if not self._broken:
            self._commit()

    def finish(
        self,
        outcome: str,
        report: str = "",
        summary: Sequence[tuple[str, float, str]] = (),
        warnings: Sequence[WarningRecord] = (),
    ) -> None:
        """Write the rows held back, then the report, the (name, value, unit) numbers and the warnings of the run."""
        if outcome not in layout.OUTCOMES:
            raise ValueError(f"outcome '{outcome}' is not one of {layout.OUTCOMES}")
        ended = (outcome, report, summary, warnings)
        is_short = self.rows is not None and self._file is None and self._held and not self._broken
        is_small = not share_a_table(self._channels) and self._held_bytes <= _HELD_BACK_BYTES
        if not (is_short and is_small and self._has_space()):
            self.flush()
        with self._writing():
            if self._file is None and self._held:
                self._write_at_once(*ended)
            elif self._file is None and self._earlier is not None:
                self._begin([], np.empty(0))
            if self._file is not None:
                write_end(self._file, *ended)
            if self.started and outcome == "finished" and (kept := self.kept) is not None:
                kept.unlink()

    def _write_at_once(self, outcome: str, *rest: Any) -> None:
        """Write the file of a run that has ended."""
        block = self._held[0] if len(self._held) == 1 else np.concatenate(self._held)
        ended = (outcome, *rest)
        write_complete(self._new_path, self._channels, self.identity, block, self._held_states[-1], ended)
        if outcome != "finished":
            keep_finished(self.path)
        os.replace(self._new_path, self.path)
        self._n_written, self._has_rows, self._is_complete = self.n_rows, True, True
        self._held, self._held_states = [], []

    def close(self) -> None:
        """Write the rows held back and close the file; may be called twice."""
        try:
            self.flush()
        finally:
            if self._earlier is not None:
                self._earlier.close()
            file, self._file = self._file, None
            try:
                if file is not None:
                    file.close()
                    layout.stamp_length(self.path)
            except (OSError, RuntimeError) as error:
                raise self._write_error(error) from error
            finally:
                self._new_path.unlink(missing_ok=True)
                self._lock.release()

    def __enter__(self) -> ResultWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def kept(self) -> Path | None:
        """The earlier finished result, kept until this run is finished."""
        path = earlier_path(self.path)
        return path if is_own_result(path) else None

    @property
    def _new_path(self) -> Path:
        return self.path.with_name(self.path.name + ".new")

    def _commit(self) -> None:
        """Append the rows held back as one block."""
        if not self._held:
            return
        start, is_first = time.perf_counter(), self._file is None
        with self._writing():
            if is_first and not self._has_space():
                self._commit_what_fits()
            self._put(self._held, self._held_states[-1])
            self._held, self._held_states = [], []
        end = time.perf_counter()
        self._last_write = (end, 0.0 if is_first else end - start)  # creating the file happens only once

    def _put(self, blocks: list[np.ndarray], state: np.ndarray) -> None:
        """Write blocks as one, with the state after them."""
        require_space(self.path, sum(block.nbytes for block in blocks))
        if self._file is None:
            self._begin(blocks, state)
        else:
            self._append(blocks, state)

    def _has_space(self) -> bool:
        try:
            require_space(self.path, self._held_bytes)
        except OSError:
            return False
        return True

    def _commit_what_fits(self) -> None:
        """Write the first rows block by block, up to the last one, so that a full disk does not take all of them."""
        while len(self._held) > 1:
            self._put(self._held[:1], self._held_states[0])
            self._held, self._held_states = self._held[1:], self._held_states[1:]

    def _begin(self, blocks: list[np.ndarray], state: np.ndarray) -> None:
        """Create the file beside its name, with the earlier run and the first blocks, and rename it."""
        earlier = self._earlier
        length = len(state) if earlier is None or earlier.checkpoint is None else len(earlier.checkpoint)
        file = create_result(self._new_path, self._channels, self.identity, length, self._chunk_rows)
        try:
            self._use(file)
            if earlier is not None:
                self._copy(earlier)
                earlier.close()
            if blocks:
                self._append(blocks, state)
        finally:
            self._file = self._storage = None
            file.close()
        if self._earlier is None:
            keep_finished(self.path)
        os.replace(self._new_path, self.path)
        self._earlier, self._has_rows = None, True
        self._use(open_for_appending(self.path))

    def _use(self, file: h5py.File) -> None:
        self._file = file
        self._storage = RowStorage(file, self._channels)

    def _copy(self, earlier: Result) -> None:
        """Copy the complete blocks of the resumed run."""
        assert self._file is not None
        width = max(channel.start + prod(channel.shape) for channel in self._channels)
        at_once = max(1, _COPY_NUMBERS // width)
        for first in range(0, earlier.n_rows, at_once):
            last = min(first + at_once, earlier.n_rows)
            rows = np.zeros((last - first, width))
            for channel in self._channels:
                columns_of(channel, rows)[...] = earlier.read(earlier.names.find(channel.path), first, last)
            self._take(first, rows)
        self._n_written = earlier.n_rows
        assert earlier.checkpoint is not None
        layout.append_samples(self._file["checkpoint/state"].id, 0, earlier.checkpoint[None, :])
        self._declare_complete()

    def _append(self, blocks: list[np.ndarray], state: np.ndarray) -> None:
        """Append blocks as one: samples and state first, then the entry that declares them complete."""
        assert self._file is not None
        for block in blocks if share_a_table(self._channels) else [np.concatenate(blocks)]:
            self._take(self._n_written, block)
            self._n_written += len(block)
        n_blocks = len(self._file["checkpoint/rows"])
        layout.append_samples(self._file["checkpoint/state"].id, n_blocks, state[None, :])
        self._declare_complete()

    def _take(self, n_before: int, rows: np.ndarray) -> None:
        """Write output rows (n, n_out) after the first `n_before`, and note their extremes."""
        assert self._storage is not None
        self._storage.append(n_before, rows)
        times = rows[:, self._channels[0].start]
        for channel in self._channels:
            note_extremes(self.extremes, channel.path, tuple(channel.shape), times, columns_of(channel, rows))

    def _declare_complete(self) -> None:
        assert self._file is not None
        self._file.flush()
        rows = self._file["checkpoint/rows"]
        rows.resize(len(rows) + 1, axis=0)
        rows[-1] = self._n_written
        self._file.flush()
        layout.stamp_length(Path(self._file.filename))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold Ctrl-C until the end of the block; turn a failed write into a ComputationError and write no more."""
        with deferred():
            try:
                yield
            except (OSError, RuntimeError) as error:
                self._give_up()
                raise self._write_error(error) from error

    def _give_up(self) -> None:
        """Write no more; the file stays as it is."""
        if self._file is not None:
            cut_off(self._file)
            with suppress(OSError, RuntimeError):
                self._file.close()
        self._file, self._storage, self._held, self._broken = None, None, [], True

    def _write_error(self, error: BaseException) -> ComputationError:
        quoted = re.search(r"error message = '([^']+)'", str(error))
        number = error.errno if isinstance(error, OSError) else None
        reason = quoted[1] if quoted else os.strerror(number) if number else str(error).splitlines()[0]
        cure = "Earlier rows are kept. Free disk space and use --resume."
        if not self._has_rows:
            cure = "Nothing was written. Free disk space and run again."
        return ComputationError(f"Cannot write the result '{self.path}': {reason}. {cure}")
