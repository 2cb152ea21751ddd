"""The horizontal axis of a plot: time, a channel, or an angle whose turns are overlaid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.results.channel_names import Selection
from flexmb.results.result_file import Result
from flexmb.view.plots.panels import Line, Panel, limited, thinned
from flexmb.view.plots.turns import folded
from flexmb.view.plots.unit_texts import handy_unit, number_text

_LONG = 0.5
"""Runs shorter than this are drawn in milliseconds [s]."""


@dataclass(frozen=True)
class Abscissa:
    """Values of the horizontal axis for every row of a result."""

    name: str
    values: Floats
    """(rows,) in `unit`"""
    unit: str
    time: Floats
    """(rows,) [s]"""
    turns: bool = False
    """Whether these are angles [rad] whose turns are overlaid"""

    def lines(self, name: str, y: Floats, color: int) -> list[Line]:
        """The curve of a channel; with turns, the earlier ones as a separate line."""
        lines = folded(name, self.values, y, self.time, color) if self.turns else [self.line(name, y, color)]
        return [thinned(line) for line in lines]

    def line(self, name: str, y: Floats, color: int) -> Line:
        """The curve of a channel over an axis without turns, thinned to the points that are drawn."""
        return thinned(Line(name, self.values, y, self.time, color))

    def panel(self, title: str, unit: str, lines: Sequence[Line], note: str = "", y_name: str = "") -> Panel:
        """A panel over this axis."""
        shown, more = limited(lines)
        notes = [text for text in (note, more, self._turn_note(shown)) if text]
        if self.turns:
            ends = (0.0, 360.0)
            return Panel(title, self.name, "deg", unit, shown, (), y_name, "; ".join(notes), x_range=ends, x_step=60.0)
        low, high = float(np.nanmin(self.values)), float(np.nanmax(self.values))
        ends_of_time = (low, high) if self.name == "time" and high > low else None
        return Panel(title, self.name, self.unit, unit, shown, (), y_name, "; ".join(notes), x_range=ends_of_time)

    def _turn_note(self, lines: Sequence[Line]) -> str:
        if not any(line.kind == "earlier" for line in lines):
            return ""
        n_turns = abs(float(self.values[-1] - self.values[0])) / (2.0 * np.pi)
        return f"last of {number_text(n_turns, 3)} turns in colour, earlier ones grey"


def over_time(result: Result) -> Abscissa:
    """Time in seconds, or in milliseconds for a short run."""
    time = result.time
    span = float(time[-1] - time[0])
    factor, unit = handy_unit("s", span if span < _LONG else 1.0)
    return Abscissa("time", time / factor, unit, time)


def over_channel(result: Result, selection: Selection, turns: bool) -> Abscissa:
    """A column of a channel."""
    if selection.channel.path == "time":
        return over_time(result)
    return Abscissa(selection.label, result.read(selection), selection.unit, result.time, turns)
