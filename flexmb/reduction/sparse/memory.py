"""Available memory.

The smallest of what the system has available, what the control groups of the process (a container, a batch job) still
allow, and what its own limit of address space (ulimit -v) leaves. None if the system does not report it.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

_UNLIMITED = 1 << 60
_PROC = Path("/proc")
_GROUPS = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Bytes that can be allocated without swapping."""
    if sys.platform.startswith("linux"):
        limits = (_linux_available(), _group_available(), _address_space_available())
        known = [size for size in limits if size is not None]
        return min(known) if known else None
    if sys.platform == "darwin":
        return _macos_available()
    if sys.platform == "win32":
        return _windows_available()
    return None


def _linux_available() -> int | None:
    try:
        lines = (_PROC / "meminfo").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return 1024 * int(line.split()[1])
    return None


def _address_space_available() -> int | None:
    """Bytes below the limit of the process itself."""
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int((_PROC / "self/statm").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return None
    return max(limit - pages * resource.getpagesize(), 0)


def _group_available() -> int | None:
    """Bytes that the control groups allow, the own one and those above it, version 2 or 1."""
    known = []
    for folder, limit_name, used_name in _own_groups():
        try:
            limit = int((folder / limit_name).read_text())
            used = int((folder / used_name).read_text())
            statistics = dict(line.split()[:2] for line in (folder / "memory.stat").read_text().splitlines())
        except (OSError, ValueError):
            continue
        if limit < _UNLIMITED:
            # inactive pages of files can be released and do not count
            files = int(statistics.get("inactive_file", statistics.get("total_inactive_file", "0")))
            known.append(max(limit - used + files, 0))
    return min(known, default=None)


def _own_groups() -> list[tuple[Path, str, str]]:
    """Folders of the group of this process and of all groups above it, with the names of limit and use."""
    kinds = {"": (_GROUPS, "memory.max", "memory.current")}
    kinds["memory"] = (_GROUPS / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
    found = list(kinds.values())
    try:
        lines = (_PROC / "self/cgroup").read_text().splitlines()
    except OSError:
        return found
    for line in lines:
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        for name in set(controllers.split(",")) & set(kinds):
            root, limit, used = kinds[name]
            own = Path(path.lstrip("/"))
            found += [(root / group, limit, used) for group in (own, *own.parents) if group != Path(".")]
    return found


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
