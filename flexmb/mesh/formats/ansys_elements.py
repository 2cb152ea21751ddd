"""Element types of Ansys: cell type and nodes, with repeated nodes resolved.

Nodes of a brick: I, J, K, L below, M, N, O, P above, then the middles of the edges below, above and upright, which is
the order of VTK. K = L makes a wedge, M = N = O = P a pyramid, both a tetrahedron.
"""

from __future__ import annotations

SHELLS = {28, 41, 43, 63, 91, 93, 99, 143, 150, 181, 281}
_BRICKS = {5, 30, 45, 46, 62, 64, 65, 69, 70, 73, 80, 96, 97, 164, 185, 190, 215, 220, 278}
_BRICKS_20 = {89, 90, 95, 117, 122, 186, 191, 216, 221, 226, 231, 236, 239, 279}
_TETRAHEDRA_10 = {87, 92, 98, 119, 123, 127, 148, 168, 187, 217, 227, 232, 237, 240, 291}
_TETRAHEDRA = {72, 285}
_SURFACES = {22, 152, 154, 156}
"""Surface effect elements: they mark faces"""
_LINES = {4, 8, 10, 16, 18, 20, 23, 24, 44, 180, 188, 288}
_LINES_3 = {189, 289}
_MASSES = {21, 71}
_SPRINGS = {7, 14, 37, 39, 40, 250}
_TIES = {12, 48, 49, 52, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 184}
_MESH_ONLY = 200

_WEDGE_15 = [0, 1, 2, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 17, 18]
_PYRAMID_13 = [0, 1, 2, 3, 4, 8, 9, 10, 11, 16, 17, 18, 19]
_TET_10 = [0, 1, 2, 4, 8, 9, 11, 16, 17, 18]
_TRI_6 = [0, 1, 2, 4, 5, 7]


def cells_of(number: int, nodes: list[int]) -> tuple[str, list[int]]:
    """Cell type and nodes of an element of a library number; without nodes the name of what it is."""
    if number in _BRICKS or number in _BRICKS_20:
        return _brick(nodes)
    if number in _TETRAHEDRA_10 and len(nodes) >= 10:
        return _with_middles("tet", nodes[:10], 4) or ("element", [])
    if number in _TETRAHEDRA or number in _TETRAHEDRA_10:
        return "tet4", nodes[:4]
    if number in SHELLS or number in _SURFACES:
        return _quadrilateral(nodes)
    if number in _LINES and len(nodes) >= 2:
        return "line2", nodes[:2]
    if number in _LINES_3 and len(nodes) >= 3:
        return ("line3", nodes[:3]) if nodes[2] else ("line2", nodes[:2])
    if number == _MESH_ONLY:
        return "mesh only", []
    return "element", []


def lost_kind(word: str) -> str:
    """Kind of loss of "element 184", "CE", ..."""
    number = int(word.split()[1]) if word.startswith("element ") else 0
    if number in _MASSES:
        return "masses"
    if number in _SPRINGS:
        return "springs"
    if number in _TIES or word in ("CE", "CP"):
        return "ties"
    return "offsets" if word == "SECOFFSET" else "elements"


def _brick(nodes: list[int]) -> tuple[str, list[int]]:
    if len(nodes) < 8:
        return ("tet4", nodes[:4]) if len(nodes) == 4 else ("element", [])
    wedge, pyramid = nodes[2] == nodes[3], len(set(nodes[4:8])) == 1
    middles = [node for node in nodes[8:20] if node]
    if not middles:
        if wedge and pyramid:
            return "tet4", [nodes[i] for i in (0, 1, 2, 4)]
        if wedge and nodes[6] == nodes[7]:
            return "wedge6", [nodes[i] for i in (0, 1, 2, 4, 5, 6)]
        return ("pyramid5", nodes[:5]) if pyramid else ("hex8", nodes[:8])
    full = [*nodes, *[0] * 20][:20]
    if wedge and pyramid:
        chosen, name, corners = _TET_10, "tet", 4
    elif wedge and nodes[6] == nodes[7]:
        chosen, name, corners = _WEDGE_15, "wedge", 6
    elif pyramid:
        chosen, name, corners = _PYRAMID_13, "pyramid", 5
    else:
        chosen, name, corners = list(range(20)), "hex", 8
    return _with_middles(name, [full[i] for i in chosen], corners) or ("element", [])


def _quadrilateral(nodes: list[int]) -> tuple[str, list[int]]:
    if len(nodes) == 3:
        return "tri3", nodes
    if len(nodes) < 4:
        return "element", []
    triangle = nodes[2] == nodes[3]
    if len(nodes) >= 8 and any(nodes[4:8]):
        chosen = [nodes[i] for i in (_TRI_6 if triangle else range(8))]
        name, corners = ("tri", 3) if triangle else ("quad", 4)
        return _with_middles(name, chosen, corners) or ("element", [])
    return ("tri3", nodes[:3]) if triangle else ("quad4", nodes[:4])


def _with_middles(name: str, nodes: list[int], corners: int) -> tuple[str, list[int]] | None:
    """The cell of second order, of first order if it has no middle nodes at all; None if some are missing."""
    given = [node for node in nodes[corners:] if node]
    if not given:
        return f"{name}{corners}", nodes[:corners]
    return (f"{name}{len(nodes)}", nodes) if len(given) == len(nodes) - corners else None
