"""Plots of modes over a parameter (Campbell diagram) and of frequency responses, as panels on a sheet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from flexmb.results.modal_result import Sweep
from flexmb.view.plots.panels import Line, Panel, limited, with_maxima
from flexmb.view.plots.sheet import write_sheet

ROUNDING = 1e-9  # damping ratios below are those of an undamped mode, as in the table of modes


def draw_sweep(sweep: Sweep, target: Path) -> None:
    """Plot frequencies over the parameter, with damping ratios below."""
    panels = []
    ratios = np.where(np.abs(sweep.ratios) > ROUNDING, sweep.ratios, 0.0 * sweep.ratios)
    for title, unit, table in (("natural frequencies", "Hz", sweep.frequencies), ("damping ratios", "1", ratios)):
        lines = [Line(f"mode {k + 1}", sweep.values, table[:, k], None, k) for k in range(table.shape[1])]
        shown, note = limited(lines)
        panels.append(Panel(title, sweep.name, "1", unit, shown, y_name=title, note=note))
    real = sweep.real.reshape(len(sweep.values), -1)
    if real.shape[1]:
        title = "real eigenvalues"
        lines = [Line(f"real {k + 1}", sweep.values, real[:, k], None, k) for k in range(real.shape[1])]
        shown, note = limited(lines)
        panels.append(Panel(title, sweep.name, "1", "1/s", shown, y_name=title, note=note))
    write_sheet(panels, target, f"{sweep.model}: modes over {sweep.name}", in_columns=False, dark=False)


def draw_response(title: str, frequencies: Any, response: Any, target: Path) -> None:
    """Plot amplitude and phase of a frequency response."""
    size = np.abs(response)
    amplitude = Panel(
        "amplitude", "frequency", "Hz", "1", (Line("amplitude", frequencies, size, None, 0),), y_name="amplitude, SI",
        log=bool(np.all(size > 0.0)),
    )  # fmt: skip
    phase = np.degrees(np.unwrap(np.angle(response)))
    turn = Panel("phase", "frequency", "Hz", "deg", (Line("phase", frequencies, phase, None, 1),), y_name="phase")
    write_sheet([with_maxima(amplitude), turn], target, title, in_columns=False, dark=False)
