"""Tests are found from the module that they are about: flexmb/a/b.py has its test at tests/a/test_b.py, a folder
flexmb/a/b/ as a whole at tests/a/test_b.py or file by file in tests/a/b/.

A module without a test of its own is named by the test that covers it, in the last paragraph of that test's docstring:
`Covers: solvers.newton_matrix, solvers.implicit.` Such a claim says that the tests of the file execute the module and
fail when it is wrong; `python -m tests.campaigns.covered_modules` measures what a test file executes.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.support.covers import claims, covers, files_of_tests, is_mirrored, modules
from tests.support.places import ROOT

TESTS = ROOT / "tests"
WITHOUT_MIRROR = {"campaigns", "data", "house", "support"}
"""Folders of tests/ that are not about one folder of the package"""
TYPES_ALONE = {"arrays"}
"""Names of types, which mypy checks"""


def test_every_module_has_its_test() -> None:
    named = {name for names in claims().values() for name in names}
    without = sorted(name for name in modules() if name not in named | TYPES_ALONE and not is_mirrored(name))
    assert len(modules()) > 400
    assert without == [], "neither at the mirrored place nor in a line 'Covers:'"


def test_every_claim_names_a_module() -> None:
    wrong = [f"{path}: {name}" for path, names in claims().items() for name in names if name not in modules()]
    assert wrong == []


def test_no_claim_is_made_twice_in_a_file() -> None:
    assert [path for path, names in claims().items() if len(names) != len(set(names))] == []


def test_every_folder_of_tests_is_one_of_the_package() -> None:
    folders = {path.parent.relative_to(TESTS) for path in files_of_tests()}
    known = [ROOT / "flexmb" / folder for folder in folders if not WITHOUT_MIRROR & set(folder.parts)]
    assert len(known) > 15 and all(folder.is_dir() for folder in known)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("About springs.", []),
        ("About springs.\n\nCovers: loads.laws.", ["loads.laws"]),
        ("About springs.\n\nCovers: loads.laws,\nequations.forces.\n", ["loads.laws", "equations.forces"]),
    ],
)
def test_claims_are_read(text: str, names: list[str]) -> None:
    assert covers(text) == names


@pytest.mark.parametrize(
    ("name", "mirrored"),
    [
        ("graph.linear_graph", True),
        ("view.plots.sheet", True),
        ("elements.solid.stress", True),
        ("graph.nothing", False),
    ],
)
def test_the_mirrored_place(name: str, mirrored: bool) -> None:
    assert is_mirrored(name) is mirrored


def imported(path: Path) -> list[str]:
    """Modules that a file imports, also in programs that it holds as text."""
    text = path.read_text()
    names = re.findall(r"^\s*(?:from|import) (tests\.[\w.]+)", text, re.MULTILINE)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests"):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def test_no_file_imports_a_test_module() -> None:
    """What two tests use is in tests/support."""
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted(TESTS.rglob("*.py"))
        for name in imported(path)
        if any(part.startswith("test_") for part in name.split("."))
    ]
    assert found == []
