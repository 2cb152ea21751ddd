"""Scenes packed for the browser: what comes out again is what went in, within the errors that are promised.

Covers: view.web.packed_arrays, view.web.rounding.
"""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
from typing import Any

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.view.scene import Look, Part, Scene
from flexmb.view.web.pack import pack_scene
from flexmb.view.web.packed_arrays import FROM_NEIGHBOURS, ArrayStore, Neighbours
from flexmb.view.web.rounding import DEFLECTION_ERROR, STRESS_ERROR, largest_values, layers_of
from tests.support.scenes import bending_scene

TRY = np.random.default_rng(7)


def unpacked(entry: dict[str, Any], content: bytes, triangles: np.ndarray | None = None) -> np.ndarray:
    """(rows, length) by the description in arrays.py, written without its code."""
    count, width = entry["rows"] * entry["length"], entry["width"]
    planes = np.frombuffer(content, np.uint8, count * width, entry["at"]).reshape(width, count).astype(np.int64)
    coded = sum(plane << (8 * k) for k, plane in enumerate(planes))
    values = np.where(coded % 2 == 1, -(coded + 1) // 2, coded // 2).reshape(entry["rows"], entry["length"])
    for _ in range(max(0, entry["order"])):
        values = np.cumsum(values, axis=1)
    if entry["order"] == FROM_NEIGHBOURS:
        assert triangles is not None
        edges = [(a, b) for t in triangles for a, b in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0]))]
        earlier: list[list[int]] = [[] for _ in range(entry["length"])]
        for a, b in edges:
            if a != b:
                earlier[max(a, b)].append(min(a, b))
        for point in range(1, entry["length"]):
            known = earlier[point] or [point - 1]
            values[:, point] += values[:, known].sum(axis=1) // len(known)
    return values


def series(entry: dict[str, Any], content: bytes) -> np.ndarray:
    """(frames, columns)"""
    return unpacked(entry, content).T * np.array(entry["steps"])


def read(scene: Scene, look: Look | None = None) -> tuple[dict[str, Any], bytes]:
    header, arrays = pack_scene(scene, look or Look())
    return json.loads(header), gzip.decompress(base64.b64decode(arrays))


def field(packed: dict[str, Any], content: bytes, components: int, triangles: np.ndarray) -> np.ndarray:
    """(frames, s, components) summed from the packed layers"""
    levels = unpacked(packed["values"], content, triangles).reshape(len(packed["steps"]), components, -1)
    amplitudes = series(packed["amplitudes"], content)[:, packed["shape"]]
    return np.einsum("fl,lcs->fsc", amplitudes * np.array(packed["steps"]), levels)


@pytest.mark.parametrize("width", [7, 15, 29])
@pytest.mark.parametrize("shape", [(3, 50), (1, 1), (4, 0), (0, 5)])
def test_whole_numbers_come_back_exactly(width: int, shape: tuple[int, int]) -> None:
    store = ArrayStore()
    values = TRY.integers(-(2**width), 2**width, shape)
    smooth = np.cumsum(np.cumsum(values // 2**20, axis=1), axis=1)
    entries = [store.integers(values), store.integers(smooth, (0, 1, 2))]
    content = gzip.decompress(base64.b64decode(store.text()))
    np.testing.assert_array_equal(unpacked(entries[0], content), values)
    np.testing.assert_array_equal(unpacked(entries[1], content), smooth)


def test_fields_on_a_mesh_come_back_exactly_and_small() -> None:
    rod = bending_scene(n_frames=2, n_along=500).parts[0]
    waves = np.rint(3e4 * np.sin(rod.points @ TRY.uniform(-10.0, 10.0, (3, 5)))).astype(np.int64).T
    order = TRY.permutation(len(rod.points))
    triangles = np.argsort(order)[rod.triangles]
    plain, store = ArrayStore(), ArrayStore()
    plain.integers(waves[:, order])
    entry = store.integers(waves[:, order], mesh=Neighbours(triangles))
    assert entry["order"] == FROM_NEIGHBOURS
    assert len(store.text()) < 0.9 * len(plain.text())
    content = gzip.decompress(base64.b64decode(store.text()))
    np.testing.assert_array_equal(unpacked(entry, content, triangles), waves[:, order])


def test_the_same_array_is_stored_once() -> None:
    store = ArrayStore()
    values = TRY.integers(0, 1000, (4, 300))
    first = store.integers(values)
    size = store.size
    assert store.integers(values.copy()) == first
    assert store.size == size
    assert store.integers(values[:2]) != first


def test_smooth_motion_takes_little_room() -> None:
    """A turning pose needs about a byte and a half for a number of 8."""
    angle = np.linspace(0.0, 4.0 * np.pi, 1200)
    store = ArrayStore()
    store.rounded(np.stack([np.cos(angle / 2), np.sin(angle / 2)], axis=1), 2e-7)
    assert len(store.text()) < 2 * 1200 * 2.2


def many_shapes(sizes: np.ndarray, n_points: int = 400, n_frames: int = 60) -> Part:
    """A part whose shapes have very different amplitudes; the first one is carried."""
    shapes = TRY.uniform(-1.0, 1.0, (len(sizes), n_points, 3)).astype(np.float32)
    shapes /= np.sqrt((shapes**2).sum(axis=2)).max(axis=1)[:, None, None]
    amplitudes = sizes * TRY.uniform(-1.0, 1.0, (n_frames, len(sizes)))
    points = TRY.uniform(0.0, 0.3, (n_points, 3))
    triangles = TRY.integers(0, n_points, (300, 3))
    still = np.tile([1.0, 0.0, 0.0, 0.0], (n_frames, 1))
    stress = (1e11 * shapes[:, :, [0, 1, 2, 0, 1, 2]]).astype(np.float32)
    return Part(
        "blob", "flexible", points, triangles, np.zeros((n_frames, 3)), still, (0.5, 0.5, 0.5), shapes, amplitudes, 1,
        stress, amplitudes,
    )  # fmt: skip


@pytest.mark.parametrize(
    "sizes",
    [
        np.array([0.05, 1e-3, 3e-4, 1e-5, 1e-8, 0.0]),
        np.full(41, 1e-3),
        np.array([1e-9, 1e-9]),
    ],
    ids=["very different", "very many", "tiny"],
)
def test_deflections_and_stresses_keep_their_bounds(sizes: np.ndarray) -> None:
    part = many_shapes(sizes)
    scene = Scene("t", "", np.linspace(0.0, 1.0, len(part.position)), (part,))
    header, content = read(scene)
    packed = header["parts"][0]
    exact = np.array([part.deflection(k) for k in range(len(scene.time))])
    free = [k for k, shape in enumerate(packed["bending"]["shape"]) if shape >= 1]
    bending = packed["bending"] | {key: [packed["bending"][key][k] for k in free] for key in ("steps", "shape")}
    levels = unpacked(packed["bending"]["values"], content, part.triangles).reshape(-1, 3, len(part.points))[free]
    assert np.abs(levels).max() <= 32767
    amplitudes = series(bending["amplitudes"], content)[:, bending["shape"]]
    drawn = np.einsum("fl,lcs->fsc", amplitudes * np.array(bending["steps"]), levels)
    largest = np.sqrt((exact**2).sum(axis=2)).max()
    error = np.sqrt(((drawn - exact) ** 2).sum(axis=2)).max()
    assert error <= DEFLECTION_ERROR * largest
    assert header["colorings"][0]["largest"] == pytest.approx(largest, rel=1e-5)
    stress = field(packed["stress"], content, 6, part.triangles)
    exact_stress = np.array([part.von_mises(k) for k in range(len(scene.time))])
    xx, yy, zz, xy, yz, zx = np.moveaxis(stress, -1, 0)
    normal = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2)
    drawn_stress = np.sqrt(normal + 3.0 * (xy**2 + yz**2 + zx**2))
    assert np.abs(drawn_stress - exact_stress).max() <= STRESS_ERROR * exact_stress.max()


def test_small_shapes_get_few_levels() -> None:
    part = many_shapes(np.array([0.0, 1e-3, 1e-6]))
    layers = layers_of(part.shapes, part.amplitudes, np.full(3, 1e-7))
    assert layers.shape == [1, 2]
    top = np.abs(layers.values).max(axis=(1, 2))
    assert 2000 < top[0] < 10000
    assert top[1] <= 6


def test_poses_points_and_curves() -> None:
    scene = bending_scene()
    header, content = read(scene)
    np.testing.assert_allclose(series(header["time"], content)[:, 0] + header["start"], scene.time, atol=1e-9)
    for part, packed in zip(scene.parts, header["parts"], strict=True):
        np.testing.assert_allclose(series(packed["position"], content), part.position, atol=1e-7 * scene.radius)
        np.testing.assert_allclose(series(packed["quaternion"], content), part.quaternion, atol=1.01e-7)
        levels = unpacked(packed["points"], content, part.triangles).T
        points = np.array(packed["origin"]) + np.array(packed["step"]) * levels
        np.testing.assert_allclose(points, part.points, atol=1e-5 * scene.radius)
        np.testing.assert_array_equal(unpacked(packed["triangles"], content).T, part.triangles)
    for curve, packed in zip(scene.curves, header["curves"], strict=True):
        top = np.abs(curve.values).max()
        np.testing.assert_allclose(series(packed["values"], content)[:, 0], curve.values, atol=1.01e-6 * top)
    arrow = scene.arrows[0]
    np.testing.assert_allclose(series(header["arrows"][0]["vector"], content), arrow.vector, atol=5.01e-6 * 50.0)


def test_largest_values_equal_those_of_the_scene() -> None:
    scene = bending_scene()
    largest = largest_values(scene.parts[0])
    assert largest.size == pytest.approx(scene.largest_deflection, rel=1e-6)
    assert largest.stress == pytest.approx(scene.largest_stress, rel=1e-6)


def test_the_legend_ends_at_the_largest_deflection_of_the_scene() -> None:
    """Of a body with many points and frames that jumps once, beside a symbol that moves more than any body."""
    sizes = np.array([0.05, 1e-3, 1e-3])
    body = many_shapes(sizes, n_points=3000, n_frames=300)
    amplitudes = body.amplitudes.copy()
    amplitudes[151] = 0.0, 1e-2, -7e-3
    body = dataclasses.replace(body, amplitudes=amplitudes)
    symbol = dataclasses.replace(many_shapes(10.0 * sizes, n_frames=300), name="spring", kind="symbol", stress=None)
    scene = Scene("t", "", np.linspace(0.0, 1.0, 300), (body, symbol))
    header, _ = read(scene)
    tops = {each["name"]: each["largest"] for each in header["colorings"]}
    assert tops["displacement"] == scene.largest_deflection
    exact = np.abs([body.deflection(k) for k in range(300)]).max(axis=(0, 1))
    assert [tops[axis] for axis in "xyz"] == pytest.approx(exact, rel=1e-6)
    assert tops["stress"] == pytest.approx(scene.largest_stress, rel=1e-6)


def test_gaps_of_a_curve_stay_gaps() -> None:
    scene = bending_scene()
    values = scene.curves[0].values.copy()
    values[[3, 7]] = np.nan, np.inf
    curve = dataclasses.replace(scene.curves[0], values=values)
    header, _ = read(dataclasses.replace(scene, curves=(curve,)))
    assert header["curves"][0]["gaps"] == [3, 7]


def test_one_frame_and_no_parts() -> None:
    header, content = read(bending_scene(n_frames=2))
    assert series(header["time"], content).shape == (2, 1)
    header, _ = read(Scene("nothing", "", np.zeros(1), ()))
    assert header["parts"] == [] and header["floor"] == 0.0


def test_names_cannot_leave_the_script_element() -> None:
    bad = "</script><script>alert(1)</script><!-- & \u2028 \" '"
    text, _ = pack_scene(dataclasses.replace(bending_scene(), title=bad, notes=(bad,)), Look())
    assert "<" not in text and ">" not in text
    assert json.loads(text)["notes"] == [bad]
    assert json.loads(text)["title"] == bad.replace("\u2028 ", "")


def test_all_faults_at_once() -> None:
    scene = bending_scene()
    points = scene.parts[0].points.copy()
    points[0, 0] = np.nan
    broken = dataclasses.replace(scene, parts=(dataclasses.replace(scene.parts[0], points=points), *scene.parts[1:]))
    with pytest.raises(InputError) as refused:
        pack_scene(broken, Look(color="colour", view="beneath", follow="rood"))
    text = str(refused.value)
    for word in ("'colour'", "'beneath'", "'rood'", "'rod' has numbers that are not finite"):
        assert word in text


def test_numbers_that_cannot_be_drawn() -> None:
    with pytest.raises(InputError, match="not finite"):
        pack_scene(dataclasses.replace(bending_scene(), radius=float("inf")), Look())


def test_a_long_run_of_a_large_rod_stays_small() -> None:
    """6000 points, 8 shapes and 1200 frames: below 0.7 MB with the viewer."""
    from flexmb.view.web.page import viewer_parts

    scene = long_rod()
    parts = viewer_parts(scene, Look())
    assert len(scene.parts[0].points) >= 6000
    assert sum(map(len, (parts.style, parts.markup, parts.script, parts.data))) < 700_000
    assert len(parts.style) + len(parts.markup) + len(parts.script) < 90_000


def long_rod() -> Scene:
    """The rod of the small scene, finer, with the numbering of a mesh generator (none) and noise in the motion."""
    scene = bending_scene(n_frames=1200, n_along=1500, stress=False)
    rod = scene.parts[0]
    s = rod.points[:, 0] / rod.points[:, 0].max()
    shapes = np.zeros((8, len(s), 3), np.float32)
    for k in range(8):
        shapes[k, :, 1 + k % 2] = np.sin((k // 2 + 1) * np.pi * s)
        shapes[k, :, 0] = 0.05 * np.cos((k // 2 + 1) * np.pi * s) * rod.points[:, 1 + k % 2] / 0.006
    order = TRY.permutation(len(s))
    back = np.argsort(order)
    t = np.linspace(0.0, 1.0, 1200)[:, None]
    sizes = 3e-3 / (1.0 + np.arange(8)) ** 2.5
    amplitudes = sizes * (np.sin(2 * np.pi * (2 + np.arange(8) * 11) * t) + 0.05 * TRY.normal(size=(1200, 8)))
    bent = dataclasses.replace(
        rod, points=rod.points[order], triangles=back[rod.triangles], shapes=shapes[:, order], amplitudes=amplitudes,
        nodes=None, marks={},
    )  # fmt: skip
    return dataclasses.replace(scene, parts=(bent, *scene.parts[1:]))
