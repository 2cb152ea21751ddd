"""Colours of plots, light and dark, distinguishable by colour-blind readers (after Okabe and Ito)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

DASHES: tuple[Any, ...] = ("-", (0, (4, 3)), (0, (1, 1.5)))
_GREY = 0.8
"""Part of grey in the colour of an earlier turn."""


@dataclass(frozen=True)
class Theme:
    """Colours as #rrggbb."""

    sheet: str
    text: str
    faint: str
    grid: str
    frame: str
    old: str
    """Grey of earlier turns"""
    lines: tuple[str, ...]

    def color(self, number: int) -> str:
        """Colour of a line."""
        return self.lines[number % len(self.lines)]

    def earlier(self, number: int) -> str:
        """Grey with a tint of the colour of a line, for its earlier turns."""
        pairs = zip(_rgb(self.old), _rgb(self.color(number)), strict=True)
        return "#" + "".join(f"{round(_GREY * grey + (1.0 - _GREY) * own):02x}" for grey, own in pairs)


def _rgb(text: str) -> tuple[int, ...]:
    return tuple(int(text[k : k + 2], 16) for k in (1, 3, 5))


LIGHT = Theme(
    "#ffffff", "#20262c", "#6b7480", "#e6e9ec", "#9aa3ac", "#c3c7cc",
    ("#0072b2", "#d55e00", "#009e73", "#b8559b", "#3a9bd4", "#c78a00", "#4d4d4d", "#8c564b"),
)  # fmt: skip
DARK = Theme(
    "#14181d", "#e4e8ec", "#98a2ad", "#2a3138", "#5b6670", "#5a6068",
    ("#4db2ec", "#ff8f4a", "#2fd0a0", "#e492c8", "#8fd0ff", "#ffc24d", "#c9ced4", "#c99486"),
)  # fmt: skip
