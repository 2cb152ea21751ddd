"""The standard plots of a result as panels: deflection, spectrum, sensors, joints, reactions, energy, step.

Deflections are in millimetres in panels of their own, never on one axis with the lengths of the mechanism, and over the
crank angle if a joint makes full turns. Reactions are magnitudes; the energy balance error has its own panel. A plot
for which a result has no data is an empty list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.results.result_file import Result
from flexmb.suggestions import did_you_mean
from flexmb.view.plots import channels
from flexmb.view.plots.abscissa import Abscissa, over_time
from flexmb.view.plots.chosen import by_unit
from flexmb.view.plots.panels import Line, Panel, limited, with_maxima, with_peaks
from flexmb.view.plots.spectrum import spectrum_panels
from flexmb.view.plots.turns import find_crank
from flexmb.view.plots.unit_texts import handy_unit, number_text, quantity

_MOST_JOINTS = 8
_NOTHING = 1e-3
"""Part of the largest reaction below which a reaction is not drawn, because it would coincide with the axis."""


def deflection(result: Result) -> list[Panel]:
    """Deflections [mm] over the crank angle, else over time."""
    selections = channels.deflections(result)
    crank = find_crank(result) if selections else None
    axis = Abscissa(crank.name, crank.angle, "rad", result.time, True) if crank else over_time(result)
    measured = any(channels.is_deflection(result, one.channel.path) for one in selections)
    return by_unit(result, selections, axis, "deflection" if measured else "elastic coordinates")


def spectrum(result: Result) -> list[Panel]:
    """Spectra of the deflections."""
    return spectrum_panels(result, channels.deflections(result), "Spectrum of the deflection")


def sensors(result: Result) -> list[Panel]:
    """Sensors that are not deflections, without the angle of a crank at constant speed."""
    selections = [one for one in channels.other_sensors(result) if not _is_straight(result.time, result.read(one))]
    return by_unit(result, selections, over_time(result), "sensors")


def joints(result: Result) -> list[Panel]:
    """Joint coordinates; positions of the bodies if there are neither joints nor sensors."""
    selections = channels.joint_coordinates(result)
    if selections or channels.other_sensors(result):
        return by_unit(result, selections, over_time(result), "joint coordinates")
    return by_unit(result, channels.body_positions(result), over_time(result), "bodies")


def reactions(result: Result) -> list[Panel]:
    """Magnitudes of the reaction forces and moments of the joints, the largest ones first."""
    axis, panels = over_time(result), []
    colors: dict[str, int] = {}  # a joint has the same colour in both panels
    for quantity_name, unit in (("force", "N"), ("moment", "N*m")):
        sizes: dict[str, Line] = {}
        for path in channels.reaction_paths(result, quantity_name):
            name = path.split("/", 1)[1].rsplit("/", 1)[0]
            sizes[name] = axis.line(name, np.linalg.norm(result[path].reshape(result.n_rows, -1), axis=1), 0)
        largest = {name: float(np.nanmax(line.y, initial=0.0)) for name, line in sizes.items()}
        floor = _NOTHING * max(largest.values(), default=0.0)
        names = sorted((name for name in sizes if largest[name] > floor), key=lambda name: -largest[name])
        if not names:
            continue
        factor, shown = handy_unit(unit, largest[names[0]])
        for name in names:
            colors.setdefault(name, len(colors))
        drawn = [replace(sizes[name], y=sizes[name].y / factor, color=colors[name]) for name in names]
        lines, note = limited(drawn, _MOST_JOINTS)
        if 0 < len(sizes) - len(names) <= _MOST_JOINTS:
            note = f"{', '.join(name for name in sizes if name not in names)}: below 0.1 %, not drawn"
        panels.append(with_maxima(axis.panel(f"Reaction {quantity_name}s", shown, lines, note, f"|{quantity_name}|")))
    return panels


def energy(result: Result) -> list[Panel]:
    """Energies, and separately the error of their balance: kinetic + potential - work - initial value."""
    paths = ("energy/kinetic", "energy/potential", "energy/work/total")
    if not all(path in result.channels for path in paths):
        return []
    axis = over_time(result)
    kinetic, potential, work = (result[path] for path in paths)
    total = kinetic + potential
    curves = {"kinetic": kinetic, "potential": potential, "kinetic + potential": total}
    if "energy/strain" in result.channels and np.any(result["energy/strain"] != 0.0):
        curves["strain (in potential)"] = result["energy/strain"]
    if np.any(work != 0.0):
        curves["work"] = work
    largest = float(np.nanmax(np.abs([kinetic, potential, total, work]), initial=0.0))
    factor, unit = handy_unit("J", largest)
    peak = result.summary.get("peak_energy", float(np.nanmax(kinetic, initial=0.0)))
    lines = [axis.line(name, values / factor, k) for k, (name, values) in enumerate(curves.items())]
    # The sum often coincides with one of its terms or the work: dashed, so that both are visible.
    lines = [replace(line, kind="dashed") if line.name == "kinetic + potential" else line for line in lines]
    return [axis.panel("Energy", unit, lines, y_name="energy"), _balance(axis, total - work, peak)]


def _balance(axis: Abscissa, balance: Floats, peak: float) -> Panel:
    error = balance - balance[0]
    size = float(np.nanmax(np.abs(error), initial=0.0))
    factor, unit = handy_unit("J", size)
    share = f", at most {number_text(size / peak, 2)} of the peak energy" if peak > 0.0 else ""
    name = "kinetic + potential \u2212 work \u2212 start"
    panel = axis.panel(f"Energy balance error{share}", unit, [axis.line(name, error / factor, 3)], y_name="error")
    return replace(with_peaks(panel, 1), height=0.7)


def step(result: Result) -> list[Panel]:
    """Step size if it changes, and Newton iterations per step."""
    axis, panels = over_time(result), []
    title = "Solver"
    if "solver/step" in result.channels:
        sizes = result["solver/step"]
        sizes = np.where(sizes > 0.0, sizes, np.nan)  # the start is not a step
        if np.isfinite(sizes).any():
            largest, smallest = float(np.nanmax(sizes)), float(np.nanmin(sizes))
            factor, unit = handy_unit("s", largest)
            if largest > smallest * (1.0 + 1e-6):
                log = largest > 30.0 * smallest
                panels.append(
                    replace(
                        axis.panel("Step size", unit, [axis.line("step size", sizes / factor, 0)], y_name="step"),
                        log=log,
                    )
                )
            else:
                title = f"Solver, fixed step of {quantity(largest / factor, unit)}"
    later = result.time > result.time[0]
    if "solver/iterations" in result.channels and np.any(result["solver/iterations"][later] > 0.0):
        counts = np.where(later, result["solver/iterations"], np.nan)
        line = axis.line("Newton iterations per step", counts, 2)
        top = float(np.nanmax(counts))
        panels.append(
            replace(axis.panel(title, "1", [line], y_name="iterations"), height=0.7, y_range=(0.0, 1.15 * top))
        )
    return [replace(panel, height=0.7) for panel in panels]


PICTURES: dict[str, Callable[[Result], list[Panel]]] = {
    "deflection": deflection,
    "spectrum": spectrum,
    "sensors": sensors,
    "joints": joints,
    "reactions": reactions,
    "energy": energy,
    "step": step,
}
ALL = "all"


def standard_panels(result: Result, pictures: Sequence[str] = ()) -> list[Panel]:
    """Panels of the plots of these names; without names, of all but the joint coordinates that sensors show."""
    unknown = [name for name in pictures if name not in PICTURES and name != ALL]
    if unknown:
        raise InputError(
            [
                Fault(f"There is no plot '{name}'.", hint=did_you_mean(name, [*PICTURES, ALL], "Plots"))
                for name in unknown
            ]
        )
    names = [*PICTURES] if ALL in pictures else [*dict.fromkeys(pictures)]
    if names:
        return [panel for name in names for panel in PICTURES[name](result)]
    found = {name: draw(result) for name, draw in PICTURES.items() if name != "joints"}
    if not found["sensors"]:
        found["sensors"] = joints(result)
    return [panel for panels in found.values() for panel in panels]


def _is_straight(x: Floats, y: Floats) -> bool:
    """Whether a curve is a rising or falling straight line."""
    if len(x) < 3 or not np.isfinite(y).all() or y[-1] == y[0] or x[-1] == x[0]:
        return False
    line = y[0] + (y[-1] - y[0]) * (x - x[0]) / (x[-1] - x[0])
    return bool(np.abs(y - line).max() < 1e-6 * abs(y[-1] - y[0]))


__all__ = ["ALL", "PICTURES", "Line", "Panel", "standard_panels"]
