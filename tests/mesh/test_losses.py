"""Losses of an import: what every reader leaves out is data with a kind, a number and a level, and never only a note.

Covers: mesh.formats.abaqus_losses, mesh.formats.nastran_losses.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from flexmb.mesh.deck import USED
from flexmb.mesh.losses import Loss, in_order, lost_elements, percent
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.read import read_mesh
from tests.support.places import ROOT

MATERIALS = frozenset({"materials"})
"""What imported matrices use of a deck: all else is a loss"""
NASTRAN = """BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,0.,1.,0.
GRID,4,,0.,0.,1.
GRID,5,,5.,5.,5.
CTETRA,10,7,1,2,3,4
PSOLID,7,1{solid}
MAT1,1,2.1+11,,.3,7850.
{cards}
ENDDATA
"""
ABAQUS = """*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
9, 5, 5, 5
*ELEMENT, TYPE=C3D4, ELSET=all
1, 1, 2, 3, 4
*NSET, NSET=face
1, 2, 3
{cards}
"""


def nastran(folder: Path, cards: str = "", solid: str = "") -> Mesh:
    (folder / "part.bdf").write_text(NASTRAN.format(cards=cards, solid=solid))
    return read_mesh(folder / "part.bdf", "m", uses=MATERIALS)


def abaqus(folder: Path, cards: str = "") -> Mesh:
    (folder / "part.inp").write_text(ABAQUS.format(cards=cards))
    return read_mesh(folder / "part.inp", "m", uses=MATERIALS)


def only(mesh: Mesh) -> Loss:
    assert len(mesh.losses) == 1, mesh.losses
    return mesh.losses[0]


@pytest.mark.parametrize(
    ("cards", "kind", "count", "level"),
    [
        ("CONM2,20,1,,2.", "masses", 1, "care"),
        ("CONM1,20,1,,2.", "masses", 1, "care"),
        ("CMASS2,20,3.,1,1\nCMASS2,21,3.,2,1", "masses", 2, "care"),
        ("CELAS1,20,9,1,1,2,1", "springs", 1, "care"),
        ("CBUSH,20,9,1,2", "springs", 1, "care"),
        ("CDAMP2,20,9.,1,1,2,1", "dampers", 1, "care"),
        ("RBAR,20,1,2,123456,,,123456", "ties", 1, "care"),
        ("MPC,1,1,1,1.,2,1,-1.", "ties", 1, "care"),
        ("RBE2,20,5,123456,1,2,3", "ties", 1, "care"),
        ("RBE3,20,,5,123456,1.,123,1,2,\n,3", "ties", 1, "care"),
        ("SPC1,1,123,1,2", "supports", 1, "note"),
        ("CONROD,20,1,2,1,3.", "bars", 1, "bad"),
        ("CQUAD4,20,8,1,2,3,5\nPSHELL,8,1,1.", "shells", 1, "bad"),
        ("CTRIA3,20,8,1,2,3\nPSHELL,8,1,1.", "shells", 1, "bad"),
        ("CBAR,20,8,1,2,0.,1.,0.\nPBAR,8,1,1.,1.,1.", "bars", 1, "bad"),
        ("CSHEAR,20,8,1,2,3,4", "shells", 1, "bad"),
        ("CNEW,20,8,1,2,3,4", "elements", 1, "bad"),
        ("DMIG,K2GG,1,1,,2,2,5.", "matrices", 1, "bad"),
        ("CYSYM,6,ROT", "geometry", 1, "bad"),
    ],
)
def test_cards_of_nastran(tmp_path: Path, cards: str, kind: str, count: int, level: str) -> None:
    losses = [loss for loss in nastran(tmp_path, cards).losses if loss.kind != "orientation"]
    assert [(loss.kind, loss.count, loss.level) for loss in losses] == [(kind, count, level)]


def test_a_plain_deck_has_no_losses(tmp_path: Path) -> None:
    mesh = nastran(
        tmp_path, "PLOTEL,20,1,2\nCORD2R,3,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nPARAM,POST,-1\nFORCE,1,1,,1.,1.,0.,0."
    )
    assert mesh.losses == () and mesh.elements == {"CTETRA4": 1} and not mesh.unit_guessed
    # meshers write surface cells without properties: they mark surfaces and have no stiffness
    assert nastran(tmp_path, "CTRIA3,20,8,1,2,3").losses == ()
    mesh = abaqus(tmp_path, "*ELEMENT, TYPE=CPS3, ELSET=skin\n5, 1, 2, 3\n*ELEMENT, TYPE=T3D2, ELSET=edge\n6, 1, 2")
    assert mesh.losses == () and mesh.elements == {"C3D4": 1}


def test_masses_are_added_up(tmp_path: Path) -> None:
    assert only(nastran(tmp_path, "CONM2,20,1,,2.\nCONM2,21,2,,.5")).mass == 2.5
    losses = nastran(tmp_path, "CONM2,20,1,,2.\nCMASS1,21,4,2,1").losses
    assert [(loss.mass, loss.deck) for loss in losses] == [(2.0, "masses"), (None, "")], "CMASS1 is in no deck"
    mesh = abaqus(tmp_path, "*ELEMENT, TYPE=MASS, ELSET=m\n5, 9\n6, 1\n*MASS, ELSET=m\n1.5")
    assert only(mesh).mass == 3.0 and "2 MASS with a total mass of 3" in only(mesh).text
    assert only(abaqus(tmp_path, "*ELEMENT, TYPE=MASS, ELSET=m\n5, 9")).mass is None


def test_ties_name_their_sets(tmp_path: Path) -> None:
    mesh = nastran(tmp_path, "RBE2,20,5,123456,1,2,3\nRBE2,21,5,123456,4")
    assert only(mesh).sets == ("rbe_20", "rbe_21") and only(mesh).count == 2
    mesh = abaqus(
        tmp_path, "*SURFACE, NAME=end, TYPE=NODE\nface\n*COUPLING, REF NODE=9, SURFACE=end, CONSTRAINT NAME=c"
    )
    assert only(mesh).sets == ("end",)


@pytest.mark.parametrize(
    ("cards", "kind", "level"),
    [
        ("*ELEMENT, TYPE=SPRINGA, ELSET=s\n5, 1, 2", "springs", "care"),
        ("*ELEMENT, TYPE=CONN3D2\n5, 1, 2", "springs", "care"),
        ("*ELEMENT, TYPE=DASHPOTA\n5, 1, 2", "dampers", "care"),
        ("*ELEMENT, TYPE=U1\n5, 1, 2", "elements", "bad"),
        ("*TIE, NAME=t\na, b", "ties", "care"),
        ("*MPC\nBEAM, 1, 2", "ties", "care"),
        ("*EQUATION\n2\n1, 1, 1., 2, 1, -1.", "ties", "care"),
        ("*RIGID BODY, REF NODE=9, ELSET=all", "ties", "care"),
        ("*NONSTRUCTURAL MASS, ELSET=all, UNITS=TOTAL MASS\n2.", "masses", "care"),
        ("*BOUNDARY\nface, 1, 3", "supports", "note"),
        ("*CYCLIC SYMMETRY MODEL, N=6\n0, 0, 0, 0, 0, 1", "geometry", "bad"),
        ("*ELEMENT, TYPE=S3, ELSET=s\n5, 1, 2, 9", "shells", "bad"),
        ("*ELEMENT, TYPE=S3, ELSET=s\n5, 1, 2, 3\n*SHELL SECTION, ELSET=s, MATERIAL=m\n1.", "shells", "bad"),
        ("*ELEMENT, TYPE=B31, ELSET=b\n5, 1, 2\n*BEAM SECTION, ELSET=b, SECTION=CIRC, MATERIAL=m\n1.", "bars", "bad"),
    ],
)
def test_keywords_of_abaqus(tmp_path: Path, cards: str, kind: str, level: str) -> None:
    loss = only(abaqus(tmp_path, cards))
    assert (loss.kind, loss.level) == (kind, level)


def test_a_second_material_and_anisotropy(tmp_path: Path) -> None:
    two = "CTETRA,11,8,2,3,4,5\nPSOLID,8,2\nMAT1,2,{},,.3,7850."
    assert nastran(tmp_path, two.format("7.+10")).losses == (), "both are used"
    unused = read_mesh(tmp_path / "part.bdf", "m", uses=frozenset())
    assert [loss.kind for loss in unused.losses] == ["materials"]
    assert nastran(tmp_path, two.format("2.1+11")).losses == (), "the same numbers under another name"
    losses = nastran(tmp_path, two.replace("MAT1,2,{},,.3,7850.", "MAT9,2,1.,2.")).losses
    assert [loss.kind for loss in losses] == ["materials"] and "anisotropic" in losses[0].text
    section = (
        "*SOLID SECTION, ELSET=all, MATERIAL=fibre\n*MATERIAL, NAME=fibre\n*ELASTIC, TYPE=ENGINEERING CONSTANTS\n1., 2."
    )
    losses = abaqus(tmp_path, section).losses
    assert "not isotropic" in losses[0].text and "*ELASTIC (line 13) of the material 'fibre' cannot" in losses[1].text
    section += ", 3., .1, .1, .1, 1., 1.\n1."
    assert "not isotropic" in only(abaqus(tmp_path, section)).text


def test_bars_with_pins_offsets_and_axes(tmp_path: Path) -> None:
    text = "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,2.,0.,0.\nPBAR,7,1,1.,1.,1.\nPBAR,8,1,2.,1.,1.\n"
    text += "CBAR,1,7,1,2,0.,1.,0.,\n,,456,0.,0.,.1\nCBAR,2,8,2,3,0.,1.,0.\nENDDATA\n"
    (tmp_path / "frame.bdf").write_text(text)
    found = {
        loss.text.split()[1]: loss for loss in read_mesh(tmp_path / "frame.bdf", "m", uses=USED - {"beams"}).losses
    }
    assert [(loss.kind, loss.count) for loss in found.values()] == [
        ("sections", 2), ("orientation", 2), ("offsets", 1), ("offsets", 1)
    ]  # fmt: skip


def test_flags_of_integration_are_part_of_the_name(tmp_path: Path) -> None:
    assert nastran(tmp_path, solid=",,2,,FULL").elements == {"CTETRA4 with IN=2, ISOP=FULL": 1}
    # cards that cannot be read and concern no cell do not stop the reader
    assert nastran(tmp_path, "PSHELL,x,y\nMAT1,one,two").elements == {"CTETRA4": 1}


def test_shells_of_a_gmsh_file_without_solids(tmp_path: Path) -> None:
    """A plate with named edges: its edges would be bars, and its cells are lost."""
    mesh = (
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n$Elements\n3\n"
    )
    mesh += "1 1 2 1 1 1 2\n2 2 2 2 1 1 2 3\n3 2 2 2 1 1 3 4\n$EndElements\n"
    (tmp_path / "plate.msh").write_text(mesh)
    loss = only(read_mesh(tmp_path / "plate.msh"))
    assert loss.kind == "shells" and loss.level == "bad" and loss.count == 2 and loss.share == pytest.approx(2 / 3)
    assert "2 of 3 elements were left out (66.7 %): 2 tri3" in loss.text
    assert read_mesh(tmp_path / "plate.msh").unit_guessed


def test_levels_and_shares() -> None:
    assert (
        lost_elements("shells", "", 9, 100, "").level == "care"
        and lost_elements("shells", "", 1, 10, "").level == "bad"
    )
    assert [percent(share) for share in (0.5, 0.99979, 1.0, 1.4154)] == ["50 %", "99.979 %", "100 %", "142 %"]
    losses = [Loss("supports", "", level="note"), Loss("springs", ""), Loss("shells", "", level="bad")]
    assert [loss.level for loss in in_order(losses)] == ["bad", "care", "note"]
    assert Loss("shells", "text", 2, "bad", 0.5).as_dict() == {
        "kind": "shells", "count": 2, "share": 0.5, "level": "bad", "text": "text"
    }  # fmt: skip


def test_shipped_meshes_have_no_losses() -> None:
    for name in ("connecting_rod_coarse.bdf", "connecting_rod_coarse.inp", "connecting_rod_coarse.msh"):
        assert read_mesh(ROOT / "meshes" / name, "mm").losses == ()
