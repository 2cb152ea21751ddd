"""Element types of Abaqus and CalculiX: cell type, nodes, faces."""

from __future__ import annotations

import re

import numpy as np

from flexmb.arrays import Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.formats.abaqus_text import Block, integers
from flexmb.mesh.topology import CORNERS, FACES, family

LEFT_OUT = "left out"
"""Type of elements that are not cells: masses, springs, connectors"""
_SOLID = {4: "tet4", 10: "tet10", 8: "hex8", 20: "hex20", 27: "hex27", 6: "wedge6", 15: "wedge15", 5: "pyramid5"}
_SOLID |= {13: "pyramid13"}
_SURFACE = {3: "tri3", 4: "quad4", 6: "tri6", 8: "quad8", 9: "quad9"}
_ONE_DIMENSIONAL = re.compile(r"(?:B[23]|PIPE[23]|T[23]D|F3D)([1-4])(?:\D.*)?")
_FLAT = re.compile(r"(?:S|M3D|SFM3D|R3D|CPS|CPE|CPEG|CAX|DS|DC2D|DCAX|STRI)(3|4|6|8|9)(?:\D.*)?")
_NO_CELLS = re.compile(r"(?:MASS|ROTARYI|SPRING|DASHPOT|CONN|DCOUP|GAP|JOINT|HEATCAP|DIST|RB[23]D|RAX|ITT|U\d).*")
# Nodes 21 .. 27 of a C3D27 are its centre and the middles of faces S1 .. S6.
_ORDERS = {"hex27": [*range(20), 26, 24, 23, 25, 21, 22, 20], "line3": [0, 2, 1]}
"""Cell type -> index of each node of the VTK order in the order of Abaqus, where they differ"""

_FACE_CORNERS: dict[str, list[tuple[int, ...]]] = {
    "tet": [(1, 2, 3), (1, 4, 2), (2, 4, 3), (3, 4, 1)],
    "hex": [(1, 2, 3, 4), (5, 8, 7, 6), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 8, 4), (4, 8, 5, 1)],
    "pyramid": [(1, 2, 3, 4), (1, 5, 2), (2, 5, 3), (3, 5, 4), (4, 5, 1)],
    "wedge": [(1, 2, 3), (4, 6, 5), (1, 4, 5, 2), (2, 5, 6, 3), (3, 6, 4, 1)],
}
"""Family -> corners, counted from 1, of faces S1, S2, ... as listed in the manual"""


def kind_of(word: str) -> tuple[str, int]:
    """Cell type and number of nodes of an element type; the element type itself if it is unknown."""
    word = word.upper()
    solid = re.fullmatch(r"(?:DC3D|C3D|AC3D)(\d+).*", word)
    if solid and int(solid.group(1)) in _SOLID:
        return _SOLID[int(solid.group(1))], int(solid.group(1))
    if word.startswith("STRI65"):
        return "tri6", 6
    flat = _FLAT.fullmatch(word)
    if flat:
        return _SURFACE[int(flat.group(1))], int(flat.group(1))
    line = _ONE_DIMENSIONAL.fullmatch(word)
    if line:
        # The digit of a beam is its interpolation (B33: two nodes, cubic), that of a truss its number of nodes.
        three = line.group(1) == ("3" if word[0] in "TF" else "2")
        return ("line3", 3) if three else ("line2", 2)
    if _NO_CELLS.fullmatch(word):
        return LEFT_OUT, 0
    return word, 0


def read_elements(block: Block) -> tuple[str, Integers, Integers]:
    """Cell type, ids (n,), nodes (n, k) by their numbers in VTK order. Unknown types have no nodes."""
    word = block.name("TYPE")
    if not word:
        raise InputError([Fault("*ELEMENT without TYPE=.")])
    kind, count = kind_of(word)
    if count == 0:
        return kind, np.arange(len(block.lines)), np.zeros((len(block.lines), 0), dtype=np.int64)
    values = integers(block)
    if kind.startswith("line") and len(values) != (count + 1) * len(block.lines):
        values = _without_orientation_nodes(block, count)
    elif block.lines and len(block.lines[0].replace(",", " ").split()) > count + 1:
        text = f"*ELEMENT, TYPE={word}: a row has more than the {count} nodes of this type."
        hint = "Gmsh writes such wedges with 18 nodes: set Mesh.SecondOrderIncomplete = 1 in Gmsh."
        raise InputError([Fault(text, hint=hint)])
    if len(values) % (count + 1):
        text = f"*ELEMENT, TYPE={word}: {len(values)} numbers cannot be split into rows of an id and {count} nodes."
        raise InputError([Fault(text, hint="Check that the file is complete.")])
    table = values.reshape(-1, count + 1)
    nodes = table[:, 1:]
    return kind, table[:, 0], nodes[:, _ORDERS[kind]] if kind in _ORDERS else nodes


def _without_orientation_nodes(block: Block, count: int) -> Integers:
    """Numbers without the additional orientation node that beams may have."""
    kept = [line.rstrip(", ").split(",")[: count + 1] for line in block.lines]
    return integers(Block(block.word, block.parameters, [",".join(fields) for fields in kept]))


def face_number(kind: str, label: str) -> int | None:
    """Number of the face S1, S2, ... (or P1, ... of loads) in the order of `topology.FACES`; None: no such face."""
    digits = re.fullmatch(r"[SP](\d)", label.upper())
    faces = _FACE_CORNERS.get(family(kind), [])
    if digits is None or not 1 <= int(digits.group(1)) <= len(faces):
        return None
    corners = {corner - 1 for corner in faces[int(digits.group(1)) - 1]}
    assert max(corners) < CORNERS[family(kind)]
    return next(i for i, face in enumerate(FACES[family(kind)]) if set(face) == corners)
