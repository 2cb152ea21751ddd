"""Abaqus and CalculiX files: sets in every way they can be written, surfaces, includes, parts and instances.

Covers: mesh.formats.abaqus_elements, mesh.formats.abaqus_sets, mesh.formats.abaqus_text, mesh.repairs.
"""

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.mesh.checks import check_mesh
from flexmb.mesh.formats.abaqus_elements import kind_of
from flexmb.mesh.read import read_mesh
from flexmb.mesh.topology import face_nodes
from flexmb.verification.solid_meshes import box_mesh

NODES = """*NODE, NSET=Nall
1, 0., 0., 0.
2, 1., 0., 0.
3, 1., 1., 0.
4, 0., 1., 0.
11, 0., 0., 1.
12, 1.D0, 0., 1.
13, 1., 1., 1.
14, , 1., 1.
"""
BRICK = NODES + "*ELEMENT, TYPE=C3D8R, ELSET=EALL\n7, 1, 2, 3, 4,\n11, 12, 13, 14\n"


def read(tmp_path, text, **others):
    for name, content in others.items():
        (tmp_path / f"{name}.txt").write_text(content)
    path = tmp_path / "part.inp"
    path.write_text(text)
    return read_mesh(path, unit="m")


def ids(mesh, name):
    return mesh.point_ids[mesh.node_sets[name]].tolist()


def test_sets_in_every_way(tmp_path):
    mesh = read(
        tmp_path,
        "*HEADING\n bracket\n** a comment\n" + BRICK + "*NSET, NSET=low\n1, 2,\n3, 4\n"
        "*NSET, NSET=even, GENERATE\n2, 4, 2\n12, 14, 2\n*Nset, nset=both\nlow, EVEN, 13\n*NSET, NSET=low\n11\n"
        '*NSET, NSET="with space"\n3\n*ELSET, ELSET=same\nEALL\n*NSET, NSET=of_cells, ELSET=same\n'
        "*SURFACE, NAME=top\nEALL, S2\n*SURFACE, NAME=side, TYPE=ELEMENT\n7, S3\n"
        "*SURFACE, NAME=points, TYPE=NODE\nlow,\n14\n"
        "*SURFACE, NAME=skin\nEALL,\n*MATERIAL, NAME=steel\n*ELASTIC\n210e9, 0.3\n",
    )
    assert mesh.name == "part" and [(block.kind, block.ids.tolist()) for block in mesh.cells] == [("hex8", [7])]
    assert ids(mesh, "Nall") == [1, 2, 3, 4, 11, 12, 13, 14]
    assert ids(mesh, "low") == [1, 2, 3, 4, 11]  # a second *NSET adds to the first
    assert ids(mesh, "even") == [2, 4, 12, 14]
    assert ids(mesh, "both") == [1, 2, 3, 4, 11, 12, 13, 14]
    assert ids(mesh, "with space") == [3] and ids(mesh, "of_cells") == ids(mesh, "Nall")
    assert ids(mesh, "top") == [11, 12, 13, 14] and ids(mesh, "side") == [1, 2, 11, 12]
    assert ids(mesh, "points") == [1, 2, 3, 4, 11, 14] and ids(mesh, "skin") == ids(mesh, "Nall")
    assert {name: members[0].tolist() for name, members in mesh.cell_sets.items()} == {"EALL": [0], "same": [0]}
    assert check_mesh(mesh).volume == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("C3D4", "tet4"),
        ("C3D10", "tet10"),
        ("C3D8", "hex8"),
        ("C3D20R", "hex20"),
        ("C3D6", "wedge6"),
        ("C3D15", "wedge15"),
    ],
)
def test_faces_of_surfaces_by_number(tmp_path, word, kind):
    """All faces of one cell: each label is one face of the cell, all together its outside."""
    made = box_mesh(kind, (1, 1, 1))
    nodes = made.cells[0].nodes[0]
    lines = ["*NODE", *(f"{i + 1}, {x[0]}, {x[1]}, {x[2]}" for i, x in enumerate(made.points))]
    lines += [f"*ELEMENT, TYPE={word}, ELSET=E", "1, " + ", ".join(str(i + 1) for i in nodes)]
    faces = {frozenset((nodes[list(face)] + 1).tolist()) for face in face_nodes(kind)}
    for i in range(len(faces)):
        lines += [f"*SURFACE, NAME=S{i + 1}", f"E, S{i + 1}"]
    mesh = read(tmp_path, "\n".join(lines) + "\n")
    assert {frozenset(ids(mesh, f"S{i + 1}")) for i in range(len(faces))} == faces
    # In every family S1 is the face of the first three corners, S2 that of the fourth (tet) or opposite to S1.
    assert {1 + int(i) for i in nodes[:3]} <= set(ids(mesh, "S1"))


def test_includes_put_lines_in_place(tmp_path):
    mesh = read(
        tmp_path,
        "*INCLUDE, INPUT=nodes.txt\n*ELEMENT, TYPE=C3D8, ELSET=E\n*INCLUDE, INPUT=rows.txt\n*NSET, NSET=one\n1\n",
        nodes=NODES,
        rows="7, 1, 2, 3, 4, 11, 12, 13, 14\n",
    )
    assert ids(mesh, "one") == [1] and len(mesh.node_sets["E"]) == 8
    with pytest.raises(InputError, match="includes 'gone.txt', which was not found"):
        read(tmp_path, BRICK + "*INCLUDE, INPUT=gone.txt\n")
    with pytest.raises(InputError, match="deeper than"):
        read(tmp_path, BRICK + "*INCLUDE, INPUT=part.inp\n")


def test_reference_points_are_told(tmp_path):
    text = BRICK.replace("14, ,", "99, 5., 5., 5.\n14, ,") + "*NSET, NSET=ref\n99\n*NSET, NSET=most\n1, 99\n"
    mesh = read(tmp_path, text)
    assert ids(mesh, "ref") == [] and ids(mesh, "most") == [1]
    assert any("Set 'ref': node 99 belongs to no cell (a reference point?)" in note for note in mesh.notes)


def test_parts_and_instances(tmp_path):
    part = "*PART, NAME=Block\n" + BRICK + "*NSET, NSET=corner\n1\n*END PART\n"
    one = part + (
        "*ASSEMBLY, NAME=A\n*INSTANCE, NAME=Block-1, PART=block\n10., 0., 0.\n10., 0., 0., 10., 0., 1., 90.\n"
        "*END INSTANCE\n"
        "*NODE\n1, 7., 7., 7.\n*NSET, NSET=rp\n1\n*NSET, NSET=top, INSTANCE=Block-1\n11, 12\n*NSET, NSET=dotted\n"
        "Block-1.3, Block-1.corner\n*ELSET, ELSET=all, INSTANCE=Block-1\n7\n"
        "*SURFACE, NAME=face\nall, S1\n*END ASSEMBLY\n"
    )
    mesh = read(tmp_path, one)
    assert check_mesh(mesh).volume == pytest.approx(1.0, rel=1e-12)
    corner = mesh.points[mesh.node_sets["corner"]]
    assert corner == pytest.approx(np.array([[10.0, 0.0, 0.0]]))
    # Node 2 at (1, 0, 0) moves to (11, 0, 0) and turns by 90 degrees about the vertical through (10, 0, 0).
    assert mesh.points[mesh.point_ids == 2][0] == pytest.approx([10.0, 1.0, 0.0], abs=1e-12)
    assert ids(mesh, "top") == [11, 12] and ids(mesh, "dotted") == [1, 3] and ids(mesh, "face") == [1, 2, 3, 4]
    assert set(mesh.cell_sets) == {"EALL", "all"}

    two = part + (
        "*ASSEMBLY, NAME=A\n*INSTANCE, NAME=a, PART=Block\n*END INSTANCE\n*INSTANCE, NAME=b, PART=Block\n0., 0., 5.\n"
        "*END INSTANCE\n*NSET, NSET=both, INSTANCE=a\n1\n*NSET, NSET=both, INSTANCE=b\n1\n*END ASSEMBLY\n"
    )
    mesh = read(tmp_path, two)
    assert mesh.points[mesh.node_sets["both"]] == pytest.approx(np.array([[0, 0, 0], [0, 0, 5]]))
    assert "a.corner" in mesh.node_sets and "b.EALL" in mesh.cell_sets and len(mesh.cells[0]) == 2
    assert check_mesh(mesh).parts == (1, 1)


def test_beams_with_orientation_nodes_and_middle_nodes_second(tmp_path):
    text = (
        "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 2, 0, 0\n4, 0, 9, 0\n*ELEMENT, TYPE=B32, ELSET=quadratic\n1, 1, 2, 3\n"
        "*ELEMENT, TYPE=B31, ELSET=linear\n2, 1, 2, 4\n3, 2, 3, 4\n*ELEMENT, TYPE=MASS, ELSET=m\n9, 3\n"
    )
    mesh = read(tmp_path, text)
    assert {block.kind: block.nodes.tolist() for block in mesh.cells} == {
        "line3": [[0, 2, 1]],
        "line2": [[0, 1], [1, 2]],
    }
    assert any(loss.kind == "masses" and "1 MASS without *MASS" in loss.text for loss in mesh.losses)


def test_cylindrical_nodes(tmp_path):
    text = BRICK.replace("*NODE, NSET=Nall", "*NODE, NSET=Nall, SYSTEM=C").replace("2, 1., 0., 0.", "2, 1., 90., 0.")
    mesh = read(tmp_path, text)
    assert mesh.points[1] == pytest.approx([0.0, 1.0, 0.0], abs=1e-15)


def test_shells_beside_the_solid_are_told(tmp_path):
    mesh = read(
        tmp_path, BRICK + "*NODE\n50, 4, 4, 4\n*ELEMENT, TYPE=S3\n8, 1, 2, 50\n*ELEMENT, TYPE=S4R\n9, 1, 2, 3, 4\n"
    )
    assert [(block.kind, len(block)) for block in mesh.surfaces] == [("quad4", 1)]
    assert mesh.losses[0].text.startswith(
        "1 of 2 elements were left out (50 %): 1 S3; shells beside other cells need a thickness"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            NODES + "*ELEMENT, TYPE=C3D8\n1, 1, 2, 3, 4, 11, 12, 13, 77\n",
            "element 1 uses node 77, which is not in the file",
        ),
        (NODES + "*ELEMENT, TYPE=C3D8\n1, 1, 2, 3, 4, 11, 12, 13\n", "8 numbers cannot be split into rows"),
        (
            NODES + "*ELEMENT, TYPE=C3D6\n1, 1, 2, 3, 4, 11, 12, 13,\n14\n",
            "more than the 6 nodes.*SecondOrderIncomplete",
        ),
        (NODES + "*ELEMENT, TYPE=COH3D8\n1, 1, 2, 3, 4, 11, 12, 13, 14\n", "1 COH3D8"),
        (NODES + "*ELEMENT\n1, 1, 2\n", r"\*ELEMENT without TYPE"),
        (BRICK + "*NSET, NSET=a\nb\n", "set 'a' contains the set 'b', which is not in the file"),
        (BRICK + "*NSET, NSET=a\nb\n*NSET, NSET=b\na\n", "contains itself"),
        (BRICK + "*NGEN\n1, 5, 1\n", r"\*NGEN is not supported"),
        (BRICK + "*SURFACE, NAME=s\nEALL, S7\n", "refers to face 'S7', which hex8 cells do not have"),
        (BRICK + "*NSET, NSET=a, INSTANCE=x\n1\n", "refers to the instance 'x'"),
        (BRICK.replace("1., 1., 0.", "1., one, 0."), r"\*NODE.*one"),
        (BRICK.replace("12, 13, 14", "12, 13, 1x"), "'1x' is not a whole number"),
        ("*PART, NAME=p\n" + BRICK, "no \\*END PART"),
        ("*HEADING\nnothing\n", "no nodes"),
    ],
)
def test_wrong_files_are_told(tmp_path, text, words):
    with pytest.raises(InputError, match=words):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("c3d10m", ("tet10", 10)),
        ("C3D10HS", ("tet10", 10)),
        ("C3D8I", ("hex8", 8)),
        ("C3D20RH", ("hex20", 20)),
        ("B33", ("line2", 2)),
        ("PIPE32H", ("line3", 3)),
        ("T3D2", ("line2", 2)),
        ("T3D3", ("line3", 3)),
        ("S8R", ("quad8", 8)),
        ("STRI65", ("tri6", 6)),
        ("CPS6", ("tri6", 6)),
        ("R3D4", ("quad4", 4)),
    ],
)
def test_element_types(word, expected):
    assert kind_of(word) == expected
