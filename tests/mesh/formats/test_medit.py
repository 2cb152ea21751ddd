"""Medit meshes of second order. A curved one by Gmsh is among the sectors of tests/mesh/test_read.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from flexmb.errors import InputError
from flexmb.mesh.checks import check_mesh
from flexmb.mesh.read import read_mesh
from flexmb.verification.solid_meshes import box_mesh

WORDS = {"tet10": "TetrahedraP2", "hex27": "HexahedraQ2"}


def text_of(kind: str) -> str:
    mesh = box_mesh(kind, (2, 1, 1), (2.0, 1.0, 1.0))
    lines = ["MeshVersionFormatted 2", "Dimension 3", "Vertices", f"{mesh.n_points}"]
    lines += [" ".join(f"{value!r}" for value in map(float, x)) + " 0" for x in mesh.points]
    rows = [" ".join(str(int(node) + 1) for node in row) + " 4" for row in mesh.cells[0].nodes[:, ::1]]
    return "\n".join([*lines, WORDS[kind], f"{len(rows)}", *rows, "End", ""])


@pytest.mark.parametrize("kind", WORDS)
def test_cells_of_second_order(tmp_path: Path, kind: str) -> None:
    (tmp_path / "part.mesh").write_text(text_of(kind))
    mesh = read_mesh(tmp_path / "part.mesh", "m")
    report = check_mesh(mesh)
    assert list(report.cells) == [kind] and report.volume == pytest.approx(2.0, rel=1e-12) and not report.faults
    assert "medit:ref_4" in mesh.cell_sets


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("\nEnd\n", "\n", "the file has no End"),
        ("TetrahedraP2\n", "TetrahedraP2\n1", "TetrahedraP2 does not have as many rows"),
        ("Dimension 3", "Dimension 2", "no points in 3D"),
        ("TetrahedraP2", "TetrahedraP2\n# a comment", ""),
        ("Dimension 3", "Dimension three", "line 2: Dimension has a field that is not a number"),
    ],
)
def test_damaged_files_are_reported(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = text_of("tet10")
    assert old in text
    (tmp_path / "part.mesh").write_text(text.replace(old, new))
    if not words:
        assert read_mesh(tmp_path / "part.mesh", "m").cells[0].kind == "tet10"
        return
    with pytest.raises(InputError, match=words):
        read_mesh(tmp_path / "part.mesh", "m")
