"""Model files and the Python API: units, expressions and every check of the input."""
