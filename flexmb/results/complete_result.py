"""Result file of a run that has ended, written at once.

A short run needs no appending: its file is composed in memory and written as a whole. Runs of one model have files of
one form, the arrays in the same places; so the form, with everything that does not depend on the run, is kept, and a
further run costs its own texts and numbers only. HDF5 objects are ten times dearer than the numbers in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from pathlib import Path

import h5py
import numpy as np
from h5py import h5d, h5f, h5p, h5s, h5t

from flexmb.results import result_layout as layout
from flexmb.results.channel_columns import NamedChannel
from flexmb.results.memory_result import columns_of
from flexmb.results.result_creation import create_groups, write_identity
from flexmb.results.run_identity import RunIdentity
from flexmb.warning import WarningRecord

_KEPT_FORMS, _LARGEST_KEPT = 4, 2**24
"""Number of forms that are kept, and the size of a file up to which they are [bytes]"""
_ROWS, _STATE, _OUTCOME = "checkpoint/rows", "checkpoint/state", "run/outcome"


@dataclass(frozen=True)
class _Form:
    """A result file without the numbers of a run, and where they belong."""

    image: bytes
    places: dict[str, int]
    """Offset of every array in the file, by path [bytes]"""


def write_complete(
    path: Path,
    channels: Sequence[layout.ChannelLike],
    identity: RunIdentity,
    rows: np.ndarray,
    state: np.ndarray,
    ended: tuple[str, str, Sequence[tuple[str, float, str]], Sequence[WarningRecord]],
) -> None:
    """Write rows (n, n_out), the state after them (k,), and outcome, report, numbers and warnings of an ended run."""
    made = _form if rows.nbytes < _LARGEST_KEPT else _form.__wrapped__
    form = made(tuple(map(_hashed, channels)), len(rows), len(state))
    file = h5py.File(h5f.open(b"result", h5f.ACC_RDWR, _in_memory(form.image)))
    outcome, report, numbers, warnings = ended
    write_identity(file, identity)
    _write_end(file, report, numbers, warnings)
    arrays = {channel.path: columns_of(channel, rows) for channel in channels}
    arrays |= {_STATE: state, _ROWS: np.array([len(rows)], dtype="<i8")}
    arrays[_OUTCOME] = np.frombuffer(outcome.encode().ljust(layout.OUTCOME_BYTES, b"\0"), np.uint8)
    _write_filled(path, _closed(file), {form.places[name]: values for name, values in arrays.items() if values.size})


def _write_filled(path: Path, image: bytes, arrays: dict[int, np.ndarray]) -> None:
    """Write a file whose bytes behind the preamble are `image`, with these arrays at their places in the file."""
    view, at = memoryview(image), 0
    with open(path, "wb") as file:
        file.write(layout.preamble(layout.PREAMBLE_BYTES + len(image)))
        for place, values in sorted(arrays.items(), key=itemgetter(0)):
            start = place - layout.PREAMBLE_BYTES
            file.write(view[at:start])
            file.write(np.ascontiguousarray(values).data)
            at = start + values.nbytes
        file.write(view[at:])


def write_end(
    file: h5py.File,
    outcome: str,
    report: str,
    numbers: Sequence[tuple[str, float, str]],
    warnings: Sequence[WarningRecord],
) -> None:
    """Write the end of a run into its file; the outcome is the last."""
    _write_end(file, report, numbers, warnings)
    file.flush()
    run = file["run"]
    run["outcome"][()] = np.array(outcome.encode(), dtype=run["outcome"].dtype)
    file.flush()


def _write_end(
    file: h5py.File, report: str, numbers: Sequence[tuple[str, float, str]], warnings: Sequence[WarningRecord]
) -> None:
    rows = [(name.encode(), value, unit.encode()) for name, value, unit in numbers]
    replace_rows(file, "run/report", layout.text_lines(report))
    replace_rows(file, "run/summary", np.array(rows, dtype=layout.SUMMARY_ROW))
    replace_rows(file, "run/warnings", layout.json_pieces([warning.as_dict() for warning in warnings]))


def replace_rows(file: h5py.File, path: str, rows: np.ndarray) -> None:
    """Replace all lines (n,) of a text, or records, of an array that may grow."""
    dataset = h5d.open(file.id, path.encode())
    dataset.set_extent((len(rows),))
    if len(rows):
        dataset.write(h5s.ALL, h5s.ALL, rows)


@lru_cache(_KEPT_FORMS)
def _form(channels: tuple[NamedChannel, ...], n_rows: int, n_state: int) -> _Form:
    creation = h5p.create(h5p.FILE_CREATE)
    creation.set_userblock(layout.PREAMBLE_BYTES)
    file = h5py.File(h5f.create(b"form", h5f.ACC_TRUNC, creation, _in_memory()))
    create_groups(file, channels)
    file.create_group("checkpoint")
    arrays = {}
    for channel in channels:
        arrays[channel.path] = _reserved(file, channel.path, (n_rows, *channel.shape), h5t.IEEE_F64LE)
        layout.describe_series(arrays[channel.path], channel)
    for path, shape, kind, text in (
        (_STATE, (1, n_state), h5t.IEEE_F64LE, layout.STATE_TEXT),
        (_ROWS, (1,), h5t.STD_I64LE, layout.ROWS_TEXT),
    ):
        arrays[path] = _reserved(file, path, shape, kind)
        layout.write_text_attribute(arrays[path], "unit", "-")
        layout.write_text_attribute(arrays[path], "text", text)
    arrays[_OUTCOME] = h5d.open(file.id, _OUTCOME.encode())
    places = {path: array.get_offset() or 0 for path, array in arrays.items()}
    arrays.clear()
    return _Form(bytes(layout.PREAMBLE_BYTES) + _closed(file), places)


def _hashed(channel: layout.ChannelLike) -> NamedChannel:
    """A channel as far as the form of a file depends on it."""
    if isinstance(channel, NamedChannel):
        return channel
    columns = tuple(getattr(channel, "columns", ()))
    return NamedChannel(channel.path, channel.unit, 0, tuple(channel.shape), channel.text, columns)


def _reserved(file: h5py.File, path: str, shape: tuple[int, ...], kind: h5t.TypeID) -> h5d.DatasetID:
    """A new array of fixed length whose place in the file is taken, but not filled."""
    properties, links = h5p.create(h5p.DATASET_CREATE), h5p.create(h5p.LINK_CREATE)
    properties.set_alloc_time(h5d.ALLOC_TIME_EARLY)
    properties.set_fill_time(h5d.FILL_TIME_NEVER)
    links.set_create_intermediate_group(True)
    return h5d.create(file.id, path.encode(), kind, h5s.create_simple(shape), properties, links)


def _in_memory(image: bytes = b"") -> h5p.PropFAID:
    """Access to a file that is not on a disk."""
    access = h5p.create(h5p.FILE_ACCESS)
    access.set_libver_bounds(h5f.LIBVER_V110, h5f.LIBVER_V110)
    access.set_fapl_core(2**20, False)
    if image:
        access.set_file_image(image)
    return access


def _closed(file: h5py.File) -> bytes:
    """The bytes of a file in memory, which is closed; HDF5 leaves out the preamble before its own."""
    file.flush()
    image: bytes = file.id.get_file_image()
    file.close()
    return image
