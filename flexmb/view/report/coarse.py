"""Coarser surfaces: points in the same cell of a grid are merged into one of them.

Only points of the surface itself are kept, so that data at the points stay valid.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats, Integers


def coarse_surface(points: Floats, triangles: Integers, along: int) -> tuple[Integers, Integers]:
    """Numbers of the points that are kept, and triangles between them; `along`: cells along the longest side."""
    low = points.min(axis=0)
    extent = points.max(axis=0) - low
    # At least two cells across, so that a slender body keeps its thickness.
    counts = np.clip(np.round(along * extent / max(extent.max(), 1e-300)), 2, along)
    cell = np.minimum((points - low) / np.where(extent > 0.0, extent, 1.0) * counts, counts - 1).astype(np.int64)
    _, cluster = np.unique(cell, axis=0, return_inverse=True)
    cluster = cluster.ravel()
    n = int(cluster.max()) + 1
    sizes = np.bincount(cluster, minlength=n)
    middle = np.stack([np.bincount(cluster, points[:, k], n) / sizes for k in range(3)], axis=1)
    distance = np.linalg.norm(points - middle[cluster], axis=1)
    order = np.lexsort((distance, cluster))
    kept = order[np.concatenate([[0], np.cumsum(sizes)[:-1]])]
    corners = cluster[triangles]
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
    return kept.astype(np.int64), corners[np.sort(first)]
