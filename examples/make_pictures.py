"""Make the pictures of the README and of the gallery: python examples/make_pictures.py [name ...]

Every example is run and drawn at a characteristic moment; the meshed rod also as a movie, and its page as a screenshot
(if Chromium with its driver and the package selenium are installed).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import flexmb as fx

HERE = Path(__file__).resolve().parent
PICTURES = HERE / "pictures"
LARGEST = 0.0494
"""Time of the pictures of the meshed rod [s]: it bends most"""
MESHED = "07_spatial_slider_crank_mesh"
SIZE = (800, 500)

LOOKS: dict[str, dict[str, Any]] = {
    "01_double_pendulum": {"at": 1.06, "view": "front"},
    "02_planar_slider_crank": {"at": 0.66, "view": "top"},
    "03_pendulating_rotor": {"at": 0.5},
    "04_spatial_slider_crank": {"at": LARGEST, "scale": 15, "ghost": True},
    "05_inverse_slider_crank": {"at": 0.0449, "scale": 15, "arrows": True},
    "06_equations_crane": {"at": 2.4, "view": "front"},
    MESHED: {"at": LARGEST, "scale": 50, "color": "stress"},
    "08_crane_arm": {"at": 9.28, "scale": 8, "ghost": True},
    "09_robot_arm": {"at": 0.66, "symbols": False},
    "10_scissor_lift": {"at": 3.0},
    "11_shell_bracket": {"at": 0.045, "color": "stress", "scale": 10},
    "12_from_step": {"at": 0.13, "color": "stress", "scale": 1},
    "13_hot_spots": {},
    "14_planetary_gear": {"at": 0.03},
    "15_crane_with_rope": {"at": 11.0},
}
"""Options of every picture"""
STRESSED = "13_hot_spots"
SETTINGS = {"06_equations_crane": {"joints.hook.position": "30 deg"}}
"""Changes before the run: a small swing is hard to see"""


def run(name: str, folder: Path) -> fx.Result:
    """The result of an example."""
    return fx.run_model(fx.read_model(HERE / f"{name}.toml", SETTINGS.get(name)), folder / f"{name}.h5")


def movie(result: fx.Result) -> None:
    """Movie of the second of two turns, at a tenth of a turn per second."""
    turn = {"start": result.time[-1] / 2, "speed": result.time[-1] / 10, "fps": 12, "size": (720, 405)}
    result.animate(PICTURES / "slider_crank.gif", **turn, color="stress", scale=50)


def page(result: fx.Result, folder: Path) -> None:
    """Screenshot of the page of a result."""
    if not shutil.which("chromedriver"):
        print("no browser: page.png is not updated", file=sys.stderr)
        return
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    path = folder / "page.html"
    result.animate(path, color="stress", scale=50)
    options = webdriver.ChromeOptions()
    words = "headless no-sandbox use-angle=swiftshader enable-unsafe-swiftshader window-size=1280,860"
    for word in words.split():
        options.add_argument(f"--{word}")
    with webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver"))) as browser:
        browser.get(path.resolve().as_uri())
        browser.implicitly_wait(5)
        script = "flexmbViewer.pause(); flexmbViewer.goTo(arguments[0]); return flexmbViewer.state()"
        browser.execute_script(script, LARGEST)
        browser.save_screenshot(str(PICTURES / "page.png"))


def main(*names: str) -> None:
    """Make the pictures of these examples (default: all)."""
    PICTURES.mkdir(exist_ok=True)
    for name in names or LOOKS:
        with tempfile.TemporaryDirectory() as folder, run(name, Path(folder)) as result:
            if name == STRESSED:
                fx.write_stress(result.stress(spots=4), PICTURES / f"{name}.png")
            else:
                result.animate(PICTURES / f"{name}.png", size=SIZE, **LOOKS[name])
            if name == MESHED:
                movie(result)
                page(result, Path(folder))
        print(PICTURES / f"{name}.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
