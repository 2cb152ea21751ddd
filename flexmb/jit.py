"""Compilation of kernels: the only place where flexmb calls numba.

`kernel` compiles a function that other kernels call by name. `program` compiles a function `f(I, F, W, arg)` to a C
address, and `call(address, I, F, W, arg)` runs the function at such an address: callers then need not be compiled
together with what they call, which keeps compile times linear in the amount of code.

The disk cache lives in the user's cache folder under a name that is a hash of every source file that kernels are made
of, of the NUMBA_* variables and of the machine: numba itself does not notice an edit of a callee in another file. If no
folder can be written, the kernels are compiled in memory. With NUMBA_DISABLE_JIT=1 everything runs as
plain Python.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

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
    machine = (numba.__version__, sys.version, llvmlite.binding.get_host_cpu_name(), str(package))
    digest = hashlib.sha256(" ".join(machine).encode())
    files = [path for name in sources for path in [package / name, *(package / name).rglob("*.py")]]
    for path in sorted(path for path in files if path.is_file()):
        digest.update(f"{path.relative_to(package)} {path.stat().st_mtime_ns}".encode())
        digest.update(path.read_bytes())
    for name in sorted(os.environ):
        if name.startswith("NUMBA_") and name not in ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"):
            digest.update(f"{name}={os.environ[name]}".encode())
    return digest.hexdigest()[:16]


def _cache_folder(sources: Sequence[str]) -> str | None:
    """The first folder that can be written: FLEXMB_CACHE, NUMBA_CACHE_DIR, the user's cache, the temporary folder."""
    user_cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    places = (os.environ.get("FLEXMB_CACHE"), os.environ.get("NUMBA_CACHE_DIR"), user_cache, tempfile.gettempdir())
    name = _cache_name(sources)
    for place in places:
        if not place:
            continue
        folder = Path(place) / "flexmb" / "kernels" / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return str(folder)
        except OSError:
            continue
    return None


_folder = _cache_folder(KERNEL_SOURCES)
_array_folder = _cache_folder(ARRAY_SOURCES)
CACHED = _folder is not None
DISABLED = bool(numba.config.DISABLE_JIT)


@contextmanager
def _own_folder(folder: str | None = _folder) -> Iterator[None]:
    """Let numba cache in flexmb's folder, and restore its setting afterwards."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = folder or before
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def _kept(dispatcher: Any) -> Any:
    """A function that numba compiles and caches; on a full disk it is not cached."""
    cache = getattr(dispatcher, "_cache", None)
    if cache is not None:
        save = cache.save_overload

        def save_if_possible(signature: Any, data: Any) -> None:
            with suppress(OSError):
                save(signature, data)

        cache.save_overload = save_if_possible
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
        with _own_folder(_array_folder):
            cache = _array_folder is not None
            return _kept(numba.njit(cache=cache, parallel=parallel, nogil=True, **OPTIONS)(function))

    return compiled if function is None else compiled(function)


def arrays_are_compiled(module: str) -> bool:
    """Whether array kernels of this module are in the cache, for this machine and these sources."""
    return DISABLED or (_array_folder is not None and any(Path(_array_folder).rglob(f"{module}.*.nbi")))


_ARGUMENTS = (types.CPointer(types.int64), types.CPointer(types.float64), types.CPointer(types.float64), types.int64)

_plain_programs: dict[int, Callable[..., Any]] = {}


class Program:
    """A kernel `f(I, F, W, arg)` with a C address; compiled when the address is first read.

    Inside, I, F and W are bare pointers: they are indexed, never sliced, and have no length.
    """

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        self._compiled: Any = None

    @property
    def name(self) -> str:
        """Name of the function: "module:name"."""
        return f"{self.function.__module__}:{self.function.__name__}"

    @property
    def is_ready(self) -> bool:
        """Whether it is compiled, here or in the cache."""
        return DISABLED or self._compiled is not None or (_folder is not None and self._mark.exists())

    @property
    def _mark(self) -> Path:
        return Path(_folder or "") / (self.name.replace(":", ".") + ".ready")

    @property
    def address(self) -> int:
        if DISABLED:
            _plain_programs[id(self)] = self.function
            return id(self)
        if self._compiled is None:
            signature = types.void(*_ARGUMENTS)
            try:
                with _own_folder():
                    self._compiled = numba.cfunc(signature, cache=CACHED, **OPTIONS)(self.function)
                if CACHED and not self._mark.exists():
                    self._mark.touch()
            except OSError:  # a full disk behind the cache
                self._compiled = numba.cfunc(signature, **OPTIONS)(self.function)
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

    with _own_folder():
        call = _kept(numba.njit(cache=CACHED, **OPTIONS)(_call))


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
