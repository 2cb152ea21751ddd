"""Arguments from Python into compiled code: kernels that read NumPy arrays and numbers where CPython keeps them.

The layout is an array of the library that `kernel_library.py` fills: where things are inside objects, and what they
are. A library is used only if these kernels read a known array rightly: another layout of objects means numba, not a
fault.
"""

from __future__ import annotations

from flexmb.jit import call, intrinsic, kernel
from flexmb.kernel_library import ARRAY, GIVEN, HEADER, ITEMS, LAYOUT, N_LAYOUT, NUMBER, NUMPY_REAL, REAL
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
def run_program(arrays, address, arg):
    """Run the program at `address` with a tuple of three arrays; 1: one of them is none."""
    where = layout()
    head, kind = where[HEADER], where[ARRAY]
    items = int_pointer(arrays + 8 * where[ITEMS])
    I, F, W = int_pointer(items[0]), int_pointer(items[1]), int_pointer(items[2])
    if I[head - 1] != kind or F[head - 1] != kind or W[head - 1] != kind:
        return 1
    call(address, int_pointer(I[head]), float_pointer(F[head]), float_pointer(W[head]), arg)
    return 0


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


@kernel
def unpack(arguments, pattern, words):
    """Write numbers, and address, shape and strides of arrays to `words`; 1: an argument does not fit the pattern."""
    where, parts, out = layout(), int_pointer(pattern), int_pointer(words)
    head = where[HEADER]
    items = int_pointer(arguments + 8 * where[ITEMS])
    place, at = 1, 1
    for k in range(parts[0]):
        kind = parts[place]
        place += 1
        if kind == GIVEN:
            at += 1
            continue
        thing = int_pointer(items[k])
        if kind == NUMBER:
            if thing[head - 1] != where[REAL] and thing[head - 1] != where[NUMPY_REAL]:
                return 1
            out[at] = thing[head]
            at += 1
            continue
        if thing[head - 1] != where[ARRAY] or thing[head + _DTYPE] != kind:
            return 1
        n, flags = parts[place], parts[place + 1]
        place += 2
        if thing[head + _DIMENSIONS] & _INT != n or thing[head + _FLAGS] & flags != flags:
            return 1
        shape, strides = int_pointer(thing[head + _SHAPE]), int_pointer(thing[head + _STRIDES])
        out[at] = thing[head + _DATA]
        for d in range(n):
            out[at + 1 + d] = shape[d]
            out[at + 1 + n + d] = strides[d]
        at += 1 + 2 * n
    return 0
