"""glTF files: read back by an evaluator of the format that is written here, and by two packages; the places of all
points at random frames are those of the scene.

Covers: view.scene.
"""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.view.gltf import glb_bytes, write_glb
from flexmb.view.gltf.arrows import directions
from flexmb.view.scene import Look, Part, Scene, rotations
from tests.support.scenes import LENGTH, bending_scene

TYPES = {5126: "<f4", 5125: "<u4", 5123: "<u2"}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""From z upwards to y upwards, the front (-y) to +z"""


class Reader:
    """A .glb file, and where its vertices are at a time."""

    def __init__(self, data: bytes):
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data)) and length % 4 == 0
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON" and size % 4 == 0
        self.head: dict[str, Any] = json.loads(data[20 : 20 + size])
        binary, kind = struct.unpack_from("<I4s", data, 20 + size)
        assert kind == b"BIN\0" and 28 + size + binary == length
        self.binary = data[28 + size :]

    def array(self, number: int) -> np.ndarray:
        accessor = self.head["accessors"][number]
        view = self.head["bufferViews"][accessor["bufferView"]]
        kind = np.dtype(TYPES[accessor["componentType"]])
        width = WIDTHS[accessor["type"]]
        assert view["byteLength"] == accessor["count"] * width * kind.itemsize
        raw = np.frombuffer(self.binary, kind, accessor["count"] * width, view["byteOffset"])
        return raw if width == 1 else raw.reshape(-1, width)

    def node(self, name: str) -> int:
        return next(k for k, node in enumerate(self.head["nodes"]) if node["name"] == name)

    def pose(self, node: int, time: float, animation: int = 0) -> dict[str, np.ndarray]:
        """Translation, rotation and weights of a node, between keys as glTF says: linear, rotations along the arc."""
        entry = self.head["nodes"][node]
        weights = self.head["meshes"][entry["mesh"]].get("weights", [])
        pose = {"translation": entry["translation"], "rotation": entry["rotation"], "weights": weights}
        moves = self.head["animations"][animation] if "animations" in self.head else {"channels": []}
        for channel in moves["channels"]:
            if channel["target"]["node"] != node:
                continue
            sampler = moves["samplers"][channel["sampler"]]
            keys = self.array(sampler["input"])
            values = self.array(sampler["output"]).astype(float).reshape(len(keys), -1)
            after = int(np.clip(np.searchsorted(keys, time), 1, len(keys) - 1))
            part = float(np.clip((time - keys[after - 1]) / (keys[after] - keys[after - 1]), 0.0, 1.0))
            path, (first, second) = channel["target"]["path"], values[after - 1 : after + 1]
            if path == "rotation":
                angle = np.arccos(np.clip(first @ second, -1.0, 1.0))
                second = first if angle < 1e-9 else (second - first * np.cos(angle)) / np.sin(angle)
                pose[path] = first * np.cos(part * angle) + second * np.sin(part * angle)
            else:
                pose[path] = (1.0 - part) * first + part * second
        return {path: np.asarray(value, dtype=float) for path, value in pose.items()}

    def primitive(self, node: int) -> dict[str, Any]:
        return self.head["meshes"][self.head["nodes"][node]["mesh"]]["primitives"][0]

    def corners(self, name: str, time: float, what: str = "POSITION") -> np.ndarray:
        """(3 t, 3) corners of the triangles of a part, or normals there; axes of glTF"""
        node = self.node(name)
        pose, primitive = self.pose(node, time), self.primitive(node)
        local = self.array(primitive["attributes"][what]).astype(float)
        for weight, target in zip(pose["weights"], primitive.get("targets", []), strict=True):
            local = local + weight * self.array(target[what])
        R = rotations(np.roll(pose["rotation"], 1))
        root = rotations(np.roll(self.head["nodes"][self.head["scenes"][0]["nodes"][0]]["rotation"], 1))
        shift = pose["translation"] if what == "POSITION" else 0.0
        return ((local @ R.T + shift) @ root.T)[self.array(primitive["indices"])]


def expected(part: Part, frame: int, scale: float) -> np.ndarray:
    return (part.positions(frame, scale) @ Y_UP.T)[part.triangles.ravel()]


@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_points_are_where_the_scene_has_them(scale: float) -> None:
    """To 1e-6 of the scene's radius: the rounding of single precision is 6e-8."""
    scene = bending_scene()
    reader = Reader(glb_bytes(scene, Look(scale=scale, speed=0.05)))
    rng = np.random.default_rng(5)
    for frame in rng.integers(0, len(scene.time), 12):
        for part in scene.parts:
            found = reader.corners(part.name, scene.time[frame] / 0.05)
            np.testing.assert_allclose(found, expected(part, frame, scale), atol=1e-6 * scene.radius)


def test_between_frames_the_motion_goes_on() -> None:
    """Half way between two frames: the crank turns evenly; the rod's end cuts the corner of an arc of 6 degrees."""
    scene = bending_scene()
    reader = Reader(glb_bytes(scene, Look(scale=1.0, speed=1.0)))
    fine = bending_scene(n_frames=121)
    for frame in (7, 33):
        time = 0.5 * (scene.time[frame] + scene.time[frame + 1])
        crank, rod = fine.part("crank"), fine.part("rod")
        np.testing.assert_allclose(reader.corners("crank", time), expected(crank, 2 * frame + 1, 1.0), atol=1e-7)
        error = np.abs(reader.corners("rod", time) - expected(rod, 2 * frame + 1, 1.0)).max()
        assert error < 2.0 * 0.1 * (2.0 * np.pi / 60.0) ** 2 / 8.0


def test_structure_is_valid() -> None:
    look = Look(ghost=True, arrows=True)
    reader = Reader(glb_bytes(bending_scene(), look))
    head = reader.head
    assert all(view["byteOffset"] % 4 == 0 for view in head["bufferViews"])
    assert head["buffers"] == [{"byteLength": len(reader.binary)}]
    for mesh in head["meshes"]:
        primitive = mesh["primitives"][0]
        count = head["accessors"][primitive["attributes"]["POSITION"]]["count"]
        assert reader.array(primitive["indices"]).max() == count - 1
        assert len(mesh.get("weights", [])) == len(primitive.get("targets", []))
        arrays = [
            *primitive["attributes"].items(),
            *(item for row in primitive.get("targets", []) for item in row.items()),
        ]
        for what, number in arrays:
            accessor = head["accessors"][number]
            assert accessor["count"] == count
            if what == "POSITION":
                values = reader.array(number)
                assert accessor["min"] == values.min(axis=0).tolist() and accessor["max"] == values.max(axis=0).tolist()
        normals = reader.array(primitive["attributes"]["NORMAL"])
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-6)
    for sampler in head["animations"][0]["samplers"]:
        times = reader.array(sampler["input"])
        assert times[0] == 0.0 and (np.diff(times) > 0.0).all()
        assert head["accessors"][sampler["input"]]["max"] == [float(times[-1])]
    for channel in head["animations"][0]["channels"]:
        values = reader.array(head["animations"][0]["samplers"][channel["sampler"]]["output"])
        if channel["target"]["path"] == "rotation":
            np.testing.assert_allclose(np.linalg.norm(values, axis=1), 1.0, atol=1e-6)
        if channel["target"]["path"] == "weights":
            assert np.abs(values).max() == 1.0
    # The bearing never moves: it needs no keys.
    assert not any(channel["target"]["node"] == reader.node("bearing") for channel in head["animations"][0]["channels"])


def test_normals_follow_the_bending() -> None:
    """Those of the bent surface to second order in the slope, which is 0.2 here."""
    scene = bending_scene()
    reader = Reader(glb_bytes(scene, Look(scale=10.0)))
    frame = 15
    rod = scene.part("rod")
    time = float(scene.time[frame] / reader.head["scenes"][0]["extras"]["simulated seconds per second"])
    corners = reader.corners("rod", time).reshape(-1, 3, 3)
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flat /= np.linalg.norm(flat, axis=1)[:, None]
    normals = reader.corners("rod", time, "NORMAL").reshape(-1, 3, 3)
    normals /= np.linalg.norm(normals, axis=2)[:, :, None]
    sides = np.ptp(rod.points[rod.triangles][:, :, 0], axis=1) > 0.0
    agreement = np.sum(normals.mean(axis=1) * flat, axis=1)[sides]
    assert agreement.min() > 1.0 - 0.2**2
    unbent = reader.array(reader.primitive(reader.node("rod"))["attributes"]["NORMAL"])
    assert np.abs(unbent[:, 0]).max() == 1.0  # end faces
    assert np.abs(normals[sides][:, :, 0]).max() > 0.15


def test_extras_tell_scale_and_speed() -> None:
    scene = bending_scene()
    extras = Reader(glb_bytes(scene, Look())).head["scenes"][0]["extras"]
    assert extras["deflection scale"] == scene.scale
    assert extras["simulated seconds per second"] == pytest.approx(scene.time[-1] / 10.0)
    assert extras["color"] == "largest |u| of every point, 0 to 2 mm"
    extras = Reader(glb_bytes(scene, Look(color="stress", speed=0.5))).head["scenes"][0]["extras"]
    assert extras["simulated seconds per second"] == 0.5 and "MPa" in extras["color"]


def test_colors_are_those_of_the_largest_value() -> None:
    """The middle of the rod has the end of the ramp (yellow), its ends have the start (violet); red, green, blue."""
    scene = bending_scene()
    reader = Reader(glb_bytes(scene, Look()))
    primitive = reader.primitive(reader.node("rod"))
    colors = reader.array(primitive["attributes"]["COLOR_0"]) / 65535.0
    x = reader.array(primitive["attributes"]["POSITION"])[:, 0]
    middle, start = colors[np.abs(x - LENGTH / 2).argmin()], colors[x.argmin()]
    assert middle[0] > 0.9 and middle[2] < 0.05
    assert start[0] < 0.1 and start[1] < 0.05
    plain = Reader(glb_bytes(scene, Look(color="part")))
    assert "COLOR_0" not in plain.primitive(plain.node("rod"))["attributes"]


def test_ghost_symbols_and_arrows() -> None:
    scene = bending_scene()
    plain = Reader(glb_bytes(scene, Look(symbols=False)))
    assert {node["name"] for node in plain.head["nodes"] if "mesh" in node} == {"rod", "crank", "slider"}
    full = Reader(glb_bytes(scene, Look(ghost=True, arrows=True, speed=1.0)))
    rod = scene.part("rod")
    for frame in (10, 40):
        ghost = (rod.undeformed(frame) @ Y_UP.T)[rod.triangles.ravel()]
        found = full.corners("rod undeformed", scene.time[frame])
        np.testing.assert_allclose(found, ghost, atol=1e-6 * scene.radius)
        arrow = scene.arrows[0]
        corners = full.corners("big_end reaction force [N]", scene.time[frame]) @ Y_UP
        along = (corners - arrow.position[frame]) @ (arrow.vector[frame] / 50.0)
        # The only arrow is as large as any of its unit: 0.45 radii.
        np.testing.assert_allclose([along.min(), along.max()], [0.0, 0.45 * scene.radius], atol=1e-6)


def test_small_arrow_shrinks_to_nothing() -> None:
    scene = bending_scene()
    fading = replace(scene.arrows[0], vector=scene.arrows[0].vector * np.linspace(1.0, 0.0, 61)[:, None])
    reader = Reader(glb_bytes(replace(scene, arrows=(fading,)), Look(arrows=True, speed=1.0)))
    for frame, length in ((0, 0.45), (30, 0.225), (57, 0.45 * 3.0 / 60.0), (60, 0.0)):
        corners = reader.corners("big_end reaction force [N]", scene.time[frame]) @ Y_UP - fading.position[frame]
        size = np.linalg.norm(corners, axis=1).max()
        assert size == pytest.approx(length * scene.radius, abs=1e-6)


def test_arrow_directions_go_the_short_way() -> None:
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(40, 3))
    vectors[7] = -vectors[6]
    vectors[9] = 0.0
    quaternion = directions(vectors)
    np.testing.assert_allclose(np.linalg.norm(quaternion, axis=1), 1.0)
    assert (np.sum(quaternion[1:] * quaternion[:-1], axis=1) >= 0.0).all()
    z = rotations(quaternion)[:, :, 2]
    vectors[9] = vectors[8]
    np.testing.assert_allclose(z, vectors / np.linalg.norm(vectors, axis=1)[:, None], atol=1e-12)


def test_follow_a_body() -> None:
    """The followed body stays; the others keep their places relative to it."""
    scene = bending_scene()
    reader = Reader(glb_bytes(scene, Look(follow="crank", scale=1.0, speed=1.0)))
    crank, slider = scene.part("crank"), scene.part("slider")
    first = crank.positions(0) @ Y_UP.T
    for frame in (13, 50):
        np.testing.assert_allclose(
            reader.corners("crank", scene.time[frame]), first[crank.triangles.ravel()], atol=1e-7
        )
        local = (slider.positions(frame) - crank.position[frame]) @ rotations(crank.quaternion[frame])
        seen = local @ rotations(crank.quaternion[0]).T + crank.position[0]
        found = reader.corners("slider", scene.time[frame])
        np.testing.assert_allclose(found, (seen @ Y_UP.T)[slider.triangles.ravel()], atol=1e-7)
    with pytest.raises(InputError, match="no body 'cranck' to follow. Did you mean 'crank'"):
        glb_bytes(scene, Look(follow="cranck"))


def test_chapters_are_animations_of_their_own() -> None:
    scene = replace(bending_scene(), chapters=((0.0, "first"), (bending_scene().time[30], "second")))
    reader = Reader(glb_bytes(scene, Look(scale=1.0)))
    assert [animation["name"] for animation in reader.head["animations"]] == ["first", "second"]
    pose = reader.pose(reader.node("crank"), float(scene.time[45] - scene.time[30]), animation=1)
    np.testing.assert_allclose(np.roll(pose["rotation"], 1), scene.part("crank").quaternion[45], atol=1e-6)


def test_up_is_up() -> None:
    scene = replace(bending_scene(), up=(0.0, 1.0, 0.0))
    reader = Reader(glb_bytes(scene, Look(scale=1.0, speed=1.0)))
    rod = scene.part("rod")
    heights = rod.positions(0)[rod.triangles.ravel(), 1]
    np.testing.assert_allclose(reader.corners("rod", 0.0)[:, 1], heights, atol=1e-7)


def test_one_frame_is_a_still() -> None:
    scene = bending_scene()
    still = replace(
        scene,
        time=scene.time[:1],
        arrows=(),
        parts=tuple(
            replace(part, position=part.position[20:21], quaternion=part.quaternion[20:21],
                    amplitudes=part.amplitudes[20:21] if part.n_shapes else part.amplitudes)
            for part in scene.parts
        ),
    )  # fmt: skip
    reader = Reader(glb_bytes(still, Look(scale=10.0)))
    assert "animations" not in reader.head
    np.testing.assert_allclose(reader.corners("rod", 0.0), expected(scene.part("rod"), 20, 10.0), atol=1e-6)


def test_instants_that_single_precision_cannot_tell_apart() -> None:
    scene = bending_scene()
    time = scene.time.copy()
    time[41] = time[40] + 1e-12
    reader = Reader(glb_bytes(replace(scene, time=time), Look()))
    keys = reader.array(reader.head["animations"][0]["samplers"][0]["input"])
    assert len(keys) == 60 and (np.diff(keys) > 0.0).all()


def test_numbers_that_cannot_be_drawn(tmp_path: Path) -> None:
    scene = bending_scene()
    position = scene.parts[1].position.copy()
    position[3, 0] = np.nan
    broken = replace(scene, parts=(scene.parts[0], replace(scene.parts[1], position=position)))
    with pytest.raises(InputError, match="'crank' has positions that are not finite"):
        write_glb(broken, tmp_path / "x.glb")
    flat = replace(scene.parts[1], triangles=np.zeros_like(scene.parts[1].triangles))
    with pytest.raises(InputError, match="'crank' has no surface"):
        write_glb(replace(scene, parts=(scene.parts[0], flat)), tmp_path / "x.glb")
    assert list(tmp_path.iterdir()) == []


def test_targets_that_are_refused(tmp_path: Path) -> None:
    scene = bending_scene(n_frames=3, n_along=2)
    (tmp_path / "model.toml").write_text("precious")
    for path, reason in ((tmp_path, "it is a folder"), (tmp_path / "no" / "x.glb", "there is no folder")):
        with pytest.raises(InputError, match=reason):
            write_glb(scene, path)
    with pytest.raises(InputError, match="does not end in .glb: it is not overwritten"):
        write_glb(scene, tmp_path / "model.toml")
    for _ in range(2):
        write_glb(scene, tmp_path / "x.glb")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.toml", "x.glb"]


def many_points() -> Scene:
    """A part with more points than 16 bits count."""
    scene = bending_scene(n_frames=2, n_along=9000)
    assert len(scene.part("rod").points) * 2 > 65536
    return scene


def test_many_points_have_long_numbers() -> None:
    scene = many_points()
    reader = Reader(glb_bytes(scene, Look(scale=1.0, speed=1.0)))
    assert reader.array(reader.primitive(reader.node("rod"))["indices"]).dtype == np.dtype("<u4")
    np.testing.assert_allclose(reader.corners("rod", scene.time[1]), expected(scene.part("rod"), 1, 1.0), atol=1e-6)


def test_read_by_pygltflib(tmp_path: Path) -> None:
    pygltflib = pytest.importorskip("pygltflib")
    write_glb(bending_scene(), tmp_path / "x.glb", Look(arrows=True))
    file = pygltflib.GLTF2().load(str(tmp_path / "x.glb"))
    rod = next(mesh for mesh in file.meshes if mesh.name == "rod")
    assert len(rod.primitives[0].targets) == 4
    assert rod.extras["targetNames"] == ["carried 1", "shape 1", "shape 2", "shape 3"]
    paths = {channel.target.path for channel in file.animations[0].channels}
    assert paths == {"translation", "rotation", "weights"}
    assert len(file.binary_blob()) >= file.buffers[0].byteLength


def test_read_by_trimesh(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    scene = bending_scene()
    write_glb(scene, tmp_path / "x.glb")
    loaded = trimesh.load(tmp_path / "x.glb")
    assert set(loaded.geometry) == {"rod", "crank", "slider", "bearing"}
    slider = scene.part("slider")
    node = next(name for name in loaded.graph.nodes_geometry if loaded.graph[name][1] == "slider")
    points = trimesh.transform_points(loaded.geometry["slider"].vertices, loaded.graph[node][0])
    wanted = slider.positions(0) @ Y_UP.T
    np.testing.assert_allclose(points.min(axis=0), wanted.min(axis=0), atol=1e-6)
    np.testing.assert_allclose(points.max(axis=0), wanted.max(axis=0), atol=1e-6)


def leaves(block: Any) -> list[Any]:
    """The surfaces of a tree of VTK data, in order."""
    blocks = [block.GetBlock(number) for number in range(block.GetNumberOfBlocks())]
    return [leaf for one in blocks for leaf in (leaves(one) if one.IsA("vtkMultiBlockDataSet") else [one])]


def test_played_by_vtk(tmp_path: Path) -> None:
    """VTK's own evaluation of nodes, morph targets and animation puts every corner where the scene has it."""
    geometry = pytest.importorskip("vtkmodules.vtkIOGeometry")
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline

    scene = bending_scene()
    write_glb(scene, tmp_path / "x.glb", Look(scale=10.0, speed=scene.time[-1] / 6.0))
    reader = geometry.vtkGLTFReader()
    reader.SetFileName(str(tmp_path / "x.glb"))
    reader.SetApplyDeformationsToGeometry(True)
    reader.SetFrameRate(10)
    reader.UpdateInformation()
    reader.EnableAnimation(0)
    reader.UpdateInformation()
    steps = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    assert len(steps) == 61 and steps[-1] == pytest.approx(6.0)
    for frame in (0, 13, 44):
        reader.UpdateTimeStep(steps[frame])
        surfaces = leaves(reader.GetOutput())
        assert len(surfaces) == len(scene.parts)
        for surface, part in zip(surfaces, scene.parts, strict=True):
            points = vtk_to_numpy(surface.GetPoints().GetData())
            corners = points[vtk_to_numpy(surface.GetPolys().GetConnectivityArray())]
            np.testing.assert_allclose(corners, expected(part, frame, 10.0), atol=1e-6 * scene.radius)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_positions_that_no_file_can_hold(tmp_path: Path) -> None:
    far = replace(bending_scene(), radius=float("inf"))
    with pytest.raises(InputError, match="not finite and cannot be drawn"):
        write_glb(far, tmp_path / "far.glb")
    assert not list(tmp_path.iterdir())
