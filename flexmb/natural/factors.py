"""Many vectors that are linear in the coordinates, evaluated at once: the ends of springs, the directions of bodies.

Enters: one `Combination` for every row. Leaves: their values, rates, and C^T f of vectors f.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.natural.layout import Combination


def cross(a: Floats, b: Floats) -> Floats:
    """(n, 3) a x b of all rows: faster than numpy's for the few rows of most models."""
    return a[:, [1, 2, 0]] * b[:, [2, 0, 1]] - a[:, [2, 0, 1]] * b[:, [1, 2, 0]]


@dataclass(frozen=True, eq=False)
class Factor:
    """One factor of every row: component i of row r = sum of values times x[columns], + constants[r, i]."""

    owners: Integers
    """Row of every entry."""
    components: Integers
    columns: Integers
    values: Floats
    constants: Floats
    """(n_rows, dimension)"""

    @classmethod
    def of(cls, combinations: Sequence[Combination], dimension: int) -> Factor:
        """The factor that is combinations[r] in row r."""
        return cls(
            np.repeat(np.arange(len(combinations)), [len(side.columns) for side in combinations]),
            np.concatenate([side.components for side in combinations]),
            np.concatenate([side.columns for side in combinations]),
            np.concatenate([side.values for side in combinations]),
            np.array([side.constant for side in combinations]).reshape(-1, dimension),
        )

    def at(self, x: Floats) -> Floats:
        """(n_rows, dimension) value."""
        return self.constants + self.rate(x)

    def rate(self, v: Floats) -> Floats:
        """(n_rows, dimension) velocity."""
        sums = np.bincount(self._places, self.values * v[self.columns], self.constants.size)
        return np.asarray(sums, dtype=np.float64).reshape(self.constants.shape)

    @cached_property
    def _places(self) -> Integers:
        """Place of every entry in the flat values of all rows."""
        return self.owners * self.constants.shape[1] + self.components

    @cached_property
    def pairs(self) -> tuple[Integers, Integers]:
        """Pairs of entries of the same row."""
        counts = np.bincount(self.owners, minlength=len(self.constants))
        repeats = counts[self.owners]
        first = np.repeat(np.arange(self.owners.size), repeats)
        within = np.arange(first.size) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        starts = np.cumsum(counts) - counts
        return first, starts[self.owners[first]] + within

    def entries(self, conjugate: Floats) -> Floats:
        """Derivatives of conjugate . factor with respect to the coordinates of the entries."""
        return self.values * conjugate[self.owners, self.components]
