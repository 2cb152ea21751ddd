"""Temperature of the solid cells of a body: forces of its nodes, and the stress that free expansion does not have.

A cell at temperature T above that of its stress-free state would expand by alpha T; held, it has the stress -beta T,
beta = alpha E/(1 - 2 nu). Its strain energy beyond the linear order (as in `second_order.py`) gives the forces

    f_i = integral of beta T (1 + H) grad N_i,   H = grad u,

the first derivative of which, integral of beta T H_k : H_l, cancels the shortening of a body that expands freely and
makes one that is held less stiff. Stress at the nodes is that of the displacements less beta T. Temperature is given
at the nodes of every cell; linear bricks and pyramids take its mean, as they cannot be strained linearly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.solid.element_tables import stiffness_rule, stress_points
from flexmb.elements.solid.solid_blocks import SolidBlock, solid_blocks
from flexmb.elements.solid.stress import stiffest_material
from flexmb.mesh.mesh import SOLIDS
from flexmb.mesh.reference_cells import shape_functions
from flexmb.mesh.topology import is_quadratic

_CELLS = 2048
"""Cells that are treated together"""


@dataclass(frozen=True)
class HeatedCells:
    """Solid cells of a model at the temperature of a load shape of value 1."""

    model: FEModel
    temperature: Floats
    """(n,) of the nodes [K per unit]"""
    heated: tuple[Integers, ...]
    """Numbers of the cells in each block of the mesh"""

    def forces(self) -> Floats:
        """(3 b,) forces of the unknowns [N per unit]"""
        forces = np.zeros((self.model.n_blocks, 3))
        for cells in self._cells():
            np.add.at(forces, cells.nodes, np.einsum("cg,cgki->cki", cells.weights, cells.gradients))
        return forces.ravel()

    def turned(self, Phi: Floats) -> Floats:
        """(3 b, m) their derivatives along the columns of Phi : (3 b, m), integral of beta T H grad N_i [N/m]"""
        blocks = Phi.reshape(-1, 3, Phi.shape[1])
        turned = np.zeros_like(blocks)
        for cells in self._cells():
            products = np.einsum("cg,cgki,cgli->ckl", cells.weights, cells.gradients, cells.gradients, optimize=True)
            np.add.at(turned, cells.nodes, np.einsum("ckl,cljm->ckjm", products, blocks[cells.nodes], optimize=True))
        return turned.reshape(Phi.shape)

    def stress(self) -> Floats:
        """(n, 6) stress xx, yy, zz, xy, yz, zx of the nodes of a body that cannot move [Pa per unit]"""
        blocks = solid_blocks(self.model)
        owner = stiffest_material(self.model, blocks)
        total, count = np.zeros(len(self.model.points)), np.zeros(len(self.model.points))
        for block, chosen in self._blocks(blocks):
            nodes, tables = block.chunks.nodes.astype(np.int64), block.tables
            at_points = self._values(tables.kind, nodes, chosen, stress_points(tables.kind))
            values = self._beta(block)[:, None] * (at_points @ tables.extrapolation.T)
            own = owner[nodes] == block.material[:, None]
            np.add.at(total, nodes[own], values[own])
            np.add.at(count, nodes[own], 1.0)
        normal = -total / np.maximum(count, 1.0)
        return np.outer(normal, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0])

    def _blocks(self, blocks: list[SolidBlock]) -> Iterator[tuple[SolidBlock, Floats]]:
        """Every block of solid cells, and (cells,) whether a cell is heated, in the order of its chunks."""
        assert self.model.mesh is not None
        numbers = [number for number, cells in enumerate(self.model.mesh.cells) if cells.kind in SOLIDS and len(cells)]
        for block, number in zip(blocks, numbers, strict=True):
            chosen = np.zeros(len(block.chunks.nodes))
            chosen[self.heated[number]] = 1.0
            yield block, chosen[block.chunks.order]

    def _beta(self, block: SolidBlock) -> Floats:
        """(cells,) alpha (3 lam + 2 mu) [Pa/K]; zero where the material has no expansion"""
        expansion = np.array([material.expansion or 0.0 for material in self.model.elastic.materials])
        return np.asarray(expansion[block.material] * (3.0 * block.lam + 2.0 * block.mu))

    def _values(self, kind: str, nodes: Integers, chosen: Floats, points: Floats) -> Floats:
        """(cells, points) temperature at points of the reference cell"""
        at_nodes = self.temperature[nodes] * chosen[:, None]
        if not is_quadratic(kind):
            return np.repeat(at_nodes.mean(axis=1)[:, None], len(points), axis=1)
        return np.asarray(at_nodes @ shape_functions(kind, points).T)

    def _cells(self) -> Iterator[_Cells]:
        """The heated cells, some at a time."""
        for block, chosen in self._blocks(solid_blocks(self.model)):
            tables, beta = block.tables, self._beta(block)
            points = stiffness_rule(tables.kind)[0]
            heated = np.flatnonzero(chosen * beta)
            for some in np.array_split(heated, -(-len(heated) // _CELLS) or 1):
                nodes = block.chunks.nodes[some].astype(np.int64)
                x = self.model.points[nodes]
                J = np.einsum("gka,cki->cgai", tables.gradients, x)
                gradients = np.einsum("cgia,gka->cgki", np.linalg.inv(J), tables.gradients, optimize=True)
                values = self._values(tables.kind, nodes, chosen[some], points)
                weights = np.linalg.det(J) * tables.weights * values * beta[some, None]
                yield _Cells(nodes, gradients, weights)


@dataclass(frozen=True)
class _Cells:
    nodes: Integers
    """(c, k)"""
    gradients: Floats
    """(c, g, k, 3) of the shape functions at the points of stiffness [1/m]"""
    weights: Floats
    """(c, g) beta T dV"""
