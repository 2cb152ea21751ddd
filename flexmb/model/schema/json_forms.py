"""Pieces of the JSON schema of a model file: numbers, strings, lists, and rules between the keys of a table.

Only keywords that drafts 4 to 7 of JSON schema share are used, since editors support different drafts. `x-unit` is the
unit of a plain number; `x-value` describes the allowed values in words, for the reference page of docs/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string", "pattern": r"\S"}
"""A quantity with a unit, a $parameter or arithmetic of both; the name of a point."""


def in_unit(words: str, unit: str) -> str:
    """Words with the unit behind them; none for plain numbers."""
    return words if unit == "1" else f"{words} [{unit}]"


def quantity(
    unit: str = "1", least: float | None = None, above: float | None = None, most: float | None = None
) -> Schema:
    """A number within its bounds, or a string that gives one."""
    number: Schema = {"type": "number"}
    if least is not None:
        number["minimum"] = least
    if above is not None:  # as two keywords, since drafts 4 and 7 write exclusive bounds differently
        number |= {"minimum": above, "not": {"enum": [above]}}
    if most is not None:
        number["maximum"] = most
    return {"anyOf": [number, TEXT], "x-unit": unit, "x-value": in_unit(_within(least, above, most), unit)}


def _within(least: float | None, above: float | None, most: float | None) -> str:
    """A number and its bounds, in words."""
    low = f"> {above:g}" if above is not None else f">= {least:g}" if least is not None else ""
    high = f"<= {most:.3g}" if most is not None else ""
    return " ".join(word for word in ("number", low, "and" if low and high else "", high) if word)


def whole_number(least: int, most: int, word: str = "") -> Schema:
    """A whole number, a string that gives one, or `word`."""
    words = f'{least} to {most}, or "{word}"' if word else f"{least} to {most}"
    number = {"type": "number", "multipleOf": 1, "minimum": least, "maximum": most}
    return {"anyOf": [number, TEXT], "x-value": words}


def listed(items: Schema, count: int | None = None, least: int = 0, words: str = "") -> Schema:
    """A list of `count` equal items, or of at least `least`."""
    size = {"minItems": least} if count is None else {"minItems": count, "maxItems": count}
    plural = words or items.get("x-value", "value").replace("number", "numbers", 1)
    number = "list of" if count is None else str(count)
    unit = {"x-unit": items["x-unit"]} if "x-unit" in items else {}
    return {"type": "array", "items": items, **size, **unit, "x-value": f"{number} {plural}"}


def either(*choices: Schema, words: str) -> Schema:
    """One of several forms."""
    flat = [form for choice in choices for form in (choice["anyOf"] if set(choice) == {"anyOf"} else [choice])]
    return {"anyOf": flat, "x-value": words}


def keyed(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """A table with these keys and no others."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": dict(properties), **needed, "additionalProperties": False}


def rules(*parts: Schema) -> Any:
    """Rules between the keys of a table, as `ConfigDict` takes them."""
    return {"allOf": list(parts)}


def given(*keys: str) -> Schema:
    """These keys are present."""
    return {"required": list(keys)}


def is_one_of(key: str, *values: Any) -> Schema:
    """The key is present and has one of these values."""
    return {"properties": {key: {"enum": list(values)}}, "required": [key]}


def exactly_one(*keys: str) -> Schema:
    """One of these keys, and only one."""
    return {"oneOf": [given(key) for key in keys]}


def at_most_one(*keys: str) -> Schema:
    """No two of these keys."""
    return {"not": {"anyOf": [given(*pair) for pair in combinations(keys, 2)]}}


def any_of(*parts: Schema) -> Schema:
    """At least one of these rules."""
    return {"anyOf": list(parts)}


def without(*keys: str) -> Schema:
    """None of these keys."""
    return {"not": any_of(*(given(key) for key in keys))} if keys else {}


def needs(key: str, *alternatives: Schema) -> Schema:
    """With `key`, one of these rules must hold."""
    return {"dependencies": {key: alternatives[0] if len(alternatives) == 1 else any_of(*alternatives)}}
