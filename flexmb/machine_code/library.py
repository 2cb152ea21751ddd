"""Machine code that came with the package: a library of all programs and array kernels, loaded without numba.

The library is in the folder `machine_code` of the package and nowhere else, one file for every level of processor, with
a hash of the sources in its name: a library of other sources is never opened. A linked library is opened by ctypes;
where the package was built without a C compiler, the object files are loaded by llvmlite. `build.py` makes both.

A kernel reports an error by the address of a description (type and message), which is raised here as an exception.
"""

from __future__ import annotations

import builtins
import ctypes
import json
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.machine_code.signatures import Array, Scalar, Signature, Type
from flexmb.machine_code.sources import LIBRARY_SOURCES, PACKAGE, source_hash

FOLDER = PACKAGE / "machine_code"
LINKED, PACKED = ".so", ".objects"
BASELINE, AVX2 = "baseline", "avx2"

(
    HEADER, ITEMS, ARRAY, REAL, NUMPY_REAL, NONE, NOT_IMPLEMENTED, FAULT,
    LET_OTHERS, GIVE_BACK, IS_INTEGER, AS_INTEGER, AN_ERROR, KEEP, RAISE, NEW_INTEGER, NEW_FLOAT, NEW_BOOL, N_LAYOUT,
) = range(19)  # fmt: skip
"""Layout: words of the header of an object and before the items of a tuple; types, objects and the exception that
compiled code knows; then addresses of functions of Python, in the order of `_PYTHON`."""
_PYTHON = (
    "PyEval_SaveThread", "PyEval_RestoreThread", "PyIndex_Check", "PyLong_AsLongLong", "PyErr_Occurred", "Py_IncRef",
    "PyErr_SetObject", "PyLong_FromLongLong", "PyFloat_FromDouble", "PyBool_FromLong",
)  # fmt: skip
INTEGER, NUMBER, TRUTH, COMPOSITE, NOTHING = range(5)
"""Kinds of results. Pattern of an argument: an integer; a real number; else the address of the dtype of an array,
followed by its number of dimensions and the flags that it must have."""
MOST_WORDS = 512
"""Words of the arguments and the result of an array kernel, at most."""
BY_ROWS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
"""Flags of NumPy's arrays."""

BOUNDARY = "flexmb.machine_code.boundary"
ERROR_CELL, LAYOUT, RELEASE = "flexmb.error", "flexmb.layout", "flexmb.release"


def levels() -> tuple[str, ...]:
    """Levels of processor that a library is made for on this kind of machine; none where there is no library."""
    if sys.platform not in ("linux", "darwin") or sys.byteorder != "little" or sys.maxsize < 2**32:
        return ()
    return (BASELINE, AVX2) if platform.machine() in ("x86_64", "AMD64") else (BASELINE,)


def level() -> str:
    """The highest level that this processor has, as NumPy found it."""
    if AVX2 not in levels():
        return BASELINE
    umath = getattr(getattr(np, "_core", None), "_multiarray_umath", None)
    found = getattr(umath, "__cpu_features__", {})
    return AVX2 if found.get("AVX2") and found.get("FMA3") else BASELINE


def library_stem(level: str) -> str:
    """Name of the library of these sources without its ending."""
    return f"kernels.{level}.{source_hash(LIBRARY_SOURCES)}"


def installed_library() -> Library | None:
    """The library of this package; None where there is none that fits these sources and this machine."""
    if not FOLDER.is_dir() or not levels():
        return None
    stem = FOLDER / library_stem(level())
    return open_library(stem.with_name(stem.name + LINKED)) or open_library(stem.with_name(stem.name + PACKED))


def open_library(path: Path) -> Library | None:
    """The library in a file; None if it is not there or does not run here."""
    if not path.is_file():
        return None
    try:
        found = Library(_linked(path) if path.suffix == LINKED else _packed(path))
    except (OSError, ImportError, RuntimeError, LookupError):
        return None
    return found if found.reads_arrays() else None


def _linked(path: Path) -> Callable[[str], int]:
    """Addresses in a linked library."""
    library = ctypes.CDLL(str(path))

    def address(symbol: str) -> int:
        try:
            return ctypes.cast(library[symbol], ctypes.c_void_p).value or 0
        except AttributeError:
            return 0

    return address


def _packed(path: Path) -> Callable[[str], int]:
    """Addresses in object files, which llvmlite loads."""
    import zipfile

    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    try:
        with zipfile.ZipFile(path) as pack:
            for name in pack.namelist():
                engine.add_object_file(llvm.ObjectFileRef.from_data(pack.read(name)))
    except zipfile.BadZipFile as error:
        raise OSError(str(error)) from error
    engine.finalize_object()
    return lambda symbol: int(engine.get_function_address(symbol))


def symbol_of(name: str, signature: Signature | None = None) -> str:
    """Symbol of a kernel "module:name"."""
    return name.replace(":", ".") + ("" if signature is None else f".{signature.symbol}")


class KernelFault(Exception):
    """Raised by compiled code with the address of the description of an error."""


class _Method(ctypes.Structure):
    """A function of Python in C: PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("text", ctypes.c_char_p),
    ]  # fmt: skip


_WITH_TUPLE = 1
"""METH_VARARGS: the function gets the tuple of arguments."""


class Library:
    """Loaded machine code. `find` gives the address of a symbol, 0 if there is none."""

    def __init__(self, find: Callable[[str], int]):
        self._find = find
        word, thing = ctypes.c_int64, ctypes.py_object
        self._unpack = ctypes.PYFUNCTYPE(word, thing, word, word)(self._needed(f"{BOUNDARY}.unpack"))
        self.release = ctypes.CFUNCTYPE(None, word)(self._needed(RELEASE))
        self._methods = {
            name: _Method(name.encode(), self._needed(f"{BOUNDARY}.{name}"), _WITH_TUPLE, None)
            for name in ("call_program", "call_array_kernel")
        }
        self._call = self.function("call_program", None)
        objects = (np.ndarray, float, np.float64, None, NotImplemented, KernelFault)
        things = {HEADER: object.__basicsize__ // 8, ITEMS: tuple.__basicsize__ // 8}
        things |= {place: id(thing) for place, thing in enumerate(objects, start=ARRAY)}
        for place, name in enumerate(_PYTHON, start=LET_OTHERS):
            things[place] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
        layout = (ctypes.c_int64 * N_LAYOUT).from_address(self._needed(LAYOUT))
        for place, value in things.items():
            layout[place] = value

    def _needed(self, symbol: str) -> int:
        if found := self._find(symbol):
            return found
        raise LookupError(symbol)

    def function(self, name: str, bound: Any) -> Callable[..., Any]:
        """A function of `boundary.py` as one of Python, bound to an object."""
        make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.POINTER(_Method), ctypes.py_object, ctypes.c_void_p)
        function: Callable[..., Any] = make(("PyCFunction_NewEx", ctypes.pythonapi))(self._methods[name], bound, None)
        return function

    def address(self, name: str) -> int:
        """Address of the program "module:name"; 0 if it is not here."""
        return self._find(symbol_of(name))

    def entries(self, name: str, signatures: Iterable[Signature]) -> list[Callable[..., Any]]:
        """An array kernel with each signature that is here; returns NotImplemented for arguments of other types."""
        places = ((signature, self._find(symbol_of(name, signature))) for signature in signatures if fits(signature))
        return [Entry(self, signature, place).run for signature, place in places if place]

    def call(self, address: Any, ints: Any, floats: Any, work: Any, arg: Any) -> None:
        """Run the program at `address`."""
        try:
            if self._call(address, ints, floats, work, arg) is None:
                return
        except KernelFault as fault:
            raise error_at(fault.args[0]) from None
        if not all(isinstance(thing, np.ndarray) for thing in (ints, floats, work)):
            raise TypeError("a program is called with three arrays")
        self.call(address, np.asarray(ints), np.asarray(floats), np.asarray(work), arg)

    def reads_arrays(self) -> bool:
        """Whether arrays and numbers are laid out as compiled code expects it: a known array is read."""
        array = np.arange(12.0).reshape(2, 6)[:, ::2]
        words = (ctypes.c_int64 * 8)()
        pattern = _words(_pattern((Scalar("f8"), Scalar("i8"), Array("f8", 2, False))))
        if not self._unpack((0.5, -3, array), ctypes.addressof(pattern), ctypes.addressof(words)):
            return False
        number = ctypes.c_double.from_buffer(words, 8).value
        return (number, *words[2:]) == (0.5, -3, array.ctypes.data, *array.shape, *array.strides)


def error_at(place: int) -> BaseException:
    """The exception that a kernel described: {address, length} of JSON with its type and message."""
    if place < 0:
        return RuntimeError(f"a kernel ended with status {place}")
    text = ctypes.string_at(
        ctypes.c_void_p.from_address(place).value or 0, ctypes.c_int32.from_address(place + 8).value
    )
    name, message = json.loads(text)
    kind = getattr(builtins, name, RuntimeError)
    return (
        kind(message) if isinstance(kind, type) and issubclass(kind, Exception) else RuntimeError(f"{name}: {message}")
    )


def n_words(kind: Type) -> int:
    """Words of a value: a number 1; an array its address, shape and strides; None 0; a tuple those of its parts."""
    if isinstance(kind, tuple):
        return sum(n_words(part) for part in kind)
    return 0 if kind is None else 1 if isinstance(kind, Scalar) else 1 + 2 * kind.dimensions


def n_result_words(kind: Type) -> int:
    """Words of a result: an array also has the address of its memory."""
    if isinstance(kind, tuple):
        return sum(n_result_words(part) for part in kind)
    return n_words(kind) + isinstance(kind, Array)


def fits(signature: Signature) -> bool:
    """Whether arguments and result have room in the block of words."""
    return 1 + n_words(signature.parameters) + n_result_words(signature.result) <= MOST_WORDS


def flat(kind: Type) -> Iterator[Scalar | Array]:
    """Parts of a type, tuples opened."""
    for part in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(part, tuple):
            yield from flat(part)
        elif part is not None:
            yield part


def _words(values: Sequence[int]) -> Any:
    """A block of words for compiled code."""
    return (ctypes.c_int64 * len(values))(*values)


def _pattern(kinds: Sequence[Scalar | Array]) -> list[int]:
    """Number and kinds of the arguments, for `unpack` of `boundary.py`."""
    parts = [len(kinds)]
    for kind in kinds:
        if isinstance(kind, Scalar):
            parts.append(NUMBER if kind.entries == "f8" else INTEGER)
        else:
            parts += [id(np.dtype(kind.entries)), kind.dimensions, ALIGNED | WRITEABLE | kind.is_by_rows * BY_ROWS]
    return parts


class Entry:
    """An array kernel with one signature. `run` gives its result, NotImplemented if arguments have other types."""

    def __init__(self, library: Library, signature: Signature, address: int):
        self.library, self.signature = library, signature
        self._address, self._pattern = address, _pattern(list(flat(signature.parameters)))
        kind = signature.result
        is_plain = not any(isinstance(part, tuple) for part in signature.parameters)
        self.run = self._plain(kind) if is_plain and (kind is None or isinstance(kind, Scalar)) else self._any

    def _function(self, kind: int, words: Any = None) -> Callable[..., Any]:
        """The kernel as a function of Python; a composite result goes to `words`."""
        place = 0 if words is None else ctypes.addressof(words)
        entry = np.array([self._address, n_result_words(self.signature.result), kind, place, *self._pattern])
        return self.library.function("call_array_kernel", entry)

    def _plain(self, kind: Scalar | None) -> Callable[..., Any]:
        """The way in for arguments without tuples and a number or nothing: kernels of a step are called this way."""
        result = NOTHING if kind is None else {"f8": NUMBER, "b1": TRUTH}.get(kind.entries, INTEGER)
        function, again = self._function(result), self._any

        def run(*arguments: Any) -> Any:
            try:
                result = function(*arguments)
            except KernelFault as fault:
                raise error_at(fault.args[0]) from None
            return again(*arguments) if result is NotImplemented else result

        return run

    def _any(self, *arguments: Any) -> Any:
        """The result of a call with arguments of any kind; arrays of other classes are tried as NumPy's own."""
        if len(arguments) != len(self.signature.parameters):
            return NotImplemented
        words = (ctypes.c_int64 * n_result_words(self.signature.result))()
        opened = [_own(argument) for argument in _opened(self.signature.parameters, arguments)]
        try:
            if self._function(COMPOSITE, words)(*opened) is NotImplemented:
                return NotImplemented
        except KernelFault as fault:
            raise error_at(fault.args[0]) from None
        return self._value(self.signature.result, words, 0)[0]

    def _value(self, kind: Type, words: Any, at: int) -> tuple[Any, int]:
        """Value of a part of the result that is in the words from `at` on, and where the next part is."""
        if isinstance(kind, tuple):
            values = []
            for part in kind:
                value, at = self._value(part, words, at)
                values.append(value)
            return tuple(values), at
        if isinstance(kind, Array):
            n = kind.dimensions
            shape, strides = tuple(words[at + 2 : at + 2 + n]), tuple(words[at + 2 + n : at + 2 + 2 * n])
            memory = _Memory(self.library, words[at], words[at + 1], kind.entries, shape, strides)
            return memory.array(), at + 2 + 2 * n
        if kind is None:
            return None, at
        number = ctypes.c_double.from_buffer(words, 8 * at).value if kind.entries == "f8" else words[at]
        return (bool(number) if kind.entries == "b1" else number), at + 1


def _opened(kinds: Sequence[Type], arguments: Sequence[Any]) -> Iterator[Any]:
    """Arguments, tuples opened; a tuple of another length gives another number of arguments."""
    for kind, argument in zip(kinds, arguments, strict=True):
        if isinstance(kind, tuple) and isinstance(argument, tuple) and len(argument) == len(kind):
            yield from _opened(kind, argument)
        elif isinstance(kind, tuple):
            yield from [argument] * len(list(flat(kind)))  # fits no pattern of an array
        else:
            yield argument


def _own(argument: Any) -> Any:
    """An array of a subclass, or with a dtype that equals one of NumPy's own and is another object, as NumPy's own."""
    if isinstance(argument, np.bool):
        return bool(argument)
    if not isinstance(argument, np.ndarray):
        return argument
    own = np.dtype(argument.dtype.str)
    return np.asarray(argument) if own is argument.dtype else np.asarray(argument).view(own)


class _Memory:
    """Memory of an array that a kernel made; NumPy's array is a view of it and keeps it alive."""

    def __init__(
        self, library: Library, owner: int, data: int, entries: str, shape: tuple[int, ...], strides: tuple[int, ...]
    ):
        self._library, self._owner = library, owner
        kind = np.dtype(entries).str
        self.__array_interface__ = {"version": 3, "typestr": kind, "shape": shape, "strides": strides}
        self.__array_interface__["data"] = (data, False)

    def array(self) -> np.ndarray[Any, Any]:
        """The array; a copy if the memory is not of its own."""
        made = np.asarray(self)
        return made if self._owner else made.copy()

    def __del__(self) -> None:
        if self._owner:
            self._library.release(self._owner)
