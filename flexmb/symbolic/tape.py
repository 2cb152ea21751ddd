"""Names for intermediate results, so that expressions stay short however long the mechanism is.

Code is made with a tape: every quantity of a body is named once (z1, z2, ...) and used by its name, and the amount of
code grows with the mechanism as the recursion does. Equations to be read are made without one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from flexmb.symbolic.engine import Matrix, Scalar, Symbol, Vector, as_expression
from flexmb.symbolic.orders import Orders, is_zero


class Tape:
    """Named intermediate results in the order in which they can be computed."""

    def __init__(self, is_on: bool = False, taken: Iterable[str] = ()):
        """`taken`: names that are in use; z1 among them makes the names zz1, zz2, ..."""
        self.is_on = is_on
        self.letter = "z"
        while any(re.fullmatch(rf"{self.letter}\d+(_dot|_ddot)?", name) for name in taken):
            self.letter += "z"
        self.definitions: list[tuple[Any, Any]] = []
        self.names: dict[Any, Any] = {}

    def scalar(self, value: Scalar) -> Scalar:
        """The name of a value; numbers, symbols and their products with a number get none."""
        if not self.is_on or is_zero(value):
            return value
        if isinstance(value, Orders):
            return Orders(self.scalar(part) for part in value.parts)
        value = as_expression(value)
        if not value.args or (
            value.is_Mul and len(value.args) == 2 and value.args[0].is_Number and not value.args[1].args
        ):
            return value
        if value not in self.names:
            if (negative := -value) in self.names:
                return -self.names[negative]
            name = Symbol(f"{self.letter}{len(self.definitions) + 1}")
            self.definitions.append((name, value))
            self.names[value] = name
        return self.names[value]

    def vector(self, values: Vector) -> Vector:
        """A vector with every entry by its name."""
        return [self.scalar(value) for value in values] if self.is_on else values

    def matrix(self, rows: Matrix) -> Matrix:
        """A matrix with every entry by its name."""
        return [self.vector(row) for row in rows] if self.is_on else rows

    def vectors(self, vectors: list[Vector]) -> list[Vector]:
        """Vectors with every entry by its name."""
        return [self.vector(vector) for vector in vectors] if self.is_on else vectors
