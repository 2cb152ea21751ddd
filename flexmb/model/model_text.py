"""Plain tables of a model, and their text as a model file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from flexmb.model.expressions.expression import Expression

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def plain(value: Any) -> Any:
    """Convert to lists, dicts, numbers and strings; keys whose value is None are left out."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, Expression):
        return value.text
    if hasattr(value, "tolist"):  # before numbers: numpy numbers are numbers too, but their repr differs
        return plain(value.tolist())
    if isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(entry) for entry in value) + "]"
    return str(value)


def to_toml(tables: Mapping[str, Any]) -> str:
    """TOML text of a model's tables: one header for each section or named table."""
    blocks: list[str] = []
    for section, table in plain(tables).items():
        if not isinstance(table, Mapping):
            blocks.insert(0, f"{_key(section)} = {_value(table)}")
            continue
        named = {key: entry for key, entry in table.items() if isinstance(entry, Mapping)}
        if section in ("model", "base", "analysis", "output", "coordinates", "parameters", "points", "expressions"):
            named = {}
        rows = [f"{_key(key)} = {_value(entry)}" for key, entry in table.items() if key not in named]
        if rows or not named:
            blocks.append("\n".join([f"[{_key(section)}]", *rows]))
        for name, entry in named.items():
            rows = [f"{_key(key)} = {_value(inner)}" for key, inner in entry.items()]
            blocks.append("\n".join([f"[{_key(section)}.{_key(name)}]", *rows]))
    return "\n\n".join(blocks) + "\n"
