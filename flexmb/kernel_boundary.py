"""Arguments from Python into compiled code: kernels that read arrays and numbers where CPython and NumPy keep them.

The layout is an array of the library that `kernel_library.py` fills: where things are inside objects, what they are,
and addresses of functions of Python. A library is used only if these kernels read a known array rightly: another
layout of objects means numba, not a fault.
"""

from __future__ import annotations

from flexmb.jit import call, intrinsic, kernel
from flexmb.kernel_library import (
    AN_ERROR,
    ARRAY,
    AS_INTEGER,
    ERROR_CELL,
    GIVE_BACK,
    HEADER,
    INTEGER,
    IS_INTEGER,
    ITEMS,
    LAYOUT,
    LET_OTHERS,
    MOST_WORDS,
    N_LAYOUT,
    NUMBER,
    NUMPY_REAL,
    OTHER_TYPES,
    REAL,
)
from flexmb.pointers import float_pointer, int_pointer

_DATA, _DIMENSIONS, _SHAPE, _STRIDES, _DTYPE, _FLAGS = 0, 1, 2, 3, 5, 6
"""Words of an array after the header."""
_INT = 0xFFFFFFFF


@intrinsic
def layout(typing_context):
    """The layout of the library that this code is in."""
    from llvmlite import ir
    from numba import types

    def generate(context, builder, signature, values):
        words = ir.GlobalVariable(builder.module, ir.ArrayType(ir.IntType(64), N_LAYOUT), LAYOUT)
        return builder.bitcast(words, ir.IntType(64).as_pointer())

    return types.CPointer(types.int64)(), generate


@kernel
def row_strides(n, shape, strides, new_n, new_shape, new_strides, size, by_columns):
    """Strides of an array stored by rows under another shape, for numba's `reshape`; 0: it is not stored by rows."""
    old_shape, old = int_pointer(shape), int_pointer(strides)
    step = size
    for k in range(n - 1, -1, -1):
        if old_shape[k] != 1 and old[k] != step:
            return 0
        step *= old_shape[k]
    made_shape, made = int_pointer(new_shape), int_pointer(new_strides)
    step = size
    for k in range(new_n - 1, -1, -1):
        made[k] = step
        step *= made_shape[k]
    return 1 - (by_columns & 1)


@intrinsic
def error_cell(typing_context):
    """The word of the library for the description of an error of a program."""
    from llvmlite import ir
    from numba import types

    def generate(context, builder, signature, values):
        return ir.GlobalVariable(builder.module, ir.IntType(64), ERROR_CELL)

    return types.CPointer(types.int64)(), generate


@kernel
def run_program(arrays, address, arg):
    """Run the program at `address` with a tuple of three arrays; returns as `enter` does."""
    where, error = layout(), error_cell()
    head, kind = where[HEADER], where[ARRAY]
    items = int_pointer(arrays + 8 * where[ITEMS])
    I, F, W = int_pointer(items[0]), int_pointer(items[1]), int_pointer(items[2])
    if I[head - 1] != kind or F[head - 1] != kind or W[head - 1] != kind:
        return OTHER_TYPES
    call(address, int_pointer(I[head]), float_pointer(F[head]), float_pointer(W[head]), arg)
    found = error[0]
    error[0] = 0
    return found


@intrinsic
def stack_words(typing_context):
    """Address of words that live as long as the caller runs."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils

    def generate(context, builder, signature, values):
        words = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(64), MOST_WORDS))
        return builder.ptrtoint(words, ir.IntType(64))

    return types.int64(), generate


@intrinsic
def invoke(typing_context, address, argument):
    """Call the C function at `address` with a word (one without arguments does not look at it); returns a word."""
    from llvmlite import ir
    from numba import types

    def generate(context, builder, signature, values):
        word = ir.IntType(64)
        function = builder.inttoptr(values[0], ir.FunctionType(word, [word]).as_pointer())
        return builder.call(function, [values[1]])

    return types.int64(types.int64, types.int64), generate


@kernel
def enter(arguments, entry, result):
    """Call an array kernel with a tuple of arguments; other threads of Python run meanwhile.

    entry : address of its function, number of words of its result, number of arguments, pattern of each
    result : address of the words of the result
    Returns 0, the description of an error, or OTHER_TYPES if the arguments do not fit.
    """
    where, parts, words = layout(), int_pointer(entry), stack_words()
    at = unpack(arguments, entry + 16, words)
    if at == 0:
        return OTHER_TYPES
    state = invoke(where[LET_OTHERS], 0)
    status = invoke(parts[0], words) & _INT
    invoke(where[GIVE_BACK], state)
    out, target = int_pointer(words), int_pointer(result)
    if status != 0:
        return out[0]
    for k in range(parts[1]):
        target[k] = out[at + k]
    return 0


@kernel
def unpack(arguments, pattern, words):
    """Write integers, numbers, and address, shape and strides of arrays to `words` from 1 on.

    Returns the index of the first word behind them, 0 if an argument does not fit the pattern.
    """
    where, parts, out = layout(), int_pointer(pattern), int_pointer(words)
    head = where[HEADER]
    if int_pointer(arguments)[head] != parts[0]:
        return 0
    items = int_pointer(arguments + 8 * where[ITEMS])
    place, at = 1, 1
    for k in range(parts[0]):
        kind, thing = parts[place], int_pointer(items[k])
        place += 1
        if kind == INTEGER:
            if invoke(where[IS_INTEGER], items[k]) & _INT == 0:
                return 0
            out[at] = invoke(where[AS_INTEGER], items[k])
            if out[at] == -1 and invoke(where[AN_ERROR], 0) != 0:
                return 0
            at += 1
        elif kind == NUMBER:
            if thing[head - 1] != where[REAL] and thing[head - 1] != where[NUMPY_REAL]:
                return 0
            out[at] = thing[head]
            at += 1
        else:
            n, flags = parts[place], parts[place + 1]
            place += 2
            if thing[head - 1] != where[ARRAY] or thing[head + _DTYPE] != kind:
                return 0
            if thing[head + _DIMENSIONS] & _INT != n or thing[head + _FLAGS] & flags != flags:
                return 0
            shape, strides = int_pointer(thing[head + _SHAPE]), int_pointer(thing[head + _STRIDES])
            out[at] = thing[head + _DATA]
            for d in range(n):
                out[at + 1 + d] = shape[d]
                out[at + 1 + n + d] = strides[d]
            at += 1 + 2 * n
    return at
