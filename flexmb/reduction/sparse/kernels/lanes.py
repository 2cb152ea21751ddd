"""Products of columns of the factor with eight right-hand sides at a time, as vectors of the processor.

A row of eight numbers (one of each right-hand side) is one vector. Dense matrix products of BLAS copy the factor before
they use it, which for few right-hand sides takes longer than the product; here it is read once from memory.
"""

from __future__ import annotations

from flexmb.machine_code.jit import intrinsic

LANES = 8
_EXACT = ("contract",)


def _number():
    from llvmlite import ir

    return ir.DoubleType()


def _row():
    from llvmlite import ir

    return ir.VectorType(_number(), LANES)


def _pointer(builder, address, kind):
    return builder.inttoptr(address, kind.as_pointer())


def _load(builder, address, index):
    """Row `index` at `address`"""
    return builder.load(builder.gep(_pointer(builder, address, _row()), [index]), align=8)


def _store(builder, row, address, index):
    builder.store(row, builder.gep(_pointer(builder, address, _row()), [index]), align=8)


def _spread(builder, address, index):
    """The number `index` at `address` in all lanes"""
    from llvmlite import ir

    number = builder.load(builder.gep(_pointer(builder, address, _number()), [index]), align=8)
    single = builder.insert_element(ir.Constant(_row(), ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(single, ir.Constant(_row(), ir.Undefined), zeros)


def _minus_product(builder, total, a, b):
    return builder.fsub(total, builder.fmul(a, b, flags=_EXACT), flags=_EXACT)


def _columns(builder, address, height, count):
    """Addresses of `count` columns, `height` numbers apart"""
    step = builder.mul(height, height.type(8))
    return [builder.add(address, builder.mul(step, height.type(c))) for c in range(count)]


def _signature():
    from numba import types

    return types.void(*[types.int64] * 5)


def _subtract(count):
    @intrinsic
    def subtract(typing_context, columns, height, rows, x, y):
        """y -= A x for A (rows, count) by columns `height` apart, x (count, 8) and y (rows, 8) by rows."""
        from numba.core import cgutils

        def generate(context, builder, signature, values):
            columns, height, rows, x, y = values
            factors = [_load(builder, x, rows.type(c)) for c in range(count)]
            addresses = _columns(builder, columns, height, count)
            with cgutils.for_range(builder, rows) as loop:
                row = _load(builder, y, loop.index)
                for address, factor in zip(addresses, factors):
                    row = _minus_product(builder, row, _spread(builder, address, loop.index), factor)
                _store(builder, row, y, loop.index)
            return context.get_dummy_value()

        return _signature(), generate

    return subtract


def _subtract_transposed(count):
    @intrinsic
    def subtract_transposed(typing_context, columns, height, rows, y, x):
        """x -= A^T y for A (rows, count) by columns `height` apart, x (count, 8) and y (rows, 8) by rows."""
        from numba.core import cgutils

        def generate(context, builder, signature, values):
            columns, height, rows, y, x = values
            addresses = _columns(builder, columns, height, count)
            totals = [cgutils.alloca_once(builder, _row()) for _ in range(count)]
            for c, total in enumerate(totals):
                builder.store(_load(builder, x, rows.type(c)), total)
            with cgutils.for_range(builder, rows) as loop:
                row = _load(builder, y, loop.index)
                for address, total in zip(addresses, totals):
                    number = _spread(builder, address, loop.index)
                    builder.store(_minus_product(builder, builder.load(total), number, row), total)
            for c, total in enumerate(totals):
                _store(builder, builder.load(total), x, rows.type(c))
            return context.get_dummy_value()

        return _signature(), generate

    return subtract_transposed


subtract_6, subtract_3, subtract_1 = _subtract(6), _subtract(3), _subtract(1)
subtract_transposed_6, subtract_transposed_3 = _subtract_transposed(6), _subtract_transposed(3)
subtract_transposed_1 = _subtract_transposed(1)
