"""Products of columns of the factor with eight right-hand sides at a time, as vectors of the processor.

A row of eight numbers (one of each right-hand side) is one vector. Dense matrix products of BLAS copy the factor before
they use it, which for few right-hand sides takes longer than the product; here it is read once from memory.
"""

from __future__ import annotations

from flexmb.machine_code.jit import intrinsic
from flexmb.machine_code.lanes import LANES, load_row, minus_product, pointer_to, row_type, spread, store_row


def _columns(builder, address, height, count):
    """Pointers to `count` columns, `height` numbers apart"""
    first = pointer_to(builder, address)
    return [builder.gep(first, [builder.mul(height, height.type(c))]) for c in range(count)]


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
            x, y = pointer_to(builder, x), pointer_to(builder, y)
            factors = [load_row(builder, x, rows.type(LANES * c)) for c in range(count)]
            pointers = _columns(builder, columns, height, count)
            with cgutils.for_range(builder, rows) as loop:
                place = builder.mul(loop.index, rows.type(LANES))
                row = load_row(builder, y, place)
                for pointer, factor in zip(pointers, factors):
                    row = minus_product(builder, row, spread(builder, pointer, loop.index), factor)
                store_row(builder, row, y, place)
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
            x, y = pointer_to(builder, x), pointer_to(builder, y)
            pointers = _columns(builder, columns, height, count)
            totals = [cgutils.alloca_once(builder, row_type()) for _ in range(count)]
            for c, total in enumerate(totals):
                builder.store(load_row(builder, x, rows.type(LANES * c)), total)
            with cgutils.for_range(builder, rows) as loop:
                row = load_row(builder, y, builder.mul(loop.index, rows.type(LANES)))
                for pointer, total in zip(pointers, totals):
                    number = spread(builder, pointer, loop.index)
                    builder.store(minus_product(builder, builder.load(total), number, row), total)
            for c, total in enumerate(totals):
                store_row(builder, builder.load(total), x, rows.type(LANES * c))
            return context.get_dummy_value()

        return _signature(), generate

    return subtract_transposed


subtract_6, subtract_3, subtract_1 = _subtract(6), _subtract(3), _subtract(1)
subtract_transposed_6, subtract_transposed_3 = _subtract_transposed(6), _subtract_transposed(3)
subtract_transposed_1 = _subtract_transposed(1)
