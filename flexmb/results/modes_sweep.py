"""Modes over a parameter (Campbell diagram) and frequency responses: tables of them as text and for files.

In: a model file with settings and the values of one parameter, or linearised equations and frequencies. Out: rows.
Modes are followed over the parameter by their shapes: lines cross where modes do (see `mode_tracking`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmb.results.mode_tracking import spectrum_of, tracked
from flexmb.results.modes_report import MOVING, ModalReport, modes_of_model
from flexmb.results.report import entry
from flexmb.system.model_file import read_model

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sweep:
    """Frequencies and damping ratios over a parameter, a column for every mode as it is followed by its shape; lowest
    first where they begin; NaN where a mode does not oscillate."""

    name: str
    model: str
    values: Floats
    """(n_values,) of the parameter, SI or as the model takes them"""
    frequencies: Floats
    """(n_values, n_modes) [Hz]"""
    ratios: Floats
    """(n_values, n_modes) of critical damping"""
    notes: tuple[str, ...]
    is_moving: bool = False
    """Whether the mechanism moves in some of the states."""


def sweep_modes(
    path: str | os.PathLike[str], settings: Mapping[str, str], name: str, values: Sequence[float], about: str, most: int
) -> Sweep:
    """Modes that oscillate of the model for every value of a parameter or key, the `most` ones that come lowest."""

    def report_at(value: float) -> ModalReport:
        return modes_of_model(read_model(path, {**settings, name: f"{value:.15g}"}), about=about)

    spectra, notes, title, is_moving = [], [], "", False
    for value in values:
        report = report_at(value)
        title = report.system.name
        is_moving = is_moving or report.is_moving
        spectra.append(spectrum_of(report))
        notes += [f"{name} = {value:g}: {note}" for note in report.linear.notes]
    table = tracked(values, spectra, lambda value: spectrum_of(report_at(value)))
    table = table[:, _chosen(np.abs(table.imag), most)]
    frequencies, ratios = np.abs(table.imag) / (2.0 * np.pi), -table.real / np.abs(table)
    return Sweep(name, title, np.array(values, dtype=float), frequencies, ratios, tuple(notes), is_moving)


def _chosen(frequencies: Floats, most: int) -> list[int]:
    """Columns of the lines that come lowest, in the order in which they begin."""
    if not frequencies.size:
        return []
    lowest = np.argsort(np.nanmin(frequencies, axis=0), kind="stable")[:most]
    first = np.argmax(~np.isnan(frequencies), axis=0)
    return sorted((int(k) for k in lowest), key=lambda k: (first[k], frequencies[first[k], k]))


def sweep_text(sweep: Sweep) -> str:
    """The frequencies as a table."""
    lines = [f"{sweep.model or 'unnamed model'}: frequencies [Hz] over {sweep.name}", ""]
    if sweep.notes:
        more = f" ({len(sweep.notes)} of {len(sweep.values)} values have notes)" if len(sweep.notes) > 1 else ""
        lines += [*entry("NOTE", f"{sweep.notes[0]}{more}"), ""]
    count = sweep.frequencies.shape[1]
    if sweep.is_moving and count:
        lines += [*entry("seen from", MOVING), ""]
    if not count:
        return "\n".join([*lines, "  no mode oscillates"])
    width = max(12, len(sweep.name) + 2)
    lines.append(f"{sweep.name:>{width}}" + "".join(f"{f'mode {k + 1}':>13}" for k in range(count)))
    for value, row in zip(sweep.values, sweep.frequencies, strict=True):
        cells = "".join(f"{'-' if np.isnan(x) else f'{x:.6g}':>13}" for x in row)
        lines.append(f"{value:>{width}.6g}{cells}")
    return "\n".join(lines)


def sweep_table(sweep: Sweep) -> tuple[list[str], list[list[Any]]]:
    """Header and rows for a file."""
    count = sweep.frequencies.shape[1]
    header = [sweep.name, *(f"mode {k + 1} [Hz]" for k in range(count)), *(f"ratio {k + 1}" for k in range(count))]
    columns = np.column_stack([sweep.values, sweep.frequencies, sweep.ratios])
    return header, [[float(x) for x in row] for row in columns]


def response_text(report: ModalReport, names: tuple[str, str], frequencies: Floats, response: Any, most: int) -> str:
    """State and notes of the response (f,) at frequencies (f,) [Hz], its largest value, and as many rows as may be
    printed."""
    lines = [f"{report.system.name or 'unnamed model'}: response of {names[1]} to {names[0]}", ""]
    lines += entry("state", report.state)
    if report.is_moving:
        lines += entry("seen from", MOVING)
    for note in report.linear.notes:
        lines += entry("NOTE", note)
    size = np.abs(response)
    top = int(np.argmax(size))
    lines += entry("largest", f"{size[top]:.6g} at {frequencies[top]:.6g} Hz (amplitude in SI units, input of 1)")
    lines += ["", f"  {'frequency [Hz]':>16}{'amplitude':>15}{'phase [deg]':>15}"]
    rows = np.unique(np.linspace(0, len(frequencies) - 1, min(most, len(frequencies))).round().astype(int))
    for i in rows:
        lines.append(f"  {frequencies[i]:>16.6g}{size[i]:>15.6g}{np.degrees(np.angle(response[i])):>15.2f}")
    return "\n".join(lines)


def response_table(frequencies: Floats, response: Any) -> tuple[list[str], list[list[Any]]]:
    """Header and rows for a file; response (f,) at frequencies (f,) [Hz]."""
    header = ["frequency [Hz]", "amplitude", "phase [rad]", "real", "imaginary"]
    columns = [frequencies, np.abs(response), np.angle(response), response.real, response.imag]
    return header, [[float(x) for x in row] for row in np.column_stack(columns)]
