"""flexmb plot: the standard plots of a result, or the frequency response of a body reduced for a band."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from flexmb.cli.options import Option


def plot(
    result: Path,
    /,
    *,
    output: Annotated[Path | None, Option("--output", "-o")] = None,
    picture: Annotated[list[str] | None, Option("--picture", "-p")] = None,
    channel: Annotated[list[str] | None, Option("--channel", "-c")] = None,
    against: str | None = None,
    unfolded: bool = False,
    dark: bool = False,
) -> int:
    """Plot a result: deflections, spectrum, sensors, reactions, energies and step on one sheet, or what you choose.

    Parameters
    ----------
    result
        Result file (.h5). Or a body file reduced with --band: its frequency response, full against reduced.
    output
        File to write (.png, .svg or .pdf); default: the name of the result with .png, in the current folder.
    picture
        deflection, spectrum, sensors, joints, reactions, energy, step or all. May be repeated.
        Deflections are drawn over the crank angle if a joint makes full turns: the last in colour, earlier ones grey.
    channel
        Channel to plot, or with --picture spectrum its spectrum, e.g. bearing.angle. May be repeated.
    against
        Channel for the horizontal axis; default: time. The turns of an angle are overlaid.
    unfolded
        Do not overlay the turns of an angle on the horizontal axis.
    dark
        Dark background.
    """
    from flexmb.bodies.body_file import is_body_file
    from flexmb.results.result_file import Result
    from flexmb.view.plots import plot_result

    path = output or Path(f"{result.stem}.png")
    if is_body_file(result):
        from flexmb.bodies.body_file import read_body
        from flexmb.view.plots.body_plots import plot_body

        plot_body(read_body(result), path, dark=dark)
        print(path)
        return 0
    with Result(result) as loaded:
        plot_result(
            loaded,
            path,
            channels=channel or [],
            against=against,
            pictures=picture or [],
            unfolded=unfolded,
            dark=dark,
        )
    print(path)
    return 0
