"""Storage of the rows of a result file: a dataset for every channel, or one table for all of them.

Creating, opening and extending a dataset takes some tenths of a millisecond, whatever is in it. So the channels of a
large model share the dataset /table (n_rows, n_numbers), format 3; "start" in the list /model/channels is the first
column of a channel:

    entry = next(entry for entry in json.loads(file["model/channels"][()]) if entry["path"] == "bodies/rod/position")
    file["table"][:, entry["start"] : entry["start"] + 3]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.results import result_layout as layout
from flexmb.results.memory_result import columns_of

if TYPE_CHECKING:
    import h5py

MOST_DATASETS = 400
"""Channels of a file up to which each has a dataset of its own"""
_TABLE_CHUNK = (256, 32)
"""Rows and columns that are stored together: few, so that reading one channel does not read all"""
_LARGEST_CACHE = 2**26
_TABLE_TEXT = "All channels side by side; their columns are listed in /model/channels"


def share_a_table(channels: Sequence[layout.ChannelLike]) -> bool:
    """Whether the channels are columns of one dataset."""
    return len(channels) > MOST_DATASETS


def descriptions(channels: Sequence[layout.ChannelLike]) -> list[dict[str, Any]]:
    """The list of channels as JSON values: reading one list is much faster than opening every dataset."""
    entries = [layout.description(channel) for channel in channels]
    if share_a_table(channels):
        for entry, start in zip(entries, _starts(channels), strict=False):
            entry["start"] = start
    return entries


def create_storage(file: h5py.File, channels: Sequence[layout.ChannelLike], chunk_rows: int) -> None:
    """Create the datasets of all rows, empty."""
    if not share_a_table(channels):
        for channel in channels:
            layout.create_series(file, channel, chunk_rows)
        return
    width = _starts(channels)[-1]
    chunk = (_TABLE_CHUNK[0], min(_TABLE_CHUNK[1], width))
    table = file.create_dataset(layout.TABLE, (0, width), "<f8", maxshape=(None, width), chunks=chunk)
    layout.write_text_attribute(table.id, "unit", "see /model/channels")
    layout.write_text_attribute(table.id, "text", _TABLE_TEXT)


class RowStorage:
    """The open datasets of a file, to append rows of output to."""

    def __init__(self, file: h5py.File, channels: Sequence[layout.ChannelLike]):
        from h5py import h5d

        self.channels = channels
        self.is_table = share_a_table(channels)
        if self.is_table:
            self._datasets = [h5d.open(file.id, layout.TABLE.encode(), _with_cache(_starts(channels)[-1]))]
        else:
            self._datasets = [h5d.open(file.id, channel.path.encode()) for channel in channels]

    def append(self, n_before: int, rows: np.ndarray) -> None:
        """Write output rows (n, n_out) after the first `n_before`."""
        if self.is_table:
            layout.append_samples(self._datasets[0], n_before, self._side_by_side(rows))
            return
        for channel, dataset in zip(self.channels, self._datasets, strict=True):
            layout.append_samples(dataset, n_before, columns_of(channel, rows))

    def _side_by_side(self, rows: np.ndarray) -> np.ndarray:
        """(n, n_numbers) columns of the channels; all rows as they are, if nothing is left out."""
        starts = _starts(self.channels)
        if [channel.start for channel in self.channels] == starts[:-1] and rows.shape[1] == starts[-1]:
            return rows
        return np.concatenate([columns_of(channel, rows).reshape(len(rows), -1) for channel in self.channels], axis=1)


def _with_cache(width: int) -> Any:
    """Access to the table with memory for the pieces of one row: later rows are added to them, and readers in this
    process find them there."""
    from h5py import h5p

    pieces = -(-width // _TABLE_CHUNK[1])
    access = h5p.create(h5p.DATASET_ACCESS)
    access.set_chunk_cache(100 * pieces + 1, min(8 * prod(_TABLE_CHUNK) * pieces, _LARGEST_CACHE), 1.0)
    return access


def _starts(channels: Sequence[layout.ChannelLike]) -> list[int]:
    """First column of every channel in the table, then the width of the table."""
    return [0, *accumulate(prod(channel.shape) for channel in channels)]
