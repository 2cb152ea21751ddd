"""Rows of eight numbers as vectors of the processor, for the instructions that intrinsics write.

Eight on every processor, whatever the width of its registers, so that sums have the same order everywhere. Functions
take a builder of instructions and pointers to float64; an index counts numbers.
"""

from __future__ import annotations

from typing import Any

LANES = 8
FUSED = ("contract",)


def row_type() -> Any:
    """Type of a row."""
    from llvmlite import ir

    return ir.VectorType(ir.DoubleType(), LANES)


def pointer_to(builder: Any, address: Any) -> Any:
    """Pointer to the numbers at an address."""
    from llvmlite import ir

    return builder.inttoptr(address, ir.DoubleType().as_pointer())


def _row_at(builder: Any, pointer: Any, index: Any) -> Any:
    return builder.bitcast(builder.gep(pointer, [index]), row_type().as_pointer())


def load_row(builder: Any, pointer: Any, index: Any) -> Any:
    """The eight numbers from `index` on."""
    return builder.load(_row_at(builder, pointer, index), align=8)


def store_row(builder: Any, row: Any, pointer: Any, index: Any) -> None:
    """Write a row to the eight places from `index` on."""
    builder.store(row, _row_at(builder, pointer, index), align=8)


def spread(builder: Any, pointer: Any, index: Any) -> Any:
    """A row with the number at `index` in every place."""
    from llvmlite import ir

    number, place = builder.load(builder.gep(pointer, [index]), align=8), ir.IntType(32)
    undefined = ir.Constant(row_type(), ir.Undefined)
    zeros = ir.Constant(ir.VectorType(place, LANES), [0] * LANES)
    return builder.shuffle_vector(builder.insert_element(undefined, number, place(0)), undefined, zeros)


def plus_product(builder: Any, total: Any, a: Any, b: Any) -> Any:
    """total + a b, rounded once where the processor can."""
    return builder.fadd(total, builder.fmul(a, b, flags=FUSED), flags=FUSED)


def minus_product(builder: Any, total: Any, a: Any, b: Any) -> Any:
    """total - a b, rounded once where the processor can."""
    return builder.fsub(total, builder.fmul(a, b, flags=FUSED), flags=FUSED)


def sum_of(builder: Any, row: Any) -> Any:
    """Sum of the eight numbers of a row: of its halves, then of the halves of that."""
    from llvmlite import ir

    size, place = LANES, ir.IntType(32)
    while size > 1:
        size //= 2
        low, high = (ir.Constant(ir.VectorType(place, size), list(range(k, k + size))) for k in (0, size))
        row = builder.fadd(builder.shuffle_vector(row, row, low), builder.shuffle_vector(row, row, high))
    return builder.extract_element(row, place(0))
