"""What a benchmark run found, as rows, and how it is written down: the table on the screen and RESULTS.md."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from importlib import metadata
from pathlib import Path

MISSING = "not installed"


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
    return MISSING if seconds is None else f"{seconds * 1e6:.3g} us"


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


def as_markdown(rows: list[Row]) -> str:
    lines = ["| " + " | ".join(cells(HEAD)) + " |", "|" + " --- |" * 6]
    return "\n".join([*lines, *("| " + " | ".join(cells(row)) + " |" for row in rows)])


def machine() -> str:
    """Processor, cores and versions; nothing that names the machine itself."""
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    versions = [f"Python {platform.python_version()}"]
    for name in ("numpy", "scipy", "numba", "exudyn", "pin", "scikit-fem", "ngsolve", "pymetis", "sympy", "symengine"):
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            versions.append(f"{name} {MISSING}")
    system = f"{platform.system()} {platform.machine()}"
    return f"{processor}, {os.cpu_count()} cores, {system}; {', '.join(versions)}"


def write_results(path: Path, rows: list[Row], method: str) -> None:
    """RESULTS.md: date, machine, table, method."""
    path.write_text(
        f"# Benchmark results\n\nMeasured on {date.today().isoformat()} on: {machine()}.\n\n"
        f"{as_markdown(rows)}\n\n## How it was measured\n\n{method.strip()}\n"
    )
