"""flexmb export: result channels and moving bodies for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from flexmb.cli.options import Option


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
    channel: Annotated[list[str] | None, Option("--channel", "-c")] = None,
    channels: bool = False,
    frames: int | None = None,
    scale: float | None = None,
    bodies: Path | None = None,
) -> int:
    """Export a result for other tools: flexmb export RESULT.h5 --csv [OUT.csv]; several formats at once are fine.

    Parameters
    ----------
    result
        Result file (.h5).
    targets
        Files to write, one per format, identified by extension (.csv, .mat, .parquet, .vtkhdf, .pvd for --vtu, .glb).
        Default: the name of the result with that extension, in the current folder.
    csv
        Table with a header of names and units, numbers at full precision.
    mat
        MATLAB file: one matrix per channel, and structures with units, columns and paths.
    parquet
        Parquet table for data frames, units in the metadata.
    vtkhdf
        Moving bodies in one file for ParaView (5.12 or newer): displacement and, where known, von Mises stress.
    vtu
        The same as one .vtu file per frame and a .pvd file, for older ParaView.
    glb
        Animation for Blender, slides and web pages (glTF); see also flexmb animate.
    channel
        Channel to put in a table, e.g. bearing.angle or joints/bearing/force. May be repeated.
        Default: all sensors and joint positions; without any, the poses of the bodies.
    channels
        List the channels of the result and write nothing.
    frames
        Largest number of frames of moving bodies; default: 200, with --glb 1200.
    scale
        Deflection scale of moving bodies; default: 1, with --glb a visible size.
    bodies
        Folder of the body files, if they were moved since the run.
    """
    from flexmb.cli.export_formats import FORMATS, ExportOptions, plan, write
    from flexmb.results.export import channel_table
    from flexmb.results.result_file import Result

    given = {"csv": csv, "mat": mat, "parquet": parquet, "vtkhdf": vtkhdf, "vtu": vtu, "glb": glb}
    options = ExportOptions(tuple(channel or ()), frames, scale, bodies)
    with Result(result) as loaded:
        if channels:
            print(channel_table(loaded))
            return 0
        paths = plan(result.stem, [name for name in FORMATS if given[name]], targets, options)
        for line in write(loaded, paths, options):
            print(line)
    return 0
