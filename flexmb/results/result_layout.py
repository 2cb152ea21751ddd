"""Layout of the result file, and the HDF5 calls that write it.

    the first 512 bytes     text: the format and the length that the file had when its last block was complete
    /                       attributes format, format_version
    /time, /bodies/..., /joints/..., /energy/..., /sensors/..., ...   one dataset per channel, first dimension time
    /table                  in place of these, for many channels: (n_rows, n_numbers), side by side (format 3)
    /model                  attributes name, folder (of the model file), body_files (JSON: body -> path from there)
    /model/text, settings, channels   the model file; every setting of the run and the list of channels as JSON
    /provenance             attributes flexmb, python, numpy, numba, h5py, started, command
    /checkpoint/state       (n_blocks, n_state) the integrator's whole state after every block
    /checkpoint/rows        (n_blocks,) rows that are complete after every block: written last, it closes the block
    /run/outcome            running, finished, interrupted, failed
    /run/report             the run report, one line per element
    /run/summary            name, value, unit of the numbers of the run
    /run/warnings           the warnings of the run: a list in JSON, cut into pieces; join them (since format 2)

The file is written in the SWMR mode of HDF5 ("single writer, multiple readers"): the library then orders its writes so
that the file is readable at any time (by other tools too: `h5py.File(path, swmr=True)` until the run has ended). In
this mode nothing can be created, so everything is created beforehand.
Low-level calls of h5py are used where there is one call per channel: they are ten times faster.
"""

from __future__ import annotations

import json
from typing import Any, Protocol

import h5py
import numpy as np
from h5py import h5a, h5d, h5p, h5s, h5t

from flexmb.results.result_preamble import FORMAT, PREAMBLE_BYTES, TABLE, preamble, stamp_length

__all__ = ["FORMAT", "PREAMBLE_BYTES", "TABLE", "preamble", "stamp_length"]
LIBRARY_VERSIONS = ("v110", "v110")  # SWMR needs 1.10; nothing newer, so that other tools can read the file
OUTCOME_BYTES = 16
OUTCOMES = ("running", "finished", "interrupted", "failed")
LINE_BYTES = 240
TEXT_LINE = h5py.string_dtype("utf-8", LINE_BYTES)
SUMMARY_ROW = np.dtype(
    [("name", h5py.string_dtype("utf-8", 64)), ("value", "<f8"), ("unit", h5py.string_dtype("utf-8", 16))]
)

STATE_TEXT, ROWS_TEXT = "State of the integrator after each block", "Complete rows after each block"


class ChannelLike(Protocol):
    """A channel as a system describes it: columns start .. start + prod(shape) of an output row."""

    @property
    def path(self) -> str:
        """Name in the file, e.g. 'joints/hinge/force'."""

    @property
    def unit(self) -> str:
        """Unit of its numbers."""

    @property
    def start(self) -> int:
        """First column in a row of output."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of its value at one time."""

    @property
    def text(self) -> str:
        """Meaning of the channel in words."""


def description(channel: ChannelLike) -> dict[str, Any]:
    """A channel as JSON values."""
    columns = list(getattr(channel, "columns", ()))
    entry = {"path": channel.path, "unit": channel.unit, "shape": list(channel.shape), "text": channel.text}
    return {**entry, "columns": columns}


_TEXT = h5py.string_dtype()
_TEXT_KIND, _SCALAR = h5t.py_create(_TEXT, logical=True), h5s.create(h5s.SCALAR)


def write_text_attribute(owner: Any, name: str, value: str) -> None:
    """Write a text attribute on a low-level object; h5py reads it as `str`."""
    attribute = h5a.create(owner, name.encode(), _TEXT_KIND, _SCALAR)
    attribute.write(np.array(value, dtype=_TEXT))


def write_text(group: h5py.Group, name: str, value: str, text: str) -> None:
    """Write a text of any length as a scalar dataset."""
    data = value.encode() or b"\0"
    dataset = group.create_dataset(name, data=np.array(data, dtype=h5py.string_dtype("utf-8", len(data))))
    write_text_attribute(dataset.id, "unit", "-")
    write_text_attribute(dataset.id, "text", text)


def create_series(file: h5py.File, channel: ChannelLike, chunk_rows: int) -> None:
    """Create an empty, extensible dataset of float64 samples for a channel."""
    shape = tuple(channel.shape)
    sample_bytes = 8 * max(1, int(np.prod(shape)))
    properties = h5p.create(h5p.DATASET_CREATE)
    properties.set_chunk((max(1, min(chunk_rows, 2**20 // sample_bytes)), *(max(1, extent) for extent in shape)))
    links = h5p.create(h5p.LINK_CREATE)
    links.set_create_intermediate_group(True)
    space = h5s.create_simple((0, *shape), (h5s.UNLIMITED, *shape))
    describe_series(h5d.create(file.id, channel.path.encode(), h5t.IEEE_F64LE, space, properties, links), channel)


def describe_series(dataset: h5d.DatasetID, channel: ChannelLike) -> None:
    """Write what the samples of a channel mean."""
    write_text_attribute(dataset, "unit", channel.unit)
    write_text_attribute(dataset, "text", channel.text)
    columns = getattr(channel, "columns", ())
    if columns:
        write_text_attribute(dataset, "columns", json.dumps(list(columns)))


def append_samples(dataset: h5d.DatasetID, n_before: int, samples: np.ndarray) -> None:
    """Write samples (n, *shape) after the first `n_before`; later samples are overwritten."""
    n_new, shape = samples.shape[0], samples.shape[1:]
    dataset.set_extent((n_before + n_new, *shape))
    if samples.size == 0:
        return
    target = h5s.create_simple((n_before + n_new, *shape))
    target.select_hyperslab((n_before,) + (0,) * len(shape), samples.shape)
    dataset.write(h5s.create_simple(samples.shape), target, np.ascontiguousarray(samples), h5t.NATIVE_DOUBLE)


def as_text(value: str) -> str:
    """A text that HDF5 can store: file names may contain bytes that are not UTF-8."""
    return value.encode("utf-8", "backslashreplace").decode()


def text_lines(text: str) -> np.ndarray:
    """(lines,) lines of a text, each of which fits one element; longer lines are broken."""
    lines: list[bytes] = []
    text = as_text(text)
    for line in text.splitlines() or [""]:
        rest = line
        while len(rest.encode()) > LINE_BYTES:
            head = rest.encode()[:LINE_BYTES].decode(errors="ignore")
            lines.append(head.encode())
            rest = rest[len(head) :]
        lines.append(rest.encode())
    return np.array(lines, dtype=TEXT_LINE)


def json_pieces(values: Any) -> np.ndarray:
    """(pieces,) JSON values as ASCII text without line breaks, cut into elements; numbers must be finite."""
    text = json.dumps(values, allow_nan=False, separators=(",", ":"))
    pieces = [text[k : k + LINE_BYTES].encode() for k in range(0, len(text), LINE_BYTES)]
    return np.array(pieces, dtype=TEXT_LINE)
