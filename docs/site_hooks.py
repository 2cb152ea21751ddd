"""Links of the site that leave docs/: the pages must read the same on GitHub and in the built site.

On GitHub `../examples/README.md` is a file of the repository. The site takes in the gallery, its models and pictures,
the benchmark record, CONTRIBUTING.md and CHANGELOG.md under their names, and this file turns links to them into links
inside the site. A link to any other file of the repository becomes plain text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
TAKEN = (
    "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "CITATION.cff", "examples/README.md", "examples/*.toml",
    "examples/*.py", "examples/pictures/*", "benchmarks/RESULTS.md", "benchmarks/*.png",
)  # fmt: skip
INDEX = {"README.md": "index.md"}
"""Pages that are others in the site"""
LINK = re.compile(r"(!?)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\(([^()\s]+)\)")


def _place(uri: str) -> str:
    """Where a file of the repository is in the site; "" when it is not there."""
    if uri.startswith("docs/"):
        return uri.removeprefix("docs/")
    if uri in INDEX:
        return INDEX[uri]
    return uri if any(Path(uri).match(pattern) and (ROOT / uri).is_file() for pattern in TAKEN) else ""


def _home(page: str) -> str:
    """The file of the repository that a page of the site is made from."""
    return page if any(Path(page).match(pattern) for pattern in TAKEN) else f"docs/{page}"


def on_files(files: Files, config: Any) -> Files:
    """Take in the pages and pictures that are not in docs/."""
    for pattern in TAKEN:
        for path in sorted(ROOT.glob(pattern)):
            uri = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: Any, files: Files) -> str:
    """Links to files of the repository as links inside the site; code stays as it is."""
    home = _home(page.file.src_uri)
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else _relinked(part, home, page.file.src_uri) for part in parts)


def _relinked(text: str, home: str, uri: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        mark, words, link = match.groups()
        words = _relinked(words, home, uri)  # a picture may be a link
        target, sign, name = link.partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return f"{mark}[{words}]({link})"
        in_repository = os.path.normpath(os.path.join(os.path.dirname(home), target))
        place = _place(in_repository)
        if not place:
            return words
        return f"{mark}[{words}]({os.path.relpath(place, os.path.dirname(uri) or '.')}{sign}{name})"

    return LINK.sub(replaced, text)
