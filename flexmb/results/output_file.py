"""Where a file for other tools is written: refused early when it cannot be, complete when it is there.

A file is written beside its place under a draft name and moved there when it is complete, so that nobody ever opens
half a file, and a failure leaves what was there before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flexmb.drafts import draft_of
from flexmb.errors import InputError
from flexmb.input_files import is_special
from flexmb.suggestions import clipped

_HDF5_KINDS = (".vtkhdf", ".mat")


def check_target(path: str | os.PathLike[str], suffix: str) -> Path:
    """The file to write, links followed; refuses folders and files of another kind: a model file, the result itself."""
    named = Path(path)
    try:
        target = Path(os.path.realpath(named))
        fault = _fault(named, target, suffix)
    except OSError as error:  # such as a name that is too long
        fault = f"Cannot write {clipped(str(named))}: {error.strerror or error}."
    if fault:
        raise InputError(fault)
    return target


def _fault(named: Path, target: Path, suffix: str) -> str:
    """Why nothing can be written to `target`, as the user has named it; empty: it can."""
    if target.is_dir():
        return f"Cannot write '{named}': it is a folder."
    if not target.parent.is_dir():
        folder = target.parent if named.is_symlink() else named.parent
        return f"Cannot write '{named}': there is no folder '{folder}'."
    if not target.exists():
        return f"Cannot write '{named}': it is a link to itself." if target.is_symlink() else ""
    if is_special(target):
        return f"Cannot write '{named}': it is a device or a pipe."
    if target.suffix.lower() != suffix:
        link = "" if named.name == target.name else f" (a link to '{target}')"
        return (
            f"'{named}'{link} exists and its name does not end in {suffix}: it is not overwritten. Choose another name."
        )
    if not os.access(target, os.W_OK):
        return f"Cannot write '{named}': it is write-protected."
    if suffix not in _HDF5_KINDS and target.is_file() and _is_hdf5(target):
        return f"'{named}' is an HDF5 file, such as a result: it is not overwritten. Choose another name."
    return ""


def _is_hdf5(path: Path) -> bool:
    import h5py

    return bool(h5py.is_hdf5(path))


@contextmanager
def drafted(path: str | os.PathLike[str], suffix: str) -> Iterator[Path]:
    """The draft to write into; it becomes `path` when the block ends well and is deleted when it does not."""
    target = check_target(path, suffix)
    try:
        with draft_of(target, suffix) as draft:
            yield draft
    except OSError as error:
        raise InputError(f"Cannot write '{path}': {error.strerror or error}.") from error
