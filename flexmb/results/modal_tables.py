"""Modes, sweeps and frequency responses as files for other tools: matrices as .npz or .mat, tables as .csv."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.output_files import drafted
from flexmb.results.modal_result import ModalResult, Sweep


def write_matrices(modal: ModalResult, path: Path) -> None:
    """A, B, C, D, M, damping, stiffness, eigenvalues, mode shapes and names as .npz or .mat."""
    linear = modal.linear
    values: dict[str, Any] = {"A": linear.A, "B": linear.B, "C": linear.C, "D": linear.D, "M": linear.M}
    if linear.damping is not None and linear.stiffness is not None:
        values |= {"damping": linear.damping, "stiffness": linear.stiffness}
    values["eigenvalues"] = np.array([mode.eigenvalue for mode in modal.modes], dtype=complex)
    shapes = [mode.shape for mode in modal.modes]
    values["shapes"] = np.array(shapes, dtype=complex).reshape(len(shapes), modal.system.n_v).T
    names = {
        "states": linear.states,
        "inputs": linear.inputs,
        "outputs": linear.outputs,
        "coordinates": modal.system.coordinates,
    }
    suffix = path.suffix.lower()
    with drafted(path, suffix) as draft:
        if suffix == ".npz":
            np.savez(draft, allow_pickle=False, **values, **{key: np.array(words, str) for key, words in names.items()})
        else:
            from scipy.io import savemat

            cells = {key: np.array(words, dtype=object).reshape(-1, 1) for key, words in names.items()}
            savemat(draft, values | cells, appendmat=False, do_compression=True)


def write_table(path: Path, header: list[str], rows: list[list[Any]]) -> None:
    """A table as .csv, numbers at full precision."""
    with drafted(path, ".csv") as draft, open(draft, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([[repr(float(x)) if isinstance(x, float) else x for x in row] for row in rows])


def mode_table(modal: ModalResult) -> tuple[list[str], list[list[Any]]]:
    """Header and rows of the table of modes, numbered as in the report; free motions have the number 0."""
    bodies = list(modal.modes[0].bodies) if modal.modes else []
    numbers = {id(mode): number for number, mode in enumerate(modal.shown, start=1)}
    header = ["mode", "frequency [Hz]", "damping ratio", "real [1/s]", "imaginary [1/s]", "moves most", "deformation"]
    rows = [
        [
            numbers.get(id(mode), 0),
            mode.frequency,
            mode.damping_ratio,
            mode.eigenvalue.real,
            mode.eigenvalue.imag,
            mode.coordinate,
        ]
        + [mode.elastic, *(mode.bodies[name] for name in bodies)]
        for mode in modal.modes
    ]
    return [*header, *(f"share of {name}" for name in bodies)], rows


def sweep_table(sweep: Sweep) -> tuple[list[str], list[list[Any]]]:
    """Header and rows for a file."""
    count = sweep.frequencies.shape[1]
    header = [sweep.name, *(f"mode {k + 1} [Hz]" for k in range(count)), *(f"ratio {k + 1}" for k in range(count))]
    real = sweep.real.reshape(len(sweep.values), -1)
    header += [f"real {k + 1} [1/s]" for k in range(real.shape[1])]
    columns = np.column_stack([sweep.values, sweep.frequencies, sweep.ratios, real])
    return header, [[float(x) for x in row] for row in columns]


def response_table(frequencies: Floats, response: Any) -> tuple[list[str], list[list[Any]]]:
    """Header and rows for a file; response (f,) at frequencies (f,) [Hz]."""
    header = ["frequency [Hz]", "amplitude", "phase [rad]", "real", "imaginary"]
    columns = [frequencies, np.abs(response), np.angle(response), response.real, response.imag]
    return header, [[float(x) for x in row] for row in np.column_stack(columns)]
