"""flexmb animate and its Python twin: formats, what they say, and every wrong word at once.

Covers: view.animate, view.animate_options, view.animate_source, view.notebook.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from flexmb.bodies.body_file import write_body
from flexmb.errors import ComputationError, InputError
from flexmb.results.result_creation import RunIdentity, create_result
from flexmb.results.result_file import Result
from flexmb.results.result_writer import ResultWriter
from flexmb.view.animate import Animation, animate, show
from flexmb.view.scene import Look, Scene
from tests.support.command_line import MODEL, call, folder, write_result
from tests.support.places import ROOT
from tests.support.reduced_meshes import reduced
from tests.support.scenes import bending_scene

__all__ = ["folder"]  # a fixture
Capture = pytest.CaptureFixture[str]
LONG = 300 * "n"
"""A name that no file can have."""


@pytest.fixture(scope="module")
def body_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    body = replace(reduced(), name="bar")
    return write_body(body, tmp_path_factory.mktemp("bodies") / "bar.h5")


@pytest.fixture
def no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flexmb.view.picture.can_show", lambda: "there is no screen", raising=False)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, Path, Look, object]]]:
    """Calls of the writers of pictures and movies, which write nothing but their name."""
    calls: list[tuple[str, Path, Look, object]] = []

    def picture(scene: Scene, path: Path, look: Look, time: float | None = None, *, renderer: str = "auto") -> str:
        calls.append(("picture", path, look, time))
        path.write_text("picture")
        return "drawn without a graphics card"

    def movie(scene: Scene, path: Path, look: Look, progress: object = None, **options: object) -> str:
        calls.append(("movie", path, look, progress))
        path.write_text("movie")
        return ""

    monkeypatch.setattr("flexmb.view.picture.write_picture", picture, raising=False)
    monkeypatch.setattr("flexmb.view.picture.write_movie", movie, raising=False)
    monkeypatch.setattr(
        "flexmb.view.picture.show", lambda scene, look: calls.append(("window", Path(), look, None)), raising=False
    )
    yield calls


def refused(capsys: Capture, *words: str) -> str:
    code, out, err = call(capsys, "animate", *words)
    assert (code, out) == (2, "") and "Traceback" not in err and "internal error" not in err
    return err


def test_words_about_stress_are_for_those_who_look_at_it(tmp_path: Path, written: list[object]) -> None:
    notes = ("Stress without that of stretch.", "Half of the rows are shown.")
    scene = replace(bending_scene(), notes=notes)
    assert animate(scene, tmp_path / "x.png").notes[:1] == notes[1:]
    assert animate(scene, tmp_path / "x.png", color="stress").notes[:2] == notes


def test_one_row_is_one_picture(tmp_path: Path, written: list[object]) -> None:
    assert "one picture" in animate(bending_scene(1), tmp_path / "x.gif").text


def test_a_gif_has_the_size_and_pace_that_were_asked_for(tmp_path: Path) -> None:
    for words, width, pause in (({}, 640, 70), ({"size": "1280x720"}, 1280, 70), ({"fps": 25}, 640, 40)):
        animate(bending_scene(2), tmp_path / "x.gif", renderer="flexmb", speed=1.0, **words)
        with Image.open(tmp_path / "x.gif") as found:
            assert (found.width, found.info["duration"]) == (width, pause)  # [ms] in whole hundredths of a second


def faults_of(source: object, output: object = None, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        animate(source, output, **options)  # type: ignore[arg-type]
    return str(caught.value)


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (["nothing.h5"], ["There is no file 'nothing.h5'"]),
        (["."], ["'.' is a folder, not a result, body or model file"]),
        (["text.h5"], ["neither a result nor a body file of flexmb: it is not in HDF5 format"]),
        (["r.h5", "-o", "x.avi"], ["--output: '.avi' is not an animation format", ".html, .mp4, .gif, .png, .glb"]),
        (["r.h5", "-o", "x.hmtl"], ["Did you mean '.html'?"]),
        (["r.h5", "-o", "x"], ["--output: 'x' has no extension. Formats: .html"]),
        (["r.h5", "-o", "."], ["--output: Cannot write '.': it is a folder"]),
        (["r.h5", "-o", "no/x.html"], ["--output: Cannot write 'no/x.html': there is no folder 'no'"]),
        (["r.h5", "-o", "x.html", "--scale", "0"], ["--scale: expected a number from 1 to 1000, found 0."]),
        (["r.h5", "-o", "x.html", "--scale", "5000"], ["from 1 to 1000, found 5000."]),
        (["r.h5", "-o", "x.html", "--scale", "nan"], ["--scale: the number is not finite: 'nan'"]),
        (["r.h5", "-o", "x.html", "--scale", "big"], ["--scale: expected a number, found 'big'"]),
        (["r.h5", "-o", "x.html", "--color", "mises"], ["--color: there is no color 'mises'. Did you mean 'stress'?"]),
        (["r.h5", "-o", "x.html", "--color", "rainbow"], ["Choices: displacement, x, y, z, stress, mesh-error, part."]),
        (["r.h5", "-o", "x.html", "--view", "tpo"], ["--view: there is no view 'tpo'. Did you mean 'top'?"]),
        (["r.h5", "-o", "x.html", "--follow", "rood"], ["--follow: there is no body 'rood'. Did you mean 'rod'?"]),
        (["r.h5", "-o", "x.html", "--from", "-1"], ["--from: -1 s is outside the range 0 to 2 s"]),
        (["r.h5", "-o", "x.html", "--from", "1", "--to", "500 ms"], ["--to: the end at 0.5 s is not after"]),
        (["r.h5", "-o", "x.html", "--to", "5 mm"], ["--to: '5 mm' is a length, but a time is needed"]),
        (["r.h5", "-o", "x.png", "--at", "2.5"], ["--at: 2.5 s is outside the range 0 to 2 s"]),
        (["r.h5", "-o", "x.png", "--at", "0.2", "--from", "0.5"], ["--at: 0.2 s is outside", "0.5 to 2 s"]),
        (["r.h5", "-o", "x.mp4", "--at", "1"], ["--at: this option sets the time of a picture (.png), but"]),
        (["r.h5", "-o", "x.png", "--size", "1x1"], ["--size: width and height must be 64 to 4096 pixels, found '1x1'"]),
        (["r.h5", "-o", "x.png", "--size", "100000x100000"], ["found '100000x100000'"]),
        (["r.h5", "-o", "x.png", "--size", "huge"], ["--size: expected width and height in pixels, found 'huge'"]),
        (["r.h5", "-o", "x.mp4", "--fps", "29.97"], ["--fps: expected a whole number from 1 to 120"]),
        (["r.h5", "-o", "x.mp4", "--speed", "0"], ["--speed: expected a number from 1e-09"]),
        (["r.h5", "-o", "x.mp4", "--frames", "1"], ["--frames: expected a whole number from 2 to 20000, found 1."]),
        (["r.h5", "-o", "x.html", "--channel", "tip_hight"], ["--channel: There is no channel", "'tip_height'"]),
        (["r.h5", "-o", "x.html", "--bodies", "no"], ["--bodies: there is no such folder: 'no'"]),
        (
            ["r.h5", "-o", "x.html", "--mode", "1", "--field"],
            ["--mode: this option is for a body file", "--field: this"],
        ),
        (["r.h5", "-o", "x.html", "--bodies", LONG], ["--bodies: there is no such folder: 'nnn"]),
        (["r.h5", "-o", f"{LONG}.html"], ["--output: Cannot write 'nnn", "File name too long"]),
        (["r.h5", "-o", f"{LONG}/x.html"], ["--output: Cannot write 'nnn", "File name too long"]),
        ([f"{LONG}.h5", "-o", "x.html"], ["There is no file 'nnn"]),
        (["nothing.h5", "-o", "text.html"], ["There is no file 'nothing.h5'"]),
        (
            ["r.h5", "-o", "x.html", "--scale", "", "--color", " ", "--follow", "", "--bodies", "", "--mode", ""],
            ["--scale: the value is empty. Give", "--color: the", "--follow: the", "--bodies: the value", "--mode: "],
        ),
        (["r.h5", "-o", "x.html", "--scal", "3"], ["Unknown option: --scal"]),
        (["empty.h5", "-o", "x.html"], ["'empty.h5' has no complete rows: there is nothing to draw."]),
    ],
)
def test_wrong_words_for_a_result(folder: Path, capsys: Capture, words: list[str], messages: list[str]) -> None:
    body_result(folder / "r.h5")
    body_result(folder / "empty.h5", rows=0)
    (folder / "text.h5").write_text("hello")
    (folder / "text.html").write_text("hello")
    text = refused(capsys, *words)
    for message in messages:
        assert message in text
    assert len(text.splitlines()) <= len(messages), "nothing is reported twice"
    assert not list(folder.glob("x*"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--mode", "99"], "--mode: the body 'bar' has no mode shape '99'. It has 9"),
        (["--mode", "-1"], "no mode shape '-1'"),
        (["--mode", "fixd 2"], "Did you mean 'fixed 2'?"),
        (["--from", "0"], "--from: this option is for a result, but the source is a body file."),
        (["--channel", "x"], "--channel: this option is for a result"),
        (["--color", "stress"], "--color: no body in the scene has stress data. Make the body files with"),
        (["--color", "stress", "--field"], "--color: the second-order part has no stress of its own."),
        (["--follow", "rod"], "--follow: there is no body 'rod'."),
        (["--at", "100"], "--at: 100 s is outside the range 0 to 18 s."),
    ],
)
def test_wrong_words_for_a_body(folder: Path, capsys: Capture, body_file: Path, words: list[str], message: str) -> None:
    assert message in refused(capsys, str(body_file), "-o", "x.png", *words)
    assert not (folder / "x.png").exists()


def test_all_faults_at_once(folder: Path, capsys: Capture) -> None:
    body_result(folder / "r.h5")
    wrong = {
        "--scale": "0", "--color": "blue", "--view": "up", "--follow": "rood", "--size": "1x1", "--fps": "0",
        "--frames": "x", "--from": "-3", "--mode": "3", "--channel": "foo", "--bodies": "no", "-o": "no/x.avi",
    }  # fmt: skip
    text = refused(capsys, "r.h5", *(word for pair in wrong.items() for word in pair))
    del wrong["-o"]
    for option in wrong:
        assert text.count(f"flexmb: {option}: ") == 1
    # the format and the folder of the output
    assert text.count("flexmb: --output: ") == 2 and len(text.splitlines()) == len(wrong) + 2


def test_files_that_are_cut_off(folder: Path, capsys: Capture, body_file: Path) -> None:
    write_result(folder / "r.h5")
    for name, source in (("a.h5", folder / "r.h5"), ("b.h5", body_file)):
        whole = source.read_bytes()
        (folder / name).write_bytes(whole[: len(whole) // 2])
    assert "truncated" in refused(capsys, "a.h5", "-o", "x.html")
    assert "is truncated or damaged" in refused(capsys, "b.h5", "-o", "x.html")


def test_a_folder_that_is_read_only(
    folder: Path, capsys: Capture, body_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    text = refused(capsys, str(body_file), "-o", "x.html")
    assert f"nothing can be written in the folder '{folder.resolve()}' (Permission denied)." in text


def test_a_file_is_not_written_over_itself(folder: Path, capsys: Capture, body_file: Path) -> None:
    (folder / "bar.html").write_bytes(body_file.read_bytes())
    assert "HDF5 file, such as a result: it is not overwritten" in refused(capsys, "bar.html", "-o", "bar.html")


def test_mode_shapes_become_a_page_without_heavy_imports(folder: Path, body_file: Path) -> None:
    """The page named after the file, when no window can open; nothing that draws is loaded for it."""
    heavy = ["numba", "matplotlib", "pyvista", "vtkmodules", "scipy", "pydantic"]
    code = (
        "import sys; from flexmb.cli import main; code = main(sys.argv[1:]);"
        f"print(code, [name for name in {heavy!r} if name in sys.modules])"
    )
    words = [sys.executable, "-c", code, "animate", str(body_file)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env={"PATH": "", "PYTHONPATH": str(ROOT)})
    assert done.stdout.splitlines()[-1] == "0 []", done.stderr
    assert done.stdout.startswith("bar.html: ") and "No window can open (" in done.stdout
    page = (folder / "bar.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html")
    assert sorted(path.name for path in folder.iterdir()) == ["bar.html", "pendulum.toml"]


def test_glb(folder: Path, capsys: Capture, body_file: Path) -> None:
    code, out, err = call(capsys, "animate", str(body_file), "--mode", "2", "--fps", "20", "-o", "x.GLB")
    assert (code, err) == (0, "") and out.startswith("x.GLB: ") and "41 frames, deflection scale 20" in out
    assert "note: No effect on .glb: fps." in out
    assert (folder / "x.GLB").read_bytes()[:4] == b"glTF"


def test_pictures_and_movies(
    folder: Path, capsys: Capture, body_file: Path, written: list[tuple[str, Path, Look, object]]
) -> None:
    words = ["--view", "top", "--size", "640x360", "--scale", "7", "--ghost", "--no-symbols", "--dark"]
    code, out, _ = call(capsys, "animate", str(body_file), "-o", "x.png", *words)
    look = Look(scale=7.0, view="top", size=(640, 360), ghost=True, symbols=False, dark=True)
    assert code == 0 and "deflection scale 7" in out and "note: drawn without a graphics card" in out
    assert "the first of 9 shapes" in out
    assert written == [("picture", Path("x.png"), look, 0.5)], "a shape is shown at its largest"
    code, out, _ = call(capsys, "animate", str(body_file), "-o", "x.mp4", "--mode", "1", "--quiet")
    assert (code, out) == (0, "") and written[-1][0] == "movie"


def test_a_movie_of_so_many_frames(
    tmp_path: Path, written: list[tuple[str, Path, Look, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shows each frame once: the speed follows from it, unless one is asked for."""
    body_result(tmp_path / "r.h5")
    monkeypatch.setitem(sys.modules, "flexmb.view.scene_of_result", SimpleNamespace(scene_of_result=stand_in, FRAMES=9))
    shown: list[tuple[str, float]] = []
    with Result(tmp_path / "r.h5") as result:
        done = animate(result, tmp_path / "x.mp4", frames=60, fps=20, progress=lambda *say: shown.append(say))
        assert written[-1][2].speed == pytest.approx(float(np.ptp(done.scene.time)) / 3.0)
        assert "3 s" in done.text and len(result.time), "the result stays open"
        animate(result, tmp_path / "x.mp4", frames=60, speed="0.5")
        assert written[-1][2].speed == 0.5
    written[0][3](30, 60)  # type: ignore[operator]
    assert shown[-1] == ("frame 30 of 60", 0.5)


def test_windows(
    folder: Path,
    capsys: Capture,
    body_file: Path,
    written: list[tuple[str, Path, Look, object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("flexmb.view.picture.can_show", lambda: "", raising=False)
    code, out, _ = call(capsys, "animate", str(body_file), "--scale", "3")
    assert code == 0 and out.startswith("bar: shown in a window, deflection scale 3")
    assert written == [("window", Path(), Look(scale=3.0), None)]
    monkeypatch.setattr("flexmb.view.picture.can_show", lambda: "there is no screen.", raising=False)
    code, out, err = call(capsys, "animate", str(body_file), "--show", "-o", "x.png")
    assert (code, out) == (1, "") and err.startswith("flexmb: No window can open: there is no screen. Write a page")
    assert len(written) == 1 and not (folder / "x.png").exists(), "told before anything is drawn"


def test_from_python(tmp_path: Path, no_window: None, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = bending_scene(n_frames=11, n_along=4)
    done = animate(scene, tmp_path / "x.html", scale=20, view="top", follow="rod", look=Look(dark=True))
    assert done.path == tmp_path / "x.html" and done.look == Look(scale=20.0, view="top", follow="rod", dark=True)
    assert done._repr_html_().startswith('<iframe srcdoc="') and done._repr_html_().count('"') % 2 == 0
    assert Path(done) == done.path and "frames, deflection scale 20" in repr(done)
    assert animate(scene, tmp_path / "x.html", follow="ground").look.follow == ""
    monkeypatch.chdir(tmp_path)
    shown = show(scene, scale=3)
    assert isinstance(shown, Animation) and shown.path == Path("animation.html") and shown.path.is_file()
    assert "No window can open (there is no screen)" in shown.notes[0]


def test_wrong_words_from_python(tmp_path: Path) -> None:
    scene = bending_scene(n_frames=11, n_along=4, stress=False)
    target = tmp_path / "x.html"
    text = faults_of(scene, target, colour="x", scale=True, size=(1, 2, 3), ghost="yes", modes=1, channels=[1])
    assert len(text.splitlines()) == 6
    assert "colour: there is no such option. Did you mean 'color'?" in text and "scale: expected a number" in text
    assert "ghost: expected true or false, found 'yes'." in text and "modes: this option is for a result, body" in text
    assert "color: no body in the scene has stress data" in faults_of(scene, target, color="stress")
    assert "Did you mean 'crank'?" in faults_of(scene, target, follow="crnk")
    assert "Expected a result, body or model file, found 3." in faults_of(3, target)
    assert "look: expected a Look" in faults_of(scene, target, look="dark")
    assert not target.exists()


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("flexmb.view.gltf.write_glb", full)
    with pytest.raises(ComputationError, match=r"Cannot write '.*x.glb': No space left on device\."):
        animate(bending_scene(n_frames=3), tmp_path / "x.glb")


def test_in_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page inside of the notebook, and no file that stays."""
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    monkeypatch.chdir(tmp_path)
    shown = show(bending_scene(n_frames=11, n_along=4), scale=5)
    assert shown._repr_html_().startswith('<iframe srcdoc="&lt;!') and not list(tmp_path.iterdir())


def stand_in(result: Result, **options: object) -> Scene:
    return bending_scene(n_frames=int(str(options["frames"])))


def body_result(path: Path, rows: int = 201) -> None:
    """A result with a body 'rod' and a sensor from 0 to 2 s, made without any computation."""
    channels, start = [], 0
    for name, unit, width in (("time", "s", 0), ("bodies/rod/position", "m", 3), ("sensors/tip_height", "m", 0)):
        shape = (width,) if width else ()
        channels.append(SimpleNamespace(path=name, unit=unit, start=start, shape=shape, text=name, columns=()))
        start += max(width, 1)
    identity = RunIdentity("pendulum", MODEL, {})
    if not rows:  # killed before its first block was complete
        create_result(path, channels, identity, 2, 16).close()
        return
    values = np.zeros((rows, start))
    values[:, 0] = np.linspace(0.0, 2.0, rows)
    with ResultWriter(path, SimpleNamespace(channels=channels), identity) as writer:
        writer.write(values, np.zeros(2))
        writer.finish("finished", "report")


def test_renderer_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = bending_scene()
    used: list[str] = []

    def picture(scene: Scene, path: Path, look: Look, time: float | None = None, *, renderer: str = "auto") -> str:
        used.append(renderer)
        path.write_text("picture")
        return ""

    monkeypatch.setattr("flexmb.view.picture.write_picture", picture)
    animate(scene, tmp_path / "x.png")
    animate(scene, tmp_path / "x.png", renderer="flexmb")
    assert used == ["auto", "flexmb"]
    with pytest.raises(InputError, match="Did you mean 'vtk'"):
        animate(scene, tmp_path / "x.png", renderer="pyvista")
