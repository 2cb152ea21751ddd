"""Arrays of an HDF5 file from an untrusted source: found by path, stored in the same file, not longer than stored.

An HDF5 file can point to other files (links, external storage, virtual arrays), and can declare arrays of any length
that were never written. Neither is followed. Reading raises `Damaged` with a readable reason, or what h5py raises
(`UNREADABLE`) on damaged bytes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import h5py

UNREADABLE = (
    *(OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError),
    *(RecursionError, OverflowError, IndexError),
)
"""Exceptions of h5py, json and numpy on damaged bytes."""
_MOST_EXPANSION = 1032
"""Largest ratio of array bytes to stored bytes: the limit of deflate compression."""
_LARGE, _MOST_EXPANSION_OF_LARGE = 2**28, 50
"""Arrays above this size [bytes] are checked, and the compression ratio that repacked numeric files may reach"""

_SEARCHED = 2**26
"""Bytes at the start and the end of a file that are searched for strings"""
_ENTRY = 16
"""Bytes of the header of a global heap and of each of its entries"""


class Damaged(ValueError):
    """Contents of a file that are inconsistent; the text says which."""


def reason_of(error: BaseException) -> str:
    """The part of a message that explains why a file cannot be read."""
    if not isinstance(error, (Damaged, OSError, KeyError, RuntimeError)) or isinstance(error, RecursionError):
        return "an entry has an unexpected type"
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return text.strip(" .")[:200] or "its contents are inconsistent"


def check_texts(path: str | os.PathLike[str]) -> None:
    """Reject a file whose string stores ("global heaps") are damaged: HDF5 would read them for ever.

    A heap is "GCOL", version, length, then entries of number, length and bytes; an entry of length zero never ends.
    Only the first and the last bytes of the file are searched, where flexmb writes strings.
    """
    with open(path, "rb") as file:
        end = file.seek(0, os.SEEK_END)
        for start in sorted({0, max(0, end - _SEARCHED)}):
            file.seek(start)
            if not _stores_end(file.read(_SEARCHED)):
                raise Damaged("a string store (global heap) is damaged")


def _stores_end(data: bytes) -> bool:
    """Whether the entries of every global heap in the data fill it and end."""
    at = data.find(b"GCOL\1\0\0\0")
    while at >= 0:
        end = at + int.from_bytes(data[at + 8 : at + 16], "little")
        entry = at + _ENTRY
        while entry + _ENTRY <= end <= len(data):
            number = int.from_bytes(data[entry : entry + 2], "little")
            length = int.from_bytes(data[entry + 8 : entry + 16], "little")
            step = _ENTRY + -(-length // 8) * 8 if number else length  # number 0 is free space
            if step < _ENTRY or entry + step > end:
                return False
            entry += step
        at = data.find(b"GCOL\1\0\0\0", at + _ENTRY)
    return True


def stored(file: h5py.File, path: str) -> Any:
    """The group or dataset at `path`, without following links to other files."""
    import h5py

    here: Any = file
    for part in path.split("/"):
        name = part.encode()
        if not isinstance(here, h5py.Group) or not name or not here.id.links.exists(name):
            raise Damaged(f"'{path}' is missing")
        if here.id.links.get_info(name).type != h5py.h5l.TYPE_HARD:
            raise Damaged(f"'{path}' is stored in another file")
        here = here[part]
    return here


def is_stored(file: h5py.File, path: str) -> bool:
    """Whether there is a group or dataset at `path`."""
    try:
        return stored(file, path) is not None
    except Damaged:
        return False


def stored_array(file: h5py.File, path: str) -> h5py.Dataset:
    """The dataset at `path`, if its declared length is consistent with its stored bytes."""
    import h5py

    found = stored(file, path)
    if not isinstance(found, h5py.Dataset) or found.shape is None:
        raise Damaged(f"'{path}' is missing")
    if found.external is not None or found.is_virtual:
        raise Damaged(f"'{path}' is stored in another file")
    expansion = _MOST_EXPANSION if found.nbytes < _LARGE else _MOST_EXPANSION_OF_LARGE
    if found.nbytes > expansion * found.id.get_storage_size():
        raise Damaged(f"'{path}' is declared longer than its stored data")
    return found
