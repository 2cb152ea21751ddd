"""A beam in its floating frame: inextensible bending in two planes by polynomials, exact for any deflection.

With slopes b = v', c = w' of the deflections v, w (sums of shapes times coordinates) and s = sqrt(1 - b^2 - c^2):

    centre line   (int s dx, v, w)
    sections      n = (s, b, c) is normal to them; they do not twist about it: theta' = (b c' - c b')/(1 + s) turns
                  the smallest rotation that takes e1 to n
    energy        V = 1/2 int EIz (n' . e2)^2 + EIy (n' . e3)^2,   e2, e3 the axes of the section

Shapes of the frame "start" are (x/L)^2, (x/L)^3, ...; of "end" the same from the other end; of "chord" the first ones
less their chord. Mass is on the centre line. Integrals by Gauss quadrature with many points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial, legendre

from tests.campaigns.oracle.jets import Jet, linear

Array = Any
POINTS = 20
"""Gauss points along the beam."""
_STEP = 1e-30


def _shapes(frame: str, count: int) -> list[Polynomial]:
    """Shapes as polynomials of x/L."""
    x = Polynomial([0.0, 1.0])
    if frame == "end":
        return [(1.0 - x) ** power for power in range(2, 2 + count)]
    line = x if frame == "chord" else 0.0 * x
    return [x**power - line for power in range(2, 2 + count)]


@dataclass(frozen=True)
class Section:
    """Motion of one place of the beam relative to its frame, axes of the frame; n elastic coordinates."""

    r: Array
    R: Array
    Psi: Array
    """(n, 3) displacement per unit of each coordinate"""
    Om: Array
    """(n, 3) rotation per unit of each coordinate"""
    r_dot: Array
    omega: Array
    r_bias: Array
    """acceleration when q'' = 0"""
    omega_bias: Array


class Beam:
    """A uniform beam without stretch and torsion."""

    def __init__(self, length: float, rhoA: float, EIy: float, EIz: float, frame: str, n_y: int, n_z: int):
        self.length, self.EIy, self.EIz, self.from_end = length, EIy, EIz, frame == "end"
        self.n = n_y + n_z
        self._families = (_shapes(frame, n_y), _shapes(frame, n_z))
        t, weight = legendre.leggauss(POINTS)
        self.x = 0.5 * length * (t + 1.0)
        self.weight = 0.5 * length * weight
        self.mass = rhoA * self.weight
        self._to_legendre = np.linalg.inv(legendre.legvander(t, POINTS - 1))
        self._at = [self._columns(self.x, order) for order in range(3)]
        self._sums = self._integral(self.x)
        self._places: dict[float, tuple[Any, ...]] = {}

    def _columns(self, x: Array, order: int) -> tuple[Array, Array]:
        """Derivatives of v and w at x per unit of each coordinate: two arrays (m, n)."""
        v, w = np.zeros((len(x), self.n)), np.zeros((len(x), self.n))
        for k, shape in enumerate(self._families[0]):
            v[:, k] = shape.deriv(order)(x / self.length) / self.length**order
        for k, shape in enumerate(self._families[1], start=len(self._families[0])):
            w[:, k] = shape.deriv(order)(x / self.length) / self.length**order
        return v, w

    def _integral(self, x: Array) -> Array:
        """(m, POINTS) weights of the integral from the origin (in the frame "end": from the end) to x."""
        t = 2.0 * x / self.length - 1.0
        lower = 1.0 if self.from_end else -1.0
        primitives = [legendre.legint(row, lbnd=lower) for row in np.eye(POINTS)]
        values = np.stack([legendre.legval(t, row) for row in primitives], axis=-1)
        return 0.5 * self.length * values @ self._to_legendre

    def _place(self, x: float) -> tuple[Any, ...]:
        """Weights of the integral to x, values and slopes of the shapes there."""
        if x not in self._places:
            where = np.array([x])
            self._places[x] = (self._integral(where), self._columns(where, 0), self._columns(where, 1))
        return self._places[x]

    def _centre_line(self, sums: Array, values: Any, s: Jet, q: Array, q_dot: Array) -> list[Jet]:
        start = self.length if self.from_end else 0.0
        return [s.summed(sums) + start, linear(values[0], q, q_dot), linear(values[1], q, q_dot)]

    def points(self, q: Array, q_dot: Array) -> tuple[Array, Array, Array, Array]:
        """r (m, 3), psi (m, n, 3), r_dot (m, 3), bias (m, 3) of the mass points."""
        b, c = (linear(columns, q, q_dot) for columns in self._at[1])
        s = (1.0 - (b * b + c * c)).sqrt()
        line = self._centre_line(self._sums, self._at[0], s, q, q_dot)
        return _stacked(line)

    def section(self, x: float, offset: Array, R_0: Array, q: Array, q_dot: Array) -> Section:
        """A marker at (x, 0, 0) + offset with axes R_0 in the undeformed beam, fixed to its section."""
        sums, *columns_there = self._place(x)
        b, c = (linear(columns, q, q_dot) for columns in self._at[1])
        b1, c1 = (linear(columns, q, q_dot) for columns in self._at[2])
        s = (1.0 - (b * b + c * c)).sqrt()
        line = self._centre_line(sums, columns_there[0], s, q, q_dot)
        theta = ((b * c1 - c * b1) / (s + 1.0)).summed(sums)
        b, c = (linear(columns, q, q_dot) for columns in columns_there[1])
        axes = _section_axes(b, c, theta)
        shifted = [line[i] + sum(axes[i][j] * float(offset[j]) for j in range(3)) for i in range(3)]
        r, Psi, r_dot, r_bias = (part[0] for part in _stacked(shifted))
        R, dR, R1, R2 = (np.moveaxis(np.array(part), (0, 1), (-2, -1))[0] for part in _parts(axes))
        Om = np.array([_vee(dR[k] @ R.T) for k in range(self.n)]).reshape(self.n, 3)
        return Section(r, R @ R_0, Psi, Om, r_dot, _vee(R1 @ R.T), r_bias, _vee(R2 @ R.T))

    def steepest(self, q: Array) -> float:
        """Largest slope at the Gauss points."""
        return float(np.hypot(*(columns @ q for columns in self._at[1])).max())

    def energy(self, q: Array) -> Any:
        """Strain energy [J], also for complex q and many q at once: (..., n)."""
        b, c = (q @ columns.T for columns in self._at[1])
        b1, c1 = (q @ columns.T for columns in self._at[2])
        s = np.sqrt(1.0 - b**2 - c**2)
        theta = ((b * c1 - c * b1) / (1.0 + s)) @ self._sums.T
        n1 = np.stack([-(b * b1 + c * c1) / s, b1, c1])
        e2 = np.stack([-b, 1.0 - b**2 / (1.0 + s), -b * c / (1.0 + s)])
        e3 = np.stack([-c, -b * c / (1.0 + s), 1.0 - c**2 / (1.0 + s)])
        along_2, along_3 = (n1 * e2).sum(axis=0), (n1 * e3).sum(axis=0)
        turned_2 = np.cos(theta) * along_2 + np.sin(theta) * along_3
        turned_3 = np.cos(theta) * along_3 - np.sin(theta) * along_2
        return 0.5 * (self.EIz * turned_2**2 + self.EIy * turned_3**2) @ self.weight

    def elastic_forces(self, q: Array) -> Array:
        """(n,) dV/dq."""
        return self.energy(q + 1j * _STEP * np.eye(self.n)).imag / _STEP


def _section_axes(b: Jet, c: Jet, theta: Jet) -> list[list[Jet]]:
    """Rotation of a section: the smallest one that takes e1 to (s, b, c), after a turn theta about e1."""
    s = (1.0 - (b * b + c * c)).sqrt()
    e2 = [-b, 1.0 - b * b / (s + 1.0), -(b * c) / (s + 1.0)]
    e3 = [-c, -(b * c) / (s + 1.0), 1.0 - c * c / (s + 1.0)]
    cos, sin = theta.cos(), theta.sin()
    return [[n, cos * y + sin * z, cos * z - sin * y] for n, y, z in zip((s, b, c), e2, e3, strict=True)]


def _stacked(line: list[Jet]) -> tuple[Array, Array, Array, Array]:
    return (
        np.stack([jet.value for jet in line], axis=-1),
        np.stack([jet.gradient for jet in line], axis=-1),
        np.stack([jet.rate for jet in line], axis=-1),
        np.stack([jet.second for jet in line], axis=-1),
    )


def _parts(axes: list[list[Jet]]) -> list[list[list[Array]]]:
    names = ("value", "gradient", "rate", "second")
    return [[[getattr(jet, name) for jet in row] for row in axes] for name in names]


def _vee(matrix: Array) -> Array:
    """Axial vector of the skew part."""
    skew = 0.5 * (matrix - matrix.T)
    return np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
