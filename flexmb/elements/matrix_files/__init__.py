"""Stiffness and mass that another program computed: files to an `FEModel`, and a test whether to believe them."""

from flexmb.elements.matrix_files.read import read_matrices
from flexmb.elements.matrix_files.self_test import Finding, self_test

__all__ = ["Finding", "read_matrices", "self_test"]
