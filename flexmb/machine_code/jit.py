"""Kernels: the decorators that every compiled function has, and where its machine code comes from.

`kernel` is for a function that other kernels call by name. `program` makes a function `f(I, F, W, arg)` callable by a
C address, and `call(address, I, F, W, arg)` runs the function at such an address: callers then need not be compiled
together with what they call, which keeps compile times linear in the amount of code. `array_kernel` is for a function
that Python calls with arrays.

An installed package has a library of machine code (`library.py`): then programs and array kernels are looked up
there by name and signature, and numba is not imported. What it does not have, or everything where there is no library
that fits these sources, is compiled by numba on first use and kept on disk (`numba_compiler.py`). With
NUMBA_DISABLE_JIT=1 everything runs as plain Python.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from flexmb.cores import available_cores
from flexmb.machine_code.library import Library, installed_library
from flexmb.machine_code.signatures import Signature
from flexmb.machine_code.sources import numba_settings
from flexmb.output_files import temporary_folder
from flexmb.stop_signals import child_process

DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in ("", "0")


def _numba() -> ModuleType:
    """The module that compiles; importing it imports numba."""
    return importlib.import_module("flexmb.machine_code.numba_compiler")


@functools.cache
def library() -> Library | None:
    """Machine code of the installed package; None: numba compiles. A setting of numba is one that numba must follow."""
    return None if DISABLED or any(numba_settings()) else installed_library()


class Kernel:
    """A function that kernels call by name; numba compiles it together with its callers."""

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function)
        self.function = function

    @property
    def name(self) -> str:
        """Name of the function: "module:name"."""
        return f"{self.function.__module__}:{self.function.__name__}"

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The function as numba compiles it for every type of arguments."""
        return _numba().kernel_dispatcher(self.function)

    @property
    def _numba_type_(self) -> Any:
        """Type by which numba knows the name inside another kernel."""
        return self.dispatcher._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)


class ArrayKernel(Kernel):
    """A kernel that Python calls with arrays of declared types; it lets other threads of Python run."""

    def __init__(self, function: Callable[..., Any], signatures: tuple[Signature, ...]):
        super().__init__(function)
        self.signatures = signatures

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The function as numba compiles it for every type of arguments."""
        return _numba().array_dispatcher(self.function)

    @functools.cached_property
    def _entries(self) -> list[Callable[..., Any]]:
        """Entries in the library, one per signature."""
        found = library()
        return [] if found is None else found.entries(self.name, self.signatures)

    @functools.cached_property
    def _run(self) -> Callable[..., Any]:
        return self._from_library if self._entries else self.dispatcher

    def _from_library(self, *arguments: Any) -> Any:
        """Result of the first entry that the arguments fit; of numba's code if they fit none."""
        for entry in self._entries:
            result = entry(*arguments)
            if result is not NotImplemented:
                return result
        return self.dispatcher(*arguments)

    def __call__(self, *arguments: Any) -> Any:
        return self._run(*arguments)


class Intrinsic:
    """A function that writes instructions for numba: function(typing_context, *types) -> signature, generator."""

    def __init__(self, function: Callable[..., Any]):
        self.__doc__ = function.__doc__
        self.function = function

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """Type by which numba knows the name inside a kernel."""
        return _numba().intrinsic_type(self.function)


def kernel(function: Callable[..., Any]) -> Any:
    """Make `function` callable by name from other kernels.

    Only the programs and array kernels are kept; they contain the kernels they call.
    """
    return function if DISABLED else Kernel(function)


def array_kernel(*signatures: Signature) -> Callable[[Callable[..., Any]], Any]:
    """Make a function callable from Python with arrays, where a call works on a whole mesh or system.

    Arguments of other types than `signatures` declares are compiled for when they are first seen.
    """
    return lambda function: function if DISABLED else ArrayKernel(function, signatures)


def intrinsic(function: Callable[..., Any]) -> Any:
    """Make `function` a generator of instructions inside kernels."""
    return Intrinsic(function)


def arrays_are_compiled(module: str) -> bool:
    """Whether the array kernels of this module need no compilation here."""
    return DISABLED or library() is not None or _numba().is_array_kernel_cached(module)


def code_is_kept() -> bool:
    """Whether what is compiled is found again at the next start."""
    return DISABLED or _numba().kernel_folder().path is not None


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
        """Whether it is compiled: here, in the library or in the cache."""
        return DISABLED or bool(self._found) or self._compiled is not None or _numba().is_program_cached(self.function)

    @functools.cached_property
    def _found(self) -> int:
        """Address in the library; 0: it is not there."""
        found = library()
        return 0 if found is None else found.address(self.name)

    @property
    def address(self) -> int:
        if DISABLED:
            _plain_programs[id(self)] = self.function
            return id(self)
        if self._found:
            return self._found
        if self._compiled is None:
            self._compiled = _numba().compiled_program(self.function)
        return int(self._compiled.address)

    def __call__(self, ints: Any, floats: Any, work: Any, arg: int = 0) -> None:
        call(self.address, ints, floats, work, arg)


class PythonProgram:
    """A function of Python that programs call by its address: f(W, arg), with W the floats of the caller.

    It must not raise. Whoever calls it keeps it alive.
    """

    def __init__(self, function: Callable[[Any, int], None], size: int):
        """`size`: length of W."""
        self.function, self._arrays = function, dict[int, Any]()
        self._size = size
        if DISABLED:
            _plain_programs[id(self)] = lambda I, F, W, arg: function(W, arg)
            self.address = id(self)
            return
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
        self._entry = kind(self._call)
        self.address = int(ctypes.cast(self._entry, ctypes.c_void_p).value or 0)

    def _call(self, ints: int, floats: int, work: int, arg: int) -> None:
        if work not in self._arrays:
            self._arrays[work] = np.ctypeslib.as_array((ctypes.c_double * self._size).from_address(work))
        self.function(self._arrays[work], arg)


def program(function: Callable[..., Any]) -> Program:
    """Make `function(I, F, W, arg)` callable by address."""
    return Program(function)


@intrinsic
def _call_address(typing_context, address, ints, floats, work, arg):  # type: ignore[no-untyped-def]
    """Call `void f(int64*, double*, double*, int64)` at `address`; arrays are passed by their data pointer."""
    from llvmlite import ir
    from numba import types

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


class _Call(Kernel):
    """`call`, from kernels and from Python."""

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The function as numba compiles it for every type of arguments."""
        return _numba().call_dispatcher(self.function)

    @functools.cached_property
    def _run(self) -> Callable[..., None]:
        found = library()
        return self.dispatcher if found is None else found.call

    def __call__(self, address: Any, ints: Any, floats: Any, work: Any, arg: Any) -> None:
        self._run(address, ints, floats, work, arg)


if DISABLED:

    def call(address: int, ints: Any, floats: Any, work: Any, arg: int) -> None:
        """Run the program at `address`."""
        _plain_programs[int(address)](ints, floats, work, arg)

else:

    @_Call
    def call(address, ints, floats, work, arg):  # type: ignore[no-untyped-def]
        """Run the program at `address`."""
        _call_address(address, ints, floats, work, arg)


def compile_ahead(programs: Sequence[Program]) -> None:
    """Compile what is not in the cache yet, together with a second process if there is a second core.

    Both take the next unclaimed program, one from the front and one from the back of the list; what the other process
    compiled is then read from the cache.
    """
    waiting = [entry for entry in programs if not entry.is_ready]
    if not waiting or not code_is_kept():
        return
    script = "import sys; from flexmb.machine_code.jit import compile_named; compile_named(*sys.argv[1:])"
    names = [entry.name for entry in reversed(waiting)]
    with temporary_folder(prefix="flexmb-compile-") as claims, second_process(script, str(claims), *names) as helper:
        if helper is None:
            return  # compiled one after the other, when each is first used
        for entry in waiting:
            if claim(claims, entry.name):
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
        if claim(claims, name):
            getattr(importlib.import_module(module), function).address  # noqa: B018


def claim(claims: str | Path, name: str) -> bool:
    """Whether this process is the first to take on `name`."""
    try:
        os.close(os.open(os.path.join(claims, name.replace(":", ".")), os.O_CREAT | os.O_EXCL))
    except OSError:
        return False
    return True
