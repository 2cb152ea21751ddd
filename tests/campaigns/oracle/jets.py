"""Numbers with their gradient in the elastic coordinates and their second derivative along a motion q(t) = q + q' t."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any


@dataclass(frozen=True)
class Jet:
    """m values, their gradients (m, n) in the n coordinates q, first and second time derivatives (m,) for q'' = 0."""

    value: Array
    gradient: Array
    rate: Array
    second: Array

    def __add__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value + other, self.gradient, self.rate, self.second)
        return Jet(
            self.value + other.value,
            self.gradient + other.gradient,
            self.rate + other.rate,
            self.second + other.second,
        )

    def __mul__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(other * self.value, other * self.gradient, other * self.rate, other * self.second)
        return Jet(
            self.value * other.value,
            self.value[:, None] * other.gradient + other.value[:, None] * self.gradient,
            self.value * other.rate + other.value * self.rate,
            self.value * other.second + 2.0 * self.rate * other.rate + other.value * self.second,
        )

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Jet:
        return self * -1.0

    def __sub__(self, other: Any) -> Jet:
        return self + (-other)

    def __rsub__(self, other: Any) -> Jet:
        return -self + other

    def __truediv__(self, other: Jet) -> Jet:
        return self * other.chain(1.0 / other.value, -1.0 / other.value**2, 2.0 / other.value**3)

    def chain(self, f: Array, f1: Array, f2: Array) -> Jet:
        """A function of it, from the values of the function and of its first two derivatives."""
        return Jet(f, f1[:, None] * self.gradient, f1 * self.rate, f1 * self.second + f2 * self.rate**2)

    def sqrt(self) -> Jet:
        root = np.sqrt(self.value)
        return self.chain(root, 0.5 / root, -0.25 / root**3)

    def sin(self) -> Jet:
        return self.chain(np.sin(self.value), np.cos(self.value), -np.sin(self.value))

    def cos(self) -> Jet:
        return self.chain(np.cos(self.value), -np.sin(self.value), -np.cos(self.value))

    def summed(self, weights: Array) -> Jet:
        """Weighted sums: weights (k, m)."""
        return Jet(weights @ self.value, weights @ self.gradient, weights @ self.rate, weights @ self.second)


def linear(columns: Array, q: Array, q_dot: Array) -> Jet:
    """The linear function columns (m, n) of the coordinates."""
    rate = columns @ q_dot
    return Jet(columns @ q, columns, rate, 0.0 * rate)
