"""Results for other tools, read back by the readers of those tools: VTK, scipy's MATLAB reader, pyarrow.

Covers: cli.export_formats, results.binary_tables, results.channel_columns, view.surface_grid, view.vtk_files.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from scipy.io import loadmat

from flexmb.errors import InputError
from flexmb.results.binary_tables import export_mat, export_parquet, matlab_names
from flexmb.results.result_file import Result
from flexmb.view.scene import Scene, rotations
from flexmb.view.surface_grid import SurfaceGrid
from flexmb.view.vtk_files import vtu_text, write_vtkhdf, write_vtu
from tests.support.command_line import call, folder, write_result
from tests.support.scenes import bending_scene

__all__ = ["folder"]  # a fixture
Capture = pytest.CaptureFixture[str]


def numbers(data: Any, name: str) -> np.ndarray:
    from vtkmodules.util.numpy_support import vtk_to_numpy

    return vtk_to_numpy(data.GetArray(name))


def compare(grid: Any, scene: Scene, frame: int, scale: float) -> None:
    """A grid of VTK with the bodies of a scene: the rod, the crank and the slider."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    bodies = [scene.part(name) for name in ("rod", "crank", "slider")]
    points = vtk_to_numpy(grid.GetPoints().GetData())
    np.testing.assert_allclose(points, np.concatenate([part.positions(frame, scale) for part in bodies]), atol=1e-7)
    u = numbers(grid.GetPointData(), "displacement")
    rod, n_rod = bodies[0], len(bodies[0].points)
    chord = (rod.positions(frame, 2.0) - rod.positions(frame, 1.0)).astype(np.float32)
    np.testing.assert_allclose(u[:n_rod], chord, atol=1e-8)
    assert not u[n_rod:].any()
    stress = numbers(grid.GetPointData(), "von_mises")
    np.testing.assert_allclose(stress[:n_rod], rod.von_mises(frame), rtol=1e-6)
    assert np.isnan(stress[n_rod:]).all()
    names = grid.GetFieldData().GetAbstractArray("bodies")
    assert [names.GetValue(k) for k in range(names.GetNumberOfValues())] == [part.name for part in bodies]
    body = numbers(grid.GetCellData(), "body")
    assert np.bincount(body).tolist() == [len(part.triangles) for part in bodies]
    for cell in (0, grid.GetNumberOfCells() - 1):
        part = bodies[body[cell]]
        start = sum(len(other.points) for other in bodies[: body[cell]])
        first = int(np.flatnonzero(body == body[cell])[0])
        ids = grid.GetCell(cell).GetPointIds()
        assert [ids.GetId(k) - start for k in range(3)] == part.triangles[cell - first].tolist()


@pytest.mark.parametrize("scale", [1.0, 25.0])
def test_vtkhdf_is_read_by_vtk(tmp_path: Path, scale: float) -> None:
    hdf = pytest.importorskip("vtkmodules.vtkIOHDF")
    scene = bending_scene(n_frames=9)
    write_vtkhdf(scene, tmp_path / "x.vtkhdf", scale)
    assert [path.name for path in tmp_path.iterdir()] == ["x.vtkhdf"]
    reader = hdf.vtkHDFReader()
    assert reader.CanReadFile(str(tmp_path / "x.vtkhdf"))
    reader.SetFileName(str(tmp_path / "x.vtkhdf"))
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == 9
    for frame in (*range(9), 4):
        reader.UpdateTimeStep(scene.time[frame])
        assert reader.GetTimeValue() == scene.time[frame]
        compare(reader.GetOutputDataObject(0), scene, frame, scale)


def test_vtkhdf_with_letters_beyond_ascii(tmp_path: Path) -> None:
    hdf = pytest.importorskip("vtkmodules.vtkIOHDF")
    scene = bending_scene(n_frames=2, n_along=2)
    write_vtkhdf(replace(scene, parts=(replace(scene.parts[0], name="größe"),)), tmp_path / "x.vtkhdf")
    reader = hdf.vtkHDFReader()
    reader.SetFileName(str(tmp_path / "x.vtkhdf"))
    reader.Update()
    assert reader.GetOutputDataObject(0).GetFieldData().GetAbstractArray("bodies").GetValue(0) == "größe"


def test_vtkhdf_holds_the_triangles_once(tmp_path: Path) -> None:
    scene = bending_scene(n_frames=9)
    write_vtkhdf(scene, tmp_path / "x.vtkhdf")
    grid = SurfaceGrid(scene)
    with h5py.File(tmp_path / "x.vtkhdf") as file:
        root = file["VTKHDF"]
        assert root.attrs["Version"].tolist() == [2, 0] and root.attrs["Type"] == b"UnstructuredGrid"
        assert root["Connectivity"].shape == (grid.triangles.size,)
        assert root["Points"].shape == (9 * grid.n_points, 3) and root["Points"].dtype == np.float32


def test_vtu_series_is_read_by_vtk(tmp_path: Path) -> None:
    xml = pytest.importorskip("vtkmodules.vtkIOXML")
    scene = bending_scene(n_frames=5)
    files = write_vtu(scene, tmp_path / "a & b.pvd", 10.0)
    listing = ElementTree.parse(tmp_path / "a & b.pvd").getroot()
    rows = listing.findall("Collection/DataSet")
    assert [float(row.attrib["timestep"]) for row in rows] == scene.time.tolist()
    assert len(rows) == len(list(files.iterdir())) == 5
    for frame, row in enumerate(rows):
        reader = xml.vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(tmp_path / row.attrib["file"]))
        reader.Update()
        compare(reader.GetOutput(), scene, frame, 10.0)
        assert numbers(reader.GetOutput().GetFieldData(), "TimeValue").tolist() == [scene.time[frame]]


def test_vtu_series_replaces_its_own_frames_only(tmp_path: Path) -> None:
    for n_frames in (7, 3):
        files = write_vtu(bending_scene(n_frames=n_frames), tmp_path / "x.pvd")
        assert len(list(files.iterdir())) == n_frames
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.pvd", "x_vtu"]
    (files / "notes.txt").write_text("precious")
    before = (tmp_path / "x.pvd").read_bytes()
    with pytest.raises(InputError, match="contains files other than frames, so it is not overwritten"):
        write_vtu(bending_scene(n_frames=4), tmp_path / "x.pvd")
    assert (files / "notes.txt").read_text() == "precious" and (tmp_path / "x.pvd").read_bytes() == before


def test_names_of_bodies_are_escaped() -> None:
    """Names come from model files; letters beyond ASCII too."""
    scene = bending_scene(n_frames=2, n_along=2)
    named = replace(scene, parts=(replace(scene.parts[0], name='</Array>"größe'), *scene.parts[1:]))
    root = ElementTree.fromstring(vtu_text(SurfaceGrid(named), 0))
    texts = root.find(".//Array[@Name='bodies']")
    assert texts is not None and texts.text is not None
    assert bytes(map(int, texts.text.split())).decode().split("\0")[:2] == ['</Array>"größe', "crank"]


def test_scene_without_stress() -> None:
    grid = SurfaceGrid(bending_scene(n_frames=2, stress=False))
    assert grid.field_widths == {"displacement": 3}
    rod = grid.scene.part("rod")
    (name, values), *rest = grid.fields(1)
    assert name == "displacement" and not rest
    turned = rod.deflection(1) @ rotations(rod.quaternion[1]).T
    np.testing.assert_allclose(values[: len(rod.points)], turned, atol=1e-9)


def test_fields_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = bending_scene(n_frames=2)
    with pytest.raises(InputError, match="no body with a surface"):
        write_vtkhdf(replace(scene, parts=()), tmp_path / "x.vtkhdf")
    with pytest.raises(InputError, match="deflection scale is nan"):
        write_vtu(scene, tmp_path / "x.pvd", float("nan"))
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 1000}))
    with pytest.raises(InputError, match="Cannot write '.*x.vtkhdf': No space left"):
        write_vtkhdf(scene, tmp_path / "x.vtkhdf")
    assert list(tmp_path.iterdir()) == []


def test_matlab_file(folder: Path) -> None:
    write_result(folder / "out.h5")
    with Result("out.h5") as result:
        assert export_mat(result, "out.mat", ["pivot.force", "tip_height", "time"]) == 301
        force, height, time = result["pivot.force"], result["tip_height"], result.time
    loaded = loadmat("out.mat")
    np.testing.assert_array_equal(loaded["pivot_force"], force)
    np.testing.assert_array_equal(loaded["tip_height"], height[:, None])
    np.testing.assert_array_equal(loaded["time"], time[:, None])
    plain = loadmat("out.mat", simplify_cells=True)
    assert plain["units"] == {"time": "s", "pivot_force": "N", "tip_height": "m"}
    assert plain["paths"]["pivot_force"] == "joints/pivot/force"
    assert plain["columns"]["pivot_force"].tolist() == ["pivot.force.x", "pivot.force.y", "pivot.force.z"]


def test_matlab_names() -> None:
    long = "a" * 80
    names = matlab_names(["rod.force", "rod/force", "2nd", "end", "time", "größe.x", "_x", "...", long, long + "b"])
    assert names == [
        "rod_force", "rod_force_2", "n_2nd", "end_2", "time_2", "grosse_x", "x", "channel", "a" * 63, "a" * 61 + "_2",
    ]  # fmt: skip


def test_matrix_too_large_for_matlab(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_result(folder / "out.h5")
    monkeypatch.setattr("flexmb.results.binary_tables._MAT_BYTES", 301 * 8)
    with Result("out.h5") as result:
        export_mat(result, "out.mat", ["tip_height"])
        with pytest.raises(InputError, match="'joints/pivot/force' is larger than 2 GB"):
            export_mat(result, "out.mat", ["pivot.force"])


def test_parquet_file(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    write_result(folder / "out.h5")
    with Result("out.h5") as result:
        assert export_parquet(result, "out.parquet", ["pivot.force", "pivot.force.x", "tip_height"]) == 301
        wanted = np.column_stack([result.time, result["pivot.force"], result["tip_height"]])
    table = parquet.read_table("out.parquet")
    assert table.column_names == ["time", "pivot.force.x", "pivot.force.y", "pivot.force.z", "tip_height"]
    np.testing.assert_array_equal(np.column_stack([column.to_numpy() for column in table.columns]), wanted)
    assert table.schema.field("pivot.force.x").metadata == {b"unit": b"N"}
    assert b'"tip_height": "m"' in table.schema.metadata[b"units"]


def test_parquet_without_pyarrow(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    write_result(folder / "out.h5")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, out, err = call(capsys, "export", "out.h5", "--parquet")
    assert (code, out) == (2, "") and "need the package pyarrow, which is not installed" in err
    assert not (folder / "out.parquet").exists()


def test_several_formats_in_one_command(folder: Path, capsys: Capture) -> None:
    write_result(folder / "out.h5")
    code, out, _ = call(capsys, "export", "out.h5", "--csv", "table.csv", "--mat", "-c", "tip_height")
    assert (code, out) == (0, "table.csv: 301 rows\nout.mat: 301 rows\n")
    assert loadmat("out.mat")["tip_height"].shape == (301, 1)
    code, out, _ = call(capsys, "export", "out.h5", "by_its_ending.mat")
    assert (code, out) == (0, "by_its_ending.mat: 301 rows\n")


def test_moving_bodies_of_a_result(folder: Path, capsys: Capture) -> None:
    run = ("run", "pendulum.toml", "-o", "out.h5", "--quiet", "--set", "analysis.end=3")
    assert call(capsys, *run) == (0, "", "")
    code, out, err = call(capsys, "export", "out.h5", "--vtkhdf", "--glb", "--vtu", "fine.vtu", "--frames", "12")
    line = "12 frames of 301 rows, deflection scale 1\n"
    assert (code, err) == (0, "")
    assert out == f"out.vtkhdf: {line}fine.pvd: {line}out.glb: {line}"
    assert len(list((folder / "fine_vtu").iterdir())) == 12
    with Result("out.h5") as result, h5py.File("out.vtkhdf") as file:
        times = file["VTKHDF/Steps/Values"][:]
        assert len(times) == 12 and np.isin(times, result.time).all()
    code, out, _ = call(capsys, "export", "out.h5", "--vtkhdf")
    assert (code, out) == (0, "out.vtkhdf: 200 frames of 301 rows, deflection scale 1\n")


def test_wrong_words_are_reported_at_once(folder: Path, capsys: Capture) -> None:
    write_result(folder / "out.h5")
    cases = {
        ("--csv", "--frames", "5"): ["--frames is for moving bodies"],
        ("--glb", "-c", "tip_height"): ["--channel is for tables"],
        ("--glb", "--frames", "1", "--scale", "-2"): ["--frames 1: at least 2 frames are needed", "--scale -2"],
        ("--csv", "x.mat"): ["'x.mat' is a file of --mat, which is not given"],
        ("--csv", "--mat", "x.txt", "no/x.mat"): ["extension of 'x.txt'", "there is no folder 'no'"],
        ("a.mat", "b.mat"): ["'b.mat' is the second file for --mat"],
        (): ["--csv, --mat, --parquet, --vtkhdf, --vtu, --glb"],
    }
    files = sorted(path.name for path in folder.iterdir())
    for words, sentences in cases.items():
        code, out, err = call(capsys, "export", "out.h5", *words)
        assert (code, out) == (2, "")
        assert all(sentence in err for sentence in sentences), err
        assert len(err.splitlines()) == len(sentences), err
    assert sorted(path.name for path in folder.iterdir()) == files


def test_failed_export_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    write_result(folder / "out.h5")
    assert call(capsys, "export", "out.h5", "--csv", "--mat")[0] == 0
    before = {name: (folder / name).read_bytes() for name in ("out.csv", "out.mat")}

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("scipy.io.savemat", fail)
    monkeypatch.setattr("flexmb.results.export.np.column_stack", fail)
    for option in ("--csv", "--mat"):
        code, _, err = call(capsys, "export", "out.h5", option, "-c", "pivot.force")
        assert code == 2 and f"Cannot write 'out.{option[2:]}': No space left on device" in err
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert not list(folder.glob(".*part*"))


def test_nothing_is_written_when_bodies_are_missing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """A body file that has gone is reported before the first table is written."""
    write_result(folder / "out.h5")

    def gone(*words: object, **more: object) -> object:
        raise InputError("The file of body 'rod' is not found.")

    monkeypatch.setattr("flexmb.view.scene_of_result.scene_of_result", gone)
    code, out, err = call(capsys, "export", "out.h5", "--csv", "--vtkhdf")
    assert (code, out) == (2, "") and "is not found" in err
    assert not (folder / "out.csv").exists() and not (folder / "out.vtkhdf").exists()


def test_help_ends_on_the_narrowest_screen(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("COLUMNS", "1")
    code, out, _ = call(capsys, "export", "--help")
    assert code == 0 and "--vtkhdf" in out
