"""Compiled loops over solid cells: Jacobians, volumes, moments, quality.

Shape functions and their gradients at points of the reference cell enter as tables, so that one compilation serves all
cell types. Nodes: (n, k); tables: values (p, k), gradients (p, 3, k).
"""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import b1, f8, i8, void


@array_kernel(void(f8[:, ::1], i8[:, ::1], f8[:, ::1], f8, b1[::1]))
def mark_curved(points, nodes, N, tolerance, curved):
    """Set curved[i]: whether a node of cell i after its corners is off its place in the linear cell.

    N : (k - c, c) linear shape functions at these nodes, of c corners; tolerance: against the extent of the cell.
    """
    n_rest, n_corners = N.shape
    for i in range(len(nodes)):
        extent, off = 0.0, 0.0
        for d in range(3):
            low = high = points[nodes[i, 0], d]
            for a in range(1, n_corners):
                x = points[nodes[i, a], d]
                low, high = min(low, x), max(high, x)
            extent = max(extent, high - low)
            for b in range(n_rest):
                x = points[nodes[i, n_corners + b], d]
                for a in range(n_corners):
                    x -= N[b, a] * points[nodes[i, a], d]
                off = max(off, abs(x))
        curved[i] = not off <= tolerance * extent


@kernel
def _jacobian_into(x, gradients, p, J):
    """Write J[d, e] = dx_d/dxi_e at point p of the table; returns its determinant."""
    for d in range(3):
        for e in range(3):
            total = 0.0
            for a in range(len(x)):
                total += x[a, d] * gradients[p, e, a]
            J[d, e] = total
    return (
        J[0, 0] * (J[1, 1] * J[2, 2] - J[1, 2] * J[2, 1])
        + J[0, 1] * (J[1, 2] * J[2, 0] - J[1, 0] * J[2, 2])
        + J[0, 2] * (J[1, 0] * J[2, 1] - J[1, 1] * J[2, 0])
    )


@kernel
def _corner_quality(J, determinant, edges):
    """Volume of the unit tangents of the three edges that leave a corner; edges : (3, 3), one direction per row.

    The determinant of the directions is positive, so the sign is that of the Jacobian.
    """
    lengths = 1.0
    for k in range(3):
        square = 0.0
        for d in range(3):
            t = J[d, 0] * edges[k, 0] + J[d, 1] * edges[k, 1] + J[d, 2] * edges[k, 2]
            square += t * t
        lengths *= np.sqrt(square)
    turn = (
        edges[0, 0] * (edges[1, 1] * edges[2, 2] - edges[1, 2] * edges[2, 1])
        + edges[0, 1] * (edges[1, 2] * edges[2, 0] - edges[1, 0] * edges[2, 2])
        + edges[0, 2] * (edges[1, 0] * edges[2, 1] - edges[1, 1] * edges[2, 0])
    )
    return determinant * turn / lengths if lengths > 0.0 else 0.0


@array_kernel(
    void(
        f8[:, ::1],
        i8[:, ::1],
        i8[::1],
        f8[:, ::1],
        f8[:, :, ::1],
        f8[::1],
        f8[:, :, ::1],
        f8[:, :, ::1],
        f8[:, :, ::1],
        f8[::1],
        f8[::1],
        f8[:, ::1],
        f8[::1],
    )
)
def measure_into(points, nodes, rows, N, dN, weights, inner, outer, edges, volumes, sums, signs, quality):
    """Measure the cells `rows`, whose first k nodes describe them.

    N, dN, weights: quadrature of volume and moments; inner: gradients where the Jacobian must be positive; outer: those
    at the nodes, corners first; edges : (corners, 3, 3). Out: volumes[i]; sums : (12,) int x dV, int x x' dV;
    signs[i] = lowest and highest det J at inner points, lowest at nodes; quality[i] = lowest over the corners.
    """
    k = dN.shape[2]
    x, J, place = np.empty((k, 3)), np.empty((3, 3)), np.empty(3)
    for r in range(len(rows)):
        i = rows[r]
        for a in range(k):
            for d in range(3):
                x[a, d] = points[nodes[i, a], d]
        volume = 0.0
        for p in range(len(weights)):
            dV = weights[p] * _jacobian_into(x, dN, p, J)
            volume += dV
            for d in range(3):
                place[d] = 0.0
                for a in range(k):
                    place[d] += N[p, a] * x[a, d]
            for d in range(3):
                sums[d] += place[d] * dV
                for e in range(3):
                    sums[3 + 3 * d + e] += place[d] * place[e] * dV
        volumes[i] = volume
        low, high, at_node, worst = np.inf, -np.inf, np.inf, 1.0
        for p in range(len(inner)):
            determinant = _jacobian_into(x, inner, p, J)
            low, high = min(low, determinant), max(high, determinant)
        for p in range(len(outer)):
            determinant = _jacobian_into(x, outer, p, J)
            at_node = min(at_node, determinant)
            if p < len(edges):
                worst = min(worst, _corner_quality(J, determinant, edges[p]))
        signs[i, 0], signs[i, 1], signs[i, 2] = low, high, at_node
        quality[i] = worst
