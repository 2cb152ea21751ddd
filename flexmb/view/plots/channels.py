"""Channels of a result by type: deflections, other sensors, joint coordinates, reactions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexmb.results.channel_names import Selection
from flexmb.results.result_file import Result


def is_deflection(result: Result, path: str) -> bool:
    """Whether a channel is the deflection of a marker of a flexible body from the chord: drawn in millimetres."""
    kind, _, name = path.partition("/")
    sensors = result.settings.get("sensors")
    table = sensors.get(name) if kind == "sensors" and isinstance(sensors, dict) else None
    return isinstance(table, dict) and "deflection" in table and result.channels[path].units[0] == "m"


def deflections(result: Result) -> list[Selection]:
    """The deflection sensors; without any, the elastic coordinates that are lengths, largest first."""
    sensors = [path for path in _sensor_paths(result) if is_deflection(result, path)]
    if sensors:
        return _scalars(result, sensors)
    elastic = [path for path in result.channels if path.startswith("bodies/") and path.endswith("/elastic_position")]
    lengths = [selection for selection in _scalars(result, elastic) if selection.unit == "m"]
    sizes = {selection: _size(result, selection) for selection in lengths}
    return sorted((selection for selection in lengths if sizes[selection] > 0.0), key=lambda one: -sizes[one])[:6]


def other_sensors(result: Result) -> list[Selection]:
    """All sensors that are not deflections."""
    return _scalars(result, [path for path in _sensor_paths(result) if not is_deflection(result, path)])


def joint_coordinates(result: Result) -> list[Selection]:
    """Positions of the joints without quaternions, and without those that a sensor shows."""
    paths = [path for path in result.channels if path.startswith("joints/") and path.endswith("/position")]
    shown = [result.read(selection) for selection in other_sensors(result)]
    return [
        selection
        for selection in _scalars(result, paths)
        if selection.unit != "1" and not any(np.array_equal(result.read(selection), values) for values in shown)
    ]


def body_positions(result: Result) -> list[Selection]:
    """Positions of the bodies."""
    return _scalars(result, [p for p in result.channels if p.startswith("bodies/") and p.endswith("/position")])


def reaction_paths(result: Result, quantity: str) -> list[str]:
    """Channels of the reaction "force" or "moment" of every joint."""
    return [path for path in result.channels if path.startswith("joints/") and path.endswith(f"/{quantity}")]


def _sensor_paths(result: Result) -> list[str]:
    return [path for path in result.channels if path.startswith("sensors/")]


def _scalars(result: Result, paths: Iterable[str]) -> list[Selection]:
    return [scalar for selection in result.names.find_all(paths) for scalar in selection.scalars]


def _size(result: Result, selection: Selection) -> float:
    return float(np.nanmax(np.abs(result.read(selection)), initial=0.0))
