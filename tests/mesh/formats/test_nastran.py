"""Nastran bulk data: fields of every width, coordinate systems, orders of quadratic solids, sets.

Covers: mesh.formats.nastran_cards, mesh.formats.nastran_frames, mesh.length_units.
"""

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.mesh.checks import check_mesh
from flexmb.mesh.formats.nastran_cards import real
from flexmb.mesh.read import read_mesh
from flexmb.verification.solid_meshes import box_mesh

TETRA = """SOL 101
CEND
BEGIN BULK
$HMNAME PROP                   7"bracket steel" 4
GRID           1       0      0.      0.     0.0
GRID*                  2                             1.0             0.0
*                    0.0
GRID,3,,0.,1.
GRID    4               0.      0.      1.
CTETRA  10      7       1       2       3       4
PSOLID  7       1
SET1    3       1       THRU    3
SPC1    5       123     1       4
RBE2    12      1       123456  2       3       4
CONM2   9       1               2.0
ENDDATA
"""


def read(tmp_path, text, name="part.bdf"):
    path = tmp_path / name
    path.write_text(text)
    return read_mesh(path, unit="m")


def ids(mesh, name):
    return mesh.point_ids[mesh.node_sets[name]].tolist()


@pytest.mark.parametrize("name", ["part.bdf", "part.dat", "part.nas"])
def test_small_large_and_free_fields_and_sets(tmp_path, name):
    mesh = read(tmp_path, TETRA, name)
    assert mesh.points == pytest.approx(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    assert mesh.cells[0].nodes.tolist() == [[0, 1, 2, 3]] and mesh.cells[0].ids.tolist() == [10]
    assert set(mesh.cell_sets) == {"pid_7", "bracket steel"}
    assert ids(mesh, "set_3") == [1, 2, 3] and ids(mesh, "spc_5") == [1, 4] and ids(mesh, "rbe_12") == [2, 3, 4]
    assert [loss.kind for loss in mesh.losses] == ["supports"]
    plain = read_mesh(tmp_path / name, "m", uses=frozenset({"materials"}))
    assert [loss.kind for loss in plain.losses] == ["masses", "ties", "supports"] and "1 CONM2" in plain.losses[0].text


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.5-3", 1.5e-3), ("-1.5+3", -1500.0), ("2.D-2", 0.02), ("7", 7.0), ("", 0.0), (".5E1", 5.0), ("-.25-1", -0.025)],
)
def test_numbers_as_nastran_writes_them(text, value):
    assert real(text) == value


@pytest.mark.parametrize(
    ("kind", "card", "order"),
    [
        ("tet10", "CTETRA", list(range(10))),
        # Nastran: edges of the base, then the upright ones, then those of the top; VTK has the upright ones last.
        ("hex20", "CHEXA", [*range(12), 16, 17, 18, 19, 12, 13, 14, 15]),
        ("wedge15", "CPENTA", [*range(9), 12, 13, 14, 9, 10, 11]),
    ],
)
@pytest.mark.parametrize("form", ["small", "free", "large"])
def test_orders_of_quadratic_solids(tmp_path, kind, card, order, form):
    made = box_mesh(kind, (1, 1, 1), curve=0.05, seed=3)
    lines = [
        f"GRID,{i + 1},,{x[0]!r},{x[1]!r},{x[2]!r}".replace("np.float64(", "").replace(")", "")
        for i, x in enumerate(made.points)
    ]
    for number, row in enumerate(made.cells[0].nodes):
        fields = [str(number + 1), "4", *(str(row[i] + 1) for i in order)]
        width = 4 if form == "large" else 8
        rows = [fields[i : i + width] for i in range(0, len(fields), width)]
        for i, part in enumerate(rows):
            head = card if i == 0 else "+"
            if form == "free":
                lines.append(",".join([head, *part]))
            elif form == "small":
                lines.append((head if i == 0 else "").ljust(8) + "".join(text.ljust(8) for text in part))
            else:
                lines.append((head + "*" if i == 0 else "*").ljust(8) + "".join(text.rjust(16) for text in part))
    mesh = read(tmp_path, "\n".join([*lines, "ENDDATA", ""]))
    assert np.array_equal(mesh.cells[0].nodes, made.cells[0].nodes)
    assert not any("not in VTK order" in note for note in mesh.notes)
    # One box with inner nodes moved: the volume of its outside.
    assert check_mesh(mesh).volume == pytest.approx(check_mesh(made).volume, rel=1e-12)


def test_coordinate_systems(tmp_path):
    """The same four places from a turned rectangular, a cylindrical and a spherical system."""
    frames = (
        "CORD2R,1,,1.,0.,0.,1.,0.,1.,\n+,1.,1.,0.\n"  # origin (1,0,0), z up, x along world y
        "CORD2C,2,1,0.,0.,0.,0.,0.,1.,\n+,1.,0.,0.\nCORD2S,3,,0.,0.,0.,0.,0.,1.,\n+,1.,0.,0.\n"
    )
    grids = "GRID,1,1,0.,1.,0.\nGRID,2,2,2.,90.,0.\nGRID,3,3,1.,90.,90.\nGRID,4,0,0.,0.,1.\n"
    mesh = read(tmp_path, f"BEGIN BULK\n{frames}{grids}CTETRA,1,1,1,2,3,4\nENDDATA\n")
    # x' = y, y' = -x + 1: (0, 1, 0)' is the origin; 2 at 90 degrees in system 1 is (0, 2, 0)' = (-1, 0, 0).
    assert mesh.points == pytest.approx(np.array([[0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1]]), abs=1e-14)


def test_names_of_sets_with_ranges_and_rbe3(tmp_path):
    more = "SET1,8,1,2,THRU,4\nRBE3,20,,1,123456,1.0,123,2,3\n+,4\nSPC,6,2,123,0.0,3,123,0.\nENDDATA"
    mesh = read(tmp_path, TETRA.replace("ENDDATA", more))
    assert ids(mesh, "set_8") == [1, 2, 3, 4] and ids(mesh, "rbe_20") == [2, 3, 4] and ids(mesh, "spc_6") == [2, 3]


def test_faces_of_bricks_with_27_nodes_keep_their_names(tmp_path):
    """As Gmsh writes them: the middles of faces and of the brick come last, and are left out."""
    made = box_mesh("hex27", (1, 1, 1))
    lines = [f"GRID,{i + 1},,{x},{y},{z}" for i, (x, y, z) in enumerate(made.points.tolist())]
    nodes = made.cells[0].nodes[0] + 1
    brick = [1, 7, *nodes[[*range(12), 16, 17, 18, 19, 12, 13, 14, 15, *range(20, 27)]]]
    bottom = [2, 3, *nodes[[0, 1, 2, 3, 8, 9, 10, 11, 24]]]
    for name, fields in (("CHEXA", brick), ("CQUAD9", bottom)):
        rows = [fields[i : i + 8] for i in range(0, len(fields), 8)]
        lines += [",".join(map(str, [name if i == 0 else "+", *row])) for i, row in enumerate(rows)]
    mesh = read(tmp_path, "\n".join([*lines, "ENDDATA", ""]))
    assert [(block.kind, len(block)) for block in (*mesh.cells, *mesh.surfaces)] == [("hex20", 1), ("quad8", 1)]
    assert ids(mesh, "pid_3") == sorted(bottom[2:-1])


def test_a_missing_end_is_told(tmp_path):
    """With BEGIN BULK it is refused; a file of cards alone may be meant to be included and needs no end."""
    cards = TETRA[TETRA.index("GRID") :]
    assert not any("ENDDATA" in note for note in read(tmp_path, cards).notes)
    assert any(
        "no ENDDATA: it may be incomplete" in note for note in read(tmp_path, cards.replace("ENDDATA\n", "")).notes
    )


def test_include(tmp_path):
    (tmp_path / "grids.bdf").write_text("\n".join(TETRA.splitlines()[4:9]) + "\n")
    mesh = read(tmp_path, "BEGIN BULK\nINCLUDE 'grids.bdf'\nCTETRA,1,1,1,2,3,4\nENDDATA\n", "whole.dat")
    assert mesh.n_points == 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("4\nPSOLID", "77\nPSOLID"), "element 10 uses node 77"),
        (("4\nPSOLID", "4       5\nPSOLID"), "CTETRA 10 has 5 nodes"),
        (("ENDDATA\n", ""), "truncated"),
        (("GRID,3,,0.,1.", "GRID,3,,0.,one"), "card 'GRID, 3, , 0., one' cannot be read"),
        (("GRID,3,,0.,1.", "GRID,3,9,0.,1."), "coordinate system 9 is used but not defined"),
        (
            ("CTETRA  10", "CORD3G  2       1       2       3\nCTETRA  10"),
            "line 10: the coordinate system CORD3G 2 is not",
        ),
        (("CTETRA  10      7       1       2       3       4", ""), "no cells at all"),
    ],
)
def test_wrong_files_are_told(tmp_path, change, words):
    with pytest.raises(InputError, match=words):
        read(tmp_path, TETRA.replace(*change))
