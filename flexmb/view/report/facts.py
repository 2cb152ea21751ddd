"""Key figures of a run: largest deflection, stress and reaction with place and time; energy balance, wall time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.results.extremes import Extremes
from flexmb.results.result_file import Result
from flexmb.results.stress_findings import StressFindings
from flexmb.view.plots import channels
from flexmb.view.plots.texts import HEAD, shortened
from flexmb.view.plots.unit_texts import handy_unit, number_text, quantity, unit_text
from flexmb.view.report.charts import largest_deflections
from flexmb.view.report.health import Verdict, balance_check, is_static
from flexmb.view.scene import Part, Scene

_NEAR = 0.02
"""Distance from a named point, as a part of the size of a body, within which a place gets its name."""
_ROUND_OFF = 1e-14
"""Part of the largest value of a sensor that counts as zero."""
_LONG = 0.5
"""Runs shorter than this are reported in milliseconds [s]."""


@dataclass(frozen=True)
class Headline:
    """A key figure at the top of the page."""

    name: str
    value: str
    unit: str
    detail: str
    time: float | None = None
    """Its time [s]"""
    verdict: Verdict = "note"


@dataclass(frozen=True)
class Clock:
    """Format of the times of a run: seconds, or milliseconds for a short run."""

    factor: float
    unit: str

    def text(self, time: float) -> str:
        """A time [s] in the unit that suits the whole run."""
        return quantity(time / self.factor, self.unit, 5)


def clock_of(result: Result) -> Clock:
    """The clock of this run."""
    span = float(result.time[-1] - result.time[0])
    return Clock(*handy_unit("s", span if 0.0 < span < _LONG else 1.0))


def headlines(
    result: Result, scene: Scene | None, histories: dict[str, Floats], stress: StressFindings | None = None
) -> list[Headline]:
    """The key figures of a run; `histories`: largest deflection of every flexible part at the frames [m]."""
    found: list[Headline] = []
    if scene is not None and histories:
        found.append(_deflection(scene, histories))
        found += [_stress(scene, stress)] if stress is not None else []
    found += _reactions(result)
    summary = result.summary
    if "energy_balance" in summary:
        check = balance_check(summary["energy_balance"], summary.get("peak_energy", np.nan))
        number = number_text(summary["energy_balance"], 2)
        found.append(Headline("Energy balance error", number, "", "relative to the peak energy", None, check.verdict))
    if summary.get("wall_time", 0.0) > 0.0:
        factor, unit = handy_unit("s", summary["wall_time"])
        factor, unit = (1.0, "s") if summary["wall_time"] >= 0.1 else (factor, unit)
        detail = "to find the equilibrium" if is_static(result) else f"for {int(summary.get('steps', 0))} steps"
        found.append(Headline("Wall time", number_text(summary["wall_time"] / factor, 3), unit_text(unit), detail))
    return found


def _deflection(scene: Scene, histories: dict[str, Floats]) -> Headline:
    name = max(histories, key=lambda one: float(histories[one].max(initial=0.0)))
    frame = int(np.argmax(histories[name]))
    part = scene.part(name)
    sizes = np.linalg.norm(part.deflection(frame), axis=1)
    point = int(np.argmax(sizes))
    length = float((part.points.max(axis=0) - part.points.min(axis=0)).max())
    share = f", {number_text(100.0 * float(sizes[point]) / length, 3)}\u00a0% of its length" if length > 0.0 else ""
    detail = f"{shortened(name)}, {place_of(part, point)}{share}"
    value = number_text(1e3 * float(sizes[point]))
    return Headline("Largest deflection", value, "mm", detail, float(scene.time[frame]))


def place_of(part: Part, point: int) -> str:
    """Text of a place: the name of a point nearby, else its coordinates in the axes of the part."""
    at, size = part.points[point], float(np.ptp(part.points, axis=0).max())
    for name, number in part.marks.items():
        if np.linalg.norm(part.points[number] - at) <= _NEAR * size:
            return f"at its {name}" if name in ("start", "middle", "end") else f"at {shortened(name)}"
    x, y, z = (number_text(1e3 * float(value), 3) for value in np.where(np.abs(at) > 1e-6 * size, at, 0.0))
    node = f"node {part.nodes[point]}, " if part.nodes is not None else ""
    return f"{node}at ({x}, {y}, {z})\u00a0mm in its axes"


def _stress(scene: Scene, stress: StressFindings) -> Headline:
    body = max(stress.bodies, key=lambda body: float(body.envelope.von_mises.max()))
    point = int(np.argmax(body.envelope.von_mises))
    at = place_of(scene.part(body.envelope.body), point)
    value, when = float(body.envelope.von_mises[point]), float(body.envelope.von_mises_time[point])
    detail = f"{shortened(body.envelope.body)}, {at}"
    return Headline("Largest von Mises stress", number_text(1e-6 * value), "MPa", detail, when)


def _reactions(result: Result) -> Iterator[Headline]:
    for what, unit in (("force", "N"), ("moment", "N*m")):
        best: tuple[float, str, int] = (0.0, "", 0)
        for path in channels.reaction_paths(result, what):
            sizes = np.linalg.norm(result[path].reshape(result.n_rows, -1), axis=1)
            row = int(np.nanargmax(sizes)) if np.isfinite(sizes).any() else 0
            if sizes[row] > best[0]:
                best = (float(sizes[row]), path.split("/", 1)[1].rsplit("/", 1)[0], row)
        if best[0] > 0.0:
            factor, shown = handy_unit(unit, best[0])
            value = number_text(best[0] / factor)
            when = float(result.time[best[2]])
            yield Headline(f"Largest reaction {what}", value, unit_text(shown), f"joint {shortened(best[1])}", when)


@dataclass(frozen=True)
class SensorRow:
    """Extreme values of a sensor."""

    name: str
    unit: str
    low: str
    low_time: float
    high: str
    high_time: float


def sensor_rows(result: Result) -> list[SensorRow]:
    """Smallest and largest values of the sensors, deflections in millimetres."""
    rows = []
    selections = [*channels.other_sensors(result)]
    selections += [one for one in channels.deflections(result) if one.channel.path.startswith("sensors/")]
    for selection in selections:
        factor, unit = (1e-3, "mm") if channels.is_deflection(result, selection.channel.path) else (1.0, selection.unit)
        found = Extremes()
        found.take(result.time, result.read(selection) / factor)
        if np.isnan(found.low):
            continue
        floor = _ROUND_OFF * max(abs(found.low), abs(found.high))
        low, high = (number_text(value if abs(value) > floor else 0.0, 5) for value in (found.low, found.high))
        rows.append(
            SensorRow(shortened(selection.label, HEAD), unit_text(unit), low, found.low_time, high, found.high_time)
        )
    return rows


def histories_of(scene: Scene | None) -> dict[str, Floats]:
    """Largest deflection of every flexible part at the frames of a scene [m]."""
    parts = scene.flexible if scene is not None else ()
    return {part.name: largest_deflections(part) for part in parts if part.n_shapes > part.carried}
