"""flexmb plot: the standard pictures of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def plot(
    result: Path,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    picture: Annotated[list[str] | None, Parameter(name=["--picture", "-p"])] = None,
    channel: Annotated[list[str] | None, Parameter(name=["--channel", "-c"])] = None,
    against: str | None = None,
    unfolded: bool = False,
    dark: bool = False,
) -> int:
    """Draw a result: deflections, spectrum, sensors, reactions, energies and step on one sheet; or what you choose.

    Parameters
    ----------
    result
        Result file (.h5).
    output
        Picture to write (.png, .svg or .pdf); default: the name of the result with .png in the present folder.
    picture
        deflection, spectrum, sensors, joints, reactions, energy, step or all. May be repeated.
        Deflections are drawn over the crank angle when a joint turns round: the last turn in colour, earlier ones grey.
    channel
        Channel to draw, or with --picture spectrum its spectrum, e.g. bearing.angle. May be repeated.
    against
        Channel for the horizontal axis; default: time. The turns of an angle are drawn over one another.
    unfolded
        Draw an angle on the horizontal axis as it goes on, turn after turn.
    dark
        Light lines on a dark sheet.
    """
    from flexmb.results.result_file import Result
    from flexmb.view.plots import plot_result

    path = output or Path(f"{result.stem}.png")
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
