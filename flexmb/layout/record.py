"""Declaration of the flat arrays: a record is a list of fields, each with name, length, unit and a sentence.

Declaring a field returns its offset, a plain integer that compiled kernels see as a constant:

    BODY_RECORD = Record("body", "I", "One body of the tree.")
    B_PARENT = BODY_RECORD.value("parent", "number of the parent body")
    B_COMPOSITE = BODY_RECORD.place("composite", "W", "size size", "kg, kg m, kg m^2", "composite inertia")

`value` holds numbers of its own; `place` holds the offset of numbers that are in another array; `program` holds the
address of compiled code. Lengths are integers, or texts such as "6 + n_modes" and "6 n_modes" (terms added, factors
side by side) that are computed from the counts of a system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

ArrayName = Literal["I", "F", "W", "K", "S", "P"]
"""I: structure of a system, F: its constants, W: workspace; K, S: integers and numbers of a solver; P: pattern."""
Length = int | str
Counts = Mapping[str, int]


def length_of(length: Length, counts: Counts) -> int:
    """The number that a length is for these counts: "6 + 2 n_q" with n_q = 3 is 12."""
    if isinstance(length, int):
        return length
    total = 0
    for term in length.split("+"):
        product = 1
        for factor in term.split():
            product *= int(factor) if factor.isdigit() else counts[factor]
        total += product
    return total


@dataclass(frozen=True)
class Target:
    """Target of a place: numbers in another array, or records there."""

    array: ArrayName
    length: Length
    unit: str = ""
    record: Record | None = None


@dataclass(frozen=True)
class Field:
    """One entry of a record."""

    name: str
    offset: int | None
    """None: behind a field whose length depends on counts."""
    length: Length
    unit: str
    text: str
    kind: Literal["value", "place", "program"] = "value"
    target: Target | None = None
    only: str = ""
    """The one solver that has this field; empty: all."""


class Record:
    """A kind of record: its fields in the order in which they are stored in `array`."""

    def __init__(self, name: str, array: ArrayName, text: str, *, begins_with: Record | None = None, each: Length = 1):
        self.name = name
        self.array = array
        self.text = text
        self.each = each
        """Length of every entry: 1, or the number of points when the fields are arrays over points."""
        self.fields: list[Field] = []
        self._at: dict[int, Field] = {}
        for field in begins_with.fields if begins_with is not None else ():
            self._add(field)
        RECORDS.append(self)

    @property
    def size(self) -> int:
        """Number of entries; offset of the next field."""
        last = self.fields[-1] if self.fields else None
        if last is None:
            return 0
        if last.offset is None or not isinstance(last.length, int):
            raise ValueError(f"record '{self.name}': what follows '{last.name}' depends on counts")
        return last.offset + last.length

    def value(self, name: str, text: str, *, length: int = 1, unit: str = "") -> int:
        """Declare numbers of its own; returns their offset."""
        return self._add(Field(name, self.size, length, unit, text))

    def rest(self, name: str, text: str, *, length: Length, unit: str = "") -> int:
        """Declare numbers whose length depends on counts; returns their offset, or -1 behind another such field."""
        last = self.fields[-1] if self.fields else None
        known = last is None or (last.offset is not None and isinstance(last.length, int))
        return self._add(Field(name, self.size if known else None, length, unit, text))

    def place(
        self, name: str, array: ArrayName, length: Length | Record, unit: str, text: str, *, only: str = ""
    ) -> int:
        """Declare the offset of numbers, or of a record, in another array."""
        if isinstance(length, Record):
            target = Target(array, "", unit, length)
        else:
            target = Target(array, length, unit)
        return self._add(Field(name, self.size, 1, "", text, "place", target, only))

    def table(self, name: str, records: Record, count: str, text: str) -> int:
        """Declare the offset of the first of `count` records."""
        return self._add(Field(name, self.size, 1, "", text, "place", Target(records.array, count, "", records)))

    def program(self, name: str, text: str) -> int:
        """Declare the address of a program or of an array."""
        return self._add(Field(name, self.size, 1, "", text, "program"))

    def part(self, name: str, record: Record, text: str, *, only: str = "") -> int:
        """Declare a whole record inside this one; returns the offset of its first entry."""
        first = self.size
        for field in record.fields:
            assert field.offset is not None
            words = f"{text}: {field.text}"
            own = Field(f"{name}.{field.name}", first + field.offset, field.length, field.unit, words, field.kind)
            self._add(Field(**{**vars(own), "target": field.target, "only": only}))
        return first

    def _add(self, field: Field) -> int:
        if any(other.name == field.name for other in self.fields):
            raise ValueError(f"record '{self.name}' has a field '{field.name}' already")
        self.fields.append(field)
        if field.offset is None:
            return -1
        self._at.setdefault(field.offset, field)
        return field.offset

    def named(self, name: str) -> Field:
        """The field with this name."""
        return next(field for field in self.fields if field.name == name)

    def at(self, offset: int) -> Field:
        """The field that begins at this offset."""
        return self._at[offset]

    def target_length(self, offset: int, counts: Counts) -> int:
        """Count of the numbers that the place at this offset points to."""
        target = self.at(offset).target
        assert target is not None
        if target.record is not None and target.length == "":
            return target.record.length(counts)
        return length_of(target.length, counts)

    def length(self, counts: Counts) -> int:
        """Number of entries of a whole record for these counts."""
        return sum(length_of(field.length, counts) for field in self.fields) * length_of(self.each, counts)

    def places(self, array: ArrayName) -> Iterator[int]:
        """Offsets of the places that point into `array`."""
        for field in self.fields:
            if field.target is not None and field.target.array == array and field.offset is not None:
                yield field.offset


RECORDS: list[Record] = []
"""Every record that is declared, in order of declaration."""
