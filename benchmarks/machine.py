"""The machine and the code that were measured: processor, memory, system, versions, commit; no name, no address."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from importlib import metadata
from pathlib import Path

from report import MISSING

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    "numpy", "scipy", "numba", "symengine", "sympy", "exudyn", "pin", "scikit-fem", "ngsolve", "pymetis", "pydy",
    "matplotlib",
)  # fmt: skip
WRITTEN = (
    "README.md", "docs/speed.md", "benchmarks/RESULTS.md", "benchmarks/results.json", "benchmarks/work_precision.svg",
    "benchmarks/work_precision.png",
)  # fmt: skip
"""Files that a measurement writes: changes in them do not change what is measured."""


def machine() -> dict[str, str]:
    """What the times depend on, as lines of text."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": _memory(),
        "system": _system(),
        "C compiler": _first_line("cc", "--version") or MISSING,
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "packages": ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
    }


def commit() -> str:
    """The commit that is checked out, and whether files differ from it; "unknown" outside a repository."""
    found = _first_line("git", "rev-parse", "--short", "HEAD")
    if not found:
        return "unknown"
    excluded = [f":(exclude){name}" for name in WRITTEN]
    changed = _first_line("git", "status", "--porcelain", "--untracked-files=no", "--", ".", *excluded)
    return f"{found} with changes" if changed else found


def load(seconds: float = 2.0) -> float:
    """Cores that others keep busy, by looking on for a while; zero where the system does not tell.

    Not the load average, which remembers the measurement before.
    """
    before = _idle_and_total()
    if before is None:
        return 0.0
    time.sleep(seconds)
    after = _idle_and_total()
    if after is None or after[1] == before[1]:
        return 0.0
    return (1.0 - (after[0] - before[0]) / (after[1] - before[1])) * (os.cpu_count() or 1)


def _idle_and_total() -> tuple[int, int] | None:
    """Time that all cores together were idle, and all their time, in ticks of the system."""
    try:
        counts = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    except (OSError, ValueError, IndexError):
        return None
    return counts[3] + counts[4], sum(counts)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 1e9:.1f} GB"
    except (AttributeError, ValueError, OSError):
        return "unknown"


def _system() -> str:
    kernel = f"{platform.system()} {platform.release()} {platform.machine()}"
    try:
        return f"{platform.freedesktop_os_release()['PRETTY_NAME']}, {kernel}"
    except (OSError, KeyError):
        return kernel


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return MISSING


def _first_line(*command: str) -> str:
    """First line that a command prints; empty when it cannot be run."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.splitlines()
    return lines[0].strip() if done.returncode == 0 and lines else ""
