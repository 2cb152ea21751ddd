"""Ties, point masses and springs of a deck as parts of a finite element model."""
