"""Results of one row (static analyses) as report, plot and animation: a cantilever under its weight."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from flexmb.analyses.run import run_model
from flexmb.model.model_file import parse_model
from flexmb.results.result_file import Result
from flexmb.view.animate import animate
from flexmb.view.plots.panels import Line, Panel
from flexmb.view.report.health import checks, worst
from tests.support.command_line import call

Capture = pytest.CaptureFixture[str]
MODEL = """
[model]
name = "cantilever"
gravity = [0, 0, -9.81]
[materials.steel]
E = 2.1e11
nu = 0.3
density = 7850
[sections.bar]
type = "rectangle"
y = 0.02
z = 0.01
[bodies.beam]
beam = [[0, 0, 0], [1, 0, 0]]
material = "steel"
section = "bar"
[joints.wall]
type = "fixed"
bodies = ["ground", "beam"]
at = [0, 0, 0]
[sensors.tip]
marker = "beam.end"
component = "z"
[analysis]
type = "static"
"""
SAG = 7850 * 0.02 * 0.01 * 9.81 / (8 * 2.1e11 * 0.02 * 0.01**3 / 12)
"""Of a cantilever under its weight, w L^4/(8 E I) [m]"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("static") / "static.h5"
    run_model(parse_model(MODEL), path).close()
    return path


def text_of(page: Path) -> str:
    bare = re.sub(r"<script.*?</script>|<style.*?</style>", "", page.read_text(encoding="utf-8"), flags=re.S)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", bare))).replace("\u00a0", " ")


def test_report_says_what_was_done(result: Path, tmp_path: Path, capsys: Capture) -> None:
    page = tmp_path / "report.html"
    code, _, err = call(capsys, "report", str(result), "-o", str(page))
    assert (code, err) == (0, "")
    text = text_of(page)
    assert "steps" not in text and "0 s to 0 s" not in text
    assert "equilibrium at t = 0 s, run finished" in text and "to find the equilibrium" in text
    assert "The equilibrium at t = 0 s was found." in text
    found = re.search(r"Largest deflection ([0-9.]+) mm", text)
    assert found is not None
    # The largest displacement is at the upper edge of the tip, which also turns: half the height times the slope
    # w L^3/(6 E I) = 4/3 SAG/L sideways, a second-order addition; four digits are printed.
    assert float(found[1]) == pytest.approx(1e3 * SAG, rel=1e-3)


def test_health_of_an_equilibrium(result: Path) -> None:
    with Result(result) as opened:
        found = {check.name: check for check in checks(opened)}
        assert worst(found.values()) == "good"
    assert found["Unbalanced force"].verdict == "good" and "Steps" not in found
    # First bending frequency of a cantilever about its soft axis: 3.5160 sqrt(E I/(rho A L^4))/(2 pi) = 8.355 Hz; the
    # weight changes it by less than the square of the slope, 1e-4.
    hertz = 3.516015 * np.sqrt(2.1e11 * 0.01**2 / 12 / 7850) / (2 * np.pi)
    shown = re.search(r"([0-9.]+)\s*Hz", found["Stability"].why)
    assert shown is not None and float(shown[1]) == pytest.approx(hertz, rel=2e-3)  # three digits are printed


@pytest.mark.parametrize("lowest", [-4.0, 0.0, 9.0, np.inf])
def test_stability_in_words(lowest: float) -> None:
    from flexmb.view.report.health import _stability

    found = _stability(lowest)
    assert found.verdict == ("care" if lowest <= 0.0 else "note")
    assert ("0.477" in found.why) == (lowest == 9.0), "3 rad/s are 0.477 Hz"


def test_an_unbalanced_force_is_said() -> None:
    from flexmb.view.report.health import _unbalanced

    assert [_unbalanced(force).verdict for force in (1e-12, 1e-6, 1e-2)] == ["good", "care", "bad"]


def dark_pixels(path: Path, color: tuple[int, int, int]) -> int:
    pixels = np.asarray(Image.open(path).convert("RGB")).astype(int)
    return int((np.abs(pixels - np.array(color)).max(axis=2) < 60).sum())


def test_a_single_value_is_seen_in_a_plot(result: Path, tmp_path: Path, capsys: Capture) -> None:
    """A line of one point has no length: it is drawn as a dot, in the colour of the line."""
    from flexmb.view.plots.sheet import write_sheet

    counts = []
    for number, values in enumerate(([2.0], [np.nan])):
        target = tmp_path / f"{number}.png"
        line = Line("tip", np.zeros(1), np.array(values), None, 0)
        write_sheet([Panel("tip", "time", "s", "m", (line,))], target, "one", in_columns=False, dark=False)
        counts.append(dark_pixels(target, (0, 114, 178)))
    assert counts[0] > counts[1] + 20
    code, out, err = call(capsys, "plot", str(result), "-o", str(tmp_path / "all.png"))
    assert (code, err) == (0, "") and "all.png" in out


@pytest.mark.parametrize("suffix", ["html", "png", "gif", "glb"])
def test_animations_of_one_row(result: Path, tmp_path: Path, suffix: str) -> None:
    options: dict[str, Any] = {"renderer": "flexmb", "size": (320, 180)} if suffix in ("png", "gif") else {}
    done = animate(result, tmp_path / f"x.{suffix}", **options)
    assert done.path is not None and done.path.stat().st_size > 1000
    assert done.scene.subtitle.endswith("t = 0 s")
    assert ("1 frame," in done.text) == (suffix in ("html", "glb")) and "frames" not in done.text
    points = done.scene.part("beam").positions(0)
    # Skin of the tip: the neutral axis has sunk by SAG, its edges lie 5 mm above and below it.
    tip = points[points[:, 0] > 0.999]
    assert 0.5 * (tip[:, 2].max() + tip[:, 2].min()) == pytest.approx(-SAG, rel=1e-3)
