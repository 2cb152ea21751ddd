"""Compiled loops over solid cells."""
