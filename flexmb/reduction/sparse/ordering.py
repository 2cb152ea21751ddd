"""Elimination order of the blocks of a sparse matrix, for a small factor.

Nested dissection: METIS if the package `pymetis` is installed, else by coordinates (dissection.py).
Input: the graph of the blocks by rows, and the position of every block. Output: the blocks in order of elimination.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Integers

METIS, COORDINATES = "METIS", "coordinates"


def has_metis() -> bool:
    """Whether `pymetis` can be imported."""
    try:
        import pymetis  # noqa: F401
    except ImportError:
        return False
    return True


def nested_dissection(starts: Integers, neighbours: NDArray[np.int32], points: NDArray, method: str) -> Integers:
    """(n,) blocks in order of elimination, by `method` METIS or COORDINATES."""
    if method == METIS:
        return _by_metis(starts, neighbours)
    from flexmb.reduction.sparse.kernels.dissection import dissect

    return np.asarray(dissect(starts, neighbours, np.ascontiguousarray(points, dtype=np.float64)))


def _by_metis(starts: Integers, neighbours: NDArray[np.int32]) -> Integers:
    import pymetis

    n = len(starts) - 1
    rows = np.repeat(np.arange(n, dtype=np.int32), np.diff(starts))
    off_diagonal = rows != neighbours
    first = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows[off_diagonal], minlength=n), out=first[1:])
    if first[-1] == 0:
        return np.arange(n)
    if hasattr(pymetis, "CSRAdjacency"):
        order, _ = pymetis.nested_dissection(pymetis.CSRAdjacency(first, neighbours[off_diagonal]))
    else:  # before 2025
        order, _ = pymetis.nested_dissection(xadj=first, adjncy=neighbours[off_diagonal])
    return np.asarray(order, dtype=np.int64)
