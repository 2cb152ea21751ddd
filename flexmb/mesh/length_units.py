"""Units of length of mesh files, which carry none themselves.

Without a unit stated, the size decides: a part whose largest extent is above 20 in the numbers of the file is taken to
be in millimetres (20 m is too large for a machine part, 20 mm is not), otherwise in metres. The guess is told.
"""

from __future__ import annotations

from flexmb.errors import Fault, InputError
from flexmb.suggestions import meant, nearest

UNITS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "inch": 0.0254, "in": 0.0254, "ft": 0.3048}
"""Unit -> metres"""
LARGEST_PART = 20.0
"""[m] Above this extent a mesh without a stated unit is taken to be in millimetres"""
LARGEST_COORDINATE = 1e15
"""[m] Beyond this a coordinate is no place of a body but damage to the file"""
_DOUBTFUL = 2.0
"""[m] Above this extent metres are doubtful"""


def length_unit(unit: str | None, extent: float) -> tuple[str, str]:
    """The unit stated, or guessed from the extent in file units, and a note on the guess (empty when stated)."""
    if unit is None:
        guess = "mm" if extent > LARGEST_PART else "m"
        size = f"the largest extent is {extent:.6g}"
        rule = f"above {LARGEST_PART:g} is read as mm, below as m"
        doubt = f" A part of {extent:.4g} m is large: is it in mm?" if guess == "m" and extent > _DOUBTFUL else ""
        return guess, f"Unit guessed: {guess} ({size}; without a stated unit {rule}).{doubt} State it with --unit."
    word = unit.strip().lower()
    if word in UNITS:
        return word, ""
    hint = f"{meant(nearest(word, UNITS))} Units: {', '.join(UNITS)}.".strip()
    raise InputError([Fault(f"'{unit}' is not a unit of length.", ("unit",), hint)])
