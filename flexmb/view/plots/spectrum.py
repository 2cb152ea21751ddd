"""Spectra of channels as panels of a plot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Floats
from flexmb.results.channel_names import Selection
from flexmb.results.result_file import Result
from flexmb.results.spectrum import amplitudes
from flexmb.view.plots.chosen import drawn_unit
from flexmb.view.plots.panels import Line, Panel, Peak, limited
from flexmb.view.plots.unit_texts import quantity

_MOST_SPECTRA = 6
_MOST_PEAKS = 4
_NOISE = 1e-3
"""Part of the largest amplitude below which amplitudes are not of interest."""
_LEAST_ROWS = 16


def spectrum_panels(result: Result, selections: Sequence[Selection], title: str = "") -> list[Panel]:
    """Spectra of channels, one panel per unit; empty for a run that is too short or at rest."""
    found: dict[str, list[Line]] = {}
    time = result.time
    for selection in dict.fromkeys(scalar for one in selections for scalar in one.scalars):
        factor, unit = drawn_unit(result, selection)
        values = result.read(selection) / factor
        lines = found.setdefault(unit, [])
        if np.isfinite(values).sum() >= _LEAST_ROWS and np.nanmin(values) < np.nanmax(values) and time[-1] > time[0]:
            lines.append(Line(selection.label, *amplitudes(time, values), None, len(lines)))
    return [_panel(unit, lines, title, 2.0 / float(time[-1] - time[0])) for unit, lines in found.items() if lines]


def _panel(unit: str, lines: Sequence[Line], title: str, resolution: float) -> Panel:
    shown, note = limited(lines, _MOST_SPECTRA)
    end = max(_useful_end(line.x, line.y) for line in shown)
    top = max(float(line.y.max()) for line in shown)
    peaks = [
        Peak(float(line.x[row]), float(line.y[row]), quantity(float(line.x[row]), "Hz"), None, line.color)
        for line in shown
        for row in _highest(line.y, _MOST_PEAKS)
    ]
    peaks.sort(key=lambda peak: -peak.y)
    peaks = [peak for k, peak in enumerate(peaks) if all(abs(peak.x - other.x) > resolution for other in peaks[:k])]
    cut = tuple(Line(line.name, line.x[line.x <= end], line.y[line.x <= end], None, line.color) for line in shown)
    title = title or f"Spectrum of {shown[0].name}" * (len(shown) == 1) or "Spectra"
    kept = tuple(peaks[: _MOST_PEAKS + len(shown)])
    ends = (_NOISE * top, 2.0 * top)
    return Panel(title, "frequency", "Hz", unit, cut, kept, "amplitude", note, log=True, x_range=(0, end), y_range=ends)


def _useful_end(frequency: Floats, size: Floats) -> float:
    """Frequency above which amplitudes are not of interest [Hz]."""
    loud = np.flatnonzero(size > _NOISE * size.max())
    return float(frequency[min(len(frequency) - 1, int(1.1 * loud[-1]) + 1)])


def _highest(size: Floats, most: int) -> list[int]:
    """Rows of the highest peaks that fall to less than half of their height on both sides before a higher one comes."""
    inner = np.flatnonzero((size[1:-1] > size[:-2]) & (size[1:-1] >= size[2:])) + 1
    found: list[int] = []
    for row in inner[np.argsort(-size[inner], kind="stable")]:
        if len(found) == most or size[row] < 10.0 * _NOISE * size.max():
            break
        if all(size[min(row, other) : max(row, other)].min() < 0.5 * size[row] for other in found):
            found.append(int(row))
    return found
