"""Types of the arguments of array kernels, written as numba writes them: `void(f8[:, ::1], i4[::1], i8)`.

A kernel that Python calls declares them in its decorator, so that it can be compiled before it is called. `f8[:, ::1]`
is an array of two dimensions stored by rows, `f8[:, :]` one with any strides; a tuple of types is a tuple. This module
imports nothing, because it is loaded with every kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Array:
    """An array: type of its entries as NumPy writes it, number of dimensions, whether it is stored by rows."""

    entries: str
    dimensions: int
    is_by_rows: bool

    def __str__(self) -> str:
        return f"{self.entries}x{self.dimensions}{'c' if self.is_by_rows else 'a'}"


@dataclass(frozen=True)
class Scalar:
    """A number: its type as NumPy writes it."""

    entries: str

    def __getitem__(self, slices: slice | tuple[slice, ...]) -> Array:
        every = slices if isinstance(slices, tuple) else (slices,)
        return Array(self.entries, len(every), every[-1].step == 1)

    def __call__(self, *parameters: Type) -> Signature:
        return Signature(self, parameters)

    def __str__(self) -> str:
        return self.entries


Type = Scalar | Array | tuple[Any, ...] | None
"""None: nothing is returned."""


@dataclass(frozen=True)
class Signature:
    """Types of the result and of the parameters of a kernel."""

    result: Type
    parameters: tuple[Type, ...]

    @property
    def symbol(self) -> str:
        """The parameters as a part of a name."""
        return "_".join(_text(parameter) for parameter in self.parameters)


def returns(result: Type, *parameters: Type) -> Signature:
    """Signature of a kernel that returns arrays or a tuple."""
    return Signature(result, parameters)


def void(*parameters: Type) -> Signature:
    """Signature of a kernel that returns nothing."""
    return Signature(None, parameters)


def _text(kind: Type) -> str:
    return f"t{len(kind)}_" + "_".join(_text(part) for part in kind) if isinstance(kind, tuple) else str(kind)


b1, u1, u8, i4, i8, f4, f8 = (Scalar(name) for name in ("b1", "u1", "u8", "i4", "i8", "f4", "f8"))
