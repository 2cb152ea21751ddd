"""Compiled loops over shell cells."""
