"""Materials of a deck for cells without --material."""

from __future__ import annotations

from pathlib import Path

import pytest

from flexmb.elements.cell_properties import cell_properties, has_properties
from flexmb.elements.material import MATERIALS
from flexmb.elements.solid.assemble import assemble
from flexmb.errors import InputError
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.read import read_mesh

TETRA = "BEGIN BULK\nGRID,1\nGRID,2,,1.\nGRID,3,,0.,1.\nGRID,4,,0.,0.,1.\nGRID,5,,1.,1.,1.\nCTETRA,1,1,1,2,3,4\n"
TETRA += "CTETRA,2,2,2,3,4,5\nPSOLID,1,1\nPSOLID,2,2\nMAT1,1,2.1+11,,.3,7850.\n{}\nENDDATA\n"


def read(folder: Path, card: str) -> Mesh:
    (folder / "part.bdf").write_text(TETRA.format(card))
    return read_mesh(folder / "part.bdf", "m")


def test_materials_by_cell_set(tmp_path: Path) -> None:
    found = cell_properties(read(tmp_path, "MAT1,2,7.+10,,.33,2700."))
    assert isinstance(found.solids, dict) and list(found.solids) == ["pid_1 (mat_1)", "pid_2 (mat_2)"]
    second = found.solids["pid_2 (mat_2)"]
    assert second.E == 7e10 and second.G == pytest.approx(7e10 / 2.66) and second.name == "mat_2"
    assert "mat_1, E = 210 GPa" in found.notes[0]


def test_a_material_by_cell_set_replaces_that_of_the_deck(tmp_path: Path) -> None:
    mesh = read(tmp_path, "MAT1,2,7.+10,,.33,2700.")
    titanium = MATERIALS["titanium"]
    found = cell_properties(mesh, {"pid_2": titanium})
    assert isinstance(found.solids, dict) and set(found.solids) == {"pid_2", "pid_1 (mat_1)"}
    model = assemble(found.mesh, found.solids)
    R = model.rigid_motions()[:, 0]
    assert R @ model.mass_times(R) == pytest.approx(7850.0 / 6.0 + titanium.density / 3.0)
    assert cell_properties(mesh, titanium).solids == {"": titanium} and not found.losses
    (loss,) = cell_properties(mesh, titanium).losses
    assert loss.level == "care" and "2 materials of the file are replaced by that of all cells" in loss.text


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ("MAT1,2,7.+10,,.33", "'mat_2' of the file cannot be used: density must be"),
        ("MAT8,2,7.+10,1.,.3,1.,1.,1.,2.", "it is anisotropic"),
        ("", "it is not in the file"),
    ],
)
def test_materials_that_cannot_be_used(tmp_path: Path, card: str, words: str) -> None:
    mesh = read(tmp_path, card)
    with pytest.raises(InputError) as error:
        cell_properties(mesh)
    faults = error.value.faults
    assert len(faults) == 1 and words in faults[0].text and "--material pid_2=" in faults[0].hint
    assert cell_properties(mesh, {"pid_2": MATERIALS["steel"]}).beams is None


def test_a_mesh_without_deck_has_none(tmp_path: Path) -> None:
    mesh = read(tmp_path, "")
    assert has_properties(mesh) and not has_properties(Mesh(mesh.points, mesh.cells))
