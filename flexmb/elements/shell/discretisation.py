"""Energy of the discretisation error of shells, from the jumps of the strains of their sections.

Zienkiewicz and Zhu 1987, as for solids: membrane strains, curvatures and transverse shear e of the cells are compared
with smoother ones e*, averaged at the nodes in axes along the surface, in the norm of the strain energy,

    error = integral over the surface of (e* - e)^T D (e* - e),    D (8, 8) of the section.

Strains are averaged only around a node where they have no reason to jump: from cell to cell across edges of two cells
of one section that continue each other. So folds, junctions of three sheets, jumps of thickness, beams along an edge
and the rim of a rigid tie are not smoothed over. Cells of opposite direction continue each other. At a free edge the
twisting moment vanishes in a layer of width l = sqrt(D66/S) (S in shear; t/sqrt(10) if homogeneous), thinner than most
cells: as much of it is removed from e* there as makes the energy that of the layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.shell.assemble import ShellBlock, ShellData
from flexmb.elements.shell.directors import FOLD
from flexmb.elements.shell.inner_deflection import inner_energy
from flexmb.elements.shell.kernels import section_strains
from flexmb.elements.shell.section import ShellSection, section_points
from flexmb.elements.solid.parallel import over_chunks
from flexmb.mesh.mesh import LINES
from flexmb.mesh.topology import CORNERS, EDGES, family

_MIRRORED = np.array([[1.0, 1, 1, 1, 1, 1, 1, 1], [1.0, 1, -1, -1, -1, 1, -1, 1]])
"""Factors of section strains seen from the other face: axis 2 and the normal point the other way"""
_LAYER = {3: 1.0 / 3.0, 4: 1.0 / 3.0, 6: 2.0 / 15.0, 9: 2.0 / 15.0}
"""Integral of the square of the shape function of an edge along a line across a cell of this number of nodes"""
_COPIES = 6
"""Arrays of the size of the strains of all nodes that are held at a time"""
_COUPLED = 1e-9
"""Coupling of membrane and bending, as a part of both, above which a section is not the same from its other face"""


class ShellErrors:
    """Errors of the shell cells of a model; rigid : nodes of rigid ties."""

    def __init__(self, model: FEModel, rigid: Integers):
        self.model = model
        self.data: ShellData = model.shells
        self.nodes = [block.chunks.nodes for block in self.data.blocks]
        self.bytes = float(sum(_COPIES * 64 * nodes.shape[0] * nodes.shape[1] for nodes in self.nodes))
        self.laws = np.array([section_law(section) for section in self.data.sections])
        edges = _edges(model, rigid)
        self.corner = _smooth_corners(self.data, edges.shared, self.laws)
        directors = np.concatenate([block.directors.reshape(-1, 3) for block in self.data.blocks])
        normal = directors[np.unique(self.corner, return_index=True)[1]]
        along = np.cross(normal, np.eye(3)[np.abs(normal).argmin(axis=1)])
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        self.turns = self._turns(normal, along)
        self.rim = self._rim(edges.free, normal, along)

    def _turns(self, normal: Floats, along: Floats) -> list[tuple[Floats, Floats, Integers]]:
        """cos, sin (cells, k) of the axes of the material at the nodes from those of their corner, and whether they
        look from the other face, by block; normal, along : (corners, 3) axes of the corners."""
        found = []
        for block, own in zip(self.data.blocks, self._corners(), strict=True):
            n, a = normal[own], along[own]
            axis = block.directions[:, None] - np.einsum("cka,ca->ck", n, block.directions)[..., None] * n
            size = np.linalg.norm(axis, axis=2, keepdims=True)
            axis = np.divide(axis, size, out=a.copy(), where=size > 1e-6)
            mirrored = np.einsum("cka,cka->ck", block.directors, n) < 0.0
            sin = np.einsum("cka,cka->ck", np.cross(n, a), axis)
            found.append((np.einsum("cka,cka->ck", a, axis), sin, mirrored.astype(np.int64)))
        return found

    def _rim(self, free: Integers, normal: Floats, along: Floats) -> tuple[Integers, Floats, Floats, Floats]:
        """Corners (f,) on free edges, cos, sin (f, 1) of the edge from their axes, and (f,) the part of the twist that
        stays."""

        def spread(values: Iterable[np.ndarray]) -> np.ndarray:
            """Values of cells at their nodes, block after block"""
            return np.concatenate([np.repeat(v, n.shape[1]) for v, n in zip(values, self.nodes, strict=True)])

        nodes = np.concatenate([own.ravel() for own in self.nodes])
        section = spread(block.section for block in self.data.blocks)
        share = spread(np.full(len(own), _LAYER[own.shape[1]]) for own in self.nodes)
        area = spread(_areas(self.model, block) for block in self.data.blocks)
        tangent = self.model.points[nodes[free[:, 1]]] - self.model.points[nodes[free[:, 0]]]
        length = np.linalg.norm(tangent, axis=1)
        at = free[:, 0]
        layer = np.sqrt(self.laws[:, 5, 5] / self.laws[:, 6, 6])[section[at]]
        removed = np.sqrt(np.minimum(1.0, layer * length / (share[at] * area[at])))
        corners, first = np.unique(self.corner[free], return_index=True)
        which = first // free.shape[1]
        unit = tangent[which] / length[which, None]
        n, a = normal[corners], along[corners]
        cos, sin = np.einsum("fa,fa->f", a, unit), np.einsum("fa,fa->f", np.cross(n, a), unit)
        return corners, cos[:, None], sin[:, None], 1.0 - removed[which]

    def _relieve(self, smooth: Floats) -> None:
        """Remove the twist at free edges, in place."""
        corners, cos, sin, stays = self.rim
        values = _turned(smooth[corners][:, None], cos, sin)
        values[..., 5] *= stays[:, None, None]
        smooth[corners] = _turned(values, cos, -sin)[:, 0]

    def volumes(self) -> list[Floats]:
        """(cells,) [m^3] by block"""
        thickness = np.array([section.thickness for section in self.data.sections])
        return [_areas(self.model, block) * thickness[block.section] for block in self.data.blocks]

    def errors(self, U: Floats) -> tuple[list[Floats], Floats]:
        """(cells, m) energies by block for the columns of U : (3 b, m), and (m,) kinetic energies over omega^2/2 that
        are left out."""
        blocks = self.data.blocks
        strains = [section_strain(self.model, block, U) for block in blocks]
        smooth = np.zeros((int(self.corner.max()) + 1, U.shape[1], 8))
        corners = list(self._corners())
        for block, (values, _), (cos, sin, other), own in zip(blocks, strains, self.turns, corners, strict=True):
            nodal = np.einsum("kg,cgme->ckme", block.tables.corner_values, values) * _MIRRORED[other][:, :, None]
            np.add.at(smooth, own, _turned(nodal, cos, -sin))
        smooth /= np.bincount(self.corner)[:, None, None]
        self._relieve(smooth)
        errors, moving = [], np.zeros(U.shape[1])
        for block, (values, areas), (cos, sin, other), own in zip(blocks, strains, self.turns, corners, strict=True):
            nodal = _turned(smooth[own], cos, sin) * _MIRRORED[other][:, :, None]
            values -= np.einsum("gk,ckme->cgme", block.tables.N, nodal)
            law = self.laws[block.section]
            errors.append(np.einsum("cg,cgme,cgme->cm", areas, values, np.einsum("cef,cgmf->cgme", law, values)))
            moving += inner_energy(self.model.points, block, self.data, U, areas)
        return errors, moving

    def _corners(self) -> Iterator[Integers]:
        """(cells, k) corner of every node, by block"""
        at = 0
        for nodes in self.nodes:
            yield self.corner[at : at + nodes.size].reshape(nodes.shape)
            at += nodes.size


def section_strain(model: FEModel, block: ShellBlock, U: Floats) -> tuple[Floats, Floats]:
    """(cells, g, m, 8) strains of the sections at the points of integration, and (cells, g) the areas of these"""
    data, tables = model.shells, block.tables
    faces = np.array([section.faces[[0, -1]] for section in data.sections])
    areas = np.zeros((len(block.section), len(tables.weights)))
    out = np.zeros((*areas.shape, U.shape[1], 8))
    cells = (model.points, block.directors, block.directions, block.section, faces)
    tied = (tables.weights, tables.N, tables.dN, tables.tied_N, tables.tied_dN, tables.tie)
    arguments = (*cells, *tied, data.rotation, np.ascontiguousarray(U), areas, out)
    over_chunks(section_strains.section_strain_chunks, block.chunks, *arguments)
    return out, areas


def section_law(section: ShellSection) -> Floats:
    """(8, 8) membrane forces, moments and shear forces by the strains of a section [N/m, N]"""
    points = section_points(section)
    w, z, C = points.weights, points.heights, points.laws
    law = np.zeros((8, 8))
    law[:3, :3] = np.einsum("m,mij->ij", w, C[:, :3, :3])
    law[:3, 3:6] = law[3:6, :3] = np.einsum("m,m,mij->ij", w, z, C[:, :3, :3])
    law[3:6, 3:6] = np.einsum("m,m,mij->ij", w, z**2, C[:, :3, :3])
    law[6:, 6:] = np.einsum("m,mij->ij", w, C[:, 3:, 3:])
    return law


def _turned(values: Floats, cos: Floats, sin: Floats) -> Floats:
    """Section strains (cells, k, m, 8) in axes that are turned about the normal by the angle of cos, sin (cells, k)"""
    c, s = cos[..., None], sin[..., None]
    found = np.empty_like(values)
    for first in (0, 3):
        x, y, xy = (values[..., first + i] for i in range(3))
        found[..., first] = c * c * x + s * s * y + c * s * xy
        found[..., first + 1] = s * s * x + c * c * y - c * s * xy
        found[..., first + 2] = 2.0 * c * s * (y - x) + (c * c - s * s) * xy
    found[..., 6] = c * values[..., 6] + s * values[..., 7]
    found[..., 7] = c * values[..., 7] - s * values[..., 6]
    return found


def _areas(model: FEModel, block: ShellBlock) -> Floats:
    """(cells,)"""
    tangents = np.einsum("gia,cib->cgab", block.tables.dN, model.points[block.chunks.nodes])
    return np.asarray(np.linalg.norm(np.cross(tangents[:, :, 0], tangents[:, :, 1]), axis=2) @ block.tables.weights)


class _Edges(NamedTuple):
    """Edges of cells by their nodes (e, 3): both ends, and the middle or again an end; numbers among the nodes of all
    cells, block after block."""

    shared: tuple[Integers, Integers]
    """The same edges as both cells see them that share them, and nothing else is attached to"""
    free: Integers
    """Edges of one cell"""


def _smooth_corners(data: ShellData, shared: tuple[Integers, Integers], laws: Floats) -> Integers:
    """(nodes of all cells, block after block,) number of the corner, around which strains are continuous"""
    section = np.concatenate([np.repeat(block.section, block.directors.shape[1]) for block in data.blocks])
    directors = np.concatenate([block.directors.reshape(-1, 3) for block in data.blocks])
    left, right = shared
    agree = np.einsum("pia,pia->pi", directors[left], directors[right])
    symmetric = np.array([np.abs(law[:3, 3:6]).max() ** 2 < _COUPLED**2 * law[0, 0] * law[3, 3] for law in laws])
    limit = np.cos(FOLD)
    goes_on = (agree > limit).all(axis=1) | ((agree < -limit).all(axis=1) & symmetric[section[left[:, 0]]])
    goes_on &= section[left[:, 0]] == section[right[:, 0]]
    pairs = (left[goes_on].ravel(), right[goes_on].ravel())
    graph = coo_array((np.ones(len(pairs[0]), dtype=np.int8), pairs), shape=(len(section),) * 2)
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _edges(model: FEModel, rigid: Integers) -> _Edges:
    """The edges of all shell cells; rigid : nodes of rigid ties."""
    edges, places, at = [], [], 0
    for block in model.shells.blocks:
        nodes, kind = block.chunks.nodes.astype(np.int64), family(block.tables.kind)
        place = at + np.arange(nodes.size).reshape(nodes.shape)
        at += nodes.size
        for number, (a, b) in enumerate(EDGES[kind]):
            ends, middle = nodes[:, [a, b]], CORNERS[kind] + number
            own = np.take_along_axis(place[:, [a, b]], ends.argsort(axis=1), axis=1)
            edges.append(np.sort(ends, axis=1))
            third = place[:, [middle]] if nodes.shape[1] > CORNERS[kind] else own[:, :1]
            places.append(np.concatenate([own, third], axis=1))
    attached = np.zeros(len(model.points), dtype=bool)
    attached[rigid] = True
    ends, place = np.concatenate([*edges, *_line_edges(model)]), np.concatenate(places)
    _, inverse, counts = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    count = counts[inverse.ravel()][: len(place)]
    inverse = inverse.ravel()[: len(place)]
    loose = ~attached[ends[: len(place)]].all(axis=1)
    inside = np.flatnonzero((count == 2) & loose)
    order = inside[np.argsort(inverse[inside], kind="stable")]
    # an edge of one cell and a beam is left out here: it has no second cell
    first = np.flatnonzero(np.diff(inverse[order]) == 0)
    return _Edges((place[order[first]], place[order[first + 1]]), place[(count == 1) & loose])


def _line_edges(model: FEModel) -> list[Integers]:
    """(lines, 2) ends of the line cells of the mesh"""
    cells = () if model.mesh is None else model.mesh.cells
    return [np.sort(block.nodes[:, :2].astype(np.int64), axis=1) for block in cells if block.kind in LINES]
