"""Creation of a result file with everything that must exist before rows can be appended (see `result_layout`)."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import h5py
from h5py import h5f, h5p

from flexmb.results import result_layout as layout
from flexmb.results.result_preamble import SEPARATE, SHARED
from flexmb.results.row_storage import create_storage, descriptions, share_a_table
from flexmb.results.run_identity import RunIdentity
from flexmb.results.versions import versions


def create_result(
    path: Path, channels: Sequence[layout.ChannelLike], identity: RunIdentity, n_state: int, chunk_rows: int
) -> h5py.File:
    """An open result file without rows; `n_state` is the length of a checkpoint."""
    preamble, versions = layout.PREAMBLE_BYTES, layout.LIBRARY_VERSIONS
    file = h5py.File(path, "w", libver=versions, locking=False, userblock_size=preamble)
    try:
        create_groups(file, channels)
        write_identity(file, identity)
        create_storage(file, channels, chunk_rows)
        _create_checkpoints(file, n_state)
    except BaseException:
        file.close()
        raise
    return file


def open_for_appending(path: Path) -> h5py.File:
    """The complete file at `path`, opened in SWMR mode.

    A file that is opened otherwise and then switched to this mode cannot be opened again when its writer is killed in
    between. No chunk cache is used: it would take a gigabyte for a thousand channels.
    """
    access = h5p.create(h5p.FILE_ACCESS)
    access.set_libver_bounds(h5f.LIBVER_V110, h5f.LIBVER_V110)
    access.set_file_locking(False, True)
    access.set_cache(0, 0, 0, 0.0)
    return h5py.File(h5f.open(os.fsencode(path), h5f.ACC_RDWR | h5f.ACC_SWMR_WRITE, access))


def create_groups(file: h5py.File, channels: Sequence[layout.ChannelLike]) -> None:
    """Everything beside the rows and the checkpoints that does not depend on the run."""
    file.attrs["format"] = layout.FORMAT
    file.attrs["format_version"] = SHARED if share_a_table(channels) else SEPARATE
    listed = json.dumps(descriptions(channels))
    layout.write_text(file.create_group("model"), "channels", listed, "The channels in their order as JSON")
    provenance = file.create_group("provenance").id
    for name, version in versions().items():
        layout.write_text_attribute(provenance, name, version)
    _create_outcome(file)


def write_identity(file: h5py.File, identity: RunIdentity) -> None:
    """Write the model, its settings and the provenance of the run."""
    model = file["model"]
    layout.write_text_attribute(model.id, "name", identity.name)
    layout.write_text_attribute(model.id, "folder", layout.as_text(identity.folder))
    layout.write_text_attribute(model.id, "body_files", json.dumps(dict(identity.body_files)))
    layout.write_text(model, "text", identity.text, "The model file of this run")
    layout.write_text(model, "settings", json.dumps(identity.settings), "Every setting of this run as JSON")
    provenance = file["provenance"].id
    layout.write_text_attribute(provenance, "started", identity.started)
    layout.write_text_attribute(provenance, "command", identity.command)


def _create_checkpoints(file: h5py.File, n_state: int) -> None:
    group = file.create_group("checkpoint")
    state = group.create_dataset("state", (0, n_state), "<f8", maxshape=(None, n_state), chunks=(4, max(1, n_state)))
    _describe(state, "-", layout.STATE_TEXT)
    rows = group.create_dataset("rows", (0,), "<i8", maxshape=(None,), chunks=(256,))
    _describe(rows, "-", layout.ROWS_TEXT)


def _create_outcome(file: h5py.File) -> None:
    run = file.create_group("run")
    layout.write_text(
        run, "outcome", "running".ljust(layout.OUTCOME_BYTES, "\0"), "One of: " + ", ".join(layout.OUTCOMES)
    )
    report = run.create_dataset("report", (0,), layout.TEXT_LINE, maxshape=(None,), chunks=(64,))
    _describe(report, "-", "The run report, line by line")
    summary = run.create_dataset("summary", (0,), layout.SUMMARY_ROW, maxshape=(None,), chunks=(64,))
    _describe(summary, "see its column 'unit'", "The numbers of the run")
    warnings = run.create_dataset("warnings", (0,), layout.TEXT_LINE, maxshape=(None,), chunks=(16,))
    _describe(warnings, "-", "The warnings of the run, JSON in pieces")


def _describe(dataset: h5py.Dataset, unit: str, text: str) -> None:
    layout.write_text_attribute(dataset.id, "unit", unit)
    layout.write_text_attribute(dataset.id, "text", text)
