"""Example scripts as modules, and the differences of two dumped models."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest

from flexmb.model.schema.table import Table
from tests.support.places import EXAMPLES


def script(name: str) -> ModuleType:
    """An example script as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain(table: Table, left_out: Mapping[str, Any]) -> dict[str, Any]:
    """A table of a model, and the tables in it, as dicts; `left_out`: keys without a value here, True or keys below."""

    def dumped(value: Any, without: Any) -> Any:
        if isinstance(value, Table):
            value = dict(value)
        if isinstance(value, dict):
            inner = without if isinstance(without, Mapping) else dict.fromkeys(without, True)
            return {
                key: dumped(entry, inner.get(key, {})) for key, entry in value.items() if inner.get(key) is not True
            }
        if isinstance(value, tuple):
            return tuple(dumped(entry, {}) for entry in value)
        return value

    found: dict[str, Any] = dumped(table, left_out)
    return found


def differences(first: Any, second: Any, path: str = "") -> list[str]:
    """Where two models as dicts differ; numbers may differ by round-off."""
    if isinstance(first, dict) and isinstance(second, dict):
        if first.keys() != second.keys():
            return [f"{path}: {sorted(first.keys() ^ second.keys())}"]
        return [found for key in first for found in differences(first[key], second[key], f"{path}/{key}")]
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)) and len(first) == len(second):
        pairs = zip(first, second, strict=True)
        return [found for i, (a, b) in enumerate(pairs) for found in differences(a, b, f"{path}/{i}")]
    same = first == pytest.approx(second, rel=1e-14, abs=1e-16) if isinstance(first, float) else first == second
    return [] if same else [f"{path}: {first} and {second}"]
