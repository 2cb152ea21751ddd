"""The bulk data of a Nastran file as cards: a name and its fields.

Fields have 8 columns (small), 16 after a star (large), or are separated by commas (free). A card continues on the next
line if that begins with a plus sign, a star, blanks or a comma. Comments begin with a dollar sign. INCLUDE inserts
another file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from flexmb.errors import Fault, InputError
from flexmb.mesh.raw import count_included

_DEEPEST = 10
_INCLUDE = re.compile(r"\s*INCLUDE\s+['\"]?([^'\"]+)['\"]?\s*$", re.IGNORECASE)
_EXPONENT = re.compile(r"([0-9.])([-+]\d+)$")


def cards(path: Path, comments: list[str], notes: list[str]) -> Iterator[list[str]]:
    """Every card as [NAME, field 2, field 3, ...] without continuation marks; comments and notes are collected."""
    card: list[str] = []
    full = 0
    for line in _bulk(_lines(path, 0, comments, []), notes):
        name, fields, width = _fields(line)
        if name and name[0] not in "+*":
            if card:
                yield card
            card, full = [name, *fields], 1 + width
        elif card:
            # The previous line counts as full, however many of its fields were written.
            card += [""] * (full - len(card)) + fields
            full += width
    if card:
        yield card


def _lines(path: Path, depth: int, comments: list[str], opened: list[Path]) -> list[str]:
    count_included(path, opened)
    if depth > _DEEPEST:
        raise InputError(
            [Fault(f"INCLUDE is nested deeper than {_DEEPEST} files.", hint="Check whether a file includes itself.")]
        )
    result = []
    for raw in path.read_text(encoding="utf-8", errors="replace").splitlines():
        line = raw
        if "$" in raw:
            line, _, comment = raw.partition("$")
            comments.append(comment.strip())
        start = line.lstrip()[:7].upper()
        if not start:
            continue
        include = _INCLUDE.match(line) if start == "INCLUDE" else None
        if include is None:
            result.append(line)
            continue
        target = path.parent / include.group(1).strip().replace("\\", "/")
        if not target.is_file():
            text = f"{path.name} includes '{include.group(1)}', which was not found."
            raise InputError([Fault(text, hint=f"Looked for {target}.")])
        result += _lines(target, depth + 1, comments, opened)
    return result


def _bulk(lines: list[str], notes: list[str]) -> list[str]:
    """The lines between BEGIN BULK (or the start of the file, without one) and ENDDATA."""
    begin = re.compile(r"\s*BEGIN\s+(?:BULK|SUPER)", re.IGNORECASE)
    start = next((i + 1 for i, line in enumerate(lines) if line.lstrip()[:1] in ("B", "b") and begin.match(line)), 0)
    end = next((i for i in range(start, len(lines)) if lines[i].lstrip()[:7].upper() == "ENDDATA"), None)
    if start and end is None:
        raise InputError([Fault("BEGIN BULK has no ENDDATA.", hint="The file is truncated. Write it again.")])
    if end is None:
        notes.append("The file has no ENDDATA: it may be incomplete.")
    return lines[start:end]


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
