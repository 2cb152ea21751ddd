"""Fields that hold several numbers of different units: tables, polynomial coefficients, the state of a joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flexmb.model.expressions.columns import Column
from flexmb.model.expressions.tables import check_points
from flexmb.model.expressions.tokens import TextError
from flexmb.model.schema.fields import FieldType, Scalar, context_of, field_error, read_list, read_number, unit_of
from flexmb.model.schema.json_forms import TEXT, Schema, either, in_unit, keyed, listed, quantity
from flexmb.model.schema.table import FieldError, ValidationInfo
from flexmb.model.units import KINDS, Amount, Kind, convert, derivative
from flexmb.suggestions import clipped


@dataclass(frozen=True)
class TableField(FieldType):
    """Points [[x, y], ...] with increasing x, or columns of a table or CSV file."""

    x: str
    y: str
    x_turning: str = ""
    y_turning: str = ""
    what: str = "time"

    def read(self, value: Any, info: ValidationInfo) -> tuple[tuple[float, float], ...]:
        if isinstance(value, (str, Mapping)):
            return self._columns(value, info)
        if not isinstance(value, (list, tuple)):
            raise field_error(f"expected a list of pairs [{self.what}, value], found {clipped(value)}")
        kinds = (Scalar(self.x, self.x_turning).kinds(info), Scalar(self.y, self.y_turning).kinds(info))
        points = []
        for i, row in enumerate(value):
            if not isinstance(row, (list, tuple)) or len(row) != 2:
                raise field_error(f"row {i + 1} must be a pair [{self.what}, value], found {clipped(row)}")
            try:
                points.append((read_number(row[0], kinds[0], info), read_number(row[1], kinds[1], info)))
            except FieldError as error:
                raise field_error(f"row {i + 1}: {error.text}") from None
        try:
            check_points(points, self.what)
        except ValueError as error:
            raise field_error(str(error)) from None
        return tuple(points)

    def _columns(self, value: str | Mapping[str, Any], info: ValidationInfo) -> tuple[tuple[float, float], ...]:
        """Two columns: "file.csv", or {data = "file.csv", x = "time", y = "angle"}."""
        given = {"data": value} if isinstance(value, str) else value
        strings = all(isinstance(entry, str) for entry in given.values())
        find = context_of(info).scope.table
        if find is None or "data" not in given or given.keys() - {"data", "x", "y"} or not strings:
            form = '{ data = "file.csv", x = "column", y = "column" }'
            raise field_error(f"expected pairs, the name of a file or {form}, found {clipped(value)}")
        try:
            pair = find(given["data"]).pair(given.get("x"), given.get("y"))
            kinds = (Scalar(self.x, self.x_turning).kinds(info), Scalar(self.y, self.y_turning).kinds(info))
            x, y = (_in_kind(given["data"], column, allowed) for column, allowed in zip(pair, kinds, strict=True))
        except TextError as error:
            raise field_error(error.message, error.hint) from None
        return tuple(zip(x, y, strict=True))

    def json(self) -> Schema:
        units = f"{unit_of(self.x, self.x_turning)}, {unit_of(self.y, self.y_turning)}"
        pairs = listed(listed(quantity(), 2), least=2, words=f"pairs [{units}]")
        columns = keyed(dict.fromkeys(("data", "x", "y"), TEXT), ["data"])
        words = f"{pairs['x-value']}, or columns of a file: its name or `{{ data, x, y }}`"
        return {**either(pairs, columns, TEXT, words=words), "x-unit": units}


def _in_kind(name: str, column: Column, kinds: Sequence[Kind]) -> list[float]:
    """The numbers of a column as one of `kinds`, which its unit must fit."""
    for kind in kinds:
        try:
            factor = convert(Amount(1.0, column.dimension), kind, f"column '{column.name}' of '{name}'")
            return [factor * number for number in column.values]
        except TextError:
            if kind is kinds[-1]:
                raise
    return []


@dataclass(frozen=True)
class Coefficients(FieldType):
    """Polynomial coefficients c0, c1, ... of t of a joint coordinate; the k-th has the unit of a k-th derivative."""

    def read(self, value: Any, info: ValidationInfo) -> tuple[float, ...]:
        if not isinstance(value, (list, tuple)) or not 1 <= len(value) <= 40:
            raise field_error(f"expected a list of 1 to 40 coefficients [c0, c1, ...], found {clipped(value)}")
        bases = Scalar("length", "angle").kinds(info)
        entries = iter(range(len(value)))

        def read(entry: Any) -> float:
            order = next(entries)
            return read_number(entry, [derivative(base, order) for base in bases], info)

        return read_list(value, len(value), read)

    def json(self) -> Schema:
        units = "m or rad, per s^k"
        words = in_unit("numbers", units)
        return {**listed(quantity(), least=1, words=words), "maxItems": 40, "x-unit": units}


@dataclass(frozen=True)
class Numbers(FieldType):
    """Numbers without a unit, with as many entries as one of `counts`; any number of them without."""

    first: int | None = None
    second: int | None = None

    def read(self, value: Any, info: ValidationInfo) -> tuple[float, ...]:
        counts = tuple(count for count in (self.first, self.second) if count is not None)
        length = counts or (len(value) if isinstance(value, (list, tuple)) else 1)
        return read_list(value, length, lambda entry: read_number(entry, (KINDS["number"],), info))

    def json(self) -> Schema:
        counts = [count for count in (self.first, self.second) if count is not None]
        most = {"maxItems": max(counts)} if counts else {}
        return {**listed(quantity(), least=min(counts, default=2), words="numbers"), **most}


@dataclass(frozen=True)
class JointState(FieldType):
    """Initial coordinates or rates of a joint: one number, or a list with one per coordinate."""

    order: int

    def read(self, value: Any, info: ValidationInfo) -> tuple[float, ...]:
        coordinates = context_of(info).coordinates
        values = value if isinstance(value, (list, tuple)) else [value]
        if coordinates and len(values) != len(coordinates):
            names = ", ".join(name for name, _ in coordinates)
            wanted = "1 number" if len(coordinates) == 1 else f"{len(coordinates)} numbers"
            raise field_error(f"expected {wanted} ({names}), found {len(values)}")
        kinds = [KINDS["length" if kind == "length" else "angle"] for _, kind in coordinates]
        entries = iter(range(len(values)))

        def read(entry: Any) -> float:
            i = next(entries)
            bases = [kinds[i]] if kinds else [KINDS["length"], KINDS["angle"]]
            return read_number(entry, [derivative(base, self.order) for base in bases], info)

        return read_list(values, len(values), read)

    def json(self) -> Schema:
        one = quantity("m/s or rad/s" if self.order else "m or rad")
        return {**either(one, listed(one), words=f"{one['x-value']}, or a list"), "x-unit": one["x-unit"]}


@dataclass(frozen=True)
class Pair(FieldType):
    """Two numbers of a joint coordinate, the first below the second."""

    kind: str
    turning: str

    def read(self, value: Any, info: ValidationInfo) -> tuple[float, ...]:
        kinds = Scalar(self.kind, self.turning).kinds(info)
        low, high = read_list(value, 2, lambda entry: read_number(entry, kinds, info))
        if low >= high:
            raise field_error(f"the range is inside out: {low:g} to {high:g}", "Give the lower end first.")
        return low, high

    def json(self) -> Schema:
        return listed(quantity(unit_of(self.kind, self.turning)), 2)
