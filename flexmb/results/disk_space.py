"""What to do about a full disk: see it coming, and survive it.

HDF5 crashes, and spoils the file, when it has to close a file that it could not write. So a block is refused when the
disk has no room for it, and when a write fails nevertheless (a quota, a lost network folder) the HDF5 file is cut off
from the disk: what it still wants to write goes to memory and is forgotten. The file keeps its last complete block.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
from pathlib import Path

import h5py

_RESERVE = 2**20


def require_space(path: Path, n_bytes: int) -> None:
    """OSError when there is no room in the file `path` for `n_bytes` more and what HDF5 adds to them."""
    wanted = 2 * n_bytes + _RESERVE
    if shutil.disk_usage(path.parent).free < wanted:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    present = path.stat().st_size if path.exists() else 0
    if present + wanted > _largest_file():
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))


def _largest_file() -> float:
    """[B] that the user may write into one file (ulimit -f)"""
    try:
        import resource
    except ImportError:  # Windows
        return math.inf
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return math.inf if limit == resource.RLIM_INFINITY else limit


def cut_off(file: h5py.File) -> None:
    """Let everything that is still written to `file` go nowhere."""
    if not hasattr(os, "memfd_create"):
        return
    nowhere = os.memfd_create("flexmb")
    try:
        os.dup2(nowhere, file.id.get_vfd_handle())
    finally:
        os.close(nowhere)
