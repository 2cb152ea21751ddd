"""Deflection inside shell cells that their rotations ask for and their shape functions leave out.

Assumed transverse shear (`tables.py`) lets the rotations of a cell be those of a curved deflection, while the
displacements, and with them the mass, know only the shape functions. Along a line of nodes, r from -1 to 1, the shear
g = u,r . d + x,r . (th x d) of the displacements differs from the assumed one by the missing slope, so that

    two nodes      w = (1 - r^2)/4 (g_2 - g_1),    three nodes    w = (r - r^3)/6 (g_3 - 2 g_2 + g_1)

along the director d. It vanishes at the nodes and in rigid motions. For waves of number k in cells of length h its
kinetic energy is (k h)^2/6 of the whole in cells of two nodes along a line, twice the error of their strain energy.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.shell.assemble import ShellBlock, ShellData
from flexmb.elements.shell.tables import rule
from flexmb.mesh.topology import family

_SLOPES = np.array([[-1.5, 2.0, -0.5], [-0.5, 0.0, 0.5], [0.5, -2.0, 1.5]])
"""Derivatives by r at the three nodes of a line, by the values there"""
_SECOND = np.array([1.0, -2.0, 1.0])


@cache
def _lines(kind: str) -> tuple[Integers, Floats]:
    """(l, 2 or 3) nodes of the lines of a cell, and (g, l) functions w of a unit difference at the points g"""
    points = rule(kind)[0]
    if family(kind) == "tri":
        a = np.stack([1.0 - points.sum(axis=1), *points.T], axis=1)
        ends = [(0, 1), (1, 2), (2, 0)]
        low = np.stack([a[:, i] * a[:, j] for i, j in ends], axis=1)
        if kind == "tri3":
            return np.array(ends), low
        turn = np.stack([a[:, j] - a[:, i] for i, j in ends], axis=1)
        return np.array([(0, 3, 1), (1, 4, 2), (2, 5, 0)]), turn * 4.0 * low / 6.0
    found = []
    for x, y in (points.T, points.T[::-1]):
        if kind == "quad4":
            found += [(1.0 - x**2) / 4.0 * f for f in (0.5 * (1.0 - y), 0.5 * (1.0 + y))]
        else:
            found += [(x - x**3) / 6.0 * f for f in (0.5 * y * (y - 1.0), 1.0 - y**2, 0.5 * y * (y + 1.0))]
    if kind == "quad4":
        return np.array([(0, 1), (3, 2), (0, 3), (1, 2)]), np.stack(found, axis=1)
    lines = [(0, 4, 1), (7, 8, 5), (3, 6, 2), (0, 7, 3), (4, 8, 6), (1, 5, 2)]
    return np.array(lines), np.stack(found, axis=1)


def inner_energy(points: Floats, block: ShellBlock, data: ShellData, U: Floats, areas: Floats) -> Floats:
    """(m,) integral of density (|u + w|^2 - |u|^2) over the cells of a block, for the columns of U : (3 b, m)

    areas : (cells, g) of the points of integration
    """
    lines, functions = _lines(block.tables.kind)
    nodes = block.chunks.nodes.astype(np.int64)
    blocks = U.reshape(-1, 3, U.shape[1])
    u, th = blocks[nodes], blocks[data.rotation[nodes]]
    d = block.directors
    swept = np.cross(th, d[..., None], axisa=2, axisb=2, axisc=2)
    weights = np.array([[-0.5, 0.5], [-0.5, 0.5]]) if lines.shape[1] == 2 else _SLOPES
    slope_u = np.einsum("ij,cljam->cliam", weights, u[:, lines])
    slope_x = np.einsum("ij,clja->clia", weights, points[nodes][:, lines])
    shear = np.einsum("cliam,clia->clim", slope_u, d[:, lines])
    shear += np.einsum("cliam,clia->clim", swept[:, lines], slope_x)
    difference = shear[:, :, 1] - shear[:, :, 0] if lines.shape[1] == 2 else np.einsum("clim,i->clm", shear, _SECOND)
    w = np.einsum("gl,clm->cgm", functions, difference)
    moved = np.einsum("gk,ckam,cka->cgm", block.tables.N, u, d)
    mass = np.array([section.area_density for section in data.sections])
    return np.asarray(np.einsum("cg,cgm,cgm,c->m", areas, 2.0 * moved + w, w, mass[block.section], optimize=True))
