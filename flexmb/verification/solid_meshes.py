"""Small meshes made without a mesher: boxes and round rods of every solid cell type.

Both start from blocks of 27-node hexahedra on a lattice of half cells. Every other type takes its nodes from these:
two wedges share a hexahedron along the diagonal of its base, three tetrahedra share a wedge so that every quadrilateral
face is cut through its lowest node (Dompierre et al. 1999), which leaves no hanging faces; six pyramids share a
hexahedron with their apex in its middle.
"""

from __future__ import annotations

import itertools

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.axes import AXES
from flexmb.mesh.mesh import SOLIDS, Cells, Mesh

EDGES = {
    "tet10": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
    "pyramid13": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)],
    "wedge15": [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)],
    "hex20": [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)],
}
EDGES["hex27"] = EDGES["hex20"]
"""Cell type -> corners of the edges on which the nodes after the corners lie (VTK order)"""

_CORNERS = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
_FACES = [(0, 1, 1), (2, 1, 1), (1, 0, 1), (1, 2, 1), (1, 1, 0), (1, 1, 2)]
_MIDDLES = [tuple((np.array(_CORNERS[a]) + _CORNERS[b]) // 2) for a, b in EDGES["hex20"]]
_LATTICE = np.array([*_CORNERS, *_MIDDLES, *_FACES, (1, 1, 1)])
"""(27, 3) place of the nodes of a hex27 in halves of the cell, VTK order"""
_BASES = [(0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (2, 3, 7, 6), (0, 3, 2, 1), (4, 5, 6, 7)]
_WEDGES = [(0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7)]
_TURNS = np.array(
    [
        (0, 1, 2, 3, 4, 5),
        (1, 2, 0, 4, 5, 3),
        (2, 0, 1, 5, 3, 4),
        (3, 5, 4, 0, 2, 1),
        (4, 3, 5, 1, 0, 2),
        (5, 4, 3, 2, 1, 0),
    ]
)
"""The wedge renumbered so that the node of that row comes first"""
_CUTS = np.array([[(0, 1, 2, 5), (0, 1, 5, 4), (0, 4, 5, 3)], [(0, 1, 2, 4), (0, 4, 2, 5), (0, 4, 5, 3)]])


def box_mesh(
    kind: str,
    counts: tuple[int, int, int] = (2, 2, 2),
    size: tuple[float, float, float] = (1.0, 1.0, 1.0),
    distort: float = 0.0,
    seed: int = 0,
    curve: float = 0.0,
) -> Mesh:
    """The box 0 <= x <= size of counts hexahedra, each cut into cells of type `kind`.

    Inner corners move by up to `distort` (below about 0.2) of the spacing in each direction and edges stay straight;
    `curve` moves the other nodes by up to that part of the spacing as well. Nodes on a face of the box stay on it.
    Node sets: xmin, xmax, ymin, ymax, zmin, zmax.
    """
    fine = 2 * np.array(counts) + 1
    place = np.stack(np.meshgrid(*(np.arange(n) for n in fine), indexing="ij"), axis=-1)
    number = np.arange(place[..., 0].size).reshape(fine)
    start = np.stack(np.meshgrid(*(2 * np.arange(n) for n in counts), indexing="ij"), axis=-1).reshape(-1, 1, 3)
    hexahedra = number[tuple(np.moveaxis(start + _LATTICE, -1, 0))]
    place = place.reshape(-1, 3)
    if kind == "pyramid13":
        hexahedra, place = _with_quarters(hexahedra, place.astype(float))
    spacing = np.array(size) / np.array(counts)
    points = place / 2.0 * spacing
    nodes = _cells_of(kind, hexahedra)
    random = np.random.default_rng(seed)
    free = (place > 0) & (place < fine - 1)
    noise = free * random.uniform(-1.0, 1.0, points.shape) * spacing
    points = _straighten(kind, nodes, points + distort * noise) + curve * _off_corners(kind, nodes, noise)
    sets = {name + side: place[:, i] == limit for i, name in enumerate(AXES) for side, limit in _limits(fine[i])}
    return _finish(kind, nodes, points, sets, f"box of {kind}")


def rod_mesh(kind: str, length: float, radius: float, n_along: int, n_across: int) -> Mesh:
    """A round rod about the x axis from 0 to length; n_across cells on a diameter, nodes of the surface on the circle.

    Node sets: start (x = 0), end (x = length), skin, axis. Of quadratic kinds only the skin is curved: cells with
    straight edges hold uniform bending exactly, those with curved ones do not.
    """
    disc, quads = _disc(radius, n_across)
    layers = 2 * n_along + 1
    x = np.linspace(0.0, length, layers)
    points = np.column_stack([np.repeat(x, len(disc)), np.tile(disc, (layers, 1))])
    # A cell's third local direction is x: its base is the quad in the (y, z) plane seen from +x.
    flat = {tuple(pair): i for i, pair in enumerate(itertools.product(range(3), range(3)))}
    base = np.array([flat[(a, b)] for a, b, _ in _LATTICE])
    first = 2 * np.arange(n_along)[:, None, None] + _LATTICE[:, 2]
    hexahedra = (first * len(disc) + quads[:, base][None]).reshape(-1, 27)
    if kind == "pyramid13":
        hexahedra, points = _with_quarters(hexahedra, points)
    if kind == "pyramid5":  # with straight edges, the middle of a curved hexahedron may be outside
        points[hexahedra[:, 26]] = points[hexahedra[:, :8]].mean(axis=1)
    nodes = _cells_of(kind, hexahedra)
    across = np.hypot(points[:, 1], points[:, 2])
    skin = across > radius * (1 - 1e-9)
    if kind != "hex27":  # whose inner nodes follow its curved faces
        points = np.where(skin[:, None], points, _straighten(kind, nodes, points))
    sets = {"start": points[:, 0] == 0.0, "end": points[:, 0] == length, "skin": skin, "axis": across < radius * 1e-9}
    return _finish(kind, nodes, points, sets, f"round rod of {kind}")


def _limits(fine: int) -> list[tuple[str, int]]:
    return [("min", 0), ("max", fine - 1)]


def _cells_of(kind: str, hexahedra: Integers) -> Integers:
    """(n, 27) hexahedra on the half lattice -> (m, k) cells of the kind on the same nodes."""
    if kind.startswith("hex"):
        return hexahedra[:, : SOLIDS[kind]]
    if kind.startswith("pyramid"):
        # Bases seen from outside, so that the apex lies behind them; middles of the sides, then of the slopes.
        local = np.array([[*reversed(base), 26] for base in _BASES])
        if kind == "pyramid13":
            sides = [_middle(local[:, a], local[:, b]) for a, b in EDGES[kind][:4]]
            local = np.concatenate([local, *sides, 27 + local[:, :4]], axis=1)
        return hexahedra[:, local].reshape(-1, SOLIDS[kind])
    pieces: list[Integers] = []
    for wedge in _WEDGES:
        local = np.broadcast_to(wedge, (len(hexahedra), 6))
        pieces += [local] if kind.startswith("wedge") else _tets(local, hexahedra)
    local = np.stack(pieces, axis=1).reshape(-1, pieces[0].shape[1])
    if kind in EDGES:
        local = np.concatenate([local, *(_middle(local[:, a], local[:, b]) for a, b in EDGES[kind])], axis=1)
    rows = np.repeat(np.arange(len(hexahedra)), len(pieces))
    return hexahedra[rows[:, None], local]


def _with_quarters(hexahedra: Integers, points: Floats) -> tuple[Integers, Floats]:
    """(n, 35) hexahedra and their points, with nodes half way between the corners and the middle of the cell."""
    new = (points[hexahedra[:, :8]] + points[hexahedra[:, 26:27]]) / 2.0
    numbers = len(points) + np.arange(8 * len(hexahedra)).reshape(-1, 8)
    return np.concatenate([hexahedra, numbers], axis=1), np.concatenate([points, new.reshape(-1, 3)])


def _tets(local: Integers, hexahedra: Integers) -> list[Integers]:
    """Three tetrahedra of every wedge, by the local numbers of their corners."""
    rows = np.arange(len(local))[:, None]
    lowest = np.argmin(hexahedra[rows, local], axis=1)
    local = local[rows, _TURNS[lowest]]
    number = hexahedra[rows, local]
    cut = np.where(np.minimum(number[:, 1], number[:, 5]) < np.minimum(number[:, 2], number[:, 4]), 0, 1)
    return [local[rows, _CUTS[cut, i]] for i in range(3)]


def _middle(a: Integers, b: Integers) -> Integers:
    """Local number of the lattice node half way between two corners."""
    lookup = {tuple(place): i for i, place in enumerate(_LATTICE)}
    table = np.zeros((8, 8), dtype=np.int64)
    for i, j in itertools.product(range(8), range(8)):
        table[i, j] = lookup[tuple((_LATTICE[i] + _LATTICE[j]) // 2)]
    return table[a, b][:, None]


def _n_corners(kind: str) -> int:
    return {"tet": 4, "pyramid": 5, "wedge": 6, "hex": 8}[kind.rstrip("0123456789")]


def _off_corners(kind: str, nodes: Integers, values: Floats) -> Floats:
    """The values with those of corners set to zero."""
    values = values.copy()
    values[nodes[:, : _n_corners(kind)]] = 0.0
    return values


def _straighten(kind: str, nodes: Integers, points: Floats) -> Floats:
    """Put every node that is not a corner into the middle of its edge, face or cell."""
    points = points.copy()
    corner = points[nodes[:, : _n_corners(kind)]]
    for i, (a, b) in enumerate(EDGES.get(kind, [])):
        points[nodes[:, corner.shape[1] + i]] = (corner[:, a] + corner[:, b]) / 2.0
    if kind == "hex27":
        for i in range(20, 27):
            at = np.array(
                [all(c == m or m == 1 for c, m in zip(place, _LATTICE[i], strict=True)) for place in _CORNERS]
            )
            points[nodes[:, i]] = corner[:, at].mean(axis=1)
    return points


def _disc(radius: float, n_across: int) -> tuple[Floats, Integers]:
    """Points (p, 2) of a disc and its quadrilaterals (q, 9) on the half lattice, the 9 nodes row by row.

    An inner square of k x k cells, then rings of 4 k cells out to the circle.
    """
    rings = max(1, n_across // 4)
    k = max(1, n_across - 2 * rings)
    side = np.linspace(-1.0, 1.0, 2 * k + 1)
    u, v = np.meshgrid(side, side, indexing="ij")
    # Sides bulge outwards, so that the three cells that meet at a corner of the square share 360 degrees about evenly.
    inner = 0.5 * radius * np.stack([u * (1.12 - 0.12 * v**2), v * (1.12 - 0.12 * u**2)], axis=-1).reshape(-1, 2)
    number = np.arange(len(inner)).reshape(u.shape)
    cells = [number[2 * i : 2 * i + 3, 2 * j : 2 * j + 3].reshape(-1) for i, j in itertools.product(range(k), range(k))]
    rim = np.concatenate([number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]])
    angle = -0.75 * np.pi + 2.0 * np.pi * np.arange(len(rim)) / len(rim)
    circle = radius * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    part = np.linspace(0.0, 1.0, 2 * rings + 1)[1:, None, None]
    outer = (1.0 - part) * inner[rim] + part * circle
    ring = np.concatenate([rim[None], len(inner) + np.arange(outer[..., 0].size).reshape(2 * rings, -1)])
    for j, t in itertools.product(range(rings), range(4 * k)):
        cells.append(ring[2 * j : 2 * j + 3][:, np.arange(2 * t, 2 * t + 3) % len(rim)].reshape(-1))
    return np.concatenate([inner, outer.reshape(-1, 2)]), np.array(cells)


def _finish(kind: str, nodes: Integers, points: Floats, sets: dict[str, Flags], name: str) -> Mesh:
    """Number only the nodes in use."""
    used = np.unique(nodes)
    new = np.full(len(points), -1, dtype=np.int64)
    new[used] = np.arange(len(used))
    node_sets = {key: np.flatnonzero(mask[used]) for key, mask in sets.items()}
    cells = (Cells(kind, new[nodes]),)
    everything = (np.arange(len(nodes)),)
    return Mesh(points[used], cells, (), node_sets, {"all": everything}, name=name)
