"""Arrays of an HDF5 file that may come from anywhere: found by their path, stored in this very file, not too long.

An HDF5 file can point to other files (links, outside storage, virtual arrays), and can promise arrays of any length
that were never written. Neither is followed. Reading raises `Damaged` with a text for people, or what h5py raises
(`UNREADABLE`) on bytes that make no sense.
"""

from __future__ import annotations

from typing import Any

import h5py

UNREADABLE = (
    *(OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError),
    *(RecursionError, OverflowError, IndexError),
)
"""What h5py, json and numpy raise on bytes that make no sense."""
_MOST_EXPANSION = 1032
"""How many times longer than its stored bytes an array may be: the most that compression (deflate) can do."""


class Damaged(ValueError):
    """Something in the file cannot be true; the text says what."""


def reason_of(error: BaseException) -> str:
    """The part of a message that tells why a file cannot be read."""
    if not isinstance(error, (Damaged, OSError, KeyError, RuntimeError)) or isinstance(error, RecursionError):
        return "something in it is of another kind than it should be"
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return text.strip(" .")[:200] or "it makes no sense"


def stored(file: h5py.File, path: str) -> Any:
    """The group or dataset at `path`, reached without leaving the file."""
    here: Any = file
    for part in path.split("/"):
        name = part.encode()
        if not isinstance(here, h5py.Group) or not name or not here.id.links.exists(name):
            raise Damaged(f"'{path}' is missing")
        if here.id.links.get_info(name).type != h5py.h5l.TYPE_HARD:
            raise Damaged(f"'{path}' lies in another file")
        here = here[part]
    return here


def is_stored(file: h5py.File, path: str) -> bool:
    """Whether there is anything at `path`."""
    try:
        return stored(file, path) is not None
    except Damaged:
        return False


def stored_array(file: h5py.File, path: str) -> h5py.Dataset:
    """The dataset at `path`, not longer than what is stored of it can be."""
    found = stored(file, path)
    if not isinstance(found, h5py.Dataset) or found.shape is None:
        raise Damaged(f"'{path}' is missing")
    if found.external is not None or found.is_virtual:
        raise Damaged(f"'{path}' lies in another file")
    if found.nbytes > _MOST_EXPANSION * found.id.get_storage_size():
        raise Damaged(f"'{path}' is longer than what is stored of it")
    return found
