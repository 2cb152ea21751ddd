"""Memory by its address, inside kernels: pointers that are indexed like arrays and have no length."""

from __future__ import annotations

from typing import Any

from flexmb.machine_code.jit import intrinsic


@intrinsic
def int_pointer(typing_context: Any, address: Any) -> Any:
    """The int64 array at an address."""
    from llvmlite import ir
    from numba import types

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], ir.IntType(64).as_pointer())

    return types.CPointer(types.int64)(types.int64), generate


@intrinsic
def float_pointer(typing_context: Any, address: Any) -> Any:
    """The float64 array at an address."""
    from llvmlite import ir
    from numba import types

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], ir.DoubleType().as_pointer())

    return types.CPointer(types.float64)(types.int64), generate
