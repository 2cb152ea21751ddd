"""Shape functions of a beam: curves along its axis, and the shapes that a body takes from them.

A curve is a raw function of x. A shape is a curve without its rigid part (a translation and a turn that belong to the
body frame) times a factor:

    bending  value = factor (curve - offset - tilt x)     axial, torsion  value = factor (curve - offset)

Both provide `values(x)`, (m, 4): value, slope d/dx value, turn of the section (the slope in Euler-Bernoulli theory, psi
in Timoshenko's), curvature d/dx turn. Axial and torsion shapes have value and slope; the rest is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.polynomial import Polynomial, legendre
from numpy.typing import ArrayLike

from flexmb.arrays import Floats

BENDING = ("y", "z")
COMPONENTS = ("y", "z", "u", "t")
"""Deflections y and z [m], stretch u [m], twist t [rad]: the order of the elastic coordinates."""

_MOST_PLAIN_MONOMIALS = 4


class Curve(Protocol):
    """A function along the beam."""

    def values(self, x: Floats) -> Floats:
        """(m, 4) value, slope, turn, curvature at x (m,) [m]."""


@dataclass(frozen=True)
class BeamShape:
    """A curve in the body frame: one elastic coordinate, in metres (twist: radians)."""

    component: str
    """"y", "z", "u" or "t\""""
    label: str
    """such as "y1\""""
    curve: Curve
    offset: float = 0.0
    """translation that belongs to the frame, in units of the curve"""
    tilt: float = 0.0
    """turn that belongs to the frame [1/m]; bending only"""
    factor: float = 1.0

    def values(self, x: ArrayLike) -> Floats:
        """(m, 4) value, slope, turn, curvature at x (m,) [m], each per unit of the coordinate."""
        places = np.atleast_1d(np.asarray(x, dtype=float))
        values = self.curve.values(places)
        values[:, 0] -= self.offset + self.tilt * places
        values[:, 1] -= self.tilt
        values[:, 2] -= self.tilt
        return self.factor * values


@dataclass(frozen=True)
class PolynomialCurve:
    """A polynomial, kept as a Legendre series in t = 2 x/length - 1 because that stays accurate at high degree."""

    length: float
    """[m]"""
    coefficients: Floats
    bends: bool

    def values(self, x: Floats) -> Floats:
        """(m, 4) value, slope, turn, curvature at x (m,) [m]."""
        t, rate = 2.0 * x / self.length - 1.0, 2.0 / self.length
        series = [legendre.legder(self.coefficients, order) for order in range(3)]
        value, slope, curvature = (
            np.asarray(legendre.legval(t, row), dtype=np.float64) * rate**order for order, row in enumerate(series)
        )
        return _columns(value, slope, curvature, self.bends)


@dataclass(frozen=True)
class WaveCurve:
    """a cos(k x) + b sin(k x) + c exp(-k x) + d exp(-k (length - x)): the closed form of any uniform beam or rod mode.

    Written with decaying exponentials from both ends, no term exceeds its coefficient: high modes neither overflow nor
    cancel as with cosh and sinh.
    """

    length: float
    """[m]"""
    k: float
    """wave number [1/m]"""
    coefficients: tuple[float, float, float, float]
    bends: bool

    def values(self, x: Floats) -> Floats:
        """(m, 4) value, slope, turn, curvature at x (m,) [m]."""
        k, (a, b, c, d) = self.k, self.coefficients
        cosine, sine = np.cos(k * x), np.sin(k * x)
        left, right = c * np.exp(-k * x), d * np.exp(-k * (self.length - x))
        value = a * cosine + b * sine + left + right
        slope = k * (b * cosine - a * sine - left + right)
        return _columns(value, slope, k * k * (left + right - a * cosine - b * sine), self.bends)


def monomial_curves(component: str, count: int, length: float, from_end: bool) -> list[PolynomialCurve]:
    """`count` polynomials in s = x/length (from_end: 1 - x/length): s^2, s^3, ... in bending, s, s^2, ... else.

    Beyond four, which powers of s resolve badly, the same polynomials recombined so that their curvatures (bending) or
    slopes (axial, torsion) are Legendre polynomials, hence orthogonal whatever the frame.
    """
    bends = component in BENDING
    order = 2 if bends else 1
    series: list[Any]
    if count <= _MOST_PLAIN_MONOMIALS:
        s = Polynomial([0.5, -0.5 if from_end else 0.5])
        series = [legendre.poly2leg((s ** (order + number)).coef) for number in range(count)]
    else:
        root = 1.0 if from_end else -1.0
        series = [legendre.legint([0.0] * number + [1.0], order, lbnd=root) for number in range(count)]
    return [PolynomialCurve(length, np.asarray(row, dtype=float), bends) for row in series]


def sampled(shapes: Sequence[BeamShape], x: Floats) -> Floats:
    """(n, m, 4) values of all shapes at x (m,) [m]."""
    return np.array([shape.values(x) for shape in shapes]).reshape(len(shapes), x.size, 4)


def _columns(value: Floats, slope: Floats, curvature: Floats, bends: bool) -> Floats:
    """(m, 4) of an Euler-Bernoulli deflection (turn = slope) or of a stretch or twist (neither turn nor curvature)."""
    zero = np.zeros_like(value)
    return np.stack([value, slope, slope if bends else zero, curvature if bends else zero], axis=1)
