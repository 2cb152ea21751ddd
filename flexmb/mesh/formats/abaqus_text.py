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
from flexmb.mesh.raw import count_included

_DEEPEST = 10
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

    @property
    def text(self) -> str:
        """The data lines as one string."""
        return "\n".join(self.lines)

    def name(self, key: str) -> str:
        """Value of a parameter without spaces around it; empty when it is not given."""
        return self.parameters.get(key, "").strip()


def blocks(path: Path) -> Iterator[Block]:
    """The keyword blocks of a file and of the files it includes."""
    lines = _lines(path, 0, [])
    starts = [i for i, line in enumerate(lines) if line.startswith("*")] + [len(lines)]
    if len(starts) == 1 or starts[0] > 0:
        hint = "An Abaqus or CalculiX file begins with a keyword such as *HEADING or *NODE."
        raise InputError([Fault("the file does not begin with a keyword.", hint=hint)])
    for start, end in zip(starts[:-1], starts[1:], strict=True):
        head, first = lines[start], start + 1
        while head.rstrip().endswith(",") and first < end:
            head, first = head.rstrip() + lines[first], first + 1
        word, _, rest = head.partition(",")
        yield Block(" ".join(word[1:].split()).upper(), _parameters(rest), lines[first:end])


def _lines(path: Path, depth: int, opened: list[Path]) -> list[str]:
    """Lines without comments and blank ones, those of included files in place; `opened` collects all files."""
    count_included(path, opened)
    if depth > _DEEPEST:
        raise InputError(
            [Fault(f"*INCLUDE is nested deeper than {_DEEPEST} files.", hint="Check whether a file includes itself.")]
        )
    text = path.read_text(encoding="utf-8", errors="replace")
    result: list[str] = []
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("**"):
            continue
        if not line.startswith("*"):
            result.append(line)
            continue
        word = line.partition(",")[0].strip().upper()
        if word != "*INCLUDE":
            result.append(line)
        if word == "*INCLUDE" or word in _WITH_INPUT:
            other = _parameters(line.partition(",")[2]).get("INPUT")
            if other:
                result += _lines(_beside(path, other), depth + 1, opened)
    return result


def _beside(path: Path, other: str) -> Path:
    target = path.parent / other.replace("\\", "/")
    if not target.is_file():
        raise InputError([Fault(f"{path.name} includes '{other}', which was not found.", hint=f"Looked for {target}.")])
    return target


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
        raise InputError([Fault(f"*{block.word}: '{wrong}' is not a whole number.")]) from None


def _floats(block: Block, fields: list[str]) -> Floats:
    try:
        return np.array(fields, dtype=np.float64)
    except ValueError as error:
        raise InputError([Fault(f"*{block.word}: {error}.", hint="Check that the file is complete.")]) from None
