"""Read the entries of a matrix file: SciPy .npz, Matrix Market, and lines of numbers of Abaqus and CalculiX.

Text lines hold `row column value` (Abaqus FORMAT=COORDINATE, CalculiX .sti and .mas) or `node, dof, node, dof, value`
(Abaqus FORMAT=MATRIX INPUT); numbers count from 1, separated by commas or blanks, lines that begin with * or # are
comments. Text may be compressed by gzip (.gz). The content of a file decides its format, not its name: .mtx is used by
two of them. A file that lists each pair of unknowns once is half of a symmetric matrix and is completed.
"""

from __future__ import annotations

import gzip
import itertools
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError

_SHORTEST_ENTRY = 2
"""Bytes of a digit and the end of its line: no entry of a text file is shorter"""
_STRONGEST_PACKING = 100
"""Largest compression ratio of a matrix text, whose rows and columns differ from line to line"""
_LONGEST_LINE = 10_000
"""Most characters of a line"""
_UNREADABLE = (
    *(OSError, ValueError, EOFError, KeyError, TypeError, OverflowError, MemoryError),
    *(zipfile.BadZipFile, zlib.error, tokenize.TokenError, SyntaxError, NotImplementedError, AttributeError),
)
"""Exceptions of the readers on files that are damaged or of another format"""
_HELD = 1e30
"""Programs mark a held unknown by a number far above any stiffness (Abaqus: 1e36)"""


@dataclass(frozen=True)
class Entries:
    """The entries of a square matrix, as in its file."""

    rows: Integers
    """(k,) counted from 0: indices in the file's own order of unknowns, or in `labels`"""
    columns: Integers
    values: Floats
    size: int
    """Unknowns; for lines of numbers the largest that occurs"""
    exact_size: bool
    """Whether the file states its size"""
    labels: Integers | None = None
    """(size, 2) node and dof (1 .. 6) of every unknown, if they are in the file"""

    def matrix(self, size: int, place: Integers | None = None) -> Any:
        """(size, size) CSR; `place` gives the new number of every unknown."""
        from scipy import sparse

        rows, columns = (self.rows, self.columns) if place is None else (place[self.rows], place[self.columns])
        matrix = sparse.coo_matrix((self.values, (rows, columns)), shape=(size, size)).tocsr()
        return _completed(matrix)


def read_entries(path: Path, what: str) -> Entries:
    """The entries of the file; `what` ("stiffness", "mass") names it in messages."""
    if not path.is_file():
        raise InputError([Fault(f"there is no file {path}", (what,))])
    try:
        with path.open("rb") as file:
            start = file.read(2)
        if start == b"\x93N":
            raise ValueError("it is a NumPy array (.npy); write a sparse matrix with scipy.sparse.save_npz")
        if start == b"PK":
            entries = _npz_entries(path)
        else:
            is_market = next(_lines(path), "").lower().startswith("%%matrixmarket")
            entries = _market_entries(path) if is_market else _line_entries(path)
    except _UNREADABLE as error:
        is_readable = isinstance(error, ValueError) and not isinstance(error, UnicodeError)
        reason = " ".join(str(error).split())[:200] if is_readable else "it is damaged, or of another format"
        hint = "Supported: SciPy .npz, Matrix Market, Abaqus .mtx, CalculiX .sti/.mas; text may be compressed (.gz)."
        raise InputError([Fault(f"{path} cannot be read as a matrix: {reason}", (what,), hint)]) from None
    faults = _wrong_values(entries, path, what)
    if faults:
        raise InputError(faults)
    return entries


def read_numbers(path: Path) -> Floats:
    """(lines, columns) numbers of a text file; separated by commas or blanks, comments begin with * or #."""
    lines = (line.replace(",", " ") for line in _lines(path) if line.strip() and line.lstrip()[0] not in "*#")
    first = next(lines, None)
    if first is None:
        raise ValueError("it has no numbers")
    return np.loadtxt(itertools.chain([first], lines), dtype=float, comments="#", ndmin=2)


def _lines(path: Path) -> Iterator[str]:
    """The lines of a text; ValueError if they are too long for a matrix, which guards the memory."""
    left = _STRONGEST_PACKING * (path.stat().st_size + _LONGEST_LINE)
    with _opened(path) as text:
        while line := text.readline(_LONGEST_LINE + 1):
            left -= len(line)
            if len(line) > _LONGEST_LINE:
                raise ValueError(f"it has a line of more than {_LONGEST_LINE} characters")
            if left < 0:
                raise ValueError(f"it unpacks to more than {_STRONGEST_PACKING} times its size")
            yield line


def _opened(path: Path) -> TextIO:
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _npz_entries(path: Path) -> Entries:
    from scipy import sparse

    matrix = sparse.load_npz(path)
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)  # indices out of range would crash later, not raise
    return _sparse_entries(matrix)


def _market_entries(path: Path) -> Entries:
    from scipy.io import mminfo

    next((line for line in _lines(path) if not line.startswith("%")), None)  # a check that the text ends
    rows, columns, entries, form, field, symmetry = mminfo(path)
    packing = _STRONGEST_PACKING if path.suffix.lower() == ".gz" else 1
    if entries * _SHORTEST_ENTRY > packing * path.stat().st_size:
        raise ValueError(f"its header declares {entries} entries, more than the file can hold")
    if field not in ("real", "integer", "double"):
        raise ValueError(f"its entries are {field}, not real numbers")
    if rows != columns:
        raise ValueError(f"it has {rows} rows and {columns} columns")
    if symmetry not in ("general", "symmetric"):
        raise ValueError(f"it is {symmetry}, not general or symmetric")
    # The reader of SciPy crashes on some damaged files.
    return _market_list(path, rows, entries) if form == "coordinate" else _market_table(path, rows, symmetry)


def _market_list(path: Path, size: int, count: int) -> Entries:
    """Read lines `row column value`; of a symmetric matrix the lower half."""
    table = _market_body(path, 3)
    if len(table) != count:
        raise ValueError(f"its header declares {count} entries, it has {len(table)}")
    indices = np.round(table[:, :2])
    if (indices != table[:, :2]).any() or (indices < 1).any() or (indices > size).any():
        raise ValueError(f"an entry has a row or column outside 1 to {size}")
    places = indices.astype(np.int64) - 1
    return Entries(places[:, 0], places[:, 1], table[:, 2], size, True)


def _market_table(path: Path, size: int, symmetry: str) -> Entries:
    """Read all values column by column; of a symmetric matrix the lower half."""
    values = _market_body(path, 1)[:, 0]
    columns, rows = np.divmod(np.arange(size * size if len(values) == size * size else 0), max(size, 1))
    if symmetry == "symmetric":
        columns, rows = np.triu_indices(size) if 2 * len(values) == size * (size + 1) else (rows[:0], rows[:0])
    if len(values) != len(rows):
        raise ValueError(f"it has {len(values)} entries, which do not make {size} rows and columns")
    return Entries(rows, columns, values, size, True)


def _market_body(path: Path, width: int) -> Floats:
    """The numbers after the comments and the line of sizes."""
    lines = (line for line in _lines(path) if line.strip() and not line.lstrip().startswith("%"))
    next(lines, None)
    table = np.loadtxt(lines, dtype=float, comments="%", ndmin=2)
    if table.shape[1] != width:
        raise ValueError(f"its lines have {table.shape[1]} numbers, {width} are needed")
    return table


def _sparse_entries(matrix: Any) -> Entries:
    from scipy import sparse

    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"it has {matrix.shape[0]} rows and {matrix.shape[1]} columns")
    if matrix.dtype.kind not in "fiu":
        raise ValueError(f"its entries are of type {matrix.dtype}, not real numbers")
    coordinates = sparse.coo_matrix(matrix)
    rows, columns = coordinates.row.astype(np.int64), coordinates.col.astype(np.int64)
    return Entries(rows, columns, coordinates.data.astype(float), int(matrix.shape[0]), True)


def _line_entries(path: Path) -> Entries:
    table = read_numbers(path)
    if table.shape[1] not in (3, 5):
        raise ValueError(
            f"its lines have {table.shape[1]} numbers; write row, column, value or node, dof, node, dof, value"
        )
    numbers = table[:, :-1]
    whole = np.round(numbers)
    wrong = np.flatnonzero((whole != numbers).any(axis=1) | (np.abs(whole) > 2**52).any(axis=1))
    if wrong.size:
        raise ValueError(f"entry {wrong[0] + 1} has a row, column, node or dof that is not a whole number")
    indices = whole.astype(np.int64)
    if table.shape[1] == 3:
        if indices.min() < 1:
            raise ValueError("rows and columns must count from 1, found 0 or less")
        size = int(indices.max())
        return Entries(indices[:, 0] - 1, indices[:, 1] - 1, table[:, 2], size, False)
    pairs = np.concatenate([indices[:, :2], indices[:, 2:]])
    labels, places = np.unique(pairs, axis=0, return_inverse=True)
    places = places.reshape(2, -1)
    return Entries(places[0], places[1], table[:, 4], len(labels), True, labels)


def _wrong_values(entries: Entries, path: Path, what: str) -> list[Fault]:
    faults = []
    if entries.values.size == 0:
        faults.append(Fault(f"{path} has no entries", (what,)))
    wrong = int(np.count_nonzero(~np.isfinite(entries.values)))
    if wrong:
        faults.append(Fault(f"{path}: {wrong} entries are not finite numbers", (what,)))
    held = int(np.count_nonzero(np.abs(entries.values[np.isfinite(entries.values)]) > _HELD))
    if held:
        text = f"{path}: {held} entries above {_HELD:g} mark held unknowns"
        faults.append(Fault(text, (what,), "Write the matrices of the free body, without boundary conditions."))
    return faults


def _completed(matrix: Any) -> Any:
    """The matrix, completed by its other half if only one of two mirrored entries is ever listed."""
    from scipy import sparse

    diagonal = sparse.diags_array(matrix.diagonal(), format="csr")
    off = sparse.csr_matrix(matrix - diagonal)
    off.eliminate_zeros()
    if off.nnz == 0:
        return matrix
    pattern = abs(off)
    pattern.data[:] = 1.0
    both = pattern.multiply(pattern.T).nnz
    return sparse.csr_matrix(matrix + off.T) if both == 0 else matrix
