"""flexmb export: result channels and moving bodies for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def export(
    result: Path,
    /,
    *targets: Path,
    csv: bool = False,
    mat: bool = False,
    parquet: bool = False,
    vtkhdf: bool = False,
    vtu: bool = False,
    glb: bool = False,
    channel: Annotated[list[str] | None, Parameter(name=["--channel", "-c"])] = None,
    channels: bool = False,
    frames: int | None = None,
    scale: float | None = None,
    bodies: Path | None = None,
) -> int:
    """Write a result for other tools: flexmb export RESULT.h5 --csv [OUT.csv]; several formats at once are fine.

    Parameters
    ----------
    result
        Result file (.h5).
    targets
        Files to write, one a format, known by their endings (.csv, .mat, .parquet, .vtkhdf, .pvd for --vtu, .glb).
        Default: the name of the result with that ending in the present folder.
    csv
        Table with a header of names and units, numbers at full precision.
    mat
        MATLAB file: a matrix a channel, and structures with units, columns and paths.
    parquet
        Parquet table for data frames, units in the metadata.
    vtkhdf
        Moving bodies in one file for ParaView (5.12 or newer): displacement and, where known, von Mises stress.
    vtu
        The same as one .vtu file a frame, with a .pvd file for older ParaView.
    glb
        Animation for Blender, slides and web pages (glTF); see also flexmb animate.
    channel
        Channel of a table, e.g. bearing.angle or joints/bearing/force. May be repeated.
        Default: all sensors and joint positions; without any, the poses of the bodies.
    channels
        List the channels of the result and write nothing.
    frames
        Largest number of frames with moving bodies; default: 200, with --glb 1200.
    scale
        Deflection scale that moving bodies are drawn with; default: 1, with --glb a well visible one.
    bodies
        Folder of the body files, when they are not where the run has found them.
    """
    from flexmb.cli.export_formats import FORMATS, Wishes, plan, write
    from flexmb.results.export import channel_table
    from flexmb.results.result_file import Result

    given = {"csv": csv, "mat": mat, "parquet": parquet, "vtkhdf": vtkhdf, "vtu": vtu, "glb": glb}
    wishes = Wishes(tuple(channel or ()), frames, scale, bodies)
    with Result(result) as loaded:
        if channels:
            print(channel_table(loaded))
            return 0
        paths = plan(result.stem, [name for name in FORMATS if given[name]], targets, wishes)
        for line in write(loaded, paths, wishes):
            print(line)
    return 0
