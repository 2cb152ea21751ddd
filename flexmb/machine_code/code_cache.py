"""Folders and files of machine code: only folders of this user, only complete files.

To load machine code, or numba's pickled description of it, is to execute it. So a folder is used only if no other user
can write to it or exchange it: every folder on the way from the root belongs to root or to this user, and others can
not write to it, or only under the rule of the common temporary folder ("sticky": nobody renames or deletes what belongs
to somebody else); the same holds for links on the way. From `flexmb` downwards every folder belongs to this user (root:
to root), is not a link and cannot be written by group or others. Missing folders are created with mode 0700, one after
the other, below a folder that was checked.

The time between check and use does not matter: owner, mode and name of everything that was checked can only be
changed by this user and by root, who need no cache to run their code. A file is opened without following links, and
belongs to this user too. Windows has neither owners nor modes in this sense; there the cache is in the user's profile.

Against damage (a full disk, a crash, a copy that was cut off) the name of a file contains the hash of its content:
`stem.<sha256>.suffix`. A file that does not match is deleted with a `CacheWarning` and made again. A file appears under
its name when it is complete, so any number of processes may read and make the same code at the same time.
"""

from __future__ import annotations

import glob
import hashlib
import os
import stat
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flexmb.errors import CacheWarning as CacheWarning

_MOST_LINKS = 40
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class _Unusable(Exception):
    """Reason against a folder, and what to do."""


@dataclass(frozen=True)
class CodeFolder:
    """A folder for machine code, or the reason why there is none."""

    path: Path | None
    reason: str = ""


def code_folder(*parts: str) -> CodeFolder:
    """The folder flexmb/`parts` in the first usable place: FLEXMB_CACHE, NUMBA_CACHE_DIR, the user's cache."""
    reason = "there is no home folder"
    for number, place in enumerate(_places()):
        try:
            return CodeFolder(_own_folder(place, ("flexmb", *parts)))
        except _Unusable as error:
            reason = str(error) if number == 0 else reason
    return CodeFolder(None, reason)


def private_folder() -> tempfile.TemporaryDirectory[str] | None:
    """A new folder of this process in the temporary folder, removed at its end; None where others could exchange it."""
    try:
        return tempfile.TemporaryDirectory(dir=_checked(Path(tempfile.gettempdir())), prefix="flexmb-code-")
    except (_Unusable, OSError):
        return None


def _places() -> Iterator[Path]:
    """Places for a cache, in the order of preference; a relative one counts from the current folder."""
    for name in ("FLEXMB_CACHE", "NUMBA_CACHE_DIR"):
        if place := os.environ.get(name):
            with suppress(OSError):  # the current folder was deleted
                yield Path(place) if os.path.isabs(place) else Path.cwd() / place
    user_cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"))
    if user_cache.is_absolute():
        yield user_cache


def _own_folder(place: Path, parts: tuple[str, ...]) -> Path:
    """The folder `parts` in `place`, created if missing; raises _Unusable."""
    try:
        here = _checked(place)
        for part in parts:
            here /= part
            with suppress(FileExistsError):
                os.mkdir(here, 0o700)
            _check_own(here)
        with tempfile.TemporaryFile(dir=here):
            return here
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise _Unusable(f"nothing can be written in '{place}' ({reason})") from error


def _check_own(folder: Path) -> None:
    """Check one folder of flexmb."""
    state = os.lstat(folder)
    remedy = "remove it, and flexmb makes a new one"
    if not stat.S_ISDIR(state.st_mode):
        raise _Unusable(f"'{folder}' is a link or a file; {remedy}")
    if hasattr(os, "geteuid") and state.st_uid != os.geteuid():
        raise _Unusable(f"'{folder}' belongs to another user; set FLEXMB_CACHE to a folder of your own")
    if hasattr(os, "geteuid") and state.st_mode & _OTHERS_WRITE:
        raise _Unusable(f"'{folder}' can be written by other users; {remedy}")


def _checked(path: Path) -> Path:
    """The folder `path` without links, created if missing; raises _Unusable if other users could exchange it."""
    here, ahead, links = Path(path.anchor), list(reversed(path.parts[1:])), 0
    while True:
        try:
            state = os.lstat(here)
        except FileNotFoundError:
            with suppress(FileExistsError):
                os.mkdir(here, 0o700)
            continue
        is_link = stat.S_ISLNK(state.st_mode)
        _check_on_the_way(here, state, is_link)
        if is_link:
            links += 1
            if links > _MOST_LINKS:
                raise _Unusable(f"'{path}' has too many links on its way")
            target = Path(os.readlink(here))
            ahead += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            here = Path(target.anchor) if target.is_absolute() else here.parent
        elif not ahead:
            return here
        if ahead:
            part = ahead.pop()
            here = here.parent if part == ".." else here / part


def _check_on_the_way(here: Path, state: os.stat_result, is_link: bool) -> None:
    """Check one folder or link between the root and the folders of flexmb."""
    if not is_link and not stat.S_ISDIR(state.st_mode):
        raise _Unusable(f"'{here}' is not a folder")
    if not hasattr(os, "geteuid"):
        return
    if state.st_uid not in {0, os.geteuid(), *_roots_outside()}:
        what = "is a link of" if is_link else "belongs to"
        raise _Unusable(f"'{here}' {what} another user; set FLEXMB_CACHE to a folder of your own")
    if not is_link and state.st_mode & _OTHERS_WRITE and not state.st_mode & stat.S_ISVTX:
        raise _Unusable(f"'{here}' can be written by other users; type 'chmod go-w {here}', or set FLEXMB_CACHE")


def _roots_outside() -> set[int]:
    """Owner that folders of root show inside a container that does not know the root outside, such as Apptainer."""
    with suppress(OSError, ValueError):
        rows = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
        unknown = int(Path("/proc/sys/kernel/overflowuid").read_text())
        if not any(int(first) <= unknown < int(first) + int(count) for first, _, count in rows):
            return {unknown}
    return set()


def stored_code(folder: Path, stem: str, suffix: str) -> tuple[Path, bytes] | None:
    """Path and content of the complete file `stem` in `folder`; damaged ones are deleted with a warning."""
    for path in code_files(folder, stem, suffix):
        try:
            content = _own_content(path)
        except FileNotFoundError:  # another process has just deleted it
            continue
        except OSError:
            content = None
        if content is not None and path.name == f"{stem}.{_hash(content)}{suffix}":
            return path, content
        discard(path, "is damaged")
    return None


def code_files(folder: Path, stem: str, suffix: str) -> list[Path]:
    """Files `stem` in `folder`, complete or not."""
    return sorted(folder.glob(f"{glob.escape(stem)}.{'[0-9a-f]' * 16}{suffix}"))


def keep_code(folder: Path, stem: str, suffix: str, content: bytes) -> Path:
    """Write a file that appears when it is complete; raises OSError where that fails."""
    path = folder / f"{stem}.{_hash(content)}{suffix}"
    number, draft = tempfile.mkstemp(dir=folder, prefix=".making-")
    try:
        with open(number, "wb") as file:
            file.write(content)
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise
    return path


def discard(path: Path, why: str) -> None:
    """Delete a file of the cache that cannot be used, with a warning."""
    with suppress(OSError):
        path.unlink()
    warnings.warn(f"the file '{path}' of the code cache {why}; it is compiled again.", CacheWarning, stacklevel=2)


def _own_content(path: Path) -> bytes | None:
    """Content of a file of this user; None for a device or a file that others own or can write; a link raises."""
    flags = ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")  # not every system has all
    with open(os.open(path, os.O_RDONLY | sum(getattr(os, flag, 0) for flag in flags)), "rb") as file:
        state = os.fstat(file.fileno())
        is_own = not hasattr(os, "geteuid") or (state.st_uid == os.geteuid() and not state.st_mode & _OTHERS_WRITE)
        return file.read() if is_own and stat.S_ISREG(state.st_mode) else None


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
