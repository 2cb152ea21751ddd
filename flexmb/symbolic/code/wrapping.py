"""Long lines of code, broken before a + or - that stands outside of a name or number."""

from __future__ import annotations

import re

WIDTH = 110


def wrapped(line: str, end: str = "", start: str = "        ") -> list[str]:
    """The line in pieces of about WIDTH characters; `end` closes all but the last, `start` opens all but the first."""
    if len(line) <= WIDTH:
        return [line]
    found, rest = [], line
    while len(rest) > WIDTH:
        place = _break(rest)
        if place is None:
            break
        found.append(rest[:place].rstrip() + end)
        rest = start + rest[place:].lstrip()
    return [*found, rest]


def _break(line: str) -> int | None:
    """Place to break: at the last + or - within the width, else at the last * within it, else at the next place."""
    begin = len(line) - len(line.lstrip()) + 1
    for pattern in (r" [+-] ", r"(?<!\*)\*(?!\*)|, "):
        places = [match.start() + (match.group()[0] in "*,") for match in re.finditer(pattern, line[:WIDTH])]
        places = [place for place in places if place > begin + 8]
        if places:
            return places[-1]
    later = [match.start() for match in re.finditer(r" [+-] ", line) if match.start() > WIDTH]
    return later[0] if later else None
