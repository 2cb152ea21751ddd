"""Places of the entries of a supernode's columns in the factor.

The columns of a wide supernode are stored in strips of WIDTH columns, each from its first pivot down: what would lie
above the diagonal is not stored, but for the small triangles of the strips. Entries of a column are consecutive; two
columns of the strip that begins with column `first` are `height - first` apart.
"""

from __future__ import annotations

from flexmb.machine_code.jit import kernel

WIDTH = 384
"""Columns of a strip: wide enough for fast products, and a multiple of the columns that substitution takes at once."""


@kernel
def strip_start(first, height):
    """Entries of a panel before the strip that begins with column `first`"""
    strips = first // WIDTH
    return first * height - WIDTH * WIDTH * (strips * (strips - 1) // 2)


@kernel
def column_start(column, height):
    """Place of row 0 of a column in its panel; rows above its strip are not stored"""
    first = column - column % WIDTH
    return strip_start(first, height) + (column - first) * (height - first) - first


@kernel
def panel_size(pivots, height):
    """Entries of the panel of a supernode"""
    first = pivots - pivots % WIDTH
    return strip_start(first, height) + (pivots - first) * (height - first)
