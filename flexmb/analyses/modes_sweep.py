"""Modes over a parameter (Campbell diagram).

In: a model file with settings and the values of one parameter. Out: a `Sweep`.
Modes are followed over the parameter by their shapes: lines cross where modes do (see `mode_tracking`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from flexmb.analyses.mode_tracking import spectrum_of, tracked
from flexmb.analyses.modes import modes_of_model
from flexmb.arrays import Floats
from flexmb.model.model_file import read_model
from flexmb.results.modal_result import ModalResult, Sweep
from flexmb.warning import WarningRecord


def sweep_modes(
    path: str | os.PathLike[str], settings: Mapping[str, str], name: str, values: Sequence[float], about: str, most: int
) -> Sweep:
    """The `most` lowest oscillating modes and all real eigenvalues for every value of a parameter or key."""

    def modal_at(value: float) -> ModalResult:
        return modes_of_model(read_model(path, {**settings, name: f"{value:.15g}"}), about=about)

    spectra, title, is_moving = [], "", False
    warnings: list[WarningRecord] = []
    real: list[list[float]] = []
    n_free = []
    for value in values:
        modal = modal_at(value)
        title = modal.system.name
        is_moving = is_moving or modal.is_moving
        spectra.append(spectrum_of(modal))
        real.append(sorted((mode.eigenvalue.real for mode in modal.shown if mode.frequency == 0.0), reverse=True))
        n_free.append(len(modal.modes) - len(modal.shown))
        warnings += [replace(one, text=f"{name} = {value:g}: {one.text}") for one in modal.warnings]
    table = tracked(values, spectra, lambda value: spectrum_of(modal_at(value)))
    table = table[:, _chosen(np.abs(table.imag), most)]
    frequencies, ratios = np.abs(table.imag) / (2.0 * np.pi), -table.real / np.abs(table)
    numbers = np.array(values, dtype=float)
    counts = np.array(n_free, dtype=int)
    return Sweep(name, title, numbers, frequencies, ratios, tuple(warnings), is_moving, _padded(real), counts)


def _padded(rows: list[list[float]]) -> Floats:
    """Rows of different lengths as a table, filled with NaN."""
    table = np.full((len(rows), max(map(len, rows), default=0)), np.nan)
    for line, row in zip(table, rows, strict=True):
        line[: len(row)] = row
    return table


def _chosen(frequencies: Floats, most: int) -> list[int]:
    """Columns of the lowest lines, in the order of their first frequencies."""
    if not frequencies.size:
        return []
    lowest = np.argsort(np.nanmin(frequencies, axis=0), kind="stable")[:most]
    first = np.argmax(~np.isnan(frequencies), axis=0)
    return sorted((int(k) for k in lowest), key=lambda k: (first[k], frequencies[first[k], k]))
