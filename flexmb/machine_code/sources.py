"""Sources that machine code is made of: what a cache or a library of kernels must match."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

PACKAGE = Path(__file__).parents[1]

DOOR = tuple(f"machine_code/{name}.py" for name in ("jit", "numba_compiler", "signatures", "pointers", "lanes"))

KERNEL_SOURCES = (
    *DOOR, "vectors.py", "joints", "loads", "layout", "equations", "solvers", "model/expressions/program.py",
    "natural/programs.py", "natural/packed_layout.py", "natural/row_kernels.py", "natural/frame_kernels.py",
)  # fmt: skip

ARRAY_SOURCES = (
    *DOOR, "mesh/kernels.py", "elements/solid/kernels", "elements/shell/kernels", "reduction/sparse/kernels",
    "view/picture/kernels.py", "natural/row_kernels.py", "natural/frame_kernels.py", "analyses/stress/kernels.py",
)  # fmt: skip
"""Sources of array kernels, cached separately: an edit here does not recompile the equations, nor the reverse."""

LIBRARY_SOURCES = (
    *KERNEL_SOURCES, *ARRAY_SOURCES, "machine_code",
)  # fmt: skip
"""Sources of the library of an installed package: all kernels, and how they are entered."""


def source_files(sources: Sequence[str]) -> list[Path]:
    """Files of the listed sources, in an order that is the same everywhere."""
    paths = {path for name in sources for path in [PACKAGE / name, *(PACKAGE / name).rglob("*.py")]}
    return sorted(path for path in paths if path.is_file())


def source_hash(sources: Sequence[str]) -> str:
    """Hash of names and contents."""
    digest = hashlib.sha256()
    for path in source_files(sources):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(PACKAGE).as_posix()} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def numba_settings() -> Iterator[str]:
    """The NUMBA_* variables that machine code depends on."""
    for name in sorted(os.environ):
        if name.startswith("NUMBA_") and name not in ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"):
            yield f"{name}={os.environ[name]}"
