"""The build of a library finds every program and every array kernel, and each of these declares its types."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

from flexmb.equations.programs import PROGRAMS, SHARED_PROGRAMS
from flexmb.machine_code import build
from flexmb.machine_code.jit import ArrayKernel, Program
from flexmb.machine_code.sources import LIBRARY_SOURCES, source_files
from flexmb.solvers.settings import EXPLICIT, IMPLICIT
from flexmb.solvers.time_stepping import stepping_programs
from tests.support.places import ROOT

NAMES = build.kernel_names()


def decorated(path: Path) -> list[str]:
    """Names of the functions with a decorator of kernels that are kept."""
    tree = ast.parse(path.read_text())
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [
        f.name
        for f in functions
        if any("program" in ast.unparse(d) or "array_kernel" in ast.unparse(d) for d in f.decorator_list)
    ]


def test_every_decorated_function_is_found() -> None:
    found = {name.split(":")[1] for name in NAMES}
    expected = {name for path in (ROOT / "flexmb").rglob("*.py") for name in decorated(path)}
    assert len(expected) > 90 and expected <= found


def test_every_file_with_kernels_is_a_source_of_the_library() -> None:
    """A file that is not listed could be edited without a new library."""
    files = {path for path in (ROOT / "flexmb").rglob("*.py") if decorated(path)}
    assert files <= set(source_files(LIBRARY_SOURCES))


def test_the_programs_of_a_run_are_found() -> None:
    programs = [*PROGRAMS.values(), *SHARED_PROGRAMS.values()]
    programs += [entry for method in (*IMPLICIT, *EXPLICIT) for entry in stepping_programs(method).values()]
    assert {entry.name for entry in programs} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_kernel_is_where_its_name_says_and_has_types(name: str) -> None:
    module, _, function = name.partition(":")
    thing = getattr(importlib.import_module(module), function)
    assert isinstance(thing, Program) or (isinstance(thing, ArrayKernel) and thing.signatures)
    if isinstance(thing, ArrayKernel):
        n = thing.function.__code__.co_argcount
        assert [len(signature.parameters) for signature in thing.signatures] == [n] * len(thing.signatures)
