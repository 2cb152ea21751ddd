"""Files that flexmb writes: whether a path can be written, asked before anything is computed, and how it is written.

A file is written beside its place under a draft name and moved there when it is complete, so that nobody ever opens an
incomplete file, and a failure leaves what was there before. Functions that end in `_fault` give the reason why not as
one sentence, empty when nothing is wrong.
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
    """Sentence when the name `path` has none of these endings, else ""."""
    if Path(path).suffix.lower() in suffixes:
        return ""
    listed = " or ".join([", ".join(suffixes[:-1]), suffixes[-1]] if len(suffixes) > 1 else suffixes)
    return f"Cannot write {clipped(os.fspath(path), 200)}: its name must end in {listed}."


def place_fault(path: str | os.PathLike[str], example: str = "") -> str:
    """Sentence when no file can be written at `path`, else ""; `example`: the name to propose in a folder."""
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
    """Sentence when no file of the kind `suffix` can be written at `path`, else ""; files of another kind, such as a
    model file or the result itself, are not replaced."""
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
    """Sentence when `what` ("a result of flexmb") cannot be written at `path`, else ""; other files are kept."""
    named = Path(path)
    if fault := place_fault(named, example):
        return fault
    if named.exists() and not is_own(named):
        return f"'{named}' exists and is not {what}: it is not overwritten. Choose another name."
    return ""


def writing_fault(path: str | os.PathLike[str], error: OSError) -> str:
    """Message of the operating system about a file that could not be written."""
    return f"Cannot write {clipped(os.fspath(path), 200)}: {error.strerror or error}."


def output_path(path: str | os.PathLike[str], suffix: str) -> Path:
    """The file to write, links followed; an InputError when it cannot be written."""
    if fault := replacing_fault(path, suffix):
        raise InputError(fault)
    return Path(os.path.realpath(path))


@contextmanager
def drafted(path: str | os.PathLike[str], suffix: str) -> Iterator[Path]:
    """The draft to write into; it becomes `path` when the block ends well and is deleted when it does not."""
    target = output_path(path, suffix)
    with write_errors(path), draft_of(target, suffix) as draft:
        yield draft


@contextmanager
def write_errors(path: str | os.PathLike[str], kind: type[Exception] = InputError) -> Iterator[None]:
    """Turn what the system says about a file that cannot be written into an error of ours."""
    try:
        yield
    except OSError as error:
        raise kind(writing_fault(path, error)) from error


@contextmanager
def draft_of(target: Path, suffix: str) -> Iterator[Path]:
    """The draft of a path that may be written, nothing checked; see `drafted`."""
    draft = target.with_name(f".{target.stem[:40]}.{os.getpid()}.part{suffix}")

    def remove() -> None:
        with suppress(OSError):
            draft.unlink()

    with cleaned(remove):
        yield draft
        os.replace(draft, target)


@contextmanager
def temporary_folder(within: Path | None = None, prefix: str = "flexmb-") -> Iterator[Path]:
    """A folder that is gone when the block has ended."""
    folder = tempfile.TemporaryDirectory(dir=within, prefix=prefix, ignore_cleanup_errors=True)
    with cleaned(folder.cleanup):
        yield Path(folder.name)


def _is_hdf5(path: Path) -> bool:
    import h5py

    return bool(h5py.is_hdf5(path))
