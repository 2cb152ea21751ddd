"""Jacobians, volumes, moments and quality of solid cells, exact by Gauss quadrature for straight and curved ones.

A quadratic cell whose edges are straight and evenly divided has the geometry of the linear cell and is measured as
such, so that millions of cells take seconds. Quality is the scaled Jacobian [Knupp 2000]: at every corner
the volume of the unit tangents of its three edges, 1 for the regular cell, 0 for a flat one; the lowest corner counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.mesh import quadrature
from flexmb.mesh.kernels import mark_curved, measure_into
from flexmb.mesh.reference_cells import reference_nodes, shape_functions, shape_gradients
from flexmb.mesh.topology import NEIGHBOURS, family, is_quadratic, n_corners

LINEAR = {"tet": "tet4", "pyramid": "pyramid5", "wedge": "wedge6", "hex": "hex8"}
"""Family -> its cell type with straight edges"""
_POINTS = {"tet4": 2, "tet10": 4, "wedge6": 3, "wedge15": 5, "hex8": 3, "hex20": 5, "hex27": 5}
_POINTS |= {"pyramid5": 3, "pyramid13": 5}
"""Gauss points in each direction for exact second moments: degree of x^2 det J"""
_STIFFNESS_POINTS = {"tet4": 1, "tet10": 2, "wedge6": 2, "wedge15": 3, "hex8": 2, "hex20": 3, "hex27": 3}
_STIFFNESS_POINTS |= {"pyramid5": 2, "pyramid13": 3}
"""Gauss points in each direction that integrate the stiffness of the cell type: a cell must not be folded there"""
_REGULAR = {"tet": 2.0**0.5, "pyramid": 2.0**0.5, "wedge": 2.0 / 3.0**0.5, "hex": 1.0}
"""Factor that makes the quality 1 for the regular cell"""
_STRAIGHT = 1e-9
"""Deviation of a node from the straight cell that is ignored, relative to the extent of the cell"""


@dataclass(frozen=True)
class Measures:
    """Measures of n cells of one type."""

    volumes: Floats
    """(n,) [m^3]"""
    first: Floats
    """(3,) int x dV over all cells"""
    second: Floats
    """(3, 3) int x x' dV over all cells"""
    signs: Floats
    """(n, 3) lowest and highest det J inside, lowest at the nodes"""
    quality: Floats
    """(n,) scaled Jacobian"""

    @property
    def inverted(self) -> Flags:
        """Inside out: negative everywhere inside."""
        return self.signs[:, 1] < 0.0

    @property
    def folded(self) -> Flags:
        """Negative somewhere inside, positive elsewhere."""
        return (self.signs[:, 0] < 0.0) & ~self.inverted

    @property
    def folded_at_node(self) -> Flags:
        """Negative at a node, nowhere inside."""
        return (self.signs[:, 0] >= 0.0) & (self.signs[:, 2] < 0.0)


def measure(points: Floats, kind: str, nodes: Integers, *, with_moments: bool = True) -> Measures:
    """Measures of cells nodes : (n, k); without moments volumes and sums stay zero, which is faster."""
    points = np.ascontiguousarray(points, dtype=np.float64)
    nodes = np.ascontiguousarray(nodes, dtype=np.int64)
    n = len(nodes)
    volumes, sums, signs, quality = np.zeros(n), np.zeros(12), np.zeros((n, 3)), np.ones(n)
    for shape, rows in straight_and_curved(points, kind, nodes):
        name = family(shape)
        xi, weights = _rule(name, _POINTS[shape])
        if not with_moments:
            xi, weights = xi[:0], weights[:0]
        reference = reference_nodes(shape)
        neighbours = np.array(NEIGHBOURS[name])
        measure_into(
            points,
            nodes,
            rows,
            shape_functions(shape, xi),
            _gradients(shape, xi),
            weights,
            _gradients(shape, _rule(name, _STIFFNESS_POINTS[shape])[0]),
            _gradients(shape, reference),
            np.ascontiguousarray(reference[neighbours] - reference[: len(neighbours), None]),
            volumes,
            sums,
            signs,
            quality,
        )
    quality = np.minimum(_REGULAR[family(kind)] * quality, 1.0)
    return Measures(volumes, sums[:3], sums[3:].reshape(3, 3), signs, quality)


def _rule(name: str, n: int) -> quadrature.Rule:
    """Points and weights of a family, exact to degree 2 n - 1."""
    if name == "hex":
        return quadrature.cube(n)
    if name == "pyramid":
        return quadrature.pyramid(n, n)
    return quadrature.tetrahedron(2 * n - 1) if name == "tet" else quadrature.wedge(2 * n - 1, n)


def _gradients(kind: str, xi: Floats) -> Floats:
    """(p, 3, k) derivatives of the shape functions, as the kernel takes them."""
    return np.ascontiguousarray(shape_gradients(kind, xi).transpose(0, 2, 1))


def straight_and_curved(points: Floats, kind: str, nodes: Integers) -> list[tuple[str, Integers]]:
    """The cells sorted into (type that describes them, their numbers): straight quadratic ones count as linear."""
    if not is_quadratic(kind):
        return [(kind, np.arange(len(nodes)))]
    linear = LINEAR[family(kind)]
    curved = np.zeros(len(nodes), dtype=np.bool_)
    mark_curved(points, nodes, shape_functions(linear, reference_nodes(kind)[n_corners(kind) :]), _STRAIGHT, curved)
    groups = [(linear, np.flatnonzero(~curved)), (kind, np.flatnonzero(curved))]
    return [group for group in groups if len(group[1])]
