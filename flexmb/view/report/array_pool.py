"""Numbers for the scripts of the page: single precision, little-endian, base64; equal arrays are stored once."""

from __future__ import annotations

from base64 import b64encode

import numpy as np
from numpy.typing import NDArray


class ArrayPool:
    """Arrays of a page, identified by number."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def add(self, values: NDArray[np.floating] | NDArray[np.integer]) -> int:
        """The number of an array, as float32."""
        return self._numbers.setdefault(np.ascontiguousarray(values, "<f4").tobytes(), len(self._numbers))

    def texts(self) -> list[str]:
        """All arrays in the order of their numbers."""
        return [b64encode(content).decode() for content in self._numbers]
