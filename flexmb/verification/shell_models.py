"""Shell meshes of the published cases, made in code, and their statics and modes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh, splu

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.mesh.mesh import Cells, Mesh

KINDS = ("quad4", "quad9", "tri3", "tri6")
Surface = Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]
"""(r, s) from 0 to 1 -> x, y, z"""


def sheet(kind: str, cells: tuple[int, int], surface: Surface) -> tuple[Mesh, Integers]:
    """A mapped sheet of cells, and its nodes as a grid (along r, along s); triangles are halves of quadrilaterals."""
    step = 1 if kind in ("quad4", "tri3") else 2
    count = [step * n + 1 for n in cells]
    r, s = np.meshgrid(np.linspace(0.0, 1.0, count[0]), np.linspace(0.0, 1.0, count[1]), indexing="ij")
    points = np.stack(surface(r.ravel(), s.ravel()), axis=1)
    grid = np.arange(r.size).reshape(count)
    i, j = (step * part.ravel() for part in np.meshgrid(*(np.arange(n) for n in cells), indexing="ij"))

    def at(*places: tuple[float, float]) -> Integers:
        return np.stack([grid[i + int(a * step), j + int(b * step)] for a, b in places], axis=1)

    corners: list[tuple[float, float]] = [(0, 0), (1, 0), (1, 1), (0, 1)]
    middles: list[tuple[float, float]] = [(0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)]
    if kind == "quad4":
        nodes = at(*corners)
    elif kind == "quad9":
        nodes = at(*corners, *middles, (0.5, 0.5))
    else:
        low, high = [corners[i] for i in (0, 1, 2)], [corners[i] for i in (0, 2, 3)]
        if kind == "tri6":
            low, high = [*low, (0.5, 0), (1, 0.5), (0.5, 0.5)], [*high, (0.5, 0.5), (0.5, 1), (0, 0.5)]
        nodes = np.concatenate([at(*low), at(*high)])
    return Mesh(points, (Cells(kind, nodes),)), grid


def held(model: FEModel, supports: Iterable[tuple[Integers, str]]) -> np.ndarray:
    """Whether each unknown is free; supports are nodes and what they hold: x y z displacements, X Y Z rotations"""
    free = np.ones(3 * model.n_blocks, dtype=bool)
    turning = np.full(len(model.points), -1)
    turning[model.rotations] = len(model.points) + np.arange(len(model.rotations))
    for nodes, letters in supports:
        for letter in letters:
            block = np.ravel(nodes) if letter in "xyz" else turning[np.ravel(nodes)]
            free[3 * block + "xyzXYZ".index(letter) % 3] = False
    return free


def deflection(model: FEModel, free: np.ndarray, force: Floats) -> Floats:
    """Static displacements of all unknowns."""
    u = np.zeros(len(force))
    u[free] = splu(sparse.csc_array(model.K)[free][:, free]).solve(force[free])
    return u


def frequencies(model: FEModel, free: np.ndarray, count: int, mass: Any = None) -> Floats:
    """Lowest frequencies [Hz], by SciPy; a free body is shifted off its rigid motions."""
    K = sparse.csc_array(model.K)[free][:, free]
    M = sparse.csc_array(model.M if mass is None else mass)[free][:, free]
    shift = 0.0 if not free.all() else -1.0
    values = eigsh(K, count, M, sigma=shift, which="LM", return_eigenvectors=False)
    return np.asarray(np.sqrt(np.maximum(np.sort(values), 0.0)) / (2.0 * np.pi))


def point_force(model: FEModel, node: int, force: tuple[float, float, float]) -> Floats:
    """(3 b,) a force on a node"""
    loads = np.zeros(3 * model.n_blocks)
    loads[3 * node : 3 * node + 3] = force
    return loads
