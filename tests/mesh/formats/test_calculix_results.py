"""Result files of CalculiX: every cell type in the order of the format is the same body, damaged files are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from flexmb.errors import InputError
from flexmb.mesh.checks import check_mesh
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.read import read_mesh
from flexmb.verification.solid_meshes import box_mesh

TYPES = {"hex8": 1, "wedge6": 2, "tet4": 3, "hex20": 4, "wedge15": 5, "tet10": 6}
# The middle nodes of upright edges come before those of the top.
ORDERS = {"hex20": [*range(12), 16, 17, 18, 19, 12, 13, 14, 15], "wedge15": [*range(9), 12, 13, 14, 9, 10, 11]}


def text_of(mesh: Mesh, width: int = 10) -> str:
    """A result file with the mesh, as CalculiX writes it."""
    form = "1" if width == 10 else "0"
    lines = ["    1C", f"    2C{mesh.n_points:30d}{form:>38}"]
    for i, x in enumerate(mesh.points, 1):
        lines.append(f" -1{i:{width}d}" + "".join(f"{value:12.5E}" for value in x))
    lines += [" -3", f"    3C{1:30d}{form:>38}"]
    per_line = 10 if width == 10 else 15
    number = 0
    for block in mesh.cells:
        order = ORDERS.get(block.kind, range(block.nodes.shape[1]))
        for row in block.nodes:
            number += 1
            lines.append(f" -1{number:{width}d}{TYPES[block.kind]:5d}{0:5d}{1 + number % 2:5d}")
            nodes = [int(row[i]) + 1 for i in order]
            for start in range(0, len(nodes), per_line):
                lines.append(" -2" + "".join(f"{node:{width}d}" for node in nodes[start : start + per_line]))
    return "\n".join([*lines, " -3", " 9999", ""])


@pytest.mark.parametrize("width", [10, 5])
@pytest.mark.parametrize("kind", TYPES)
def test_every_cell_type_is_the_same_body(tmp_path: Path, kind: str, width: int) -> None:
    box = box_mesh(kind, (2, 1, 1), (2.0, 1.0, 1.0))
    (tmp_path / "part.frd").write_text(text_of(box, width))
    mesh = read_mesh(tmp_path / "part.frd", "m")
    found, expected = check_mesh(mesh), check_mesh(box)
    assert found.cells == expected.cells and not found.faults
    assert found.volume == pytest.approx(expected.volume, rel=1e-5)
    assert found.worst_quality == pytest.approx(expected.worst_quality, rel=1e-4)
    assert not any("reordered" in note for note in mesh.notes), "the order is that of the format"
    assert {"mat_1", "mat_2"} <= set(mesh.cell_sets)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("    3C", "    4C", "has no block 3C"),
        (" -3\n 9999", "", "line 12: the block 3C has no end"),
        ("1.00000E+00", "one00000000", "has a field that is not a number"),
        (" -2         1", " -2          ", "has fewer than 8 nodes"),
    ],
)
def test_damaged_files_are_reported(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = text_of(box_mesh("hex8", (1, 1, 1), (1.0, 1.0, 1.0)))
    assert old in text
    (tmp_path / "part.frd").write_text(text.replace(old, new))
    with pytest.raises(InputError, match=words):
        read_mesh(tmp_path / "part.frd", "m")
