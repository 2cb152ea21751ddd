"""A state as named tables, for debugging: what the flat arrays contain, by the names and units of their declarations.

from flexmb.layout.dump import dump
print(dump(system, work))           # header, bodies, markers, rows, loads, ...
print(dump_solver(system.ints, K, S))   # state of an integrator
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.layout.record import Field, Record, length_of

LONGEST = 24
"""Numbers of an array that are printed; of a longer one the first and the last three are."""


class RowName(Protocol):
    """A constraint row by name."""

    @property
    def owner(self) -> str: ...
    @property
    def text(self) -> str: ...


class FlatSystem(Protocol):
    """The parts of a system that a dump needs: its arrays, and the names of the entries of its tables."""

    @property
    def ints(self) -> Integers: ...
    @property
    def floats(self) -> Floats: ...
    @property
    def body_names(self) -> Sequence[str]: ...
    @property
    def marker_names(self) -> Mapping[int, str]: ...
    @property
    def evaluated(self) -> Sequence[RowName]: ...
    @property
    def forces(self) -> Sequence[str]: ...


def dump(system: FlatSystem, work: Floats) -> str:
    """Header, bodies, markers, rows, chords, loads and all other records of a system with the state in `work`."""
    reader = _Reader({"I": system.ints, "F": system.floats, "W": work})
    ints = system.ints
    counts = header_counts(ints)
    lines = ["header", *reader.fields(L.HEADER_RECORD, 0, counts)]
    names: dict[int, Mapping[int, str]] = {
        L.BODIES: dict(enumerate(system.body_names)),
        L.MARKERS: system.marker_names,
        L.ROWS: {k: f"{row.owner}: {row.text}" for k, row in enumerate(system.evaluated)},
        L.LOADS: dict(enumerate(system.forces)),
    }
    for field in L.HEADER_RECORD.fields:
        target = field.target
        if target is None or target.record is None or target.array != "I" or field.offset is None:
            continue
        record, first = target.record, int(ints[field.offset])
        for k in range(length_of(target.length, counts)):
            name = names.get(field.offset, {}).get(k)
            start = first + k * record.size
            lines += ["", f"{record.name} {k}" + (f" '{name}'" if name else "")]
            lines += reader.fields(record, start, counts | _own_counts(ints, record, start))
    return "\n".join(lines) + "\n"


def dump_solver(ints: Integers, K: Integers, S: Floats) -> str:
    """State of an integrator: K and S (`solver_state`)."""
    return _dump_state(st.K_RECORD, st.S_RECORD, st.counts_of(ints), K, S)


def dump_driven(ints: Integers, K: Integers, S: Floats) -> str:
    """State of the loop over a driven motion: K and S (`driven_state`)."""
    return _dump_state(ds.K_RECORD, ds.S_RECORD, st.counts_of(ints) | {"n_free": int(K[ds.N_FREE])}, K, S)


def _dump_state(k_record: Record, s_record: Record, counts: dict[str, int], K: Integers, S: Floats) -> str:
    reader = _Reader({"K": K, "S": S})
    lines = [k_record.name, *reader.fields(k_record, 0, counts), "", s_record.name]
    return "\n".join([*lines, *reader.fields(s_record, 0, counts)]) + "\n"


def header_counts(ints: Integers) -> dict[str, int]:
    """The counts of a system by name, for the lengths that depend on them."""
    counts = {
        field.name: int(ints[field.offset])
        for field in L.HEADER_RECORD.fields
        if field.kind == "value" and field.offset is not None
    }
    bodies = [int(ints[L.BODIES]) + k * L.BODY for k in range(counts["n_bodies"] + 1)]
    fields = [int(ints[L.FIELDS]) + k * L.FIELD for k in range(counts["n_fields"])]
    beams = [int(ints[field + L.FD_N]) for field in fields if ints[field + L.FD_NODES]]
    counts["most_modes"] = max(int(ints[body + L.B_NF]) for body in bodies)
    counts["most_stations"] = max(beams, default=0)
    return counts


def _own_counts(ints: Integers, record: Record, start: int) -> dict[str, int]:
    """Counts that a record itself gives, or the body that it belongs to."""
    own = {f.name: int(ints[start + f.offset]) for f in record.fields if f.kind == "value" and f.offset is not None}
    body = start
    if record is L.MARKER_RECORD:
        body = int(ints[L.BODIES]) + own["body"] * L.BODY
    elif record is L.FIELD_RECORD:
        body = own["body"]
    elif record is L.CHORD_RECORD:
        return own | {"n_joint": own["n_rates"]}
    elif record is not L.BODY_RECORD:
        return own
    modes, joint = int(ints[body + L.B_NF]), int(ints[body + L.B_NJ])
    parent = int(ints[L.BODIES]) + max(int(ints[body + L.B_PARENT]), 0) * L.BODY
    sizes = {"n_modes": modes, "n_own": joint + modes, "size": 6 + modes, "n_parent_modes": int(ints[parent + L.B_NF])}
    return own | sizes


class _Reader:
    """Prints the fields of records of these arrays."""

    def __init__(self, arrays: Mapping[str, Any]):
        self.arrays = arrays

    def fields(self, record: Record, start: int, counts: Mapping[str, int], prefix: str = "  ") -> Iterator[str]:
        """A line for every field, and the numbers that a place points to."""
        each = length_of(record.each, counts)
        position = start
        for field in record.fields:
            if record is L.MARKER_BLOCK and counts["n_modes"] == 0 and position - start >= L.RIGID_MARKER:
                return
            length = length_of(field.length, counts) * each
            values = self.arrays[record.array][position : position + length]
            position += length
            if field.kind == "program":
                continue  # addresses mean nothing to a reader
            if field.target is None:
                yield _line(prefix, field.name, values, field.unit, field.text)
            else:
                yield from self._place(field, int(values[0]), counts, prefix)

    def _place(self, field: Field, place: int, counts: Mapping[str, int], prefix: str) -> Iterator[str]:
        target = field.target
        assert target is not None
        if place == 0 and target.array in ("F", "K", "S"):
            yield f"{prefix}{field.name:<26} none  {field.text}"
        elif target.record is not None and target.length == "":
            yield f"{prefix}{field.name:<26} {target.array}[{place}]  {field.text}"
            yield from self.fields(target.record, place, counts, prefix + "  ")
        elif target.record is not None:
            yield f"{prefix}{field.name:<26} {target.array}[{place}]  {field.text}"
        else:
            values = self.arrays[target.array][place : place + length_of(target.length, counts)]
            yield _line(prefix, field.name, values, target.unit, f"{target.array}[{place}] {field.text}")


def _line(prefix: str, name: str, values: Any, unit: str, text: str) -> str:
    numbers = np.array2string(np.asarray(values), precision=9, threshold=LONGEST, max_line_width=10**6, separator=" ")
    shown = numbers[1:-1].strip() if len(values) != 1 else numbers.strip("[] ")
    return f"{prefix}{name:<26} {shown or '(none)'}" + (f" {unit}" if unit else "") + f"  {text}"
