"""Points and weights of quadrature on the reference cells.

Cells: line and cube -1 .. 1; triangle r, s >= 0, r + s <= 1; tetrahedron likewise with r, s, t; wedge: triangle in r, s
times line in t; pyramid from the square -1 .. 1 at t = 0 to its apex at t = 1. Rules of any degree on triangle,
tetrahedron and pyramid are products of Gauss-Jacobi rules on the collapsed square and cube (Stroud, Approximate
Calculation of Multiple Integrals, 1971); the short rules of low degree are the symmetric ones of Hammer and Stroud
(1956) and of Strang and Fix (1973), in closed form.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats

Rule = tuple[Floats, Floats]
"""Points (n, d) and weights (n,)"""


def gauss(count: int) -> Rule:
    """Gauss' rule on -1 .. 1, exact to degree 2 count - 1."""
    x, w = np.polynomial.legendre.leggauss(count)
    return x[:, None], w


def product(first: Rule, second: Rule) -> Rule:
    """All pairs of points of two rules."""
    (x, v), (y, w) = first, second
    points = np.concatenate([np.repeat(x, len(y), axis=0), np.tile(y, (len(x), 1))], axis=1)
    return points, np.repeat(v, len(w)) * np.tile(w, len(v))


def cube(count: int) -> Rule:
    """Gauss' rule with `count` points per direction."""
    return product(product(gauss(count), gauss(count)), gauss(count))


def triangle(degree: int) -> Rule:
    """A rule on the triangle that is exact to `degree`, with weights that sum to 1/2."""
    if degree <= 1:
        return np.full((1, 2), 1.0 / 3.0), np.array([0.5])
    if degree == 2:
        return _triangle_orbit(1.0 / 6.0), np.full(3, 1.0 / 6.0)
    if degree <= 4:
        root = np.sqrt(38.0 - 44.0 * np.sqrt(0.4))
        spread = np.sqrt(213125.0 - 53320.0 * np.sqrt(10.0))
        a, b = (8.0 - np.sqrt(10.0) + root) / 18.0, (8.0 - np.sqrt(10.0) - root) / 18.0
        weights = np.repeat([(620.0 + spread) / 7440.0, (620.0 - spread) / 7440.0], 3)
        return np.concatenate([_triangle_orbit(a), _triangle_orbit(b)]), weights
    x, v = _collapsed(degree, 1)
    y, w = _collapsed(degree, 0)
    s, r = (grid.ravel() for grid in np.meshgrid(x, y, indexing="ij"))
    return np.stack([r * (1.0 - s), s], axis=1), np.outer(v, w).ravel()


def tetrahedron(degree: int) -> Rule:
    """A rule on the tetrahedron that is exact to `degree`, with weights that sum to 1/6."""
    if degree <= 1:
        return np.full((1, 3), 0.25), np.array([1.0 / 6.0])
    if degree == 2:
        a, b = 0.25 - np.sqrt(5.0) / 20.0, 0.25 + 3.0 * np.sqrt(5.0) / 20.0
        return np.array([[a, a, a], [b, a, a], [a, b, a], [a, a, b]]), np.full(4, 1.0 / 24.0)
    z, u = _collapsed(degree, 2)
    y, v = _collapsed(degree, 1)
    x, w = _collapsed(degree, 0)
    t, s, r = (grid.ravel() for grid in np.meshgrid(z, y, x, indexing="ij"))
    points = np.stack([r * (1.0 - s) * (1.0 - t), s * (1.0 - t), t], axis=1)
    return points, np.einsum("i,j,k->ijk", u, v, w).ravel()


def wedge(degree: int, count: int) -> Rule:
    """A rule on the triangle of `degree` times Gauss' rule with `count` points."""
    return product(triangle(degree), gauss(count))


def pyramid(count: int, along: int) -> Rule:
    """Gauss' rule with `count` points per direction of the square, times `along` points from the base to the apex.

    Exact for a^i b^j c^k with i, j < 2 count and k < 2 along, where a = r/c, b = s/c, c = 1 - t.
    """
    t, v = _collapsed(2 * along - 1, 2)
    square, w = product(gauss(count), gauss(count))
    points = [np.column_stack([(1.0 - height) * square, np.full(len(square), height)]) for height in t]
    return np.concatenate(points), np.outer(v, w).ravel()


def _triangle_orbit(a: float) -> Floats:
    """The three points with barycentric coordinates a, a, 1 - 2 a."""
    b = 1.0 - 2.0 * a
    return np.array([[a, a], [b, a], [a, b]])


def _collapsed(degree: int, power: int) -> Rule:
    """Rule for the weight (1 - x)^power on 0 .. 1."""
    from scipy.special import roots_jacobi

    x, w = roots_jacobi(degree // 2 + 1, power, 0)
    return 0.5 * (1.0 + x), w / 2.0 ** (power + 1)
