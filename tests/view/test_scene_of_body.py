"""Mode shapes of body files as scenes: what is drawn is Phi q or G_kk q^2/2, of a size that is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from flexmb.bodies.reduced_body import ReducedBody
from flexmb.errors import InputError
from flexmb.view.animate import animate
from flexmb.view.picture.values import values_of
from flexmb.view.scene import MESH_ERROR
from flexmb.view.scene_of_body import CYCLE, FRAMES, round_amplitude, scene_of_body, scene_of_mesh_error
from tests.support.reduced_meshes import line_rod, reduce_with, reduced


@pytest.fixture(scope="module")
def body() -> ReducedBody:
    """A bar of 0.3 m with nine coordinates, a quadratic field and stress."""
    return replace(reduced(stress=True), name="bar")


def faults_of(body: ReducedBody, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        scene_of_body(body, **options)  # type: ignore[arg-type]
    return str(caught.value)


def test_every_shape_has_a_chapter_of_one_cycle(body: ReducedBody) -> None:
    scene = scene_of_body(body)
    assert [title for _, title in scene.chapters][:2] == [
        f"{k}: {entry.label}, {entry.frequency:.4g} Hz" for k, entry in enumerate(body.coordinates[:2], 1)
    ]
    assert [start for start, _ in scene.chapters] == [CYCLE * k for k in range(9)]
    assert len(scene.time) == 9 * FRAMES + 1 and scene.period == CYCLE and np.all(np.diff(scene.time) > 0.0)


def test_what_is_drawn_is_the_shape(body: ReducedBody) -> None:
    """At the quarter of its cycle a coordinate is at its largest, and all others are at rest."""
    scene = scene_of_body(body)
    amplitude, scale = round_amplitude(body.length)
    assert body.surface is not None
    for k in range(body.n_modes):
        frame = scene.frame_at((k + 0.25) * CYCLE)
        shape = body.surface.Phi[:, k]
        expected = amplitude * shape / np.sqrt((shape**2).sum(axis=1).max())
        # float32 shapes
        np.testing.assert_allclose(scene.parts[0].deflection(frame), expected, atol=1e-6 * amplitude)
        drawn = scene.parts[0].positions(frame, scale) - body.surface.points
        np.testing.assert_allclose(drawn, scale * expected, atol=1e-6 * scale * amplitude)
    assert scene.largest_deflection == pytest.approx(amplitude, rel=1e-6)
    assert not scene.parts[0].deflection(FRAMES).any(), "between two shapes the body is at rest"


def test_the_second_order_part_alone(body: ReducedBody) -> None:
    """1/2 G_kk q^2 with the q that the title names; it never changes its sign."""
    scene = scene_of_body(body, [5], field=True)
    assert body.surface is not None and body.surface.G is not None
    G = body.surface.G[:, 4 * 5 // 2 + 4].astype(float)
    amplitude, _ = round_amplitude(body.length)
    q = np.sqrt(2.0 * amplitude / np.sqrt((G**2).sum(axis=1).max()))
    for time in (0.25, 0.75):
        found = scene.parts[0].deflection(scene.frame_at(time * CYCLE))
        np.testing.assert_allclose(found, 0.5 * G * q**2, atol=1e-6 * amplitude)
    assert f"{1e3 * amplitude:.3g} mm at an amplitude of {1e3 * q:.3g} mm" in scene.chapters[0][1]
    assert not scene.has_stress, "stress goes with q, not with q^2"


def test_stress_is_that_of_the_told_amplitude(body: ReducedBody) -> None:
    scene = scene_of_body(body, [2])
    assert body.surface is not None and body.surface.stress is not None
    shape, sigma = body.surface.Phi[:, 1], body.surface.stress[:, 1]
    q = round_amplitude(body.length)[0] / np.sqrt((shape**2).sum(axis=1).max())
    xx, yy, zz, xy, yz, zx = q * sigma.T
    size = np.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3.0 * (xy**2 + yz**2 + zx**2))
    found = scene.parts[0].von_mises(scene.frame_at(0.25 * CYCLE))
    np.testing.assert_allclose(found, size, rtol=1e-4, atol=1e-5 * size.max())
    assert scene_of_body(replace(body, surface=replace(body.surface, stress=None))).has_stress is False


def test_markers_move_with_the_body(body: ReducedBody) -> None:
    """The ball of an interface and the nodes that are tied to it rigidly: the mean of their motion is the same."""
    scene = scene_of_body(body)
    bar, ball = scene.parts[0], scene.part("b")
    assert ball.kind == "symbol" and bar.nodes is not None and set(bar.marks) == {"a", "b"}
    tied = np.flatnonzero(np.isin(bar.nodes, body.markers[1].nodes))
    assert bar.marks["b"] in tied
    k = [entry.label for entry in body.coordinates].index("a z")  # a shape that moves both ends
    frame = scene.frame_at((k + 0.25) * CYCLE)
    moved = ball.positions(frame, 3.0) - ball.points
    expected = 3.0 * bar.amplitudes[frame, k] * body.markers[1].shapes.Phi[k]
    size = np.sqrt((body.surface.Phi[:, k] ** 2).sum(axis=1).max())  # type: ignore[union-attr]
    np.testing.assert_allclose(moved, np.tile(expected / size, (len(moved), 1)), atol=1e-8)
    middle = (bar.positions(frame, 3.0) - bar.points)[tied].mean(axis=0)
    np.testing.assert_allclose(middle, moved[0], rtol=0.05, atol=2e-4)


@pytest.mark.parametrize("length", [1e-3, 0.3, 0.999, 1.0, 42.0])
def test_the_amplitude_is_round_and_visible(length: float) -> None:
    amplitude, scale = round_amplitude(length)
    assert float(f"{amplitude:.0e}") == pytest.approx(amplitude, rel=1e-12)
    assert 10.0 <= scale <= 100.0 and 0.03 * length <= amplitude * scale <= 0.09 * length


def test_numbers_and_names_choose(body: ReducedBody) -> None:
    label = body.coordinates[6].label
    scene = scene_of_body(body, [7, label, "3", 3])
    assert [title.split(",")[0] for _, title in scene.chapters] == [f"7: {label}", f"3: {body.coordinates[2].label}"]
    assert len(scene.time) == 2 * FRAMES + 1 and scene.parts[0].n_shapes == 2


def test_a_body_of_lines_is_drawn_by_prisms_and_without_a_surface_by_its_nodes() -> None:
    mesh, model = line_rod()
    body = reduce_with(mesh, model, (("a", "xmin", "rbe2"), ("b", "xmax", "rbe2")), modes=3, field="linear")
    part = scene_of_body(body).parts[0]
    assert part.nodes is not None and set(part.nodes) == set(range(len(mesh.points)))
    assert len(part.points) == 8 * (len(mesh.points) - 1) and len(part.triangles) == 12 * (len(mesh.points) - 1)
    assert body.surface is not None
    bare = replace(body, surface=replace(body.surface, triangles=body.surface.triangles[:0]))  # as older files have it
    scene = scene_of_body(bare)
    assert len(scene.parts[0].triangles) and "its nodes are drawn" in scene.notes[-1]
    assert "no second-order part" in faults_of(body, field=True)


def test_wrong_wishes_are_told_at_once(body: ReducedBody) -> None:
    text = faults_of(body, modes=[99, 0, -1, "fixd 1", "1.5"])
    assert text.count("\n") == 4 and "It has 9" in text and "Did you mean 'fixed 1'?" in text
    assert "no points to draw" in faults_of(replace(body, surface=None))
    assert "it is rigid" in faults_of(replace(body, coordinates=()))


def test_error_of_the_mesh_is_drawn_at_rest(body: ReducedBody, tmp_path: Path) -> None:
    """The colours are those of the body file, from 0 to the largest, in percent; pages do not have them."""
    assert body.surface is not None and body.surface.mesh_error is not None
    scene = scene_of_mesh_error(body)
    values = values_of(scene, MESH_ERROR)
    assert not scene.parts[0].deflection(0).any() and values.unit == "%"
    shown = values.of(scene.parts[0], 0)
    assert shown is not None and shown.max() == pytest.approx(1.0)
    np.testing.assert_allclose(values.shown_range[1] / 100.0 * shown, body.surface.mesh_error, rtol=1e-5)
    with pytest.raises(InputError, match="not drawn in .html"):
        animate(body, tmp_path / "error.html", color=MESH_ERROR)
    older = replace(body, surface=replace(body.surface, mesh_error=None))
    with pytest.raises(InputError, match="no estimate of the error of its mesh"):
        animate(older, tmp_path / "error.png", color=MESH_ERROR)
