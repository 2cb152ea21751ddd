"""The finite element problems: bars of tet10 cells, the same arrays for every code.

A bar is a lattice of boxes, each cut into six tetrahedra along its diagonal (Kuhn), with nodes in the middle of all
edges. Its points are moved by a displacement of second degree where curved cells are wanted; straight ones are the best
case of the peers, which have short cuts for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from flexmb.arrays import Floats, Integers

E, NU, DENSITY = 2e11, 0.3, 7870.0
EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
"""Corners of the edges on which nodes 4 to 9 of a tet10 lie (VTK order)"""


class Arrays(NamedTuple):
    """A mesh as every code gets it."""

    straight: Floats
    """(n, 3) points before they are moved [m]"""
    cells: Integers
    """(c, 10) nodes of the cells"""
    curvature: float

    @property
    def points(self) -> Floats:
        """(n, 3) [m]"""
        return self.straight + self.curvature * self.bent()

    def bent(self) -> Floats:
        """(n, 3) the displacement `bent` of the points"""
        return np.stack(bent(*self.straight.T), axis=1)

    def corners(self) -> tuple[Floats, Integers]:
        """Points that are corners, before they are moved, and the cells by their numbers: (c, 4)."""
        used, numbers = np.unique(self.cells[:, :4], return_inverse=True)
        return self.straight[used], numbers.reshape(-1, 4)


@dataclass(frozen=True)
class Bar:
    """A bar of counts boxes with edges of `edge` [m], along z."""

    counts: tuple[int, int, int]
    edge: float = 0.01
    curvature: float = 0.0
    """Factor of the displacement `bent` that the points are moved by [1/m]"""

    @property
    def n_nodes(self) -> int:
        return int(np.prod(2 * np.array(self.counts) + 1))

    def arrays(self) -> Arrays:
        """Points and cells."""
        fine = 2 * np.array(self.counts) + 1
        place = np.stack(np.meshgrid(*(np.arange(n) for n in fine), indexing="ij"), axis=-1).reshape(-1, 3)
        lows = (2 * np.stack(np.meshgrid(*(np.arange(n) for n in self.counts), indexing="ij"), axis=-1)).reshape(
            -1, 1, 3
        )
        cells = []
        for order in permutations(range(3)):
            corners = np.zeros((4, 3), dtype=np.int64)
            for step, axis in enumerate(order):
                corners[step + 1 :, axis] = 2
            if np.linalg.det(corners[1:] - corners[0]) < 0:
                corners[[1, 2]] = corners[[2, 1]]
            nodes = np.concatenate([corners, [(corners[a] + corners[b]) // 2 for a, b in EDGES]])
            cells.append((lows + nodes) @ np.array([fine[1] * fine[2], fine[2], 1]))
        return Arrays(place * (self.edge / 2), np.concatenate(cells), self.curvature)

    def ends(self) -> tuple[Integers, Integers]:
        """Nodes of the two end faces."""
        layer = np.arange(self.n_nodes) % (2 * self.counts[2] + 1)
        return np.flatnonzero(layer == 0), np.flatnonzero(layer == 2 * self.counts[2])


ASSEMBLY = Bar((10, 10, 113))
"""100,107 nodes"""
CURVED = Bar((10, 10, 113), curvature=0.05)
CRAIG_BAMPTON = Bar((4, 4, 60))
"""9801 nodes"""
MODES = {"30k": Bar((4, 4, 60)), "100k": Bar((7, 7, 75)), "300k": Bar((10, 10, 113)), "1M": Bar((14, 14, 198))}
"""By the number of unknowns"""
BLOCK = Bar((28, 28, 29))
"""575,073 unknowns, nearly a cube: of all bodies of this size the one with the largest factor"""
SMALL = Bar((2, 2, 20))
"""For quick runs"""
WARM_UP = Bar((1, 1, 2))


def bent(x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """A displacement of second degree, which quadratic cells hold exactly: its strain energy compares the codes."""
    return x * y + z * z, y * z - x * x, z * x + 2 * y * y


def write_arrays(bar: Bar, folder: Path) -> Path:
    path = folder / f"bar_{'_'.join(map(str, bar.counts))}_{bar.curvature:g}.npz"
    if not path.exists():
        np.savez(path, **bar.arrays()._asdict())
    return path


def read_arrays(path: str) -> Arrays:
    with np.load(path, allow_pickle=False) as data:
        return Arrays(data["straight"], data["cells"], float(data["curvature"]))


class CraigBampton(NamedTuple):
    """A body held at the nodes of its two ends, as matrices."""

    points: Floats
    stiffness: Any
    """(3 n, 3 n) BSR"""
    node_mass: Any
    """(n, n) CSR, the same in every direction"""
    start: Integers
    end: Integers
    modes: int

    def mass(self) -> Any:
        """(3 n, 3 n) CSR"""
        return sparse.kron(self.node_mass, np.eye(3), format="csr")


def write_craig_bampton(bar: Bar, modes: int, stiffness: Any, node_mass: Any, folder: Path) -> Path:
    """The matrices of a bar that any code has assembled."""
    path = folder / f"matrices_{'_'.join(map(str, bar.counts))}.npz"
    K, M, (start, end) = stiffness, node_mass, bar.ends()
    np.savez(
        path, points=bar.arrays().points, start=start, end=end, modes=modes,
        K_data=K.data, K_indices=K.indices, K_indptr=K.indptr, M_data=M.data, M_indices=M.indices, M_indptr=M.indptr,
    )  # fmt: skip
    return path


def read_craig_bampton(path: str) -> CraigBampton:
    with np.load(path, allow_pickle=False) as data:
        n = len(data["points"])
        K = sparse.bsr_matrix((data["K_data"], data["K_indices"], data["K_indptr"]), shape=(3 * n, 3 * n))
        M = sparse.csr_matrix((data["M_data"], data["M_indices"], data["M_indptr"]), shape=(n, n))
        return CraigBampton(data["points"], K, M, data["start"], data["end"], int(data["modes"]))
