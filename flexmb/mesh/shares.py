"""Share of a surface that belongs to each of some nodes."""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.surface import outer_surface, shell_triangles


def node_triangles(mesh: Mesh) -> Integers:
    """(t, 3) triangles of the outer surface and of shells."""
    return np.concatenate([outer_surface(mesh)[0], shell_triangles(mesh)])


def node_shares(mesh: Mesh, triangles: Integers, nodes: Integers) -> Floats | None:
    """(nodes,) area of the outer surface that belongs to each node; None if they contain no face"""
    inside = np.zeros(mesh.n_points, dtype=bool)
    inside[nodes] = True
    part = triangles[inside[triangles].all(axis=1)]
    if not len(part):
        return None
    a, b, c = (mesh.points[part[:, i]] for i in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    share = np.zeros(mesh.n_points)
    for i in range(3):
        np.add.at(share, part[:, i], area / 3.0)
    found = share[nodes]
    return found if found.min() > 0.0 else None
