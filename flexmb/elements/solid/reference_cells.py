"""Shape functions of the solid cells and tables of integration on the reference cell.

The shape functions of a kind span given monomials and are one at their own node and zero at the others; nodes are in
the order of VTK. Stiffness is integrated at the points of a rule that is exact for straight, affine cells. The mass of
a curved cell is sum over h of det J(h) times a table of its shape products, exact for every shape that the cell can
take: det J is a polynomial too (degree 3 in tet10, at most 5 in each direction of hex20).

Incompatible modes of hex8 (Wilson 1973; Taylor, Beresford and Wilson 1976): three inner functions 1 - r^2, 1 - s^2,
1 - t^2, here through their derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product as all_of

import numpy as np

from flexmb.arrays import Floats
from flexmb.elements.solid import quadrature

_CUBE_CORNERS = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
_CUBE_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
_CUBE_CENTRES = [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1), (0, 0, 0)]
_TET_CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
_TET_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
_WEDGE_CORNERS = [(0, 0, -1), (1, 0, -1), (0, 1, -1), (0, 0, 1), (1, 0, 1), (0, 1, 1)]
_WEDGE_EDGES = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]

Exponents = list[tuple[int, ...]]


def _of_tet(degree: int) -> Exponents:
    return [p for p in all_of(range(degree + 1), repeat=3) if sum(p) <= degree]


def _of_cube(degree: int) -> Exponents:
    return list(all_of(range(degree + 1), repeat=3))


def _serendipity() -> Exponents:
    """Monomials whose factors of degree two or more add up to at most two."""
    return [p for p in _of_cube(2) if sum(power for power in p if power > 1) <= 2]


def _of_wedge(in_triangle: int, along: int, total: int) -> Exponents:
    exponents = [(i, j, k) for i, j in all_of(range(in_triangle + 1), repeat=2) for k in range(along + 1)]
    return [(i, j, k) for i, j, k in exponents if i + j <= in_triangle and i + j + k <= total]


_WEDGE15 = sorted(set(_of_wedge(2, 1, 3)) | set(_of_wedge(1, 2, 3)))

_MONOMIALS: dict[str, Exponents] = {
    "tet4": _of_tet(1),
    "tet10": _of_tet(2),
    "hex8": _of_cube(1),
    "hex20": _serendipity(),
    "hex27": _of_cube(2),
    "wedge6": _of_wedge(1, 1, 2),
    "wedge15": _WEDGE15,
}

_STRESS_MONOMIALS: dict[str, Exponents] = {
    "tet4": _of_tet(0),
    "tet10": _of_tet(1),
    "hex8": _of_cube(1),
    "hex20": _of_cube(1),
    "hex27": _of_cube(1),
    "wedge6": _of_wedge(0, 1, 1),
    "wedge15": _of_wedge(1, 1, 2),
}

QUADRATIC = frozenset({"tet10", "hex20", "hex27", "wedge15"})
"""Kinds with nodes on their edges."""


@cache
def nodes_of(kind: str) -> Floats:
    """(k, 3) places of the nodes in the reference cell"""
    shape = kind.rstrip("0123456789")
    corners = np.array({"tet": _TET_CORNERS, "hex": _CUBE_CORNERS, "wedge": _WEDGE_CORNERS}[shape], dtype=float)
    if kind not in QUADRATIC:
        return corners
    edges = np.array({"tet": _TET_EDGES, "hex": _CUBE_EDGES, "wedge": _WEDGE_EDGES}[shape])
    centres = np.array(_CUBE_CENTRES, dtype=float) if kind == "hex27" else np.zeros((0, 3))
    return np.concatenate([corners, corners[edges].mean(axis=1), centres])


def _powers(exponents: Exponents, points: Floats) -> Floats:
    """(n, e) monomials at points"""
    return np.prod(points[:, None, :] ** np.array(exponents)[None], axis=2)


def _power_gradients(exponents: Exponents, points: Floats) -> Floats:
    """(n, e, 3) derivatives of the monomials at points"""
    gradients = np.empty((len(points), len(exponents), 3))
    for axis in range(3):
        lowered = np.array(exponents)
        factor = lowered[:, axis].copy()
        lowered[:, axis] = np.maximum(factor - 1, 0)
        gradients[:, :, axis] = factor * np.prod(points[:, None, :] ** lowered[None], axis=2)
    return gradients


@cache
def _coefficients(kind: str) -> Floats:
    """(e, k) shape functions in monomials; all are whole multiples of 1/8, so rounding makes them exact"""
    inverse = np.linalg.inv(_powers(_MONOMIALS[kind], nodes_of(kind)))
    return np.round(8.0 * inverse) / 8.0


def shapes(kind: str, points: Floats) -> Floats:
    """(n, k) shape functions at points (n, 3) of the reference cell"""
    return _powers(_MONOMIALS[kind], points) @ _coefficients(kind)


def shape_gradients(kind: str, points: Floats) -> Floats:
    """(n, k, 3) derivatives of the shape functions by the reference coordinates"""
    return np.einsum("nea,ek->nka", _power_gradients(_MONOMIALS[kind], points), _coefficients(kind))


def stiffness_rule(kind: str) -> quadrature.Rule:
    """Rule for strain energy: exact for affine cells, without spurious modes, and enough in curved cells to keep the
    order of convergence (Ciarlet and Raviart 1972)."""
    return {
        "tet4": lambda: quadrature.tetrahedron(1),
        "tet10": lambda: quadrature.tetrahedron(2),
        "hex8": lambda: quadrature.cube(2),
        "hex20": lambda: quadrature.cube(3),
        "hex27": lambda: quadrature.cube(3),
        "wedge6": lambda: quadrature.wedge(2, 2),
        "wedge15": lambda: quadrature.wedge(4, 3),
    }[kind]()


def mass_rule(kind: str) -> quadrature.Rule:
    """Rule that integrates N_i N_j det J exactly for every shape of the cell."""
    return {
        "tet4": lambda: quadrature.tetrahedron(2),
        "tet10": lambda: quadrature.tetrahedron(7),
        "hex8": lambda: quadrature.cube(3),
        "hex20": lambda: quadrature.cube(5),
        "hex27": lambda: quadrature.cube(5),
        "wedge6": lambda: quadrature.wedge(3, 3),
        "wedge15": lambda: quadrature.wedge(8, 5),
    }[kind]()


def _stress_points(kind: str) -> Floats:
    """Points where stress is most accurate (Barlow 1976)."""
    return {
        "tet4": lambda: quadrature.tetrahedron(1),
        "tet10": lambda: quadrature.tetrahedron(2),
        "hex8": lambda: quadrature.cube(2),
        "hex20": lambda: quadrature.cube(2),
        "hex27": lambda: quadrature.cube(2),
        "wedge6": lambda: quadrature.wedge(1, 2),
        "wedge15": lambda: quadrature.wedge(2, 2),
    }[kind]()[0]


def _mass_samples(kind: str) -> tuple[Floats, Floats]:
    """Points (h, 3) where det J is sampled, and the (h, k, k) table of what each contributes to the mass."""
    points, weights = mass_rule(kind)
    N = shapes(kind, points)
    if kind != "tet10":
        return points, np.einsum("h,hi,hj->hij", weights, N, N)
    # det J of a tet10 is a cubic: 20 samples fix it, where the rule has 64 points.
    cubic = _of_tet(3)
    lattice = np.array(cubic) / 3.0
    basis = _powers(cubic, points) @ np.linalg.inv(_powers(cubic, lattice))
    return lattice, np.einsum("q,qh,qi,qj->hij", weights, basis, N, N)


def _inner_gradients(points: Floats, inner: bool) -> Floats:
    """(n, 3 or 0, 3) derivatives of the inner functions"""
    gradients = np.zeros((len(points), 3 if inner else 0, 3))
    for axis in range(3 if inner else 0):
        gradients[:, axis, axis] = -2.0 * points[:, axis]
    return gradients


@dataclass(frozen=True)
class Reference:
    """Tables of a kind of cell; g points of stiffness, h of mass, s of stress, k nodes, i inner functions."""

    kind: str
    gradients: Floats
    """(g, k, 3) derivatives of shape functions at the points of stiffness"""
    weights: Floats
    """(g,)"""
    inner: Floats
    """(g, i, 3) derivatives of the inner functions there"""
    centre: Floats
    """(k, 3) derivatives of shape functions at the centre of the cell, for the inner functions"""
    mass_gradients: Floats
    """(h, k, 3) derivatives at the points where det J is sampled for mass"""
    mass_table: Floats
    """(h, k, k) what det J = 1 at one point contributes to the mass of density 1"""
    stress_gradients: Floats
    """(s, k, 3) derivatives at the points of stress"""
    stress_inner: Floats
    """(s, i, 3)"""
    extrapolation: Floats
    """(k, s) values at the nodes from values at the points of stress"""

    @property
    def n_nodes(self) -> int:
        """Nodes of the cell."""
        return self.gradients.shape[1]


@cache
def reference(kind: str, incompatible: bool = False) -> Reference:
    """The tables of a kind; `incompatible` adds the inner functions of hex8."""
    points, weights = stiffness_rule(kind)
    samples, table = _mass_samples(kind)
    stress_points, inner = _stress_points(kind), incompatible and kind == "hex8"
    monomials = _STRESS_MONOMIALS[kind]
    extrapolation = _powers(monomials, nodes_of(kind)) @ np.linalg.inv(_powers(monomials, stress_points))
    return Reference(
        kind=kind,
        gradients=np.ascontiguousarray(shape_gradients(kind, points)),
        weights=np.ascontiguousarray(weights),
        inner=_inner_gradients(points, inner),
        centre=np.ascontiguousarray(shape_gradients(kind, nodes_of(kind).mean(axis=0)[None])[0]),
        mass_gradients=np.ascontiguousarray(shape_gradients(kind, samples)),
        mass_table=np.ascontiguousarray(table),
        stress_gradients=np.ascontiguousarray(shape_gradients(kind, stress_points)),
        stress_inner=_inner_gradients(stress_points, inner),
        extrapolation=np.ascontiguousarray(extrapolation),
    )
