"""Entries of compiled kernels for callers outside numba, and the few functions that numba's code calls.

A kernel of numba returns a status and, on an error, the address of a description. The entry of a program
`void f(int64*, double*, double*, int64)` writes that address to the error cell of the library; the entry of an array
kernel `int32 f(int64 *words)` reads its arguments from words, writes its result behind them, the description to word 0
and returns the status. `library.py` is the other side.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np import numpy_support
from numba.np.arrayobj import make_array, populate_array

from flexmb.machine_code.library import ERROR_CELL, LAYOUT, N_LAYOUT, RELEASE
from flexmb.machine_code.signatures import Array, Scalar, Type

WORD, BYTE = ir.IntType(64), ir.IntType(8)
POINTER = BYTE.as_pointer()
_MEMORY = 6
"""Words before the data of an array that a kernel makes: count of references first, address of the data fourth."""


def described(thing: Any) -> bytes:
    """An exception as numba describes it, (type, arguments, place), as text; in place of numba's pickled form."""
    kind, arguments, _ = thing
    return json.dumps([kind.__name__, " ".join(map(str, arguments or ()))]).encode()


def numba_type(kind: Type) -> Any:
    """A declared type as numba has it."""
    if isinstance(kind, tuple):
        return types.BaseTuple.from_types([numba_type(part) for part in kind])
    if kind is None:
        return types.none
    entries = numpy_support.from_dtype(np.dtype(kind.entries))
    return (
        types.Array(entries, kind.dimensions, "C" if kind.is_by_rows else "A") if isinstance(kind, Array) else entries
    )


def add_program_entry(context: Any, compiled: Any, symbol: str) -> None:
    """Add the entry of a program to the code of `compiled`."""
    module, kernel = _begun(context, compiled)
    arguments = [context.get_value_type(kind) for kind in compiled.fndesc.argtypes]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), arguments), symbol)
    builder = ir.IRBuilder(function.append_basic_block())
    status, _ = _call(context, builder, compiled, kernel, function.args)
    with builder.if_then(status.is_error, likely=False):
        cell = ir.GlobalVariable(module, WORD, ERROR_CELL)
        builder.store(_description(builder, status), cell)
    builder.ret_void()
    compiled.library.add_ir_module(module)


def add_word_entry(context: Any, compiled: Any, symbol: str) -> None:
    """Add the entry `int64 f(int64, ...)` of a kernel on integers that reports no errors."""
    module, kernel = _begun(context, compiled)
    arguments = [WORD] * len(compiled.fndesc.argtypes)
    function = ir.Function(module, ir.FunctionType(WORD, arguments), symbol)
    builder = ir.IRBuilder(function.append_basic_block())
    _, result = _call(context, builder, compiled, kernel, function.args)
    builder.ret(result)
    compiled.library.add_ir_module(module)


def add_array_entry(context: Any, compiled: Any, symbol: str, result: Type, parameters: Sequence[Type]) -> None:
    """Add the entry of an array kernel to the code of `compiled`."""
    module, kernel = _begun(context, compiled)
    function = ir.Function(module, ir.FunctionType(ir.IntType(32), [WORD.as_pointer()]), symbol)
    builder = ir.IRBuilder(function.append_basic_block())
    words = _Words(builder, function.args[0])
    words.at = 1
    arguments = [_read(context, builder, words, kind) for kind in parameters]
    status, value = _call(context, builder, compiled, kernel, arguments)
    with builder.if_then(status.is_error, likely=False):
        builder.store(_description(builder, status), words.pointer(0))
        builder.ret(status.code)
    _write(context, builder, words, result, value)
    builder.ret(ir.Constant(ir.IntType(32), 0))
    compiled.library.add_ir_module(module)


def _begun(context: Any, compiled: Any) -> tuple[Any, Any]:
    """A module for an entry, and the kernel declared in it."""
    module = context.create_module("entry")
    kind = context.call_conv.get_function_type(compiled.fndesc.restype, compiled.fndesc.argtypes)
    return module, ir.Function(module, kind, compiled.fndesc.llvm_func_name)


def _call(context: Any, builder: Any, compiled: Any, kernel: Any, arguments: Sequence[Any]) -> tuple[Any, Any]:
    described = compiled.fndesc
    return context.call_conv.call_function(  # type: ignore[no-any-return]
        builder, kernel, described.restype, described.argtypes, arguments, attrs=("noinline",)
    )


def _description(builder: Any, status: Any) -> Any:
    """Address of the description of an error; a negative number for a status without one."""
    place = builder.ptrtoint(status.excinfoptr, WORD)
    return builder.select(status.is_user_exc, place, builder.sext(status.code, WORD))


class _Words:
    """Words of a block, one after the other."""

    def __init__(self, builder: Any, start: Any):
        self.builder, self.start, self.at = builder, start, 0

    def pointer(self, at: int) -> Any:
        return self.builder.gep(self.start, [ir.Constant(WORD, at)])

    def load(self) -> Any:
        self.at += 1
        return self.builder.load(self.pointer(self.at - 1))

    def store(self, value: Any) -> None:
        self.at += 1
        self.builder.store(value, self.pointer(self.at - 1))


def _read(context: Any, builder: Any, words: _Words, kind: Type) -> Any:
    """An argument as numba's code takes it."""
    if isinstance(kind, tuple):
        parts = [_read(context, builder, words, part) for part in kind]
        return context.make_tuple(builder, numba_type(kind), parts)
    if isinstance(kind, Array):
        array_type = numba_type(kind)
        array = make_array(array_type)(context, builder)
        data = builder.inttoptr(words.load(), array.data.type)
        shape = [words.load() for _ in range(kind.dimensions)]
        strides = [words.load() for _ in range(kind.dimensions)]
        size = context.get_constant(types.intp, np.dtype(kind.entries).itemsize)
        populate_array(array, data, shape, strides, size, meminfo=None)
        return array._getvalue()
    assert isinstance(kind, Scalar)
    if kind.entries == "f8":
        return builder.bitcast(words.load(), ir.DoubleType())
    value_type = context.get_value_type(numba_type(kind))
    return words.load() if value_type == WORD else builder.trunc(words.load(), value_type)


def _write(context: Any, builder: Any, words: _Words, kind: Type, value: Any) -> None:
    """Write a result to the words."""
    if isinstance(kind, tuple):
        for place, part in enumerate(kind):
            _write(context, builder, words, part, builder.extract_value(value, place))
    elif isinstance(kind, Array):
        array = make_array(numba_type(kind))(context, builder, value)
        for pointer in (array.meminfo, array.data):
            words.store(builder.ptrtoint(pointer, WORD))
        for row in (array.shape, array.strides):
            for number in cgutils.unpack_tuple(builder, row, kind.dimensions):
                words.store(number)
    elif kind is not None and kind.entries == "f8":
        words.store(builder.bitcast(value, WORD))
    elif kind is not None:
        wide = builder.zext if kind.entries[0] in "bu" else builder.sext
        words.store(value if value.type == WORD else wide(value, WORD))


def runtime_functions() -> ir.Module:
    """Memory of arrays that kernels make, as numba's code asks for it, and the error cell."""
    module = ir.Module("runtime")
    cell = ir.GlobalVariable(module, WORD, ERROR_CELL)
    cell.initializer = ir.Constant(WORD, 0)
    layout = ir.GlobalVariable(module, ir.ArrayType(WORD, N_LAYOUT), LAYOUT)
    layout.initializer = ir.Constant(layout.value_type, [0] * N_LAYOUT)
    malloc = ir.Function(module, ir.FunctionType(POINTER, [WORD]), "malloc")
    free = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER]), "free")
    for name in ("NRT_MemInfo_alloc_aligned", "NRT_MemInfo_alloc_safe_aligned"):
        _allocation(module, malloc, name)
    for name, function in _ends(module):
        builder = ir.IRBuilder(function.append_basic_block())
        if name == RELEASE:
            count = builder.bitcast(function.args[0], WORD.as_pointer())
            before = builder.atomic_rmw("sub", count, ir.Constant(WORD, 1), "acq_rel")
            with builder.if_then(builder.icmp_unsigned("!=", before, ir.Constant(WORD, 1))):
                builder.ret_void()
        builder.call(free, [function.args[0]])
        builder.ret_void()
    return module


def _ends(module: ir.Module) -> Iterator[tuple[str, ir.Function]]:
    """Functions that end the life of an array: without references left, and one reference less."""
    for name in ("NRT_MemInfo_call_dtor", RELEASE):
        yield name, ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER]), name)


def _allocation(module: ir.Module, malloc: ir.Function, name: str) -> None:
    """Memory with one reference, its data aligned; null if there is none."""
    shape = ir.FunctionType(POINTER, [WORD, ir.IntType(32)])
    function = ir.Function(module, shape, name)
    builder = ir.IRBuilder(function.append_basic_block())
    size, alignment = function.args[0], builder.zext(function.args[1], WORD)
    head = ir.Constant(WORD, 8 * _MEMORY)
    with_head = builder.add(builder.add(size, head), alignment)
    memory = builder.call(malloc, [with_head])
    is_too_much = builder.icmp_unsigned("<", with_head, size)
    with builder.if_then(builder.or_(is_too_much, builder.icmp_unsigned("==", memory, POINTER(None)))):
        builder.ret(POINTER(None))
    place = builder.add(builder.ptrtoint(memory, WORD), head)
    last = builder.sub(alignment, ir.Constant(WORD, 1))
    data = builder.and_(builder.add(place, last), builder.not_(last))
    words = builder.bitcast(memory, WORD.as_pointer())
    for at, value in enumerate((ir.Constant(WORD, 1), *[ir.Constant(WORD, 0)] * 2, data, size, ir.Constant(WORD, 0))):
        builder.store(value, builder.gep(words, [ir.Constant(WORD, at)]))
    builder.ret(memory)
