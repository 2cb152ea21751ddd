"""Units of length of mesh files, which do not store them.

Without a given unit, the size decides: a part whose largest extent is above 20 in the numbers of the file is assumed to
be in millimetres (20 m is too large for a machine part, 20 mm is not), otherwise in metres. A note reports the guess.
"""

from __future__ import annotations

from flexmb.errors import Fault, InputError
from flexmb.suggestions import meant, nearest

UNITS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "inch": 0.0254, "in": 0.0254, "ft": 0.3048}
"""Unit -> metres"""
LARGEST_PART = 20.0
"""[m] Above this extent a mesh without a given unit is assumed to be in millimetres"""
LARGEST_COORDINATE = 1e15
"""[m] A larger coordinate means that the file is damaged"""
_LARGE = 2.0
"""[m] Above this extent metres are unlikely"""


def length_unit(unit: str | None, extent: float) -> tuple[str, str]:
    """The given unit, or a guess from the extent in file units, and a note on the guess (empty if given)."""
    if unit is None:
        guess = "mm" if extent > LARGEST_PART else "m"
        size = f"the largest extent is {extent:.6g}"
        rule = f"above {LARGEST_PART:g} means mm, below means m"
        warning = (
            f" A part of {extent:.4g} m is large: check whether it is in mm."
            if guess == "m" and extent > _LARGE
            else ""
        )
        return guess, f"Unit guessed: {guess} ({size}; {rule}).{warning} Set it with --unit."
    word = unit.strip().lower()
    if word in UNITS:
        return word, ""
    hint = f"{meant(nearest(word, UNITS))} Units: {', '.join(UNITS)}.".strip()
    raise InputError([Fault(f"'{unit}' is not a unit of length.", ("unit",), hint)])
