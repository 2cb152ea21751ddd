"""What a benchmark run found, as rows, and how they are written: columns on the screen, a table in RESULTS.md."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass

MISSING = "not installed"
FAILED = "failed"


@dataclass(frozen=True)
class Row:
    """One line of the table; text is ready to print."""

    case: str
    ours: str
    peer: str
    ratio: str
    target: str
    note: str = ""


def microseconds(seconds: float | None) -> str:
    """Empty for a code that is not installed; from a thousand on in milliseconds."""
    if seconds is None or abs(seconds) >= 0.9995e-3:
        return milliseconds(seconds)
    return f"{seconds * 1e6:.3g} us"


def milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds:.3g} s" if abs(seconds) >= 0.9995 else f"{seconds * 1e3:.3g} ms"


def millimetres(error: float | None) -> str:
    return "-" if error is None else f"{error * 1e3:.2g} mm"


def ratio(peer: float | None, ours: float | None) -> str:
    """How many times faster flexmb is."""
    return "" if peer is None or ours is None else f"{peer / ours:.2f}x"


def at_least(times: float | None, peer: float | None, ours: float | None) -> str:
    """The speed-up asked for, and whether it is there."""
    if times is None:
        return "for comparison"
    met = "" if peer is None or ours is None else _verdict(peer >= times * ours)
    return f">= {times:g}x{met}"


def at_most(limit: float, value: float | None, written: Callable[[float], str] = str) -> str:
    """The bound asked for, and whether it is kept."""
    return f"<= {written(limit)}{'' if value is None else _verdict(value <= limit)}"


def _verdict(met: bool) -> str:
    return ": met" if met else ": NOT met"


def failure(case: str, message: str) -> Row:
    """The row of something that could not be measured."""
    return Row(case, FAILED, "", "", "", " ".join(message.split()))


def guarded(case: str, part: Callable[[], list[Row]]) -> list[Row]:
    """The rows of one comparison; a row that says what went wrong when it fails, so that the others go on."""
    try:
        return part()
    except Exception as error:
        traceback.print_exc()
        return [failure(case, f"{type(error).__name__}: {error}")]


HEAD = Row("case", "flexmb", "peer", "ratio", "asked for", "note")


def cells(row: Row) -> list[str]:
    return [row.case, row.ours, row.peer, row.ratio, row.target, row.note]


def as_text(rows: list[Row]) -> str:
    """Columns in line, for the terminal; the notes below each other at the right."""
    table = [cells(row) for row in [HEAD, *rows]]
    widths = [max(len(line[column]) for line in table) for column in range(5)]
    return "\n".join(
        "  ".join([*(text.ljust(width) for text, width in zip(line, widths, strict=False)), line[5]]).rstrip()
        for line in table
    )


def markdown_table(lines: list[list[str]]) -> str:
    """A table whose first line is its head; bars within a cell are escaped."""
    written = ["| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in lines]
    return "\n".join([written[0], "|" + " --- |" * len(lines[0]), *written[1:]])


def as_markdown(rows: list[Row]) -> str:
    """The rows with indented cases joined to the row they belong to by a hyphen."""
    table = [cells(row) for row in rows]
    for line in table:
        if line[0].startswith("   "):
            line[0] = f"- {line[0].strip()}"
    return markdown_table([cells(HEAD), *table])
