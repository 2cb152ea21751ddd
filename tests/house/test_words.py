"""Words that must not come back: phrases that sound translated, in strings, docstrings, comments, names and documents.

The word list says what to write instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.support.places import ROOT

PACKAGE = ROOT / "flexmb"

PHRASES = {
    r"\b(?<!bumpy\x20)roads?\b": "method, formulation, solver path",
    r"hardly known": "ill-determined",
    r"who moves": "participation",
    r"\bwarned of\b": "gives a warning",
    r"what to think of": "solver health",
    r"\btaken away\b": "removed",
    r"\bhalf written\b": "incomplete",
    r"\b(is|are|was|were) told\b|\btold (at once|twice|in|of)\b|\bguessed, and (told|said)\b": "reported, listed",
    r"\ba wish (was|is)\b|\bwishes\b": "target missed; options",
    r"\bso many (letters|nodes|frames|points|modes|shapes|pictures|times|steps)\b": "at most n ...",
    r"\b\d* ?letters (more|in a row|of a (line|name))\b|\bmore than \S+ letters\b": "characters",
    r"\bfilms?\b": "movie, animation",
    r"\bdoubts?\b": "warning",
    r"\b(ride|rides|riding) with\b": "follow",
    r"\bpresent folder\b": "current folder",
    r"\bmade? anew\b": "regenerate",
    r"\bgives? (it|them|its path) back\b|\bgives back\b": "returns",
    r"\bmakes? no sense\b": "is invalid, is inconsistent",
    r"\bcut off or damaged\b": "truncated or damaged",
    r"\bis it whole\b|\bis the file whole\b": "Check that the file is complete.",
    r"\b(steps|iterations|frames|rows|points|samples|pictures) a (second|step|turn|pixel|segment|period)\b": "per",
    r"\bone (row|file|line|panel|matrix|entry|front) a \w+\b": "one ... per ...",
    r"\bthe dress of\b|\bmanners\b|\bby hand of\b": "plain words",
    r"\bhang(s)? together\b|\bhold(s)? together\b": "is connected",
    r"\b(is|are|was) (asked for|looked at)\b": "is requested, is examined",
}
"""Pattern -> what to write instead"""
OPENINGS = re.compile(r"(Of|What|Where|How|Why|Which|Who)\b")
"""First words of a docstring that hide its noun or verb"""
NAMES = re.compile(r"(?:^|_)(road|doubt|film|wish|told|said|drowned|surroundings)(?:s|es)?(?:_|$)", re.IGNORECASE)

OTHER_MEANING = {"flexmb/verification/models/A09_car_axis.toml": {"road"}}
"""Words that a file uses in another sense: this car axis drives on a road"""


SOURCES = sorted(path for ending in ("py", "js", "html", "toml") for path in PACKAGE.rglob(f"*.{ending}"))
DOCUMENTS = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "meshes").glob("*.md"), *(ROOT / "meshes").glob("*.py")]
    + [path for ending in ("py", "toml", "md") for path in (ROOT / "examples").glob(f"*.{ending}")]
    + list((ROOT / "docs").rglob("*.md"))
)


def found_in(text: str) -> Iterator[tuple[int, str, str]]:
    """Line and text of every forbidden phrase, also of one broken over two lines, and what to write instead."""
    for pattern, instead in PHRASES.items():
        for match in re.finditer(pattern.replace(" ", r"\s+(?:#\s+)?"), text, re.IGNORECASE):
            yield text.count("\n", 0, match.start()) + 1, match[0].lower(), f"write: {instead}"


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of every docstring, those of attributes and constants too."""
    for node in ast.walk(tree):
        for statement in getattr(node, "body", []) if not isinstance(node, (ast.Lambda, ast.IfExp)) else []:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                if isinstance(statement.value.value, str):
                    yield statement.lineno, statement.value.value.strip()


def defined_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of every function, class, argument and variable."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def test_no_phrase_of_the_word_list() -> None:
    wrong = []
    for path in SOURCES + DOCUMENTS:
        name = path.relative_to(ROOT).as_posix()
        meant = OTHER_MEANING.get(name, set())
        found = found_in(path.read_text(encoding="utf-8"))
        wrong += [f"{name}:{line}: {phrase}; {advice}" for line, phrase, advice in found if phrase not in meant]
    assert not wrong, "\n".join(wrong)


def test_docstrings_begin_with_a_verb_or_noun() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {text[:60]}"
        for path in SOURCES
        if path.suffix == ".py"
        for line, text in docstrings(ast.parse(path.read_text(encoding="utf-8")))
        if OPENINGS.match(text)
    ]
    assert not wrong, "\n".join(wrong)


def test_names_have_no_words_of_the_list() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in SOURCES
        if path.suffix == ".py"
        for line, name in defined_names(ast.parse(path.read_text(encoding="utf-8")))
        if NAMES.search(name)
    ]
    wrong += [str(path.relative_to(ROOT)) for path in SOURCES if NAMES.search(path.stem)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "sentence",
    [
        "reactions hardly known", "three roads to it", "he is warned of it", "what was half written is taken away",
        "a wish was not met", "so many letters", "a film of 120 frames", "faults are told at once", "Ride with a body",
        "in the present folder", "one row a case", "40 steps a second", "It makes no sense",
    ],
)  # fmt: skip
def test_the_scan_finds_each_phrase(sentence: str) -> None:
    assert list(found_in(sentence))
