"""Generated functions f(I, F, W, arg) as machine code: by the C compiler of this machine, else by numba; kept on disk.

In: a key that identifies the code, and a function that writes its source on demand. Out: the addresses of the
functions. Libraries are kept in the user's cache folder (`code_cache.py`: never a folder that others can write, never
an incomplete file) under a hash of the key, the compiler, its version and flags, and the processor; without such a
folder, in one of this process.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.abc
import os
import shutil
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flexmb.errors import InputError
from flexmb.machine_code.code_cache import code_folder, discard, keep_code, private_folder, stored_code
from flexmb.machine_code.jit import Program, program
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
    folder, stem = _folder(), _digest(key, compiler, version.decode(errors="replace"), *FLAGS)
    generated, compiled = 0.0, 0.0
    found = _stored_library(folder, stem)
    if found is None:
        source, generated = write("c")
        began = time.perf_counter()
        path = keep_code(folder, stem, ".so", _compiled(compiler, source))
        compiled = time.perf_counter() - began
        found = _loaded[path] = ctypes.CDLL(str(path))
    functions = {name: getattr(found, PREFIX + name) for name in names}
    addresses = {name: ctypes.cast(function, ctypes.c_void_p).value or 0 for name, function in functions.items()}
    return Library(addresses, Path(compiler).name, generated, compiled)


def _stored_library(folder: Path, stem: str) -> Any:
    """A library of the cache; None when there is none."""
    stored = stored_code(folder, stem, ".so")
    if stored is None:
        return None
    path = stored[0]
    if path not in _loaded:
        try:
            _loaded[path] = ctypes.CDLL(str(path))
        except OSError:  # complete, but not for this system
            discard(path, "cannot be loaded")
            return None
    return _loaded[path]


def _compiled(compiler: str, source: str) -> bytes:
    """Content of the library of a C source."""
    with temporary_folder(_folder(), "making-") as place:
        text, made = place / "model.c", place / "model.so"
        text.write_text(source, encoding="ascii")
        for flags in (FLAGS, PLAIN_FLAGS):
            command = [compiler, *flags, str(text), "-o", str(made), "-lm"]
            done = subprocess.run(command, capture_output=True, timeout=LONGEST, stdin=subprocess.DEVNULL)
            if done.returncode == 0:
                break
        done.check_returncode()
        return made.read_bytes()


def _by_numba(key: str, names: tuple[str, ...], write: Write, reason: str) -> Library:
    """The same functions as Python source, compiled by numba and kept in its cache."""
    folder, stem, generated, compiled = _folder(), f"flexmb_turbo_{_digest(key, _numba_version())}", 0.0, 0.0
    stored = stored_code(folder, stem, ".py")
    if stored is None:
        source, generated = write("numba")
        content = source.encode("ascii")
        stored = keep_code(folder, stem, ".py", content), content
    path = stored[0]
    if path not in _loaded:
        began = time.perf_counter()
        _loaded[path] = _programs(_Verified(path, stored[1].decode("ascii")), names)
        compiled = time.perf_counter() - began
    addresses = {name: entry.address for name, entry in _loaded[path].items()}
    return Library(addresses, f"numba ({reason})", generated, compiled)


class _Verified(importlib.abc.ExecutionLoader):
    """Loader of a module from source that was verified: Python would also run the bytecode beside the file."""

    def __init__(self, path: Path, source: str):
        self.path, self.source = path, source

    def get_filename(self, fullname: str) -> str:
        """File of the source, for messages and for the key of the cache."""
        return str(self.path)

    def get_source(self, fullname: str) -> str:
        """The verified source."""
        return self.source


def _programs(loader: _Verified, names: tuple[str, ...]) -> dict[str, Program]:
    """Compile the functions of a generated module."""
    module_name = loader.path.stem.replace(".", "_")
    module = types.ModuleType(module_name)
    sys.modules[module_name] = module
    loader.exec_module(module)
    found = {name: program(getattr(module, PREFIX + name)) for name in names}
    for entry in found.values():
        entry.address  # noqa: B018 - asking for it compiles it
    return found


def _numba_version() -> str:
    import numba

    return numba.__version__


def _digest(*texts: str) -> str:
    import llvmlite.binding as llvm

    processor = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    machine = (sys.platform, *processor, sys.version)
    return hashlib.sha256("\0".join((*texts, *machine)).encode()).hexdigest()[:32]


_private: list[tempfile.TemporaryDirectory[str]] = []


def _folder() -> Path:
    """Cache folder of this user; else a folder of this process."""
    if (found := code_folder("turbo").path) is not None:
        return found
    if not _private:
        made = private_folder()
        if made is None:
            raise InputError("there is no folder of your own for its code; set FLEXMB_CACHE to one.")
        _private.append(made)
    return Path(_private[0].name)
