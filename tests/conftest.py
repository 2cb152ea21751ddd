"""Compile the kernels once before parallel test workers start, so that they read the cache instead of all compiling.

pytest-xdist starts its workers when the session starts; the process that starts them comes through here first. It runs
small models by every method in a process of its own; that fills flexmb's kernel cache, whose folder is named by a hash
of the sources, so that a warm cache is found again. Without `-n` there is nothing to do.
"""

from __future__ import annotations

import gc
import subprocess
import sys

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
