"""Checks of single numbers that return faults instead of raising, so that all faults are reported at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real

from flexmb.errors import Fault


def is_number(value: object) -> bool:
    """Whether the value is a finite real number; true and false are not."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def is_whole(value: object) -> bool:
    """Whether the value is a whole number; true and false are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def positive(name: str, value: object, unit: str = "") -> list[Fault]:
    """A fault if `value` is not a finite number above zero."""
    if is_number(value) and value > 0.0:  # type: ignore[operator]
        return []
    return [Fault(f"{name} must be a positive number{_in(unit)}, found {value!r}", (name,))]


def not_negative(name: str, value: object, unit: str = "") -> list[Fault]:
    """A fault if `value` is not a finite number, or below zero."""
    if is_number(value) and value >= 0.0:  # type: ignore[operator]
        return []
    return [Fault(f"{name} must be a number of zero or more{_in(unit)}, found {value!r}", (name,))]


def one_of(name: str, value: object, choices: Sequence[str]) -> list[Fault]:
    """A fault if `value` is not one of the names."""
    if value in choices:
        return []
    return [Fault(f"{name} = {value!r} is not one of the choices", (name,), f"Choices: {', '.join(choices)}.")]


def _in(unit: str) -> str:
    return f" [{unit}]" if unit else ""
