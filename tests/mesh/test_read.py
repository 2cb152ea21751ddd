"""Meshes as other programs write them: the same sector of a ring in every kind and format is the same body.

The files of tests/data/meshes come from Gmsh (see make_sector.py there): radius 10 .. 20, 1 rad, height 10, curved.

Covers: mesh.build, mesh.formats.gmsh, mesh.formats.gmsh_stream, mesh.formats.through_meshio, mesh.mesh, mesh.raw,
verification.solid_meshes.
"""

from pathlib import Path

import meshio
import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.mesh.checks import check_mesh
from flexmb.mesh.mesh import SOLIDS
from flexmb.mesh.read import read_mesh
from flexmb.verification.solid_meshes import box_mesh, rod_mesh
from tests.support.places import ROOT

FOLDER = ROOT / "tests" / "data" / "meshes"
FILES = sorted(path.name for path in FOLDER.glob("sector_*"))
EXACT_VOLUME = (20.0**2 - 10.0**2) / 2.0 * 10.0
MESHIO_KINDS = {"tet4": "tetra", "tet10": "tetra10", "hex8": "hexahedron", "hex20": "hexahedron20"}
MESHIO_KINDS |= {
    "hex27": "hexahedron27",
    "wedge6": "wedge",
    "wedge15": "wedge15",
    "pyramid5": "pyramid",
    "pyramid13": "pyramid13",
}


@pytest.mark.parametrize("name", FILES)
def test_sector_is_the_same_body_in_every_format(name):
    kind = name.split("_")[1].split(".")[0]
    mesh = read_mesh(FOLDER / name, unit="m")
    reference = read_mesh(FOLDER / f"sector_{kind}_4.1_text.msh", unit="m")
    report, expected = check_mesh(mesh), check_mesh(reference)
    assert report.cells == expected.cells == {kind: sum(expected.cells.values())}
    assert report.faults == () and report.parts == (report.cells[kind],)
    # Quadratic cells of 1/2 to 1 rad miss the circle by less than 1e-3 of the area: curved edges are in their places.
    assert report.volume == pytest.approx(EXACT_VOLUME, rel=1e-3)
    # Nastran's fields hold five or six digits, the others sixteen.
    digits = 1e-5 if name.endswith("bdf") else 1e-12
    assert report.volume == pytest.approx(expected.volume, rel=digits)
    assert report.inertia == pytest.approx(expected.inertia, rel=10 * digits, abs=10 * digits * expected.inertia.max())
    assert report.worst_quality == pytest.approx(expected.worst_quality, rel=10 * digits)


@pytest.mark.parametrize("name", FILES)
def test_sets_of_the_sector_survive_in_every_format(name):
    mesh = read_mesh(FOLDER / name, unit="m")
    ending = name.rpartition(".")[2]
    words = {
        "msh": ("top", "surface_6", "body", "second name"),
        "inp": ("top", "PhysicalSurface6", "body", "second_name"),
        "med": ("top", "G_2D_6", "body", "second name"),
        "vtk": ("CellEntityIds_5", "CellEntityIds_6", "CellEntityIds_7", "CellEntityIds_7"),
        "bdf": ("pid_6", "pid_1", "pid_1", "pid_1"),
        "unv": ("top", "PhysicalSurface6", "body", "second_name"),
        "mesh": ("medit:ref_6", "medit:ref_1", "medit:ref_1", "medit:ref_1"),
    }
    top, bottom, body, second = words[ending]
    z = mesh.points[:, 2]
    assert np.array_equal(mesh.node_sets[top], np.flatnonzero(z > 9.999))
    assert np.array_equal(mesh.node_sets[bottom], np.flatnonzero(z < 1e-3))
    for word in (body, second):
        assert np.array_equal(mesh.cell_sets[word][0], np.arange(len(mesh.cells[0])))
        if ending not in ("bdf", "mesh"):  # Gmsh gives a surface the same number there
            assert len(mesh.node_sets[word]) == mesh.n_points


@pytest.mark.parametrize("kind", SOLIDS)
@pytest.mark.parametrize(
    ("ending", "form"),
    [("vtu", "vtu"), ("vtk", "vtk"), ("inp", "abaqus"), ("msh", "gmsh22"), ("msh", "gmsh"), ("xdmf", "xdmf")],
)
def test_round_trip_through_what_meshio_writes(kind, ending, form, tmp_path):
    if (kind == "hex27" and form in ("abaqus", "xdmf")) or (kind.startswith("pyramid") and form == "abaqus"):
        pytest.skip("meshio does not write it")
    from flexmb.mesh.formats.through_meshio import _complete

    _complete(meshio)
    made = rod_mesh(kind, 0.3, 0.05, 2, 3)
    path = tmp_path / f"rod.{ending}"
    meshio.Mesh(made.points, [(MESHIO_KINDS[kind], made.cells[0].nodes)]).write(path, file_format=form)
    mesh = read_mesh(path)
    assert mesh.unit == "m" and any("Unit guessed: m" in note for note in mesh.notes)
    assert np.allclose(mesh.points, made.points, atol=1e-9)
    assert np.array_equal(np.sort(mesh.cells[0].nodes, axis=1), np.sort(made.cells[0].nodes, axis=1))
    assert check_mesh(mesh).volume == pytest.approx(check_mesh(made).volume, rel=1e-8)


def test_integer_arrays_of_vtk_are_sets(tmp_path):
    made = box_mesh("hex8", (2, 1, 1))
    held = np.zeros(made.n_points, dtype=np.int32)
    held[made.node_sets["xmin"]] = 1
    part = np.array([3, 5])
    path = tmp_path / "box.vtu"
    meshio.Mesh(
        made.points,
        [("hexahedron", made.cells[0].nodes)],
        point_data={"held": held, "number": np.arange(made.n_points), "T": np.linspace(0, 1, made.n_points)},
        cell_data={"part": [part]},
    ).write(path)
    mesh = read_mesh(path)
    assert np.array_equal(mesh.node_sets["held"], made.node_sets["xmin"])
    assert {name: members[0].tolist() for name, members in mesh.cell_sets.items()} == {"part_3": [0], "part_5": [1]}
    assert set(mesh.node_sets) == {"held", "part_3", "part_5"}


def test_units_are_stated_or_guessed_aloud():
    path = FOLDER / "sector_hex20_4.1_text.msh"
    guessed, stated = read_mesh(path), read_mesh(path, unit="mm")
    assert guessed.unit == "m" and "check whether it is in mm" in " ".join(guessed.notes)
    assert stated.unit == "mm" and not any("guess" in note for note in stated.notes)
    assert stated.points == pytest.approx(guessed.points * 1e-3)
    assert read_mesh(path, unit="inch").points == pytest.approx(guessed.points * 0.0254)
    with pytest.raises(InputError, match="'mn' is not a unit of length.*Did you mean"):
        read_mesh(path, unit="mn")


def test_a_300_metre_part_is_a_millimetre_mesh(tmp_path):
    made = rod_mesh("hex8", 300.0, 3.0, 4, 2)
    path = tmp_path / "rod.vtu"
    meshio.Mesh(made.points, [("hexahedron", made.cells[0].nodes)]).write(path)
    mesh = read_mesh(path)
    assert mesh.unit == "mm" and np.ptp(mesh.points[:, 0]) == pytest.approx(0.3)
    assert any("the largest extent is 300" in note for note in mesh.notes)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith("msh") or name.endswith("med")])
def test_truncated_files_are_refused(name, tmp_path):
    data = (FOLDER / name).read_bytes()
    for part in (0.3, 0.6, 0.95):
        path = tmp_path / name
        path.write_bytes(data[: int(part * len(data))])
        with pytest.raises(InputError, match=name):
            read_mesh(path)


def test_files_that_are_no_meshes(tmp_path):
    empty, text, odd = tmp_path / "empty.msh", tmp_path / "notes.inp", tmp_path / "part.step"
    empty.write_text("")
    text.write_text("Dear reader,\nthis is no mesh.\n")
    odd.write_text("ISO-10303-21;")
    for path, words in (
        (empty, "empty"),
        (text, "no points"),
        (odd, "'.step' is not one of a supported format"),
        (tmp_path / "emty.msh", "no such file.*Did you mean .*empty.msh"),
        (tmp_path, "not a file"),
    ):
        with pytest.raises(InputError, match=words):
            read_mesh(path)


def test_binary_vtk_without_a_line_end(tmp_path):
    """Version 2 as Gmsh writes it: nothing follows the last number, of which 10 looks like the end of a line."""
    for last in (3, 10):
        content = b"# vtk DataFile Version 2.0\nby hand\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"
        content += np.eye(4, 3).astype(">f8").tobytes() + b"\nCELLS 1 5\n" + np.array([4, 3, 0, 1, 2], ">i4").tobytes()
        content += b"\nCELL_TYPES 1\n" + np.array([10], ">i4").tobytes()
        content += b"\nCELL_DATA 1\nSCALARS part int 1\nLOOKUP_TABLE default\n" + np.array([last], ">i4").tobytes()
        path = tmp_path / "one.vtk"
        path.write_bytes(content)
        mesh = read_mesh(path, unit="m")
        assert mesh.cells[0].kind == "tet4" and list(mesh.cell_sets) == [f"part_{last}"]
        path.write_bytes(content[:-1])
        with pytest.raises(InputError, match="cannot be read.*Check that it is complete"):
            read_mesh(path)


def test_pyramids_are_read_and_turned(tmp_path):
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 1), (0.5, 0.5, -1)], dtype=float)
    path = tmp_path / "roof.vtu"
    cells = [("pyramid", [[0, 1, 2, 3, 4]]), ("tetra", [[0, 1, 2, 5], [0, 2, 3, 5]])]
    meshio.Mesh(points, cells).write(path)
    mesh = read_mesh(path, unit="m")
    assert [(block.kind, len(block)) for block in mesh.cells] == [("pyramid5", 1), ("tet4", 2)]
    assert check_mesh(mesh).volume == pytest.approx(2.0 / 3.0, rel=1e-14)
    cells[0] = ("pyramid", [[3, 2, 1, 0, 4]])
    meshio.Mesh(points, cells).write(path)
    turned = read_mesh(path, unit="m")
    assert any("pyramid5 cells had negative volume" in note for note in turned.notes)
    assert check_mesh(turned).volume == pytest.approx(2.0 / 3.0, rel=1e-14)


def test_surface_cells_alone_are_shells(tmp_path):
    path = tmp_path / "skin.vtu"
    meshio.Mesh(np.eye(3), [("triangle", [[0, 1, 2]])]).write(path)
    mesh = read_mesh(path)
    assert [(block.kind, len(block)) for block in mesh.cells] == [("tri3", 1)] and not mesh.surfaces


def test_surface_cells_on_solids_are_marks_and_beside_them_shells_if_wanted(tmp_path):
    path = tmp_path / "both.vtu"
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0]], dtype=float)
    cells = [("tetra", [[0, 1, 2, 3]]), ("triangle", [[0, 2, 1]]), ("triangle", [[0, 4, 2]])]
    meshio.Mesh(points, cells).write(path)
    mesh = read_mesh(path, "m", shells=True)
    assert {block.kind for block in mesh.cells} == {"tet4", "tri3"} and mesh.n_points == 5
    assert "need a thickness" in read_mesh(path, "m").losses[0].text


def test_shells_of_eight_nodes_get_a_ninth(tmp_path):
    path = tmp_path / "quad8.vtu"
    points = np.array(
        [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 0, 0], [2, 1, 0], [1, 2, 0], [0, 1, 0]], dtype=float
    )
    meshio.Mesh(points, [("quad8", [list(range(8))])]).write(path)
    mesh = read_mesh(path, "m")
    assert mesh.cells[0].kind == "quad9" and np.allclose(mesh.points[8], [1, 1, 0])
    assert any("ninth node" in note for note in mesh.notes) and not check_mesh(mesh).faults


def test_groups_of_edges_are_no_beams_and_names_shared_by_kinds_are_told(tmp_path):
    """Version 2.2 text: one tetrahedron with a named edge, a named corner, and one name for a face and the volume."""
    path = tmp_path / "one.msh"
    path.write_text(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n"
        '4\n0 1 "corner"\n1 2 "edge"\n2 3 "part"\n3 4 "part"\n$EndPhysicalNames\n'
        "$Nodes\n5\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 9 9 9\n$EndNodes\n"
        "$Elements\n4\n1 15 2 1 1 40\n2 1 2 2 1 10 20\n3 2 2 3 1 10 30 20\n4 4 2 4 1 10 20 30 40\n$EndElements\n"
    )
    mesh = read_mesh(path, unit="m")
    assert [(block.kind, len(block)) for block in mesh.cells] == [("tet4", 1)]
    assert {name: nodes.tolist() for name, nodes in mesh.node_sets.items()} == {
        "corner": [3],
        "edge": [0, 1],
        "part": [0, 1, 2],
    }
    assert list(mesh.cell_sets) == ["part"] and mesh.point_ids.tolist() == [10, 20, 30, 40]
    notes = " ".join(mesh.notes)
    assert "1 line2 cells lie on solid cells (sets edge): they are not beams" in notes
    assert "'part' is used for 3 nodes of surfaces" in notes and "1 of 5 points belong to no cell" in notes


def test_wrongly_ordered_and_inverted_cells_are_repaired(tmp_path):
    made = rod_mesh("hex20", 0.3, 0.05, 2, 3)
    swapped = [*range(12), 16, 17, 18, 19, 12, 13, 14, 15]  # another program's order of edges
    nodes = made.cells[0].nodes[:, swapped].copy()
    path = tmp_path / "rod.vtu"
    meshio.Mesh(made.points, [("hexahedron20", nodes)]).write(path)
    mesh = read_mesh(path)
    assert np.array_equal(mesh.cells[0].nodes, made.cells[0].nodes)
    assert any("were not in VTK order" in note for note in mesh.notes)

    made = box_mesh("tet10", (1, 1, 1))
    nodes = made.cells[0].nodes.copy()
    nodes[2] = nodes[2][[0, 2, 1, 3, 6, 5, 4, 7, 9, 8]]
    meshio.Mesh(made.points, [("tetra10", nodes)]).write(path)
    mesh = read_mesh(path)
    assert np.array_equal(mesh.cells[0].nodes, made.cells[0].nodes)
    assert any("1 of 6 tet10 cells had negative volume" in note for note in mesh.notes)


@pytest.mark.parametrize("place", ["../other/bar.h5", "/{folder}/other/bar.h5", "link.h5"])
def test_numbers_of_an_xdmf_file_in_another_folder(tmp_path: Path, place: str) -> None:
    """Such a file would read any file of the user; beside the mesh it is read."""
    points, cells = np.vstack([np.zeros(3), np.eye(3)]), [("tetra", np.array([[0, 1, 2, 3]]))]
    (tmp_path / "mesh").mkdir()
    (tmp_path / "other").mkdir()
    mesh = tmp_path / "mesh" / "bar.xdmf"
    meshio.Mesh(points, cells).write(mesh, data_format="HDF")
    assert read_mesh(mesh, unit="m").n_points == 4
    (mesh.parent / "bar.h5").rename(tmp_path / "other" / "bar.h5")
    (mesh.parent / "link.h5").symlink_to(tmp_path / "other" / "bar.h5")
    mesh.write_text(mesh.read_text().replace("bar.h5", place.format(folder=str(tmp_path).strip("/"))))
    with pytest.raises(InputError, match="not in the folder of the mesh"):
        read_mesh(mesh, unit="m")
