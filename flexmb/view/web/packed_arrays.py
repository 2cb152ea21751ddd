"""Arrays encoded for the browser (decoded by data.js): whole numbers, differences, byte planes, gzip, base64.

An array of numbers (rows, length) is rounded to whole multiples of a step. Each row is replaced by its first, second or
third differences, whichever are smallest, because motions are smooth; a field on a mesh also by the differences from
the mean of the neighbours. The sign goes to the lowest bit (0, -1, 1, -2, ... become 0, 1, 2, 3, ...), and all lowest
bytes are written first, then all second ones: the higher bytes are then mostly zero, which gzip compresses well.
"""

from __future__ import annotations

import base64
import gzip
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers

LARGEST = 2**31 - 1
"""Whole numbers are summed as 32 bits in the browser."""


FROM_NEIGHBOURS = -1
"""Used in place of the order of the differences"""


class Neighbours:
    """Neighbours of every point of a mesh that come before it in the order of reading."""

    def __init__(self, triangles: Integers) -> None:
        pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        later, earlier = pairs.max(axis=1), pairs.min(axis=1)
        order = np.argsort(later, kind="stable")
        self._earlier = earlier[order]
        self._points, self._first, self._counts = np.unique(later[order], return_index=True, return_counts=True)

    def differences(self, values: Integers) -> Integers:
        """(rows, s) from the mean over the edges to earlier points, rounded down; without any: from the last point."""
        expected = np.concatenate([np.zeros((len(values), 1), np.int64), values[:, :-1]], axis=1)
        if len(self._points):
            sums = np.add.reduceat(values[:, self._earlier], self._first, axis=1)
            expected[:, self._points] = sums // self._counts
        return values - expected


class ArrayStore:
    """Collects arrays; the entry of each says where it is and how it is encoded."""

    def __init__(self) -> None:
        self._planes: list[bytes] = []
        self._size = 0
        self._known: dict[tuple[bytes, int, int], dict[str, int]] = {}

    def integers(
        self, values: Integers, orders: tuple[int, ...] = (0, 1), mesh: Neighbours | None = None
    ) -> dict[str, int]:
        """Entry of whole numbers (rows, length); `orders`: the orders of differences to try.

        mesh: of the points that the numbers of a row belong to
        """
        rows, length = values.shape
        if values.size and np.abs(values).max() > LARGEST:
            raise ValueError("A number needs more than 32 bits.")
        tried = [(order, _differences(values, order)) for order in orders]
        if mesh is not None and values.size:
            tried.append((FROM_NEIGHBOURS, mesh.differences(values)))
        order, coded = min(((k, _signless(each)) for k, each in tried), key=lambda pair: _cost(pair[1]))
        width = next(size for size in (1, 2, 4) if not coded.size or coded.max() < 256**size)
        planes = coded.astype(f"<u{width}").reshape(-1, 1).view(np.uint8).T.tobytes()
        key = (planes, rows, order)
        if key not in self._known:
            self._known[key] = {"at": self._size, "rows": rows, "length": length, "width": width, "order": order}
            self._planes.append(planes)
            self._size += len(planes)
        return self._known[key]

    def rounded(self, values: Floats, step: float | Floats) -> dict[str, Any]:
        """Entry of numbers of time (frames, columns), each within half a step of its column."""
        steps = np.broadcast_to(np.asarray(step, dtype=float), values.shape[1:]).astype(float)
        steps = np.where(steps > 0.0, steps, 1.0)
        levels = np.rint(values / steps).astype(np.int64).T
        return {**self.integers(levels, (0, 1, 2, 3)), "steps": steps.tolist()}

    @property
    def size(self) -> int:
        """Bytes before compression"""
        return self._size

    def text(self) -> str:
        """All arrays, packed into one base64 text."""
        return base64.b64encode(gzip.compress(b"".join(self._planes), 6, mtime=0)).decode("ascii")


def _differences(values: Integers, order: int) -> Integers:
    """(rows, length) with the first value of every row in front, so that sums restore it."""
    for _ in range(order):
        values = np.diff(values, axis=1, prepend=0)
    return values


def _signless(values: Integers) -> Integers:
    return np.where(values < 0, -2 * values - 1, 2 * values)


def _cost(coded: Integers) -> float:
    """Approximate number of bits of the numbers."""
    return float(np.log2(1.0 + coded).sum())
