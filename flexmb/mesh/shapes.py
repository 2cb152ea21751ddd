"""Shape functions of the solid cell types on their reference cells, and Gauss points there.

Every kind is a set of monomials and a set of nodes: N(xi) = m(xi) V^-1 with V the monomials at the nodes. Reference
cells: the unit tetrahedron, the unit triangle times [-1, 1], and [-1, 1]^3. Here they measure cells; the stiffness of
`elements/` has shape functions of its own.
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.mesh.topology import EDGES, FACES, family, is_quadratic

_CORNERS = {
    "tet": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "wedge": [(0, 0, -1), (1, 0, -1), (0, 1, -1), (0, 0, 1), (1, 0, 1), (0, 1, 1)],
    "hex": [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)],
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


@cache
def _exponents(kind: str) -> Integers:
    """(k, 3) exponents of the monomials that span the kind."""
    every = np.array(list(itertools.product(range(3), repeat=3)))
    r, s, t = every.T
    # Serendipity [Arnold & Awanou 2011]: degrees above one may add up to two.
    superlinear = np.where(every > 1, every, 0).sum(axis=1)
    chosen = {
        "tet4": every.sum(axis=1) <= 1,
        "tet10": every.sum(axis=1) <= 2,
        "hex8": every.max(axis=1) <= 1,
        "hex20": superlinear <= 2,
        "hex27": np.ones(27, dtype=bool),
        "wedge6": (r + s <= 1) & (t <= 1),
        "wedge15": ((r + s <= 2) & (t <= 1)) | ((r + s <= 1) & (t <= 2)),
    }
    return every[chosen[kind]]


@cache
def _coefficients(kind: str) -> Floats:
    powers = reference_nodes(kind)[:, None, :] ** _exponents(kind)
    return np.linalg.inv(powers.prod(axis=2))


def shape_functions(kind: str, xi: Floats) -> Floats:
    """(p, k) values at points xi : (p, 3) of the reference cell."""
    return np.ascontiguousarray((xi[:, None, :] ** _exponents(kind)).prod(axis=2) @ _coefficients(kind))


def shape_gradients(kind: str, xi: Floats) -> Floats:
    """(p, 3, k) derivatives with respect to xi."""
    powers = _exponents(kind)
    columns = []
    for i in range(3):
        lower = powers.copy()
        lower[:, i] = np.maximum(lower[:, i] - 1, 0)
        columns.append(powers[:, i] * (xi[:, None, :] ** lower).prod(axis=2) @ _coefficients(kind))
    return np.stack(columns, axis=1)


@cache
def gauss_points(name: str, n: int) -> tuple[Floats, Floats]:
    """Points (p, 3) and weights (p,) of a family, n in each direction: exact to degree 2 n - 1.

    Triangles and tetrahedra are squeezed squares and cubes with Gauss-Jacobi points [Stroud 1971].
    """
    line, weight = np.polynomial.legendre.leggauss(n)
    if name == "hex":
        return _product([line] * 3), _product([weight] * 3).prod(axis=1)
    u, wu = _jacobi(n, 1)
    v, wv = _jacobi(n, 0)
    if name == "wedge":
        uvt = _product([u, v, line])
        points = np.stack([uvt[:, 0], uvt[:, 1] * (1.0 - uvt[:, 0]), uvt[:, 2]], axis=1)
        return points, _product([wu, wv, weight]).prod(axis=1)
    first, w_first = _jacobi(n, 2)
    abc = _product([first, u, v])
    x = abc[:, 0]
    y = abc[:, 1] * (1.0 - x)
    return np.stack([x, y, abc[:, 2] * (1.0 - x - y)], axis=1), _product([w_first, wu, wv]).prod(axis=1)


def _jacobi(n: int, power: int) -> tuple[Floats, Floats]:
    """Points and weights on [0, 1] for the weight (1 - x)^power."""
    from scipy.special import roots_jacobi

    x, w = roots_jacobi(n, power, 0)
    return (1.0 + x) / 2.0, w / 2.0 ** (power + 1)


def _product(axes: list[Floats]) -> Floats:
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
