"""Stiffness and mass from another program: read files to an `FEModel`, and test whether they are plausible."""

from flexmb.elements.matrix_files.read import read_matrices
from flexmb.elements.matrix_files.self_test import Finding, self_test

__all__ = ["Finding", "read_matrices", "self_test"]
