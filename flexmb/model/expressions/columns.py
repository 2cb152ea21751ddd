"""Data by columns, for `interp` and for tables of motions and springs: named columns of numbers with a unit each.

Enters: a header such as "torque [N*m]" and the numbers of every column, from the model or a CSV file (csv_file.py);
leaves: `DataTable`, numbers in SI. A column without a unit holds plain numbers, in the SI unit of where they are used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Real
from typing import Any

from flexmb.model.expressions.tokens import TextError
from flexmb.model.units import Dimension, parse_unit
from flexmb.suggestions import clipped, did_you_mean

MOST_COLUMNS = 200
MOST_NUMBERS = 200_000
"""Most numbers of one table, all columns together"""
LARGEST = 1e60
"""Largest number (SI)"""


@dataclass(frozen=True)
class Column:
    """Numbers of one kind."""

    name: str
    dimension: Dimension | None
    """None: the header has no unit."""
    values: tuple[float, ...]
    """SI."""


@dataclass(frozen=True)
class DataTable:
    """Columns of equal length."""

    name: str
    columns: tuple[Column, ...]
    source: tuple[tuple[str, tuple[float, ...]], ...]
    """Headers and numbers as they were given."""
    lines: tuple[int, ...] = field(default=(), compare=False)
    """Line of every row in its file; empty without a file."""

    @property
    def raw(self) -> dict[str, list[float]]:
        """The table as a model file has it: header -> numbers in the unit of the header."""
        return {header: list(values) for header, values in self.source}

    def column(self, name: str) -> Column:
        """The column of this name; raises TextError."""
        for column in self.columns:
            if column.name == name:
                return column
        hint = did_you_mean(name, (column.name for column in self.columns), "Columns")
        raise TextError(f"'{self.name}' has no column '{name[:60]}'", hint=hint)

    def pair(self, x: str | None = None, y: str | None = None) -> tuple[Column, Column]:
        """Two columns, x increasing; default: the first, and the other one of two. Raises TextError."""
        first = self.columns[0] if x is None else self.column(x)
        if y is None and len(self.columns) > 2:
            names = ", ".join(column.name for column in self.columns)
            raise TextError(
                f"'{self.name}' has {len(self.columns)} columns: name the one to use", hint=f"One of: {names}."
            )
        others = [column for column in self.columns if column is not first]
        second = others[0] if y is None else self.column(y)
        if first is second:
            raise TextError(f"'{self.name}': column '{first.name}' cannot be a function of itself")
        if len(first.values) < 2:
            raise TextError(f"'{self.name}' has {len(first.values)} rows of numbers, but at least 2 are needed")
        for row, (before, after) in enumerate(pairwise(first.values), 1):
            if after <= before:
                given = self.source[self.columns.index(first)][1]
                place = f"line {self.lines[row]}" if self.lines else f"row {row + 1}"
                found = f"found {given[row]:g} after {given[row - 1]:g}"
                raise TextError(f"'{self.name}', {place}: column '{first.name}' must increase, {found}")
        return first, second


def data_table(name: str, raw: Mapping[str, Sequence[Any]], lines: Sequence[int] = ()) -> DataTable:
    """A table from its headers and numbers, and the lines of a file; raises TextError with the first faults."""
    faults = list[str]()
    if not 2 <= len(raw) <= MOST_COLUMNS:
        raise TextError(f"expected 2 to {MOST_COLUMNS} columns, found {len(raw)}")
    lengths = {header: len(values) for header, values in raw.items()}
    if sum(lengths.values()) > MOST_NUMBERS:
        raise TextError(f"{sum(lengths.values())} numbers are too many (at most {MOST_NUMBERS})")
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"'{header[:40]}' {length}" for header, length in list(lengths.items())[:6])
        raise TextError(f"the columns differ in length: {shown}")
    columns = list[Column]()
    for header, values in raw.items():
        try:
            column = _column(header, values)
        except TextError as error:
            faults.append(error.message)
            continue
        if any(column.name == other.name for other in columns):
            faults.append(f"two columns have the name '{column.name}'")
        columns.append(column)
    if faults:
        raise TextError("; ".join(faults[:5]))
    source = tuple((header, tuple(float(value) for value in values)) for header, values in raw.items())
    return DataTable(name, tuple(columns), source, tuple(lines))


def column_name(header: str) -> tuple[str, str]:
    """Name and unit of a header such as "torque [N*m]"; the unit is empty when there is none."""
    name, bracket, unit = header.strip().partition("[")
    if bracket and not unit.rstrip().endswith("]"):
        raise TextError(f"column {clipped(header)}: the bracket of the unit is not closed")
    name, unit = name.strip(), unit.rstrip().removesuffix("]").strip()
    if not name:
        raise TextError(f"column {clipped(header)} has no name", hint="Write a header such as: torque [N*m].")
    return name, unit


def _column(header: str, values: Sequence[Any]) -> Column:
    name, text = column_name(header)
    factor, dimension = 1.0, None
    if text:
        try:
            factor, dimension = parse_unit(text)
        except TextError as error:
            raise TextError(f"column '{name[:60]}': {error.message}. {error.hint}".rstrip(". ")) from None
    numbers = list[float]()
    for row, value in enumerate(values, 1):
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TextError(f"row {row}, column '{name[:60]}': expected a number, found {clipped(value)}")
        number = float(value) * factor
        if not (math.isfinite(number) and abs(number) <= LARGEST):
            raise TextError(f"row {row}, column '{name[:60]}': expected a finite number, found {clipped(value)}")
        numbers.append(number)
    return Column(name, dimension, tuple(numbers))
