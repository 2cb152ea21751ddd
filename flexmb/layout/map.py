"""The map of the flat arrays, printed from their declarations: every record, every field, as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterator

from flexmb.layout import driven_state, flat_arrays, solver_state, sparse_pattern
from flexmb.layout.record import RECORDS, Field, Record

ARRAYS = {
    "I": "structure of a system (int64)",
    "F": "constants of a system (float64)",
    "W": "workspace: state and everything computed from it (float64)",
    "K": "counters, flags and offsets of a solver (int64)",
    "S": "numbers of a solver (float64)",
    "P": "pattern of a sparse matrix (int64)",
}
DECLARED_IN = (flat_arrays, solver_state, driven_state, sparse_pattern)
"""The modules whose import declares all records."""


def layout_map() -> str:
    """All records by array, each as a table: offset, name, length, unit, meaning."""
    lines = ["# Map of the flat arrays", ""]
    for array, text in ARRAYS.items():
        lines += [f"## {array}: {text}", ""]
        own = [record for record in RECORDS if record.array == array]
        for record in sorted(own, key=lambda record: record is not flat_arrays.HEADER_RECORD):
            lines += [*_table(record), ""]
    return "\n".join(lines)


def _table(record: Record) -> Iterator[str]:
    yield f"### {record.name}"
    yield ""
    each = "" if record.each == 1 else f" Each entry is an array of {record.each} numbers."
    yield record.text + each
    yield ""
    yield "| offset | name | length | unit | meaning |"
    yield "| --- | --- | --- | --- | --- |"
    for field, offset in zip(record.fields, offsets(record), strict=True):
        meaning = field.text + _points_to(field) + (f" ({field.only} solver)" if field.only else "")
        yield f"| {offset} | {_cell(field.name)} | {field.length} | {field.unit or '-'} | {_cell(meaning)} |"


def offsets(record: Record) -> list[str]:
    """Offset of every field as text: behind a length that depends on counts it is a sum."""
    found: list[str] = []
    known, open_terms = 0, ""
    for field in record.fields:
        found.append(f"{known}{open_terms}")
        if isinstance(field.length, int):
            known += field.length
        else:
            open_terms += f" + {field.length}"
    return found


def _points_to(field: Field) -> str:
    """Target of a place: array, length and unit, or the kind of record."""
    if field.kind == "program":
        return " (address)"
    target = field.target
    if target is None:
        return ""
    if target.record is not None and target.length == "":
        return f" (offset in {target.array}: {target.record.name})"
    if target.record is not None:
        return f" (offset in {target.array}: {target.length} records of kind {target.record.name})"
    unit = f" [{target.unit}]" if target.unit else ""
    length = f": {target.length} numbers{unit}" if target.length else ""
    return f" (offset in {target.array}{length})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
