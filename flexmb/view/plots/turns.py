"""The crank angle: the channel of a result that makes full turns, and curves over it with overlaid turns.

The last whole turn is drawn in colour, earlier ones in grey: this shows whether the motion is periodic.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.results.channel_names import Selection
from flexmb.results.result_file import Result
from flexmb.view.plots.panels import Line

TURN = 2.0 * np.pi
_LEAST_ROWS = 24
"""Fewest rows per turn for a smooth curve over the angle."""
_SMALL = 1e-9


@dataclass(frozen=True)
class Crank:
    """An angle that keeps turning in one direction."""

    name: str
    angle: Floats
    """(rows,) [rad]"""

    @property
    def n_turns(self) -> float:
        """Turns from the first to the last row."""
        return abs(float(self.angle[-1] - self.angle[0])) / TURN


def turns_over(angle: Floats) -> bool:
    """Whether an angle [rad] makes more than one turn in one direction, in steps fine enough to be drawn."""
    if len(angle) < _LEAST_ROWS or not np.isfinite(angle).all():
        return False
    steps, net = np.diff(angle), float(angle[-1] - angle[0])
    one_way = bool(np.all(steps * np.sign(net) >= -_SMALL))
    return one_way and abs(net) >= TURN * (1.0 - _SMALL) and float(np.abs(steps).max()) * _LEAST_ROWS <= TURN


def find_crank(result: Result) -> Crank | None:
    """The angle to draw over: a driven joint first, then the joint that turns most; None if none makes full turns."""
    driven = {str(motion.get("joint", "")).partition(".")[0] for motion in _tables(result, "motions")}
    found: list[tuple[bool, Crank]] = []
    for selection in _angles(result):
        angle = result.read(selection)
        if turns_over(angle):
            joint = selection.channel.path.split("/")[1]
            found.append((joint in driven, Crank(_name(result, selection, angle), angle)))
    return max(found, key=lambda entry: (entry[0], entry[1].n_turns), default=(False, None))[1]


def _tables(result: Result, section: str) -> list[dict[str, object]]:
    tables = result.settings.get(section)
    return [table for table in tables.values() if isinstance(table, dict)] if isinstance(tables, dict) else []


def _angles(result: Result) -> list[Selection]:
    paths = [path for path in result.channels if path.startswith("joints/") and path.endswith("/position")]
    return [scalar for path in paths for scalar in result.names.find(path).scalars if scalar.unit == "rad"]


def _name(result: Result, selection: Selection, angle: Floats) -> str:
    """The name of the sensor that shows this angle, else that of the joint."""
    for name in result.sensors:
        info = result.channels[f"sensors/{name}"]
        if info.unit == "rad" and not info.shape and np.array_equal(result[info.path], angle):
            return name
    return selection.label


def folded(name: str, angle: Floats, y: Floats, time: Floats, color: int) -> list[Line]:
    """A curve over the angle of a turn [deg]: the last whole turn as the main line, all before it as one other."""
    rising = angle[-1] > angle[0]
    if not rising:
        angle, y, time = angle[::-1], y[::-1], time[::-1]
    low, high = float(angle[0]), float(angle[-1])
    last, earlier = ((high - TURN, high), (low, high - TURN)) if rising else ((low, low + TURN), (low + TURN, high))
    columns = np.stack([angle, y, time], axis=1)
    lines = [Line(name, *_turn_upon_turn(columns, *last), color)]
    if earlier[1] - earlier[0] > _SMALL:
        lines.insert(0, Line(f"{name}, earlier", *_turn_upon_turn(columns, *earlier), color, "earlier"))
    return lines


def _turn_upon_turn(columns: Floats, low: float, high: float) -> tuple[Floats, Floats, Floats]:
    """x [deg], y and time [s] for angles from low to high; a gap (NaN) where one turn ends and the next begins."""
    angle = columns[:, 0]
    first, last = np.floor(low / TURN + _SMALL), np.ceil(high / TURN - _SMALL)
    pieces: list[Floats] = []
    for turn in np.arange(first, max(last, first + 1.0)):
        begin, end = max(low, TURN * turn), min(high, TURN * (turn + 1.0))
        inside = columns[np.searchsorted(angle, begin + _SMALL, "right") : np.searchsorted(angle, end - _SMALL)]
        ends = [[at, *(np.interp(at, angle, column) for column in columns.T[1:])] for at in (begin, end)]
        piece = np.vstack([ends[:1], inside, ends[1:]])
        piece[:, 0] = np.degrees(piece[:, 0] - TURN * turn)
        pieces += [np.full((1, 3), np.nan)] * bool(pieces) + [piece]
    x, y, time = np.vstack(pieces).T
    return x, y, time
