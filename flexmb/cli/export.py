"""flexmb export: result channels for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def export(
    result: Path,
    target: Path | None = None,
    /,
    *,
    csv: bool = False,
    channel: Annotated[list[str] | None, Parameter(name=["--channel", "-c"])] = None,
    channels: bool = False,
) -> int:
    """Write channels of a result for other tools: flexmb export RESULT.h5 --csv [OUT.csv].

    Parameters
    ----------
    result
        Result file (.h5).
    target
        File to write; default: the name of the result with .csv in the present folder.
    csv
        Table with a header of names and units, numbers at full precision.
    channel
        Channel to write, e.g. bearing.angle or joints/bearing/force. May be repeated.
        Default: all sensors and joint positions; without any, the poses of the bodies.
    channels
        List the channels of the result and write nothing.
    """
    from flexmb.errors import InputError
    from flexmb.results.export import channel_table, export_csv
    from flexmb.results.result_file import Result

    with Result(result) as loaded:
        if channels:
            print(channel_table(loaded))
            return 0
        if not csv:
            raise InputError("Say in which format to export: --csv.")
        path = target or Path(f"{result.stem}.csv")
        rows = export_csv(loaded, path, channel or [])
    print(f"{path}: {rows} rows")
    return 0
