"""Arrays of an HDF5 file that may come from anywhere: found by their path, stored in this very file, not too long.

An HDF5 file can point to other files (links, outside storage, virtual arrays), and can promise arrays of any length
that were never written. Neither is followed. Reading raises `Damaged` with a text for people, or what h5py raises
(`UNREADABLE`) on bytes that make no sense.
"""

from __future__ import annotations

import os
from typing import Any

import h5py

UNREADABLE = (
    *(OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError),
    *(RecursionError, OverflowError, IndexError),
)
"""What h5py, json and numpy raise on bytes that make no sense."""
_MOST_EXPANSION = 1032
"""How many times longer than its stored bytes an array may be: the most that compression (deflate) can do."""
_LARGE, _MOST_EXPANSION_OF_LARGE = 2**28, 50
"""Bytes of an array that takes memory worth minding, and what files of others, packed again, reach with numbers"""

_SEARCHED = 2**26
"""Bytes at the beginning and at the end of a file that are searched for texts"""
_ENTRY = 16
"""Bytes of the head of a store of texts and of each of its entries"""


class Damaged(ValueError):
    """Something in the file cannot be true; the text says what."""


def reason_of(error: BaseException) -> str:
    """The part of a message that tells why a file cannot be read."""
    if not isinstance(error, (Damaged, OSError, KeyError, RuntimeError)) or isinstance(error, RecursionError):
        return "something in it is of another kind than it should be"
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return text.strip(" .")[:200] or "it makes no sense"


def check_texts(path: str | os.PathLike[str]) -> None:
    """Refuse a file whose stores of texts ("global heaps") are damaged: HDF5 would read on in them for ever.

    A store is "GCOL", version, length, then entries of number, length and bytes; an entry of length zero never ends.
    Looked at are the first and the last bytes of the file, where flexmb writes texts.
    """
    with open(path, "rb") as file:
        end = file.seek(0, os.SEEK_END)
        for start in sorted({0, max(0, end - _SEARCHED)}):
            file.seek(start)
            if not _stores_end(file.read(_SEARCHED)):
                raise Damaged("a store of texts in it is damaged")


def _stores_end(data: bytes) -> bool:
    """Whether the entries of every store of texts in the data fill it and come to an end."""
    at = data.find(b"GCOL\1\0\0\0")
    while at >= 0:
        end = at + int.from_bytes(data[at + 8 : at + 16], "little")
        entry = at + _ENTRY
        while entry + _ENTRY <= end <= len(data):
            number = int.from_bytes(data[entry : entry + 2], "little")
            length = int.from_bytes(data[entry + 8 : entry + 16], "little")
            step = _ENTRY + -(-length // 8) * 8 if number else length  # number 0 is what is left over
            if step < _ENTRY or entry + step > end:
                return False
            entry += step
        at = data.find(b"GCOL\1\0\0\0", at + _ENTRY)
    return True


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
    expansion = _MOST_EXPANSION if found.nbytes < _LARGE else _MOST_EXPANSION_OF_LARGE
    if found.nbytes > expansion * found.id.get_storage_size():
        raise Damaged(f"'{path}' is longer than what is stored of it")
    return found
