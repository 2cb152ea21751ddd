"""Surfaces with sharp edges: a mesh whose points are split where it has a crease, with normals that follow the bending.

Neighbouring triangles that meet at less than `CREASE` share the normals along their edge and look smooth; at a sharper
edge each has its own, and the edge is drawn as a line. This is computed once, on the undeformed mesh; the normals of a
frame are sums of the normals of the triangles around a point, weighted by area.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from flexmb.arrays import Flags, Floats, Integers

CREASE = 35.0
"""Angle between the normals of two triangles above which their edge is sharp [deg]"""


@dataclass(frozen=True)
class Surface:
    """A mesh with split points: v of them, t triangles, e sharp edges."""

    source: Integers
    """(v,) number of the point that each was split from"""
    triangles: Integers
    """(t, 3)"""
    edges: Integers
    """(e, 2)"""
    incidence: sparse.csr_array
    """(v, t) 1 where a point belongs to a triangle"""
    is_closed: bool
    """Whether it bounds a solid, with normals outwards: back sides are then never seen"""

    def normals(self, points: Floats) -> Floats:
        """(v, 3) unit normals of the surface through these (v, 3) points"""
        total: Floats = self.incidence @ _face_normals(points, self.triangles)
        return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)


def surface_of(points: Floats, triangles: Integers, weld: bool = True) -> Surface:
    """Split a mesh at its sharp edges; `weld` joins points at the same place, as STL files have them."""
    triangles = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    welded = _welded(points)[triangles] if weld and len(points) else triangles
    is_area = (welded != np.roll(welded, 1, axis=1)).all(axis=1)
    triangles, welded = triangles[is_area], welded[is_area]
    corners, partners = _neighbours(welded)
    flat = _face_normals(points, triangles)
    flat /= np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-300)
    cosine = np.sum(flat[corners[:, 0] // 3] * flat[partners[:, 0] // 3], axis=1)
    smooth = cosine > np.cos(np.radians(CREASE))
    n_corners = triangles.size
    joined = np.concatenate([corners[smooth], partners[smooth]], axis=1).reshape(-1, 2, 2)
    rows, columns = joined[:, 0].ravel(), joined[:, 1, ::-1].ravel()
    graph = sparse.coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(n_corners, n_corners))
    n_points, label = connected_components(graph, directed=False)
    source = np.empty(n_points, np.int64)
    source[label] = triangles.ravel()
    split = label.reshape(-1, 3).astype(np.int64)
    lonely = _lonely(welded, corners, partners)
    edges = split.ravel()[np.concatenate([corners[~smooth], lonely])]
    where = np.repeat(np.arange(len(split)), 3)
    incidence = sparse.csr_array((np.ones(n_corners), (split.ravel(), where)), shape=(n_points, len(split)))
    is_closed = not len(lonely) and _is_outward(points, triangles, partners)
    return Surface(source, split, edges.reshape(-1, 2), incidence, is_closed)


def _is_outward(points: Floats, triangles: Integers, partners: Integers) -> bool:
    """Whether all neighbours turn in the same sense, and the enclosed volume is positive"""
    volume = np.sum(_face_normals(points, triangles) * points[triangles[:, 0]])
    return bool(_is_ahead(partners).all() and volume > 0.0)


def _is_ahead(pairs: Integers) -> Flags:
    """(n,) whether the second corner of a pair follows the first in their triangle"""
    return (pairs[:, 0] + 1) % 3 == pairs[:, 1] % 3


def _face_normals(points: Floats, triangles: Integers) -> Floats:
    """(t, 3) normals, twice as long as the triangle has area"""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    (ux, uy, uz), (vx, vy, vz) = (b - a).T, (c - a).T
    return np.stack([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], axis=1)


def _welded(points: Floats) -> Integers:
    """(s,) the same number for points at the same place"""
    step = 1e-7 * max(float(np.ptp(points, axis=0).max()), 1e-30)
    return np.unique((points / step).round().astype(np.int64), axis=0, return_inverse=True)[1].ravel()


def _half_edges(triangles: Integers) -> tuple[Integers, Integers]:
    """(3 t, 2) corners (3 triangle + 0..2) at the two ends of every edge, and (3 t,) a number that neighbours share"""
    first = np.arange(triangles.size, dtype=np.int64).reshape(-1, 3)
    corners = np.stack([first, np.roll(first, -1, axis=1)], axis=2).reshape(-1, 2)
    ends = np.sort(triangles.ravel()[corners], axis=1)
    return corners, ends[:, 0] * (int(triangles.max(initial=0)) + 1) + ends[:, 1]


def _neighbours(triangles: Integers) -> tuple[Integers, Integers]:
    """(n, 2) and (n, 2): the corners of an edge as its two triangles number them, in opposite order"""
    corners, key = _half_edges(triangles)
    order = np.argsort(key, kind="stable")
    key = key[order]
    same = np.flatnonzero(key[1:] == key[:-1])
    first, second = corners[order[same]], corners[order[same + 1]]
    ends = triangles.ravel()
    # A neighbour with the same sense of turning (normals that disagree) lists the ends in the same order.
    turned = ends[first[:, 0]] == ends[second[:, 0]]
    second[turned] = second[turned, ::-1]
    return first, second


def _lonely(triangles: Integers, corners: Integers, partners: Integers) -> Integers:
    """(n, 2) edges of one triangle only: where an open surface ends"""
    every, _ = _half_edges(triangles)
    taken = np.zeros(triangles.size, dtype=bool)
    for pairs in (corners, partners):
        # The half edge of a triangle is named by its first corner: the one that the other follows.
        taken[np.where(_is_ahead(pairs), pairs[:, 0], pairs[:, 1])] = True
    return every[~taken]
