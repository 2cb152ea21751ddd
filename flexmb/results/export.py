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


def default_selections(result: Result) -> list[Selection]:
    """Sensors and joint positions; when there are none, the coordinates of the tree."""
    wanted = [
        p for p in result.channels if p.startswith("sensors/") or (p.startswith("joints/") and p.endswith("/position"))
    ]
    wanted = wanted or [path for path in ("coordinates/q",) if path in result.channels]
    return result.names.find_all(sorted(wanted, key=lambda path: not path.startswith("sensors/")))


def export_csv(result: Result, path: str | os.PathLike[str], channels: Sequence[str] = ()) -> int:
    """Write the time and the chosen channels (default: sensors and joint positions); the number of rows.

    The header gives name and unit of every column, "bearing.angle [rad]"; numbers read back to the same float64.
    """
    chosen = result.names.find_all(channels) if channels else default_selections(result)
    time = result.names.find("time")
    columns = [time, *(scalar for one in chosen for scalar in one.scalars if scalar != time)]
    target = Path(path)
    if target.is_dir():
        raise InputError(f"Cannot write '{target}': it is a folder.")
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


def channel_table(result: Result) -> str:
    """All channels with their number of columns, unit and meaning."""
    width = max(len(path) for path in result.channels)
    units = max(len(info.unit) for info in result.channels.values())
    return "\n".join(
        f"{path:<{width}}  {info.width:>4}  {info.unit:<{units}}  {info.text}" for path, info in result.channels.items()
    )
