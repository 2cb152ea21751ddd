"""Dense linear algebra inside kernels: BLAS and LAPACK of SciPy, called by address.

Addresses are arguments, not constants, so that machine code can be cached on disk. Matrices are stored by columns
inside a longer array: `at` is the index of the first entry and `ld` the distance between two columns.
"""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import intrinsic, kernel

L, N, R, T = np.uint8(ord("L")), np.uint8(ord("N")), np.uint8(ord("R")), np.uint8(ord("T"))
POTRF, TRSM, SYRK, GEMM = 0, 1, 2, 3
"""Indices of the routines in the array of addresses."""


@intrinsic
def _call(typing_context, address, arguments):
    """Call the Fortran routine at `address`: integers of 64 bits are pointers, all others are passed by reference."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils

    signature = types.void(types.int64, arguments)

    def generate(context, builder, signature, values):
        pointer = ir.IntType(8).as_pointer()
        passed = []
        for place, kind in enumerate(signature.args[1]):
            value = builder.extract_value(values[1], place)
            if kind in (types.int64, types.uint64):
                passed.append(builder.inttoptr(value, pointer))
            else:
                passed.append(builder.bitcast(cgutils.alloca_once_value(builder, value), pointer))
        function = ir.FunctionType(ir.VoidType(), [pointer] * len(passed))
        builder.call(builder.inttoptr(values[0], function.as_pointer()), passed)
        return context.get_dummy_value()

    return signature, generate


@kernel
def cholesky(blas, A, at, n, ld):
    """A = C C^T, C over the lower triangle of A (n, n); returns 0, or 1 + the row of a pivot that is not positive."""
    status = np.zeros(1, np.int32)
    _call(blas[POTRF], (L, np.int32(n), A.ctypes.data + 8 * at, np.int32(ld), status.ctypes.data))
    return status[0]


@kernel
def divide_right(blas, rows, n, A, at, ld, X, x_at, x_ld):
    """X = X C^-T for X (rows, n) and the lower triangle C (n, n) in A."""
    C, x = A.ctypes.data + 8 * at, X.ctypes.data + 8 * x_at
    _call(blas[TRSM], (R, L, T, N, np.int32(rows), np.int32(n), 1.0, C, np.int32(ld), x, np.int32(x_ld)))


@kernel
def subtract_square(blas, n, k, A, at, ld, beta, S, s_at, s_ld):
    """S = beta S - A A^T, lower triangle only, for A (n, k)."""
    a, s = A.ctypes.data + 8 * at, S.ctypes.data + 8 * s_at
    _call(blas[SYRK], (L, N, np.int32(n), np.int32(k), -1.0, a, np.int32(ld), beta, s, np.int32(s_ld)))


@kernel
def subtract_product(blas, m, n, k, A, a_at, b_at, ld, beta, C, c_at, c_ld):
    """C = beta C - A B^T for A (m, k) and B (n, k), both in one array."""
    a, b, c = A.ctypes.data + 8 * a_at, A.ctypes.data + 8 * b_at, C.ctypes.data + 8 * c_at
    sizes = (np.int32(m), np.int32(n), np.int32(k))
    _call(blas[GEMM], (N, T, *sizes, -1.0, a, np.int32(ld), b, np.int32(ld), beta, c, np.int32(c_ld)))
