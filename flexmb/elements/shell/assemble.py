"""Stiffness and mass of the shell cells of a mesh: mesh and sections in, FEModel out.

Shells of Reissner-Mindlin type, described by directors (Ahmad, Irons and Zienkiewicz 1970), thin to thick, flat and
curved, with assumed strains against locking (`tables.py`). Nodes have six unknowns. The rotation about the normal
(drilling) follows the displacements by the term of Hughes and Brezzi (1989) at the points where it does not stiffen the
membrane, and its differences inside a cell by a part of it. Mass is consistent, with rotary inertia; the drilling
rotation has none.
Output: an `FEModel`: blocks 0 .. n-1 are displacements, the others the rotation vectors of the nodes of shells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.riders import Riders
from flexmb.elements.shell.directors import directors
from flexmb.elements.shell.kernels import assembly
from flexmb.elements.shell.section import ShellSection, section_points
from flexmb.elements.shell.tables import ShellTables, shell_tables
from flexmb.elements.solid.assemble import block_matrix, block_pattern
from flexmb.elements.solid.chunks import Chunks, chunks_of
from flexmb.elements.solid.parallel import Progress, counter, over_chunks
from flexmb.errors import Fault, InputError
from flexmb.mesh.mesh import SURFACES, Cells, Mesh


@dataclass(frozen=True)
class CellSections:
    """Section and direction of every shell cell, by block of the mesh."""

    sections: tuple[ShellSection, ...]
    numbers: Mapping[int, Integers]
    """(cells,) number of the section"""
    directions: Mapping[int, Floats]
    """(cells, 3) of axis 1 of the materials, projected on the surface; NaN: any"""


Sections = ShellSection | Mapping[str, ShellSection] | CellSections


@dataclass(frozen=True)
class ShellBlock:
    """The shell cells of one type, with the data for compiled loops."""

    chunks: Chunks
    directors: Floats
    """(cells, k, 3) in the order of the chunks"""
    directions: Floats
    """(cells, 3) of the material: its part along the surface is axis 1"""
    section: Integers
    """(cells,) number of the section"""
    tables: ShellTables
    director_numbers: Integers
    """(cells, k) number of the director among those of all shells"""


@dataclass(frozen=True)
class ShellData:
    """Data for second-order forces and stress of shells beside the mesh."""

    blocks: tuple[ShellBlock, ...]
    sections: tuple[ShellSection, ...]
    rotation: np.ndarray
    """(n,) block of the rotation of every node; -1: it has none"""
    director_nodes: Integers
    """(d,) node of every distinct director"""
    director_vectors: Floats
    """(d, 3)"""

    def renumbered(self, rotations: Integers) -> ShellData:
        """The same in a model that has rotations at these nodes"""
        n = len(self.rotation)
        blocks = (n + np.searchsorted(rotations, np.arange(n))).astype(np.int32)
        return replace(self, rotation=np.where(self.rotation >= 0, blocks, np.int32(-1)))

    @property
    def section_arguments(self) -> tuple[Floats, ...]:
        """Heights, weights, densities, laws and drilling of the sections, padded to the same number of points"""
        found = [section_points(section) for section in self.sections]
        most = max(len(points.heights) for points in found)

        def padded(name: str) -> Floats:
            return np.stack([_padded(getattr(points, name), most) for points in found])

        drilling = np.stack([points.drilling for points in found])
        return padded("heights"), padded("weights"), padded("densities"), padded("laws"), drilling


def _padded(values: Floats, length: int) -> Floats:
    return np.concatenate([values, np.zeros((length - len(values), *values.shape[1:]))])


def assemble_shells(
    mesh: Mesh,
    sections: Sections,
    *,
    direction: Floats | None = None,
    progress: Progress | None = None,
) -> FEModel:
    """Stiffness and mass of the surface cells among the cells of a mesh, by cell set, by cell or one section for all.

    `direction` (3,) is that of axis 1 of the materials, projected on the surface; None: x, or y where x is normal.
    """
    data = shell_data(mesh, sections, direction)
    points = np.ascontiguousarray(mesh.points, dtype=np.float64)
    pattern = block_pattern([_blocks(block, data.rotation) for block in data.blocks], _n_blocks(data))
    K, M = (np.zeros((len(pattern[1]), 3, 3)) for _ in range(2))
    report = counter(progress, "assembling", sum(len(block.section) for block in data.blocks))
    faults: list[Fault] = []
    for block in data.blocks:
        folded = np.zeros(len(block.section), dtype=np.bool_)
        arguments = (points, *cell_arguments(block, data), *table_arguments(block.tables))
        where = (data.rotation, *pattern, K, M, folded)
        over_chunks(assembly.assemble_chunks, block.chunks, *arguments, *where, after=report)
        if folded.any():
            count, kind = np.count_nonzero(folded), block.tables.kind
            text = f"{count} {kind} shell cells are folded, flat, or curved more than their thickness allows"
            faults.append(Fault(text, ("mesh",), "Repair or remesh them."))
    if faults:
        raise InputError(faults)
    rotations = np.flatnonzero(data.rotation >= 0).astype(np.int64)
    K_, M_ = block_matrix(pattern, K), block_matrix(pattern, M)
    return FEModel(points, K_, M_, rotations, mesh, shells=data, mass_riders=mass_riders(points, data))


def shell_data(mesh: Mesh, sections: Sections, direction: Floats | None) -> ShellData:
    """Directors, sections and axes of the shell cells; raises all faults."""
    blocks = [(number, block) for number, block in enumerate(mesh.cells) if block.kind in SURFACES and len(block)]
    if not blocks:
        raise InputError([Fault("the mesh has no shell cells", ("mesh",), f"Shell types: {', '.join(SURFACES)}.")])
    if any(block.kind == "quad8" for _, block in blocks):
        raise InputError([Fault("quad8 cells need a ninth node: call with_centres first", ("mesh",))])
    chosen, number_of = _assigned(mesh, sections, blocks)
    vectors, of_node, distinct, numbers = directors(mesh.points, [block for _, block in blocks])
    rotation = np.full(mesh.n_points, -1, dtype=np.int32)
    used = np.unique(np.concatenate([block.nodes.ravel() for _, block in blocks]))
    rotation[used] = mesh.n_points + np.arange(len(used))
    made = []
    for (index, block), vector, which, number in zip(blocks, vectors, number_of, numbers, strict=True):
        chunks = chunks_of(mesh.points, block)
        order = chunks.order
        wanted = sections.directions[index] if isinstance(sections, CellSections) else direction
        axes = _directions(vector.mean(axis=1), wanted)
        tables = shell_tables(block.kind)
        vector, axes = np.ascontiguousarray(vector[order]), np.ascontiguousarray(axes[order])
        made.append(ShellBlock(chunks, vector, axes, which[order], tables, number[order]))
    return ShellData(tuple(made), tuple(chosen), rotation, of_node, distinct)


def cell_arguments(block: ShellBlock, data: ShellData) -> tuple[Any, ...]:
    """Directors, directions and sections of the cells: arguments of compiled loops after the points"""
    return (block.directors, block.directions, block.section, *data.section_arguments)


def table_arguments(tables: ShellTables) -> tuple[Any, ...]:
    """Tables of the cell type, in the order of compiled loops"""
    tied = (tables.tied_N, tables.tied_dN, tables.tie)
    return (tables.weights, tables.N, tables.dN, *tied, tables.drill_N, tables.drill_dN, tables.drill_weights)


def _blocks(block: ShellBlock, rotation: np.ndarray) -> np.ndarray:
    return np.concatenate([block.chunks.nodes, rotation[block.chunks.nodes]], axis=1)


def _n_blocks(data: ShellData) -> int:
    return len(data.rotation) + int(np.count_nonzero(data.rotation >= 0))


def _directions(normals: Floats, direction: Floats | None) -> Floats:
    """(cells, 3) direction of axis 1"""
    given = np.broadcast_to(np.asarray(np.nan if direction is None else direction, dtype=np.float64), normals.shape)
    size = np.linalg.norm(normals, axis=1)
    along = np.abs(normals[:, 0]) > 0.9 * size
    usual = np.where(along[:, None], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0])
    return np.where(np.isnan(given), usual, given)


def _assigned(
    mesh: Mesh, sections: Sections, blocks: list[tuple[int, Cells]]
) -> tuple[list[ShellSection], list[Integers]]:
    """The sections, and the number of that of every cell of the blocks"""
    if isinstance(sections, CellSections):
        return list(sections.sections), [sections.numbers[index] for index, _ in blocks]
    if isinstance(sections, ShellSection):
        return [sections], [np.zeros(len(block), dtype=np.int64) for _, block in blocks]
    number = {index: np.full(len(block), -1, dtype=np.int64) for index, block in blocks}
    faults = []
    for which, name in enumerate(sections):
        if name not in mesh.cell_sets:
            faults.append(Fault(f"the mesh has no cell set {name!r}", ("sections", name)))
            continue
        for index, cells in enumerate(mesh.cell_sets[name]):
            if index in number and len(cells):
                number[index][cells] = which
    without = sum(int(np.count_nonzero(part < 0)) for part in number.values())
    if without and not faults:
        faults.append(Fault(f"{without} shell cells have no section", ("sections",), "Name a cell set for each."))
    if faults:
        raise InputError(faults)
    return list(sections.values()), list(number.values())


def mass_riders(points: Floats, data: ShellData) -> tuple[Riders, Any]:
    """The mass of shells on their nodes and on points of their directors.

    A point at height z moves like (1 - z/c) of the node and z/c of the rider at the height c on its director, so that
    the moments of density over z give all products.
    """
    from scipy.sparse import coo_array

    n, c = len(data.rotation), 0.5 * max(section.thickness for section in data.sections)
    arms = np.concatenate([np.zeros((n, 3)), c * data.director_vectors])
    turning = np.concatenate([np.full(n, -1), data.rotation[data.director_nodes]])
    riders = Riders(np.concatenate([np.arange(n), data.director_nodes]), arms, turning)
    rows, columns, values = [], [], []
    for block in data.blocks:
        k = block.tables.N.shape[1]
        moments = np.zeros((len(block.section), 3, k, k))
        arguments = (points, *cell_arguments(block, data), block.tables.weights, block.tables.N, block.tables.dN)
        over_chunks(assembly.moment_chunks, block.chunks, *arguments, moments)
        m0, m1, m2 = moments[:, 0], moments[:, 1] / c, moments[:, 2] / c**2
        where = np.concatenate([block.chunks.nodes.astype(np.int64), n + block.director_numbers], axis=1)
        mixed = m1 - m2
        whole = np.block([[m0 - 2.0 * m1 + m2, mixed], [mixed, m2]])
        rows.append(np.broadcast_to(where[:, :, None], whole.shape).ravel())
        columns.append(np.broadcast_to(where[:, None, :], whole.shape).ravel())
        values.append(whole.ravel())
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return riders, coo_array(entries, shape=(len(arms),) * 2).tocsr()
