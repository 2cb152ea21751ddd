"""Data of a plot, independent of the renderer: lines over a common axis, with labelled peaks.

Values are in the units of the axes. Every point of a line has its time [s], so that a page can go there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from flexmb.arrays import Floats
from flexmb.view.plots.unit_texts import quantity, unit_text

LineKind = Literal["main", "earlier", "dashed"]

MOST_LINES = 24
"""Most lines of a panel that a reader can distinguish."""
MOST_POINTS = 8000
_SMALLEST_PEAK = 0.2
"""Smallest peak with a label, as a part of the largest value of a panel."""


@dataclass(frozen=True)
class Line:
    """One curve; n points, NaN where it is broken."""

    name: str
    x: Floats
    y: Floats
    time: Floats | None
    """(n,) [s]; None: points of the line are not instants of the run"""
    color: int
    """Number of the colour; earlier turns have that of the last one"""
    kind: LineKind = "main"


@dataclass(frozen=True)
class Peak:
    """A point with a label."""

    x: float
    y: float
    text: str
    time: float | None
    """[s]"""
    color: int
    is_low: bool = False
    """Whether it is a minimum, with its label below"""


@dataclass(frozen=True)
class Panel:
    """Lines of one unit."""

    title: str
    x_name: str
    x_unit: str
    y_unit: str
    lines: tuple[Line, ...]
    peaks: tuple[Peak, ...] = ()
    y_name: str = ""
    note: str = ""
    """Note for the reader: lines that are not drawn, earlier turns in grey"""
    height: float = 1.0
    """Part of the usual height"""
    log: bool = False
    """Logarithmic vertical axis"""
    x_range: tuple[float, float] | None = None
    x_step: float = 0.0
    """Distance of the ticks; 0: as it fits"""
    y_range: tuple[float, float] | None = field(default=None)

    @property
    def x_label(self) -> str:
        """Name and unit along x."""
        return axis_label(self.x_name, self.x_unit)

    @property
    def y_label(self) -> str:
        """Name and unit along y."""
        return axis_label(self.y_name, self.y_unit)


def axis_label(name: str, unit: str) -> str:
    """ "time [ms]"; a pure number has no brackets"""
    if unit == "1":
        return name or "[\u2013]"
    return f"{name} [{unit_text(unit)}]".strip()


def with_peaks(panel: Panel, most: int = 4) -> Panel:
    """The panel with labels at the largest and smallest values of its lines, except at the ends of a line."""
    lines = [line for line in panel.lines if line.kind != "earlier"]
    found = [_peak(panel, line, row) for line in lines for row in _extreme_rows(line.y)]
    found.sort(key=lambda peak: -abs(peak.y))
    floor = _SMALLEST_PEAK * max((abs(peak.y) for peak in found), default=0.0)
    kept = found if len(lines) == 1 else [peak for peak in found if abs(peak.y) > floor]
    return replace(panel, peaks=tuple(kept[:most]))


def with_maxima(panel: Panel, most: int = 3) -> Panel:
    """The panel with labels at the largest values of its lines, wherever they are."""
    rows = [(line, int(np.nanargmax(line.y))) for line in panel.lines if np.isfinite(line.y).any()]
    found = sorted((_peak(panel, line, row) for line, row in rows), key=lambda peak: -peak.y)
    floor = _SMALLEST_PEAK * max((peak.y for peak in found), default=0.0)
    kept: list[Peak] = []
    for peak in found:
        if peak.y > floor and all(peak.text != other.text for other in kept):
            kept.append(peak)
    return replace(panel, peaks=tuple(kept[:most]))


def _extreme_rows(y: Floats) -> list[int]:
    """Rows of the largest and the smallest value, except the ends of the line."""
    known = np.flatnonzero(np.isfinite(y))
    if not len(known) or np.nanmin(y) == np.nanmax(y):
        return []
    rows = (int(np.nanargmax(y)), int(np.nanargmin(y)))
    return [row for row in rows if row not in (known[0], known[-1])]


def _peak(panel: Panel, line: Line, row: int) -> Peak:
    x, y = float(line.x[row]), float(line.y[row])
    time = None if line.time is None else float(line.time[row])
    text = f"{quantity(y, panel.y_unit)} at {quantity(x, panel.x_unit, 3 if panel.x_unit == 'deg' else 4)}"
    return Peak(x, y, text, time, line.color, bool(y == np.nanmin(line.y)))


def limited(lines: Sequence[Line], most: int = MOST_LINES) -> tuple[tuple[Line, ...], str]:
    """As many lines as a reader can distinguish, and a note about the others."""
    hidden = len(lines) - most
    return tuple(lines[:most]), f"{hidden} more not drawn" if hidden > 0 else ""


def thinned(line: Line, most: int = MOST_POINTS) -> Line:
    """The line with a few thousand points: smallest and largest value of every group of rows, so that peaks stay."""
    group = len(line.x) // (most // 2)
    if group < 3:
        return line
    n_groups = -(-len(line.x) // group)
    filled = np.concatenate([line.y, np.full(n_groups * group - len(line.y), line.y[-1])]).reshape(n_groups, group)
    broken = np.flatnonzero(np.isnan(line.y))
    low, high = (np.where(np.isnan(filled), sign * np.inf, filled) for sign in (1.0, -1.0))
    starts = np.arange(n_groups) * group
    ends = [[0, len(line.x) - 1], starts + low.argmin(axis=1), starts + high.argmax(axis=1), broken]
    kept = np.unique(np.minimum(np.concatenate(ends), len(line.x) - 1))
    time = None if line.time is None else line.time[kept]
    return replace(line, x=line.x[kept], y=line.y[kept], time=time)
