"""Pictures, pages and exports of what strangers bring: hostile texts, broken files, places that cannot be written.

Covers: results.result_views.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.dom import minidom

import h5py
import numpy as np
import pytest

import flexmb as fx
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.results.result_file import Result
from flexmb.system.placement import place
from flexmb.view.geometry.attachments import scene_size
from tests.support.browser import Browser, browser
from tests.support.command_line import call

__all__ = ["browser"]

HOSTILE = '</script><script>window.hit = 1</script><img src=x onerror="window.hit = 2">\'&`${1}$\\frac{$ \u2028 曲柄 😀'
MODEL = """
[model]
name = {name}
gravity = [0, 0, -9.81]
[bodies.__proto__] # </script><script>window.hit = 3</script>
beam = [[0, 0, 0], [0.3, 0, 0]]
material = "steel"
section = {{ type = "circle", radius = "3 mm" }}
shapes = {{ family = "modes", bending = 2 }}
frame = "start"
markers.constructor = {{ along = 0.5 }}
[joints.__proto__]
type = "revolute"
bodies = ["ground", "__proto__"]
at = [0, 0, 0]
axis = "y"
[sensors."_Größe"]
deflection = "__proto__.constructor"
[analysis]
end = 0.02
step = 0.001
"""
WRITERS = {
    "html": ("animate",),
    "glb": ("animate",),
    "png": ("animate", "--size", "96x64"),
    "gif": ("animate", "--size", "96x64", "--frames", "3"),
    "csv": ("export",),
    "mat": ("export",),
    "vtkhdf": ("export",),
    "pvd": ("export",),
    "svg": ("plot", "--picture", "deflection"),
}
Damage = Callable[[h5py.File], None]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "model.toml").write_text(MODEL.format(name=json.dumps(HOSTILE, ensure_ascii=False)), encoding="utf-8")
    assert main(["run", str(folder / "model.toml"), "-o", str(folder / "run.h5")]) == 0
    return folder / "run.h5"


@pytest.fixture
def result(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of its own in the present folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(original, "run.h5")
    return Path("run.h5")


def written(capsys: pytest.CaptureFixture[str], source: Path, ending: str) -> tuple[int, str, str]:
    verb, *words = WRITERS[ending]
    place = (f"out.{ending}",) if verb == "export" else ("-o", f"out.{ending}")
    return call(capsys, verb, str(source), *place, *words)


def flexmb(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flexmb", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("verb", ["animate", "report"])
def test_nothing_of_a_model_is_executed_in_a_page(
    result: Path, verb: str, browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, errors = call(capsys, verb, str(result), "-o", "page.html")
    assert (code, errors) == (0, "")
    browser.open(Path("page.html"))
    browser.wait("window.flexmbViewer && flexmbViewer.ready")
    browser.run("await flexmbViewer.ready")
    assert browser.run("return window.hit") is None
    assert browser.driver.title.startswith("</script><script>window.hit = 1</script>")
    assert browser.console() == []
    assert browser.requests() == []


@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_takes_any_title_and_name(result: Path, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, errors = written(capsys, result, ending)
    assert (code, errors) == (0, "")
    if ending in ("svg", "pvd"):
        minidom.parse(f"out.{ending}")
    if ending == "pvd":
        minidom.parse(str(next(Path("out_vtu").iterdir())))


def test_control_characters_in_the_name_of_a_model_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.toml"
    path.write_text(MODEL.format(name='"a\\u0000b"'), encoding="utf-8")
    code, _, errors = call(capsys, "check", str(path))
    assert code == 2
    assert "control characters" in errors


def keep_rows(count: int) -> Damage:
    """As if the run had been killed after so many rows."""

    def damage(file: h5py.File) -> None:
        del file["checkpoint/rows"]
        file["checkpoint/rows"] = np.array([count][:count], dtype="<i8")

    return damage


def without_attributes(file: h5py.File) -> None:
    """As older versions have written it."""
    for name in ("folder", "body_files"):
        del file["model"].attrs[name]


@pytest.mark.parametrize("ending", ["html", "gif", "glb", "pvd", "svg"])
@pytest.mark.parametrize("change", [keep_rows(1), without_attributes], ids=["one row", "old"])
def test_short_and_old_results_are_drawn(
    result: Path, change: Damage, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with h5py.File(result, "r+") as file:
        change(file)
    code, _, errors = written(capsys, result, ending)
    assert (code, errors) == (0, "")


def no_name(file: h5py.File) -> None:
    del file["model"].attrs["name"]


def settings_of(text: str) -> Damage:
    def damage(file: h5py.File) -> None:
        del file["model/settings"]
        file["model/settings"] = text

    return damage


def no_numbers(file: h5py.File) -> None:
    file["bodies/__proto__/position"][5:] = np.nan


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (keep_rows(0), "has no complete rows"),
        (no_name, "is damaged"),
        (settings_of("{{"), "is damaged"),
        (settings_of('{"bodies": 3}'), "is damaged"),
        (no_numbers, "no valid poses of body '__proto__'"),
    ],
    ids=["no rows", "no name", "no json", "no table", "nan"],
)
@pytest.mark.parametrize("ending", ["html", "glb", "vtkhdf"])
def test_damaged_results_are_refused_in_a_sentence(
    result: Path, damage: Damage, said: str, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with h5py.File(result, "r+") as file:
        damage(file)
    code, _, errors = written(capsys, result, ending)
    assert code == 2
    assert said in errors
    assert os.listdir() == ["run.h5"]


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What is said; nothing but the error is printed, and nothing in the folder changes."""
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    code, output, errors = call(capsys, *words)
    assert (code, output) == (2, "")
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before
    return errors


def test_the_result_is_never_written_over(result: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending in ("html", "png", "glb", "csv"):
        Path(f"link.{ending}").symlink_to(result)
        os.link(result, f"hard.{ending}")
        shutil.copy(result, f"other.{ending}")
    for stem in ("link", "hard", "other"):
        for ending in ("html", "png", "glb"):
            assert "Choose another name." in refused(capsys, "animate", "run.h5", "-o", f"{stem}.{ending}")
        assert "not overwritten" in refused(capsys, "export", "run.h5", "--csv", f"{stem}.csv")
        assert "not overwritten" in refused(capsys, "plot", "run.h5", "-o", f"{stem}.png")
        assert "not overwritten" in refused(capsys, "report", "run.h5", "-o", f"{stem}.html")
    for words in (("animate", "run.h5", "-o"), ("plot", "run.h5", "-o"), ("report", "run.h5", "-o")):
        refused(capsys, *words, "run.h5")
    assert "not overwritten" in refused(capsys, "export", "run.h5", "--csv", "run.h5")


LONG = "n" * 300


@pytest.mark.parametrize(
    ("verb", "ending"), [("animate", ".html"), ("plot", ".png"), ("report", ".html"), ("export", ".csv")]
)
def test_places_that_cannot_be_written(
    result: Path, verb: str, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkdir(f"folder{ending}")
    Path(f"dangling{ending}").symlink_to(f"nowhere/x{ending}")
    option = () if verb == "export" else ("-o",)
    for name, said in (("folder", "folder"), ("nowhere/x", "no folder"), ("dangling", "no folder"), (LONG, "too long")):
        assert said in refused(capsys, verb, "run.h5", *option, f"{name}{ending}")


@pytest.mark.parametrize("verb", ["animate", "plot", "report", "export"])
def test_sources_that_cannot_be_read(result: Path, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.h5").touch()
    os.mkdir("folder.h5")
    os.mkfifo("pipe.h5")
    Path("there.html").write_text("an older page")
    words = {"animate": ("-o", "there.html"), "report": ("-o", "there.html"), "export": ("--csv",)}.get(verb, ())
    cases = {"nofile": "no ", "empty": "HDF5", "folder": "folder", "pipe": "a device or a pipe", LONG: "no "}
    for name, said in cases.items():
        code, _, errors = call(capsys, verb, f"{name}.h5", *words)
        assert code == 2, errors
        assert said in errors
    assert Path("there.html").read_text() == "an older page"


@pytest.mark.parametrize("verb", ["plot", "export"])
def test_a_channel_without_columns(result: Path, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--csv",) if verb == "export" else ()
    assert "has no columns" in refused(capsys, verb, "run.h5", "--channel", "coordinates/multipliers", *words)


def test_links_are_followed(result: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkdir("elsewhere")
    Path("elsewhere/real.html").write_text("an older page")
    Path("link.html").symlink_to("elsewhere/real.html")
    assert call(capsys, "animate", "run.h5", "-o", "link.html")[0] == 0
    assert Path("link.html").is_symlink()
    assert "flexmbViewer" in Path("elsewhere/real.html").read_text(encoding="utf-8")
    assert os.listdir("elsewhere") == ["real.html"]


def test_an_interrupted_film_leaves_what_was_there(result: Path) -> None:
    Path("movie.gif").write_bytes(b"an older movie")

    def interrupt(text: str, part: float) -> None:
        if part > 0.3:
            raise KeyboardInterrupt

    with Result(result) as opened, pytest.raises(KeyboardInterrupt):
        opened.animate("movie.gif", size=(64, 64), frames=10, progress=interrupt)
    assert Path("movie.gif").read_bytes() == b"an older movie"
    assert sorted(os.listdir()) == ["movie.gif", "run.h5"]


@pytest.mark.parametrize("ending", ["html", "vtkhdf"])
def test_a_file_that_grows_too_large(result: Path, ending: str) -> None:
    verb, *words = WRITERS[ending]
    place = (f"out.{ending}",) if verb == "export" else ("-o", f"out.{ending}")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = flexmb(verb, "run.h5", *place, *words, preexec_fn=limit)
    assert (done.returncode, done.stderr) == (2, f"flexmb: Cannot write 'out.{ending}': File too large.\n")
    assert os.listdir() == ["run.h5"]


def test_output_that_nobody_can_read(result: Path) -> None:
    """A terminal that knows no umlauts, a full disk behind the output, no output at all."""
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = flexmb("export", "run.h5", "--channels", env=environment)
    assert done.returncode == 0
    assert r"sensors/_Gr\xf6\xdfe" in done.stdout
    command = [sys.executable, "-m", "flexmb", "export", "run.h5", "--channels"]
    with open("/dev/full", "w") as full:
        lost = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert lost.returncode == 1
    assert "No space left" in lost.stderr
    assert "internal" not in lost.stderr
    assert subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *command], check=False).returncode == 0


def test_displacement_of_nonsense(result: Path) -> None:
    with Result(result) as opened:
        assert opened.displacement("__proto__", []).shape == (0, *opened.surface("__proto__").points.shape)
        for body, time in (("rod", 0.0), (None, 0.0), ("__proto__", "soon"), ("__proto__", 99.0), ("__proto__", 1j)):
            with pytest.raises(InputError):
                opened.displacement(body, time)  # type: ignore[arg-type]
    assert "closed" in repr(opened)
    with pytest.raises(InputError, match="is closed"):
        opened.displacement("__proto__", 0.0)


def test_symbols_of_a_long_chain_are_no_larger_than_its_links() -> None:
    model = fx.Model("chain")
    before: object = model.ground
    for number in range(60):
        start, end = (0.1 * number, 0, 0), (0.1 * (number + 1), 0, 0)
        model.rigid(f"link{number}", mass=1.0, rod=(start, end))
        model.revolute(f"joint{number}", before, f"link{number}", at=start, axis="y")
        before = f"link{number}"
    assert 0.1 < scene_size(place(model.spec)) < 1.0
