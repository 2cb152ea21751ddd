"""Cores that this process may use: on a shared machine fewer than it has."""

from __future__ import annotations

import os


def available_cores() -> int:
    """Number of cores that the system lets this process use, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads() -> int:
    """Threads that compiled loops use: NUMBA_NUM_THREADS, by default all cores."""
    setting = os.environ.get("NUMBA_NUM_THREADS", "")
    return max(1, int(setting)) if setting.isdecimal() else available_cores()
