"""CSV files of measured data: text with a line of headers and lines of numbers, checked whole.

A model from somewhere else must not read any file of the user: the file must be below the folder of the model, links
resolved. Columns are separated by commas, semicolons or tabs; empty lines and lines that begin with # are left out.
"""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

from flexmb.input_files import is_special
from flexmb.model.expressions.columns import MOST_NUMBERS, DataTable, column_name, data_table
from flexmb.model.expressions.tokens import TextError
from flexmb.suggestions import clipped

LARGEST_FILE = 10_000_000
"""Largest CSV file [bytes]"""
_SHOWN = 5


def read_csv(name: str, folder: str) -> DataTable:
    """The table in the file `name` below `folder` (empty: the current one); raises TextError with the faults."""
    return _table(name, _text(name, folder))


def _text(name: str, folder: str) -> str:
    shown = clipped(name, 100)
    try:
        root = Path(folder or ".").resolve()
        path = (root / name.replace("\\", "/")).resolve()
        if not path.is_relative_to(root):
            raise TextError(f"{shown} is not below the folder of the model", hint="Put the file beside the model file.")
        if not path.exists():
            raise TextError(f"there is no table or file {shown}", hint=f"Looked for {path}.")
        if path.is_dir() or is_special(path):
            raise TextError(f"{shown} is {'a folder' if path.is_dir() else 'a device or a pipe'}, not a CSV file")
        size = path.stat().st_size
        if size > LARGEST_FILE:
            text = f"{shown} is too large ({size / 1e6:.0f} MB; at most {LARGEST_FILE / 1e6:.0f} MB)"
            raise TextError(text, hint="Keep the columns and rows that the model needs.")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE)
    except (OSError, ValueError) as error:
        if isinstance(error, TextError):
            raise
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise TextError(f"{shown} cannot be read: {reason}") from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise TextError(f"{shown} is UTF-16 text", hint="Save it as CSV in UTF-8.")
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise TextError(f"{shown}, line {line}: a NUL character; this is not a CSV file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TextError(f"{shown}, line {line}: this is not UTF-8 text", hint="Save it as CSV in UTF-8.") from None


def _table(name: str, text: str) -> DataTable:
    shown = clipped(name, 100)
    lines = io.StringIO(text, newline="")
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    delimiter = max(";\t,", key=first.count)
    headers = list[str]()
    columns = list[list[float]]()
    faults, places = list[str](), list[int]()
    rows = csv.reader(lines, delimiter=delimiter)
    n_numbers = 0
    try:
        for row in rows:
            if not any(cell.strip() for cell in row) or row[0].startswith("#"):
                continue
            if not headers:
                headers = _headers(row, rows.line_num)
                columns = [[] for _ in headers]
                continue
            n_numbers += len(headers)
            if n_numbers > MOST_NUMBERS:
                raise TextError(f"more than {MOST_NUMBERS} numbers", hint="Keep what the model needs.")
            places.append(rows.line_num)
            faults += _read_row(row, rows.line_num, headers, columns)
            if len(faults) >= _SHOWN:
                break
    except csv.Error as error:
        faults.append(f"line {rows.line_num}: {error}")
    except TextError as error:
        raise TextError(f"{shown}: {error.message}", hint=error.hint) from None
    if not headers:
        faults.append("the file is empty")
    if faults:
        raise TextError(f"{shown}: {'; '.join(faults[:_SHOWN])}")
    try:
        return data_table(name, dict(zip(headers, columns, strict=True)), places)
    except TextError as error:
        raise TextError(f"{shown}: {error.message}", hint=error.hint) from None


def _headers(row: list[str], line: int) -> list[str]:
    """Headers of the columns, which must have different names."""
    if all(math.isfinite(_number(cell)) for cell in row):
        raise TextError(
            f"line {line}: expected the names of the columns, found numbers", hint="Such as: speed [rpm], torque [N*m]."
        )
    headers = [cell.strip() for cell in row]
    names = [column_name(header)[0] for header in headers]
    if repeated := next((name for k, name in enumerate(names) if name in names[:k]), None):
        raise TextError(f"line {line}: two columns have the name '{repeated[:60]}'")
    return headers


def _read_row(row: list[str], line: int, headers: list[str], columns: list[list[float]]) -> list[str]:
    """Append a row to the columns; returns its faults."""
    if len(row) != len(headers):
        return [f"line {line} has {len(row)} entries, the header has {len(headers)}"]
    faults = list[str]()
    for cell, header, column in zip(row, headers, columns, strict=True):
        number = _number(cell)
        if not math.isfinite(number):
            hint = " (write a decimal point)" if math.isfinite(_number(cell.replace(",", "."))) else ""
            found = clipped(cell.strip()) if cell.strip() else "nothing"
            faults.append(
                f"line {line}, column '{column_name(header)[0][:60]}': expected a finite number, found {found}{hint}"
            )
        column.append(number)
    return faults


def _number(cell: str) -> float:
    """The number in a cell; not a number when it is none."""
    try:
        return math.nan if "_" in cell else float(cell)
    except ValueError:
        return math.nan
