"""Quantities with their rates: value, partial derivatives by the rates, rate, and second derivative at constant rates.

    x' = sum_k x_k v_k + x_t,   x'' = sum_k x_k v'_k + bias

Sums, products and functions of jets are jets: constraint rows are written as their positions and bring their Jacobian
and their acceleration terms with them. A vector is a list of three jets, world axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flexmb.symbolic.engine import Scalar
from flexmb.symbolic.orders import add, multiply, negative

Columns = dict[int, Scalar]


@dataclass(frozen=True)
class Jet:
    """A scalar that moves."""

    value: Scalar
    columns: Columns = field(default_factory=dict)
    rate: Scalar = 0
    bias: Scalar = 0

    def __add__(self, other: Jet) -> Jet:
        columns = dict(self.columns)
        for k, x in other.columns.items():
            columns[k] = add(columns.get(k, 0), x)
        return Jet(add(self.value, other.value), columns, add(self.rate, other.rate), add(self.bias, other.bias))

    def __neg__(self) -> Jet:
        return self.scaled(-1)

    def __sub__(self, other: Jet) -> Jet:
        return self + (-other)

    def __mul__(self, other: Jet) -> Jet:
        columns = {k: multiply(x, other.value) for k, x in self.columns.items()}
        for k, x in other.columns.items():
            columns[k] = add(columns.get(k, 0), multiply(self.value, x))
        rate = add(multiply(self.rate, other.value), multiply(self.value, other.rate))
        bias = add(multiply(self.bias, other.value), multiply(self.value, other.bias))
        bias = add(bias, multiply(2, multiply(self.rate, other.rate)))
        return Jet(multiply(self.value, other.value), columns, rate, bias)

    def scaled(self, factor: Scalar) -> Jet:
        """A constant times this."""
        if factor == -1:
            turned = {k: negative(x) for k, x in self.columns.items()}
            return Jet(negative(self.value), turned, negative(self.rate), negative(self.bias))
        columns = {k: multiply(factor, x) for k, x in self.columns.items()}
        return Jet(multiply(factor, self.value), columns, multiply(factor, self.rate), multiply(factor, self.bias))

    def through(self, value: Scalar, slope: Scalar, curvature: Scalar) -> Jet:
        """f of this, with f, f' and f'' at its value."""
        columns = {k: multiply(slope, x) for k, x in self.columns.items()}
        bias = add(multiply(slope, self.bias), multiply(curvature, multiply(self.rate, self.rate)))
        return Jet(value, columns, multiply(slope, self.rate), bias)


VectorJet = list[Jet]


def constant(values: list[Scalar]) -> VectorJet:
    """Three values that do not change."""
    return [Jet(value) for value in values]


def vector(value: list[Scalar], columns: dict[int, list[Scalar]], rate: list[Scalar], bias: list[Scalar]) -> VectorJet:
    """A vector from the parts of its three components."""
    return [Jet(value[i], {k: x[i] for k, x in columns.items()}, rate[i], bias[i]) for i in range(3)]


def dot(a: VectorJet, b: VectorJet) -> Jet:
    """a . b of three entries each."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: VectorJet, b: VectorJet) -> VectorJet:
    """a x b of three entries each."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def sub(a: VectorJet, b: VectorJet) -> VectorJet:
    """a - b."""
    return [x - y for x, y in zip(a, b, strict=True)]


def scaled(factor: Jet, a: VectorJet) -> VectorJet:
    """A vector times a factor."""
    return [factor * x for x in a]


def function(
    f: Callable[[Scalar], Scalar], slope: Callable[[Scalar], Scalar], curvature: Callable[[Scalar], Scalar]
) -> Callable[[Jet], Jet]:
    """A function of a jet from a function of a scalar and its two derivatives."""
    return lambda x: x.through(f(x.value), slope(x.value), curvature(x.value))
