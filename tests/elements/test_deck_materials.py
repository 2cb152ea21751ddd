"""Materials of a deck for cells without --material."""

from __future__ import annotations

from pathlib import Path

import pytest

from flexmb.elements.deck_materials import deck_materials
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.read import read_mesh

TETRA = "BEGIN BULK\nGRID,1\nGRID,2,,1.\nGRID,3,,0.,1.\nGRID,4,,0.,0.,1.\nGRID,5,,1.,1.,1.\nCTETRA,1,1,1,2,3,4\n"
TETRA += "CTETRA,2,2,2,3,4,5\nPSOLID,1,1\nPSOLID,2,2\nMAT1,1,2.1+11,,.3,7850.\n{}\nENDDATA\n"


def read(folder: Path, card: str) -> Mesh:
    (folder / "part.bdf").write_text(TETRA.format(card))
    return read_mesh(folder / "part.bdf", "m")


def test_materials_by_cell_set(tmp_path: Path) -> None:
    found, faults = deck_materials(read(tmp_path, "MAT1,2,7.+10,,.33,2700."))
    assert not faults and list(found) == ["pid_1", "pid_2"]
    assert (
        found["pid_2"].E == 7e10 and found["pid_2"].G == pytest.approx(7e10 / 2.66) and found["pid_1"].name == "mat_1"
    )


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ("MAT1,2,7.+10,,.33", "'mat_2' of the file cannot be used: density must be"),
        ("MAT8,2,7.+10,1.,.3,1.,1.,1.,2.", "it is anisotropic"),
        ("", "it is not in the file"),
    ],
)
def test_materials_that_cannot_be_used(tmp_path: Path, card: str, words: str) -> None:
    found, faults = deck_materials(read(tmp_path, card))
    assert not found and len(faults) == 1 and words in faults[0].text and "--material pid_2=" in faults[0].hint


def test_a_mesh_without_deck_has_none(tmp_path: Path) -> None:
    mesh = read(tmp_path, "")
    assert deck_materials(Mesh(mesh.points, mesh.cells)) == ({}, [])
