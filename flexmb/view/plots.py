"""Curves of a result as pictures: sensors, joint coordinates, energies with the balance error, or chosen channels.

Panels share the horizontal axis and hold curves of one unit each. Drawn by matplotlib without a window.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from flexmb.errors import InputError
from flexmb.results.channel_names import Selection
from flexmb.results.export import default_paths
from flexmb.results.result_file import Result

FORMATS = (".png", ".svg", ".pdf")
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#4d4d4d", "#8c564b")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)))
_MOST_CURVES = len(_COLORS) * len(_DASHES)
_MOST_POINTS = 8000
_WIDTH, _PANEL_HEIGHT = 10.0, 2.1  # inches


@dataclass
class Panel:
    """Curves of one unit above each other."""

    title: str
    unit: str
    curves: list[tuple[str, np.ndarray]] = field(default_factory=list)
    height: float = 1.0
    """Part of the usual height."""
    dashed: str = ""
    """Name of a curve that often covers another: drawn with dashes, so that both are seen."""


def plot_result(
    result: Result, path: str | os.PathLike[str], *, channels: Sequence[str] = (), against: str | None = None
) -> None:
    """Write a picture (.png, .svg, .pdf) of the standard curves, or of the chosen channels, over time or a channel."""
    target = Path(path)
    _check_target(target)
    if result.n_rows == 0:
        raise InputError(f"'{result.path}' has no complete rows: there is nothing to draw.")
    axis = result.names.find(against or "time")
    if len(axis.scalars) != 1:
        raise InputError(
            f"Channel '{against}' has {len(axis.scalars)} columns; the horizontal axis takes one. Add .x or so."
        )
    axis = axis.scalars[0]
    panels = chosen_panels(result, result.names.find_all(channels)) if channels else standard_panels(result)
    if not panels:
        raise InputError(f"'{result.path}' has no sensors, joints or energies to draw. Choose with --channel.")
    figure = draw_panels(panels, result.read(axis), f"{axis.label} [{axis.unit}]", result)
    try:
        figure.savefig(target, dpi=150)
    except OSError as error:
        raise InputError(f"Cannot write '{target}': {error.strerror or error}.") from error


def _check_target(target: Path) -> None:
    if target.suffix.lower() not in FORMATS:
        raise InputError(f"Cannot draw '{target}': the name of a picture ends in {', '.join(FORMATS)}.")
    if target.is_dir() or not target.parent.is_dir():
        what = "it is a folder" if target.is_dir() else f"there is no folder '{target.parent}'"
        raise InputError(f"Cannot write '{target}': {what}.")


def standard_panels(result: Result) -> list[Panel]:
    """Sensors, joint coordinates (poses of bodies when there are neither), energies, energy balance."""
    sensors, positions = default_paths(result)
    title = "bodies" if any(path.startswith("bodies/") for path in positions) else "joint coordinates"
    panels = _by_unit(result, "sensors", result.names.find_all(sensors))
    panels += _by_unit(result, title, result.names.find_all(positions))
    return panels + _energy_panels(result)


def chosen_panels(result: Result, selections: Sequence[Selection]) -> list[Panel]:
    """One panel for every unit among the chosen channels."""
    return _by_unit(result, "", selections)


def _by_unit(result: Result, title: str, selections: Sequence[Selection]) -> list[Panel]:
    panels: dict[str, Panel] = {}
    for selection in (scalar for one in selections for scalar in one.scalars):
        panel = panels.setdefault(selection.unit, Panel(title, selection.unit))
        panel.curves.append((selection.label, result.read(selection)))
    return list(panels.values())


def _energy_panels(result: Result) -> list[Panel]:
    paths = ("energy/kinetic", "energy/potential", "energy/work/total")
    if not all(path in result.channels for path in paths):
        return []
    kinetic, potential, work = (result[path] for path in paths)
    total = kinetic + potential
    balance = total - work
    curves = [("kinetic", kinetic), ("potential", potential), ("kinetic + potential", total)]
    if np.any(work != 0.0):
        curves.append(("work", work))
    error = Panel("energy balance", "J", [("kinetic + potential\n- work - start", balance - balance[0])], 0.6)
    return [Panel("energy", "J", curves, dashed="kinetic + potential"), error]


def draw_panels(panels: Sequence[Panel], abscissa: np.ndarray, label: str, result: Result) -> Figure:
    """The panels below each other over one horizontal axis."""
    heights = [panel.height for panel in panels]
    figure = Figure(figsize=(_WIDTH, _PANEL_HEIGHT * sum(heights) + 1.0), layout="constrained")
    figure.suptitle(result.name or result.path.name, x=0.01, ha="left", fontsize=12, fontweight="bold")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axis, panel in zip(axes, panels, strict=True):
        _draw_panel(axis, panel, abscissa)
    axes[-1].set_xlabel(label)
    if label.startswith("time "):
        axes[-1].set_xlim(abscissa[0], abscissa[-1] if abscissa[-1] > abscissa[0] else None)
    figure.align_ylabels(list(axes))
    return figure


def _draw_panel(axis: Axes, panel: Panel, abscissa: np.ndarray) -> None:
    shown = panel.curves[:_MOST_CURVES]
    for number, (name, values) in enumerate(shown):
        x, y = _thinned(abscissa, values)
        dashes = _DASHES[1 if name == panel.dashed else number // len(_COLORS)]
        color = _COLORS[number % len(_COLORS)]
        axis.plot(x, y, color=color, linestyle=dashes, linewidth=1.3, label=name)
    unit = f"[{panel.unit}]"
    axis.set_ylabel(f"{panel.title} {unit}" if panel.title else unit)
    axis.grid(True, color="#e2e2e2", linewidth=0.7)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.margins(x=0.03, y=0.08)
    axis.ticklabel_format(axis="y", scilimits=(-3, 4), useMathText=True)
    hidden = len(panel.curves) - len(shown)
    columns = 1 + (len(shown) - 1) // 8
    axis.legend(
        loc="upper left",
        bbox_to_anchor=(1.005, 1.03),
        frameon=False,
        fontsize=8.5,
        ncols=columns,
        title=f"(and {hidden} more)" if hidden else None,
        title_fontsize=8.5,
    )


def _thinned(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most some thousand points: the smallest and the largest value of every group of rows, so that peaks stay."""
    group = len(x) // (_MOST_POINTS // 2)
    if group < 3:
        return x, y
    n_groups = -(-len(x) // group)
    filled = np.concatenate([y, np.full(n_groups * group - len(y), y[-1])]).reshape(n_groups, group)
    filled = np.where(np.isnan(filled), filled[:, :1], filled)
    starts = np.arange(n_groups) * group
    kept = np.concatenate([[0, len(x) - 1], starts + filled.argmin(axis=1), starts + filled.argmax(axis=1)])
    kept = np.unique(np.minimum(kept, len(x) - 1))
    return x[kept], y[kept]
