"""Colours: the ramps that values are shown with, and those of the parts.

Viridis for sizes (published without restrictions by its authors), a blue-white-red ramp for components with a sign.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flexmb.view.scene import Color

Stops = tuple[tuple[int, int, int], ...]
VIRIDIS: Stops = (
    (68, 1, 84), (71, 44, 122), (59, 81, 139), (44, 113, 142), (33, 144, 141), (39, 173, 129), (92, 200, 99),
    (170, 220, 50), (253, 231, 37),
)  # fmt: skip
BLUE_RED: Stops = (
    (33, 102, 172), (103, 169, 207), (209, 229, 240), (247, 247, 247), (253, 219, 199), (239, 138, 98), (178, 24, 43),
)  # fmt: skip
PARTS: tuple[Color, ...] = (
    (0.36, 0.52, 0.68), (0.80, 0.55, 0.28), (0.45, 0.62, 0.42), (0.62, 0.48, 0.66), (0.70, 0.62, 0.36),
    (0.42, 0.62, 0.64), (0.72, 0.46, 0.46),
)  # fmt: skip
"""Colours of bodies, one after the other."""
SYMBOL: Color = (0.30, 0.34, 0.38)
GROUND: Color = (0.70, 0.73, 0.76)


def stops_for(coloring: str) -> Stops:
    """The ramp of a colouring: components have a sign, everything else is a size."""
    return BLUE_RED if coloring in ("x", "y", "z") else VIRIDIS


def ramp(stops: Stops) -> NDArray[np.uint8]:
    """(256, 3) colours between the stops"""
    at, grid = np.linspace(0.0, 1.0, len(stops)), np.linspace(0.0, 1.0, 256)
    values = np.asarray(stops, dtype=float)
    return np.stack([np.interp(grid, at, values[:, k]) for k in range(3)], axis=1).round().astype(np.uint8)
