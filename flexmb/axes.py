"""Names of the coordinate axes and of directions along them: "x", "+y", "-z"."""

from __future__ import annotations

AXES = ("x", "y", "z")
UNIT_VECTORS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def named_direction(text: str) -> tuple[float, float, float] | None:
    """The unit vector of an axis name with or without a sign; None if `text` is not such a name."""
    axis = text.lstrip("+-").strip()
    if axis not in AXES or len(text) > 2:
        return None
    sign = -1.0 if text.startswith("-") else 1.0
    x, y, z = UNIT_VECTORS[AXES.index(axis)]
    return (sign * x + 0.0, sign * y + 0.0, sign * z + 0.0)
