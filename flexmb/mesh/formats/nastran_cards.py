"""The bulk data of a Nastran file as cards: a name and its fields.

Fields have 8 columns (small), 16 after a star (large), or are separated by commas (free). A card continues on the next
line if that begins with a plus sign, a star, blanks or a comma. Comments begin with a dollar sign. INCLUDE inserts
another file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from math import isfinite
from pathlib import Path

from flexmb.errors import Fault, InputError
from flexmb.mesh.formats.included_files import IncludedFiles

_INCLUDE = re.compile(r"\s*INCLUDE\s+['\"]?([^'\"]+)['\"]?\s*$", re.IGNORECASE)
_EXPONENT = re.compile(r"([0-9.])([-+]\d+)$")
_LARGEST_WHOLE = 2**53
_LARGEST_REAL = 1e100


class Cards:
    """The cards of a file, and the place of the card that was read last."""

    def __init__(self, path: Path):
        self.comments: list[str] = []
        self.notes: list[str] = []
        self.at = 0
        """Index of the first line of the current card"""
        self._lines: list[str] = []
        self._numbers: list[int] = []
        self._files: list[tuple[int, str]] = []
        """Index of a line, and name of the file that goes on there; empty: the first file"""
        self._read(path, 0, IncludedFiles(path))

    def __iter__(self) -> Iterator[list[str]]:
        """Every card as [NAME, field 2, field 3, ...] without continuation marks."""
        card: list[str] = []
        full, begin = 0, 0
        start, end = self._bulk()
        for at in range(start, end):
            name, fields, width = _fields(self._lines[at])
            if name and name[0] not in "+*":
                if card:
                    self.at = begin
                    yield card
                card, full, begin = [name, *fields], 1 + width, at
            elif card:
                # The previous line counts as full, however many of its fields were written.
                card += [""] * (full - len(card)) + fields
                full += width
        if card:
            self.at = begin
            yield card

    def place(self, at: int | None = None) -> str:
        """Place of a line, of the current card if none is given: "line 12", "geometry.inc, line 3"."""
        at = self.at if at is None else at
        file = self._files[max(0, bisect_right(self._files, at, key=lambda entry: entry[0]) - 1)][1]
        return f"{file}, line {self._numbers[at]}" if file else f"line {self._numbers[at]}"

    def _read(self, path: Path, depth: int, files: IncludedFiles) -> None:
        """Lines without comments and blank ones, those of included files in place."""
        name = path.name if depth else ""
        self._files.append((len(self._lines), name))
        wanted, begin = "", 0
        for number, raw in enumerate(files.text(path, depth).splitlines(), 1):
            line = raw
            if "$" in raw:
                line, _, comment = raw.partition("$")
                self.comments.append(comment.strip())
            if wanted:
                wanted += line.strip()
            elif not (start := line.lstrip()[:7].upper()):
                continue
            elif start == "INCLUDE":
                wanted, begin = line, number
            else:
                self._lines.append(line)
                self._numbers.append(number)
                continue
            if wanted.count("'") % 2 or wanted.count('"') % 2:  # a path on several lines
                continue
            found = _INCLUDE.match(wanted)
            if found is None:
                self._lines.append(line)
                self._numbers.append(number)
            else:
                self._read(files.beside(path, found.group(1).strip(), begin, depth), depth + 1, files)
                self._files.append((len(self._lines), name))
            wanted = ""

    def _bulk(self) -> tuple[int, int]:
        """First and last line between BEGIN BULK (or the start of the file, without one) and ENDDATA."""
        lines = self._lines
        begin = re.compile(r"\s*BEGIN\s+(?:BULK|SUPER)", re.IGNORECASE)
        start = next(
            (i + 1 for i, line in enumerate(lines) if line.lstrip()[:1] in ("B", "b") and begin.match(line)), 0
        )
        end = next((i for i in range(start, len(lines)) if lines[i].lstrip()[:7].upper() == "ENDDATA"), None)
        if start and end is None:
            raise InputError([Fault("BEGIN BULK has no ENDDATA.", hint="The file is truncated. Write it again.")])
        if end is None:
            self.notes.append("The file has no ENDDATA: it may be incomplete.")
        return start, len(lines) if end is None else end


class Fields:
    """The fields of a card by their number on it: 1 is the first one after the name. Missing ones are empty."""

    def __init__(self, card: list[str], place: str = ""):
        self.card = card
        self.place = place

    @property
    def title(self) -> str:
        """Name, number and place of the card: "CONM2 9 (line 12)"."""
        return f"{self.card[0]} {self.text(1)} ({self.place})"

    def text(self, i: int) -> str:
        """The field as text, in upper case."""
        return self.card[i].upper() if i < len(self.card) else ""

    def whole(self, i: int, default: int | None = None) -> int:
        """The field as a whole number; without a default it must be given."""
        text = self.text(i)
        if not text and default is not None:
            return default
        number = int(text)
        if abs(number) > _LARGEST_WHOLE:
            raise ValueError
        return number

    def real(self, i: int, default: float | None = None) -> float:
        """The field as a number; without a default it must be given."""
        text = self.text(i)
        if not text:
            if default is None:
                raise ValueError
            return default
        number = real(text)
        if not isfinite(number) or abs(number) > _LARGEST_REAL:
            raise ValueError
        return number

    def reals(self, first: int, last: int) -> tuple[float, ...]:
        """Fields from first to last as numbers; empty ones are zero."""
        return tuple(self.real(i, 0.0) for i in range(first, last + 1))


def _fields(line: str) -> tuple[str, list[str], int]:
    """Name (or continuation mark, or nothing) and fields of one line, and the most fields of such a line."""
    if "\t" in line:
        line = line.expandtabs(8)
    if "," in line:
        parts = [part.strip() for part in line.split(",")]
        width = 4 if "*" in parts[0] else 8
        # A tenth field, or a mark at the end of a shorter line, announces a continuation.
        rest = parts[1 : 1 + width]
        if rest and rest[-1][:1] in ("+", "*") and not re.match(r"[-+.]?[\d.]", rest[-1]):
            rest.pop()
        return _name(parts[0]), rest, width
    head = line[:8]
    step, count = (16, 4) if "*" in head else (8, 8)
    body = line[8 : 8 + step * count]
    return _name(head), [body[i : i + step].strip() for i in range(0, len(body), step)], count


def _name(text: str) -> str:
    text = text.strip().upper()
    # meshio writes quadratic solids as CTETRA_, CHEXA_, ...
    return text.rstrip("*_ ") if text[:1] not in ("+", "*") else text


def real(text: str) -> float:
    """A number as Nastran writes it: 1.5-3 and 1.5D-3 are 0.0015, an empty field is 0."""
    if not text:
        return 0.0
    text = text.upper().replace("D", "E")
    return float(text if "E" in text else _EXPONENT.sub(r"\1E\2", text))
