"""Both faces of shells: where they are, their triangles, and their stress.

The points of a face ride on the nodes at half the thickness along the directors. A node has several where cells of
different thickness meet, and where a surface is folded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.riders import Riders
from flexmb.elements.shell.assemble import ShellData
from flexmb.elements.shell.kernels import stress as stress_kernels
from flexmb.elements.shell.section import layer_law
from flexmb.elements.solid.parallel import over_chunks
from flexmb.mesh.surface import FACE_TRIANGLES
from flexmb.mesh.topology import EDGES, family


@dataclass(frozen=True)
class Faces:
    """The outside of shells."""

    riders: Riders
    triangles: Integers
    """(t, 3) points of the riders, right-handed seen from outside"""
    places: tuple[Integers, ...]
    """(cells, k, 2) rider at the bottom and at the top of every node of the cells, by block"""


def faces(data: ShellData) -> Faces:
    """Bottom, top and rims of all shell cells."""
    keys = [block.director_numbers * len(data.sections) + block.section[:, None] for block in data.blocks]
    distinct, numbers = np.unique(np.concatenate([key.ravel() for key in keys]), return_inverse=True)
    director, which = np.divmod(distinct, len(data.sections))
    heights = np.array([section.faces[[0, -1]] for section in data.sections])[which]
    arms = (heights[:, :, None] * data.director_vectors[director][:, None]).reshape(-1, 3)
    nodes = np.repeat(data.director_nodes[director], 2)
    riders = Riders(nodes, arms, data.rotation[nodes].astype(np.int64))
    places, at = [], 0
    for key in keys:
        own = numbers[at : at + key.size].reshape(key.shape)
        places.append(np.stack([2 * own, 2 * own + 1], axis=2))
        at += key.size
    triangles = [
        piece for block, own in zip(data.blocks, places, strict=True) for piece in _cut(block.tables.kind, own)
    ]
    return Faces(riders, np.concatenate([*triangles, _rims(data, places)]), tuple(places))


def _cut(kind: str, places: Integers) -> list[Integers]:
    """Triangles of the bottom (seen from below) and of the top"""
    cuts = np.array(FACE_TRIANGLES[places.shape[1]])
    return [places[:, cuts[:, ::-1], 0].reshape(-1, 3), places[:, cuts, 1].reshape(-1, 3)]


def _rims(data: ShellData, places: list[Integers]) -> Integers:
    """(t, 3) triangles between both faces along edges of a single cell"""
    ends, rims = [], []
    for block, own in zip(data.blocks, places, strict=True):
        nodes = block.chunks.nodes
        corners = 3 if family(block.tables.kind) == "tri" else 4
        for number, (a, b) in enumerate(EDGES[family(block.tables.kind)]):
            middle = corners + number if nodes.shape[1] > corners else None
            path = [a, b] if middle is None else [a, middle, b]
            ends.append(np.sort(nodes[:, [a, b]].astype(np.int64), axis=1))
            rims.append([own[:, path[i : i + 2]] for i in range(len(path) - 1)])
    edges = np.concatenate(ends)
    _, inverse, counts = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    single = counts[inverse.ravel()] == 1
    found, at = [np.zeros((0, 3), dtype=np.int64)], 0
    for pairs, parts in zip(ends, rims, strict=True):
        keep = single[at : at + len(pairs)]
        at += len(pairs)
        for part in parts:
            a, b = part[keep, 0], part[keep, 1]
            found += [np.stack([a[:, 0], b[:, 0], b[:, 1]], axis=1), np.stack([a[:, 0], b[:, 1], a[:, 1]], axis=1)]
    return np.concatenate(found)


def face_stress(model: FEModel, made: Faces, U: Floats) -> Floats:
    """(p, m, 6) stress xx, yy, zz, xy, yz, zx [Pa] at the points of both faces for the columns of U : (3 b, m)"""
    data: ShellData = model.shells
    U = np.ascontiguousarray(U, dtype=np.float64)
    stress = np.zeros((len(made.riders.nodes), U.shape[1], 6))
    count = np.zeros(len(stress), dtype=np.int64)
    heights = np.array([section.faces[[0, -1]] for section in data.sections])
    laws = np.array([[layer_law(section.layers[0]), layer_law(section.layers[-1])] for section in data.sections])
    for block, places in zip(data.blocks, made.places, strict=True):
        tables = block.tables
        tied = (tables.weights, tables.N, tables.dN, tables.tied_N, tables.tied_dN, tables.tie, tables.corner_values)
        cells = (model.points, block.directors, block.directions, block.section, heights, laws)
        where = (data.rotation, np.ascontiguousarray(places), U, stress, count)
        over_chunks(stress_kernels.face_stress_chunks, block.chunks, *cells, *tied, *where)
    return stress / np.maximum(count, 1)[:, None, None]
