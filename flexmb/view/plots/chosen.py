"""Panels of chosen channels: one per unit, deflections in millimetres separately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexmb.results.channel_names import Selection
from flexmb.results.result_file import Result
from flexmb.view.plots.abscissa import Abscissa
from flexmb.view.plots.channels import is_deflection
from flexmb.view.plots.panels import Line, Panel, with_peaks
from flexmb.view.plots.unit_texts import handy_unit

MILLIMETRE = 1e-3
_LABELLED = 3
"""Most lines of a panel with labelled peaks"""


def drawn_unit(result: Result, selection: Selection) -> tuple[float, str]:
    """The unit in which a channel is drawn, and its factor to the unit of the channel."""
    path = selection.channel.path
    if selection.unit == "m" and (is_deflection(result, path) or path.endswith("/elastic_position")):
        return MILLIMETRE, "mm"
    return 1.0, selection.unit


def by_unit(result: Result, selections: Sequence[Selection], axis: Abscissa, title: str = "") -> list[Panel]:
    """One panel per unit, with labelled peaks if there are few curves."""
    found: dict[str, list[list[Line]]] = {}
    for selection in dict.fromkeys(scalar for one in selections for scalar in one.scalars):
        factor, unit = drawn_unit(result, selection)
        curves = found.setdefault(unit, [])
        curves.append(axis.lines(selection.label, result.read(selection) / factor, len(curves)))
    return [_panel(unit, curves, axis, title) for unit, curves in found.items()]


def _panel(unit: str, curves: Sequence[Sequence[Line]], axis: Abscissa, title: str) -> Panel:
    lines = [line for curve in curves for line in curve]
    size = max((float(np.nanmax(np.abs(line.y), initial=0.0)) for line in lines), default=0.0)
    factor, shown = handy_unit(unit, size)
    # Earlier turns are drawn below all last ones.
    lines = sorted((replace(line, y=line.y / factor) for line in lines), key=lambda line: line.kind != "earlier")
    only = curves[0][-1].name if len(curves) == 1 else ""
    head = title[:1].upper() + title[1:]
    panel = axis.panel(only or head, shown, lines, y_name=title if unit == "mm" else "")
    return with_peaks(panel) if len(curves) <= _LABELLED else panel
