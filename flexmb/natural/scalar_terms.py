"""Terms of one mixed coordinate s in a constraint: factor times s, s^2, cos s or sin s, and their derivatives.

Enters: the terms of all rows. Leaves: arrays that are evaluated at once; the functions are coded as numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexmb.errors import Fault, InputError

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

FUNCTIONS = ("linear", "square", "cosine", "sine")


@dataclass(frozen=True)
class ScalarTerm:
    """factor f(x[column]) on the right side of a row, f one of "linear", "square", "cosine", "sine"."""

    column: int
    function: str
    factor: float

    def __post_init__(self) -> None:
        if self.function not in FUNCTIONS:
            raise InputError([Fault(f"no scalar function '{self.function}' ({', '.join(FUNCTIONS)}).")])


@dataclass(frozen=True, eq=False)
class ScalarTerms:
    """All scalar terms of a model."""

    rows: Integers
    columns: Integers
    codes: Integers
    factors: Array

    def derivative(self, x: Array, order: int) -> Array:
        """factor times the derivative of f of the given order (0, 1, 2), for every term."""
        s = x[self.columns]
        if len(s) == 0:
            return s
        power = ((s, s**2), (np.ones_like(s), 2.0 * s), (np.zeros_like(s), np.full_like(s, 2.0)))[order]
        # The derivative of a cosine or sine is the same function a quarter turn ahead.
        ahead = s + 0.5 * np.pi * order
        return self.factors * np.choose(self.codes, [*power, np.cos(ahead), np.sin(ahead)])


def scalar_terms(terms: Sequence[tuple[int, ScalarTerm]]) -> ScalarTerms:
    """The arrays of (row, term)."""
    return ScalarTerms(
        np.array([row for row, _ in terms], dtype=np.int64),
        np.array([term.column for _, term in terms], dtype=np.int64),
        np.array([FUNCTIONS.index(term.function) for _, term in terms], dtype=np.int64),
        np.array([term.factor for _, term in terms], dtype=float),
    )
