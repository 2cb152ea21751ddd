"""Efforts and reactions of inverse dynamics as a table for other tools: a header with units, then a row per instant."""

from __future__ import annotations

import csv
import os
from typing import Any

import numpy as np

from flexmb.axes import AXES
from flexmb.output_files import drafted
from flexmb.results.inverse_result import InverseDynamics


def reaction_columns(inverse: InverseDynamics) -> dict[str, Any]:
    """Columns by header: time, efforts, residuals of fitted motions, then position, force and moment of every joint on
    its second body, world axes."""
    columns = {"time [s]": inverse.result.time}
    for drive in inverse.drives:
        columns[f"{drive.name}.effort [{drive.unit}]"] = drive.effort
    for motion in inverse.fit.motions if inverse.fit is not None else ():
        columns[f"{motion.motion}.residual [{motion.unit}]"] = motion.residual
    for name, reaction in inverse.reactions.items():
        for letter, unit, vectors in (
            ("p", "m", reaction.position),
            ("f", "N", reaction.force_world),
            ("m", "N*m", reaction.moment_world),
        ):
            for axis, values in zip(AXES, vectors.T, strict=True):
                columns[f"{name}.{letter}{axis} [{unit}]"] = values
    return columns


def write_reactions(inverse: InverseDynamics, path: str | os.PathLike[str]) -> None:
    """Write the columns to a .csv file, numbers at full precision."""
    columns = reaction_columns(inverse)
    with drafted(path, ".csv") as draft, draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([repr(float(value)) for value in row] for row in np.column_stack([*columns.values()]))
