"""Code of the equations: one generator, one language a file (C, Fortran, NumPy, numba)."""
