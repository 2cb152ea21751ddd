"""flexmb report: an HTML page about a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from flexmb.cli.options import Option


def report(
    result: Path,
    /,
    *,
    output: Annotated[Path | None, Option("--output", "-o")] = None,
    bodies: Path | None = None,
) -> int:
    """Write a report of a run as one HTML page: key figures, animation, plots, modes, solver health, the model.

    The page needs no network and nothing installed: mail it to a colleague.

    Parameters
    ----------
    result
        Result file (.h5).
    output
        Page to write (.html); default: the name of the result with _report.html, in the current folder.
    bodies
        Folder of the body files, if they were moved since the run.
    """
    from flexmb.results.result_file import Result
    from flexmb.view.report import write_report

    path = output or Path(f"{result.stem}_report.html")
    with Result(result) as loaded:
        notes = write_report(loaded, path, folder=bodies)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")
    for note in notes:
        print(f"note: {note}")
    return 0
