"""Readers of mesh files: each gives a `RawMesh`, which `mesh/build.py` turns into a `Mesh`."""
