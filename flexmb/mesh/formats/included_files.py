"""Files that a deck includes: only those below its folder, few, not nested deeply, of limited size together.

A deck from somewhere else must not read any file of the user: paths are resolved, links too, before they are compared
with the folder of the first file.
"""

from __future__ import annotations

from pathlib import Path

from flexmb.errors import Fault, InputError
from flexmb.mesh.raw import note_file
from flexmb.suggestions import clipped

_DEEPEST = 10
_MOST = 1000
_LARGEST = 4_000_000_000
"""Bytes of all files of a deck together"""


class IncludedFiles:
    """Opens the files of one deck."""

    def __init__(self, path: Path):
        self.root = path.resolve().parent
        self.count = 0
        self.size = 0

    def text(self, path: Path, depth: int) -> str:
        """Text of a file that is nested so deep."""
        self.count += 1
        if self.count > _MOST:
            raise InputError([Fault(f"more than {_MOST} files are included.", hint="Write the mesh as one file.")])
        note_file(path)
        self.size += path.stat().st_size
        if depth and self.size > _LARGEST:
            raise InputError([Fault(f"its files have more than {_LARGEST / 1e9:g} GB together.")])
        return path.read_text(encoding="utf-8", errors="replace")

    def beside(self, path: Path, name: str, line: int, depth: int) -> Path:
        """The file `name` that a line of `path`, itself nested so deep, includes, relative to the folder of `path`."""
        place = f"{path.name}, line {line},"
        if depth >= _DEEPEST:
            text = f"{place} includes {clipped(name)} deeper than {_DEEPEST} files."
            raise InputError([Fault(text, hint="Check whether a file includes itself.")])
        target = path.parent / name.replace("\\", "/")
        if not target.resolve().is_relative_to(self.root):
            text = f"{place} includes {clipped(name)}, which is not below the folder of the first file."
            raise InputError([Fault(text, hint="Put all files of the deck into one folder.")])
        if not target.is_file():
            text = f"{place} includes {clipped(name)}, which was not found."
            raise InputError([Fault(text, hint=f"Looked for {target}.")])
        return target
