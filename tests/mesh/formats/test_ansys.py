"""Ansys archive files: blocks of every width, bricks that stand for other cells, components, materials, damaged files.

Covers: mesh.formats.ansys_elements, mesh.formats.ansys_materials.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.mesh.checks import check_mesh
from flexmb.mesh.deck import KINDS, Anisotropic, Isotropic
from flexmb.mesh.formats.ansys_elements import cells_of
from flexmb.mesh.formats.ansys_materials import deck_materials
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.read import read_mesh
from flexmb.verification.solid_meshes import box_mesh

STEEL = "MPDATA,R5.0, 1,EX  , 1, 1, 2.1E11,\nMPDATA,R5.0, 1,NUXY, 1, 1, 0.3,\nMP,DENS,1,7850."
# Repeated nodes of a brick that make it a wedge (K = L, O = P) or a tetrahedron (also M = N = O = P), by VTK numbers.
REPEATED: dict[str, list[int]] = {
    "hex8": list(range(8)),
    "wedge6": [0, 1, 2, 2, 3, 4, 5, 5],
    "tet4": [0, 1, 2, 2, 3, 3, 3, 3],
    "hex20": list(range(20)),
    "wedge15": [0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 2, 8, 9, 10, 5, 11, 12, 13, 14, 14],
    "tet10": [0, 1, 2, 2, 3, 3, 3, 3, 4, 5, 2, 6, 3, 3, 3, 3, 7, 8, 9, 9],
}


def text_of(mesh: Mesh, number: int, more: Sequence[str] = (), width: int = 9, own_order: bool = False) -> str:
    lines = ["/PREP7", f"ET,        1,{number}", f"NBLOCK,6,SOLID, {mesh.n_points}, {mesh.n_points}"]
    lines.append(f"(3i{width},6e21.13e3)")
    for i, x in enumerate(mesh.points, 1):
        row = f"{i:{width}d}{0:{width}d}{0:{width}d}" + "".join(f"{value:21.13E}" for value in x)
        lines.append(row)
    lines += ["N,R5.3,LOC,       -1,", "EBLOCK,19,SOLID, 9, 9", f"(19i{width})"]
    for count, row in enumerate(mesh.cells[0].nodes, 1):
        order = range(len(row)) if own_order else REPEATED[mesh.cells[0].kind]
        nodes = [int(row[i]) + 1 for i in order]
        head = [1, 1, 1, 1, 0, 0, 0, 0, len(nodes), 0, count]
        first, rest = head + nodes[:8], nodes[8:]
        lines.append("".join(f"{value:{width}d}" for value in first))
        if rest:
            lines.append("".join(f"{value:{width}d}" for value in rest))
    return "\n".join([*lines, f"{-1:{width}d}", *more, "FINISH", ""])


@pytest.mark.parametrize("width", [8, 10])
@pytest.mark.parametrize("kind", REPEATED)
def test_bricks_stand_for_all_cells(tmp_path: Path, kind: str, width: int) -> None:
    box = box_mesh(kind, (2, 1, 1), (2.0, 1.0, 1.0))
    number = 186 if int(kind.lstrip("abcdefghijklmnopqrstuvwxyz")) > 8 else 185
    (tmp_path / "part.cdb").write_text(text_of(box, number, [STEEL], width))
    mesh = read_mesh(tmp_path / "part.cdb", "m")
    found, expected = check_mesh(mesh), check_mesh(box)
    assert found.cells == expected.cells and not found.faults
    assert found.volume == pytest.approx(expected.volume, rel=1e-12)
    assert found.worst_quality == pytest.approx(expected.worst_quality, rel=1e-9)
    assert not any("reordered" in note for note in mesh.notes)
    assert mesh.deck is not None and mesh.deck.materials["mat_1"] == Isotropic(2.1e11, 0.3, 2.1e11 / 2.6, 7850.0)


def test_tetrahedra_pyramids_shells_and_beams() -> None:
    assert cells_of(187, list(range(1, 11))) == ("tet10", list(range(1, 11)))
    assert cells_of(285, [1, 2, 3, 4]) == ("tet4", [1, 2, 3, 4])
    assert cells_of(185, [1, 2, 3, 4, 5, 5, 5, 5]) == ("pyramid5", [1, 2, 3, 4, 5])
    assert cells_of(186, [1, 2, 3, 4, 5, 6, 7, 8, *[0] * 12]) == ("hex8", [1, 2, 3, 4, 5, 6, 7, 8])
    assert cells_of(186, [1, 2, 3, 4, 5, 6, 7, 8, 9, *[0] * 11]) == ("element", []), "middle nodes on one edge only"
    assert cells_of(181, [1, 2, 3, 3]) == ("tri3", [1, 2, 3])
    assert cells_of(281, [1, 2, 3, 3, 4, 5, 3, 6]) == ("tri6", [1, 2, 3, 4, 5, 6])
    assert cells_of(188, [1, 2, 3]) == ("line2", [1, 2]) and cells_of(189, [1, 2, 3, 4]) == ("line3", [1, 2, 3])
    assert cells_of(184, [1, 2]) == ("element", [])


def test_components_sections_and_supports(tmp_path: Path) -> None:
    more = ["CMBLOCK,SOME,NODE,       3  ! users node component", "(8i10)", f"{2:10d}{-4:10d}{7:10d}"]
    more += ["CMBLOCK,ALL,ELEM,       2", "(8i10)", f"{1:10d}{-2:10d}", STEEL]
    more += ["D,       1,UX  ,  0.0", "D,       1,UZ  ,  0.0", "D,       3,ALL ,  0.0"]
    box = box_mesh("hex8", (2, 1, 1), (2.0, 1.0, 1.0))
    (tmp_path / "part.cdb").write_text(text_of(box, 185, more))
    mesh = read_mesh(tmp_path / "part.cdb", "m")
    assert mesh.node_sets["SOME"].tolist() == [1, 2, 3, 6] and mesh.cell_sets["ALL"][0].tolist() == [0, 1]
    assert mesh.deck is not None
    held = {(int(node), entry.components) for entry in mesh.deck.supports for node in entry.nodes}
    assert held == {(0, "13"), (2, "123456")}
    assert [loss.kind for loss in mesh.losses] == ["supports"]


def test_shells_have_the_thickness_of_their_section(tmp_path: Path) -> None:
    box = box_mesh("hex8", (1, 1, 1), (1.0, 1.0, 1.0))
    shells = Mesh(box.points, (type(box.cells[0])("quad4", box.cells[0].nodes[:, :4]),))
    more = [STEEL, "SECTYPE,1,SHELL,,plate", "SECOFFSET,MID", "SECBLOCK,  1", " 0.002, 1, 0.0, 3"]
    (tmp_path / "part.cdb").write_text(text_of(shells, 181, more, own_order=True))
    deck = read_mesh(tmp_path / "part.cdb", "m", uses=frozenset(KINDS)).deck
    assert deck is not None and [(entry.thickness, entry.material) for entry in deck.shells] == [(0.002, "mat_1")]


def test_orthotropic_materials() -> None:
    values = {"EX": 10.0, "EY": 5.0, "EZ": 5.0, "PRXY": 0.2, "GXY": 2.0, "GYZ": 4.0, "GXZ": 3.0, "DENS": 1.0}
    found, unusable = deck_materials({4: values, 5: {"EX": 10.0, "EY": 5.0}, 6: {"KXX": 1.0}})
    assert unusable == ["material 5: its constants are incomplete or impossible"]
    material = found["mat_4"]
    assert isinstance(material, Anisotropic)
    S = np.linalg.inv(np.array(material.stiffness))
    assert S[0, 1] == pytest.approx(-0.02) and np.diag(S) == pytest.approx([0.1, 0.2, 0.2, 0.5, 0.25, 1.0 / 3.0])
    minor = {key: value for key, value in values.items() if key != "PRXY"} | {"NUXY": 0.1}
    same = deck_materials({4: minor})[0]["mat_4"]
    assert isinstance(same, Anisotropic)
    assert np.array(same.stiffness) == pytest.approx(np.array(material.stiffness)), "NUXY = PRXY EY/EX"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(3i9,6e21.13e3)", "", "line 4: a block needs its format"),
        ("NBLOCK", "NBLOK", "has no block of nodes"),
        ("\nFINISH", "\nMP,EX,1,steel\nFINISH", "line 18: 'MP,EX,1,steel' cannot be read"),
        ("\n       -1\nFINISH\n", "", "line 14: the block has no end"),
        ("        1        5        7", "        x        5        7", "line 16: .* has a field that is not a number"),
    ],
)
def test_damaged_files_are_reported_with_their_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = text_of(box_mesh("hex8", (1, 1, 1), (1.0, 1.0, 1.0)), 185)
    assert old in text
    (tmp_path / "part.cdb").write_text(text.replace(old, new))
    with pytest.raises(InputError, match=words):
        read_mesh(tmp_path / "part.cdb", "m")
