"""The first bytes of a result file: what it is, and how long it was when its last block was complete.

They are read before HDF5 is trusted with the file.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

FORMAT = "flexmb result"
SEPARATE, SHARED = 2, 3
"""Version of the format with a dataset for every channel, and with one table for all of them"""
READABLE_VERSIONS = (1, SEPARATE, SHARED)
"""Formats that the reader knows; 1 has no warnings."""
TABLE = "table"
"""Dataset of all channels in format 3"""

PREAMBLE_BYTES = 512
_MARK = b"\x89HDF\r\n\x1a\n"
_WORD = 0xFFFFFFFF
_PREAMBLE = "flexmb result\nHDF5 from byte 512 on\ncomplete bytes: {:d}\n"


def stamp_length(path: Path) -> None:
    """Write the current length of the file into its preamble: it is complete.

    HDF5 does not notice that a file which was not closed is too short, and then may wait forever.
    """
    with open(path, "r+b") as file:
        file.write(preamble(path.stat().st_size))


def preamble(length: int) -> bytes:
    """The first bytes of a file that is complete with this length [B]."""
    return _PREAMBLE.format(length).encode().ljust(PREAMBLE_BYTES, b"\n")


def stamped_length(path: Path) -> int:
    """Least length of the file by its preamble [B]; 0 when unknown."""
    with open(path, "rb") as file:
        found = re.match(rb"flexmb result\n.*\ncomplete bytes: (\d+)\n", file.read(PREAMBLE_BYTES))
    return int(found[1]) if found else 0


def is_left_open(path: Path) -> bool:
    """Whether the superblock of the file is intact and marks the file as not closed by its writer.

    HDF5 would wait forever for the writer of a file with a damaged superblock. It has 48 bytes: a mark, versions and
    sizes, the state of the file, four addresses, and their check sum (Jenkins, lookup3).
    """
    with open(path, "rb") as file:
        head = file.read(2 * PREAMBLE_BYTES)
    at = max(head.find(_MARK), 0)
    head = head[at : at + 48]
    is_whole = len(head) == 48 and check_sum(head[:44]) == int.from_bytes(head[44:], "little")
    return is_whole and head[11] != 0


def check_sum(data: bytes) -> int:
    """Check sum lookup3 of Bob Jenkins (2006), as HDF5 stores it after its records; for one byte or more."""
    a = b = c = (0xDEADBEEF + len(data)) & _WORD
    while True:
        x, y, z = struct.unpack("<3I", data[:12].ljust(12, b"\0"))
        a, b, c = (a + x) & _WORD, (b + y) & _WORD, (c + z) & _WORD
        if len(data) <= 12:
            break
        data = data[12:]
        for bits in (4, 6, 8, 16, 19, 4):
            a, b, c = b, (c + b) & _WORD, ((a - c) & _WORD) ^ _turned(c, bits)
    for bits in (14, 11, 25, 16, 4, 14, 24):
        a, b, c = b, ((c ^ b) - _turned(b, bits)) & _WORD, a
    return b


def _turned(word: int, bits: int) -> int:
    return ((word << bits) | (word >> (32 - bits))) & _WORD
