"""Tables of numbers in columns of fixed width, which may touch each other: Ansys, universal files, CalculiX results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError

_MOST_COLUMNS = 1000


def whole_columns(lines: Sequence[str], width: int, count: int, first: int, start: int = 0) -> Integers:
    """(lines, count) whole numbers; empty columns are zero. first : number of the first line, for messages."""
    table = _columns(lines, width, count, start)
    try:
        return np.where(table == b"", b"0", table).astype(np.int64)
    except (ValueError, OverflowError):
        raise _wrong(table, lines, first, int) from None


def real_columns(lines: Sequence[str], width: int, count: int, first: int, start: int = 0) -> Floats:
    """(lines, count) numbers; empty columns are zero, exponents may begin with D."""
    if not len(lines):
        return np.zeros((0, count))
    table = _columns(lines, width, count, start)
    table = np.char.replace(np.char.upper(table), b"D", b"E")
    try:
        return np.where(table == b"", b"0", table).astype(np.float64)
    except ValueError:
        raise _wrong(table, lines, first, float) from None


def _columns(
    lines: Sequence[str], width: int, count: int, start: int
) -> np.ndarray[tuple[int, int], np.dtype[np.bytes_]]:
    if not (0 < width <= 100 and 0 < count <= _MOST_COLUMNS):
        raise InputError([Fault("the format of a table of numbers cannot be read.", hint="Write the file again.")])
    size = width * count
    rows = [line[start : start + size].ljust(size).encode("ascii", "replace") for line in lines]
    cells = (
        np.array(rows, dtype=f"S{size}").view(f"S{width}").reshape(-1, count) if rows else np.zeros((0, count), "S1")
    )
    return np.char.strip(cells)  # type: ignore[no-any-return]


def _wrong(table: object, lines: Sequence[str], first: int, kind: type) -> InputError:
    for i, row in enumerate(np.asarray(table)):
        for cell in row:
            try:
                kind(cell or b"0")
            except ValueError:
                text = f"line {first + i}: '{lines[i].strip()[:60]}' has a field that is not a number."
                return InputError([Fault(text, hint="Check that the file is complete.")])
    return InputError([Fault(f"after line {first} a number is too large.", hint="Check that the file is complete.")])
