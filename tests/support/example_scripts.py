"""Example scripts as modules, and the differences of two dumped models."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import pytest

from tests.support.places import EXAMPLES


def script(name: str) -> ModuleType:
    """An example script as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def differences(first: Any, second: Any, path: str = "") -> list[str]:
    """Where two dumped models differ; numbers may differ by round-off."""
    if isinstance(first, dict) and isinstance(second, dict):
        if first.keys() != second.keys():
            return [f"{path}: {sorted(first.keys() ^ second.keys())}"]
        return [found for key in first for found in differences(first[key], second[key], f"{path}/{key}")]
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)) and len(first) == len(second):
        pairs = zip(first, second, strict=True)
        return [found for i, (a, b) in enumerate(pairs) for found in differences(a, b, f"{path}/{i}")]
    same = first == pytest.approx(second, rel=1e-14, abs=1e-16) if isinstance(first, float) else first == second
    return [] if same else [f"{path}: {first} and {second}"]
