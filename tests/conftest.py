"""Compile the kernels once before parallel test workers start, so that they read the cache instead of all compiling;
let the signals that ask to end mean what they mean in a terminal.

pytest-xdist starts its workers when the session starts; the process that starts them comes through here first. It runs
small models by every method in a process of its own; that fills flexmb's kernel cache, whose folder is named by a hash
of the sources, so that a warm cache is found again. Without `-n` there is nothing to do.
"""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.places import ROOT

gc.set_threshold(100_000, 50, 100)  # thousands of tests leave a large heap, which else is searched again and again

WARM_UP = [sys.executable, "-m", "tests.support.warm_up"]


def pytest_sessionstart(session: pytest.Session) -> None:
    option = session.config.option
    is_worker = hasattr(session.config, "workerinput")
    if is_worker or not getattr(option, "numprocesses", None) or option.collectonly:
        return
    done = subprocess.run(WARM_UP, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        # The tests themselves will show what is wrong; here only speed is lost.
        last_line = (done.stderr.strip().splitlines() or ["no message"])[-1]
        session.config.issue_config_time_warning(UserWarning(f"kernels not compiled ahead: {last_line}"), stacklevel=1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Pages in a real browser belong to the long tier."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("long")


@pytest.fixture(autouse=True, scope="session")
def signals_of_a_terminal() -> Iterator[None]:
    """Restore SIGINT and SIGHUP where they are ignored (`nohup`, a script's `&`): here and in every child process.

    A program that was started so keeps ignoring them, which `test_what_nohup_ignores_stays_ignored` asks for itself.
    """
    usual = {signal.SIGINT: signal.default_int_handler}
    if hasattr(signal, "SIGHUP"):
        usual[signal.SIGHUP] = signal.SIG_DFL
    ignored = [number for number in usual if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, usual[number])
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
