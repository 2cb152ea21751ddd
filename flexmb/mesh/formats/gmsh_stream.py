"""Sequential numbers of a Gmsh file, from text or binary; too few of them give one clear message."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.raw import whole_numbers


def truncated(section: str) -> InputError:
    """The error for a file that is truncated inside a section."""
    return InputError([Fault(f"the file ends inside ${section}.", hint="It is truncated or damaged. Write it again.")])


class TextNumbers:
    """The numbers of one section of a text file."""

    def __init__(self, data: bytes, start: int, section: str):
        self.section = section
        end = data.find(b"$End" + section.encode(), start)
        if end < 0:
            raise truncated(section)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # older NumPy only warns of what is not a number
                self.values = np.fromstring(data[start:end], dtype=np.float64, sep=" ")
        except (ValueError, DeprecationWarning) as error:
            raise InputError([Fault(f"${section} contains text that is not a number.")]) from error
        self.position, self.end = 0, end

    def _next(self, count: int) -> Floats:
        count = int(count)
        if count < 0 or self.position + count > len(self.values):
            raise truncated(self.section)
        self.position += count
        return self.values[self.position - count : self.position]

    def reals(self, count: int) -> Floats:
        """The next numbers, (count,)."""
        return self._next(count)

    def integers(self, count: int) -> Integers:
        """The next whole numbers, (count,)."""
        return whole_numbers(self._next(count), f"${self.section}")

    sizes = integers

    def records(self, count: int, n_integers: int, n_reals: int) -> tuple[Integers, Floats]:
        """Rows of integers followed by reals."""
        width = n_integers + n_reals
        rows = self._next(count * width).reshape(count, width)
        return whole_numbers(rows[:, :n_integers], f"${self.section}"), rows[:, n_integers:]


class BinaryNumbers:
    """The numbers of a binary file from an offset."""

    def __init__(self, data: bytes, start: int, section: str, order: str, size: int):
        self.data, self.section, self.end = data, section, start
        self.integer, self.real = np.dtype(order + "i4"), np.dtype(order + "f8")
        self.size = np.dtype(f"{order}u{size}")

    def _next(self, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
        length = dtype.itemsize * int(count)
        if count < 0 or self.end + length > len(self.data):
            raise truncated(self.section)
        values = np.frombuffer(self.data, dtype, int(count), self.end)
        self.end += length
        return values

    def reals(self, count: int) -> Floats:
        """The next numbers, (count,)."""
        return self._next(self.real, count).astype(np.float64)

    def integers(self, count: int) -> Integers:
        """The next whole numbers, (count,)."""
        return self._next(self.integer, count).astype(np.int64)

    def sizes(self, count: int) -> Integers:
        """The next whole numbers of the width of counts, (count,)."""
        return self._next(self.size, count).astype(np.int64)

    def records(self, count: int, n_integers: int, n_reals: int) -> tuple[Integers, Floats]:
        """Rows of integers followed by reals."""
        dtype = np.dtype([("i", self.integer, (n_integers,)), ("r", self.real, (n_reals,))])
        rows = self._next(dtype, count)
        return rows["i"].astype(np.int64), rows["r"].astype(np.float64)


Numbers = TextNumbers | BinaryNumbers
