"""Protection of result files against a full disk.

HDF5 crashes and damages a file when it closes the file after a failed write. So a block is rejected when the disk has
no room for it; and when a write fails nevertheless (a quota, a lost network folder), the HDF5 file is detached from the
disk: further writes go to memory and are discarded. The file keeps its last complete block.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import h5py

_RESERVE = 2**20


def require_space(path: Path, n_bytes: int) -> None:
    """Raise OSError when there is no room in the file `path` for `n_bytes` more and the overhead of HDF5."""
    wanted = 2 * n_bytes + _RESERVE
    if shutil.disk_usage(path.parent).free < wanted:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    present = path.stat().st_size if path.exists() else 0
    if present + wanted > _largest_file():
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))


def _largest_file() -> float:
    """Largest file size that the user may write (ulimit -f) [B]"""
    try:
        import resource
    except ImportError:  # Windows
        return math.inf
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return math.inf if limit == resource.RLIM_INFINITY else limit


def cut_off(file: h5py.File) -> None:
    """Detach `file` from the disk: further writes are discarded."""
    if not hasattr(os, "memfd_create"):
        return
    nowhere = os.memfd_create("flexmb")
    try:
        os.dup2(nowhere, file.id.get_vfd_handle())
    finally:
        os.close(nowhere)
