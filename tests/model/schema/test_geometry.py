"""Shapes and colours of rigid bodies in a model: what is read, what is refused, and files of surfaces."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.model.model import Model
from flexmb.model.model_file import parse_model, read_model
from flexmb.model.schema.geometry import COLORS, Shape, without_lost_files
from flexmb.system.placement import place
from flexmb.view.geometry.default_shapes import rigid_solid
from flexmb.view.geometry.drawing_files import file_solid, stl_corners
from flexmb.view.geometry.primitives import Solid, box
from tests.support.places import ROOT

FRAME = """
parameters.r = "20 mm"
points = { O = [0, 0, 0], A = ["100 mm", 0, 0] }
[bodies.b]
mass = 1
inertia = [1, 1, 1]
"""
BLOCK = box((2.0, 3.0, 4.0), (10.0, 20.0, 30.0))


def shapes_of(text: str, folder: str = "") -> tuple[Shape, ...]:
    return parse_model(FRAME + text, folder=folder).spec.bodies["b"].geometry


def refused(text: str, folder: str = "") -> str:
    with pytest.raises(InputError) as error:
        parse_model(FRAME + text, folder=folder)
    return str(error.value)


def ascii_stl(solid: Solid) -> str:
    rows = ["solid block"]
    for triangle in solid.triangles:
        rows.append("  facet normal 0 0 0\n    outer loop")
        rows += [f"      vertex {x:.9g} {y:.9g} {z:.9g}" for x, y, z in solid.points[triangle]]
        rows.append("    endloop\n  endfacet")
    return "\n".join([*rows, "endsolid block", ""])


def binary_stl(solid: Solid) -> bytes:
    facets = [struct.pack("<12fH", 0, 0, 0, *solid.points[triangle].ravel(), 0) for triangle in solid.triangles]
    # Many programs begin the header of a binary file with the word of the text format.
    return b"solid but binary".ljust(80, b" ") + struct.pack("<I", len(facets)) + b"".join(facets)


def test_shapes_are_read_in_si() -> None:
    text = (
        'geometry = [{ box = ["10 mm", 0.02, "$r"] }, { cylinder = ["O", [0, 0, "1 m"]], radius = "$r/2" }, '
        '{ sphere = "$r", at = "A" }]'
    )
    one, two, three = shapes_of(text)
    assert one == Shape("box", (0.01, 0.02, 0.02))
    assert two == Shape("cylinder", (0.01,), ("O", (0.0, 0.0, 1.0)))
    assert three == Shape("sphere", (0.02,), at="A")


def test_one_shape_needs_no_list() -> None:
    (shape,) = shapes_of(
        'geometry = { box = [1, 2, 3], at = [0, 0, 1], orientation = { axis = "z", angle = "90 deg" } }'
    )
    assert shape.at == (0.0, 0.0, 1.0)
    np.testing.assert_allclose(shape.orientation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


def test_python_and_file_give_the_same() -> None:
    model = Model("m")
    geometry = [{"box": np.array([1.0, 2.0, 3.0])}, {"sphere": "5 cm", "at": (0, 0, 1)}]
    model.rigid("b", mass=1, inertia=[1, 1, 1], geometry=geometry, color="Steel")
    again = parse_model(model.to_toml())
    assert again.spec.bodies["b"] == model.spec.bodies["b"]
    assert model.spec.bodies["b"].geometry[1] == Shape("sphere", (0.05,), at=(0.0, 0.0, 1.0))
    assert again.identity == model.identity


@pytest.mark.parametrize(
    ("text", "color"), [("#ff8000", (1.0, 128 / 255, 0.0)), ("#FF8000", (1.0, 128 / 255, 0.0)), ("grey", None)]
)
def test_colors(text: str, color: tuple[float, float, float] | None) -> None:
    found = parse_model(f'{FRAME}color = "{text}"').spec.bodies["b"].color
    expected = tuple(int(COLORS["gray"][k : k + 2], 16) / 255 for k in (1, 3, 5)) if color is None else color
    assert found == expected


def test_without_geometry_there_is_none() -> None:
    body = parse_model(FRAME).spec.bodies["b"]
    assert body.geometry is None and body.color is None


FAULTS = {
    "geometry = []": "expected a shape such as { sphere = 0.1 } or a list of them",
    "geometry = 3": "found 3",
    "geometry = [3]": "expected a table such as { sphere = 0.1 }, found 3",
    "geometry = { }": "a shape needs one of the keys box, cylinder, sphere, file, found none of them",
    "geometry = { box = [1, 1, 1], sphere = 1 }": "found box and sphere",
    "geometry = { box = [1, 1] }": "box: expected a list of 3 numbers, found 2",
    "geometry = { box = [1, 0, 1] }": "the edges must be greater than 0 m",
    'geometry = { box = [1, "2 kg", 1] }': "entry 2",
    'geometry = { cylinder = ["O", "A"] }': "a cylinder needs its 'radius'",
    'geometry = { cylinder = ["O", "O"], radius = 1 }': "the two ends are the same point",
    'geometry = { cylinder = ["O", "AA"], radius = 1 }': "no point 'AA'. Did you mean 'A'?",
    'geometry = { cylinder = ["O", "A"], radius = -1 }': "radius: must be greater than 0 m",
    'geometry = { cylinder = ["O", "A"], radius = 1, at = "O" }': "'at' does not belong to a cylinder",
    "geometry = { sphere = 1, orientation = { xyz = [0, 0, 0] } }": "'orientation' does not belong to a sphere",
    "geometry = { sphere = 1, att = [0, 0, 0] }": "'att' is not a key of a shape. Did you mean 'at'?",
    'geometry = { sphere = 1, at = "B" }': "no point 'B'",
    'geometry = { file = "missing.stl" }': "there is no file",
    "geometry = { file = 3 }": "the path of a file",
    'color = "blau"': "'blau' is not a colour: use \"#rrggbb\" or a name. Did you mean",
    'color = "#12345"': "'#12345' is not a colour",
    "color = 3": "found 3",
    'colour = "red"': "Did you mean 'color'?",
}


@pytest.mark.parametrize("text", FAULTS)
def test_faults(text: str) -> None:
    assert FAULTS[text] in refused(text)


def test_all_faults_at_once() -> None:
    message = refused('geometry = [{ box = [1, 1] }, { sphere = 0, at = "X" }, { cylinder = 1 }]\ncolor = "no"')
    for part in ("shape 1: box", "shape 2: sphere", "no point 'X'", "shape 3: a cylinder needs", "color"):
        assert part in message


def test_ends_that_meet_are_refused_when_drawn() -> None:
    spec = parse_model(f'{FRAME}geometry = {{ cylinder = ["O", [0, 0, 0]], radius = 1 }}').spec
    with pytest.raises(InputError, match="body 'b': the two ends of a cylinder are the same place"):
        rigid_solid(place(spec), spec, 1, 1.0)


def assert_block(solid: Solid, factor: float = 1.0) -> None:
    assert len(solid.points) == 8 and len(solid.triangles) == 12
    assert solid.volume == pytest.approx(24.0 * factor**3, rel=1e-6)
    np.testing.assert_allclose(solid.points.mean(axis=0), [10.0 * factor, 20.0 * factor, 30.0 * factor], rtol=1e-6)


@pytest.mark.parametrize("binary", [True, False])
def test_stl(tmp_path: Path, binary: bool) -> None:
    path = tmp_path / "part.STL"
    path.write_bytes(binary_stl(BLOCK) if binary else ascii_stl(BLOCK).encode())
    assert_block(file_solid(str(path), "m"))
    assert_block(file_solid(str(path), "mm"), 1e-3)
    assert_block(file_solid(str(path)))  # 4 is no size of millimetres
    corners = stl_corners(path.read_bytes())
    np.testing.assert_allclose(corners, BLOCK.points[BLOCK.triangles], rtol=1e-6)


def test_other_files(tmp_path: Path) -> None:
    rows = [f"v {x} {y} {z}" for x, y, z in BLOCK.points]
    rows += ["f " + " ".join(str(number + 1) for number in triangle) for triangle in BLOCK.triangles]
    (tmp_path / "part.obj").write_text("\n".join(rows) + "\n")
    assert_block(file_solid(str(tmp_path / "part.obj"), "cm"), 1e-2)
    mesh = file_solid(str(ROOT / "meshes" / "connecting_rod_coarse.msh"), "mm")
    assert mesh.volume > 0.0 and 0.2 < np.ptp(mesh.points, axis=0).max() < 0.5


def test_file_of_a_model(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(binary_stl(BLOCK))
    turned = '{ axis = "z", angle = "90 deg" }'
    shape = f'{{ file = "part.stl", unit = "mm", at = [0, 0, 1], orientation = {turned} }}'
    (tmp_path / "model.toml").write_text(f"{FRAME}geometry = {shape}\n")
    spec = read_model(tmp_path / "model.toml").spec
    solid = rigid_solid(place(spec), spec, 1, 1.0)
    assert solid is not None
    np.testing.assert_allclose(solid.points.mean(axis=0), [-0.02, 0.01, 1.03], rtol=1e-6)
    assert "Did you mean 'part.stl'?" in refused('geometry = { file = "prt.stl" }', str(tmp_path))
    assert "is not a unit of length. Did you mean 'mm'?" in refused(
        'geometry = { file = "part.stl", unit = "mmm" }', str(tmp_path)
    )


def damaged() -> dict[str, tuple[bytes, str]]:
    whole, text = binary_stl(BLOCK), ascii_stl(BLOCK)
    not_finite = Solid(np.where(BLOCK.points == BLOCK.points.max(), np.nan, BLOCK.points), BLOCK.triangles)
    return {
        "empty": (b"", "not an STL file"),
        "short": (b"\0" * 50, "not an STL file"),
        "cut": (b"\0" * 80 + whole[80:-7], "12 triangles need 684 bytes, it has 677"),
        "cut text": (text[:-40].encode(), "truncated"),
        "corner missing": (text.replace("vertex", "", 1).encode(), "35 vertices"),
        "no number": (text.replace("vertex 9 ", "vertex nine ", 1).encode(), "not three numbers"),
        "no triangles": (b"solid a\nendsolid a\n", "no triangles"),
        "not finite": (binary_stl(not_finite), "not finite"),
    }


@pytest.mark.parametrize("name", damaged())
def test_damaged_files_are_told(tmp_path: Path, name: str) -> None:
    content, told = damaged()[name]
    (tmp_path / "part.stl").write_bytes(content)
    spec = parse_model(FRAME + 'geometry = { file = "part.stl" }', folder=str(tmp_path)).spec
    with pytest.raises(InputError) as error:
        rigid_solid(place(spec), spec, 1, 1.0)
    assert told in str(error.value) and "body 'b'" in str(error.value) and "part.stl" in str(error.value)


def test_lost_files_are_left_out_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "here.stl").write_bytes(binary_stl(BLOCK))
    there, lost = {"file": "here.stl"}, {"file": "gone.stl"}
    tables: dict[str, Any] = {
        "bodies": {
            "a": {"mass": 1, "geometry": there},
            "b": {"mass": 1, "geometry": [lost, there]},
            "c": {"mass": 1, "geometry": lost},
        }
    }
    kept, notes = without_lost_files(tables, str(tmp_path))
    assert kept["bodies"]["a"] == tables["bodies"]["a"]
    assert kept["bodies"]["b"]["geometry"] == [there]
    assert "geometry" not in kept["bodies"]["c"] and kept["bodies"]["c"]["mass"] == 1
    assert len(notes) == 2 and all("'gone.stl' is missing" in note for note in notes)
    assert tables["bodies"]["c"]["geometry"] == lost
    assert without_lost_files({"model": {}}, "") == ({"model": {}}, [])
