"""Parameters of a model: numbers and quantities that may refer to each other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

from flexmb.errors import Fault
from flexmb.suggestions import clipped
from flexmb.system.expressions.parser import RESERVED, parse_amount
from flexmb.system.expressions.tokens import TextError, tokenize
from flexmb.system.units import Amount

UNKNOWN = Amount(1.0, None)
"""Stands for a parameter that is wrong, so that its users are not blamed too."""


def resolve_parameters(raw: Any) -> tuple[dict[str, Amount], list[Fault]]:
    """Values of all parameters, in any order of definition, and the faults among them."""
    if not isinstance(raw, Mapping):
        return {}, [Fault(f"a table of parameters is needed, found {clipped(raw)}", ("parameters",))]
    amounts: dict[str, Amount] = {}
    faults: list[Fault] = []
    waiting: dict[str, str] = {}
    for name, value in raw.items():
        fault = _name_fault(name) or _value_fault(value)
        if fault:
            faults.append(Fault(fault, ("parameters", name)))
            amounts[name] = UNKNOWN
        elif isinstance(value, str):
            waiting[name] = value
        else:
            # The unit of a plain number is not said: it is SI of whatever it is used for.
            amounts[name] = Amount(float(value), None)
    needs = {name: _references(text, raw) for name, text in waiting.items()}
    while waiting:
        ready = [name for name in waiting if not needs[name] & waiting.keys()]
        if not ready:
            faults.append(_cycle_fault(needs, waiting))
            amounts.update(dict.fromkeys(waiting, UNKNOWN))
            break
        for name in ready:
            try:
                amounts[name] = parse_amount(waiting[name], amounts)
            except TextError as error:
                faults.append(Fault(error.explanation(), ("parameters", name)))
                amounts[name] = UNKNOWN
            del waiting[name]
    return {name: amounts[name] for name in raw}, faults


def _name_fault(name: Any) -> str:
    if not isinstance(name, str) or not name.isidentifier():
        return f"'{str(name)[:60]}' cannot be the name of a parameter (letters, digits and _ only)"
    return f"the name '{name}' is taken by the expression grammar" if name in RESERVED else ""


def _value_fault(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (Real, str)):
        return f"a number or a text with a unit is needed, found {clipped(value)}"
    try:
        finite = isinstance(value, str) or math.isfinite(float(value))
    except OverflowError:
        finite = False
    return "" if finite else f"a finite number is needed, found {clipped(value)}"


def _references(text: str, known: Mapping[str, Any]) -> set[str]:
    try:
        names = {token.text for token in tokenize(text) if token.kind == "name"}
    except TextError:
        return set()
    return {name.removeprefix("$") for name in names if name[0] == "$" and name[1:] in known} | {
        name for name in names if name in known and not _is_unit_here(text, name)
    }


def _is_unit_here(text: str, name: str) -> bool:
    """A parameter with the name of a unit is meant only where no number stands before it."""
    tokens = tokenize(text)
    return all(i > 0 and tokens[i - 1].kind == "number" for i, token in enumerate(tokens) if token.text == name)


def _cycle_fault(needs: Mapping[str, set[str]], waiting: Mapping[str, str]) -> Fault:
    name = next(iter(waiting))
    chain = [name]
    while True:
        name = next(iter(sorted(needs[name] & waiting.keys())))
        if name in chain:
            circle = [*chain[chain.index(name) :], name]
            text = f"the parameters refer to each other in a circle: {' -> '.join(circle)}"
            return Fault(text, ("parameters", circle[0]))
        chain.append(name)
