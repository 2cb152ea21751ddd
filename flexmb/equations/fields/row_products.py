"""Sums of rows of a matrix and products of rows with one vector, four rows at a time, as vectors of the processor.

Rows are behind each other in F or W and have a multiple of `LANES` numbers. A loop that reads four rows at once
keeps the processor busy, and compilers do not write one: the order of a sum may not be changed. Here it is that of
`machine_code.lanes`, the same on every processor.
"""

from __future__ import annotations

from flexmb.machine_code.jit import DISABLED, intrinsic, kernel
from flexmb.machine_code.lanes import LANES, load_row, plus_product, row_type, spread, store_row, sum_of


def _places(builder, first, step, count):
    """first + j step for j below count."""
    return [builder.add(first, builder.mul(step, step.type(j))) for j in range(count)]


def _add(count):
    @intrinsic
    def add(typing_context, rows, at, width, W, factors, n_factors, out):
        """W[out + m width + i] += sum over j of W[factors + m n_factors + j] rows[at + j width + i], for m < 3."""
        from numba import types
        from numba.core import cgutils

        def generate(context, builder, signature, values):
            rows, at, width, W, factors, n_factors, out = values
            sources = _places(builder, at, width, count)
            targets = _places(builder, out, width, 3)
            weights = [
                [spread(builder, W, place) for place in _places(builder, first, width.type(1), count)]
                for first in _places(builder, factors, n_factors, 3)
            ]
            zero, step = width.type(0), width.type(LANES)
            with cgutils.for_range_slice(builder, zero, width, step, width.type) as (i, _):
                numbers = [load_row(builder, rows, builder.add(source, i)) for source in sources]
                for target, own in zip(targets, weights, strict=True):
                    place = builder.add(target, i)
                    total = load_row(builder, W, place)
                    for weight, number in zip(own, numbers, strict=True):
                        total = plus_product(builder, total, weight, number)
                    store_row(builder, total, W, place)
            return context.get_dummy_value()

        i = types.int64
        return types.void(rows, i, i, W, i, i, i), generate

    def plain(rows, at, width, W, factors, n_factors, out):
        for m in range(3):
            for j in range(count):
                for i in range(width):
                    W[out + m * width + i] += W[factors + m * n_factors + j] * rows[at + j * width + i]

    return plain if DISABLED else add


def _dot(count):
    @intrinsic
    def dot(typing_context, rows, at, width, W, vector, out):
        """W[out + j] += sum over i of rows[at + j width + i] W[vector + i]."""
        from llvmlite import ir
        from numba import types
        from numba.core import cgutils

        def generate(context, builder, signature, values):
            rows, at, width, W, vector, out = values
            sources = _places(builder, at, width, count)
            totals = [cgutils.alloca_once_value(builder, ir.Constant(row_type(), [0.0] * LANES)) for _ in sources]
            zero, step = width.type(0), width.type(LANES)
            with cgutils.for_range_slice(builder, zero, width, step, width.type) as (i, _):
                factor = load_row(builder, W, builder.add(vector, i))
                for source, total in zip(sources, totals, strict=True):
                    number = load_row(builder, rows, builder.add(source, i))
                    builder.store(plus_product(builder, builder.load(total), number, factor), total)
            for place, total in zip(_places(builder, out, width.type(1), count), totals, strict=True):
                target = builder.gep(W, [place])
                builder.store(builder.fadd(builder.load(target), sum_of(builder, builder.load(total))), target)
            return context.get_dummy_value()

        i = types.int64
        return types.void(rows, i, i, W, i, i), generate

    def plain(rows, at, width, W, vector, out):
        for j in range(count):
            for i in range(width):
                W[out + j] += rows[at + j * width + i] * W[vector + i]

    return plain if DISABLED else dot


_add_4, _add_1 = _add(4), _add(1)
_dot_4, _dot_1 = _dot(4), _dot(1)


@kernel
def add_rows(F, W, at, n_rows, width, factors, out):
    """Three sums of the rows at F[at..]: W[out + m width + i] += W[factors + m n_rows + j] F[at + j width + i]."""
    whole = n_rows // 4 * 4
    for j in range(0, whole, 4):
        _add_4(F, at + j * width, width, W, factors + j, n_rows, out)
    for j in range(whole, n_rows):
        _add_1(F, at + j * width, width, W, factors + j, n_rows, out)


@kernel
def products_with(rows, at, n_rows, width, W, vector, out):
    """W[out + j] += the product of row j at rows[at..] (F or W) with W[vector..]."""
    whole = n_rows // 4 * 4
    for j in range(0, whole, 4):
        _dot_4(rows, at + j * width, width, W, vector, out + j)
    for j in range(whole, n_rows):
        _dot_1(rows, at + j * width, width, W, vector, out + j)
