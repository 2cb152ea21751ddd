"""Damage of bytes, for files of any format, and files that are no files."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

_ALIEN = (
    b"",
    b"\0",
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\6\0\0\0",
    b"\x89HDF\r\n\x1a\n",
    b"PK\3\4" + bytes(40),
    b"\x93NUMPY\1\0\x76\0{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(128) + b"\x80\4cos\nsystem\n.",
    b"\x80\4\x95\x1d\0\0\0\0\0\0\0\x8c\5posix\x94\x8c\6system\x94\x93\x94\x8c\2id\x94\x85\x94R\x94.",
    b"%PDF-1.7\n",
    b"\x1f\x8b\x08\0\0\0\0\0\0\3",
    b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'cc'><!ENTITY d '&b;&b;&b;&b;'>]><VTKFile>&d;</VTKFile>",
    b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><VTKFile type='&b;'/>",
    b"\xff\xfe" + "[model]".encode("utf-16-le"),
    b"[" * 5000,
    b"{" * 5000,
    b"((((" * 2000,
    b"\n" * 3000,
    b"#!/bin/sh\necho owned\n",
)


def damage(data: bytes, random: Random) -> bytes:
    """The bytes with one to three faults."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        data = random.choice(_DAMAGES)(data, random)
    return data


def _flip(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8, 64)) if data else 0):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _overwrite(data: bytes, random: Random) -> bytes:
    if not data:
        return data
    start = random.randrange(len(data))
    length = random.choice((1, 2, 4, 8, 64, 512))
    fill = random.choice((b"\0", b"\xff", b"\x7f", b"9", b"-", b"\n", b" "))
    piece = fill * length if random.random() < 0.7 else random.randbytes(length)
    return data[:start] + piece[: len(data) - start] + data[start + length :]


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _lose(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    return data[:start] + data[start + random.choice((1, 3, 16, 500)) :]


def _insert(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    return (
        data[:start]
        + random.choice((random.randbytes(9), b"\0" * 5, "\u202e\u0000".encode(), b"1e999 "))
        + data[start:]
    )


def _repeat(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    piece = data[start : start + random.choice((1, 20, 400))]
    return data[:start] + piece * random.choice((2, 3, 50)) + data[start:]


def _append(data: bytes, random: Random) -> bytes:
    return data + random.choice((random.randbytes(100), b"\0" * 1000, data))


def _alien(data: bytes, random: Random) -> bytes:
    return random.choice(_ALIEN)


_DAMAGES = (_flip, _flip, _flip, _overwrite, _overwrite, _cut, _lose, _insert, _repeat, _append, _alien)


def misplace(path: Path, others: tuple[str, ...], random: Random) -> str:
    """Put something else in the place of a file; says what."""
    path.unlink(missing_ok=True)
    what = random.choice(
        ("missing", "folder", "pipe", "zero", "null", "loop", "other", "dangling", "link", "terminal", "memory")
    )
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    elif what in ("zero", "null", "terminal", "memory"):
        devices = {"zero": "/dev/zero", "null": "/dev/null", "terminal": "/dev/tty", "memory": "/proc/self/maps"}
        path.symlink_to(devices[what])
    elif what == "loop":
        path.symlink_to(path.name)
    elif what == "dangling":
        path.symlink_to("nowhere/at all")
    elif what == "link":
        path.symlink_to("/etc/passwd")
    elif what == "other":
        path.symlink_to(random.choice(others))
    return what
