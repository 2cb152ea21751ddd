"""The solid cells of an assembled model, block by block, with the data for compiled loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.solid.chunks import Chunks, chunks_of
from flexmb.elements.solid.elasticity import Elasticity
from flexmb.elements.solid.element_tables import ElementTables, element_tables
from flexmb.errors import Fault, InputError
from flexmb.mesh.mesh import SOLIDS


@dataclass(frozen=True)
class SolidBlock:
    """Cells of one type, sorted and coloured."""

    chunks: Chunks
    points: Floats
    lam: Floats
    """(cells,) Lame constants in the order of the chunks [Pa]"""
    mu: Floats
    density: Floats
    """(cells,) [kg/m^3]"""
    material: Integers
    """(cells,) number of the material, in the order of the chunks"""
    tables: ElementTables

    @property
    def stiffness_arguments(self) -> tuple[Any, ...]:
        """Points, material and tables at the points of stiffness: arguments of compiled loops after the cells"""
        tables = self.tables
        return (self.points, self.lam, self.mu, tables.gradients, tables.weights, tables.inner, tables.centre)


def solid_blocks(model: FEModel) -> list[SolidBlock]:
    """The blocks of solid cells of a model that was assembled from a mesh."""
    if model.mesh is None or not isinstance(model.elastic, Elasticity):
        text = "the model has no solid cells: it was not assembled from a solid mesh"
        raise InputError([Fault(text, ("model",), "Stress and second-order forces need elements, not only matrices.")])
    blocks = []
    for number, cells in enumerate(model.mesh.cells):
        if cells.kind not in SOLIDS or not len(cells):
            continue
        chunks = chunks_of(model.points, cells)
        lam, mu = model.elastic.lame(number)
        material = model.elastic.material_of[number][chunks.order]
        tables = element_tables(cells.kind, model.elastic.incompatible)
        density = model.elastic.density(number)[chunks.order]
        blocks.append(SolidBlock(chunks, model.points, lam[chunks.order], mu[chunks.order], density, material, tables))
    return blocks
