"""Pictures, movies and what stands before a window: both renderers draw what the scene says, on any machine.

Covers: view.camera, view.colors, view.extent, view.picture, view.picture.arrows, view.picture.checks,
view.picture.drawing, view.picture.fonts, view.picture.gl_probe, view.picture.ground_grid, view.picture.items,
view.picture.kernels, view.picture.layers, view.picture.movie, view.picture.pyvista_renderer, view.picture.rasteriser,
view.picture.shots, view.picture.still, view.picture.window.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from flexmb.errors import ComputationError, InputError
from flexmb.view.camera import VIEWS, fitted_camera, following, projected
from flexmb.view.picture import can_show, show, write_movie, write_picture
from flexmb.view.picture.drawing import Drawing
from flexmb.view.picture.movie import _ffmpeg
from flexmb.view.picture.rasteriser import Rasteriser
from flexmb.view.picture.renderers import renderer_for, vtk_fault
from flexmb.view.picture.shots import movie_times, scene_at
from flexmb.view.picture.still import most_bent
from flexmb.view.scene import COLORINGS, Look, Part, Scene
from tests.support.places import ROOT
from tests.support.scenes import LENGTH, RADIUS, bending_scene, prism

SIZE = (320, 180)
NO_VTK = vtk_fault()
needs_vtk = pytest.mark.skipif(bool(NO_VTK), reason=NO_VTK or "-")
RENDERERS = ["flexmb", pytest.param("vtk", marks=needs_vtk)]


@pytest.fixture(scope="module")
def scene() -> Scene:
    return bending_scene(31, 20)


def pixels(scene: Scene, folder: Path, renderer: str, time: float | None = None, **look) -> np.ndarray:
    path = folder / "picture.png"
    write_picture(scene, path, Look(**{"size": SIZE, **look}), time, renderer=renderer)
    return np.asarray(Image.open(path)).astype(int)


def changed(a: np.ndarray, b: np.ndarray) -> float:
    """Part of the pixels that differ clearly"""
    return float((np.abs(a - b).max(axis=2) > 24).mean())


@pytest.mark.parametrize("renderer", RENDERERS)
def test_a_picture_changes_with_time_scale_and_everything_else_that_is_asked_for(scene, tmp_path, renderer):
    first = pixels(scene, tmp_path, renderer, 0.05)
    assert first.shape == (SIZE[1], SIZE[0], 3)
    assert changed(first, pixels(scene, tmp_path, renderer, 0.05)) == 0.0
    assert changed(first, pixels(scene, tmp_path, renderer, 0.12)) > 0.02
    for look in (
        {"scale": 40.0}, {"ghost": True}, {"arrows": True}, {"dark": True}, {"symbols": False}, {"view": "top"},
        *({"color": color} for color in COLORINGS if color != "displacement"),
    ):  # fmt: skip
        assert changed(first, pixels(scene, tmp_path, renderer, 0.05, **look)) > 3e-4, look


@needs_vtk
def test_both_renderers_draw_the_same_outline(scene):
    look = Look(size=(640, 360), arrows=True, view="iso")
    from flexmb.view.picture.pyvista_renderer import PyvistaRenderer

    bare = replace(scene, parts=tuple(replace(part, color=(0.1, 0.2, 0.3)) for part in scene.parts))
    drawing = Drawing(bare, replace(look, color="part"))
    vtk = PyvistaRenderer(drawing)
    for frame in (0, 7, 19):
        # The parts are dark and the grid is light.
        a, b = (drawn.frame(frame).max(axis=2) < 160 for drawn in (Rasteriser(drawing), vtk))
        assert a.mean() > 0.01
        assert (a & b).sum() > 0.95 * (a | b).sum()
    vtk.close()


@needs_vtk
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_vtk_gets_the_positions_of_the_scene(scene, scale):
    from flexmb.view.picture.pyvista_renderer import PyvistaRenderer

    drawing = Drawing(scene, Look(scale=scale, size=SIZE, ghost=True))
    vtk = PyvistaRenderer(drawing)
    parts = 0
    for frame in (3, 20):
        vtk.frame(frame)
        for layer, mesh in zip(drawing.layers, vtk.meshes.surfaces, strict=True):
            if layer.opacity == 1.0:
                expected = [scene.part(item.name).positions(frame, scale)[item.surface.source] for item in layer.items]
                # Graphics work with single precision.
                assert np.abs(np.asarray(mesh.points) - np.concatenate(expected)).max() < 1e-6 * scene.radius
                parts += len(layer.items)
    assert parts == 2 * len(scene.parts)
    vtk.close()


def test_colours_are_those_of_the_values(scene):
    drawing = Drawing(scene, Look(color="z", size=SIZE))
    rod = next(item for layer in drawing.layers for item in layer.items if item.name == "rod")
    frame = 5
    u = scene.part("rod").deflection(frame)[:, 2]
    largest = max(np.abs(scene.part("rod").deflection(k)[:, 2]).max() for k in range(31))
    values = rod.at(frame).values
    assert values is not None
    np.testing.assert_allclose(values, (0.5 + 0.5 * u / largest)[rod.surface.source], atol=1e-6)
    assert drawing.values.shown_range == pytest.approx((-1e3 * largest, 1e3 * largest))
    assert Drawing(scene, Look(color="stress")).values.shown_range[1] == pytest.approx(1e-6 * scene.largest_stress)


def chain(n: int) -> Scene:
    """Many links of the same form, each with another place and one of two colours, and an open surface among them."""
    points, triangles = prism(0.4, 0.05, 2)
    time = np.linspace(0.0, 1.0, 5)
    turn = np.stack([np.cos(time), 0.0 * time, 0.0 * time, np.sin(time)], axis=1)
    links = []
    for k in range(n):
        position = np.stack([0.5 * k + time, 0.1 * k * time, 0.0 * time], axis=1)
        some = triangles if k != 2 else triangles[1:]
        color = ((0.1, 0.2, 0.6), (0.7, 0.2, 0.1))[k % 2]
        links.append(Part(f"link {k}", "rigid", points, some, position, turn, color))
    return Scene("chain", "", time, tuple(links), center=(1.0, 0.0, 0.0), radius=2.0)


def test_many_parts_are_drawn_as_few_meshes():
    scene = chain(6)
    layers = Drawing(scene, Look(size=SIZE)).layers
    assert sorted(len(layer.items) for layer in layers) == [1, 5]  # the open one is seen from both sides
    layer = max(layers, key=lambda one: len(one.items))
    assert len({id(item.surface) for item in layer.items}) == 1
    names = [item.name for item in layer.items]
    assert names == [f"link {k}" for k in (0, 1, 3, 4, 5)]
    source, n = layer.items[0].surface.source, len(layer.items[0].surface.source)
    shape = layer.at(3)
    for k, name in enumerate(names):
        part, rows = scene.part(name), slice(k * n, (k + 1) * n)
        np.testing.assert_allclose(shape.points[rows], part.positions(3)[source], atol=1e-12)
        np.testing.assert_allclose(shape.normals[rows], layer.items[k].surface.normals(shape.points[rows]), atol=1e-9)
        assert np.unique(layer.point_colors[rows], axis=0).tolist() == [[round(255 * c) for c in part.color]]
    corners = layer.triangles.reshape(len(names), -1)
    assert (corners // n == np.arange(len(names))[:, None]).all()
    assert np.array_equal(np.unique(layer.edges // n), np.arange(len(names)))


@pytest.mark.parametrize("renderer", RENDERERS)
def test_parts_keep_their_colours_when_drawn_together(tmp_path, renderer):
    image = pixels(chain(6), tmp_path, renderer, 0.5, view="top")
    red, green, blue = image[..., 0], image[..., 1], image[..., 2]
    for inked in ((blue > red + 40) & (blue > green + 40), (red > blue + 40) & (red > green + 40)):
        assert 0.003 < inked.mean() < 0.2


def test_a_quick_body_is_in_the_picture_at_all_frames():
    """Frames between those of a coarse choice must not show it outside."""
    time = np.linspace(0.0, 1.0, 401)
    angle = 2.0 * np.pi * 23.0 * time
    turn = np.stack([np.cos(angle / 2.0), 0.0 * time, np.sin(angle / 2.0), 0.0 * time], axis=1)
    points, triangles = prism(1.0, 0.02, 3)
    rod = Part("rod", "rigid", points, triangles, np.zeros((401, 3)), turn, (0.5, 0.5, 0.5))
    look = Look(size=(640, 360), view="front")
    camera = fitted_camera(Scene("", "", time, (rod,), radius=1.0), look)
    at = projected(camera, np.concatenate([rod.positions(k) for k in range(401)]), look.size)
    assert (at[:, :2] > 0.0).all() and (at[:, :2] < look.size).all()


@pytest.mark.parametrize("view", VIEWS)
def test_everything_is_in_the_picture_and_fills_it(scene, view):
    look = Look(view=view, size=(1280, 720))
    camera = fitted_camera(scene, look)
    every = np.concatenate([part.positions(k, scene.scale) for part in scene.parts for k in range(31)])
    at = projected(camera, every, look.size)
    low, high = at[:, :2].min(axis=0), at[:, :2].max(axis=0)
    assert (low > 0.0).all() and (high < look.size).all() and at[:, 2].min() > 0.0
    assert ((high - low) / look.size).max() > 0.6


def test_a_camera_that_rides_sees_its_body_at_rest(scene):
    look = Look(follow="crank", size=(640, 360))
    camera, crank = fitted_camera(scene, look), scene.part("crank")
    at = [projected(following(camera, crank, k), crank.positions(k), look.size) for k in (0, 8, 30)]
    np.testing.assert_allclose(at[1], at[0], atol=1e-9)
    np.testing.assert_allclose(at[2], at[0], atol=1e-9)


def test_between_frames_bodies_stay_on_their_way():
    scene = bending_scene(25, 10)
    times = np.array([0.013, 0.1234, 0.3])
    between = scene_at(scene, times)
    crank, rod = between.part("crank"), between.part("rod")
    pin = rod.position
    # Frames 15 degrees apart, cubics between them: the pin leaves its circle by less than 1e-3 of it.
    assert np.linalg.norm(pin, axis=1) == pytest.approx(RADIUS, rel=1e-3)
    tip = np.array([crank.positions(k)[-4:].mean(axis=0) for k in range(3)])
    assert np.abs(tip - pin).max() < 1e-3 * RADIUS
    angle = 20.0 * times
    assert pin[:, 0] == pytest.approx(RADIUS * np.cos(angle), abs=1e-3 * RADIUS)
    assert rod.amplitudes[:, 1] == pytest.approx(2e-3 * np.sin(angle), abs=1e-5)
    at_frames = scene_at(scene, scene.time)
    assert np.abs(at_frames.part("rod").positions(7, 10.0) - scene.part("rod").positions(7, 10.0)).max() < 1e-9 * LENGTH


def test_a_movie_has_the_frames_of_its_speed(scene):
    span = scene.time[-1]
    times = movie_times(scene, Look(fps=25, speed=span / 4.0))
    assert len(times) == 101
    assert times[[0, -1]] == pytest.approx([0.0, span])
    assert len(movie_times(replace(scene, period=span), Look(fps=25, speed=span / 4.0))) == 100
    assert len(movie_times(bending_scene(1), Look())) == 1
    with pytest.raises(InputError, match="would have 94,248 frames.*Use a higher speed"):
        movie_times(scene, Look(speed=1e-4))
    with pytest.raises(InputError, match="would have one frame.*Use a lower speed"):
        movie_times(scene, Look(speed=1e4))


def test_the_usual_picture_is_that_of_the_largest_deflection(scene):
    sizes = [np.linalg.norm(scene.part("rod").deflection(k), axis=1).max() for k in range(31)]
    # The motion is the same on its way up and down: rounding decides which half is the larger one.
    assert most_bent(scene) == int(np.argmax(np.array(sizes) > 0.9999 * max(sizes)))


@pytest.mark.parametrize("renderer", RENDERERS)
def test_a_film_is_written_and_moves(scene, tmp_path, renderer):
    path, seen = tmp_path / "movie.mp4", []
    look = Look(size=(321, 181), speed=float(scene.time[-1]), fps=20)
    note = write_movie(scene, path, look, lambda done, all: seen.append((done, all)), renderer=renderer)
    assert note == ""
    assert seen == [(k + 1, 21) for k in range(21)]
    assert os.listdir(tmp_path) == ["movie.mp4"]
    command = [_ffmpeg(), "-loglevel", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    raw = subprocess.run(command, capture_output=True, check=True).stdout
    frames = np.frombuffer(raw, np.uint8).reshape(-1, 180, 320, 3).astype(int)
    assert len(frames) == 21
    assert changed(frames[0], frames[5]) > 0.02


def test_a_gif_is_written_and_moves(scene, tmp_path):
    write_movie(scene, tmp_path / "movie.gif", Look(speed=float(scene.time[-1])), renderer="flexmb")
    with Image.open(tmp_path / "movie.gif") as movie:
        frames = [np.asarray(frame.convert("RGB")).astype(int) for frame in ImageSequence.Iterator(movie)]
        assert movie.size == (640, 360)
        assert movie.info["loop"] == 0
    assert len(frames) == 16
    assert changed(frames[0], frames[5]) > 0.02


def test_a_failed_film_leaves_nothing_and_keeps_what_was_there(scene, tmp_path):
    path = tmp_path / "movie.mp4"
    path.write_bytes(b"earlier")

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_movie(scene, path, Look(size=SIZE), stop, renderer="flexmb")
    assert os.listdir(tmp_path) == ["movie.mp4"]
    assert path.read_bytes() == b"earlier"


def test_a_film_that_ffmpeg_cannot_write_is_told(scene, tmp_path, monkeypatch):
    monkeypatch.setattr("flexmb.view.picture.movie._ffmpeg", lambda: shutil.which("false"))
    with pytest.raises(ComputationError, match="ffmpeg could not write the movie .code 1."):
        write_movie(scene, tmp_path / "movie.mp4", Look(size=SIZE), renderer="flexmb")
    assert not os.listdir(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
def test_a_film_whose_writer_was_ended_by_a_signal_is_told(scene, tmp_path, monkeypatch):
    program = tmp_path / "writer"
    program.write_text("#!/bin/sh\nkill -15 $$\n")
    program.chmod(0o755)
    monkeypatch.setattr("flexmb.view.picture.movie._ffmpeg", lambda: str(program))
    with pytest.raises(ComputationError, match="ended by signal 15, Terminated"):
        write_movie(scene, tmp_path / "movie.mp4", Look(size=SIZE), renderer="flexmb")
    assert os.listdir(tmp_path) == ["writer"]


def test_all_wrong_words_are_told_at_once(scene, tmp_path):
    look = Look(color="stres", view="tpo", follow="rood", scale=-1.0, size=(4, 4), fps=0, speed=0.0)
    with pytest.raises(InputError) as error:
        write_picture(scene, tmp_path / "x.jpg", look)
    assert len(error.value.faults) == 8
    for words in ("'stress'", "'top'", "'rod'", "scale", "16 to", "per second", "speed", ".png"):
        assert words in str(error.value)
    with pytest.raises(InputError, match="3 s is outside the run, which goes from 0 s to 0.314159 s"):
        write_picture(scene, tmp_path / "x.png", Look(), 3.0)
    with pytest.raises(InputError, match="No body in the scene has stress data"):
        write_movie(bending_scene(3, stress=False), tmp_path / "x.mp4", Look(color="stress"))
    with pytest.raises(InputError, match="there is no folder"):
        write_picture(scene, tmp_path / "none" / "x.png")
    with pytest.raises(InputError, match="Did you mean 'flexmb'"):
        write_picture(scene, tmp_path / "x.png", renderer="flexmbb")
    assert not os.listdir(tmp_path)


HIDDEN = """
from flexmb.view.picture import can_show, write_picture
from flexmb.view.scene import Look
from tests.support.scenes import bending_scene
import sys
print(write_picture(bending_scene(5), sys.argv[1], Look(size=(320, 180))))
print(can_show())
print("vtkmodules" in sys.modules)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="OpenGL is part of other systems")
def test_without_graphics_libraries_the_own_renderer_draws_and_says_so(tmp_path):
    hidden = tmp_path / "lib"
    hidden.mkdir()
    for name in ("libEGL.so.1", "libGL.so.1", "libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so", "libX11.so.6"):
        (hidden / name).write_text("not a library")
    root = str(ROOT)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(hidden), "PYTHONPATH": root, "DISPLAY": ":99"}
    path = tmp_path / "x.png"
    run = subprocess.run([sys.executable, "-c", HIDDEN, str(path)], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    note, reason, vtk = run.stdout.splitlines()
    assert note.startswith("Drawn by flexmb's own renderer: ")
    assert "OpenGL" in note or "pyvista" in note
    assert "missing" in reason or "pyvista" in reason
    assert vtk == "False"
    assert np.asarray(Image.open(path)).std() > 10.0


WINDOW = """
from flexmb.view.picture import can_show, write_picture
from flexmb.view.picture.window import Window
from flexmb.view.scene import Look
from tests.support.scenes import bending_scene
import sys

assert can_show() == ""
scene = bending_scene(31, 10)
write_picture(scene, sys.argv[1], Look(size=(320, 180)))  # off the screen first, with another kind of window
window = Window(scene, Look(size=(480, 360), follow="rod", ghost=True, arrows=True))
pictures, ticks = {}, 0


def tick(*_):
    global ticks
    ticks += 1
    if ticks == 12:
        assert window.is_playing and window.frame > 0
        window.toggle()
        window.go_to(6)
        pictures["before"] = window.plotter.screenshot(return_img=True).astype(int)
        window.set_scale(30.0)
        pictures["after"] = window.plotter.screenshot(return_img=True).astype(int)
        window.step(-1)
        assert window.frame == 5
        window._slide_time(1e3 * scene.time[20])
        assert window.frame == 20
        window.plotter.close()


window.plotter.iren.initialize()
window.plotter.iren.add_observer("TimerEvent", tick)
window.open()
change = abs(pictures["after"] - pictures["before"]).max(axis=2) > 24
print("changed", change.mean(), pictures["after"].std())
"""


@pytest.mark.long
@needs_vtk
@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="xvfb-run is not installed")
def test_a_window_opens_plays_and_closes(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = ["xvfb-run", "-a", "-s", "-screen 0 800x600x24", sys.executable, "-c", WINDOW]
    run = subprocess.run(
        [*command, str(tmp_path / "x.png")], env=environment, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    word, change, spread = run.stdout.split()
    assert word == "changed" and float(change) > 0.005 and float(spread) > 10.0


def test_no_screen_is_told_before_anything_opens(scene, monkeypatch):
    if not sys.platform.startswith("linux"):
        pytest.skip("windows always open on other systems")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert can_show()
    with pytest.raises(InputError, match="No window can open: .*html"):
        show(scene)
    monkeypatch.setenv("DISPLAY", ":4321")
    assert "':4321' does not respond" in can_show() or NO_VTK


@pytest.mark.parametrize("software", [True, False])
def test_films_without_a_graphics_card_are_drawn_by_us(software: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """VTK draws stills anyway, and movies where a graphics card helps it; the user may say otherwise."""
    scene = bending_scene(3)
    drawing = Drawing(scene, Look(size=SIZE))
    monkeypatch.setattr("flexmb.view.picture.renderers.vtk_fault", lambda: "")
    monkeypatch.setattr("flexmb.view.picture.renderers.is_software", lambda: software)
    monkeypatch.setattr("flexmb.view.picture.pyvista_renderer.PyvistaRenderer", lambda drawing: "vtk")
    monkeypatch.setattr("flexmb.view.picture.renderers._own", lambda drawing: "own")
    drawn, note = renderer_for(drawing, movie=True)
    assert (drawn == "own", "without a graphics card" in note) == (software, software)
    assert renderer_for(drawing)[0] == "vtk" and renderer_for(drawing, "vtk", movie=True)[0] == "vtk"
