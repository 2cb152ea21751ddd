"""Result channels as tables for other tools: choice of channels, and CSV with a header of names and units.

Numbers are written at full precision. MATLAB and Parquet files: see `binary_tables.py`.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence

import numpy as np

from flexmb.errors import InputError
from flexmb.output_files import drafted
from flexmb.results.channel_names import Selection
from flexmb.results.result_file import Result

_BLOCK_ROWS = 4096
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def default_paths(result: Result) -> tuple[list[str], list[str]]:
    """Default channels: sensors and joint positions; without both, the poses of the bodies."""
    sensors = [path for path in result.channels if path.startswith("sensors/")]
    joints = [path for path in result.channels if path.startswith("joints/") and path.endswith("/position")]
    if sensors or joints:
        return sensors, joints
    poses = ("/position", "/quaternion")
    return [], [path for path in result.channels if path.startswith("bodies/") and path.endswith(poses)]


def default_selections(result: Result) -> list[Selection]:
    """The channels that are exported by default."""
    sensors, positions = default_paths(result)
    return result.names.find_all(sensors + positions)


def chosen_selections(result: Result, channels: Sequence[str] = ()) -> list[Selection]:
    """The channels of these names, or those of `default_paths`; without the time, which every table contains."""
    chosen = result.names.find_all(channels) if channels else default_selections(result)
    empty = [one for one in chosen if not one.scalars] if channels else []
    if empty:
        paths = ", ".join(f"'{one.channel.path}'" for one in empty)
        raise InputError(f"Nothing to export: {paths} has no columns in this run.")
    time = result.names.find("time")
    return [one for one in dict.fromkeys(chosen) if one != time]


def table_columns(result: Result, channels: Sequence[str] = ()) -> list[Selection]:
    """The time and every column of the chosen channels, one by one."""
    chosen = chosen_selections(result, channels)
    return [result.names.find("time"), *dict.fromkeys(scalar for one in chosen for scalar in one.scalars)]


def export_csv(result: Result, path: str | os.PathLike[str], channels: Sequence[str] = ()) -> int:
    """Write the time and the chosen channels (default: see `default_paths`); return the number of rows.

    The header gives name and unit of every column, "bearing.angle [rad]"; numbers read back to the same float64.
    """
    columns = table_columns(result, channels)
    with drafted(path, ".csv") as draft, open(draft, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([_head(column) for column in columns])
        for first in range(0, result.n_rows, _BLOCK_ROWS):
            last = min(first + _BLOCK_ROWS, result.n_rows)
            block = np.column_stack([result.read(column, first, last) for column in columns])
            table.writerows([repr(number) for number in row] for row in block.tolist())
    return result.n_rows


def _head(column: Selection) -> str:
    """Name and unit of a column; names that begin like a formula are protected from spreadsheets."""
    text = f"{column.label} [{column.unit}]"
    return f"'{text}" if text.startswith(_FORMULA) else text


def channel_table(result: Result) -> str:
    """All channels with their number of columns, unit and meaning."""
    units = {path: ", ".join(dict.fromkeys(info.units)) for path, info in result.channels.items()}
    width, unit_width = max(map(len, units)), max(map(len, units.values()))
    return "\n".join(
        f"{path:<{width}}  {info.width:>4}  {units[path]:<{unit_width}}  {info.text}"
        for path, info in result.channels.items()
    )
