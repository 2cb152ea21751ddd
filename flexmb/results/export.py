"""Result channels as a table for other tools: CSV with a header of names and units, numbers at full precision."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from flexmb.errors import InputError
from flexmb.results.channel_names import Selection
from flexmb.results.result_file import Result

_BLOCK_ROWS = 4096


def default_paths(result: Result) -> tuple[list[str], list[str]]:
    """What a user wants to see first: the sensors, and the joint positions; without both, the poses of the bodies."""
    sensors = [path for path in result.channels if path.startswith("sensors/")]
    joints = [path for path in result.channels if path.startswith("joints/") and path.endswith("/position")]
    if sensors or joints:
        return sensors, joints
    poses = ("/position", "/quaternion")
    return [], [path for path in result.channels if path.startswith("bodies/") and path.endswith(poses)]


def default_selections(result: Result) -> list[Selection]:
    """The channels that are exported when nobody says which."""
    sensors, positions = default_paths(result)
    return result.names.find_all(sensors + positions)


def export_csv(result: Result, path: str | os.PathLike[str], channels: Sequence[str] = ()) -> int:
    """Write the time and the chosen channels (default: see `default_paths`); the number of rows.

    The header gives name and unit of every column, "bearing.angle [rad]"; numbers read back to the same float64.
    """
    chosen = result.names.find_all(channels) if channels else default_selections(result)
    time = result.names.find("time")
    columns = [time, *(scalar for one in chosen for scalar in one.scalars if scalar != time)]
    target = Path(path)
    _check_target(target)
    try:
        with open(target, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow([f"{column.label} [{column.unit}]" for column in columns])
            for first in range(0, result.n_rows, _BLOCK_ROWS):
                last = min(first + _BLOCK_ROWS, result.n_rows)
                block = np.column_stack([result.read(column, first, last) for column in columns])
                table.writerows([repr(number) for number in row] for row in block.tolist())
    except OSError as error:
        raise InputError(f"Cannot write '{target}': {error.strerror or error}.") from error
    return result.n_rows


def _check_target(target: Path) -> None:
    """Refuse a folder, and to write over anything that is not a table: a model file, the result itself."""
    if target.is_dir():
        raise InputError(f"Cannot write '{target}': it is a folder.")
    if not target.parent.is_dir():
        raise InputError(f"Cannot write '{target}': there is no folder '{target.parent}'.")
    if target.is_file() and target.suffix.lower() != ".csv":
        raise InputError(
            f"'{target}' exists and its name does not end in .csv: it is not overwritten. Choose another name."
        )


def channel_table(result: Result) -> str:
    """All channels with their number of columns, unit and meaning."""
    units = {path: ", ".join(dict.fromkeys(info.units)) for path, info in result.channels.items()}
    width, unit_width = max(map(len, units)), max(map(len, units.values()))
    return "\n".join(
        f"{path:<{width}}  {info.width:>4}  {units[path]:<{unit_width}}  {info.text}"
        for path, info in result.channels.items()
    )
