"""Compilation by numba, and the cache of what it compiled; imported when there is something to compile.

The disk cache is in the user's cache folder under a name that is a hash of every source file that kernels are made
of, of the NUMBA_* variables and of the machine: numba itself does not notice an edit of a callee in another file. Its
files are numba's, which unpickles them: so the folder must be the user's own and the files complete, see
`code_cache.py`. Without such a folder the kernels are compiled in memory, with a `CacheWarning`.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
from numba import types
from numba.core import registry
from numba.core.caching import _Cache
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps, loads
from numba.extending import intrinsic

from flexmb.machine_code.code_cache import (
    CacheWarning,
    CodeFolder,
    code_files,
    code_folder,
    discard,
    keep_code,
    stored_code,
)
from flexmb.machine_code.sources import ARRAY_SOURCES, KERNEL_SOURCES, PACKAGE, numba_settings, source_files

# Contraction to fused multiply-add is the one liberty taken: it rounds less and made kernels 10 to 20 % faster.
OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}}

ENTRIES: dict[str, Any] = {}
"""Options on the entries of kernels for Python; the build of a library needs none."""

PROGRAM_ARGUMENTS = (
    types.CPointer(types.int64), types.CPointer(types.float64), types.CPointer(types.float64), types.int64,
)  # fmt: skip
_PROGRAM = types.void(*PROGRAM_ARGUMENTS)
_SUFFIX = ".code"


def processor() -> tuple[str, str]:
    """Name and features of the processor."""
    return llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten()


def _cache_name(sources: Sequence[str]) -> str:
    """Hash of all that machine code depends on: sources (with path and date, as numba needs), versions, processor."""
    machine = (numba.__version__, llvmlite.__version__, sys.version, *processor(), str(PACKAGE))
    digest = hashlib.sha256(" ".join(machine).encode())
    for path in source_files(sources):
        digest.update(f"{path.relative_to(PACKAGE)} {path.stat().st_mtime_ns}".encode())
        digest.update(path.read_bytes())
    for setting in numba_settings():
        digest.update(setting.encode())
    return digest.hexdigest()[:16]


@functools.cache
def kernel_folder() -> CodeFolder:
    """Folder of compiled programs."""
    return code_folder("kernels", _cache_name(KERNEL_SOURCES))


@functools.cache
def array_folder() -> CodeFolder:
    """Folder of compiled array kernels."""
    return code_folder("kernels", _cache_name(ARRAY_SOURCES))


class KernelCache(_Cache):  # type: ignore[misc]
    """Machine code of one function by signature, as numba's dispatchers expect it; one file each, without an index.

    Without a folder nothing is kept, which is reported once. A file that cannot be loaded or saved costs a compilation.
    """

    def __init__(self, function: Callable[..., Any], folder: Path | None):
        self.function, self.folder = function, folder

    @property
    def cache_path(self) -> str | None:
        """Folder of the files."""
        return None if self.folder is None else str(self.folder)

    def stem(self, signature: Any) -> str:
        """Name of the file for a signature: names of module and function, and a hash of what the code depends on."""
        function = self.function
        cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
        digest = hashlib.sha256(f"{function.__module__} {signature}".encode())
        for part in (_source_of(inspect.getfile(function)), function.__code__.co_code, dumps(cells) if cells else b""):
            digest.update(hashlib.sha256(part).digest())
        digest.update(str(function.__code__.co_firstlineno).encode())
        name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        return f"{name.replace('<', '').replace('>', '')}.{digest.hexdigest()[:16]}"

    def has(self, signature: Any) -> bool:
        """Whether there is a file for a signature."""
        return self.folder is not None and bool(code_files(self.folder, self.stem(signature), _SUFFIX))

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled function; None: it must be compiled."""
        target_context.refresh()
        if self.folder is None:
            _warn_of_memory()
            return None
        found = stored_code(self.folder, self.stem(signature), _SUFFIX)
        if found is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *loads(found[1]))
        except Exception:  # complete, but written by another build of numba or its parts
            discard(found[0], "cannot be loaded")
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Keep a compiled function; on a full disk it is not kept."""
        if self.folder is None or data.library.has_dynamic_globals or not all(part.can_cache for part in data.lifted):
            return
        content = dumps(data._reduce())
        with suppress(OSError):
            keep_code(self.folder, self.stem(signature), _SUFFIX, content)

    def enable(self) -> None:
        """Nothing: it is always on."""

    def disable(self) -> None:
        """Nothing."""

    def flush(self) -> None:
        """Nothing: files of changed sources are not found again."""


@functools.cache
def _source_of(path: str) -> bytes:
    """Content of a source file; for a function that was typed at a prompt, nothing."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _warn_of_memory() -> None:
    """Report once that kernels are compiled in memory, and why."""
    reason = kernel_folder().reason or array_folder().reason
    warnings.warn(f"kernels are compiled in memory, at every start: {reason}.", CacheWarning, stacklevel=2)


def kernel_dispatcher(function: Callable[..., Any]) -> Any:
    """A function for calls by name from other kernels, without a C entry and not in the cache."""
    return numba.njit(no_cfunc_wrapper=True, **ENTRIES, **OPTIONS)(function)


def call_dispatcher(function: Callable[..., Any]) -> Any:
    """The function that calls programs, from kernels and from Python."""
    dispatcher = numba.njit(**ENTRIES, **OPTIONS)(function)
    dispatcher._cache = KernelCache(function, kernel_folder().path)
    return dispatcher


def array_dispatcher(function: Callable[..., Any]) -> Any:
    """A function for calls from Python with arrays."""
    dispatcher = numba.njit(nogil=True, **ENTRIES, **OPTIONS)(function)
    dispatcher._cache = KernelCache(function, array_folder().path)
    return dispatcher


def is_array_kernel_cached(module: str) -> bool:
    """Whether array kernels of this module are in the cache."""
    folder = array_folder().path
    return folder is not None and any(folder.glob(f"{module}.*{_SUFFIX}"))


def intrinsic_type(function: Callable[..., Any]) -> Any:
    """Type of a function that generates instructions, as numba knows it."""
    made = intrinsic(function)
    context = registry.cpu_target.typing_context
    context.refresh()
    return context.resolve_value_type(made)


def is_program_cached(function: Callable[..., Any]) -> bool:
    """Whether the cache has this program."""
    return KernelCache(function, kernel_folder().path).has(_PROGRAM)


def compiled_program(function: Callable[..., Any]) -> Any:
    """The program with its `address`, from the cache or compiled."""
    compiled = CFunc(function, (PROGRAM_ARGUMENTS, types.void), locals={}, options=dict(OPTIONS))
    compiled._cache = KernelCache(function, kernel_folder().path)
    compiled.compile()
    return compiled
