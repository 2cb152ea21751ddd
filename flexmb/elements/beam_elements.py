"""Two-node beam elements (Euler-Bernoulli, Timoshenko) and three-node rod elements, and their assembly on a line.

Beam: nodal unknowns (v, psi), deflection and turn of the section. Between the nodes the solution without load is used,
so that the element is exact under end loads and does not lock; with p = 12 EI/(k G A h^2), s = (x - x_left)/h:

    v   = [1 - 3 s^2 + 2 s^3 + p (1 - s), h (s - 2 s^2 + s^3 + p (s - s^2)/2),
           3 s^2 - 2 s^3 + p s,           h (s^3 - s^2 + p (s^2 - s)/2)] / (1 + p) . (v1, psi1, v2, psi2)
    psi = [6 (s^2 - s)/h,  1 - 4 s + 3 s^2 + p (1 - s),  6 (s - s^2)/h,  3 s^2 - 2 s + p s] / (1 + p) . (...)
p = 0 gives the cubic Hermite polynomials. Rod (stretch, twist): quadratic, nodes at both ends and in the middle.
Source: J. S. Przemieniecki, Theory of Matrix Structural Analysis (1968), chapters 5 (stiffness) and 11 (mass).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats


@dataclass(frozen=True)
class BeamLine:
    """Beam elements in a row, one plane; every property is constant on an element."""

    nodes: Floats
    """(n + 1,) positions [m]"""
    EI: Floats
    """(n,) [N m^2]"""
    GA: Floats | None
    """(n,) shear stiffness k G A [N]; None: Euler-Bernoulli"""
    rhoA: Floats
    """(n,) [kg/m]"""
    rhoI: Floats
    """(n,) rotary inertia [kg m]; zero: none"""

    @property
    def shear_parameter(self) -> Floats:
        """(n,) p = 12 EI/(k G A h^2)"""
        if self.GA is None:
            return np.zeros_like(self.EI)
        return 12.0 * self.EI / (self.GA * np.diff(self.nodes) ** 2)

    @property
    def places(self) -> Floats:
        """(n + 1,) positions of the unknowns [m]"""
        return self.nodes

    def matrices(self) -> tuple[Floats, Floats]:
        """(2 n + 2, 2 n + 2) stiffness and consistent mass for the unknowns (v0, psi0, v1, psi1, ...)."""
        point, weight = np.polynomial.legendre.leggauss(4)  # exact for the square of a cubic
        h = np.diff(self.nodes)
        s = np.tile((1.0 + point) / 2.0, (h.size, 1))
        rows = _beam_rows(s, h[:, None], self.shear_parameter[:, None])  # (n, 4 points, 4 unknowns, 4 columns)
        value, turn, curvature = rows[..., 0], rows[..., 2], rows[..., 3]
        strain = rows[..., 1] - turn
        dx = h[:, None] / 2.0 * weight
        stiffness = _products(curvature, self.EI[:, None] * dx)
        if self.GA is not None:
            stiffness += _products(strain, self.GA[:, None] * dx)
        mass = _products(value, self.rhoA[:, None] * dx) + _products(turn, self.rhoI[:, None] * dx)
        return _assembled(stiffness, 2), _assembled(mass, 2)


@dataclass(frozen=True)
class RodLine:
    """Quadratic rod elements in a row, for stretch or twist."""

    nodes: Floats
    """(n + 1,) positions [m]"""
    stiffness: Floats
    """(n,) EA [N] or GJ [N m^2]"""
    inertia: Floats
    """(n,) rho A [kg/m] or rho (Iy + Iz) [kg m]"""

    @property
    def places(self) -> Floats:
        """(2 n + 1,) positions of the unknowns: nodes and midpoints of the elements [m]"""
        middles = (self.nodes[1:] + self.nodes[:-1]) / 2.0
        return np.append(np.column_stack([self.nodes[:-1], middles]).ravel(), self.nodes[-1])

    def matrices(self) -> tuple[Floats, Floats]:
        """(2 n + 1, 2 n + 1) stiffness and consistent mass for the unknowns at `places`."""
        point, weight = np.polynomial.legendre.leggauss(3)
        h = np.diff(self.nodes)
        rows = _rod_rows(np.tile((1.0 + point) / 2.0, (h.size, 1)), h[:, None])
        dx = h[:, None] / 2.0 * weight
        stiffness = _products(rows[..., 1], self.stiffness[:, None] * dx)
        return _assembled(stiffness, 1), _assembled(_products(rows[..., 0], self.inertia[:, None] * dx), 1)


@dataclass(frozen=True)
class BeamLineCurve:
    """A deflection of a `BeamLine`."""

    nodes: Floats
    shear_parameter: Floats
    unknowns: Floats
    """(n + 1, 2) deflection and turn at the nodes"""

    def values(self, x: Floats) -> Floats:
        """(m, 4) value, slope, turn, curvature at x (m,) [m]."""
        number, h, s = _element_of(self.nodes, x)
        nodal = np.concatenate([self.unknowns[number], self.unknowns[number + 1]], axis=1)
        return np.einsum("mkc,mk->mc", _beam_rows(s, h, self.shear_parameter[number]), nodal)


@dataclass(frozen=True)
class RodLineCurve:
    """A stretch or twist of a `RodLine`."""

    nodes: Floats
    unknowns: Floats
    """(2 n + 1,) values at the nodes and the middles"""

    def values(self, x: Floats) -> Floats:
        """(m, 4) value, slope, zero, zero at x (m,) [m]."""
        number, h, s = _element_of(self.nodes, x)
        nodal = self.unknowns[2 * number[:, None] + np.arange(3)]
        return np.einsum("mkc,mk->mc", _rod_rows(s, h), nodal)


def line_modes(stiffness: Floats, mass: Floats, held: Sequence[int], n_rigid: int, count: int) -> tuple[Floats, Floats]:
    """The lowest elastic modes with some unknowns held, after the `n_rigid` rigid motions that they leave.

    Returns (count,) angular frequencies [rad/s] and (n, count) modes with unit modal mass.
    """
    from scipy.linalg import eigh  # only here: a quarter of a second at every start

    free = np.setdiff1d(np.arange(stiffness.shape[0]), np.asarray(held, dtype=int))
    block = np.ix_(free, free)
    wanted = [n_rigid, n_rigid + count - 1]
    squares, vectors = eigh(stiffness[block], mass[block], subset_by_index=wanted)
    modes = np.zeros((stiffness.shape[0], count))
    modes[free] = vectors
    return np.sqrt(np.maximum(squares, 0.0)), modes


def _beam_rows(s: Floats, h: Floats, p: Floats) -> Floats:
    """(..., 4 unknowns, 4 columns) value, slope, turn, curvature at s, in elements of length h."""
    s, h, p = np.broadcast_arrays(s, h, p)
    s2, s3, one = s * s, s**3, np.ones_like(s)
    value = [
        1.0 - 3.0 * s2 + 2.0 * s3 + p * (1.0 - s),
        h * (s - 2.0 * s2 + s3 + p * (s - s2) / 2.0),
        3.0 * s2 - 2.0 * s3 + p * s,
        h * (s3 - s2 + p * (s2 - s) / 2.0),
    ]
    slope = [
        (6.0 * (s2 - s) - p) / h,
        1.0 - 4.0 * s + 3.0 * s2 + p * (1.0 - 2.0 * s) / 2.0,
        (6.0 * (s - s2) + p) / h,
        3.0 * s2 - 2.0 * s + p * (2.0 * s - 1.0) / 2.0,
    ]
    turn = [
        6.0 * (s2 - s) / h,
        1.0 - 4.0 * s + 3.0 * s2 + p * (1.0 - s),
        6.0 * (s - s2) / h,
        3.0 * s2 - 2.0 * s + p * s,
    ]
    curvature = [
        6.0 * (2.0 * s - one) / h**2,
        (6.0 * s - 4.0 - p) / h,
        6.0 * (one - 2.0 * s) / h**2,
        (6.0 * s - 2.0 + p) / h,
    ]
    columns = [np.stack(column, axis=-1) for column in (value, slope, turn, curvature)]
    return np.stack(columns, axis=-1) / (1.0 + p)[..., None, None]


def _rod_rows(s: Floats, h: Floats) -> Floats:
    """(..., 3 unknowns, 4 columns) value, slope, 0, 0 of a quadratic rod element at s."""
    s, h = np.broadcast_arrays(s, h)
    value = np.stack([(1.0 - s) * (1.0 - 2.0 * s), 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0)], axis=-1)
    slope = np.stack([(4.0 * s - 3.0) / h, (4.0 - 8.0 * s) / h, (4.0 * s - 1.0) / h], axis=-1)
    zero = np.zeros_like(value)
    return np.stack([value, slope, zero, zero], axis=-1)


def _element_of(nodes: Floats, x: Floats) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Number, length and local coordinate s of the element at each x; on a node the one that begins there."""
    number = np.clip(np.searchsorted(nodes, x, side="right") - 1, 0, nodes.size - 2)
    h = nodes[number + 1] - nodes[number]
    return number, h, (x - nodes[number]) / h


def _products(rows: Floats, density: Floats) -> Floats:
    """(n, k, k) sum over the points of an element of density row row^T."""
    return np.einsum("npk,np,npl->nkl", rows, density, rows)


def _assembled(blocks: Floats, shared: int) -> Floats:
    """Element matrices (n, k, k) added up; the last `shared` unknowns of an element are the first of the next."""
    n_elements, size = blocks.shape[0], blocks.shape[1]
    step = size - shared
    matrix = np.zeros((step * n_elements + shared,) * 2)
    for number in range(n_elements):
        at = slice(step * number, step * number + size)
        matrix[at, at] += blocks[number]
    return matrix
