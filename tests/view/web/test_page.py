"""The page in a real browser: it opens without a complaint or a request, plays, draws what the scene says and obeys."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.view.scene import Look, Scene
from flexmb.view.web.page import viewer_parts, write_page
from flexmb.view.web.rounding import DEFLECTION_ERROR, STRESS_ERROR
from tests.support.browser import Browser, browser, settled, show
from tests.support.scenes import bending_scene

__all__ = ["browser"]
STAGE = (slice(90, 500), slice(300, 980))
"""Pixels of a screenshot without texts and panels"""
NASTY = "<img src=x onerror=alert(1)> \"'&</script>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def scene() -> Scene:
    return bending_scene()


@pytest.fixture(scope="module")
def page(folder: Path, scene: Scene) -> Path:
    return write_page(scene, folder / "scene.html")


@pytest.fixture
def still(browser: Browser, page: Path) -> Iterator[Browser]:
    """The page, paused, without a complaint before and after."""
    show(browser, page)
    yield browser
    assert browser.console() == []
    assert browser.requests() == []


def changed(first: np.ndarray, second: np.ndarray) -> float:
    """Share of the pixels of the stage that differ visibly."""
    return float((np.abs(first[STAGE] - second[STAGE]).max(axis=2) > 24).mean())


def control(browser: Browser, name: str, value: str | bool) -> None:
    """Set a control as a user does: the value, then the event."""
    script = """
        const control = document.querySelector(`[data-id=${values[0]}]`);
        if (control.type === "checkbox") control.checked = values[1]; else control.value = values[1];
        control.dispatchEvent(new Event(control.type === "range" ? "input" : "change"));"""
    browser.run(script, name, value)


def press(browser: Browser, key: str) -> dict:
    browser.run("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: values[0], bubbles: true}))", key)
    return browser.run("return flexmbViewer.state()")


def test_it_plays_without_a_complaint_or_a_request(browser: Browser, page: Path) -> None:
    browser.open(page, (700, 420))
    browser.run("await flexmbViewer.ready")
    first = browser.run("return flexmbViewer.time")
    browser.wait(f"flexmbViewer.time !== {first} && flexmbViewer.state().playing")
    before = settled(browser)
    moment = browser.run("flexmbViewer.set({speed: 0.1}); return flexmbViewer.time")
    browser.wait(f"Math.abs(flexmbViewer.time - {moment}) > 0.03")
    assert (np.abs(settled(browser) - before).max(axis=2) > 24).mean() > 0.002
    assert browser.console() == []
    assert browser.requests() == []


def test_the_card_draws_what_the_scene_says(still: Browser, scene: Scene) -> None:
    """Read back from the vertex shader: places within 1e-4 of the largest deflection and 1.2e-5 of the size."""
    largest, size = scene.largest_deflection, scene.radius
    for frame, scale in ((0, 1.0), (17, 1.0), (23, 10.0), (44, 1000.0)):
        script = "flexmbViewer.set({time: values[0], scale: values[1]}); return flexmbViewer.drawn(values[2])"
        for name in ("rod", "crank"):
            part = scene.part(name)
            drawn = still.run(script, float(scene.time[frame]), scale, name)
            places = np.array(drawn["place"])
            # Points are rounded to 0.8e-5 of the rod, carried shapes to 0.2e-5, poses to less; the deflection to 1e-4.
            allowed = 1.2e-5 * size + DEFLECTION_ERROR * scale * largest
            np.testing.assert_allclose(places, part.positions(frame, scale), atol=allowed)
            if part.kind == "flexible":
                np.testing.assert_allclose(drawn["deflection"], part.deflection(frame), atol=DEFLECTION_ERROR * largest)


def test_the_card_adds_up_all_components_of_stress(browser: Browser, scene: Scene, folder: Path) -> None:
    rod = scene.part("rod")
    stress = np.random.default_rng(3).normal(size=(4, len(rod.points), 6)).astype(np.float32) * 1e11
    rod = dataclasses.replace(rod, stress=stress)
    rods = dataclasses.replace(scene, parts=(rod,))
    show(browser, write_page(rods, folder / "stress.html", Look(color="stress")))
    for frame in (9, 41):
        drawn = browser.run("flexmbViewer.time = values[0]; return flexmbViewer.drawn('rod')", float(scene.time[frame]))
        size = np.array(drawn["stress"])[:, 0]
        np.testing.assert_allclose(size, rod.von_mises(frame), atol=STRESS_ERROR * rods.largest_stress)
    point = 33
    history = browser.run("return flexmbViewer.probe('rod', values[0])", point)
    exact = [rod.von_mises(k)[point] for k in range(len(scene.time))]
    np.testing.assert_allclose(history["stress"], exact, atol=STRESS_ERROR * rods.largest_stress)


def test_a_probed_point_has_the_numbers_of_the_scene(still: Browser, scene: Scene) -> None:
    rod = scene.part("rod")
    point = rod.marks["middle"]
    history = still.run("flexmbViewer.scale = 7; return flexmbViewer.probe('rod', values[0])", point)
    u = np.array([rod.deflection(k)[point] for k in range(len(scene.time))])
    np.testing.assert_allclose(history["u"], u, atol=1e-4 * np.abs(u).max())
    np.testing.assert_allclose(history["size"], np.linalg.norm(u, axis=1), atol=1e-4 * np.abs(u).max())
    places = [rod.positions(k, 7.0)[point] for k in range(len(scene.time))]
    np.testing.assert_allclose(history["position"], places, atol=7e-4 * np.abs(u).max() + 1.2e-5 * scene.radius)
    np.testing.assert_allclose(history["time"], scene.time, atol=1e-9)


def test_the_picture_follows_time_scale_and_colour(still: Browser) -> None:
    still.run("flexmbViewer.set({time: 0.08, scale: 1, color: 'displacement', grid: false})")
    first = settled(still)
    # A blank stage is the gradient of its ground: grey, with few levels.
    colorful = (np.ptp(first[STAGE], axis=2) > 40).mean()
    assert colorful > 0.004
    for change in (
        "time: 0.2",
        "scale: 40",
        "color: 'z'",
        "color: 'stress'",
        "color: 'part'",
        "ghost: true, scale: 40",
    ):
        still.run(f"flexmbViewer.set({{time: 0.08, scale: 1, color: 'displacement', ghost: false, {change}}})")
        assert changed(first, settled(still)) > 0.002, change


def test_a_click_on_the_rod_asks_for_its_point(still: Browser, scene: Scene) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By

    still.run("flexmbViewer.set({time: 0.08, view: 'front', symbols: false})")
    drawn = settled(still)[STAGE]
    # The yellow end of the ramp is where the rod bends most: its middle.
    yellow = (drawn[..., 0] > 150) & (drawn[..., 1] > 150) & (drawn[..., 2] < 110)
    row, column = np.argwhere(yellow).mean(axis=0)
    canvas = still.driver.find_element(By.CSS_SELECTOR, "[data-id=picture]")
    x = int(column + STAGE[1].start - canvas.size["width"] / 2)
    y = int(row + STAGE[0].start - canvas.size["height"] / 2)
    ActionChains(still.driver).move_to_element_with_offset(canvas, x, y).click().perform()
    settled(still)
    text = still.run("return document.querySelector('[data-id=probe]').innerText")
    assert text.startswith(("×", "rod")) and "rod, " in text
    largest = float(text.split("largest ")[1].split(" mm")[0])
    assert largest == pytest.approx(1e3 * scene.largest_deflection, rel=0.05)
    assert still.run("return document.querySelectorAll('[data-id=curveList] input:checked').length") == 5
    still.driver.find_element(By.CSS_SELECTOR, "[data-id=forget]").click()
    assert still.run("return document.querySelector('[data-id=probe]').hidden")


def test_turning_and_zooming_move_the_picture(still: Browser) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    canvas = still.driver.find_element(By.CSS_SELECTOR, "[data-id=picture]")
    before = settled(still)
    for start, end in ((None, None), (Keys.SHIFT, Keys.SHIFT)):
        actions = ActionChains(still.driver)
        actions = actions.key_down(start) if start else actions
        actions = (
            actions.move_to_element(canvas).click_and_hold().move_by_offset(60, 30).move_by_offset(60, 30).release()
        )
        actions = actions.key_up(end) if end else actions
        actions.perform()
        after = settled(still)
        assert changed(before, after) > 0.01
        before = after
    ActionChains(still.driver).scroll_by_amount(0, 0).move_to_element(canvas).perform()
    still.run("document.querySelector('[data-id=picture]').dispatchEvent(new WheelEvent('wheel', {deltaY: -400}))")
    assert changed(before, settled(still)) > 0.01
    assert still.run("return flexmbViewer.state().view") == ""


def test_controls_change_the_state(still: Browser, scene: Scene) -> None:
    control(still, "scale", "2")
    control(still, "color", "stress")
    control(still, "follow", "crank")
    control(still, "view", "top")
    control(still, "arrows", True)
    control(still, "symbols", False)
    control(still, "time", "0.1")
    state = still.run("return flexmbViewer.state()")
    assert state["scale"] == pytest.approx(100.0)
    wanted = {"color": "stress", "follow": "crank", "view": "top", "arrows": True, "symbols": False}
    assert {key: state[key] for key in wanted} == wanted
    assert state["time"] == pytest.approx(0.1)
    settled(still)
    texts = still.run("return document.getElementById('flexmb-viewer').innerText")
    assert "deflection × 100" in texts
    assert "Von Mises stress [MPa]" in texts
    assert f"{scene.largest_stress / 1e6:.0f}" in texts
    assert "Longest arrow: 50 N" in texts
    assert "t = 100.0 ms" in texts
    control(still, "point", "0")
    assert "rod, middle" in still.run("await new Promise(requestAnimationFrame); return document.body.innerText")
    still.run("document.querySelector('[data-id=play]').click()")
    assert still.run("return flexmbViewer.state().playing")


def test_an_arrow_tells_its_size(still: Browser) -> None:
    """Hovering over the middle of a force that is drawn from the axis of the crank outwards, seen from the front."""
    still.run("flexmbViewer.set({time: 0, view: 'front', arrows: true, symbols: false, grid: false})")
    before = settled(still)
    still.run("flexmbViewer.set({arrows: false})")
    rows, columns = np.nonzero(np.abs(before - settled(still)).max(axis=2)[STAGE] > 60)
    x, y = float(columns.mean()) + STAGE[1].start, float(rows.mean()) + STAGE[0].start
    still.run("flexmbViewer.set({arrows: true})")
    script = """
        const canvas = document.querySelector("[data-id=picture]");
        const event = {clientX: values[0], clientY: values[1], pointerType: "mouse"};
        canvas.dispatchEvent(new PointerEvent("pointermove", event));
        const tip = document.querySelector("[data-id=tip]");
        return [tip.hidden, tip.textContent]"""
    assert still.run(script, x, y) == [False, "big_end, reaction force: 50.00 N"]
    assert still.run(script, 900.0, 450.0)[0] is True


def test_keys(still: Browser, scene: Scene) -> None:
    assert press(still, "ArrowRight")["time"] == pytest.approx(scene.time[1])
    assert press(still, "ArrowLeft")["time"] == pytest.approx(scene.time[0])
    assert press(still, "End")["time"] == pytest.approx(scene.time[-1])
    assert press(still, "+")["scale"] == pytest.approx(10.0**1.1)
    assert press(still, "g")["ghost"] is True
    assert press(still, "e")["edges"] is False
    assert press(still, "d")["dark"] is True
    assert press(still, "6")["view"] == "top"
    assert press(still, " ")["playing"] is True
    reset = press(still, "r")
    assert (reset["scale"], reset["ghost"], reset["view"], reset["playing"]) == (10.0, False, "iso", False)
    press(still, "?")
    assert still.run("return document.querySelector('[data-id=help]').open")


def test_the_strip_scrubs(still: Browser, scene: Scene) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By

    settled(still)
    strip = still.driver.find_element(By.CSS_SELECTOR, "[data-id=plot]")
    ActionChains(still.driver).move_to_element(strip).click().perform()
    # The plot begins 62 pixels from the left and ends 14 from the right.
    share = (640 - 62) / (1280 - 62 - 14)
    assert still.run("return flexmbViewer.time") == pytest.approx(scene.time[-1] * share, rel=0.01)


def test_light_dark_and_less_motion(browser: Browser, page: Path) -> None:
    show(browser, page)
    assert settled(browser)[STAGE].mean() > 190
    assert browser.run("return flexmbViewer.state().playing") is False
    show(browser, page, prefers_color_scheme="dark")
    assert settled(browser)[STAGE].mean() < 80
    browser.run("document.querySelector('[data-id=dark]').click()")
    assert settled(browser)[STAGE].mean() > 190


@pytest.mark.parametrize("size", [(390, 780), (780, 360)], ids=["upright", "lying"])
def test_small_screens(browser: Browser, page: Path, size: tuple[int, int]) -> None:
    show(browser, page, size)
    settled(browser)
    assert browser.run("return document.documentElement.scrollWidth") <= size[0]
    outside = """
        const found = [];
        for (const element of document.querySelectorAll(".transport > *, .panel, .legend, .caption")) {
          const box = element.getBoundingClientRect();
          if (box.width && (box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < 0)) {
            found.push(element.className + " " + element.dataset.id);
          }
        }
        return found"""
    assert browser.run(outside) == []
    assert browser.run("return document.querySelector('[data-id=picture]').clientHeight") > 0.35 * size[1]


@pytest.mark.parametrize(
    ("prepare", "sentence"),
    [
        ("HTMLCanvasElement.prototype.getContext = () => null", "this page needs WebGL 2"),
        ("delete window.DecompressionStream", "this browser cannot unpack the data"),
        ("Math.hypot = () => { throw new Error('a surprise') }", "a surprise"),
    ],
    ids=["no WebGL 2", "no unpacking", "anything else"],
)
def test_a_viewer_that_cannot_start_says_why_and_keeps_quiet(
    browser: Browser, page: Path, prepare: str, sentence: str
) -> None:
    added = browser.command("Page.addScriptToEvaluateOnNewDocument", source=prepare)
    try:
        browser.open(page)
        browser.wait("!document.querySelector('[data-id=message]').hidden")
        text = browser.run("return document.querySelector('[data-id=message]').innerText")
        assert text.startswith("The animation cannot be shown: ") and sentence in text
        browser.resize((900, 500))
        browser.run("await flexmbViewer.goTo(0.1); document.querySelector('[data-id=play]').click()")
        settled(browser)
        assert browser.run("return document.querySelector('[data-id=message]').innerText") == text
        assert browser.console() == []
    finally:
        browser.command("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])


def test_a_lost_graphics_card_comes_back(still: Browser) -> None:
    before = settled(still)
    still.run("""
        const gl = document.querySelector("[data-id=picture]").getContext("webgl2");
        window.card = gl.getExtension("WEBGL_lose_context");
        window.card.loseContext();""")
    still.wait("!document.querySelector('[data-id=message]').hidden")
    still.run("window.card.restoreContext()")
    still.wait("document.querySelector('[data-id=message]').hidden")
    assert changed(before, settled(still)) < 0.001
    still.console()  # Chromium notes the loss itself


def test_chapters_are_played_one_at_a_time(browser: Browser, scene: Scene, folder: Path) -> None:
    middle = float(scene.time[30])
    chapters = ((float(scene.time[0]), "mode 1"), (middle, NASTY))
    page = write_page(dataclasses.replace(scene, chapters=chapters, title=NASTY, curves=()), folder / "chapters.html")
    show(browser, page)
    control(browser, "chapter", "1")
    assert browser.run("return flexmbViewer.time") == pytest.approx(middle)
    browser.run("flexmbViewer.set({time: flexmbViewer.time + 0.1, speed: 0.5, playing: true})")
    browser.wait(f"flexmbViewer.time < {middle + 0.09}")
    assert browser.run("return flexmbViewer.time") >= middle
    texts = browser.run("return [document.title, document.querySelector('[data-id=title]').textContent]")
    assert texts == [NASTY, NASTY]
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert browser.console() == []


def test_inside_another_page(browser: Browser, scene: Scene, folder: Path) -> None:
    parts = viewer_parts(scene, Look(), playing=False)
    text = f"""<!DOCTYPE html><title>report</title><style>{parts.style} .flexmb-viewer {{ height: 480px; }}
        .legend {{ display: flex; }}</style>
        <h1>Report</h1>{parts.markup}<p id="after">Text</p>{parts.data}<script>{parts.script}
        flexmbViewer.goTo(0.12); addEventListener("flexmb-time", event => window.heard = event.detail.time)</script>"""
    page = folder / "report.html"
    page.write_text(text, encoding="utf-8")
    browser.open(page)
    browser.run("await flexmbViewer.ready")
    browser.wait("window.heard === 0.12")
    assert press(browser, "ArrowRight")["time"] == 0.12
    browser.run("document.querySelector('[data-id=picture]').focus()")
    assert changed(settled(browser), settled(browser)) == 0.0
    assert browser.run("return document.querySelector('[data-id=ramp]').clientWidth") == 224
    assert browser.run("return getComputedStyle(document.getElementById('after')).fontFamily") not in ("", "system-ui")
    assert browser.console() == []
    assert browser.requests() == []


def test_files(scene: Scene, folder: Path) -> None:
    page = write_page(scene, folder / "again.html", Look(color="stress", dark=True))
    text = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert "http://" not in text and "https://" not in text
    assert list(folder.glob(".*")) == []
    with pytest.raises(InputError, match="folder"):
        write_page(scene, folder)
    with pytest.raises(InputError, match="no folder"):
        write_page(scene, folder / "nowhere" / "page.html")
