"""Arrays by their address, so that a program `f(K, S, W, arg)` of a solver reaches the arrays I and F of the system.

Every piece of an integrator is a program of its own, called by address: nothing is compiled into its callers again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.machine_code import pointers
from flexmb.machine_code.jit import DISABLED

_plain_arrays: dict[int, Any] = {}


def address_of(array: np.ndarray[Any, Any]) -> int:
    """Address of the first entry; the caller keeps the array alive."""
    if DISABLED:
        _plain_arrays[array.ctypes.data] = array.reshape(-1)
    return int(array.ctypes.data)


if DISABLED:

    def int_pointer(address: int) -> Any:
        """The int64 array at an address."""
        return _plain_arrays[int(address)]

    float_pointer = int_pointer

else:
    int_pointer, float_pointer = pointers.int_pointer, pointers.float_pointer
