"""Tables of shell cells on their reference cells: shape functions, points of integration, and assumed strains.

A shell that is too stiff in bending (locking) is cured by interpolating its strains from a few tying points (mixed
interpolation of tensorial components, MITC). Components of strain in the directions r, s of the cell are
rr, ss, rs (twice), rz, sz (twice), z along the director. Formulations and sources:

    quad4  rz, sz tied at the middles of edges (Dvorkin and Bathe 1984); rr, ss, rs as displacements give them
    quad9  rr, rz at 2 x 3, ss, sz at 3 x 2, rs at 2 x 2 points (Bucalem and Bathe 1993). Distorted cells would fail the
           patch test: the mean strains of a cell, in the axes of its material, are made those of the displacements
    tri3   rz, sz from the middles of the three edges, equal in all directions (MITC3; Lee and Bathe 2004)
    tri6   rr, ss and the strain along the third edge linear from three points each; rz, sz from two points of every
           edge and the centre (MITC6a; Lee and Bathe 2004). It converges with h^2 like the linear cells, nearer to the
           answer

A quad8 cell has a ninth node in its middle when it comes here (`cells.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from flexmb.arrays import Floats
from flexmb.mesh import quadrature
from flexmb.mesh.topology import family

RR, SS, RS, RZ, SZ = range(5)
_EDGE = 0.5 / np.sqrt(3.0)
"""Distance of the Gauss points of an edge of the triangle from its middle"""
_OUTER = np.sqrt(0.6)
_INNER = 1.0 / np.sqrt(3.0)


@dataclass(frozen=True)
class ShellTables:
    """Everything about a cell type that does not depend on the cell."""

    kind: str
    weights: Floats
    """(g,) of the points of integration"""
    N: Floats
    """(g, k) shape functions at the points of integration"""
    dN: Floats
    """(g, k, 2) their derivatives by r and s"""
    tied_N: Floats
    """(t, k) shape functions at the tying points, and after them (quad9) at the points of integration"""
    tied_dN: Floats
    """(t, k, 2)"""
    tie: Floats
    """(g, 5, ties, 5) strain c at point g by strain e at tying point t"""
    drill_N: Floats
    """(h, k) shape functions where the drilling rotation follows the displacements"""
    drill_dN: Floats
    """(h, k, 2)"""
    drill_weights: Floats
    corner_values: Floats
    """(k, g) values at the nodes of the function of low degree that is nearest to given values at the points g"""


@cache
def shell_tables(kind: str) -> ShellTables:
    """The tables of tri3, tri6, quad4 or quad9."""
    points, weights = rule(kind)
    samples, tie = _tying(kind, points)
    if kind == "quad9":
        samples = np.concatenate([samples, points])
    drill, drill_weights = _drilling_rule(kind)
    return ShellTables(
        kind,
        weights,
        *shape(kind, points),
        *shape(kind, samples),
        tie,
        *shape(kind, drill),
        drill_weights,
        _to_nodes(kind, points),
    )


def rule(kind: str) -> quadrature.Rule:
    """Points of integration and their weights."""
    if family(kind) == "tri":
        return quadrature.triangle(2 if kind == "tri3" else 4)
    count = 2 if kind == "quad4" else 3
    return quadrature.product(quadrature.gauss(count), quadrature.gauss(count))


def _drilling_rule(kind: str) -> quadrature.Rule:
    if family(kind) == "tri":
        return quadrature.triangle(1)
    count = 1 if kind == "quad4" else 2
    return quadrature.product(quadrature.gauss(count), quadrature.gauss(count))


def reference_nodes(kind: str) -> Floats:
    """(k, 2) nodes of the reference cell in the order of VTK"""
    if family(kind) == "tri":
        corners = np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])
    else:
        corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    if kind in ("tri3", "quad4"):
        return corners
    middles = 0.5 * (corners + np.roll(corners, -1, axis=0))
    centre = [np.zeros((1, 2))] if kind == "quad9" else []
    return np.concatenate([corners, middles, *centre])


def _powers(kind: str) -> list[tuple[int, int]]:
    degree = 1 if kind in ("tri3", "quad4") else 2
    pairs = [(i, j) for i in range(degree + 1) for j in range(degree + 1)]
    return [(i, j) for i, j in pairs if i + j <= degree] if family(kind) == "tri" else pairs


def shape(kind: str, points: Floats) -> tuple[Floats, Floats]:
    """(n, k) shape functions and (n, k, 2) derivatives at points (n, 2)"""
    powers = np.array(_powers(kind))
    coefficients = np.linalg.inv(_monomials(powers, reference_nodes(kind)))
    coefficients = np.round(8.0 * coefficients) / 8.0
    slopes = []
    for axis in range(2):
        lowered = powers.copy()
        lowered[:, axis] = np.maximum(lowered[:, axis] - 1, 0)
        slopes.append((powers[:, axis] * _monomials(lowered, points)) @ coefficients)
    return _monomials(powers, points) @ coefficients, np.stack(slopes, axis=2)


def _monomials(powers: np.ndarray, points: Floats) -> Floats:
    return points[:, :1] ** powers[:, 0] * points[:, 1:] ** powers[:, 1]


def _to_nodes(kind: str, points: Floats) -> Floats:
    """(k, g) least-squares fit of 1, r, s (and r s) through the points of integration, at the nodes"""
    powers = np.array([(0, 0), (1, 0), (0, 1)] + ([(1, 1)] if family(kind) == "quad" else []))
    return _monomials(powers, reference_nodes(kind)) @ np.linalg.pinv(_monomials(powers, points))


Basis = Callable[[Floats], Floats]
"""points (n, 2) -> (n, functions, 5) strains that the assumed field may have"""


@dataclass(frozen=True)
class _Ties:
    """One assumed field: its functions, and the components that must agree at points."""

    basis: Basis
    conditions: Sequence[tuple[tuple[float, float], Floats]]
    """Points and the (5,) weights of the component that is tied there"""


def _tying(kind: str, points: Floats) -> tuple[Floats, Floats]:
    """Tying points (t, 2) and the table (g, 5, t, 5) from the strains there to those at the points of integration"""
    places: list[tuple[float, float]] = []
    entries: list[tuple[Floats, list[int], list[Floats]]] = []
    for tie in {"quad4": _quad4, "quad9": _quad9, "tri3": _tri3, "tri6": _tri6}[kind](points):
        at = np.array([place for place, _ in tie.conditions])
        chosen = np.array([weights for _, weights in tie.conditions])
        system = np.einsum("nc,nfc->nf", chosen, tie.basis(at))
        # (g, 5, n): field at the points by the tied components
        field = np.einsum("gfc,fn->gcn", tie.basis(points), np.linalg.inv(system))
        numbers = []
        for place, _ in tie.conditions:
            if place not in places:
                places.append(place)
            numbers.append(places.index(place))
        entries.append((field, numbers, list(chosen)))
    table = np.zeros((len(points), 5, len(places), 5))
    for field, numbers, chosen_rows in entries:
        for n, (number, row) in enumerate(zip(numbers, chosen_rows, strict=True)):
            table[:, :, number] += field[:, :, n, None] * row
    table[np.abs(table) < 1e-14] = 0.0
    return np.array(places), table


def _unit(component: int) -> Floats:
    return np.eye(5)[component]


def _one(component: int, powers: Sequence[tuple[int, int]]) -> Basis:
    """Functions r^i s^j in one component"""

    def basis(points: Floats) -> Floats:
        return _monomials(np.array(powers), points)[:, :, None] * _unit(component)

    return basis


def _grid(component: int, r: Sequence[float], s: Sequence[float]) -> _Ties:
    """A component that is interpolated from the points of a grid"""
    places = [(float(a), float(b)) for a in r for b in s]
    powers = [(i, j) for i in range(len(r)) for j in range(len(s))]
    return _Ties(_one(component, powers), [(place, _unit(component)) for place in places])


def _quad4(points: Floats) -> list[_Ties]:
    direct = [_direct(component, points) for component in (RR, SS, RS)]
    return [*direct, _grid(RZ, [0.0], [-1.0, 1.0]), _grid(SZ, [-1.0, 1.0], [0.0])]


def _quad9(points: Floats) -> list[_Ties]:
    two, three = [-_INNER, _INNER], [-_OUTER, 0.0, _OUTER]
    along_r = [_grid(component, two, three) for component in (RR, RZ)]
    along_s = [_grid(component, three, two) for component in (SS, SZ)]
    return [*along_r, *along_s, _grid(RS, two, two)]


def _along_edges(
    shear: bool, places: Sequence[Sequence[tuple[float, float]]]
) -> list[tuple[tuple[float, float], Floats]]:
    """The component along each of the edges s = 0, r = 0 and r + s = 1 at its points"""
    along = (_unit(RZ), _unit(SZ), _unit(SZ) - _unit(RZ))
    if not shear:
        along = (_unit(RR), _unit(SS), 0.5 * (_unit(RR) + _unit(SS) - _unit(RS)))
    return [(place, row) for row, part in zip(along, places, strict=True) for place in part]


def _tri3(points: Floats) -> list[_Ties]:
    def shear(at: Floats) -> Floats:
        """Constant, and turning about the centre: (s, -r)"""
        found = np.zeros((len(at), 3, 5))
        found[:, 0, RZ], found[:, 1, SZ] = 1.0, 1.0
        found[:, 2, RZ], found[:, 2, SZ] = at[:, 1], -at[:, 0]
        return found

    middles = [[(0.5, 0.0)], [(0.0, 0.5)], [(0.5, 0.5)]]
    direct = [_direct(component, points) for component in (RR, SS, RS)]
    return [*direct, _Ties(shear, _along_edges(True, middles))]


def _direct(component: int, points: Floats) -> _Ties:
    """A component as displacements give it at the points of integration"""
    places = [(float(a), float(b)) for a, b in points]

    def basis(at: Floats) -> Floats:
        near = np.array([[np.hypot(*(p - np.array(place))) < 1e-12 for place in places] for p in at])
        return near[:, :, None] * _unit(component)

    return _Ties(basis, [(place, _unit(component)) for place in places])


def _tri6(points: Floats) -> list[_Ties]:
    low, high, far = 0.5 - _EDGE, 0.5 + _EDGE, _INNER

    def membrane(at: Floats) -> Floats:
        """rr, ss and the strain along r + s = 1, each linear; rs (twice) = rr + ss - 2 (that strain)"""
        found = np.zeros((len(at), 9, 5))
        for j, values in enumerate((np.ones(len(at)), at[:, 0], at[:, 1])):
            found[:, j, RR] = found[:, j, RS] = values
            found[:, 3 + j, SS] = found[:, 3 + j, RS] = values
            found[:, 6 + j, RS] = -2.0 * values
        return found

    def shear(at: Floats) -> Floats:
        """Linear, and linear times (s, -r)"""
        r, s = at.T
        found = np.zeros((len(at), 8, 5))
        for j, values in enumerate((np.ones(len(at)), r, s)):
            found[:, j, RZ] = found[:, 3 + j, SZ] = values
        for j, values in enumerate((r, s)):
            found[:, 6 + j, RZ], found[:, 6 + j, SZ] = values * s, -values * r
        return found

    third = 1.0 / 3.0
    edges = [[(low, 0.0), (high, 0.0)], [(0.0, low), (0.0, high)], [(high, low), (low, high)]]
    inner = [[(low, far)], [(far, low)], [(low, low)]]
    both = [[*edge, *point] for edge, point in zip(edges, inner, strict=True)]
    centre = [((third, third), _unit(RZ)), ((third, third), _unit(SZ))]
    return [
        _Ties(membrane, _along_edges(False, both)),
        _Ties(shear, [*_along_edges(True, edges), *centre]),
    ]
