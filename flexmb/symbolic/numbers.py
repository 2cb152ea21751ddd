"""Numbers of the engine from floating-point numbers.

`exact` is for directions: an entry of a rotation matrix becomes the integer, simple fraction or square root of a simple
fraction that it is the rounding of (0.7071067811865476 is sqrt(2)/2), so that sines and cosines of right angles vanish
and products of frames collapse. `decimal` is for physical numbers while places are computed: 0.3 - 0.1 is 0.2 and
0.3 - 0.3 is nothing. `physical` is the final form: whole numbers and fractions such as 1/2 and 1/12 within
formulas, all other numbers as decimals.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from flexmb.symbolic.engine import Expression, Float, Integer, Rational, Scalar, as_expression, engine, sqrt

NEARLY_ZERO = 1e-12
"""Entries of rotation matrices below this are roundings of zero."""
ROUNDING = 4e-15
"""Products and norms of unit vectors in double precision are right to a few units of 2e-16."""
SIMPLE = 100
"""Largest denominator of a direction; of its square: the square of ten times less, so that chance hits nothing."""
SIMPLE_SQUARE = 1000
LONG = 16
"""Digits of a number that is the rounding of another one."""


def exact(x: float) -> Scalar:
    """The number that `x`, an entry of a rotation matrix or unit vector, stands for; 0 is the structural zero."""
    x = float(x)
    if abs(x) < NEARLY_ZERO:
        return 0
    near = Fraction(x).limit_denominator(SIMPLE)
    if abs(float(near) - x) <= ROUNDING:
        return _fraction(near)
    square = Fraction(x * x).limit_denominator(SIMPLE_SQUARE)
    if abs(float(square) - x * x) <= ROUNDING * abs(x):
        root = sqrt(_fraction(square))
        return root if x > 0 else -root
    return Float(x)


def exact_matrix(R: Any) -> list[list[Scalar]]:
    """(3, 3) directions as engine numbers."""
    return [[exact(entry) for entry in row] for row in R]


def _fraction(x: Fraction) -> Any:
    return Integer(x.numerator) if x.denominator == 1 else Rational(x.numerator, x.denominator)


def decimal(x: float) -> Scalar:
    """A physical number as the exact fraction of its decimal digits, without the noise of its last bits."""
    x = _without_noise(float(x))
    return 0 if x == 0 else _fraction(Fraction(repr(x)))


def _without_noise(x: float) -> float:
    """0.30000000000000004 is 0.3; numbers with many digits stay as they are."""
    short = float(f"{x:.14g}")
    return short if len(repr(short)) + 5 <= len(repr(x)) else x


def recognised(x: float) -> Scalar:
    """A factor of a formula: a simple multiple of pi, a simple fraction or its root when it can only be that."""
    x = float(x)
    if len(repr(abs(x))) < LONG or not 1e-3 < abs(x) < 1e3:
        return decimal(x)
    multiple = Fraction(x / math.pi).limit_denominator(SIMPLE)
    if multiple and abs(float(multiple) * math.pi - x) <= 1e-15 * abs(x):
        return _fraction(multiple) * engine.pi
    near = exact(x)
    return decimal(x) if near.is_Float else near


def physical(value: Scalar) -> Scalar:
    """A number or formula as a person would write it: decimals, but fractions such as 1/2 and 1/12 within formulas."""
    if not isinstance(value, Expression):
        value = as_expression(value)
    if not value.free_symbols:
        return _number(value)
    decimals = {part: Float(_as_float(part)) for part in value.atoms(Rational) if _is_decimal(part)}
    decimals.update({part: _number(part) for part in value.atoms(Float)})
    return value.xreplace(decimals) if decimals else value


def constant(value: Any) -> Any:
    """A function of plain numbers: its exact value when that is simple (sqrt(3)/2), else a decimal (cos(0.3))."""
    if value.free_symbols or value.is_Number:
        return value
    near = exact(float(value.n(53, real=True)))
    return value if isinstance(near, Expression) and near.is_Float and value.is_Pow and _is_short(value) else near


def _is_short(root: Any) -> bool:
    """Whether a root such as sqrt(7/3) is of a number that a person would write."""
    base = root.args[0]
    return bool(base.is_Rational) and max(abs(int(base.p)), int(base.q)) <= SIMPLE_SQUARE


def physical_vector(values: list[Scalar]) -> list[Scalar]:
    """`physical` of every entry."""
    return [physical(value) for value in values]


def _number(value: Any) -> Scalar:
    if value.is_Integer:
        return 0 if value == 0 else value
    x = _as_float(value)
    if x == 0.0:
        return 0
    return Integer(int(x)) if x == int(x) and abs(x) < 1e15 else Float(x)


def _is_decimal(part: Any) -> bool:
    """Whether a fraction is written with a decimal point: tenths, and those whose denominator nobody would write."""
    if part.is_Integer:
        return False
    denominator = int(part.q)
    return denominator % 5 == 0 or denominator > SIMPLE


def _as_float(value: Any) -> float:
    return _without_noise(float(value.n(53, real=True)))
