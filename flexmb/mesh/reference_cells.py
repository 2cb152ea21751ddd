"""Nodes and shape functions of the solid cell types on their reference cells.

The shape functions of a kind span given monomials and are one at their own node and zero at the others:
N(xi) = m(xi) V^-1 with V the monomials at the nodes. Reference cells: the unit tetrahedron, the unit triangle times
[-1, 1], [-1, 1]^3, and the pyramid from [-1, 1]^2 at z = 0 to its apex (0, 0, 1); nodes are in the order of VTK. Meshes
are measured and elements are integrated with them.

Pyramids meet both quadrilaterals and triangles, which no polynomials do: xy/(1 - z) is added to the linear ones, and
xy/(1 - z), x^2 y/(1 - z), x y^2/(1 - z) to the quadratic ones (G. Bedrosian, Shape functions and integration formulas
for three-dimensional finite element analysis, Int. J. Num. Meth. Eng. 35, 1992). With a = x/(1 - z), b = y/(1 - z) and
c = 1 - z all of them, and their derivatives by x, y, z, are monomials in a, b, c, finite at the apex too; there the
derivatives depend on the direction, and are those along the axis.
"""

from __future__ import annotations

from functools import cache
from itertools import product as all_of

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.mesh.topology import EDGES, FACES, family, is_quadratic

_CORNERS = {
    "tet": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "pyramid": [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 1)],
    "wedge": [(0, 0, -1), (1, 0, -1), (0, 1, -1), (0, 0, 1), (1, 0, 1), (0, 1, 1)],
    "hex": [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)],
}

Exponents = list[tuple[int, ...]]


def tetrahedron_exponents(degree: int) -> Exponents:
    """Exponents of the monomials up to a total degree."""
    return [p for p in all_of(range(degree + 1), repeat=3) if sum(p) <= degree]


def cube_exponents(degree: int) -> Exponents:
    """Exponents of the monomials up to a degree in each direction."""
    return list(all_of(range(degree + 1), repeat=3))


def _serendipity() -> Exponents:
    """Monomials whose factors of degree two or more add up to at most two [Arnold & Awanou 2011]."""
    return [p for p in cube_exponents(2) if sum(power for power in p if power > 1) <= 2]


def wedge_exponents(in_triangle: int, along: int, total: int) -> Exponents:
    """Exponents of the monomials up to a degree in the triangle, along the wedge and in total."""
    exponents = [(i, j, k) for i, j in all_of(range(in_triangle + 1), repeat=2) for k in range(along + 1)]
    return [(i, j, k) for i, j, k in exponents if i + j <= in_triangle and i + j + k <= total]


def pyramid_exponents(degree: int) -> Exponents:
    """Exponents of a, b, c of the shape functions of degree 1 or 2: a^i b^j c^k = x^i y^j (1 - z)^(k - i - j)."""
    polynomials: Exponents = [(i, j, i + j + k) for i, j, k in tetrahedron_exponents(degree)]
    return polynomials + ([(1, 1, 1)] if degree == 1 else [(1, 1, 1), (2, 1, 2), (1, 2, 2)])


_EXPONENTS: dict[str, Exponents] = {
    "tet4": tetrahedron_exponents(1),
    "tet10": tetrahedron_exponents(2),
    "hex8": cube_exponents(1),
    "hex20": _serendipity(),
    "hex27": cube_exponents(2),
    "pyramid5": pyramid_exponents(1),
    "pyramid13": pyramid_exponents(2),
    "wedge6": wedge_exponents(1, 1, 2),
    "wedge15": sorted(set(wedge_exponents(2, 1, 3)) | set(wedge_exponents(1, 2, 3))),
}


@cache
def reference_nodes(kind: str) -> Floats:
    """(k, 3) nodes of the reference cell."""
    name = family(kind)
    corners = np.array(_CORNERS[name], dtype=float)
    nodes = [corners]
    if is_quadratic(kind):
        nodes.append(np.array([corners[[a, b]].mean(axis=0) for a, b in EDGES[name]]))
    if kind == "hex27":
        nodes += [np.array([corners[list(face)].mean(axis=0) for face in FACES[name]]), np.zeros((1, 3))]
    return np.concatenate(nodes)


def monomials(exponents: Exponents | Integers, points: Floats) -> Floats:
    """(n, e) monomials at points (n, 3)"""
    return np.prod(points[:, None, :] ** np.array(exponents)[None], axis=2)


def _monomial_gradients(exponents: Exponents, points: Floats) -> Floats:
    """(n, e, 3) derivatives of the monomials at points"""
    gradients = np.empty((len(points), len(exponents), 3))
    for axis in range(3):
        lowered = np.array(exponents)
        factor = lowered[:, axis].copy()
        lowered[:, axis] = np.maximum(factor - 1, 0)
        gradients[:, :, axis] = factor * np.prod(points[:, None, :] ** lowered[None], axis=2)
    return gradients


def _pyramid_gradients(exponents: Exponents, points: Floats) -> Floats:
    """(n, e, 3) derivatives of a^i b^j c^k by x, y, z at points (n, 3) in a, b, c: one power of c less"""
    powers = np.array(exponents)
    gradients = np.empty((len(points), len(exponents), 3))
    factors = powers[:, 0], powers[:, 1], powers[:, 0] + powers[:, 1] - powers[:, 2]
    for axis, lower in enumerate([(1, 0, 1), (0, 1, 1), (0, 0, 1)]):
        gradients[:, :, axis] = factors[axis] * monomials(np.maximum(powers - lower, 0), points)
    return gradients


def _collapsed(kind: str, points: Floats) -> Floats:
    """Points of a pyramid in a, b, c, with a = b = 0 at the apex; those of other cells as they are."""
    if family(kind) != "pyramid":
        return points
    c = 1.0 - points[:, 2:]
    return np.concatenate([points[:, :2] / np.where(c > 0.0, c, 1.0), c], axis=1)


@cache
def _coefficients(kind: str) -> Floats:
    """(e, k) shape functions in monomials; all are whole multiples of 1/8, so rounding makes them exact"""
    inverse = np.linalg.inv(monomials(_EXPONENTS[kind], _collapsed(kind, reference_nodes(kind))))
    return np.round(8.0 * inverse) / 8.0


def shape_functions(kind: str, points: Floats) -> Floats:
    """(n, k) shape functions at points (n, 3) of the reference cell"""
    return monomials(_EXPONENTS[kind], _collapsed(kind, points)) @ _coefficients(kind)


def shape_gradients(kind: str, points: Floats) -> Floats:
    """(n, k, 3) derivatives of the shape functions by the reference coordinates"""
    gradients = _pyramid_gradients if family(kind) == "pyramid" else _monomial_gradients
    return np.einsum("nea,ek->nka", gradients(_EXPONENTS[kind], _collapsed(kind, points)), _coefficients(kind))
