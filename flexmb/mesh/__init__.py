"""Meshes: points, cells and named sets, read from files of many formats, checked and selected from."""
