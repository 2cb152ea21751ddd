"""Every code of a warning in the sources is explained in docs/reference/warnings.md, and every code there exists.

A module that computes codes lists all of them in a constant CODES.
"""

from __future__ import annotations

import ast
import re

from tests.support.places import ROOT

PAGE = ROOT / "docs" / "reference" / "warnings.md"
READER = "warning.py"
"""Makes records from what is stored, of any code."""


def codes_in_sources() -> dict[str, list[str]]:
    """Code -> places in the sources; a computed code in a module without CODES is the text of its expression."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "flexmb").rglob("*.py")):
        if "WarningRecord(" not in path.read_text() or path.name == READER:
            continue
        tree = ast.parse(path.read_text())
        listed = [
            constant.value
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CODES"
            for constant in ast.walk(node.value)
            if isinstance(constant, ast.Constant)
        ]
        for code in listed:
            found.setdefault(str(code), []).append(f"{path.relative_to(ROOT)}: CODES")
        for node in ast.walk(tree):
            name = getattr(node, "func", None)
            if not isinstance(node, ast.Call) or getattr(name, "id", getattr(name, "attr", "")) != "WarningRecord":
                continue
            given = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "code"), None)
            code = given.value if isinstance(given, ast.Constant) else ast.unparse(node)
            if isinstance(given, ast.Constant) or not listed:
                found.setdefault(str(code), []).append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def codes_on_page() -> list[str]:
    return re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(), re.MULTILINE)


def test_codes_are_known_and_in_lower_case() -> None:
    found = codes_in_sources()
    assert len(found) > 20
    assert {code: at for code, at in found.items() if not re.fullmatch(r"[a-z]+(-[a-z]+)*", code)} == {}


def test_the_page_lists_every_code_once() -> None:
    listed = codes_on_page()
    assert sorted(listed) == sorted(set(listed))
    missing = {code: at for code, at in codes_in_sources().items() if code not in listed}
    assert missing == {}, "add a row to docs/reference/warnings.md"
    assert sorted(set(listed) - set(codes_in_sources())) == [], "rows of warnings that do not exist"
