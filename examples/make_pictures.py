"""The pictures of the README, made anew: python examples/make_pictures.py

The spatial slider-crank with a connecting rod from a mesh: reduced, run, drawn, plotted, and its page looked at with a
browser when there is one (Chromium and its driver, and the package selenium).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import flexmb as fx

HERE = Path(__file__).resolve().parent
PICTURES = HERE / "pictures"
ENDS = (fx.TieRequest("bore_big", "bore_big"), fx.TieRequest("bore_small", "bore_small"))
LARGEST = 0.0494
"""Time of the picture [s]: the rod of the example bends most"""


def run(folder: Path) -> fx.Result:
    """The connecting rod of the coarse mesh, and the run with it."""
    mesh = fx.read_mesh(HERE.parent / "meshes" / "connecting_rod_coarse.msh", unit="mm")
    middle = fx.TieRequest("middle", "middle", "follower")
    request = fx.ReductionRequest(interfaces=ENDS, markers=(middle,), frame="chord", stress=True)
    fx.write_body(fx.reduce_mesh(mesh, fx.MATERIALS["steel"], request), folder / "connecting_rod.h5")
    shutil.copy(HERE / "spatial_slider_crank_mesh.toml", folder)
    model = fx.read_model(folder / "spatial_slider_crank_mesh.toml")
    return fx.run_model(model, folder / "slider_crank.h5")


def page_picture(page: Path, target: Path) -> None:
    """The page as a browser shows it."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    words = "headless no-sandbox use-angle=swiftshader enable-unsafe-swiftshader window-size=1280,860"
    for word in words.split():
        options.add_argument(f"--{word}")
    driver = shutil.which("chromedriver")
    with webdriver.Chrome(options=options, service=Service(driver)) as browser:
        browser.get(page.resolve().as_uri())
        browser.implicitly_wait(5)
        script = "flexmbViewer.pause(); flexmbViewer.goTo(arguments[0]); return flexmbViewer.state()"
        browser.execute_script(script, LARGEST)
        browser.save_screenshot(str(target))


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, run(Path(name)) as result:
        look = {"color": "stress", "scale": 50}
        turn = {"start": result.time[-1] / 2, "speed": result.time[-1] / 10, "fps": 12, "size": (720, 405)}
        result.animate(PICTURES / "slider_crank.gif", **turn, **look)
        page = Path(name) / "page.html"
        result.animate(page, **look)
        if shutil.which("chromedriver"):
            page_picture(page, PICTURES / "page.png")
        else:
            print("no browser: page.png is not made anew", file=sys.stderr)


if __name__ == "__main__":
    main()
