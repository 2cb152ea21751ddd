"""Debian's Chromium without a window, for tests of pages; `from tests.support.browser import browser` is the fixture.

A test that needs it is skipped with the reason where Chromium, its driver or selenium is missing. `Browser` remembers
what the page wrote to the console and what it asked the network for: both must be nothing. `show` opens a page with
the viewer of animations, `settled` waits for its picture.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)  # fmt: skip
INSIDE = ("file:", "data:", "blob:", "about:", "chrome:", "chrome-untrusted:")
"""Addresses that reach no network"""
PATIENCE = 30.0
"""Seconds until a page that does not get ready is given up"""


def missing() -> str:
    """Why there is no browser here; empty when there is one."""
    absent = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    try:
        import selenium  # noqa: F401
    except ImportError:
        absent.append("selenium")
    return f"not installed: {', '.join(absent)}" if absent else ""


class Browser:
    """One Chromium; every page is opened from a file."""

    def __init__(self, folder: str, flags: tuple[str, ...] = ()) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = str(shutil.which("chromium"))
        for flag in (*FLAGS, f"--user-data-dir={folder}", "--window-size=1280,720", *flags):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(str(shutil.which("chromedriver"))), options=options)
        self.driver.set_script_timeout(PATIENCE)

    def open(self, path: Path, size: tuple[int, int] = (1280, 720), **emulated: str) -> None:
        """Show a page; `emulated`: what the reader prefers, such as prefers_color_scheme="dark"."""
        features = [{"name": name.replace("_", "-"), "value": value} for name, value in emulated.items()]
        self.command("Emulation.setEmulatedMedia", features=features)
        self.resize(size)
        self.driver.get("about:blank")
        self.console()  # forget what an earlier page has left
        self.requests()
        self.driver.get(path.resolve().as_uri())
        self.wait("location.protocol === 'file:' && document.readyState === 'complete'")

    def command(self, name: str, **values: Any) -> Any:
        """A command of the developer tools protocol."""
        return self.driver.execute_cdp_cmd(name, values)

    def resize(self, size: tuple[int, int], ratio: float = 1.0) -> None:
        self.command(
            "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=ratio, mobile=False
        )

    def run(self, script: str, *values: Any) -> Any:
        """The value of a script; a promise is waited for."""
        text = "const done = arguments[arguments.length - 1]; const values = arguments; "
        text += f"(async () => {{ {script} }})().then(value => done([value]), error => done([null, String(error)]))"
        answer = self.driver.execute_async_script(text, *values)
        if len(answer) > 1:
            raise RuntimeError(answer[1])
        return answer[0]

    def wait(self, condition: str) -> None:
        """Until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.run(f"return Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"{condition} never became true; console: {self.console()}")
            time.sleep(0.02)

    def console(self) -> list[str]:
        """Warnings and errors since the last call; that reading pixels back is slow is said of our own screenshots."""
        entries = [entry for entry in self.driver.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")]
        return [entry["message"] for entry in entries if "GPU stall due to ReadPixels" not in entry["message"]]

    def requests(self) -> list[str]:
        """Addresses that the page asked for since the last call, besides those of the page and of the browser."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        addresses = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [address for address in addresses if not address.startswith(INSIDE)]

    def picture(self, path: Path | None = None) -> Any:
        """(height, width, 3) what is on the screen; also written to a file when one is named."""
        import io

        import numpy as np
        from PIL import Image

        content = self.driver.get_screenshot_as_png()
        if path is not None:
            path.write_bytes(content)
        return np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))

    def close(self) -> None:
        self.driver.quit()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    reason = missing()
    if reason:
        pytest.skip(reason)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        one = Browser(folder)
        try:
            yield one
        finally:
            one.close()


def show(browser: Browser, page: Path, size: tuple[int, int] = (1280, 720), **emulated: str) -> None:
    """Open a page with the viewer: paused and light, unless asked for otherwise."""
    browser.open(page, size, **{"prefers_reduced_motion": "reduce", "prefers_color_scheme": "light", **emulated})
    browser.run("await flexmbViewer.ready")


def settled(browser: Browser) -> Any:
    """The picture after everything that was asked for has been drawn."""
    browser.run("await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r, 30))))")
    return browser.picture().astype(int)
