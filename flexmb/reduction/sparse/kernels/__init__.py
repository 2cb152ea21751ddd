"""Compiled kernels of the sparse factorisation."""
