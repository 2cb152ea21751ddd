"""Colours: ramps of values, and colours of the parts.

Viridis for magnitudes (published without restrictions by its authors), a blue-white-red ramp for signed components.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexmb.axes import AXES
from flexmb.view.scene import SIGNED_ENVELOPE, ArrowKind, Color

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
ARROWS: dict[ArrowKind, Color] = {
    "reaction force": (0.80, 0.22, 0.20),
    "reaction moment": (0.56, 0.27, 0.68),
    "force": (0.13, 0.55, 0.33),
    "torque": (0.85, 0.50, 0.10),
}


@dataclass(frozen=True)
class Theme:
    """Colours around the parts."""

    background: Color
    text: Color
    muted: Color
    """Secondary text"""
    grid: Color
    edge: Color
    """Lines along the sharp edges of parts"""
    ghost: Color
    symbol: Color


LIGHT = Theme(
    (0.965, 0.972, 0.980), (0.10, 0.13, 0.17), (0.38, 0.43, 0.49), (0.80, 0.83, 0.87), (0.16, 0.19, 0.23),
    (0.42, 0.48, 0.55), SYMBOL,
)  # fmt: skip
DARK = Theme(
    (0.085, 0.100, 0.122), (0.92, 0.94, 0.96), (0.62, 0.67, 0.73), (0.20, 0.23, 0.27), (0.03, 0.04, 0.05),
    (0.66, 0.72, 0.79), (0.60, 0.65, 0.71),
)  # fmt: skip


def theme(dark: bool) -> Theme:
    """Colours on a dark or a light background."""
    return DARK if dark else LIGHT


def stops_for(coloring: str) -> Stops:
    """The ramp of a colouring: components and principal stress have a sign, everything else is a magnitude."""
    return BLUE_RED if is_signed(coloring) else VIRIDIS


def is_signed(coloring: str) -> bool:
    """Whether the values of a colouring have a sign."""
    return coloring in (*AXES, SIGNED_ENVELOPE)


def ramp(stops: Stops) -> NDArray[np.uint8]:
    """(256, 3) colours between the stops"""
    at, grid = np.linspace(0.0, 1.0, len(stops)), np.linspace(0.0, 1.0, 256)
    values = np.asarray(stops, dtype=float)
    return np.stack([np.interp(grid, at, values[:, k]) for k in range(3)], axis=1).round().astype(np.uint8)
