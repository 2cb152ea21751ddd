"""Compilation of kernels: the only place where flexmb calls numba.

`kernel` compiles a function that other kernels call by name. `program` compiles a function `f(I, F, W, arg)` to a C
address, and `call(address, I, F, W, arg)` runs the function at such an address: callers then need not be compiled
together with what they call, which keeps compile times linear in the amount of code.

The disk cache is in the user's cache folder under a name that is a hash of every source file that kernels are made
of, of the NUMBA_* variables and of the machine: numba itself does not notice an edit of a callee in another file. Its
files are numba's, which unpickles them: so the folder must be the user's own and the files complete, see
`code_cache.py`. Without such a folder the kernels are compiled in memory, with a `CacheWarning`. With
NUMBA_DISABLE_JIT=1 everything runs as plain Python.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
from llvmlite import ir
from numba import types
from numba.core.caching import _Cache
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps, loads
from numba.extending import intrinsic

from flexmb.code_cache import CacheWarning, code_files, code_folder, discard, keep_code, stored_code
from flexmb.cores import available_cores
from flexmb.output_files import temporary_folder
from flexmb.stop_signals import child_process

# Contraction to fused multiply-add is the one liberty taken: it rounds less and made kernels 10 to 20 % faster.
OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}}


KERNEL_SOURCES = (
    "jit.py", "vectors.py", "joints", "loads", "layout", "equations", "solvers", "model/expressions/program.py",
)  # fmt: skip


ARRAY_SOURCES = (
    "jit.py", "mesh/kernels.py", "elements/solid/kernels", "reduction/sparse/kernels", "view/picture/kernels.py",
    "natural/row_kernels.py", "natural/output_kernels.py",
)  # fmt: skip
"""Sources of array kernels, cached separately: an edit here does not recompile the equations, nor the reverse."""


def _cache_name(sources: Sequence[str]) -> str:
    """Hash of all that machine code depends on: sources (with path and date, as numba needs), versions, processor."""
    package = Path(__file__).parent
    processor = (llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten())
    machine = (numba.__version__, llvmlite.__version__, sys.version, *processor, str(package))
    digest = hashlib.sha256(" ".join(machine).encode())
    files = [path for name in sources for path in [package / name, *(package / name).rglob("*.py")]]
    for path in sorted(path for path in files if path.is_file()):
        digest.update(f"{path.relative_to(package)} {path.stat().st_mtime_ns}".encode())
        digest.update(path.read_bytes())
    for name in sorted(os.environ):
        if name.startswith("NUMBA_") and name not in ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"):
            digest.update(f"{name}={os.environ[name]}".encode())
    return digest.hexdigest()[:16]


_kernels = code_folder("kernels", _cache_name(KERNEL_SOURCES))
_array_kernels = code_folder("kernels", _cache_name(ARRAY_SOURCES))
CACHED = _kernels.path is not None
DISABLED = bool(numba.config.DISABLE_JIT)
_SUFFIX = ".code"


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
    reason = _kernels.reason or _array_kernels.reason
    warnings.warn(f"kernels are compiled in memory, at every start: {reason}.", CacheWarning, stacklevel=2)


def _kept(dispatcher: Any, folder: Path | None) -> Any:
    """A function that numba compiles and caches."""
    if hasattr(dispatcher, "_cache"):
        dispatcher._cache = KernelCache(dispatcher.py_func, folder)
    return dispatcher


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` on first use, for calls by name from other kernels.

    Only the programs are cached on disk; they contain the kernels they call. Kernels have no C entry of their own,
    which saves a tenth of the compile time.
    """
    return numba.njit(no_cfunc_wrapper=True, **OPTIONS)(function)


def array_kernel(function: Callable[..., Any] | None = None, *, parallel: bool = False) -> Any:
    """Compile `function` for calls from Python with arrays, on first use; cached on disk.

    For the preprocessor (meshes, elements, factorisation), where a call works on a whole mesh. `parallel` lets
    numba.prange use all cores.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        return _kept(numba.njit(parallel=parallel, nogil=True, **OPTIONS)(function), _array_kernels.path)

    return compiled if function is None else compiled(function)


def arrays_are_compiled(module: str) -> bool:
    """Whether array kernels of this module are in the cache, for this machine and these sources."""
    folder = _array_kernels.path
    return DISABLED or (folder is not None and any(folder.glob(f"{module}.*{_SUFFIX}")))


_ARGUMENTS = (types.CPointer(types.int64), types.CPointer(types.float64), types.CPointer(types.float64), types.int64)

_SIGNATURE = types.void(*_ARGUMENTS)

_plain_programs: dict[int, Callable[..., Any]] = {}


class Program:
    """A kernel `f(I, F, W, arg)` with a C address; compiled when the address is first read.

    Inside, I, F and W are bare pointers: they are indexed, never sliced, and have no length.
    """

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        self._compiled: Any = None
        self._cache = KernelCache(function, _kernels.path)

    @property
    def name(self) -> str:
        """Name of the function: "module:name"."""
        return f"{self.function.__module__}:{self.function.__name__}"

    @property
    def is_ready(self) -> bool:
        """Whether it is compiled, here or in the cache."""
        return DISABLED or self._compiled is not None or self._cache.has(_SIGNATURE)

    @property
    def address(self) -> int:
        if DISABLED:
            _plain_programs[id(self)] = self.function
            return id(self)
        if self._compiled is None:
            compiled = CFunc(self.function, (_ARGUMENTS, types.void), locals={}, options=dict(OPTIONS))
            compiled._cache = self._cache
            compiled.compile()
            self._compiled = compiled
        return int(self._compiled.address)

    def __call__(self, ints: Any, floats: Any, work: Any, arg: int = 0) -> None:
        call(self.address, ints, floats, work, arg)


def program(function: Callable[..., Any]) -> Program:
    """Make `function(I, F, W, arg)` callable by address."""
    return Program(function)


@intrinsic
def _call_address(typing_context, address, ints, floats, work, arg):  # type: ignore[no-untyped-def]
    """Call `void f(int64*, double*, double*, int64)` at `address`; arrays are passed by their data pointer."""
    signature = types.void(types.int64, ints, floats, work, types.int64)

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        integer, real = ir.IntType(64), ir.DoubleType()
        function = ir.FunctionType(ir.VoidType(), [integer.as_pointer(), real.as_pointer(), real.as_pointer(), integer])
        pointers = []
        for kind, value in zip(signature.args[1:4], values[1:4], strict=True):
            is_array = isinstance(kind, types.Array)
            pointers.append(context.make_array(kind)(context, builder, value).data if is_array else value)
        builder.call(builder.inttoptr(values[0], function.as_pointer()), [*pointers, values[4]])
        return context.get_dummy_value()

    return signature, generate


if DISABLED:

    def call(address: int, ints: Any, floats: Any, work: Any, arg: int) -> None:
        """Run the program at `address`."""
        _plain_programs[int(address)](ints, floats, work, arg)

else:

    def _call(address, ints, floats, work, arg):  # type: ignore[no-untyped-def]
        """Run the program at `address`."""
        _call_address(address, ints, floats, work, arg)

    call = _kept(numba.njit(**OPTIONS)(_call), _kernels.path)


def compile_ahead(programs: Sequence[Program]) -> None:
    """Compile what is not in the cache yet, together with a second process if there is a second core.

    Both take the next unclaimed program, one from the front and one from the back of the list; what the other process
    compiled is then read from the cache.
    """
    waiting = [entry for entry in programs if not entry.is_ready]
    if not waiting or not CACHED:
        return
    script = "import sys; from flexmb.jit import compile_named; compile_named(*sys.argv[1:])"
    names = [entry.name for entry in reversed(waiting)]
    with temporary_folder(prefix="flexmb-compile-") as claims, second_process(script, str(claims), *names) as helper:
        if helper is None:
            return  # compiled one after the other, when each is first used
        for entry in waiting:
            if _claim(claims, entry.name):
                entry.address  # noqa: B018 - reading it compiles it
        helper.wait()


@contextmanager
def second_process(script: str, *words: str) -> Iterator[subprocess.Popen[bytes] | None]:
    """A silent Python process that can import flexmb; None without a second core, or if it cannot be started."""
    if available_cores() < 2:
        yield None
        return
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    nowhere = subprocess.DEVNULL
    options = {"env": {**os.environ, "PYTHONPATH": path}, "stdin": nowhere, "stdout": nowhere, "stderr": nowhere}
    with ExitStack() as stack:
        process: subprocess.Popen[bytes] | None = None
        with suppress(OSError):
            process = stack.enter_context(child_process([sys.executable, "-P", "-c", script, *words], **options))
        yield process


def compile_named(claims: str, *names: str) -> None:
    """Compile the listed programs ("module:name") that are unclaimed: the other half of `compile_ahead`."""
    for name in names:
        module, _, function = name.partition(":")
        if _claim(claims, name):
            getattr(importlib.import_module(module), function).address  # noqa: B018


def _claim(claims: str | Path, name: str) -> bool:
    """Whether this process is the first to take on `name`."""
    try:
        os.close(os.open(os.path.join(claims, name.replace(":", ".")), os.O_CREAT | os.O_EXCL))
    except OSError:
        return False
    return True
