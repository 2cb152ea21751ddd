"""Corners, edges and faces of the cell types, in VTK node order.

Nodes of a quadratic cell come as corners, then one node for every edge, then (quad9, hex27) one for every face, then
(hex27) one for the cell. Corners of a face run so that the right-hand normal points out of a cell of positive volume.
"""

from __future__ import annotations

_TRIANGLE = [(0, 1), (1, 2), (2, 0)]
_QUADRILATERAL = [(0, 1), (1, 2), (2, 3), (3, 0)]
_TETRAHEDRON = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
_WEDGE = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
_PYRAMID = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)]
_HEXAHEDRON = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]

CORNERS = {"line": 2, "tri": 3, "quad": 4, "tet": 4, "pyramid": 5, "wedge": 6, "hex": 8}
"""Family -> number of corners"""
EDGES = {
    "line": [(0, 1)],
    "tri": _TRIANGLE,
    "quad": _QUADRILATERAL,
    "tet": _TETRAHEDRON,
    "pyramid": _PYRAMID,
    "wedge": _WEDGE,
    "hex": _HEXAHEDRON,
}
"""Family -> the two corners of every edge"""
FACES: dict[str, list[tuple[int, ...]]] = {
    "tet": [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)],
    "pyramid": [(0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)],
    "wedge": [(0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)],
    "hex": [(0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (2, 3, 7, 6), (0, 3, 2, 1), (4, 5, 6, 7)],
}
"""Family -> corners of every face; those of a hexahedron in the order of hex27's face nodes"""
NEIGHBOURS: dict[str, list[tuple[int, int, int]]] = {
    "tet": [(1, 2, 3), (2, 0, 3), (0, 1, 3), (0, 2, 1)],
    "pyramid": [(1, 3, 4), (2, 0, 4), (3, 1, 4), (0, 2, 4), (2, 1, 0)],
    "wedge": [(1, 2, 3), (2, 0, 4), (0, 1, 5), (5, 4, 0), (3, 5, 1), (4, 3, 2)],
    "hex": [(1, 3, 4), (2, 0, 5), (3, 1, 6), (0, 2, 7), (7, 5, 0), (4, 6, 1), (5, 7, 2), (6, 4, 3)],
}
"""Family -> for every corner the ends of three edges that leave it, as a right-handed triple"""


def family(kind: str) -> str:
    """The cell type without its number of nodes: "tet" of "tet10"."""
    return kind.rstrip("0123456789")


def n_corners(kind: str) -> int:
    """Number of corners of a cell type."""
    return CORNERS[family(kind)]


def is_quadratic(kind: str) -> bool:
    """Whether a cell type has more nodes than corners."""
    return int(kind[len(family(kind)) :]) > n_corners(kind)


def face_nodes(kind: str) -> list[tuple[int, ...]]:
    """Local numbers of the nodes of every face: corners, then one per edge, then (hex27) the one in the middle."""
    name = family(kind)
    faces = FACES[name]
    if not is_quadratic(kind):
        return faces
    number = {frozenset(edge): CORNERS[name] + i for i, edge in enumerate(EDGES[name])}
    full = []
    for i, face in enumerate(faces):
        middles = tuple(number[frozenset((a, b))] for a, b in zip(face, face[1:] + face[:1], strict=True))
        full.append(face + middles + ((20 + i,) if kind == "hex27" else ()))
    return full


def mirrored(kind: str) -> list[int]:
    """Order of nodes that turns a cell inside out: node i of the turned cell is node order[i] of the old one."""
    name = family(kind)
    corner = {"tet": [0, 2, 1, 3], "pyramid": [0, 3, 2, 1, 4], "wedge": [0, 2, 1, 3, 5, 4]}
    corner["hex"] = [0, 3, 2, 1, 4, 7, 6, 5]
    turned = corner[name]
    order = list(turned)
    if is_quadratic(kind):
        number = {frozenset(edge): CORNERS[name] + i for i, edge in enumerate(EDGES[name])}
        order += [number[frozenset((turned[a], turned[b]))] for a, b in EDGES[name]]
    if kind == "hex27":
        face = {frozenset(corners): 20 + i for i, corners in enumerate(FACES[name])}
        order += [face[frozenset(turned[c] for c in corners)] for corners in FACES[name]]
        order.append(26)
    return order
