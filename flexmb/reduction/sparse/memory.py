"""Available memory.

The smaller of what the system has available and what the control group of the process (a container, a batch job) still
allows. None if the system does not report it.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

_UNLIMITED = 1 << 60


def available_memory() -> int | None:
    """Bytes that can be allocated without swapping."""
    if sys.platform.startswith("linux"):
        known = [size for size in (_linux_available(), _group_available()) if size is not None]
        return min(known) if known else None
    if sys.platform == "darwin":
        return _macos_available()
    if sys.platform == "win32":
        return _windows_available()
    return None


def _linux_available() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return 1024 * int(line.split()[1])
    return None


def _group_available() -> int | None:
    """Bytes that the control group allows, version 2 or 1; inactive pages of files can be released and do not count."""
    for folder, limit_name, used_name in (
        (_own_group(), "memory.max", "memory.current"),
        (Path("/sys/fs/cgroup"), "memory.max", "memory.current"),
        (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        try:
            limit = int((folder / limit_name).read_text())
            used = int((folder / used_name).read_text())
            statistics = dict(line.split()[:2] for line in (folder / "memory.stat").read_text().splitlines())
        except (OSError, ValueError):
            continue
        if limit < _UNLIMITED:
            files = int(statistics.get("inactive_file", statistics.get("total_inactive_file", "0")))
            return max(limit - used + files, 0)
    return None


def _own_group() -> Path:
    try:
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            number, _, path = line.split(":", 2)
            if number == "0":
                return Path("/sys/fs/cgroup") / path.lstrip("/")
    except (OSError, ValueError):
        pass
    return Path("/sys/fs/cgroup")


def _macos_available() -> int | None:
    """Free, inactive and speculative pages reported by vm_stat; else half of the memory."""
    try:
        text = subprocess.run(["vm_stat"], capture_output=True, text=True, check=True, timeout=5).stdout
        page = int(text.split("page size of ")[1].split()[0])
        rows = dict(line.split(":", 1) for line in text.splitlines()[1:] if ":" in line)
        kinds = ("Pages free", "Pages inactive", "Pages speculative")
        return page * sum(int(rows.get(kind, "0").strip(" .")) for kind in kinds)
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (OSError, ValueError):
        return None


def _windows_available() -> int | None:
    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong)] + [
            (name, ctypes.c_ulonglong)
            for name in ("total", "available", "page_total", "page_available", "virtual_total", "virtual", "extended")
        ]

    status = Status(length=ctypes.sizeof(Status))
    kernel32 = getattr(getattr(ctypes, "windll", None), "kernel32", None)
    if kernel32 is None or not kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.available)
