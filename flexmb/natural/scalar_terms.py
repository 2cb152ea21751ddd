"""Terms of one mixed coordinate s in a constraint: factor times s, s^2, cos s or sin s, and their derivatives.

Enters: the terms of all rows. Leaves: arrays that are evaluated at once; the functions are coded as numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.errors import Fault, InputError

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
