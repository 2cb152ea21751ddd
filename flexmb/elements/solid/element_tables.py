"""Tables of the integrals over a solid element, on its reference cell.

Stiffness is integrated at the points of a rule that is exact for straight, affine cells. The mass of a curved cell is
sum over h of det J(h) times a table of its shape products, exact for every shape that the cell can take: det J is a
polynomial too (degree 3 in tet10, at most 5 in each direction of hex20; in a, b, c of `reference_cells` for pyramids).

Incompatible modes of hex8 (Wilson 1973; Taylor, Beresford and Wilson 1976): three inner functions 1 - r^2, 1 - s^2,
1 - t^2, here through their derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from flexmb.arrays import Floats
from flexmb.mesh import quadrature
from flexmb.mesh.reference_cells import (
    Exponents,
    cube_exponents,
    monomials,
    reference_nodes,
    shape_functions,
    shape_gradients,
    tetrahedron_exponents,
    wedge_exponents,
)

_STRESS_EXPONENTS: dict[str, Exponents] = {
    "tet4": tetrahedron_exponents(0),
    "tet10": tetrahedron_exponents(1),
    "hex8": cube_exponents(1),
    "hex20": cube_exponents(1),
    "hex27": cube_exponents(1),
    "pyramid5": tetrahedron_exponents(0),
    "pyramid13": tetrahedron_exponents(1),
    "wedge6": wedge_exponents(0, 1, 1),
    "wedge15": wedge_exponents(1, 1, 2),
}


def stiffness_rule(kind: str) -> quadrature.Rule:
    """Rule for strain energy: exact for affine cells, without spurious modes, and enough in curved cells to keep the
    order of convergence (Ciarlet and Raviart 1972)."""
    return {
        "tet4": lambda: quadrature.tetrahedron(1),
        "tet10": lambda: quadrature.tetrahedron(2),
        "hex8": lambda: quadrature.cube(2),
        "hex20": lambda: quadrature.cube(3),
        "hex27": lambda: quadrature.cube(3),
        "pyramid5": lambda: quadrature.pyramid(2, 1),
        "pyramid13": lambda: quadrature.pyramid(3, 2),
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
        "pyramid5": lambda: quadrature.pyramid(3, 2),
        "pyramid13": lambda: quadrature.pyramid(5, 4),
        "wedge6": lambda: quadrature.wedge(3, 3),
        "wedge15": lambda: quadrature.wedge(8, 5),
    }[kind]()


def stress_points(kind: str) -> Floats:
    """Points where stress is most accurate (Barlow 1976)."""
    return {
        "tet4": lambda: quadrature.tetrahedron(1),
        "tet10": lambda: quadrature.tetrahedron(2),
        "hex8": lambda: quadrature.cube(2),
        "hex20": lambda: quadrature.cube(2),
        "hex27": lambda: quadrature.cube(2),
        "pyramid5": lambda: quadrature.pyramid(1, 1),
        "pyramid13": lambda: quadrature.pyramid(2, 2),
        "wedge6": lambda: quadrature.wedge(1, 2),
        "wedge15": lambda: quadrature.wedge(2, 2),
    }[kind]()[0]


def _mass_samples(kind: str) -> tuple[Floats, Floats]:
    """Points (h, 3) where det J is sampled, and the (h, k, k) table of their contributions to the mass."""
    points, weights = mass_rule(kind)
    N = shape_functions(kind, points)
    if kind != "tet10":
        return points, np.einsum("h,hi,hj->hij", weights, N, N)
    # det J of a tet10 is a cubic: 20 samples fix it, where the rule has 64 points.
    cubic = tetrahedron_exponents(3)
    lattice = np.array(cubic) / 3.0
    basis = monomials(cubic, points) @ np.linalg.inv(monomials(cubic, lattice))
    return lattice, np.einsum("q,qh,qi,qj->hij", weights, basis, N, N)


def _inner_gradients(points: Floats, inner: bool) -> Floats:
    """(n, 3 or 0, 3) derivatives of the inner functions"""
    gradients = np.zeros((len(points), 3 if inner else 0, 3))
    for axis in range(3 if inner else 0):
        gradients[:, axis, axis] = -2.0 * points[:, axis]
    return gradients


@dataclass(frozen=True)
class ElementTables:
    """Tables of a cell type; g points of stiffness, h of mass, s of stress, k nodes, i inner functions."""

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
    """(h, k, k) contribution of det J = 1 at one point to the mass of density 1"""
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
def element_tables(kind: str, incompatible: bool = False) -> ElementTables:
    """The tables of a cell type; `incompatible` adds the inner functions of hex8."""
    points, weights = stiffness_rule(kind)
    samples, table = _mass_samples(kind)
    places, inner = stress_points(kind), incompatible and kind == "hex8"
    exponents = _STRESS_EXPONENTS[kind]
    # The pyramid with 13 nodes has more points than coefficients: least squares.
    extrapolation = monomials(exponents, reference_nodes(kind)) @ np.linalg.pinv(monomials(exponents, places))
    return ElementTables(
        kind=kind,
        gradients=np.ascontiguousarray(shape_gradients(kind, points)),
        weights=np.ascontiguousarray(weights),
        inner=_inner_gradients(points, inner),
        centre=np.ascontiguousarray(shape_gradients(kind, reference_nodes(kind).mean(axis=0)[None])[0]),
        mass_gradients=np.ascontiguousarray(shape_gradients(kind, samples)),
        mass_table=np.ascontiguousarray(table),
        stress_gradients=np.ascontiguousarray(shape_gradients(kind, places)),
        stress_inner=_inner_gradients(places, inner),
        extrapolation=np.ascontiguousarray(extrapolation),
    )
