"""What to do about a full disk: see it coming, and survive it.

HDF5 crashes, and spoils the file, when it has to close a file that it could not write. So a block is refused when the
disk has no room for it, and when a write fails nevertheless (a quota, a lost network folder) the HDF5 file is cut off
from the disk: what it still wants to write goes to memory and is forgotten. The file keeps its last complete block.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import h5py

_RESERVE = 2**20


def require_space(path: Path, n_bytes: int) -> None:
    """OSError (no space left) when the disk of `path` has no room for `n_bytes` more and what HDF5 adds to them."""
    if shutil.disk_usage(path.parent).free < 2 * n_bytes + _RESERVE:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def cut_off(file: h5py.File) -> None:
    """Let everything that is still written to `file` go nowhere."""
    if not hasattr(os, "memfd_create"):
        return
    nowhere = os.memfd_create("flexmb")
    try:
        os.dup2(nowhere, file.id.get_vfd_handle())
    finally:
        os.close(nowhere)
