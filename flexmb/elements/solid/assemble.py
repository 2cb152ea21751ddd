"""Stiffness and mass of a mesh of solid cells: mesh and materials in, FEModel out.

Linear isotropic elasticity, isoparametric cells of all solid types, also mixed. Rows of matrices are nodes; the pattern
is found first and cells are then added in place, so that memory is that of the matrices. hex8 have incompatible modes
(Taylor, Beresford and Wilson 1976) unless hex8 = "full"; mass is consistent or lumped (row sums of linear cells,
scaled diagonals of quadratic ones). Cells are fully integrated: those of a thin plate should not be longer than about
ten thicknesses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.joined import joined
from flexmb.elements.material import Material
from flexmb.elements.number_checks import one_of
from flexmb.elements.solid.chunks import Chunks, chunks_of
from flexmb.elements.solid.elasticity import Elasticity, assign
from flexmb.elements.solid.element_tables import element_tables
from flexmb.elements.solid.kernels import assembly, pattern
from flexmb.elements.solid.parallel import Progress, counter, over_chunks, over_range
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.mesh.deck import deck_nodes
from flexmb.mesh.mesh import LINES, SOLIDS, SURFACES, Cells, Mesh
from flexmb.mesh.topology import is_quadratic

Pattern = tuple[Integers, NDArray[np.int32]]
"""indptr (n + 1,) and sorted indices of the nodes that share a cell with each node"""


def assemble(
    mesh: Mesh,
    materials: Material | Mapping[str, Material],
    *,
    lumped: bool = False,
    hex8: str = "incompatible",
    others: FEModel | None = None,
    progress: Progress | None = None,
) -> FEModel:
    """Stiffness and mass of the solid cells of a mesh.

    `others` is the model of the mesh's line or shell cells on the same points, to be added; without it they are
    rejected.
    """
    faults = one_of("hex8", hex8, ("incompatible", "full")) + _unfit(mesh, others)
    if faults:
        raise InputError(faults)
    elastic = assign(mesh, materials, hex8 == "incompatible")
    try:
        model = _assembled(mesh, elastic, lumped, progress)
    except MemoryError as error:
        text = f"the stiffness of {mesh.n_points} nodes does not fit into memory. Use a coarser mesh"
        raise ComputationError(text) from error
    return model if others is None else joined([model, others])


def node_pattern(mesh: Mesh) -> Pattern:
    """Pattern of the nodes that share a solid cell."""
    return block_pattern([block.nodes for block in mesh.cells if block.kind in SOLIDS], mesh.n_points)


def block_pattern(cells: Sequence[Integers], n: int) -> Pattern:
    """Pattern of n blocks of unknowns that share a cell; `cells` (cells, k) blocks of every cell, type by type"""
    sizes = np.concatenate([np.full(len(blocks), blocks.shape[1], dtype=np.int64) for blocks in cells])
    start = np.concatenate([[0], np.cumsum(sizes)])
    nodes = np.concatenate([blocks.astype(np.int32).ravel() for blocks in cells])
    first = np.zeros(n + 1, dtype=np.int64)
    of_node = np.empty(len(nodes), dtype=np.int32)
    pattern.cells_of_nodes(start, nodes, first, of_node)
    lengths = np.empty(n, dtype=np.int64)
    over_range(pattern.row_lengths, n, start, nodes, first, of_node, lengths)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    indices = np.empty(indptr[-1], dtype=np.int32)
    over_range(pattern.fill_rows, n, start, nodes, first, of_node, indptr, indices)
    return indptr, indices


def block_matrix(pattern_: Pattern, data: Floats) -> Any:
    """BSR of (blocks, 3, 3) data in a node pattern"""
    indptr, indices = pattern_
    n = 3 * (len(indptr) - 1)
    matrix = sparse.bsr_array((data, indices, _short(indptr)), shape=(n, n))
    matrix.has_sorted_indices = True
    return matrix


def _short(indptr: Integers) -> NDArray[Any]:
    return indptr.astype(np.int32) if indptr[-1] < 2**31 else indptr


def _assembled(mesh: Mesh, elastic: Elasticity, lumped: bool, progress: Progress | None) -> FEModel:
    points = np.ascontiguousarray(mesh.points, dtype=np.float64)
    if progress:
        progress("assembling", 0.0)
    indptr, indices = node_pattern(mesh)
    K = np.zeros((len(indices), 3, 3))
    M = np.zeros(mesh.n_points if lumped else len(indices))
    faults: list[Fault] = []
    report = counter(progress, "assembling", sum(len(block) for block in mesh.cells if block.kind in SOLIDS))
    for number, block in enumerate(mesh.cells):
        if block.kind not in SOLIDS or not len(block):
            continue
        chunks = chunks_of(points, block)
        inverted = np.zeros(len(block), dtype=np.bool_)
        arguments = _arguments(chunks, points, elastic, number, block.kind, lumped)
        over_chunks(assembly.assemble_chunks, chunks, *arguments, indptr, indices, K, M, inverted, after=report)
        if inverted.any():
            faults.append(_inverted(block, chunks.order[inverted]))
    if faults:
        raise InputError(faults)
    stiffness = block_matrix((indptr, indices), K)
    if lumped:
        mass = sparse.csr_array(sparse.diags_array(M))
    else:
        mass = sparse.csr_array((M, indices, _short(indptr)), shape=(mesh.n_points, mesh.n_points))
        mass.has_sorted_indices = True
    return FEModel(points, stiffness, mass, mesh=mesh, elastic=elastic)


def _arguments(
    chunks: Chunks, points: Floats, elastic: Elasticity, number: int, kind: str, lumped: bool
) -> tuple[Any, ...]:
    """Arguments of the compiled loop between its chunks and the matrices."""
    tables = element_tables(kind, elastic.incompatible)
    lam, mu = elastic.lame(number)
    quadratic = assembly.SCALED_DIAGONAL if is_quadratic(kind) else assembly.ROW_SUM
    return (
        points,
        *(lam[chunks.order], mu[chunks.order], elastic.density(number)[chunks.order]),
        *(tables.gradients, tables.weights, tables.inner, tables.centre),
        *(tables.mass_gradients, tables.mass_table, tables.mass_table.sum(axis=0)),
        quadratic if lumped else assembly.CONSISTENT,
    )


def _unfit(mesh: Mesh, others: FEModel | None) -> list[Fault]:
    """Faults of a mesh that would crash compiled loops, or leave nodes without stiffness."""
    faults = []
    used = np.zeros(mesh.n_points, dtype=bool)
    if not np.isfinite(mesh.points).all():
        bad = int(np.count_nonzero(~np.isfinite(mesh.points).all(axis=1)))
        faults.append(Fault(f"{bad} points have coordinates that are not finite", ("mesh",)))
    for block in mesh.cells:
        allowed = SOLIDS | LINES | SURFACES
        if block.kind not in allowed or block.nodes.shape[1:] != (allowed[block.kind],):
            text = f"{len(block)} cells of type {block.kind!r} have {block.nodes.shape[1:]} nodes"
            faults.append(Fault(text, ("mesh",), f"Solid types: {', '.join(SOLIDS)}."))
        elif len(block) and (block.nodes.min() < 0 or block.nodes.max() >= mesh.n_points):
            faults.append(Fault(f"cells of type {block.kind!r} use points that do not exist", ("mesh",)))
        elif block.kind in SOLIDS or others is not None:
            used[block.nodes] = True
    used[deck_nodes(mesh.deck)] = True
    lines = sum(len(block) for block in mesh.cells if block.kind in LINES)
    if lines and others is None:
        hint = "Give the beams' cross-section, or leave the lines out of the mesh."
        faults.append(Fault(f"the mesh has {lines} line cells beside its solid cells", ("mesh",), hint))
    shells = sum(len(block) for block in mesh.cells if block.kind in SURFACES)
    if shells and others is None:
        faults.append(
            Fault(f"the mesh has {shells} shell cells beside its solid cells", ("mesh",), "Give a thickness.")
        )
    if not any(len(block) for block in mesh.cells if block.kind in SOLIDS):
        faults.append(Fault("the mesh has no solid cells", ("mesh",), f"Solid types: {', '.join(SOLIDS)}."))
    elif not used.all() and not faults:
        text = f"{np.count_nonzero(~used)} of {mesh.n_points} points belong to no solid cell"
        faults.append(Fault(text, ("mesh",), "Leave them out of the mesh: they have neither stiffness nor mass."))
    if others is not None and len(others.points) != mesh.n_points:
        text = f"the other cells have {len(others.points)} nodes and the mesh {mesh.n_points}"
        faults.append(Fault(text, ("others",), "Both must be on the same points."))
    return faults


def _inverted(block: Cells, cells: Integers) -> Fault:
    """The fault of cells whose determinant is not positive everywhere."""
    numbers = np.sort(block.ids[cells] if block.ids is not None else cells)
    some = ", ".join(str(number) for number in numbers[:5]) + (", ..." if len(numbers) > 5 else "")
    text = f"{len(cells)} of {len(block)} {block.kind} cells are inverted, folded or flat (cells {some})"
    return Fault(text, ("mesh",), "Repair or remesh them: their Jacobian is not positive.")
