"""Independent rows of a sparse gradient.

Enters: a gradient; leaves: the numbers of rows that span all of them, earlier rows before later ones. Elimination row
by row with a large entry of the reduced row as its pivot: earlier rows are eliminated from each row, and a row that
vanishes follows from them. Of the large entries, the pivot is the one whose column no later row needs, or
needs soonest: the cost is linear in the rows where they are coupled like a chain.
"""

from __future__ import annotations

import heapq

import numpy as np
from scipy.sparse import csr_array

from flexmb.arrays import Floats, Integers

RANK = 1e-8
"""A row of which less than this share of its length is left follows from the rows before it."""
LARGE = 0.1
"""Share of the largest entry of a row that its pivot must have."""
ROUND_OFF = 1e-14
"""Entries below this share of the row are what cancellation left of zero."""


class _Echelon:
    """Reduced rows so far: each has an entry of one at its pivot, and none at the pivots of the rows before it."""

    def __init__(self, last_rows: Integers):
        """`last_rows`: for every column the last row that it occurs in."""
        self._last = last_rows.tolist()
        self._rows: list[dict[int, float]] = []
        self._columns: list[int] = []
        self._pivots: dict[int, int] = {}

    def takes(self, row: dict[int, float]) -> bool:
        """Reduce the row in place and keep it; False when it vanishes."""
        waiting = [self._pivots[column] for column in row if column in self._pivots]
        heapq.heapify(waiting)
        last = -1
        while waiting:
            number = heapq.heappop(waiting)
            if number != last:
                self._subtract(row, number, waiting)
            last = number
        largest = max(map(abs, row.values()), default=0.0)
        if largest < RANK:
            return False
        pivot = min((column for column in row if abs(row[column]) >= LARGE * largest), key=self._last.__getitem__)
        scale, self._pivots[pivot] = row[pivot], len(self._rows)
        self._columns.append(pivot)
        self._rows.append({c: value / scale for c, value in row.items() if abs(value) > ROUND_OFF})
        return True

    def _subtract(self, row: dict[int, float], number: int, waiting: list[int]) -> None:
        """Clear the pivot of an earlier row; pivots that this brings in are later ones, and wait."""
        earlier, pivot = self._rows[number], self._columns[number]
        factor = row.get(pivot, 0.0)
        if abs(factor) > ROUND_OFF:
            for column, value in earlier.items():
                if column not in row and column in self._pivots:
                    heapq.heappush(waiting, self._pivots[column])
                row[column] = row.get(column, 0.0) - factor * value
        row.pop(pivot, None)


def independent_rows(gradient: csr_array, sizes: Floats | None = None) -> Integers:
    """Numbers of independent rows, ascending; `sizes` of the rows to measure against, if not their lengths."""
    last = np.zeros(gradient.shape[1], dtype=np.int64)
    np.maximum.at(last, gradient.indices, np.repeat(np.arange(gradient.shape[0]), np.diff(gradient.indptr)))
    echelon, kept = _Echelon(last), []
    for number in range(gradient.shape[0]):
        part = slice(gradient.indptr[number], gradient.indptr[number + 1])
        values = gradient.data[part]
        length = float(np.sqrt(values @ values) if sizes is None else sizes[number])
        if length == 0.0:
            continue
        row = dict(zip(gradient.indices[part].tolist(), (values / length).tolist(), strict=True))
        if echelon.takes(row):
            kept.append(number)
    return np.array(kept, dtype=np.int64)
