"""Generated functions f(I, F, W, arg) as machine code: by the C compiler of this machine, else by numba; kept on disk.

In: a key that identifies the code, and a function that writes its source on demand. Out: the addresses of the
functions. Libraries are kept in the user's cache folder under a hash of the key, the compiler, its version and flags,
and the processor; a file gets its name only when it is complete. A folder of another user is not used, because its
contents would be executed.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba

from flexmb.errors import ComputationError
from flexmb.jit import Program, program
from flexmb.output_files import temporary_folder

PREFIX = "flexmb_"
"""Prefix of the names of generated functions: `system` is a function of C."""

FLAGS = ("-O2", "-march=native", "-shared", "-fPIC")
"""Contraction to fused multiply-add as in the kernels, no other relaxation. -O3 takes longer and is no faster."""
PLAIN_FLAGS = tuple(flag for flag in FLAGS if flag != "-march=native")
LONGEST = 300.0
"""Time limit of the compiler [s]."""

Write = Callable[[str], tuple[str, float]]
"""Language ("c", "numba") -> source text and the seconds that it took to generate"""

_loaded: dict[Path, Any] = {}
"""Libraries and modules in use: addresses are valid as long as these live."""


@dataclass(frozen=True)
class Library:
    """Addresses of generated functions by name, and the time they took."""

    addresses: Mapping[str, int]
    made_by: str
    """Name of the C compiler, or numba with the reason"""
    generated: float
    """[s], 0 when found in the cache"""
    compiled: float
    """[s]"""

    @property
    def is_from_cache(self) -> bool:
        """Whether nothing had to be generated."""
        return self.generated == 0.0


def find_compiler() -> str | None:
    """C compiler of this machine: $CC, cc, gcc or clang; None when there is none."""
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        if name and (found := shutil.which(name)):
            return found
    return None


def library(key: str, names: tuple[str, ...], write: Write) -> Library:
    """The functions `names` of the model with this key."""
    compiler = find_compiler()
    if compiler is None:
        return _by_numba(key, names, write, "no C compiler was found")
    try:
        return _by_compiler(compiler, key, names, write)
    except (OSError, subprocess.SubprocessError, AttributeError):  # its libraries do not run here
        return _by_numba(key, names, write, f"the C compiler {Path(compiler).name} failed")


def _by_compiler(compiler: str, key: str, names: tuple[str, ...], write: Write) -> Library:
    version = subprocess.run([compiler, "--version"], capture_output=True, timeout=LONGEST, check=True).stdout
    path = _folder() / f"{_digest(key, compiler, version.decode(errors='replace'), *FLAGS)}.so"
    generated, compiled = 0.0, 0.0
    found = _loaded_library(path) if path.exists() else None
    if found is None:
        source, generated = write("c")
        began = time.perf_counter()
        _compile(compiler, source, path)
        compiled = time.perf_counter() - began
        found = _loaded[path] = ctypes.CDLL(str(path))
    functions = {name: getattr(found, PREFIX + name) for name in names}
    addresses = {name: ctypes.cast(function, ctypes.c_void_p).value or 0 for name, function in functions.items()}
    return Library(addresses, Path(compiler).name, generated, compiled)


def _loaded_library(path: Path) -> Any:
    """A library of the cache; None when it is damaged."""
    if path not in _loaded:
        try:
            _loaded[path] = ctypes.CDLL(str(path))
        except OSError:
            return None
    return _loaded[path]


def _compile(compiler: str, source: str, path: Path) -> None:
    """Make a library; it gets its name when complete, so that two runs can make it at the same time."""
    with temporary_folder(path.parent, "making-") as place:
        text, made = place / "model.c", place / "model.so"
        text.write_text(source, encoding="ascii")
        for flags in (FLAGS, PLAIN_FLAGS):
            command = [compiler, *flags, str(text), "-o", str(made), "-lm"]
            done = subprocess.run(command, capture_output=True, timeout=LONGEST, stdin=subprocess.DEVNULL)
            if done.returncode == 0:
                break
        done.check_returncode()
        os.replace(made, path)


def _by_numba(key: str, names: tuple[str, ...], write: Write, reason: str) -> Library:
    """The same functions as Python source, compiled by numba and kept in its cache."""
    folder = _folder()
    path, generated, compiled = folder / f"flexmb_turbo_{_digest(key, numba.__version__)}.py", 0.0, 0.0
    if not path.exists():
        source, generated = write("numba")
        with temporary_folder(folder, "making-") as place:
            text = place / path.name
            text.write_text(source, encoding="ascii")
            os.replace(text, path)
    if path not in _loaded:
        began = time.perf_counter()
        _loaded[path] = _programs(path, names)
        compiled = time.perf_counter() - began
    addresses = {name: entry.address for name, entry in _loaded[path].items()}
    return Library(addresses, f"numba ({reason})", generated, compiled)


def _programs(path: Path, names: tuple[str, ...]) -> dict[str, Program]:
    """Compile the functions of a generated module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ComputationError(f"'{path}' cannot be loaded. Remove it and try again.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    found = {name: program(getattr(module, PREFIX + name)) for name in names}
    for entry in found.values():
        entry.address  # noqa: B018 - asking for it compiles it
    return found


def _digest(*texts: str) -> str:
    machine = (sys.platform, llvmlite.binding.get_host_cpu_name(), sys.version)
    return hashlib.sha256("\0".join((*texts, *machine)).encode()).hexdigest()[:32]


_own_folder: list[tempfile.TemporaryDirectory[str]] = []


def _folder() -> Path:
    """First writable cache folder that only this user can write; else a folder of this process."""
    for place in _places():
        folder = Path(place) / "flexmb" / "turbo"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            state = folder.stat()
            if hasattr(os, "getuid") and (state.st_uid != os.getuid() or state.st_mode & 0o022):
                continue
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    if not _own_folder:
        _own_folder.append(tempfile.TemporaryDirectory(prefix="flexmb-turbo-"))
    return Path(_own_folder[0].name)


def _places() -> Iterator[str]:
    """Cache folders as for the kernels: FLEXMB_CACHE, NUMBA_CACHE_DIR, the user's cache."""
    for name in ("FLEXMB_CACHE", "NUMBA_CACHE_DIR"):
        if place := os.environ.get(name):
            yield place
    yield os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
