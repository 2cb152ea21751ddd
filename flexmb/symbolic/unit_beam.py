"""Uniform beams in exact numbers: every integral is that of a beam of length 1 times powers of length and properties.

With s = x/L and shapes phi_k(s) of elastic coordinates in metres (theory 2.1, 3.1):

    mass rA L,  S0 rA L^2,  P0 rA L^3,   S1 rA L,  N1 rA L^2,  N2 rA L,   S2 rA,  X rA L,  N3 rA,   rA = density A
    K  E I/L^3 in bending, E A/L in stretch,     markers: Phi 1, G 1/L, Theta 1/L, Gamma 1/L^2

The integrals of the unit beam are fractions (with powers of pi for sine modes). Shapes are scaled to a largest value of
one; where that factor is neither a fraction nor the root of one, it is a decimal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product as pairs
from typing import Any

import numpy as np

from flexmb.elements.beam_shapes import BENDING, BeamShape, PolynomialCurve, WaveCurve
from flexmb.reduction.beam_basis import BeamBasis
from flexmb.symbolic.arms import Sparse, SymbolicShapes
from flexmb.symbolic.engine import Float, Rational, Scalar, Vector, as_expression, engine, tidy
from flexmb.symbolic.inertia import SymbolicField
from flexmb.symbolic.numbers import exact
from flexmb.symbolic.orders import add as plus
from flexmb.symbolic.orders import multiply
from flexmb.symbolic.unit_functions import UnitFunction
from flexmb.symbolic.vectors import XYZ, cross, is_null

DIRECTIONS = {"u": 0, "y": 1, "z": 2}
SAME = 1e-12
"""Agreement of a shape in exact numbers with the one that the equations in numbers use."""
_SIMPLEST = 100_000
"""Largest denominator of the coefficients of a shape."""
_REMEMBERED = 20_000
"""Integrals of unit beams that are kept: equal beams share them."""
_NEAR = 1e-12
"""Places nearer to an end than this, relative to the length, are the end."""
_HALF = Rational(1, 2)
_S = UnitFunction.polynomial([Fraction(0), Fraction(1)])


@dataclass(frozen=True)
class UnitShape:
    """A shape: factor times a function without its rigid part. Equal functions are the same object."""

    direction: int
    function: UnitFunction
    factor: Scalar


@dataclass(frozen=True)
class BeamProperties:
    """Length and properties per length, with formulas."""

    length: Scalar
    mass: Scalar
    """density A [kg/m]"""
    EA: Scalar
    bending: tuple[Scalar, Scalar]
    """E Iz for deflections y, E Iy for deflections z [N m^2]"""

    @property
    def in_symbols(self) -> bool:
        """Whether the length, mass or stiffness contains a symbol of the model."""
        scalars = (self.length, self.mass, self.EA, *self.bending)
        return any(as_expression(value).free_symbols for value in scalars)


@dataclass(frozen=True)
class UnitBeamField(SymbolicField):
    """Integrals of a uniform beam, with those of the undeformed one."""

    mass: Scalar = 0
    first_moment: Vector = field(default_factory=list)
    inertia: list[Vector] = field(default_factory=list)
    in_symbols: bool = False


def unit_shapes(basis: BeamBasis) -> list[UnitShape] | None:
    """The shapes of a basis in exact numbers; None when one of them has none."""
    found = []
    for shape in basis.shapes:
        unit = _unit_shape(shape, basis)
        if unit is None:
            return None
        found.append(unit)
    return found


def _unit_shape(shape: BeamShape, basis: BeamBasis) -> UnitShape | None:
    data = _curve_data(shape.curve)
    if data is None or shape.component not in DIRECTIONS:
        return None
    function = _function(data, basis.frame, shape.component in BENDING)
    s = np.linspace(0.0, 1.0, 17)
    numbers = shape.values(s * basis.length)[:, 0]
    units = _samples(function)
    largest = int(np.argmax(np.abs(units)))
    ratio = float(numbers[largest] / units[largest])
    if np.abs(numbers - ratio * units).max() > SAME:
        return None
    return UnitShape(DIRECTIONS[shape.component], function, exact(ratio))


def _curve_data(curve: Any) -> tuple[str, tuple[Fraction, ...]] | None:
    """A curve of the numeric basis as a function of s = x/L."""
    if isinstance(curve, PolynomialCurve):
        return "polynomial", tuple(Fraction(float(c)).limit_denominator(_SIMPLEST) for c in curve.coefficients)
    if isinstance(curve, WaveCurve):
        a, b, c, d = curve.coefficients
        n = Fraction(round(2.0 * curve.k * curve.length / np.pi), 2)
        if c == 0.0 and d == 0.0 and {abs(a), abs(b)} == {0.0, 1.0}:
            return "wave", (n, Fraction(a), Fraction(b))
    return None


@lru_cache(_REMEMBERED)
def _function(data: tuple[str, tuple[Fraction, ...]], frame: str, bends: bool) -> UnitFunction:
    """A curve without its rigid part."""
    kind, numbers = data
    if kind == "wave":
        curve = UnitFunction.wave(numbers[0], int(numbers[1]), int(numbers[2]))
    else:
        curve = _legendre_series(numbers)
    return curve - _rigid_part(curve, frame, bends)


@lru_cache(_REMEMBERED)
def _samples(function: UnitFunction) -> Any:
    return np.array([function.number(float(place)) for place in np.linspace(0.0, 1.0, 17)])


def _legendre_series(coefficients: Sequence[Fraction]) -> UnitFunction:
    """Sum of Legendre polynomials in t = 2 s - 1, by (n + 1) P_n+1 = (2 n + 1) t P_n - n P_n-1."""
    t = UnitFunction.polynomial([Fraction(-1), Fraction(2)])
    previous, current = UnitFunction(), UnitFunction.polynomial([Fraction(1)])
    found = UnitFunction()
    for n, c in enumerate(coefficients):
        found += current.scaled(c)
        following = (t * current).scaled(Fraction(2 * n + 1, n + 1)) - previous.scaled(Fraction(n, n + 1))
        previous, current = current, following
    return found


def _rigid_part(curve: UnitFunction, frame: str, bends: bool) -> UnitFunction:
    """Translation and turn that belong to the body frame (see `flexmb.reduction.frames`)."""
    start, end = curve.at_end(0), curve.at_end(1)
    if frame == "mean":
        mean, moment = curve.over_beam(), (_S * curve).over_beam()
        if not bends:
            return mean
        offset = mean.scaled(Fraction(4)) - moment.scaled(Fraction(6))
        return offset + _S * (moment.scaled(Fraction(12)) - mean.scaled(Fraction(6)))
    if not bends:
        return end if frame == "end" else start
    if frame == "end":
        turn = curve.slope().at_end(1)
        return end - turn + _S * turn
    return start + _S * (curve.slope().at_end(0) if frame == "start" else end - start)


@lru_cache(_REMEMBERED)
def _slope(f: UnitFunction) -> UnitFunction:
    return f.slope()


@lru_cache(_REMEMBERED)
def _integral(*factors: UnitFunction) -> UnitFunction:
    """The integral of a product over the beam."""
    found = factors[0]
    for factor in factors[1:]:
        found = found * factor
    return found.over_beam()


@lru_cache(_REMEMBERED)
def _shortening(f: UnitFunction, g: UnitFunction, from_end: bool) -> UnitFunction:
    """-int f' g' from one end."""
    return _to_frame(_slope(f) * _slope(g), from_end)


@lru_cache(_REMEMBERED)
def _twist(f: UnitFunction, g: UnitFunction, from_end: bool) -> UnitFunction:
    """1/2 int (f' g'' - g' f'') from one end: turn about the axis of a section that bends by f in y and g in z."""
    density = _slope(g) * _slope(_slope(f)) - _slope(f) * _slope(_slope(g))
    return _to_frame(density.scaled(Fraction(1, 2)), from_end)


def _to_frame(density: UnitFunction, from_end: bool) -> UnitFunction:
    """Minus the integral of a density, from the end that positions are measured from."""
    whole = density.integral()
    return (whole.at_end(1) if from_end else UnitFunction()) - whole


class UnitBeam:
    """Integrals and marker shapes of a uniform beam."""

    def __init__(self, shapes: list[UnitShape], properties: BeamProperties, from_end: bool):
        self.shapes, self.properties, self.from_end = shapes, properties, from_end
        self.n = len(shapes)

    @cached_property
    def shortening(self) -> dict[tuple[int, int], UnitFunction]:
        """L G_kl along e1."""
        return {
            (k, l): _shortening(*_sorted(one.function, other.function), self.from_end)
            for (k, one), (l, other) in pairs(enumerate(self.shapes), repeat=2)
            if one.direction == other.direction and one.direction
        }

    def entry(self, function: UnitFunction, scale: Scalar, *modes: int) -> Scalar:
        """A constant of the unit beam times a scale and the factors of the modes; a plain number when these are."""
        factor = as_expression(scale)
        for k in modes:
            factor = factor * self.shapes[k].factor
        return _times(function.value, function.number, factor)

    def field(self, order: int, labels: tuple[str, ...], damping: Sparse, marker_data: Any) -> UnitBeamField:
        """All integrals of order 0 (linear field), 1 or 2."""
        p, L = self.properties, self.properties.length
        m, shapes, entry = p.mass, list(enumerate(self.shapes)), self.entry
        bent = self.shortening.items() if order else ()
        sums: dict[str, Sparse] = {
            "S1": {(k, s.direction): entry(_integral(s.function), m * L, k) for k, s in shapes},
            "N1": {(k, 0, s.direction): entry(_integral(_S, s.function), m * L**2, k) for k, s in shapes},
            "N2": {
                (k, l, s.direction, r.direction): entry(_integral(*_sorted(s.function, r.function)), m * L, k, l)
                for (k, s), (l, r) in pairs(shapes, repeat=2)
            },
            "S2": {(k, l, 0): entry(_integral(g), m, k, l) for (k, l), g in bent},
            "X": {(k, l, 0, 0): entry(_integral(_S, g), m * L, k, l) for (k, l), g in bent},
            "N3": {
                (k, l, j, s.direction, 0): entry(_integral(s.function, g), m, k, l, j)
                for k, s in shapes
                for (l, j), g in bent
                if order == 2
            },
        }
        second = _times_number(m * L**3, Rational(1, 3))
        return UnitBeamField(
            labels=labels,
            units=("m",) * self.n,
            **{key: _without_zeros(values) for key, values in sums.items()},
            stiffness=_without_zeros(self._stiffness()),
            damping=damping,
            marker_data=marker_data,
            mass=tidy(m * L),
            first_moment=[_times_number(m * L**2, _HALF), 0, 0],
            inertia=[[0, 0, 0], [0, second, 0], [0, 0, second]],
            in_symbols=p.in_symbols,
        )

    def _stiffness(self) -> Sparse:
        p, L = self.properties, self.properties.length
        found: Sparse = {}
        for (k, one), (l, other) in pairs(enumerate(self.shapes), repeat=2):
            if one.direction != other.direction:
                continue
            slopes = [_slope(shape.function) for shape in (one, other)]
            if one.direction:
                bends = _integral(*_sorted(*map(_slope, slopes)))
                found[k, l] = self.entry(bends, p.bending[one.direction - 1] / L**3, k, l)
            else:
                found[k, l] = self.entry(_integral(*_sorted(*slopes)), p.EA / L, k, l)
        return found

    def marker(self, p_b: Vector, x: float, order: int) -> SymbolicShapes:
        """Shapes of the point p_b; x : its place along the beam in numbers, as a part of the length."""
        L = self.properties.length
        beyond = x < -_NEAR or x > 1.0 + _NEAR
        s = 0 if x <= _NEAR else 1 if x >= 1.0 - _NEAR else _place(as_expression(p_b[0]) / L, x)
        off = tidy(engine.expand(as_expression(p_b[0]) - s * L)) if beyond else 0
        d = [off, *(tidy(y) for y in p_b[1:])]
        phi: Sparse = {}
        theta: Sparse = {}
        G: Sparse = {}
        Gamma: Sparse = {}
        for k, shape in enumerate(self.shapes):
            phi[k, shape.direction] = self._at(shape.function, s, 1, k)
            if shape.direction:
                turn = self._at(_slope(shape.function), s, 1 / as_expression(L), k)
                theta[k, 3 - shape.direction] = turn if shape.direction == 1 or turn == 0 else -turn
        if order:
            for (k, l), g in self.shortening.items():
                G[k, l, 0] = self._at(g, s, 1 / as_expression(L), k, l)
            Gamma = self._twists(s)
        shapes = SymbolicShapes(*(_without_zeros(part) for part in (phi, theta, G, Gamma)))
        return shapes if is_null(d) else _beside(shapes, d, self.n, order)

    def _twists(self, s: Scalar) -> Sparse:
        """Gamma_kl of a section that bends in both planes."""
        found: Sparse = {}
        scale = 1 / as_expression(self.properties.length) ** 2
        for (k, one), (l, other) in pairs(enumerate(self.shapes), repeat=2):
            if (one.direction, other.direction) == (1, 2):
                turn = _twist(one.function, other.function, self.from_end)
                found[k, l, 0] = found[l, k, 0] = self._at(turn, s, scale, k, l)
        return found

    def _at(self, function: UnitFunction, s: Scalar, scale: Scalar, *modes: int) -> Scalar:
        factor = as_expression(scale)
        for k in modes:
            factor = factor * self.shapes[k].factor
        return _times(lambda: function.value(s), lambda: function.number(_as_float(s)), factor, as_expression(s))


def _sorted(one: UnitFunction, other: UnitFunction) -> list[UnitFunction]:
    """In an order of their own, so that a product is computed once."""
    return sorted((one, other), key=id)


def _times(exactly: Callable[[], Scalar], in_numbers: Callable[[], float], factor: Scalar, s: Scalar = 0) -> Scalar:
    """A constant times a factor: exact with symbols, a plain number without."""
    factor = as_expression(factor)
    if factor.free_symbols or as_expression(s).free_symbols:
        value = exactly()
        return tidy(value * factor) if value != 0 else 0
    if factor.is_Rational:
        value = exactly()
        if value == 0 or (value.is_Rational and int(value.q) < _SIMPLEST):
            return tidy(value * factor)
    number = in_numbers()
    return Float(number * _as_float(factor)) if abs(number) > 1e-15 else 0


def _times_number(scale: Scalar, number: Scalar) -> Scalar:
    return tidy(as_expression(scale) * number)


def _place(s: Any, x: float) -> Scalar:
    """s by its symbols, or as the fraction that it represents."""
    if s.free_symbols:
        return s
    near = Fraction(x).limit_denominator(1000)
    return Rational(near.numerator, near.denominator) if abs(float(near) - x) < 4e-16 else Float(x)


def _as_float(value: Scalar) -> float:
    return float(as_expression(value).n(53, real=True))


def _without_zeros(values: Sparse) -> Sparse:
    return {key: value for key, value in values.items() if value != 0}


def _beside(shapes: SymbolicShapes, d: Vector, n: int, order: int) -> SymbolicShapes:
    """Shapes of a point at a distance d from the centre line, fixed to its section (theory 2.1)."""
    turns = [[shapes.theta.get((k, i), 0) for i in XYZ] for k in range(n)]
    phi, G = dict(shapes.phi), dict(shapes.G)
    for k in range(n):
        _add(phi, (k,), cross(turns[k], d))
    for k, l in pairs(range(n), repeat=2):
        if not order:
            break
        _add(G, (k, l), cross([shapes.Gamma.get((k, l, i), 0) for i in XYZ], d))
        for one, other in ((k, l), (l, k)):
            swing = cross(turns[one], cross(turns[other], d))
            _add(G, (k, l), [multiply(_HALF, x) for x in swing])
    return SymbolicShapes(_without_zeros(phi), shapes.theta, _without_zeros(G), shapes.Gamma)


def _add(to: Sparse, key: tuple[int, ...], values: Vector) -> None:
    for i, value in enumerate(values):
        if value != 0:
            to[*key, i] = plus(to.get((*key, i), 0), value)
