"""Solid geometry to meshes by gmsh: volumes, faces as sets, units, limits, and failures that stay outside.

Covers: cli.mesh, mesh.gmsh_worker, view.face_picture.
"""

from __future__ import annotations

import re
import subprocess
import sys
from math import pi
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from flexmb.errors import ComputationError, InputError
from flexmb.mesh import geometry
from flexmb.mesh.checks import check_mesh
from flexmb.mesh.geometry import make_mesh, read_geometry
from flexmb.mesh.read import read_mesh
from tests.support.command_line import call
from tests.support.places import MESHES

Capture = pytest.CaptureFixture[str]
pytest.importorskip("gmsh", reason="meshes of geometry need gmsh (extra cad)")
STEP = MESHES / "bracket.step"
VOLUME = (80 * 40 * 10 - pi * (8**2 + 5**2) * 10) * 1e-9
NAMES = {"face_1", "face_7", "face_8", "bore_big", "bore_small", "volume_1"}


def in_inches(folder: Path) -> Path:
    """The STEP file with the same numbers, but in inches."""
    text = STEP.read_text().replace(
        "( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) )",
        "( CONVERSION_BASED_UNIT('INCH',#90001) LENGTH_UNIT() NAMED_UNIT(#90002) )",
    )
    unit = "#90001 = LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#90003);\n"
    unit += "#90002 = DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.);\n"
    unit += "#90003 = ( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) );\n"
    assert "CONVERSION_BASED_UNIT('INCH'" in text
    path = folder / "inches.step"
    path.write_text(text.replace("DATA;\n", f"DATA;\n{unit}", 1))
    return path


def test_faces_and_volume_of_a_step_file() -> None:
    found = read_geometry(STEP)
    ((number, _, volume),) = found.volumes
    assert number == 1 and volume == pytest.approx(VOLUME, rel=1e-9)
    assert found.size == pytest.approx(0.08, rel=1e-6)
    bores = {face.name: face for face in found.faces if face.name}
    assert len(found.faces) == 8 and set(bores) == {"bore_big", "bore_small"}
    for name, radius, x in (("bore_big", 8e-3, 0.0), ("bore_small", 5e-3, 0.04)):
        assert bores[name].kind == "Cylinder" and bores[name].area == pytest.approx(2 * pi * radius * 0.01, rel=1e-9)
        assert bores[name].center == pytest.approx((x, 0.0, 0.0), abs=1e-9)


def test_the_unit_of_a_step_file_is_respected(tmp_path: Path) -> None:
    assert read_geometry(in_inches(tmp_path)).volumes[0][2] == pytest.approx(VOLUME * 25.4**3, rel=1e-9)


@pytest.mark.parametrize(("order", "kind"), [(1, "tet4"), (2, "tet10")])
def test_a_mesh_is_what_the_reader_reads(tmp_path: Path, order: int, kind: str) -> None:
    make_mesh(STEP, tmp_path / "part.msh", 8e-3, order=order)
    mesh = read_mesh(tmp_path / "part.msh", "mm")
    report = check_mesh(mesh)
    assert [block.kind for block in mesh.cells] == [kind] and not report.faults
    # Straight edges cut the bores: at most 1 - sin(x)/x of their area with x = pi/6, twelve on a circle
    cut = pi * (8**2 + 5**2) * 10e-9 * (1.0 - np.sin(pi / 6) / (pi / 6)) if order == 1 else 1e-4 * VOLUME
    assert abs(report.volume - VOLUME) < cut
    assert NAMES <= set(mesh.node_sets) and "volume_1" in mesh.cell_sets
    places = mesh.points[mesh.node_sets["bore_small"]]
    assert np.hypot(places[:, 0] - 0.04, places[:, 1]) == pytest.approx(np.full(len(places), 5e-3), rel=1e-6)


def test_a_surface_of_triangles_becomes_a_volume(tmp_path: Path) -> None:
    """The triangles of a box of 1 x 2 x 3 in centimetres."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    rows = [corners[[a, b, c]] for p, q, r, s in quads for a, b, c in ((p, q, r), (p, r, s))]
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in row) + "endloop\nendfacet\n"
        for row in rows
    )
    (tmp_path / "box.stl").write_text(f"solid box\n{facets}endsolid box\n")
    with pytest.raises(InputError, match="an STL file has no unit"):
        read_geometry(tmp_path / "box.stl")
    assert read_geometry(tmp_path / "box.stl", "cm").volumes[0][2] == pytest.approx(6e-6, rel=1e-12)
    make_mesh(tmp_path / "box.stl", tmp_path / "box.msh", 5e-3, unit="cm")
    mesh = read_mesh(tmp_path / "box.msh", "cm")
    assert check_mesh(mesh).volume == pytest.approx(6e-6, rel=1e-9)
    assert sum(name.startswith("face_") for name in mesh.node_sets) >= 6


def test_wrong_requests_are_rejected_before_gmsh_meshes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "part.msh"
    for size, words in ((1e-5, "about 248,233,85"), (0.0, "above 0 and below"), (1.0, "below that of the part, 80 mm")):
        with pytest.raises(InputError, match=words):
            make_mesh(STEP, target, size)
    for path, words in ((tmp_path / "no.step", "There is no geometry file"), (Path(__file__), "is not a geometry")):
        with pytest.raises(InputError, match=words):
            make_mesh(path, target, 1e-2)
    with pytest.raises(InputError, match="the unit of this format is in the file"):
        make_mesh(STEP, target, 1e-2, unit="mm")
    with pytest.raises(InputError, match="must end in .msh"):
        make_mesh(STEP, tmp_path / "part.step", 1e-2)
    monkeypatch.setattr(geometry, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"pip install 'flexmb\[cad\]'"):
        make_mesh(STEP, target, 1e-2)
    assert not target.exists()


def test_damage_and_crashes_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cut.step").write_text(STEP.read_text()[:3000])
    with pytest.raises((ComputationError, InputError), match=r"cut\.step|no volume"):
        make_mesh(tmp_path / "cut.step", tmp_path / "cut.msh", 5e-3)
    monkeypatch.setattr(geometry, "_WORKER", ("-c", "import os; os.kill(os.getpid(), 11)"))
    with pytest.raises(ComputationError, match="gmsh failed on 'bracket.step': it ended with code -11"):
        read_geometry(STEP)


def test_four_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = call(capsys, "mesh", "faces", str(STEP), "--picture", "faces.png")
    assert (code, err) == (0, "") and out.rstrip().endswith("faces.png")
    rows = {row.split()[0]: row.split() for row in out.splitlines() if row.startswith("face_")}
    assert len(rows) == 8 and rows["face_7"] == ["face_7", "Cylinder", "502.655", "0", "0", "0", "bore_big"]
    picture = np.asarray(Image.open("faces.png").convert("RGB"))
    assert picture.shape == (720, 1800, 3) and len(np.unique(picture.reshape(-1, 3), axis=0)) > 100
    code, out, err = call(capsys, "mesh", "make", str(STEP), "--size", "8mm")
    assert (code, err) == (0, "") and "bore_big" in out and "bracket.msh: give --unit mm" in out
    for words, part in (
        (("--size", "8"), "give a unit"),
        (("--size", "8 kg"), "--size 8 kg"),
        (("--size", "8mm", "--order", "3"), "the order of cells is 1 or 2"),
    ):
        code, _, err = call(capsys, "mesh", "make", str(STEP), *words)
        assert code == 2 and part in err
    assert call(capsys, "mesh", "faces", str(STEP), "--picture", "faces.jpg")[0] == 2


PLATE = """
import gmsh
gmsh.initialize(["", "-nopopup"], readConfigFiles=False, interruptible=False)
gmsh.option.setNumber("General.Verbosity", 1)
part = gmsh.model.occ
part.cut([(3, part.addBox(-20, -20, -5, 80, 40, 10))], [(3, part.addCylinder(0, 0, -10, 0, 0, 20, 8))])
part.synchronize()
for ending in ("step", "iges", "brep"):
    gmsh.write(f"plate.{ending}")
gmsh.clear()
part.addBox(0, 0, 0, 10, 20, 30), part.addSphere(50, 0, 0, 5)
part.synchronize()
gmsh.write("two.iges")
gmsh.finalize()
"""
PLATE_VOLUME = (80 * 40 * 10 - pi * 8**2 * 10) * 1e-9


@pytest.fixture(scope="module")
def plates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a plate with a bore in the formats that gmsh writes"""
    folder = tmp_path_factory.mktemp("plates")
    subprocess.run([sys.executable, "-c", PLATE], cwd=folder, check=True, capture_output=True, timeout=120)
    return folder


@pytest.mark.parametrize("ending", ["iges", "brep"])
def test_other_formats_are_the_same_part(plates: Path, tmp_path: Path, ending: str) -> None:
    """IGES has faces without a solid, which are joined; BREP has a solid."""
    path = plates / f"plate.{ending}"
    found = read_geometry(path)
    assert [volume for _, _, volume in found.volumes] == pytest.approx([PLATE_VOLUME], rel=1e-9)
    assert len(found.faces) == 7 and found.size == pytest.approx(0.08, rel=1e-6)
    bores = [face.number for face in found.faces if face.kind != "Plane"]
    assert [found.faces[n - 1].area for n in bores] == pytest.approx([2 * pi * 8e-3 * 0.01], rel=1e-9)
    make_mesh(path, tmp_path / "part.msh", 8e-3)
    mesh = read_mesh(tmp_path / "part.msh", "mm")
    assert check_mesh(mesh).volume == pytest.approx(PLATE_VOLUME, rel=1e-4)
    places = mesh.points[mesh.node_sets[f"face_{bores[0]}"]]
    assert np.hypot(places[:, 0], places[:, 1]) == pytest.approx(np.full(len(places), 8e-3), rel=1e-6)


def test_the_unit_of_an_iges_file_is_respected(plates: Path, tmp_path: Path) -> None:
    text = (plates / "plate.iges").read_text()
    assert text.count("1.,2,2HMM,") == 1
    (tmp_path / "inches.iges").write_text(text.replace("1.,2,2HMM,", "1.,1,2HIN,"))
    assert read_geometry(tmp_path / "inches.iges").volumes[0][2] == pytest.approx(PLATE_VOLUME * 25.4**3, rel=1e-9)


def test_faces_that_are_lost_when_they_are_joined_are_an_error(plates: Path) -> None:
    """A sphere has one face without an edge to join it by: without the check only the box would be left."""
    with pytest.raises(ComputationError, match=r"'two\.iges': 1 of its 7 faces .* export the part as STEP"):
        read_geometry(plates / "two.iges")


def colored(step: Path, colors: dict[int, str]) -> str:
    """The text of a STEP file whose faces (by their place) have colours"""
    text = step.read_text()
    faces = re.findall(r"#(\d+)\s*=\s*ADVANCED_FACE", text)
    context = re.findall(r"#(\d+)\s*=\s*\(\s*GEOMETRIC_REPRESENTATION_CONTEXT", text)[0]
    lines, items = [], []
    for first, (place, color) in zip(range(90000, 91000, 10), colors.items(), strict=False):
        entities = (
            *(f"COLOUR_RGB('',{color})", f"FILL_AREA_STYLE_COLOUR('',#{first})"),
            *(f"FILL_AREA_STYLE('',(#{first + 1}))", f"SURFACE_STYLE_FILL_AREA(#{first + 2})"),
            *(f"SURFACE_SIDE_STYLE('',(#{first + 3}))", f"SURFACE_STYLE_USAGE(.BOTH.,#{first + 4})"),
            *(f"PRESENTATION_STYLE_ASSIGNMENT((#{first + 5}))", f"STYLED_ITEM('',(#{first + 6}),#{faces[place]})"),
        )
        lines += [f"#{first + i}={entity};\n" for i, entity in enumerate(entities)]
        items.append(f"#{first + 7}")
    listed = f"MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',({','.join(items)}),#{context})"
    head, end = text.split("ENDSEC;\nEND-ISO")
    return f"{head}{''.join(lines)}#91000={listed};\nENDSEC;\nEND-ISO{end}"


def test_faces_of_one_colour_are_a_set(plates: Path, tmp_path: Path) -> None:
    path = tmp_path / "colored.step"
    path.write_text(colored(plates / "plate.step", {0: "0.,0.501961,1.", 5: "0.,0.501961,1.", 6: "1.,0.,0."}))
    assert [face.color for face in read_geometry(path).faces] == ["0080ff", "", "", "", "", "0080ff", "ff0000"]
    make_mesh(path, tmp_path / "part.msh", 8e-3)
    sets = read_mesh(tmp_path / "part.msh", "mm").node_sets
    assert {name for name in sets if name.startswith("color_")} == {"color_0080ff", "color_ff0000"}
    assert np.array_equal(sets["color_ff0000"], sets["face_7"])
    assert np.array_equal(np.unique(sets["color_0080ff"]), np.union1d(sets["face_1"], sets["face_6"]))
