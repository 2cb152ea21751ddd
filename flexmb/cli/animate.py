"""flexmb animate: animate a result, the mode shapes of a body file or the modes of a model."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from cyclopts import Group, Parameter

_WHAT = Group("Content", sort_key=1)
_LOOK = Group("Appearance", sort_key=2)
_OUTPUT = Group("Output", sort_key=3)
_MODES = Group("Modes of a body file or a model", sort_key=4)
_OPTIONS = {
    "start": "--from", "end": "--to", "channels": "--channel", "modes": "--mode", "symbols": "--no-symbols",
    "settings": "--set",
}  # fmt: skip
"""Options that have another name in Python."""


def _option(group: Group, text: str, *names: str) -> Parameter:
    return Parameter(name=names or None, group=group, help=text)


@Parameter(name="*")
@dataclass(frozen=True)
class AnimateArguments:
    """Options of the command as they were typed."""

    scale: Annotated[
        str | None,
        _option(_WHAT, "Deflection scale, 1 to 1000: exaggerates deflections and modes. Default: a visible size."),
    ] = None
    start: Annotated[str | None, _option(_WHAT, "Start time, e.g. 0.02 or '20 ms'.", "--from")] = None
    end: Annotated[str | None, _option(_WHAT, "End time.", "--to")] = None
    at: Annotated[str | None, _option(_WHAT, "Time of a still picture (.png).")] = None
    frames: Annotated[
        str | None,
        _option(_WHAT, "Number of frames; for a body file or model, per mode. Default: 1200, or 40 per mode."),
    ] = None
    channels: Annotated[
        list[str] | None,
        _option(
            _WHAT, "Channel to plot under the animation of a page, e.g. bearing.angle. May be repeated.", "--channel"
        ),
    ] = None
    bodies: Annotated[str | None, _option(_WHAT, "Folder of the body files, if they were moved since the run.")] = None
    color: Annotated[
        str | None,
        _option(
            _LOOK,
            "displacement, x, y, z, stress (von Mises), mesh-error (body file; .png) or part. Default: displacement.",
        ),
    ] = None
    view: Annotated[
        str | None, _option(_LOOK, "iso, front, back, left, right, top, bottom or behind. Default: iso.")
    ] = None
    follow: Annotated[str | None, _option(_LOOK, "Move the camera with this body.")] = None
    ghost: Annotated[bool, _option(_LOOK, "Also draw the undeformed bodies.")] = False
    arrows: Annotated[bool, _option(_LOOK, "Draw forces and moments as arrows.")] = False
    no_symbols: Annotated[bool, _option(_LOOK, "Hide the symbols of joints, drives and markers.")] = False
    dark: Annotated[bool, _option(_LOOK, "Dark background.")] = False
    speed: Annotated[
        str | None, _option(_LOOK, "Simulated seconds per second of playback. Default: all of it in 10 s.")
    ] = None
    output: Annotated[
        Path | None,
        _option(
            _OUTPUT,
            "x.html (one page for any browser), x.mp4, x.gif, x.png or x.glb (glTF: Blender, slides). Default: a "
            "window if one can open, else a page named after the file, in the current folder.",
            "--output",
            "-o",
        ),
    ] = None
    show: Annotated[bool, _option(_OUTPUT, "Open a window.")] = False
    size: Annotated[
        str | None, _option(_OUTPUT, "Size of pictures and movies in pixels. Default: 1280x720; .gif: 640x360.")
    ] = None
    fps: Annotated[str | None, _option(_OUTPUT, "Frames per second of a movie. Default: 30; .gif: 15, at most 50.")] = (
        None
    )
    renderer: Annotated[
        str | None,
        _option(_OUTPUT, "Renderer of pictures and movies: vtk, or flexmb (no OpenGL). Default: vtk if it works."),
    ] = None
    quiet: Annotated[bool, _option(_OUTPUT, "Print nothing but errors.")] = False
    modes: Annotated[
        list[str] | None,
        _option(
            _MODES,
            "Body file: number or name of a shape in the table of flexmb body info; model: number in the table of "
            "flexmb modes. May be repeated. Default: all (of a model: all that oscillate), one after the other.",
            "--mode",
        ),
    ] = None
    field: Annotated[
        bool,
        _option(
            _MODES,
            "Body file: show only the second-order part of each shape, which grows with the square of its coordinate, "
            "such as the shortening of a rod that bends.",
        ),
    ] = False
    about: Annotated[
        str | None,
        _option(
            _MODES, "Model: state to linearise about: start, static or steady, as in flexmb modes. Default: start."
        ),
    ] = None
    settings: Annotated[
        list[str] | None,
        _option(_MODES, "Model: change a parameter or a key, e.g. --set rpm=3000. May be repeated.", "--set"),
    ] = None


_NO_ARGUMENTS = AnimateArguments()


def animate(file: Path, /, *, arguments: AnimateArguments = _NO_ARGUMENTS) -> int:
    """Show a result in 3D, or the modes of a body file or of a whole model, as a page, movie, picture or window.

    flexmb animate slider_crank.h5 -o slider_crank.html

    flexmb animate rod.h5 --mode 3 -o mode3.mp4

    flexmb animate slider_crank.toml --mode 1 --about static -o swing.html

    Parameters
    ----------
    file
        Result of flexmb run, body file of flexmb reduce (.h5), or model file (.toml).
    """
    from flexmb.cli.progress import StageLine
    from flexmb.cli.settings import read_settings
    from flexmb.errors import InputError
    from flexmb.view.animate import animate as write_animation

    shown = not arguments.quiet and sys.stderr.isatty()
    line = StageLine(sys.stderr) if shown else None
    options = dict(vars(arguments))
    options["settings"] = read_settings(arguments.settings or []) or None
    options["symbols"] = False if options.pop("no_symbols") else None
    for name in ("quiet", "output"):
        options.pop(name)
    try:
        animation = write_animation(file, arguments.output, progress=line, **options)
    except InputError as error:
        if type(error) is not InputError:  # an error of a model file shows the lines of the model
            raise
        faults = [replace(fault, path=_named(fault.path)) for fault in error.faults]
        raise InputError(faults) from error
    finally:
        if line is not None:
            line.clear()
    if not arguments.quiet:
        print(animation.text)
        for note in animation.notes:
            print(f"note: {note}")
    return 0


def _named(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The place of a fault as the option that the user typed; places in a model stay as they are."""
    name = str(path[0]) if len(path) == 1 else ""
    known = name == "symbols" or name in AnimateArguments.__dataclass_fields__
    return (_OPTIONS.get(name, f"--{name}"),) if known else path
