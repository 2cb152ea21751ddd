"""Result files of runs that have ended: one is kept while a new run replaces it, one gets further warnings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import h5py

from flexmb.results import result_layout as layout
from flexmb.results.complete_result import replace_rows
from flexmb.results.result_file import Result, is_own_result, is_result_file
from flexmb.warning import WarningRecord


def earlier_path(path: Path) -> Path:
    """Name under which a finished result is kept until the new run is finished, too."""
    return path.with_name(path.name + ".earlier")


def keep_finished(path: Path) -> None:
    """Give a finished result a second name, under which it is kept when `path` is replaced."""
    earlier = earlier_path(path)
    if not is_result_file(path) or (earlier.exists() and not is_own_result(earlier)):
        return
    is_finished = False
    with suppress(OSError, KeyError), h5py.File(path, "r", locking=False) as file:
        is_finished = bytes(file["run/outcome"][()]).rstrip(b"\0") == b"finished"
    if not is_finished:
        return
    earlier.unlink(missing_ok=True)
    try:
        os.link(path, earlier)
    except OSError:  # a file system without hard links
        os.replace(path, earlier)


def add_warnings(path: Path, warnings: Sequence[WarningRecord]) -> None:
    """Add warnings to those of an ended run whose file is closed."""
    with Result(path) as result:
        known = result.warnings
    with h5py.File(path, "r+", libver=layout.LIBRARY_VERSIONS, locking=False) as file:
        replace_rows(file, "run/warnings", layout.json_pieces([warning.as_dict() for warning in (*known, *warnings)]))
    layout.stamp_length(path)
