"""Factorisation of large sparse stiffness matrices."""
