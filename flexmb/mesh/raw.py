"""Raw contents of a mesh file, before anything is checked, repaired or left out.

Points are in the unit of the file. Cells hold indices into the list of points, in VTK order as far as the format says.
Cell types that flexmb does not know keep the name of the format; "vertex" is a single point.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import Deck
from flexmb.mesh.losses import Loss

_LARGEST_EXACT = 2.0**53
_noted: ContextVar[list[Path] | None] = ContextVar("_noted", default=None)


@dataclass
class RawCells:
    """Cells of one type that are together in the file."""

    kind: str
    nodes: Integers
    """(n, k) positions in the list of points"""
    ids: Integers | None = None
    element: str = ""
    """Element type of the file, "C3D8R" or "CQUAD4"; empty: only a cell"""
    has_section: bool = False
    """Whether the file gives shells or bars a section, so that they are more than marks on solids"""


@dataclass
class RawMesh:
    """Points, cells and sets of a file."""

    points: Floats
    """(n, 3) in the unit of the file"""
    point_ids: Integers | None = None
    cells: list[RawCells] = field(default_factory=list)
    node_sets: dict[str, Integers] = field(default_factory=dict)
    """Name -> positions in the list of points"""
    cell_sets: dict[str, dict[int, Integers]] = field(default_factory=dict)
    """Name -> number of the block in `cells` -> numbers of cells in it"""
    notes: list[str] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    """Parts of the file that the reader left out"""
    deck: Deck | None = None
    """Data of the file beside points, cells and sets, with positions in `points` and `cells`"""
    unit: str = ""
    """Unit of length that the file names; empty: none"""


class Numbering:
    """Finds indices by the numbers that a file gives its points or cells."""

    def __init__(self, ids: Integers):
        self.order = np.argsort(ids, kind="stable")
        self.sorted = ids[self.order]

    @property
    def repeated(self) -> Integers:
        """Numbers that occur more than once."""
        return np.unique(self.sorted[1:][self.sorted[1:] == self.sorted[:-1]])

    def find(self, wanted: Integers) -> tuple[Integers, Flags]:
        """Indices, and which of the wanted numbers exist (the index of a missing one is meaningless)."""
        if not len(self.sorted):
            return np.zeros(wanted.shape, dtype=np.int64), np.zeros(wanted.shape, dtype=bool)
        first, last = int(self.sorted[0]), int(self.sorted[-1])
        # From the right: a number given twice means the later one, as in the programs that write these files.
        if last - first < 4 * len(self.sorted) + wanted.size:
            table = np.full(last - first + 2, -1, dtype=np.int64)
            table[self.sorted - first] = self.order
            inside = (wanted >= first) & (wanted <= last)
            places = table[np.where(inside, wanted - first, -1)]
            return places, np.asarray(places >= 0)
        place = np.maximum(np.searchsorted(self.sorted, wanted, side="right") - 1, 0)
        return self.order[place], np.asarray(self.sorted[place] == wanted)


def distinct(numbers: Integers, n: int) -> Integers:
    """The distinct numbers among some from 0 to n - 1, in order: faster than sorting if there are many."""
    present = np.zeros(n, dtype=bool)
    present[numbers] = True
    return np.flatnonzero(present)


def cells_by_point_ids(
    kind: str, ids: Integers, nodes: Integers, points: Numbering, faults: list[Fault], word: str = "cell"
) -> RawCells:
    """Cells whose nodes are given by numbers of the file; a missing point becomes a fault."""
    found, known = points.find(nodes)
    if not known.all():
        row, column = np.argwhere(~known)[0]
        count = int((~known.all(axis=1)).sum())
        more = f" ({count} such {word}s)" if count > 1 else ""
        faults.append(
            Fault(f"{kind} {word} {ids[row]} uses node {nodes[row, column]}, which is not in the file{more}.")
        )
        found = np.where(known, found, 0)
    return RawCells(kind, found, ids)


def whole_numbers(values: Floats, where: str) -> Integers:
    """Numbers of points or cells as integers; `where` begins the message if one is not whole."""
    if not ((np.abs(values) < _LARGEST_EXACT) & (values == np.rint(values))).all():
        raise InputError([Fault(f"{where} has a number that is not whole.", hint="Check that the file is complete.")])
    return values.astype(np.int64)


@contextmanager
def noted_files() -> Iterator[list[Path]]:
    """A list that collects the files that a mesh consists of, while it is read: itself and those that it refers to."""
    files: list[Path] = []
    token = _noted.set(files)
    try:
        yield files
    finally:
        _noted.reset(token)


def note_file(path: Path) -> None:
    """Note that a mesh consists of this file, too."""
    if (files := _noted.get()) is not None and path not in files:
        files.append(path)


def listed(numbers: Integers, most: int = 5) -> str:
    """Text of the first few numbers."""
    more = ", ..." if len(numbers) > most else ""
    return ", ".join(str(int(number)) for number in numbers[:most]) + more
