"""Panels for the page: names, units, and the numbers of their arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.view.plots.panels import Line, Panel, limited, thinned
from flexmb.view.plots.texts import HEAD, TITLE, shortened
from flexmb.view.plots.unit_texts import unit_text
from flexmb.view.report.array_pool import ArrayPool
from flexmb.view.scene import Part, Scene

MOST_POINTS = 2400
_FEW_POINTS = 3000
"""Points of a part that are searched for its largest deflection."""
_FRAMES = 64


def chart_of(panel: Panel, pool: ArrayPool) -> dict[str, Any]:
    """A panel as JSON values."""
    return {
        "title": shortened(panel.title, HEAD),
        "note": shortened(panel.note, TITLE),
        "xName": shortened(panel.x_name),
        "xUnit": unit_text(panel.x_unit),
        "yUnit": unit_text(panel.y_unit),
        "xLabel": shortened(panel.x_label, HEAD),
        "yLabel": shortened(panel.y_label),
        "height": panel.height,
        "log": panel.log,
        "xRange": panel.x_range,
        "yRange": panel.y_range,
        "xStep": panel.x_step,
        "lines": [_line(thinned(line, MOST_POINTS), pool) for line in panel.lines],
        "peaks": [
            {"x": peak.x, "y": peak.y, "text": peak.text, "time": peak.time, "color": peak.color, "isLow": peak.is_low}
            for peak in panel.peaks
            if np.isfinite([peak.x, peak.y]).all()
        ],
    }


def _line(line: Line, pool: ArrayPool) -> dict[str, Any]:
    time = None if line.time is None else pool.add(line.time)
    x, y = (pool.add(np.where(np.isfinite(values), values, np.nan)) for values in (line.x, line.y))
    return {"name": shortened(line.name), "kind": line.kind, "color": line.color, "x": x, "y": y, "time": time}


def largest_deflections(part: Part) -> Floats:
    """(f,) largest deflection of a part at every frame [m], over a sample of its points."""
    some = np.unique(np.linspace(0, len(part.points) - 1, _FEW_POINTS).astype(np.int64))
    shapes = part.shapes[part.carried :, some].reshape(part.n_shapes - part.carried, -1)
    weights = part.amplitudes[:, part.carried :].astype(np.float32)
    largest = [
        np.sqrt(((block @ shapes).reshape(len(block), -1, 3) ** 2).sum(axis=2).max(axis=1))
        for block in np.array_split(weights, 1 + len(weights) // _FRAMES)
    ]
    return np.concatenate(largest).astype(float)


def deflection_panel(scene: Scene, x: Floats, unit: str, histories: Sequence[tuple[str, Floats]]) -> Panel | None:
    """The largest deflection of every flexible body over time; None if nothing is flexible."""
    if not histories or len(scene.time) < 2:
        return None
    lines = [Line(name, x, 1e3 * values, scene.time, k) for k, (name, values) in enumerate(histories)]
    shown, note = limited(lines)
    ends = (float(x[0]), float(x[-1]))
    title = "Largest deflection of any point" + (f" of {shown[0].name}" if len(shown) == 1 else "")
    return Panel(title, "time", unit, "mm", shown, y_name="|u|", note=note, x_range=ends)
