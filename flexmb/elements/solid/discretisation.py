"""Energy of the discretisation error of solid cells, from the jumps of their stress.

O. C. Zienkiewicz, J. Z. Zhu, A simple error estimator and adaptive procedure, Int. J. Num. Meth. Eng. 24 (1987): the
stress s of the cells is compared with a smoother, better one, s*, in the norm of the strain energy,

    e^2 = integral of (s* - s) : C^-1 (s* - s).

s* is the stress averaged at the nodes, for each material, without the part that pulls on the free surface, which must
vanish: so cells that lie alone across a part are judged too. hex8 with incompatible modes leave their inner
displacements out of the mass: the kinetic energy of these counts for modes. Curved faces of the part that cells cut off
are not seen.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.solid.chunks import CHUNK
from flexmb.elements.solid.element_tables import stiffness_rule
from flexmb.elements.solid.kernels import error_energy, recovery
from flexmb.elements.solid.parallel import over_chunks
from flexmb.elements.solid.solid_blocks import SolidBlock, solid_blocks
from flexmb.mesh.measure import measure
from flexmb.mesh.reference_cells import shape_functions
from flexmb.mesh.surface import outer_surface

_EDGE = 0.1
"""Share of the area around a surface node that must face another way to make it an edge or a corner (18 degrees)"""
_HOLLOW = 0.05
"""Rise of the faces around a surface node above its tangent plane, as a part of their size, that makes it concave"""


class SolidErrors:
    """Errors of the solid cells of a model; loaded : nodes of the outer surface where forces act."""

    def __init__(self, model: FEModel, loaded: Integers):
        self.model, self.blocks = model, solid_blocks(model)
        self.surface = _free_surface(model, loaded)
        self.nodes = [block.chunks.nodes.astype(np.int64) for block in self.blocks]
        self.bytes = 48.0 * len(model.points)

    def volumes(self) -> list[Floats]:
        """(cells,) [m^3] by block"""
        cells = zip(self.blocks, self.nodes, strict=True)
        found = [measure(self.model.points, block.tables.kind, nodes) for block, nodes in cells]
        return [measures.volumes for measures in found]

    def errors(self, U: Floats) -> tuple[list[Floats], Floats]:
        """(cells, m) energies by block for the columns of U : (3 b, m), and (m,) kinetic energies over omega^2/2 that
        are left out."""
        errors, moving = [np.zeros((len(nodes), U.shape[1])) for nodes in self.nodes], np.zeros(U.shape[1])
        for material in range(len(self.model.elastic.materials)):
            recovered = _recovered(self.model, self.blocks, U, material)
            _relieve(recovered, *self.surface)
            for block, error in zip(self.blocks, errors, strict=True):
                moving += _add_errors(block, material, recovered, U, error)
        return errors, moving


def _recovered(model: FEModel, blocks: list[SolidBlock], U: Floats, material: int) -> Floats:
    """(n, m, 6) stress at the nodes, averaged over the cells of one material"""
    stress = np.zeros((len(model.points), U.shape[1], 6))
    count = np.zeros(len(model.points), dtype=np.int64)
    owner = np.full(len(model.points), material)
    for block in blocks:
        tables = block.tables
        inverted = np.zeros(len(block.chunks.nodes), dtype=np.bool_)
        arguments = (tables.stress_gradients, tables.stress_inner, tables.extrapolation, block.material, owner)
        over_chunks(
            recovery.stress_chunks, block.chunks, *block.stiffness_arguments, *arguments, U, stress, count, inverted
        )
    stress /= np.maximum(count, 1)[:, None, None]
    return stress


def _free_surface(model: FEModel, loaded: Integers) -> tuple[Integers, Floats]:
    """Nodes (s,) of the surface without loads, and P (s, 3, 3) that projects on the directions along the surface."""
    assert model.mesh is not None
    triangles, normals = outer_surface(model.mesh)
    x, n = model.points[triangles], len(model.points)
    area = 0.5 * np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)
    tensor, total, bulge, size = np.zeros((n, 3, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n)
    for corner in range(3):
        at = triangles[:, corner]
        np.add.at(tensor, at, area[:, None, None] * normals[:, :, None] * normals[:, None, :])
        np.add.at(total, at, area[:, None] * normals)
        np.add.at(bulge, at, area[:, None] * (x.mean(axis=1) - x[:, corner]))
        np.add.at(size, at, area**1.5)
    free = np.zeros(n, dtype=bool)
    free[triangles] = True
    free[loaded] = False
    nodes = np.flatnonzero(free)
    values, axes = np.linalg.eigh(tensor[nodes])
    faced = values > _EDGE * values.sum(axis=1, keepdims=True)
    # At a concave edge stress is singular, and that of the cells is the best there is.
    outwards = np.einsum("si,si->s", bulge[nodes], total[nodes])
    hollow = outwards > _HOLLOW * np.linalg.norm(total[nodes], axis=1) * size[nodes]
    faced[hollow & (faced.sum(axis=1) > 1)] = False
    return nodes, np.eye(3) - np.einsum("sai,si,sbi->sab", axes, faced.astype(float), axes)


def _relieve(stress: Floats, nodes: Integers, P: Floats) -> None:
    """P s P in place: no stress across the free surface."""
    m = stress.shape[1]
    s = stress[nodes][..., [0, 3, 5, 3, 1, 4, 5, 4, 2]].reshape(len(nodes), m, 3, 3)
    s = np.einsum("sab,smbc,sdc->smad", P, s, P, optimize=True)
    stress[nodes] = s.reshape(len(nodes), m, 9)[..., [0, 4, 8, 1, 5, 2]]


def _add_errors(block: SolidBlock, material: int, recovered: Floats, U: Floats, errors: Floats) -> Floats:
    """errors (cells, m) += energies of the error; (m,) that of inner displacements (see the kernel)"""
    points = stiffness_rule(block.tables.kind)[0]
    shapes = np.ascontiguousarray(shape_functions(block.tables.kind, points))
    inner = np.ascontiguousarray(1.0 - points[:, : block.tables.inner.shape[1]] ** 2)
    moving = np.zeros((-(-len(block.chunks.nodes) // CHUNK), U.shape[1]))
    arguments = (shapes, inner, block.density, block.material, material, recovered, U, errors, moving)
    over_chunks(error_energy.error_chunks, block.chunks, *block.stiffness_arguments, *arguments)
    return np.asarray(moving.sum(axis=0))
