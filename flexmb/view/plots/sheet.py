"""Panels on a sheet, drawn by matplotlib without a window: the standard plots side by side, chosen channels below
each other over one axis."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from matplotlib.ticker import FuncFormatter, MultipleLocator, NullFormatter
from matplotlib.transforms import Bbox

from flexmb.output_files import drafted
from flexmb.view.plots.line_colors import DARK, DASHES, LIGHT, Theme
from flexmb.view.plots.panels import Line, Panel, Peak, thinned
from flexmb.view.plots.texts import HEAD, TITLE, plain
from flexmb.view.plots.unit_texts import number_text

_WIDTH, _WIDE, _PANEL_HEIGHT = 8.5, 14.0, 2.45  # inches
_MOST_IN_ONE_COLUMN = 2
_WIDTHS = {"main": 1.4, "dashed": 1.6, "earlier": 0.7}
_LEGEND_LINES, _LEGEND_ROWS, _LEGEND_LETTERS = 8, 3, 95
"""Most lines with names above a panel, rows of names, and characters per row."""


def write_sheet(panels: Sequence[Panel], target: Path, title: str, *, in_columns: bool, dark: bool) -> None:
    """Draw the panels into a file, which gets its name only when it is complete."""
    with warnings.catch_warnings():
        # Characters that the font lacks are drawn as boxes, which a user cannot change.
        warnings.simplefilter("ignore", UserWarning)
        figure = draw_sheet(panels, title, in_columns=in_columns, dark=dark)
        with drafted(target, target.suffix.lower()) as draft:
            figure.savefig(draft, dpi=150, facecolor=figure.get_facecolor())


def draw_sheet(panels: Sequence[Panel], title: str, *, in_columns: bool = True, dark: bool = False) -> Figure:
    """The panels as a figure."""
    theme = DARK if dark else LIGHT
    n_columns = 2 if in_columns and len(panels) > _MOST_IN_ONE_COLUMN else 1
    columns = _balanced(panels, n_columns)
    height = max(sum(panel.height for panel in column) for column in columns)
    width = _WIDE if n_columns == 2 else _WIDTH
    tallest = max(len(column) for column in columns)
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08, hspace=0.04)
    figure = Figure(figsize=(width, _PANEL_HEIGHT * height + 0.35 * tallest + 0.6), layout=layout)
    figure.set_facecolor(theme.sheet)
    figure.suptitle(
        plain(title, TITLE if n_columns == 2 else TITLE // 2),
        x=0.012,
        ha="left",
        fontsize=13,
        fontweight="bold",
        color=theme.text,
    )
    grid = figure.add_gridspec(1, n_columns)
    axes = []
    for number, column in enumerate(columns):
        inner = grid[0, number].subgridspec(len(column), 1, height_ratios=[panel.height + 0.15 for panel in column])
        axes += [(figure.add_subplot(inner[row, 0]), panel) for row, panel in enumerate(column)]
    for axis, panel in axes:
        _draw_panel(axis, panel, theme)
    figure.draw_without_rendering()
    for axis, panel in axes:
        _label_peaks(axis, panel, theme)
    return figure


def _balanced(panels: Sequence[Panel], n_columns: int) -> list[list[Panel]]:
    """The panels in reading order down the columns, both of about the same height."""
    if n_columns == 1:
        return [list(panels)]
    heights = np.cumsum([panel.height + 0.15 for panel in panels])
    cut = 1 + int(np.argmin(np.abs(heights[:-1] - 0.5 * heights[-1])))
    return [list(panels[:cut]), list(panels[cut:])]


def _draw_panel(axis: Axes, panel: Panel, theme: Theme) -> None:
    drawn = [(_draw_line(axis, thinned(line), theme), line) for line in panel.lines]
    named = [(artist, line.name) for artist, line in drawn if line.kind != "earlier"]
    pad = 7 + 13 * _legend(axis, panel, named, theme)
    head = plain(panel.title, HEAD)
    # An empty title would take no room, and the names above the panel would overlap the title of the sheet.
    size = 10.5 if head else 1.0
    axis.set_title(head or " ", loc="left", fontsize=size, fontweight="bold", color=theme.text, pad=pad)
    axis.set_ylabel(plain(panel.y_label), fontsize=9.5, color=theme.text)
    axis.set_xlabel(plain(panel.x_label, TITLE), fontsize=9.5, color=theme.text, labelpad=2)
    axis.set_facecolor(theme.sheet)
    axis.grid(True, color=theme.grid, linewidth=0.7)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.spines[["left", "bottom"]].set_color(theme.frame)
    axis.tick_params(colors=theme.text, labelsize=9, color=theme.frame)
    axis.margins(x=0.03, y=0.12)
    if panel.log:
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number_text(value, 3)))
        axis.yaxis.set_minor_formatter(NullFormatter())
    else:
        axis.ticklabel_format(axis="y", scilimits=(-3, 4), useMathText=True)
    if panel.x_range is not None:
        axis.set_xlim(*panel.x_range)
    if panel.y_range is not None:
        axis.set_ylim(*panel.y_range)
    if panel.x_step:
        axis.xaxis.set_major_locator(MultipleLocator(panel.x_step))
    if panel.note:
        axis.set_title(plain(panel.note, HEAD), loc="right", fontsize=8.5, color=theme.faint, pad=pad)


def _draw_line(axis: Axes, line: Line, theme: Theme) -> Line2D:
    color = theme.earlier(line.color) if line.kind == "earlier" else theme.color(line.color)
    dashes: Any = DASHES[1] if line.kind == "dashed" else DASHES[line.color // len(theme.lines) % len(DASHES)]
    is_dot = (
        int(np.sum(np.isfinite(line.x) & np.isfinite(line.y))) == 1
    )  # as from a static analysis: a line would be invisible
    marker: Any = "o" if is_dot else None
    width = _WIDTHS[line.kind]
    return axis.plot(line.x, line.y, color=color, linestyle=dashes, linewidth=width, marker=marker, markersize=5)[0]


def _legend(axis: Axes, panel: Panel, named: Sequence[tuple[Line2D, str]], theme: Theme) -> int:
    """Write names above the panel, or beside it if there are many, without the title; returns the rows above."""
    n_lines = len(named)
    if n_lines == 1 and panel.lines[-1].name.lower() in panel.title.lower():
        return 0
    labels = [_label(name) for _, name in named]
    n_columns = max(1, min(n_lines, _LEGEND_LETTERS // max(len(label) + 6 for label in labels)))
    if sum(len(label) + 6 for label in labels) < _LEGEND_LETTERS:
        n_columns = n_lines
    n_rows = -(-n_lines // n_columns)
    above = n_lines <= _LEGEND_LINES and n_rows <= _LEGEND_ROWS
    legend = axis.legend(
        [artist for artist, _ in named],
        labels,
        loc="lower left" if above else "upper left",
        bbox_to_anchor=(-0.01, 1.0) if above else (1.005, 1.03),
        ncols=n_columns if above else 1 + (n_lines - 1) // 10,
        frameon=False,
        fontsize=8.5,
        labelcolor=theme.text,
        borderaxespad=0.2,
        columnspacing=1.2,
        handlelength=1.6,
    )
    legend.set_in_layout(not above)  # the title makes the room above; a wide row must not make the panel narrow
    return n_rows if above else 0


def _label(name: str) -> str:
    """A name in a legend; matplotlib hides those that begin with an underscore."""
    text = plain(name)
    return f"\u200b{text}" if text.startswith("_") else text


def _label_peaks(axis: Axes, panel: Panel, theme: Theme) -> None:
    """Draw a dot and a text at every peak; a text goes where it covers least, and is left out if it covers another."""
    frame = axis.get_window_extent()
    taken: list[Bbox] = []
    drawn = [line for line in panel.lines if line.kind != "earlier"]
    points = np.concatenate([axis.transData.transform(np.stack([line.x, line.y], axis=1)) for line in drawn])
    for peak in panel.peaks:
        color, levels = theme.color(peak.color), (-1, 1) if peak.is_low else (1, -1)
        axis.plot([peak.x], [peak.y], ".", color=color, markersize=6)
        places = [_text_beside(axis, peak, color, side, level) for level in levels for side in (1, -1)]
        boxes = [text.get_window_extent() for text in places]
        cost = [_cover(box, points, taken, frame) for box in boxes]
        best = int(np.argmin(cost))
        for number, text in enumerate(places):
            if number != best or not np.isfinite(cost[best]):
                text.remove()
        if np.isfinite(cost[best]):
            taken.append(boxes[best])
            places[best].set_path_effects([withStroke(linewidth=2.5, foreground=theme.sheet)])
            places[best].set_in_layout(False)


def _text_beside(axis: Axes, peak: Peak, color: str, side: int, level: int) -> Annotation:
    return axis.annotate(
        peak.text,
        (peak.x, peak.y),
        xytext=(5 * side, 3 * level),
        textcoords="offset points",
        ha="left" if side > 0 else "right",
        va="bottom" if level > 0 else "top",
        fontsize=8,
        color=color,
    )


def _cover(box: Bbox, points: np.ndarray, taken: Sequence[Bbox], frame: Bbox) -> float:
    """Measure of the lines that a text covers; infinite over another text or beyond the panel."""
    if any(box.overlaps(other) for other in taken) or box.x0 < frame.x0 or box.x1 > frame.x1:
        return np.inf
    if box.y0 < frame.y0 + 2.0 or box.y1 > frame.y1 + 0.5 * box.height:
        return np.inf
    inside = (points > [box.x0, box.y0]) & (points < [box.x1, box.y1])
    return float(np.count_nonzero(inside.all(axis=1)))
