"""The page with scenes that are not ordinary, in a real browser: many bodies, quick ones, tiny and huge ones, long
names; the whole motion fills the picture, and a page around the viewer keeps its mouse wheel."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from flexmb.view.scene import Curve, Look, Part, Scene, quaternions
from flexmb.view.web.page import viewer_parts, write_page
from tests.support.browser import Browser, browser, settled, show
from tests.support.scenes import bending_scene, prism

__all__ = ["browser"]
VIOLET = (0.9, 0.1, 0.9)
LETTERS = "W" * 300
"""A name that no line can hold"""
BOX = "const box = document.querySelector(`[data-id=${values[0]}]`).getBoundingClientRect();"


def box_of(browser: Browser, name: str) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of an element [pixels]"""
    left, top, right, bottom = browser.run(f"{BOX} return [box.left, box.top, box.right, box.bottom]", name)
    return round(left), round(top), round(right), round(bottom)


def stamp(browser: Browser) -> str:
    settled(browser)
    return str(browser.run("return document.querySelector('[data-id=stamp]').textContent"))


def turning_bar(turns: np.ndarray) -> Scene:
    """A bar of 1 m that turns about its end in the x-z plane by given angles [rad]."""
    zero, one = 0.0 * turns, 1.0 + 0.0 * turns
    along = np.stack([np.cos(turns), zero, np.sin(turns)], axis=1)
    across = np.stack([zero, one, zero], axis=1)
    turn = quaternions(np.stack([along, across, np.cross(along, across)], axis=2))
    bar = Part("bar", "rigid", *prism(1.0, 0.08, 1), np.zeros((len(turns), 3)), turn, VIOLET)
    return Scene("bar", "", np.linspace(0.0, 1.0, len(turns)), (bar,), radius=1.0)


def violets(picture: np.ndarray) -> np.ndarray:
    """(n, 2) rows and columns of what is violet: nothing but the bodies of these scenes"""
    red, green, blue = np.moveaxis(picture, -1, 0)
    return np.argwhere((red > 90) & (blue > 90) & (np.minimum(red, blue) > 2 * green))


def test_many_bodies(browser: Browser, tmp_path: Path) -> None:
    scene = turning_bar(np.linspace(0.0, 3.0, 61))
    bar = scene.parts[0]
    bars = [dataclasses.replace(bar, name=f"bar {k}", position=bar.position + [0.1 * k, 0.0, 0.0]) for k in range(500)]
    center = (25.0, 0.0, 0.0)
    show(
        browser,
        write_page(dataclasses.replace(scene, parts=tuple(bars), center=center, radius=26.0), tmp_path / "m.html"),
    )
    assert len(violets(settled(browser))) > 500
    assert browser.run("return flexmbViewer.state().parts.length") == 500
    assert browser.console() == []


def test_a_quick_body_stays_in_the_picture_between_frames(browser: Browser, tmp_path: Path) -> None:
    """150 degrees from frame to frame, while the eye looks at the side of it."""
    scene = turning_bar(np.radians(150.0) * np.arange(6))
    show(browser, write_page(scene, tmp_path / "quick.html", Look(view="front")))
    left, top, right, bottom = box_of(browser, "picture")
    sizes = []
    for time in np.linspace(0.0, 1.0, 16):
        browser.run("flexmbViewer.set({time: values[0], grid: false})", float(time))
        rows, columns = violets(settled(browser)).T
        assert rows.min() > top + 4 and rows.max() < bottom - 5
        assert columns.min() > left + 4 and columns.max() < right - 5
        sizes.append(len(rows))
    # A bar that is seen from its side has the same size at any angle.
    assert min(sizes) > 0.9 * max(sizes)


@pytest.mark.parametrize("view", ["iso", "front", "top"])
def test_the_motion_fills_what_text_leaves_free(browser: Browser, tmp_path: Path, view: str) -> None:
    scene = bending_scene()
    violet = tuple(dataclasses.replace(part, color=VIOLET) for part in scene.parts)
    scene = dataclasses.replace(scene, parts=violet, arrows=(), curves=())
    show(browser, write_page(scene, tmp_path / "fill.html", Look(view=view, color="part")), (1280, 800))
    browser.run("flexmbViewer.set({color: 'part', grid: false})")
    left, top, right, bottom = box_of(browser, "picture")
    panel = box_of(browser, "panel")[0]
    drawn = []
    for time in np.linspace(scene.time[0], scene.time[-1], 7):
        browser.run("flexmbViewer.time = values[0]", float(time))
        drawn.append(violets(settled(browser)))
    rows, columns = np.concatenate(drawn).T
    assert max(np.ptp(columns) / (panel - left), np.ptp(rows) / (bottom - top)) > 0.7
    assert top < rows.min() and rows.max() < bottom - 1 and left < columns.min() and columns.max() < panel
    browser.run("document.querySelector('[data-id=panel]').open = false")
    browser.run("await new Promise(done => setTimeout(done, 50))")
    assert len(violets(settled(browser))) > len(drawn[-1])


@pytest.mark.parametrize(
    ("span", "radius", "time", "grid"),
    [
        (1e-9, 1e-6, "t = 0.50 ns", "grid 200 nm"),
        (40e-6, 40e-6, "t = 20.0 µs", "grid 10 µm"),
        (0.3, 0.6, "t = 150 ms", "grid 200 mm"),
        (20.0, 40.0, "t = 10.0 s", "grid 10 m"),
        (1000.0, 1e5, "t = 500 s", "grid 20 km"),
    ],
)
def test_times_and_sizes_have_prefixes(
    browser: Browser, tmp_path: Path, span: float, radius: float, time: str, grid: str
) -> None:
    scene = turning_bar(np.linspace(0.0, 1.0, 41))
    bar = dataclasses.replace(scene.parts[0], points=radius * scene.parts[0].points)
    tiny = dataclasses.replace(scene, time=span * scene.time, parts=(bar,), radius=radius)
    show(browser, write_page(tiny, tmp_path / "tiny.html"))
    assert stamp(browser).startswith("t = 0")
    browser.run("flexmbViewer.time = values[0]", 0.5 * span)
    text = stamp(browser)
    assert text.startswith(time.split(" ")[0]) and time.split(" ")[-1] in text
    assert float(text.split(" ")[2]) == float(time.split(" ")[2])
    assert text.endswith(grid)
    assert len(violets(settled(browser))) > 1000
    assert browser.console() == []


def test_long_names_and_blank_titles(browser: Browser, tmp_path: Path) -> None:
    scene = bending_scene()
    curves = tuple(Curve(f"{LETTERS}.{axis}", "m", scene.curves[0].values) for axis in "xyz")
    rod = dataclasses.replace(scene.parts[0], name=LETTERS)
    long = dataclasses.replace(
        scene, title=LETTERS, subtitle=LETTERS, curves=curves, parts=(rod, *scene.parts[1:]), chapters=((0.0, LETTERS),)
    )
    show(browser, write_page(long, tmp_path / "long.html"))
    browser.run("document.querySelector('[data-id=curves]').open = true; flexmbViewer.show(0, 5)")
    settled(browser)
    panel = box_of(browser, "panel")[0]
    for name in ("title", "subtitle", "stamp", "probe"):
        left, top, right, bottom = box_of(browser, name)
        assert right < panel and bottom - top < 110, name
    assert browser.run("return document.documentElement.scrollWidth") <= 1280
    left, _, right, _ = box_of(browser, "curveList")
    assert left > 600 and right <= 1280
    names = browser.run("return document.querySelector('[data-id=curveList]').innerText")
    assert "W…W" in names and all(f"WW.{axis} [mm]" in names for axis in "xyz")
    show(browser, write_page(dataclasses.replace(scene, title=" \t "), tmp_path / "blank.html"))
    assert browser.run("return document.title") == "Animation"


def test_the_wheel_belongs_to_the_page_around_until_the_picture_is_clicked(browser: Browser, tmp_path: Path) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    from selenium.webdriver.common.by import By

    parts = viewer_parts(bending_scene(), playing=False)
    page = tmp_path / "report.html"
    page.write_text(
        f"<!DOCTYPE html><style>{parts.style} .flexmb-viewer {{ height: 700px; }}</style>{parts.markup}"
        f"<p style='height: 3000px'>Text</p>{parts.data}<script>{parts.script}</script>",
        encoding="utf-8",
    )
    show(browser, page)
    canvas = browser.driver.find_element(By.CSS_SELECTOR, "[data-id=picture]")

    def after_wheel() -> tuple[float, str]:
        """How far the page has scrolled, and the named view, which ends when the eye moves"""
        ActionChains(browser.driver).scroll_from_origin(ScrollOrigin.from_element(canvas), 0, 60).perform()
        settled(browser)
        return browser.run("return [scrollY, flexmbViewer.state().view]")

    assert after_wheel() == [60, "iso"]
    script = """
        const event = new WheelEvent("wheel", {deltaY: 60, ctrlKey: true, cancelable: true});
        document.querySelector("[data-id=picture]").dispatchEvent(event);
        return [event.defaultPrevented, flexmbViewer.state().view]"""
    assert browser.run(script) == [True, ""]
    browser.run("flexmbViewer.set({view: 'iso'})")
    ActionChains(browser.driver).move_to_element(canvas).click().perform()
    assert after_wheel() == [60, ""]
    browser.run("document.activeElement.blur()")
    assert after_wheel()[0] == 120
