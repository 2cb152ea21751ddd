"""Points of the work-precision diagram and their table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from report import Row, markdown_table, millimetres, milliseconds


@dataclass(frozen=True)
class Point:
    """One run of two turns of the flexible slider-crank."""

    code: str
    model: str
    steps: int
    error: float
    """[m]"""
    seconds: float | None
    """[s] CPU time; None: not timed, the run shows what the model converges to"""


class Found(NamedTuple):
    """Rows and the points they were read from."""

    rows: list[Row]
    points: list[Point]


def curves(points: list[Point]) -> dict[tuple[str, str], list[Point]]:
    """The points of every model by code and model, in the order of their steps."""
    found: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        found.setdefault((point.code, point.model), []).append(point)
    return {key: sorted(curve, key=lambda point: point.steps) for key, curve in found.items()}


def floors(points: list[Point]) -> dict[tuple[str, str], float]:
    """[m] What the error of every model tends to as its steps get smaller."""
    return {(point.code, point.model): point.error for point in points if point.seconds is None}


def points_table(points: list[Point]) -> str:
    """A line a model, a column a number of steps: error and CPU time; the last column is the error that remains."""
    counts = sorted({point.steps for point in points if point.seconds is not None})
    remaining = floors(points)
    lines = [["model", *(f"{count} steps" for count in counts), "small steps"]]
    for (code, model), curve in curves(points).items():
        cells = {
            point.steps: f"{millimetres(point.error)}, {milliseconds(point.seconds)}"
            for point in curve
            if point.seconds is not None
        }
        floor = remaining.get((code, model))
        last = "" if floor is None else millimetres(floor)
        lines.append([f"{code}: {model}", *(cells.get(count, "") for count in counts), last])
    return markdown_table(lines)
