"""The lines of an Abaqus or CalculiX input file as keyword blocks.

A keyword line begins with one star, may continue after a comma at its end, and is followed by data lines; two stars
begin a comment. *INCLUDE and INPUT= insert the lines of another file, with a path relative to the including file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.formats.included_files import IncludedFiles

_WITH_INPUT = ("*NODE", "*ELEMENT", "*NSET", "*ELSET", "*SURFACE")
_EMPTY_FIELD = re.compile(r",[ \t]*,|^[ \t]*,", re.MULTILINE)


@dataclass
class Block:
    """One keyword with its parameters and data lines."""

    word: str
    """Upper case, without the star"""
    parameters: dict[str, str]
    """Upper-case name -> value as written, without quotes"""
    lines: list[str]
    place: str = ""
    """Line of the keyword: "line 12", "part.inc, line 3" """

    @property
    def title(self) -> str:
        """Keyword and place: "*MASS (line 12)"."""
        return f"*{self.word} ({self.place})" if self.place else f"*{self.word}"

    @property
    def text(self) -> str:
        """The data lines as one string."""
        return "\n".join(self.lines)

    def name(self, key: str) -> str:
        """Value of a parameter without spaces around it; empty when it is not given."""
        return self.parameters.get(key, "").strip()


def blocks(path: Path) -> Iterator[Block]:
    """The keyword blocks of a file and of the files it includes."""
    lines: list[str] = []
    places: dict[int, str] = {}
    _read(path, 0, IncludedFiles(path), lines, places)
    starts = [i for i, line in enumerate(lines) if line.startswith("*")] + [len(lines)]
    if len(starts) == 1 or starts[0] > 0:
        hint = "An Abaqus or CalculiX file begins with a keyword such as *HEADING or *NODE."
        raise InputError([Fault("the file does not begin with a keyword.", hint=hint)])
    for start, end in zip(starts[:-1], starts[1:], strict=True):
        head, first = lines[start], start + 1
        while head.rstrip().endswith(",") and first < end:
            head, first = head.rstrip() + lines[first], first + 1
        word, _, rest = head.partition(",")
        yield Block(" ".join(word[1:].split()).upper(), _parameters(rest), lines[first:end], places[start])


def _read(path: Path, depth: int, files: IncludedFiles, lines: list[str], places: dict[int, str]) -> None:
    """Add the lines without comments and blank ones, those of included files in place, and places of keywords."""
    name = f"{path.name}, " if depth else ""
    for number, raw in enumerate(files.text(path, depth).splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("**"):
            continue
        if not line.startswith("*"):
            lines.append(line)
            continue
        word = line.partition(",")[0].strip().upper()
        if word != "*INCLUDE":
            places[len(lines)] = f"{name}line {number}"
            lines.append(line)
        if word == "*INCLUDE" or word in _WITH_INPUT:
            other = _parameters(line.partition(",")[2]).get("INPUT")
            if other:
                target = files.beside(path, other, number, depth)
                _read(target, depth + 1, files, lines, places)


def _parameters(text: str) -> dict[str, str]:
    pairs = {}
    for part in re.findall(r'(?:[^,"]|"[^"]*")+', text):
        key, _, value = part.partition("=")
        pairs[key.strip().upper()] = value.strip().strip('"')
    return pairs


def rows(block: Block, width: int) -> Floats:
    """(n, width) numbers of lines with one row each; empty fields are zero, surplus fields are dropped."""
    text = block.text.replace("D", "E").replace("d", "e")
    if not _EMPTY_FIELD.search(text):
        flat = _floats(block, text.replace(",", " ").split())
        if len(flat) == width * len(block.lines):
            return flat.reshape(-1, width)
    table = np.zeros((len(block.lines), width))
    for i, line in enumerate(text.splitlines()):
        fields = [field.strip() or "0" for field in line.rstrip(", ").split(",")][:width]
        table[i, : len(fields)] = _floats(block, fields)
    return table


def integers(block: Block) -> Integers:
    """All whole numbers of the block in one row."""
    fields = block.text.replace(",", " ").split()
    try:
        return np.array(fields, dtype=np.int64)
    except (ValueError, OverflowError):
        wrong = next((field for field in fields if not re.fullmatch(r"[-+]?\d{1,18}", field)), "")
        raise InputError([Fault(f"{block.title}: '{wrong}' is not a whole number.")]) from None


def _floats(block: Block, fields: list[str]) -> Floats:
    try:
        return np.array(fields, dtype=np.float64)
    except ValueError as error:
        raise InputError([Fault(f"{block.title}: {error}.", hint="Check that the file is complete.")]) from None
