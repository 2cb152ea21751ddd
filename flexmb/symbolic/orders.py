"""Scalars that keep their terms apart by order in the elastic coordinates, up to a limit.

    x = x_0 + x_1 + ... + x_p,    (x y)_n = sum over i + j = n of x_i y_j,    n <= p

x_n is homogeneous of degree n in the elastic coordinates and their rates. The recursion that runs on such scalars
truncates as it goes: nothing is expanded, and no term beyond the order is ever built. Theory sheet, sec. 12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flexmb.symbolic.engine import Integer, Scalar, as_expression, cos, sin, sqrt


def is_zero(value: Scalar) -> bool:
    """Whether a scalar is the structural zero."""
    return type(value) is int and value == 0


class Orders:
    """A scalar by orders; `parts[n]` is its term of order n."""

    __slots__ = ("parts",)

    def __init__(self, parts: Iterable[Scalar]):
        self.parts = tuple(parts)

    @classmethod
    def first(cls, symbol: Scalar, limit: int) -> Orders:
        """A quantity that is itself of first order."""
        return cls((0, symbol, *(0,) * (limit - 1)))

    def of(self, value: Scalar) -> tuple[Scalar, ...]:
        """The parts of another scalar; anything but an `Orders` value is of order 0."""
        return value.parts if isinstance(value, Orders) else (value, *(0,) * (len(self.parts) - 1))

    @property
    def total(self) -> Scalar:
        """The sum of all orders."""
        found: Scalar = 0
        for part in self.parts:
            found = add(found, part)
        return found

    def inverse(self) -> Orders:
        """1/x by its series; x_0 must not be zero."""
        reciprocal = 1 / self.parts[0]
        small = Orders((0, *(multiply(-reciprocal, part) for part in self.parts[1:])))
        found: Scalar = Orders((1, *(0,) * (len(self.parts) - 1)))
        power = found
        for _ in self.parts[1:]:
            power = multiply(power, small)
            found = add(found, power)
        return Orders(multiply(part, reciprocal) for part in (found.parts if isinstance(found, Orders) else (found,)))


def _ordered(parts: list[Scalar]) -> Scalar:
    """An `Orders` value, or the structural zero when nothing is left."""
    return 0 if all(is_zero(part) for part in parts) else Orders(parts)


def negative(a: Scalar) -> Scalar:
    """-a."""
    if is_zero(a):
        return 0
    return Orders(negative(part) for part in a.parts) if isinstance(a, Orders) else -a


def add(a: Scalar, b: Scalar) -> Scalar:
    """a + b."""
    if is_zero(a):
        return b
    if is_zero(b):
        return a
    if isinstance(a, Orders):
        return _ordered([add(x, y) for x, y in zip(a.parts, a.of(b), strict=True)])
    if isinstance(b, Orders):
        return add(b, a)
    return a + b


def subtract(a: Scalar, b: Scalar) -> Scalar:
    """a - b."""
    return add(a, negative(b))


def multiply(a: Scalar, b: Scalar) -> Scalar:
    """a b, without the orders beyond the limit."""
    if is_zero(a) or is_zero(b):
        return 0
    if isinstance(b, Orders) and not isinstance(a, Orders):
        a, b = b, a
    if not isinstance(a, Orders):
        return a * b
    if not isinstance(b, Orders):
        return _ordered([multiply(part, b) for part in a.parts])
    parts: list[Scalar] = [0] * len(a.parts)
    for i, x in enumerate(a.parts):
        for j in range(len(parts) - i):
            parts[i + j] = add(parts[i + j], multiply(x, b.parts[j]))
    return _ordered(parts)


def total(value: Scalar) -> Scalar:
    """A plain scalar: the sum of all orders."""
    return value.total if isinstance(value, Orders) else value


def function(x: Scalar, f: Callable[[Scalar], Scalar], *derivatives: Callable[[Scalar], Scalar]) -> Scalar:
    """f(x); of a scalar by orders by its Taylor series with f', f'' (orders end at 2)."""
    if not isinstance(x, Orders):
        return f(as_expression(x))
    start = as_expression(x.parts[0])
    small = Orders((0, *x.parts[1:]))
    found, power, size = f(start), small, Integer(1)
    for n, derivative in enumerate(derivatives[: len(x.parts) - 1], 1):
        size = size / n
        found = add(found, multiply(multiply(size, derivative(start)), power))
        power = multiply(power, small)
    return found


def sine(x: Scalar) -> Scalar:
    """sin x to the order of x."""
    return function(x, sin, cos, lambda value: -sin(value))


def cosine(x: Scalar) -> Scalar:
    """cos x to the order of x."""
    return function(x, cos, lambda value: -sin(value), lambda value: -cos(value))


def square_root(x: Scalar) -> Scalar:
    """sqrt x to the order of x."""
    return function(x, sqrt, lambda value: 1 / (2 * sqrt(value)), lambda value: -1 / (4 * value * sqrt(value)))


def reciprocal(x: Scalar) -> Scalar:
    """1/x to the order of x."""
    return x.inverse() if isinstance(x, Orders) else 1 / as_expression(x)
