"""Files of findings on stress: table, fields for ParaView read by VTK, and the picture.

Covers: view.stress.picture, view.picture.numbers.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import flexmb as fx
from flexmb.results.stress_findings import BodyStress, Damage, Envelope, HotSpot, StressFindings
from flexmb.view.geometry.primitives import box
from flexmb.view.picture.numbers import is_hidden
from flexmb.view.stress.files import target_faults


def body(name: str, position: tuple[float, float, float]) -> BodyStress:
    """A cube of 0.2 m; stress falls along x from 100 MPa to 0, principal stress is compression above, tension below."""
    solid = box([0.2, 0.2, 0.2])
    points = solid.points
    mises = (100.0 - 499.0 * (points[:, 0] + 0.1)) * 1e6
    time = np.arange(len(points)) * 0.01
    envelope = Envelope(
        body=name,
        position=np.array(position),
        R_wb=np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
        points=points,
        triangles=solid.triangles,
        nodes=np.arange(len(points)) + 10,
        sides=("",) * len(points),
        von_mises=mises,
        von_mises_time=time,
        tension=np.where(points[:, 2] > 0.0, 0.0, mises),
        tension_time=time + 1.0,
        compression=np.where(points[:, 2] > 0.0, -mises, 0.0),
        compression_time=time + 2.0,
    )
    number = int(np.argmax(mises))
    damage = Damage(np.array([[5e7, 2e7, 3.0], [1e7, 0.0, 0.5]]), 2e-6)
    x, y, z = points[number].tolist()
    spot = HotSpot(name, number, 10 + number, "top", (x, y, z), "foot", 1e8, 0.25, -1e8, 0.5, damage)
    return BodyStress(envelope, (spot,), 0.01)


def findings(*bodies: BodyStress) -> StressFindings:
    return StressFindings("cubes", 0.0, 1.0, 11, "von-mises", "sigma_a = 1 MPa, N = 1, k = 1", bodies, (), ())


ONE = findings(body("a", (1.0, 2.0, 3.0)))
TWO = findings(body("a", (1.0, 2.0, 3.0)), body("=b", (1.5, 2.0, 3.0)))


def test_the_table_reads_back(tmp_path: Path) -> None:
    fx.write_stress(TWO, tmp_path / "a.csv")
    with open(tmp_path / "a.csv", newline="") as file:
        first, second = csv.DictReader(file)
    spot = TWO.spots[0]
    assert (first["body"], first["number"], first["node"], first["side"]) == ("a", "1", str(spot.node), "top")
    assert [float(first[f"{axis} [m]"]) for axis in "xyz"] == list(spot.position)
    assert float(first["von_mises [Pa]"]) == 1e8 and float(first["principal_time [s]"]) == 0.5
    assert (float(first["cycles"]), float(first["largest amplitude [Pa]"])) == (3.5, 5e7)
    assert float(first["damage"]) == 2e-6 and float(first["repeats"]) == 1.0 / 2e-6
    assert second["body"] == "'=b", "no formula in a spreadsheet"


def test_a_table_without_a_line_has_no_damage(tmp_path: Path) -> None:
    plain = tuple(replace(one, spots=tuple(replace(spot, damage=None) for spot in one.spots)) for one in ONE.bodies)
    fx.write_stress(replace(ONE, line="", bodies=plain), tmp_path / "a.csv")
    head, row = csv.reader((tmp_path / "a.csv").read_text().splitlines())
    assert len(head) == len(row) == 12


@pytest.mark.parametrize("found", [ONE, TWO])
def test_fields_are_read_by_vtk(found: StressFindings, tmp_path: Path) -> None:
    """One body in its own axes, several where they are at the first row."""
    xml = pytest.importorskip("vtkmodules.vtkIOXML")
    from vtkmodules.util.numpy_support import vtk_to_numpy

    fx.write_stress(found, tmp_path / "a.vtu")
    reader = xml.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(tmp_path / "a.vtu"))
    reader.Update()
    grid = reader.GetOutput()
    envelopes = [one.envelope for one in found.bodies]
    points = vtk_to_numpy(grid.GetPoints().GetData())
    places = [e.points if found is ONE else e.points @ e.R_wb.T + e.position for e in envelopes]
    assert points == pytest.approx(np.concatenate(places), abs=1e-6)
    data = grid.GetPointData()
    for name in ("von_mises", "principal", "principal_time", "tension", "compression_time"):
        values = vtk_to_numpy(data.GetArray(name))
        assert values == pytest.approx(np.concatenate([getattr(e, name) for e in envelopes]), rel=1e-6)
    numbers = vtk_to_numpy(data.GetArray("hot_spot"))
    assert numbers.sum() == len(found.bodies) and numbers[found.spots[0].point] == 1
    assert vtk_to_numpy(data.GetArray("node"))[0] == 10
    cells = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
    assert cells.max() == len(points) - 1
    assert vtk_to_numpy(grid.GetCellData().GetArray("body")).max() == len(found.bodies) - 1


def test_the_picture_has_both_stresses_from_both_sides(tmp_path: Path) -> None:
    """On the left from purple to yellow, on the right red and blue; legends are at the right of each half."""
    fx.write_stress(ONE, tmp_path / "a.png")
    red, green, blue = np.moveaxis(np.asarray(Image.open(tmp_path / "a.png").convert("RGB"), dtype=int), 2, 0)
    height, width = (side // 2 for side in red.shape)
    for half in (slice(0, height), slice(height, None)):
        mises = half, slice(0, int(0.8 * width))
        principal = half, slice(width, int(1.8 * width))
        warm, cold = red - blue > 60, blue - red > 60
        assert warm[principal].mean() > 0.01 and cold[principal].mean() > 0.01
        assert (warm & (green > 0.7 * red))[mises].mean() > 0.01, "yellow"
        assert ((blue > green + 20) & (red > green + 10))[mises].mean() > 0.01, "purple"


def test_a_point_behind_a_face_is_hidden() -> None:
    solid = box([0.2, 0.2, 0.2])
    corners, eye = solid.points[solid.triangles], np.array([5.0, 0.3, 0.2])
    assert not is_hidden(np.array([0.1, 0.03, 0.02]), eye, corners, 0.2)
    assert is_hidden(np.array([-0.1, 0.03, 0.02]), eye, corners, 0.2)


def test_faults_of_files(tmp_path: Path) -> None:
    taken = tmp_path / "a.png"
    faults = target_faults([tmp_path / "a.txt", tmp_path / "none" / "a.csv", taken, taken])
    texts = [fault.text for fault in faults]
    assert "must end in .png, .vtu or .csv" in texts[0] and "there is no folder" in texts[1]
    assert texts[2] == "the same file is given twice."
    with pytest.raises(fx.InputError, match="must end in"):
        fx.write_stress(ONE, tmp_path / "a.txt")
