"""Plots of a result: the standard plots on one sheet, or chosen channels over time or another channel.

`panels` defines the data of a plot, `pictures` and `chosen` make them from a result, `sheet` draws them by matplotlib;
the report page draws the same panels itself.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from flexmb.errors import Fault, InputError
from flexmb.output_files import replacing_fault, suffix_fault
from flexmb.results.result_file import Result
from flexmb.view.plots.abscissa import Abscissa, over_channel, over_time
from flexmb.view.plots.chosen import by_unit
from flexmb.view.plots.panels import Panel
from flexmb.view.plots.pictures import ALL, PICTURES, standard_panels
from flexmb.view.plots.spectrum import spectrum_panels
from flexmb.view.plots.turns import turns_over

FORMATS = (".png", ".svg", ".pdf")


def plot_result(
    result: Result,
    path: str | os.PathLike[str],
    *,
    channels: Sequence[str] = (),
    against: str | None = None,
    pictures: Sequence[str] = (),
    unfolded: bool = False,
    dark: bool = False,
) -> None:
    """Write a plot (.png, .svg, .pdf) of a result.

    channels: channels to plot instead of the standard plots, one panel per unit.
    against: channel for the horizontal axis; the turns of an angle are overlaid unless `unfolded`.
    pictures: which of PICTURES or "all"; with channels only "spectrum" is possible.
    dark: dark background.
    """
    target = Path(path)
    if fault := suffix_fault(target, FORMATS) or replacing_fault(target, target.suffix.lower()):
        raise InputError(fault)
    panels = panels_of(result, channels=channels, against=against, pictures=pictures, unfolded=unfolded)
    from flexmb.view.plots.sheet import write_sheet

    write_sheet(panels, target, result.name.strip() or result.path.name, in_columns=not channels, dark=dark)


def panels_of(
    result: Result,
    *,
    channels: Sequence[str] = (),
    against: str | None = None,
    pictures: Sequence[str] = (),
    unfolded: bool = False,
) -> list[Panel]:
    """The panels of `plot_result`."""
    if result.n_rows == 0:
        raise InputError(f"'{result.path}' has no complete rows: there is nothing to draw.")
    if not channels:
        axis = _axis(result, against, unfolded)
        panels = standard_panels(result, pictures) if against is None else _sensors_over(result, axis)
        if not panels:
            what = f"no data for the plot {' or '.join(pictures)}" if pictures else "no data for the standard plots"
            raise InputError(f"'{result.path}' has {what}. Choose channels with --channel.")
        return panels
    selections = result.names.find_all(channels)
    empty = [selection.channel.path for selection in selections if not selection.scalars]
    if empty:
        raise InputError([Fault(f"Channel '{path}' has no columns in this run: nothing to draw.") for path in empty])
    if set(pictures) == {"spectrum"} and against is None:
        panels = spectrum_panels(result, selections)
        if not panels:
            raise InputError(
                f"'{result.path}': {', '.join(channels)} changes too little or too briefly for a spectrum."
            )
        return panels
    if pictures:
        raise InputError(
            "Channels can be plotted over time, over --against, or as --picture spectrum. Choose one of these."
        )
    return by_unit(result, selections, _axis(result, against, unfolded))


def _sensors_over(result: Result, axis: Abscissa) -> list[Panel]:
    """All sensors over a channel; without sensors, the joint coordinates."""
    from flexmb.view.plots.channels import deflections, joint_coordinates, other_sensors

    sensors = other_sensors(result) or joint_coordinates(result)
    selections = [one for one in sensors if one.label != axis.name]
    return by_unit(result, deflections(result), axis, "deflection") + by_unit(result, selections, axis, "sensors")


def _axis(result: Result, against: str | None, unfolded: bool) -> Abscissa:
    if against is None:
        return over_time(result)
    found = result.names.find(against)
    if len(found.scalars) != 1:
        raise InputError(f"Channel '{against}' has {len(found.scalars)} columns; choose one, e.g. {against}.x.")
    scalar = found.scalars[0]
    turns = not unfolded and scalar.unit == "rad" and turns_over(result.read(scalar))
    return over_channel(result, scalar, turns)


__all__ = ["ALL", "FORMATS", "PICTURES", "panels_of", "plot_result"]
