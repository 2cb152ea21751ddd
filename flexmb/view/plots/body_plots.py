"""Plot of a body reduced for a band: response of the full model against the reduced body, and the certified error."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.errors import InputError
from flexmb.output_files import replacing_fault, suffix_fault
from flexmb.view.plots.panels import Line, Panel, limited

_SMALLEST = 1e-16
"""Errors below are round-off, which a logarithmic axis need not show"""


def plot_body(body: ReducedBody, path: str | os.PathLike[str], *, dark: bool = False) -> None:
    """Write the plot (.png, .svg, .pdf) of the certificate of a body."""
    from flexmb.view.plots import FORMATS

    target = Path(path)
    if fault := suffix_fault(target, FORMATS) or replacing_fault(target, target.suffix.lower()):
        raise InputError(fault)
    panels = response_panels(body)
    from flexmb.view.plots.sheet import write_sheet

    write_sheet(panels, target, f"{body.name}: frequency response", in_columns=False, dark=dark)


def response_panels(body: ReducedBody) -> list[Panel]:
    """Displacement per force at every interface, full and reduced, and the error of the transfer between them all."""
    found = body.report.get("certificate") if isinstance(body.report, Mapping) else None
    if not isinstance(found, Mapping):
        raise InputError(
            f"the body '{body.name}' has no frequency response to plot. Reduce its mesh with --band, e.g. '0:2 kHz'."
        )
    try:
        hertz, errors = _numbers(found["frequencies"]), _numbers(found["errors"])
        lines = []
        for color, (name, responses) in enumerate(found["interfaces"].items()):
            full, reduced = (_numbers(responses[key]) for key in ("full", "reduced"))
            lines += [
                Line(f"{name}, full", hertz, full, None, color),
                Line(f"{name}, reduced", hertz, reduced, None, color, "dashed"),
            ]
        allowed = float(found["allowed"])
        if any(len(line.y) != len(hertz) for line in lines) or len(errors) != len(hertz):
            raise ValueError
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(
            f"the frequency response in the body '{body.name}' is damaged. Reduce its mesh again."
        ) from None
    shown, note = limited(lines)
    error_lines = (
        Line("error", hertz, np.maximum(errors, _SMALLEST), None, 0),
        Line("allowed", hertz[[0, -1]], np.array([allowed, allowed]), None, 1, "dashed"),
    )
    return [
        Panel(
            "Elastic displacement per force, largest direction", "frequency", "Hz", "m/N", shown, y_name="receptance",
            note=note, log=True,
        ),
        Panel(
            "Relative error of the transfer between all interfaces", "frequency", "Hz", "1", error_lines,
            y_name="error", log=True,
        ),
    ]  # fmt: skip


def _numbers(values: Any) -> Floats:
    numbers = np.array(values, dtype=np.float64)
    if numbers.ndim != 1 or not len(numbers) or not (np.isfinite(numbers) & (numbers >= 0.0)).all():
        raise ValueError
    return numbers
