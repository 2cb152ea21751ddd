"""Parameters of a model: numbers and quantities that may refer to each other, and symbols.

A parameter "?" is a symbol without a value; the table [symbols] has the same form as [parameters] and lists the
parameters that stay symbols in the equations. A numeric analysis treats a symbol like any other parameter: it needs a
value. A symbolic reading (`keep`) returns kept names as `SymbolicValue`, at their own value or at a trial value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from flexmb.errors import Fault
from flexmb.model.expressions.nodes import Name, SymbolicValue
from flexmb.model.expressions.parser import RESERVED, parse_amount
from flexmb.model.expressions.tokens import TextError, tokenize
from flexmb.model.units import Amount
from flexmb.suggestions import clipped

UNKNOWN = Amount(1.0, None)
"""Value of a wrong parameter, so that its uses give no further faults."""


NO_VALUE = "?"
"""Value of a symbol without a value."""
TABLES = ("parameters", "symbols")


@dataclass(frozen=True)
class Keep:
    """Parameters that stay symbols, and the values at which a symbolic reading is evaluated."""

    names: frozenset[str] = frozenset()
    values: Mapping[str, float] = field(default_factory=dict)
    """Values of symbols that replace their own: trial values, or shifted ones that show what depends on them."""
    formulas: bool = True
    """Whether kept names become `SymbolicValue`; False: plain numbers at the same values."""


def merged_parameters(tables: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str], list[Fault]]:
    """Raw values of [parameters] and [symbols] together, the table of each, and faults of the tables."""
    values: dict[str, Any] = {}
    owner: dict[str, str] = {}
    faults: list[Fault] = []
    for table in TABLES:
        raw = tables.get(table, {})
        if not isinstance(raw, Mapping):
            faults.append(Fault(f"expected a table of {table}, found {clipped(raw)}", (table,)))
            continue
        for name, value in raw.items():
            if name in owner:
                text = f"'{str(name)[:60]}' is in both [parameters] and [symbols]"
                faults.append(Fault(text, (table, name), "Remove one of them."))
            values[name], owner[name] = value, table
    return values, owner, faults


def has_no_value(value: Any) -> bool:
    """Whether a raw parameter is a symbol without a value."""
    return isinstance(value, str) and value.strip() == NO_VALUE


def missing_fault(raw: Mapping[str, Any], owner: Mapping[str, str]) -> Fault | None:
    """One fault that lists all symbols without a value."""
    names = [name for name, value in raw.items() if has_no_value(value)]
    if not names:
        return None
    text = f"the symbol '{names[0]}' has no value"
    if len(names) > 1:
        shown = ", ".join(f"'{name}'" for name in names[:20])
        more = f" and {len(names) - 20} more" if len(names) > 20 else ""
        text = f"the symbols {shown}{more} have no value"
    hint = f"Give {'it' if len(names) == 1 else 'them'} a value with --set {names[0]}=... or in the file."
    return Fault(f"{text}.", (owner[names[0]], names[0]), hint)


def resolve_parameters(
    raw: Mapping[str, Any], owner: Mapping[str, str] | None = None, keep: Keep | None = None
) -> tuple[dict[str, Amount], list[Fault]]:
    """Values of all parameters, in any order of definition, and the faults among them.

    `owner` is the table of each name. Symbols without a value get that of `keep`, else UNKNOWN.
    """
    owner, keep = owner or {}, keep or Keep()
    amounts: dict[str, Amount] = {}
    faults: list[Fault] = []
    waiting: dict[str, str] = {}
    for name, value in raw.items():
        fault = _name_fault(name) or _value_fault(value)
        if fault:
            faults.append(Fault(fault, (owner.get(name, "parameters"), name)))
            amounts[name] = UNKNOWN
        elif has_no_value(value):
            amounts[name] = _kept(name, UNKNOWN, keep)
        elif isinstance(value, str):
            waiting[name] = value
        else:
            # A plain number has no unit: it is in the SI unit of wherever it is used.
            amounts[name] = _kept(name, Amount(float(value), None), keep)
    needs = {name: _references(text, raw) for name, text in waiting.items()}
    while waiting:
        ready = [name for name in waiting if not needs[name] & waiting.keys()]
        if not ready:
            faults.append(cycle_fault(needs, waiting, owner))
            amounts.update(dict.fromkeys(waiting, UNKNOWN))
            break
        for name in ready:
            try:
                amounts[name] = _kept(name, parse_amount(waiting[name], amounts), keep)
            except TextError as error:
                hint = 'A symbol without a value is "?" alone.' if NO_VALUE in waiting[name] else ""
                faults.append(Fault(error.explanation(), (owner.get(name, "parameters"), name), hint))
                amounts[name] = UNKNOWN
            del waiting[name]
    return {name: amounts[name] for name in raw}, faults


def _kept(name: str, amount: Amount, keep: Keep) -> Amount:
    """The amount of a parameter, as a symbol when it is to be kept."""
    value = keep.values.get(name, amount.value)
    if name in keep.names and keep.formulas:
        return Amount(SymbolicValue(value, Name(name)), amount.dimension)
    return amount._replace(value=value)


def _name_fault(name: Any) -> str:
    if not isinstance(name, str) or not name.isidentifier():
        return f"'{str(name)[:60]}' cannot be the name of a parameter (letters, digits and _ only)"
    return f"the name '{name}' is reserved for the expression grammar" if name in RESERVED else ""


def _value_fault(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (Real, str)):
        return f"expected a number or a string with a unit, found {clipped(value)}"
    try:
        finite = isinstance(value, str) or math.isfinite(float(value))
    except OverflowError:
        finite = False
    return "" if finite else f"expected a finite number, found {clipped(value)}"


def _references(text: str, known: Mapping[str, Any]) -> set[str]:
    try:
        names = {token.text for token in tokenize(text) if token.kind == "name"}
    except TextError:
        return set()
    return {name.removeprefix("$") for name in names if name[0] == "$" and name[1:] in known} | {
        name for name in names if name in known and not _is_unit_here(text, name)
    }


def _is_unit_here(text: str, name: str) -> bool:
    """Whether `name` always follows a number in the text, so that it means a unit, not a parameter."""
    tokens = tokenize(text)
    return all(i > 0 and tokens[i - 1].kind == "number" for i, token in enumerate(tokens) if token.text == name)


def cycle_fault(
    needs: Mapping[str, set[str]], waiting: Mapping[str, str], owner: Mapping[str, str], what: str = "parameters"
) -> Fault:
    """A fault that shows a circle of names that wait for each other; `owner`: their tables."""
    name = next(iter(waiting))
    chain = [name]
    while True:
        name = next(iter(sorted(needs[name] & waiting.keys())))
        if name in chain:
            circle = [*chain[chain.index(name) :], name]
            text = f"circular reference between {what}: {' -> '.join(circle)}"
            return Fault(text, (owner.get(circle[0], "parameters"), circle[0]))
        chain.append(name)
