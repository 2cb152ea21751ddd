"""Which test covers which module of flexmb: by its place, or by the line `Covers:` of its docstring."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.support.places import ROOT

TESTS = ROOT / "tests"


@cache
def modules() -> frozenset[str]:
    """Dotted names inside flexmb of all files that define something: 'solvers.newton_matrix', 'view.plots'."""
    return frozenset(_names())


def _names() -> list[str]:
    package = ROOT / "flexmb"
    names = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        if parts[-1] in ("__init__", "__main__"):
            tree = ast.parse(path.read_text())
            if len(parts) > 1 and any(isinstance(node, (ast.FunctionDef, ast.ClassDef)) for node in tree.body):
                names.append(".".join(parts[:-1]))
        else:
            names.append(".".join(parts))
    return names


def is_mirrored(name: str) -> bool:
    """Whether a module a.b.c has its test at tests/a/b/test_c.py, or its folder at tests/a/test_b.py."""
    *folders, last = name.split(".")
    places = [Path(*folders, f"test_{last}.py"), Path(*folders, last, f"test_{last}.py")]
    if len(folders) > 1:
        places.append(Path(*folders[:-1], f"test_{folders[-1]}.py"))
    return any((TESTS / place).is_file() for place in places)


def files_of_tests() -> list[Path]:
    return sorted(TESTS.rglob("test_*.py"))


def covers(docstring: str) -> list[str]:
    """Names in the paragraph of a docstring that begins with 'Covers:'."""
    paragraphs = [" ".join(text.split()) for text in docstring.split("\n\n")]
    found = [text.removeprefix("Covers: ").rstrip(".") for text in paragraphs if text.startswith("Covers: ")]
    return [name for text in found for name in text.split(", ")]


@cache
def claims() -> dict[str, list[str]]:
    """Test file (from the root of the repository) -> modules that it says to cover."""
    found = {}
    for path in files_of_tests():
        names = covers(ast.get_docstring(ast.parse(path.read_text())) or "")
        if names:
            found[path.relative_to(ROOT).as_posix()] = names
    return found
