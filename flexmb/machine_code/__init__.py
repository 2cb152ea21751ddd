"""Machine code of the kernels: the decorators, compiling by numba, and the library of an installed package."""
