"""The report page: its numbers, its verdicts, what is escaped, and the page itself in a real browser.

Covers: cli.report, view.report.array_pool, view.report.charts, view.report.coarse, view.report.facts,
view.report.health, view.report.mode_surfaces, view.report.writing.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from flexmb.analyses.run import run_model
from flexmb.bodies.flexible_properties import modal_data
from flexmb.cli.report import report as report_verb
from flexmb.errors import InputError
from flexmb.model.model_file import read_model
from flexmb.reports.warnings import ringing_warning
from flexmb.results.result_file import Result
from flexmb.results.spectrum import ringing
from flexmb.system.placement import place
from flexmb.view.plots.texts import HEAD, shortened
from flexmb.view.report import write_report, writing
from flexmb.view.report.coarse import coarse_surface
from flexmb.view.report.facts import clock_of, headlines, histories_of, sensor_rows
from flexmb.view.report.health import balance_check, checks, constraint_check, worst
from flexmb.view.report.mode_surfaces import mode_tables
from flexmb.view.report.page import script_json
from flexmb.view.scene_of_result import covered, scene_of_result
from flexmb.warning import WarningRecord
from tests.support.browser import Browser, browser
from tests.support.made_results import accept_forged_names, crank_result, made_result
from tests.support.places import ROOT
from tests.support.scenes import LENGTH, bending_scene

__all__ = ["browser"]
EXAMPLE = ROOT / "examples" / "04_spatial_slider_crank.toml"
NASTY = "<img src=x onerror=\"document.title='hacked'\"> '&</script><script>document.title='hacked'</script>"


@pytest.fixture(scope="module")
def flagship(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run of the spatial slider-crank: 1.2 turns in 600 steps."""
    settings = {"turns": "1.2 turn", "analysis.step": "$turns/$speed/600", "output.every": "$turns/$speed/300"}
    path = tmp_path_factory.mktemp("runs") / "flagship.h5"
    run_model(read_model(EXAMPLE, settings), path, command="flexmb run 04_spatial_slider_crank.toml").close()
    return path


@pytest.fixture(scope="module")
def page(flagship: Path) -> Path:
    target = flagship.with_name("report.html")
    with Result(flagship) as result:
        assert write_report(result, target) == ()
    return target


def test_headline_numbers(tmp_path: Path) -> None:
    scene = bending_scene()
    summary = [("energy_balance", 2e-7, "1"), ("peak_energy", 3.0, "J"), ("wall_time", 0.25, "s"), ("steps", 100, "1")]
    result = crank_result(tmp_path / "a.h5", summary=summary)
    found = {one.name: one for one in headlines(result, scene, histories_of(scene))}
    deflection = found["Largest deflection"]
    assert float(deflection.value) == pytest.approx(1e3 * scene.largest_deflection, rel=1e-3)
    assert deflection.unit == "mm" and deflection.detail.startswith("rod, ")
    assert deflection.time is not None
    frame = scene.frame_at(deflection.time)
    assert np.linalg.norm(scene.part("rod").deflection(frame), axis=1).max() == pytest.approx(scene.largest_deflection)
    assert f"{100 * scene.largest_deflection / LENGTH:.3g}" in deflection.detail
    assert (found["Largest reaction force"].value, found["Largest reaction force"].detail) == ("5", "joint bearing")
    assert "Largest von Mises stress" not in found, "is known of findings on stress alone"
    assert (found["Wall time"].value, found["Wall time"].unit) == ("0.25", "s")
    assert found["Energy balance error"].verdict == "good"


def test_sensor_table_is_in_handy_units(tmp_path: Path) -> None:
    result = crank_result(tmp_path / "a.h5")
    rows = {row.name: row for row in sensor_rows(result)}
    assert (rows["rod_mid"].unit, rows["rod_mid"].high) == ("mm", "3")
    assert (rows["slider"].unit, rows["slider"].high, rows["slider"].low) == ("m", "0.4", "0.2")
    assert clock_of(result).text(0.05) == "50\u00a0ms"


@pytest.mark.parametrize(("balance", "verdict"), [(1e-9, "good"), (1e-3, "care"), (0.2, "bad"), (np.nan, "bad")])
def test_verdict_on_the_energy_balance(balance: float, verdict: str) -> None:
    assert balance_check(balance, 1.0).verdict == verdict


@pytest.mark.parametrize(("gap", "verdict"), [(1e-12, "good"), (1e-6, "care"), (1e-2, "bad"), (np.nan, "bad")])
def test_verdict_on_the_constraints(gap: float, verdict: str) -> None:
    assert constraint_check(gap).verdict == verdict


def test_health_of_a_run_that_went_badly(tmp_path: Path) -> None:
    numbers = {"steps": 100, "rejected": 80, "newton_iterations": 2000, "factorisations": 150, "energy_balance": 0.5}
    summary = [(name, value, "1") for name, value in numbers.items()]
    result = crank_result(tmp_path / "a.h5", outcome="failed", summary=summary)
    poor = WarningRecord("energy-balance", "the energy balance is off by 50 %.", "analysis.step", 0.1, 0.5, "1")
    bent = WarningRecord("large-deflection", "body 'rod' is deflected by 20 %.", "bodies.rod", 0.25, 0.2, "1")
    found = {check.name: check for check in checks(result, [poor, bent])}
    verdicts = {name: check.verdict for name, check in found.items()}
    assert verdicts == {
        "Outcome": "bad", "Steps": "care", "Iterations": "care", "Energy balance": "bad", "Output": "note",
        "Large deflection": "care",
    }  # fmt: skip
    assert worst(found.values()) == "bad" and "failed" in found["Outcome"].why
    assert found["Large deflection"].why == "Body 'rod' is deflected by 20 %."
    assert found["Large deflection"].value == "bodies.rod, 0.2, at t = 0.25\u00a0s"
    assert found["Energy balance"].why == "The energy balance is off by 50 %.", "the sentence of the run itself"


def test_the_page_shows_the_warnings_of_the_file_and_no_others(tmp_path: Path) -> None:
    """Also those that no rule of the page knows; names in a file may be hostile."""
    found = WarningRecord("new-kind", f"beware of {NASTY}.", NASTY, 0.05, 3.5, "kN")
    with crank_result(tmp_path / "a.h5", warnings=[found]) as result:
        write_report(result, tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    health = page[page.index("New kind") :]
    assert "Beware of &lt;img src=x" in health and "3.5\u00a0kN, at t = 0.05\u00a0s" in health
    assert NASTY not in page
    with crank_result(tmp_path / "b.h5") as result:
        assert not {check.verdict for check in checks(result, result.warnings)} & {"care", "bad"}


def test_reactions_that_ring_are_said(tmp_path: Path) -> None:
    time = np.linspace(0.0, 1.0, 1001)
    for quick, is_said in ((0.0, False), (0.3, True)):
        force = 10.0 + 5.0 * np.sin(10.0 * time) + 15.0 * quick * np.sin(2.0 * np.pi * 300.0 * time)
        series = {"time": ("s", time), "joints/a/force": ("N", np.outer(force, [1.0, 0.0, 0.0]))}
        result = made_result(tmp_path / f"{quick}.h5", series, outcome="running")
        assert (ringing(result) is not None) is is_said
    found = {check.name: check for check in checks(result, [ringing_warning(ringing(result))])}
    assert found["Ringing"].verdict == "care" and found["Ringing"].value.startswith("joints.a, 300\u00a0Hz")
    assert "300 Hz" in found["Ringing"].why and "(3.3 rows per oscillation)" in found["Ringing"].why


def volume(points: np.ndarray, triangles: np.ndarray) -> float:
    """Signed by the side to which the triangles look [m^3]."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6.0)


def test_coarse_surfaces_keep_points_thickness_and_sides() -> None:
    part = bending_scene(n_along=200).part("rod")
    kept, triangles = coarse_surface(part.points, part.triangles, 10)
    assert len(kept) == 40 and len(np.unique(kept)) == 40  # four corners in each of ten cells
    points = part.points[kept]
    assert np.ptp(points[:, 1:], axis=0) == pytest.approx(np.ptp(part.points[:, 1:], axis=0))
    shorter = np.ptp(points[:, 0]) / np.ptp(part.points[:, 0])
    assert shorter > 0.85
    assert volume(points, triangles) == pytest.approx(shorter * volume(part.points, part.triangles))  # still closed


def test_hot_spots_are_those_of_all_rows(page: Path, flagship: Path) -> None:
    """In the headline and in the table, with buttons to their times."""
    with Result(flagship) as result:
        stress = result.stress(spots=5)
    text = page.read_text()
    table = text.split('<section id="stress"')[1].split("</section>")[0]
    assert table.count("<tr>") == 1 + len(stress.spots) > 1
    first = stress.spots[0]
    assert f"{first.von_mises_time!r}" in table and "without notches" in table
    value = f"{1e-6 * stress.bodies[0].envelope.von_mises.max():.4g}"
    assert f">{value}</td>" in table
    headline = text.split("Largest von Mises stress")[1][:300]
    assert f"<strong>{value} " in headline and f"{first.von_mises_time!r}" in headline


def test_modes_of_the_flagship() -> None:
    spec = read_model(EXAMPLE).spec
    mechanism = place(spec)
    number = mechanism.body_index["rod"]
    (table,) = mode_tables([covered(spec, mechanism, number)])
    omega, _, ratios = modal_data(mechanism.bodies[number])  # type: ignore[arg-type]
    assert table.names == ("rod",) and table.hertz == pytest.approx(omega / (2.0 * np.pi))
    # pi/2 sqrt(EI / rho A L^4) of a pinned rod
    assert table.hertz[0] == pytest.approx(np.pi / 2 * np.sqrt(2e11 * 6.361e-11 / (7870 * 2.826e-5 * 0.3**4)), rel=1e-6)
    assert np.array_equal(table.ratios, ratios)
    assert sorted(table.kinds[:2]) == ["bending in y", "bending in z"]
    sizes = np.linalg.norm(table.shapes, axis=2)
    assert sizes.max(axis=1) == pytest.approx(0.03)  # a tenth of the length
    across = table.shapes[0][np.argmax(sizes[0])]
    assert abs(across[0]) < 1e-6  # bending moves the middle across the rod
    middle = np.abs(table.points[:, 0] - 0.15) < 0.01
    assert sizes[0, middle].min() > 0.029 and sizes[2, middle].max() < 0.005


def test_script_data_cannot_end_its_element() -> None:
    text = script_json({"a": "</script><!--\u2028"})
    assert "<" not in text and json.loads(text) == {"a": "</script><!--\u2028"}


def test_page_is_one_small_file_without_addresses(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert page.stat().st_size < 1_000_000
    assert "default-src 'none'" in text
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "flexmb run 04_spatial_slider_crank.toml" in text and "family = &quot;modes&quot;" in text
    assert [path.name for path in page.parent.iterdir() if path.name.startswith(".")] == []


def test_files_that_are_missing_or_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = crank_result(tmp_path / "a.h5")
    with pytest.raises(InputError, match="must end in .html"):
        write_report(result, tmp_path / "a.pdf")
    with pytest.raises(InputError, match="no folder"):
        write_report(result, tmp_path / "nowhere" / "a.html")
    with pytest.raises(InputError, match="There is no folder 'nope' for body files"):
        write_report(result, tmp_path / "a.html", folder="nope")
    empty = crank_result(tmp_path / "b.h5")
    empty.n_rows = 0
    with pytest.raises(InputError, match="no complete rows"):
        write_report(empty, tmp_path / "b.html")
    target = tmp_path / "c.html"
    assert report_verb(result.path, output=target) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{target}: 0.") and "note: This page has no viewer" in out
    assert "This page has no viewer" in target.read_text(encoding="utf-8")


def test_long_names_do_not_fill_the_page(tmp_path: Path) -> None:
    name = 3000 * "L"
    time = np.linspace(0.0, 1.0, 50)
    series = {
        "time": ("s", time),
        f"joints/{name}/force": ("N", np.stack([time, time, time], axis=1)),
        f"sensors/{name}": ("m", time**2),
    }
    result = made_result(tmp_path / "r.h5", series, name=name)
    write_report(result, tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    read = re.sub("<(script|details).*?</", "", text, flags=re.DOTALL)
    assert "LLLL" in read and 200 * "L" not in read


def test_a_large_scene_is_made_coarser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result, scene = crank_result(tmp_path / "a.h5"), bending_scene(n_frames=1201, n_along=1500)
    target = tmp_path / "a.html"
    assert not any("coarser" in note for note in write_report(result, target, scene))
    whole = target.stat().st_size
    monkeypatch.setattr(writing, "LARGEST", whole - 2_000)
    assert any("coarser surfaces" in note for note in write_report(result, target, scene))
    assert target.stat().st_size <= whole - 2_000
    fewer = writing._every(scene, 4)
    assert len(fewer.time) == len(fewer.parts[0].position) == len(fewer.arrows[0].vector) == 301
    assert fewer.part("rod").positions(7) == pytest.approx(scene.part("rod").positions(28))


def shown(browser: Browser, page: Path, size: tuple[int, int] = (1280, 900), **emulated: str) -> None:
    browser.open(page, size, **emulated)
    browser.wait("window.flexmbViewer && window.flexmbViewer.time !== undefined")
    browser.wait("document.querySelectorAll('figure.chart svg').length > 0")


def quiet(browser: Browser) -> None:
    assert browser.console() == [] and browser.requests() == []


def test_charts_are_drawn_and_peaks_lead_to_the_viewer(browser: Browser, page: Path) -> None:
    shown(browser, page)
    counts = browser.run(
        "return [...document.querySelectorAll('figure.chart')].map(f => f.querySelectorAll('path.curve').length)"
    )
    assert len(counts) >= 8 and min(counts) >= 1
    wanted = browser.run("return [...document.querySelectorAll('g.peak.goes')].map(g => Number(g.dataset.time))")
    assert len(wanted) >= 5
    for number in (0, len(wanted) - 1):
        click = (
            "const g = document.querySelectorAll('g.peak.goes')[values[0]]; g.dispatchEvent(new MouseEvent('click'))"
        )
        browser.run(f"{click}; await new Promise(f => setTimeout(f, 50)); return 0", number)
        assert browser.run("return flexmbViewer.time") == pytest.approx(wanted[number], abs=1e-9)
    moment = browser.run(
        "const b = document.querySelector('.headline .moment'); b.click(); return Number(b.dataset.time)"
    )
    browser.wait(f"Math.abs(flexmbViewer.time - {moment}) < 1e-9")
    quiet(browser)


def test_the_headline_is_what_the_viewer_draws(browser: Browser, page: Path, flagship: Path) -> None:
    shown(browser, page)
    value = float(browser.run("return document.querySelector('.headline strong').firstChild.textContent"))
    time = browser.run(
        "const b = document.querySelector('.headline .moment'); b.click(); return Number(b.dataset.time)"
    )
    browser.wait(f"Math.abs(flexmbViewer.time - {time}) < 1e-9")
    with Result(flagship) as result:
        scene = scene_of_result(result)
    script = "return [...Array(values[0]).keys()].map(point => flexmbViewer.probe('rod', point).size[values[1]])"
    largest = max(browser.run(script, len(scene.part("rod").points), scene.frame_at(time)))
    assert 1e3 * largest == pytest.approx(value, rel=2e-3)


def test_a_click_into_a_chart_and_the_cursor(browser: Browser, page: Path) -> None:
    shown(browser, page)
    at = browser.run("""
        const figures = [...document.querySelectorAll('figure.chart')];
        const svg = figures.find(f => f.textContent.includes('slider_x')).querySelector('svg');
        svg.scrollIntoView({block: 'center', behavior: 'instant'});
        const box = svg.getBoundingClientRect();
        const x = box.left + 58 + 0.5 * (box.width - 72);
        svg.dispatchEvent(new MouseEvent('click', {clientX: x, clientY: box.top + 40, bubbles: true}));
        svg.dispatchEvent(new PointerEvent('pointermove', {clientX: x, clientY: box.top + 40, bubbles: true}));
        await new Promise(f => setTimeout(f, 100));
        const tip = svg.closest('figure').querySelector('.tip');
        const cursor = svg.querySelector('.cursor');
        const words = tip.hidden ? '' : tip.textContent;
        return {time: flexmbViewer.time, tip: words, cursor: Number(cursor.getAttribute('x1')), width: box.width};
        """)  # fmt: skip
    end = browser.run("return flexmbViewer.probe('rod', 0).time.at(-1)")
    assert at["time"] == pytest.approx(0.5 * end, rel=0.02)
    assert re.match(r"time [\d.]+\u00a0ms\s*slider_x 0\.\d+\u00a0m", at["tip"])
    assert at["cursor"] == pytest.approx(58 + 0.5 * (at["width"] - 72), abs=4.0)
    quiet(browser)


def test_a_line_is_hidden_by_its_name(browser: Browser, page: Path) -> None:
    shown(browser, page)
    before, after = browser.run("""
        const figures = [...document.querySelectorAll('figure.chart')];
        const figure = figures.find(f => f.textContent.includes('Reaction forces'));
        const count = () => figure.querySelectorAll('path.curve').length;
        const before = count();
        figure.querySelector('button.key').click();
        return [before, count()];""")  # fmt: skip
    assert after == before - 1
    quiet(browser)


def test_light_and_dark(browser: Browser, page: Path) -> None:
    shown(browser, page, prefers_color_scheme="dark")
    look = "return getComputedStyle(document.body).backgroundColor"
    browser.wait("document.getElementById('flexmb-viewer').dataset.theme === 'dark'")
    dark = browser.run(look)
    browser.run("document.getElementById('theme').click(); return 0")
    browser.wait("document.getElementById('flexmb-viewer').dataset.theme === 'light'")
    light = browser.run(look)
    brightness = [sum(map(int, re.findall(r"\d+", color)[:3])) for color in (dark, light)]
    assert brightness[0] < 150 and brightness[1] > 600
    quiet(browser)


def test_modes_swing(browser: Browser, page: Path) -> None:
    shown(browser, page)
    browser.run("document.getElementById('modes').scrollIntoView({behavior: 'instant'}); return 0")
    content = "document.querySelector('canvas.mode').toDataURL()"
    before = browser.run(f"return window.before = {content}")
    opaque = np.asarray(Image.open(BytesIO(b64decode(before.partition(",")[2]))))[:, :, 3] > 200
    assert opaque.sum() > 100  # something is painted
    browser.wait(f"{content} !== window.before")
    quiet(browser)


def test_less_motion_and_a_narrow_screen(browser: Browser, page: Path) -> None:
    shown(browser, page, (390, 800), prefers_reduced_motion="reduce")
    assert browser.run("return document.documentElement.scrollWidth") <= 390
    assert not browser.run("return flexmbViewer.state().playing")
    quiet(browser)


def test_texts_from_files_do_no_harm(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    accept_forged_names(monkeypatch)
    time = np.linspace(0.0, 1.0, 101)
    name = NASTY.replace("/", "|")  # a slash divides the paths of channels
    series = {"time": ("s", time), f"sensors/{name}": ("m", np.sin(6.0 * time)), f"sensors/{name}2": ("<b>", time**2)}
    run = {"text": NASTY, "command": NASTY, "report": NASTY}
    result = made_result(tmp_path / "a.h5", series, {}, name=NASTY, **run)
    write_report(result, tmp_path / "a.html", bending_scene())
    shown(browser, tmp_path / "a.html")
    assert browser.run("return document.title") == NASTY
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert browser.run("return document.getElementById('model-text').textContent") == NASTY
    assert browser.run("return document.querySelector('#sensors th[scope=row]').textContent") == shortened(name, HEAD)
    quiet(browser)
