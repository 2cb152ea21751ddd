"""Stress at the nodes of a solid model from displacements, or modal stress from modes.

sigma = lam tr(eps) 1 + 2 mu eps is computed inside every cell at the points where it is most accurate (Barlow 1976),
extrapolated to the nodes of the cell by the linear (tetrahedra), trilinear (hexahedra) or bilinear (wedges) function
through these points, and averaged over the cells of a node. Stress jumps where materials meet: a node between materials
takes the average over the cells of the stiffest one. Linear in the displacements, so modal stresses may be superposed.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.solid.kernels import recovery
from flexmb.elements.solid.parallel import over_chunks
from flexmb.elements.solid.second_order import displacements
from flexmb.elements.solid.solid_blocks import SolidBlock, solid_blocks
from flexmb.errors import ComputationError


def nodal_stress(model: FEModel, U: Floats) -> Floats:
    """(n, m, 6) stress xx, yy, zz, xy, yz, zx [Pa] at the nodes for the columns of U : (3 n, m).

    Nodes that belong to no solid cell (ends of beams) have none: zero.
    """
    U = displacements(model, U)
    blocks = solid_blocks(model)
    owner = stiffest_material(model, blocks)
    stress = np.zeros((len(model.points), U.shape[1], 6))
    count = np.zeros(len(model.points), dtype=np.int64)
    for block in blocks:
        tables = block.tables
        inverted = np.zeros(len(block.chunks.nodes), dtype=np.bool_)
        recovered = (tables.stress_gradients, tables.stress_inner, tables.extrapolation, block.material, owner)
        arguments = (*block.stiffness_arguments, *recovered, U, stress, count, inverted)
        over_chunks(recovery.stress_chunks, block.chunks, *arguments)
        if inverted.any():
            text = f"{np.count_nonzero(inverted)} {tables.kind} cells are folded where stress is computed: remesh them"
            raise ComputationError(text)
    stress /= np.maximum(count, 1)[:, None, None]
    return stress


def von_mises(stress: Floats) -> Floats:
    """Equivalent stress [Pa] of stresses (..., 6) xx, yy, zz, xy, yz, zx"""
    xx, yy, zz, xy, yz, zx = np.moveaxis(stress, -1, 0)
    differences = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
    return np.asarray(np.sqrt(0.5 * differences + 3.0 * (xy**2 + yz**2 + zx**2)))


def stiffest_material(model: FEModel, blocks: list[SolidBlock]) -> Integers:
    """(n,) for every node the material with the largest Young's modulus among its cells"""
    by_stiffness = np.argsort([material.E for material in model.elastic.materials], kind="stable")
    rank = np.empty(len(by_stiffness), dtype=np.int64)
    rank[by_stiffness] = np.arange(len(by_stiffness))
    highest = np.zeros(len(model.points), dtype=np.int64)
    for block in blocks:
        np.maximum.at(highest, block.chunks.nodes, rank[block.material][:, None])
    return by_stiffness[highest]
