"""Arguments from Python into compiled code: kernels that read arrays and numbers where CPython and NumPy keep them.

The layout is an array of the library that `library.py` fills: where things are inside objects, what they are,
and addresses of functions of Python. A library is used only if these kernels read a known array rightly: another
layout of objects means numba, not a fault.
"""

from __future__ import annotations

from flexmb.machine_code.jit import call, intrinsic, kernel
from flexmb.machine_code.library import (
    AN_ERROR,
    ARRAY,
    AS_INTEGER,
    COMPOSITE,
    ERROR_CELL,
    FAULT,
    GIVE_BACK,
    HEADER,
    INTEGER,
    IS_INTEGER,
    ITEMS,
    KEEP,
    LAYOUT,
    LET_OTHERS,
    MOST_WORDS,
    N_LAYOUT,
    NEW_BOOL,
    NEW_FLOAT,
    NEW_INTEGER,
    NONE,
    NOT_IMPLEMENTED,
    NUMBER,
    NUMPY_REAL,
    RAISE,
    REAL,
    TRUTH,
)  # fmt: skip
from flexmb.machine_code.pointers import float_pointer, int_pointer

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


@intrinsic
def invoke_with_two(typing_context, address, first, second):
    """Call the C function at `address` with two words."""
    from llvmlite import ir
    from numba import types

    def generate(context, builder, signature, values):
        word = ir.IntType(64)
        function = builder.inttoptr(values[0], ir.FunctionType(word, [word, word]).as_pointer())
        return builder.call(function, values[1:])

    return types.int64(types.int64, types.int64, types.int64), generate


@intrinsic
def invoke_with_number(typing_context, address, number):
    """Call the C function at `address` with a real number; returns a word."""
    from llvmlite import ir
    from numba import types

    def generate(context, builder, signature, values):
        function = ir.FunctionType(ir.IntType(64), [ir.DoubleType()])
        return builder.call(builder.inttoptr(values[0], function.as_pointer()), [values[1]])

    return types.int64(types.int64, types.float64), generate


@kernel
def kept(thing):
    """An object that is returned to Python: one more reference."""
    invoke(layout()[KEEP], thing)
    return thing


@kernel
def raised(description):
    """Raise an error with the address of its description; returns what Python expects then."""
    where = layout()
    number = invoke(where[NEW_INTEGER], description)
    invoke_with_two(where[RAISE], where[FAULT], number)
    return 0


@kernel
def call_program(module, arguments):
    """Function of Python (address, ints, floats, work, arg): run the program at `address`.

    Returns None, or NotImplemented if the arguments are not two integers and three arrays.
    """
    where, error = layout(), error_cell()
    head, kind = where[HEADER], where[ARRAY]
    items = int_pointer(arguments + 8 * where[ITEMS])
    if int_pointer(arguments)[head] != 5:
        return kept(where[NOT_IMPLEMENTED])
    I, F, W = int_pointer(items[1]), int_pointer(items[2]), int_pointer(items[3])
    if I[head - 1] != kind or F[head - 1] != kind or W[head - 1] != kind:
        return kept(where[NOT_IMPLEMENTED])
    address, arg = invoke(where[AS_INTEGER], items[0]), invoke(where[AS_INTEGER], items[4])
    if (address == -1 or arg == -1) and invoke(where[AN_ERROR], 0) != 0:
        return 0
    call(address, int_pointer(I[head]), float_pointer(F[head]), float_pointer(W[head]), arg)
    if error[0] == 0:
        return kept(where[NONE])
    description = error[0]
    error[0] = 0
    return raised(description)


@kernel
def call_array_kernel(entry, arguments):
    """Function of Python: call the array kernel that the array `entry` describes; other threads run meanwhile.

    entry : address of its function, number of words of its result, kind of its result, address of the words where a
    composite result goes, number of arguments, pattern of each
    Returns the result, or NotImplemented if the arguments do not fit.
    """
    where, words = layout(), stack_words()
    parts = int_pointer(int_pointer(entry)[where[HEADER]])
    at = unpack(arguments, int_pointer(entry)[where[HEADER]] + 32, words)
    if at == 0:
        return 0 if invoke(where[AN_ERROR], 0) != 0 else kept(where[NOT_IMPLEMENTED])
    state = invoke(where[LET_OTHERS], 0)
    status = invoke(parts[0], words) & _INT
    invoke(where[GIVE_BACK], state)
    out = int_pointer(words)
    if status != 0:
        return raised(out[0])
    if parts[2] == NUMBER:
        return invoke_with_number(where[NEW_FLOAT], float_pointer(words)[at])
    if parts[2] == INTEGER:
        return invoke(where[NEW_INTEGER], out[at])
    if parts[2] == TRUTH:
        return invoke(where[NEW_BOOL], out[at])
    if parts[2] == COMPOSITE:
        target = int_pointer(parts[3])
        for k in range(parts[1]):
            target[k] = out[at + k]
    return kept(where[NONE])


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
