"""A linear finite element model: stiffness and mass of an unsupported body.

Unknowns come in blocks of three. Blocks 0 .. n-1 are the displacements of the n nodes; a node that also has rotations
(beams, imported matrices) has a further block for its rotation vector. So stiffness is a matrix of 3 x 3 blocks
whatever the elements are. Solids have the same mass in every direction, stored as one number per pair of nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.riders import Riders, every_node
from flexmb.mesh.losses import Loss
from flexmb.mesh.mesh import Mesh

Sparse = Any
"""A SciPy sparse matrix."""


@dataclass(frozen=True)
class FEModel:
    """Stiffness and mass of a free body; b = n nodes + number of rotation blocks, 3 b unknowns."""

    points: Floats
    """(n, 3) nodes [m]"""
    K: Sparse
    """(3 b, 3 b) stiffness, BSR with 3 x 3 blocks, symmetric [N/m, N, N m]"""
    M: Sparse
    """Mass: (n, n) CSR, the same in every direction (solids) [kg], or (3 b, 3 b) BSR with 3 x 3 blocks"""
    rotations: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """(b - n,) the nodes whose rotation vectors are blocks n, n + 1, ..."""
    mesh: Mesh | None = None
    """The mesh it was assembled from; None for imported matrices"""
    elastic: Any = None
    """Data for second-order forces and stress beside the mesh: Lame constants of solid cells"""
    shells: Any = None
    """The same for shell cells"""
    mass_riders: tuple[Riders, Sparse] | None = None
    """Points with the mass of the model and their (p, p) mass, the same in every direction; None: the nodes and M"""

    springs: tuple[Any, ...] = ()
    """Springs of a deck, for second-order forces"""
    ties: Any = None
    """Elimination of the unknowns that follow others; None: all are independent"""
    beams: Any = None
    """The beams of line cells"""
    losses: tuple[Loss, ...] = ()
    """Data of a deck that the model does not have"""

    @property
    def n_blocks(self) -> int:
        """Blocks of three unknowns: places, then rotations."""
        return len(self.points) + len(self.rotations)

    @property
    def block_points(self) -> Floats:
        """(b, 3) place of every block [m]"""
        return np.concatenate([self.points, self.points[self.rotations]])

    @property
    def carriers(self) -> tuple[Riders, Sparse | None]:
        """Points that carry the mass, and their mass, the same in every direction; None: it differs, or is not known"""
        if self.mass_riders is not None:
            return self.mass_riders
        plain = not len(self.rotations) and self.M.shape[0] == len(self.points)
        return every_node(len(self.points)), self.M if plain else None

    def mass_times(self, U: Floats) -> Floats:
        """M U for columns U : (3 b, k) or (3 b,)"""
        if self.M.shape[0] == 3 * self.n_blocks:
            return np.asarray(self.M @ U)
        return np.asarray(self.M @ U.reshape(self.n_blocks, -1)).reshape(U.shape)

    def rigid_motions(self, about: Floats | None = None) -> Floats:
        """(3 b, 6) unit translations along and unit rotations about the axes through the origin, or another point"""
        n, b = len(self.points), self.n_blocks
        R = np.zeros((b, 3, 6))
        R[:n, :, :3] = np.eye(3)
        x, y, z = self.points.T if about is None else (self.points - about).T
        R[:n, 1, 3], R[:n, 2, 3] = -z, y
        R[:n, 2, 4], R[:n, 0, 4] = -x, z
        R[:n, 0, 5], R[:n, 1, 5] = -y, x
        R[n:, :, 3:] = np.eye(3)
        return R.reshape(3 * b, 6)
