"""BLAS and LAPACK of SciPy: addresses for kernels, and the number of threads.

Idle BLAS threads spin and waste time (on a busy machine they doubled it); so BLAS gets one thread, and fronts are
processed in parallel.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from flexmb.arrays import Integers
from flexmb.cores import available_cores

_ROUTINES = (("cython_lapack", "dpotrf"), ("cython_blas", "dtrsm"), ("cython_blas", "dsyrk"), ("cython_blas", "dgemm"))
_SETTERS = (
    "scipy_openblas_set_num_threads",
    "scipy_openblas_set_num_threads64_",
    "openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "MKL_Set_Num_Threads",
)


@functools.cache
def addresses() -> Integers:
    """Addresses of the routines, in the order of `kernels.dense`."""
    return np.array([_address(f"scipy.linalg.{module}", name) for module, name in _ROUTINES], dtype=np.int64)


def _address(module: str, name: str) -> int:
    """Address of a routine that a module of SciPy offers to other compiled code."""
    capsule = importlib.import_module(module).__pyx_capi__[name]
    signature = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    return int(pointer(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, signature(capsule)))


@functools.cache
def _thread_setters() -> tuple[tuple[Callable[[int], None], Callable[[], int] | None], ...]:
    """Setter and getter of the number of threads of the libraries behind SciPy and NumPy, where they can be found.

    A shared object that is loaded already also answers for the libraries it was linked with.
    """
    import numpy.linalg._umath_linalg as of_numpy
    import scipy.linalg.cython_blas as of_scipy

    found: list[tuple[Callable[[int], None], Callable[[], int] | None]] = []
    for module in (of_scipy, of_numpy):
        try:
            library = ctypes.CDLL(module.__file__)
        except OSError:
            continue
        for name in _SETTERS:
            setter = getattr(library, name, None)
            if setter is not None:
                found.append((setter, getattr(library, name.replace("set", "get").replace("Set", "Get_Max"), None)))
                break
    return tuple(found)


@contextmanager
def blas_threads(count: int) -> Iterator[None]:
    """Let BLAS use `count` threads inside, and as many as before afterwards."""
    before = [get() if get is not None else available_cores() for _, get in _thread_setters()]
    for setter, _ in _thread_setters():
        setter(count)
    try:
        yield
    finally:
        for (setter, _), value in zip(_thread_setters(), before, strict=True):
            setter(value)
