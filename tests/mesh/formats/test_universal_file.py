"""Universal files: cells in the order of the format, groups of all ages, units, truncated files.

Covers: mesh.formats.fixed_columns.

The order of second-order cells is tested with the sectors of tests/mesh/test_read.py.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.read import read_mesh

POINTS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 3.0)]


def whole(*numbers: int) -> str:
    return "".join(f"{number:10d}" for number in numbers)


def data_set(number: int, lines: list[str]) -> str:
    return "\n".join(["    -1", f"{number:6d}", *lines, "    -1", ""])


def nodes() -> str:
    lines = []
    for i, x in enumerate(POINTS, 1):
        lines += [whole(i, 1, 1, 11), "".join(f"{value:25.16E}".replace("E", "D") for value in x)]
    return data_set(2411, lines)


TETRA = [whole(10, 111, 3, 1, 7, 4), whole(1, 2, 3, 4)]
BEAM = [whole(11, 21, 4, 1, 7, 2), whole(0, 1, 1), whole(4, 5)]


def read(folder: Path, text: str, unit: str | None = "m") -> Mesh:
    (folder / "part.unv").write_text(text)
    return read_mesh(folder / "part.unv", unit)


def test_solids_beams_and_groups(tmp_path: Path) -> None:
    group = [whole(1, 0, 0, 0, 0, 0, 0, 3), "end face", whole(7, 1, 0, 0, 7, 3, 0, 0), whole(7, 2, 0, 0, 0, 0, 0, 0)]
    group += [whole(2, 0, 0, 0, 0, 0, 0, 1), "bar", whole(8, 11, 0, 0, 0, 0, 0, 0)]
    old = [whole(1, 0, 0, 0, 0, 0, 0, 3), "old", whole(7, 4, 7, 5, 7, 1, 0, 0)]
    text = nodes() + data_set(2412, TETRA + BEAM) + data_set(2467, group) + data_set(2417, old)
    mesh = read(tmp_path, text)
    assert [(block.kind, block.nodes.tolist()) for block in mesh.cells] == [
        ("tet4", [[0, 1, 2, 3]]),
        ("line2", [[3, 4]]),
    ]
    assert mesh.points == pytest.approx(np.array(POINTS))
    assert mesh.node_sets["end face"].tolist() == [0, 1, 2] and mesh.node_sets["old"].tolist() == [0, 3, 4]
    assert [part.tolist() for part in mesh.cell_sets["bar"]] == [[], [0]] and "pid_3" in mesh.cell_sets


def test_the_unit_of_the_file_is_used(tmp_path: Path) -> None:
    units = data_set(164, [whole(5) + f"{'mm (milli-newton)':20}" + whole(2), f"{1000.0:25.16E}" + f"{1000.0:25.16E}"])
    mesh = read(tmp_path, units + nodes() + data_set(2412, TETRA), None)
    assert mesh.unit == "mm" and not mesh.unit_guessed and mesh.points.max() == pytest.approx(1e-3)
    assert read(tmp_path, units + nodes() + data_set(2412, TETRA), "m").points.max() == pytest.approx(1.0)


def test_elements_without_cells_are_losses(tmp_path: Path) -> None:
    lump = [whole(12, 161, 1, 1, 7, 1), whole(5)]
    mesh = read(tmp_path, nodes() + data_set(2412, TETRA + lump))
    assert [(loss.kind, loss.count) for loss in mesh.losses] == [("masses", 1)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (data_set(55, ["NONE"]), "contains no nodes"),
        (nodes() + data_set(2412, TETRA[:1]), "data set 2412 that begins at line 16 is truncated"),
        (nodes() + data_set(2412, [TETRA[0], whole(1, 2, 3)]), "line 17: '1         2         3' does not have 4"),
        (nodes() + data_set(2412, [TETRA[0], whole(1, 2, 3, 9)]), "tet4 element 10 uses node 9"),
        (nodes() + data_set(2412, [whole(10, 118, 3, 1, 7, 4), whole(1, 2, 3, 4)]), "has 4 nodes, not tet10"),
        (nodes() + data_set(2412, [whole(10, 118, 3, 1, 7, 999_999_999), whole(1, 2, 3, 4)]), "is truncated"),
        (nodes() + "    -1\n  2412\n" + TETRA[0], "the data set that begins at line 14 has no end"),
        (nodes().replace("D+00", "X+00"), "has a field that is not a number"),
    ],
)
def test_damaged_files_are_reported_with_their_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(tmp_path, text)
