"""The documents of the repository as text: their pages, headings, links, code blocks and commands."""

from __future__ import annotations

import re

from flexmb.model.schema.reference_page import anchor
from tests.support.places import ROOT

PAGES: dict[str, str] = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for path in sorted([*ROOT.glob("*.md"), ROOT / "examples" / "README.md", *(ROOT / "docs").rglob("*.md")])
}
"""Every page, by its path from the root of the repository"""
README = PAGES["README.md"]


def without_code(text: str) -> str:
    """A page without its code blocks and code in lines."""
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def headings(text: str) -> list[str]:
    """Titles of all levels."""
    return re.findall(r"^#+ (.*)$", without_code(text), re.MULTILINE)


def anchors(text: str) -> set[str]:
    """What links may have after the #, numbered where headings repeat."""
    found: dict[str, int] = {}
    names = set()
    for title in headings(text):
        name = anchor(title)
        names.add(f"{name}-{found[name]}" if name in found else name)
        found[name] = found.get(name, 0) + 1
    return names


def links(text: str) -> list[str]:
    """Targets of all links and pictures that lead to files or headings of the repository."""
    plain = re.sub(r"`[^`\n]*`", "", without_code(text))
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", plain) if not re.match(r"[a-z]+:", link)]


def blocks(text: str, language: str) -> list[str]:
    """Code blocks of one language; "": those without."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for word, block in found if word == language]


def commands(text: str) -> list[str]:
    """Commands `flexmb ...` of the blocks, one line each, without overviews of options and names to be filled in."""
    lines = [line for block in blocks(text, "") for line in block.replace("\\\n", " ").splitlines()]
    found = [line.partition("  #")[0] for line in lines if line.startswith("flexmb ")]
    return [line for line in found if not re.search(r"\[|\b[A-Z]{4,}\b", line)]


def tables(text: str) -> list[list[str]]:
    """Rows of all tables as cells; heads and rules are left out."""
    rows = []
    lines = text.splitlines()
    for k, line in enumerate(lines):
        is_head = k + 1 < len(lines) and lines[k + 1].startswith("| ---")
        if line.startswith("| ") and not line.startswith("| ---") and not is_head:
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows
