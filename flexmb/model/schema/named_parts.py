"""Named expressions and data by columns, which expressions refer to.

Enters: the raw tables [expressions] and [tables] and the folder of the model; leaves: expressions, every one with those
that it uses inserted, and `DataTables`, which reads a CSV file once, when it is first named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from flexmb.errors import Fault
from flexmb.model.expressions.columns import DataTable, data_table
from flexmb.model.expressions.csv_file import read_csv
from flexmb.model.expressions.expression import Expression
from flexmb.model.expressions.parser import RESERVED, Scope, named_expression
from flexmb.model.expressions.tokens import TextError, tokenize
from flexmb.model.schema.fields import FieldType, field_error
from flexmb.model.schema.json_forms import TEXT, Schema, either
from flexmb.model.schema.parameters import cycle_fault
from flexmb.model.schema.table import ValidationInfo
from flexmb.model.units import Amount
from flexmb.suggestions import clipped

MOST_TABLES = 1000
_LONGEST_NAME = 300


class DataTables:
    """Tables of the model and of files, by name."""

    def __init__(self, raw: Any, folder: str, known: Mapping[str, DataTable] | None = None):
        """known : files that were read before, which are not read again"""
        self.folder, self.faults = folder, list[Fault]()
        self.found: dict[str, DataTable] = {}
        self._wrong: dict[str, TextError] = {}
        self._known = dict(known or {})
        for name, entry in raw.items() if isinstance(raw, Mapping) else ():
            try:
                self.found[str(name)] = _given(str(name), entry)
            except TextError as error:
                text = f"table '{str(name)[:60]}': {error.message}"
                self.faults.append(Fault(text, ("tables", name), error.hint))
                self._wrong[str(name)] = TextError(f"table '{str(name)[:60]}' is wrong")

    def find(self, name: str) -> DataTable:
        """The table of the model, or the CSV file, of this name; raises TextError."""
        if name not in self.found and name not in self._wrong:
            try:
                if not 0 < len(name) <= _LONGEST_NAME or any(ord(letter) < 32 for letter in name):
                    raise TextError(f"{clipped(name)} cannot be the name of a table or file")
                if len(self.found) + len(self._wrong) >= MOST_TABLES:
                    raise TextError(f"more than {MOST_TABLES} tables")
                self.found[name] = self._known[name] if name in self._known else read_csv(name, self.folder)
            except TextError as error:
                self._wrong[name] = error
        if name in self._wrong:
            raise self._wrong[name]
        return self.found[name]


def _given(name: str, entry: Any) -> DataTable:
    if not isinstance(entry, Mapping):
        raise TextError(f"expected columns of numbers, found {clipped(entry)}")
    for header, values in entry.items():
        if not isinstance(values, (list, tuple)):
            raise TextError(f"column '{str(header)[:60]}': expected a list of numbers, found {clipped(values)}")
    return data_table(name, entry)


class DataTableField(FieldType):
    """Columns of numbers, read before the fields."""

    def read(self, value: Any, info: ValidationInfo) -> DataTable:
        if not isinstance(value, DataTable):  # its fault is reported already
            raise field_error("expected columns of numbers")
        return value

    def json(self) -> Schema:
        column = {"type": "array", "items": {"type": "number"}, "minItems": 2}
        return {"type": "object", "additionalProperties": column, "x-value": 'columns: `"name [unit]" = [numbers]`'}


class NamedExpressionField(FieldType):
    """A number or an expression, read before the fields."""

    def read(self, value: Any, info: ValidationInfo) -> Expression:
        if not isinstance(value, Expression):
            raise field_error(f"expected an expression, found {clipped(value)}")
        return value

    def json(self) -> Schema:
        return either({"type": "number"}, TEXT, words="number or expression")


@dataclass(frozen=True)
class Resolved:
    """Named expressions and the faults among them."""

    scope: Scope
    faults: list[Fault]


def resolve_expressions(
    raw: Any, parameters: Mapping[str, Amount], variables: tuple[str, ...], data: DataTables
) -> Resolved:
    """All named expressions, in any order of definition; one that is wrong counts as a number without a unit."""
    scope, faults = Scope({}, data.find), list[Fault]()
    waiting: dict[str, str] = {}
    for name, value in raw.items() if isinstance(raw, Mapping) else ():
        path = ("expressions", name)
        if isinstance(value, bool) or not isinstance(value, (str, Real)):
            faults.append(Fault(f"expected a number or an expression, found {clipped(value)}", path))
        elif not str(name).isidentifier() or name in RESERVED or name in parameters or name in variables:
            is_word = str(name).isidentifier()
            owner = "the expression grammar" if name in RESERVED else "a parameter or a sensor"
            text = f"is already used by {owner}" if is_word else "cannot be used (letters, digits and _ only)"
            faults.append(Fault(f"the name '{str(name)[:60]}' {text}", path))
        else:
            waiting[name] = value if isinstance(value, str) else repr(float(value))
            continue
        scope.expressions[str(name)] = named_expression("1", {}, (), scope)
    needs = {name: _used(text) & waiting.keys() for name, text in waiting.items()}
    while waiting:
        ready = [name for name in waiting if not needs[name] & waiting.keys()]
        if not ready:
            faults.append(cycle_fault(needs, waiting, dict.fromkeys(waiting, "expressions"), "expressions"))
            scope.expressions.update({name: named_expression("1", {}, (), scope) for name in waiting})
            break
        for name in ready:
            try:
                scope.expressions[name] = named_expression(waiting.pop(name), parameters, variables, scope)
            except TextError as error:
                faults.append(Fault(error.explanation(), ("expressions", name)))
                scope.expressions[name] = named_expression("1", {}, (), scope)
    return Resolved(scope, faults)


def _used(text: str) -> set[str]:
    try:
        return {token.text for token in tokenize(text) if token.kind == "name"}
    except TextError:
        return set()
