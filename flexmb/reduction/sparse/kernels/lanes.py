"""Products of columns of the factor with eight right-hand sides at a time, as vectors of the processor.

A row of eight numbers (one of each right-hand side) is one vector. Dense matrix products of BLAS copy the factor before
they use it, which for few right-hand sides takes longer than the product; here it is read once from memory.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
_REAL = ir.DoubleType()
_ROW = ir.VectorType(_REAL, LANES)
_EXACT = ("contract",)


def _pointer(builder, address, kind):
    return builder.inttoptr(address, kind.as_pointer())


def _load(builder, address, index):
    """Row `index` at `address`"""
    return builder.load(builder.gep(_pointer(builder, address, _ROW), [index]), align=8)


def _store(builder, row, address, index):
    builder.store(row, builder.gep(_pointer(builder, address, _ROW), [index]), align=8)


def _spread(builder, address, index):
    """The number `index` at `address` in all lanes"""
    number = builder.load(builder.gep(_pointer(builder, address, _REAL), [index]), align=8)
    single = builder.insert_element(ir.Constant(_ROW, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(single, ir.Constant(_ROW, ir.Undefined), zeros)


def _minus_product(builder, total, a, b):
    return builder.fsub(total, builder.fmul(a, b, flags=_EXACT), flags=_EXACT)


def _columns(builder, address, height, count):
    """Addresses of `count` columns, `height` numbers apart"""
    step = builder.mul(height, ir.Constant(height.type, 8))
    return [builder.add(address, builder.mul(step, ir.Constant(height.type, c))) for c in range(count)]


_SIGNATURE = types.void(*[types.int64] * 5)


def _subtract(count):
    @intrinsic
    def subtract(typing_context, columns, height, rows, x, y):
        """y -= A x for A (rows, count) by columns `height` apart, x (count, 8) and y (rows, 8) by rows."""

        def generate(context, builder, signature, values):
            columns, height, rows, x, y = values
            factors = [_load(builder, x, ir.Constant(rows.type, c)) for c in range(count)]
            addresses = _columns(builder, columns, height, count)
            with cgutils.for_range(builder, rows) as loop:
                row = _load(builder, y, loop.index)
                for address, factor in zip(addresses, factors):
                    row = _minus_product(builder, row, _spread(builder, address, loop.index), factor)
                _store(builder, row, y, loop.index)
            return context.get_dummy_value()

        return _SIGNATURE, generate

    return subtract


def _subtract_transposed(count):
    @intrinsic
    def subtract_transposed(typing_context, columns, height, rows, y, x):
        """x -= A^T y for A (rows, count) by columns `height` apart, x (count, 8) and y (rows, 8) by rows."""

        def generate(context, builder, signature, values):
            columns, height, rows, y, x = values
            addresses = _columns(builder, columns, height, count)
            totals = [cgutils.alloca_once(builder, _ROW) for _ in range(count)]
            for c, total in enumerate(totals):
                builder.store(_load(builder, x, ir.Constant(rows.type, c)), total)
            with cgutils.for_range(builder, rows) as loop:
                row = _load(builder, y, loop.index)
                for address, total in zip(addresses, totals):
                    number = _spread(builder, address, loop.index)
                    builder.store(_minus_product(builder, builder.load(total), number, row), total)
            for c, total in enumerate(totals):
                _store(builder, builder.load(total), x, ir.Constant(rows.type, c))
            return context.get_dummy_value()

        return _SIGNATURE, generate

    return subtract_transposed


subtract_6, subtract_3, subtract_1 = _subtract(6), _subtract(3), _subtract(1)
subtract_transposed_6, subtract_transposed_3 = _subtract_transposed(6), _subtract_transposed(3)
subtract_transposed_1 = _subtract_transposed(1)
