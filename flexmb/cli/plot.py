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
    channel: Annotated[list[str] | None, Parameter(name=["--channel", "-c"])] = None,
    against: str | None = None,
) -> int:
    """Draw a result: sensors, joint coordinates, energies and their balance error; or the channels you choose.

    Parameters
    ----------
    result
        Result file (.h5).
    output
        Picture to write (.png, .svg or .pdf); default: the name of the result with .png in the present folder.
    channel
        Channel to draw, e.g. bearing.angle or joints/bearing/force. May be repeated.
    against
        Channel for the horizontal axis; default: time.
    """
    from flexmb.results.result_file import Result
    from flexmb.view.plots import plot_result

    path = output or Path(f"{result.stem}.png")
    with Result(result) as loaded:
        plot_result(loaded, path, channels=channel or [], against=against)
    print(path)
    return 0
