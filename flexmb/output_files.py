"""Output files: checks of a path before anything is computed, and complete files under drafts.

A file is written in its folder under a draft name and renamed when it is complete, so that nobody ever opens an
incomplete file, and a failure keeps the old one. Functions that end in `_fault` return the reason why a file cannot
be written as one sentence, empty if it can.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from flexmb.errors import InputError
from flexmb.input_files import is_special
from flexmb.stop_signals import cleaned
from flexmb.suggestions import clipped

_HDF5_KINDS = (".vtkhdf", ".mat")


def suffix_fault(path: str | os.PathLike[str], suffixes: Sequence[str]) -> str:
    """Reason why `path` is not the name of a file with one of these extensions."""
    if Path(path).suffix.lower() in suffixes:
        return ""
    listed = " or ".join([", ".join(suffixes[:-1]), suffixes[-1]] if len(suffixes) > 1 else suffixes)
    return f"Cannot write {clipped(os.fspath(path), 200)}: its name must end in {listed}."


def place_fault(path: str | os.PathLike[str], example: str = "") -> str:
    """Reason why no file can be written at `path`, existing or not; `example`: file name to suggest for a folder."""
    named = Path(path)
    try:
        target = Path(os.path.realpath(named))
        if target.is_dir():
            advice = f" Give a file name, e.g. '{named / example}'." if example else ""
            return f"Cannot write '{named}': it is a folder.{advice}"
        if not target.parent.is_dir():
            folder = target.parent if named.is_symlink() else named.parent
            return f"Cannot write {clipped(str(named), 200)}: there is no folder {clipped(str(folder), 200)}."
        if is_special(target):
            return f"Cannot write '{named}': it is a device or a pipe."
        if not target.exists() and target.is_symlink():
            return f"Cannot write '{named}': it is a link to itself."
    except OSError as error:  # such as a name that is too long
        return writing_fault(named, error)
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        reason = error.strerror or error
        return f"Cannot write '{named}': nothing can be written in the folder '{target.parent}' ({reason})."
    if target.exists() and not os.access(target, os.W_OK):
        return f"Cannot write '{named}': it is write-protected."
    return ""


def replacing_fault(path: str | os.PathLike[str], suffix: str) -> str:
    """Reason why no file with the extension `suffix` can be written at `path`, such as an existing file of another
    type: a model file, or the result itself."""
    named = Path(path)
    if fault := place_fault(named):
        return fault
    target = Path(os.path.realpath(named))
    if not target.exists():
        return ""
    if target.suffix.lower() != suffix:
        link = "" if named.name == target.name else f" (a link to '{target}')"
        return (
            f"'{named}'{link} exists and its name does not end in {suffix}: it is not overwritten. Choose another name."
        )
    if suffix not in _HDF5_KINDS and target.is_file() and _is_hdf5(target):
        return f"'{named}' is an HDF5 file, such as a result: it is not overwritten. Choose another name."
    return ""


def foreign_fault(path: str | os.PathLike[str], what: str, is_own: Callable[[Path], bool], example: str = "") -> str:
    """Reason why `what` ("a result of flexmb") cannot be written at `path`, such as an existing other file."""
    named = Path(path)
    if fault := place_fault(named, example):
        return fault
    if named.exists() and not is_own(named):
        return f"'{named}' exists and is not {what}: it is not overwritten. Choose another name."
    return ""


def writing_fault(path: str | os.PathLike[str], error: OSError) -> str:
    """Sentence for a system error about a file that could not be written."""
    return f"Cannot write {clipped(os.fspath(path), 200)}: {error.strerror or error}."


def output_path(path: str | os.PathLike[str], suffix: str) -> Path:
    """The file to write, with links resolved; raises InputError if it cannot be written."""
    if fault := replacing_fault(path, suffix):
        raise InputError(fault)
    return Path(os.path.realpath(path))


@contextmanager
def drafted(path: str | os.PathLike[str], suffix: str) -> Iterator[Path]:
    """The draft to write to; it becomes `path` when the block succeeds and is deleted otherwise."""
    target = output_path(path, suffix)
    with write_errors(path), draft_of(target, suffix) as draft:
        yield draft


@contextmanager
def write_errors(path: str | os.PathLike[str], kind: type[Exception] = InputError) -> Iterator[None]:
    """Turn a system error about a file that cannot be written into an error of flexmb."""
    try:
        yield
    except OSError as error:
        raise kind(writing_fault(path, error)) from error


@contextmanager
def draft_of(target: Path, suffix: str) -> Iterator[Path]:
    """The draft of a path that was checked before; see `drafted`."""
    draft = target.with_name(f".{target.stem[:40]}.{os.getpid()}.part{suffix}")

    def remove() -> None:
        with suppress(OSError):
            draft.unlink()

    with cleaned(remove):
        yield draft
        os.replace(draft, target)


@contextmanager
def temporary_folder(within: Path | None = None, prefix: str = "flexmb-") -> Iterator[Path]:
    """A folder that is deleted at the end of the block."""
    folder = tempfile.TemporaryDirectory(dir=within, prefix=prefix, ignore_cleanup_errors=True)
    with cleaned(folder.cleanup):
        yield Path(folder.name)


def _is_hdf5(path: Path) -> bool:
    import h5py

    return bool(h5py.is_hdf5(path))
