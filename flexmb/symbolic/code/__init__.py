"""Code of the equations: one generator, one file per language (C, Fortran, NumPy, numba)."""
