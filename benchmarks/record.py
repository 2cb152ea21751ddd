"""The record of all measurements: results.json as data, RESULTS.md for people, written anew after every measurement.

A section is what one measurement found, with its own date, commit and machine, so that one of them can be measured
again without the others.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from report import FAILED, Row, as_markdown
from work_precision_table import Point, points_table

FOLDER = Path(__file__).resolve().parent
DATA, PAGE = FOLDER / "results.json", FOLDER / "RESULTS.md"
BUSY = 0.2
"""Cores that others kept busy, above which a section says that the machine was not idle"""
HEAD = """# Benchmark results

Written by `python benchmarks/run.py`, which measures flexmb and its peers in one run on one machine; not by hand
(the same as data: `results.json`). `--only NAME` measures single sections again. A ratio is the peer's time over
flexmb's. Lines with a hyphen belong to the line above them.
"""


@dataclass(frozen=True)
class Section:
    """What one measurement found, and when, where and how."""

    name: str
    date: str
    commit: str
    load: float
    """cores that others kept busy before the measurement"""
    repeats: int
    seconds: float
    """of the clock that the measurement took"""
    machine: dict[str, str]
    rows: list[Row]
    points: list[Point] = field(default_factory=list)

    @property
    def failures(self) -> list[Row]:
        return [row for row in self.rows if row.ours == FAILED]


def read(path: Path = DATA) -> dict[str, Section]:
    """The sections by name; none when nothing has been measured."""
    if not path.is_file():
        return {}
    return {name: section(name, entry) for name, entry in json.loads(path.read_text()).items()}


def section(name: str, entry: dict[str, Any]) -> Section:
    """A section from its entry of results.json."""
    rows = [Row(**row) for row in entry["rows"]]
    points = [Point(**point) for point in entry.get("points", [])]
    return Section(**{**entry, "name": name, "rows": rows, "points": points})


def write(sections: dict[str, Section], titles: dict[str, tuple[str, str]], general: str) -> None:
    """Both files, each replaced whole. `titles`: title and method of every measurement, in the order of the page."""
    ordered = {name: sections[name] for name in titles if name in sections}
    entries = {name: {key: value for key, value in asdict(s).items() if key != "name"} for name, s in ordered.items()}
    _replace(DATA, json.dumps(entries, indent=1) + "\n")
    _replace(PAGE, page(ordered, titles, general))


def _replace(path: Path, text: str) -> None:
    new = path.with_suffix(path.suffix + ".new")
    new.write_text(text)
    os.replace(new, path)


def page(sections: dict[str, Section], titles: dict[str, tuple[str, str]], general: str) -> str:
    """RESULTS.md."""
    machines: list[dict[str, str]] = []
    for section in sections.values():
        if section.machine not in machines:
            machines.append(section.machine)
    parts = [HEAD, *(_machine(number, found, len(machines)) for number, found in enumerate(machines, 1))]
    parts.append(summary(sections))
    parts.append(f"## How it is measured\n\n{general.strip()}\n")
    for name, section in sections.items():
        title, method = titles[name]
        number = machines.index(section.machine) + 1 if len(machines) > 1 else 0
        tables = as_markdown(section.rows) if section.rows else ""
        if section.points:
            tables += ("\n\n" if tables else "") + points_table(section.points)
        parts.append(f"## {title}\n\n{_measured(section, number)}\n\n{tables}\n\n{method.strip()}\n")
    return "\n".join(parts)


def _machine(number: int, found: dict[str, str], count: int) -> str:
    title = "## Machine" if count == 1 else f"## Machine {number}"
    return f"{title}\n\n" + "".join(f"- {key}: {value}\n" for key, value in found.items())


def _measured(section: Section, machine: int) -> str:
    text = f"Measured on {section.date}, commit {section.commit}, {section.repeats} repeats, {_duration(section)}"
    if machine:
        text += f", machine {machine}"
    if section.load > BUSY:
        text += f"; the machine was not idle ({section.load:.1f} cores busy)"
    return f"{text}. `python benchmarks/run.py --only {section.name}`"


def _duration(section: Section) -> str:
    return f"{section.seconds:.0f} s" if section.seconds < 120 else f"{section.seconds / 60:.0f} min"


def summary(sections: dict[str, Section]) -> str:
    """How much of what was asked for is there, what is not, and how costs grow."""
    lines = summary_lines(sections)
    return "## Summary\n\n" + "".join(f"- {line}\n" for line in lines)


def summary_lines(sections: dict[str, Section]) -> list[str]:
    named = [(row, _whole_case(section.rows, k)) for section in sections.values() for k, row in enumerate(section.rows)]
    met = sum(row.target.count(": met") for row, _ in named)
    missed = [_missed(case, row) for row, case in named if ": NOT met" in row.target]
    failed = [f"{case}: {row.note}" for row, case in named if row.ours == FAILED]
    exponents = [f"{case}: {row.ours}" for row, case in named if row.ours.startswith("n^")]
    lines = [f"Of {met + len(missed)} figures asked for {met} are met."]
    lines += [f"Not met: {text}" for text in missed]
    lines += [f"Failed: {text}" for text in failed]
    return lines + [f"Growth with the size n: {text}" for text in exponents]


def _missed(case: str, row: Row) -> str:
    found = f"{row.ours}, {row.ratio}" if row.ratio else row.ours
    return f"{case}: {found}, asked for {row.target.replace(': NOT met', '')}"


def _whole_case(rows: list[Row], index: int) -> str:
    """The case of a row, with that of the row it belongs to."""
    case = rows[index].case
    if not case.startswith("   "):
        return case
    head = next((row.case for row in reversed(rows[:index]) if not row.case.startswith("   ")), "")
    return f"{head}, {case.strip()}" if head else case.strip()
