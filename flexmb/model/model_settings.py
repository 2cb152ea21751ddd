"""Settings from the command line: `--set rpm=3000`, `--set analysis.step=1e-4`.

A plain number for a parameter that the file gives with a unit keeps that unit (rpm = "1500 rpm", --set rpm=3000
means 3000 rpm). For any other key a plain number is SI, as in the file; it is rejected where the file has another unit
than SI, since either could be meant.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from flexmb.errors import Fault
from flexmb.model.expressions.tokens import TextError
from flexmb.model.model_file_limits import excess
from flexmb.model.model_text import plain
from flexmb.model.schema.model_spec import NAMED_SECTIONS
from flexmb.model.schema.parameters import TABLES
from flexmb.model.units import parse_unit
from flexmb.suggestions import clipped, did_you_mean

_WITH_UNIT = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*([^\d\s].*)")
SINGLE_SECTIONS = ("model", "base", "coordinates", "analysis", "output")


def setting_value(text: str) -> Any:
    """The value if `text` is valid TOML (3000, [0, 0, 1], true), else the text itself ("3000 rpm", rk4)."""
    if excess(text):
        return text.strip()
    try:
        found = tomllib.loads(f"value = {text.strip()}")
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return text.strip()
    return found["value"] if set(found) == {"value"} else text.strip()


def _unit_of(value: Any) -> str:
    match = _WITH_UNIT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return ""
    try:
        parse_unit(match[1])
    except TextError:
        return ""
    return match[1].strip()


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def apply_settings(
    tables: dict[str, Any], settings: Mapping[str, Any]
) -> tuple[dict[tuple[str, ...], str], list[Fault]]:
    """Change `tables` in place. Returns the paths that were set (with the setting's text) and the faults.

    Text is read as on the command line; other values are those of a model in Python.
    """
    changed: dict[tuple[str, ...], str] = {}
    faults: list[Fault] = []
    for key, text in settings.items():
        if found := excess(f"{key}={text}"):
            faults.append(Fault(f"cannot set {clipped(key)}: {found.text}."))
            continue
        path = tuple(key.strip().split("."))
        if len(path) == 1:
            path = (_table_of(tables, path[0]), *path)
        value = setting_value(text) if isinstance(text, str) else plain(text)
        fault = _set(tables, path, value, f"{key}={text}")
        if fault is None:
            changed[path] = f"{key}={text}"
        else:
            faults.append(fault)
    return changed, faults


def _set(tables: dict[str, Any], path: tuple[str, ...], value: Any, setting: str) -> Fault | None:
    """Put `value` at `path`; returns a fault when there is no such key."""
    section = path[0]
    if section in TABLES:
        return _set_parameter(tables, path, value, setting)
    sections = (*SINGLE_SECTIONS, *NAMED_SECTIONS)
    if section not in sections:
        return Fault(
            f"cannot set '{setting}': no section '{section}'.", (), did_you_mean(section, sections, "Sections")
        )
    table: Any = tables.setdefault(section, {})
    for i, part in enumerate(path[1:-1], 1):
        if not isinstance(table, dict):
            break
        if part not in table and section in NAMED_SECTIONS and i == 1:
            known = did_you_mean(part, table, section.capitalize())
            return Fault(f"cannot set '{setting}': no '{part}' in [{section}].", (), known)
        table = table.setdefault(part, {})
    if not isinstance(table, dict):
        return Fault(f"cannot set '{setting}': '{'.'.join(path[:-1])}' is {clipped(table)}, not a table.")
    before = table.get(path[-1])
    unit = _unit_of(before)
    if _is_number(value) and unit and parse_unit(unit).factor != 1.0:
        text = f"cannot set '{setting}': the file has '{before}'; give a unit too."
        return Fault(text, path, f"For example {'.'.join(path)}='{value} {unit}'.")
    table[path[-1]] = value
    return None


def _table_of(tables: Mapping[str, Any], name: str) -> str:
    """Table of a parameter: "symbols", or "parameters" for all others."""
    symbols = tables.get("symbols")
    return "symbols" if isinstance(symbols, dict) and name in symbols else "parameters"


def _known(tables: Mapping[str, Any]) -> list[str]:
    """Names of all parameters and symbols."""
    return [name for table in TABLES if isinstance(tables.get(table), dict) for name in tables[table]]


def _set_parameter(tables: dict[str, Any], path: tuple[str, ...], value: Any, setting: str) -> Fault | None:
    parameters = tables.get(path[0])
    known = parameters if isinstance(parameters, dict) else {}
    name = ".".join(path[1:])
    if name not in known:
        if name in (*SINGLE_SECTIONS, *NAMED_SECTIONS):
            return Fault(f"cannot set '{setting}': '{name}' is a section; write {name}.key=value.")
        return Fault(
            f"cannot set '{setting}': no parameter '{name}'.", (), did_you_mean(name, _known(tables), "Parameters")
        )
    unit = _unit_of(known[name])
    known[name] = f"{value!r} {unit}" if _is_number(value) and unit else value
    return None
