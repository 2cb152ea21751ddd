"""Movies of a scene: .mp4 by ffmpeg, which receives the frames through a pipe, and .gif by Pillow."""

from __future__ import annotations

import importlib.util
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from flexmb.errors import ComputationError, InputError
from flexmb.output_files import drafted
from flexmb.stop_signals import child_process
from flexmb.view.picture.checks import check
from flexmb.view.picture.drawing import Drawing
from flexmb.view.picture.overlay import Overlay
from flexmb.view.picture.renderers import Renderer, renderer_for
from flexmb.view.picture.shots import movie_times, scene_at
from flexmb.view.scene import Look, Scene, playing_speed

Progress = Callable[[int, int], None]
"""Called with the number of finished frames and of all frames."""
Pixels = NDArray[np.uint8]
GIF_FPS, GIF_MOST_FPS = 15, 50  # a frame lasts whole hundredths of a second, and players show none shorter than 2
GIF_WIDTH = 640
"""Default size of a .gif in pixels: small, because a .gif compresses badly"""


def write_movie(
    scene: Scene,
    path: str | Path,
    look: Look | None = None,
    progress: Progress | None = None,
    *,
    renderer: str = "auto",
    given: Collection[str] = (),
) -> str:
    """Write an .mp4 or .gif of the whole run; returns a note, usually empty.

    renderer : "vtk" (pyvista without a window), "flexmb" (own, needs no graphics library), "auto"
    given : which of "size", "fps" are given; otherwise a .gif is smaller and slower than an .mp4
    """
    look, path = look or Look(), Path(path)
    check(scene, look, path, (".mp4", ".gif"))
    look = _for_gif(look, given) if path.suffix.lower() == ".gif" else _even(look)
    ffmpeg = "" if path.suffix.lower() == ".gif" else _ffmpeg()
    times = movie_times(scene, look)
    drawing = Drawing(scene_at(scene, times), look, whole=scene)
    overlay = Overlay(drawing, playing_speed(scene, look))
    drawn, note = renderer_for(drawing, renderer, movie=True)
    try:
        with drafted(path, path.suffix) as draft:
            pictures = _pictures(drawn, overlay, len(times), progress)
            if ffmpeg:
                _write_mp4(ffmpeg, draft, look, pictures)
            else:
                _write_gif(draft, look, pictures, drawing.values.table)
    finally:
        drawn.close()
    return note


def _pictures(drawn: Renderer, overlay: Overlay, n: int, progress: Progress | None) -> Iterator[Pixels]:
    for frame in range(n):
        yield overlay.on(drawn.frame(frame), frame)
        if progress is not None:
            progress(frame + 1, n)


def _even(look: Look) -> Look:
    """The look with an even size: movies store colours for two by two pixels."""
    return replace(look, size=(look.size[0] // 2 * 2, look.size[1] // 2 * 2))


def _for_gif(look: Look, given: Collection[str]) -> Look:
    smaller = 1.0 if "size" in given or look.size != Look().size else min(1.0, GIF_WIDTH / look.size[0])
    size = (round(look.size[0] * smaller), round(look.size[1] * smaller))
    return replace(look, size=size, fps=min(look.fps, GIF_MOST_FPS if "fps" in given else GIF_FPS))


def _ffmpeg() -> str:
    """The program that encodes movies."""
    if importlib.util.find_spec("imageio_ffmpeg") is not None:
        import imageio_ffmpeg

        try:
            return str(imageio_ffmpeg.get_ffmpeg_exe())
        except RuntimeError:
            pass
    found = shutil.which("ffmpeg")
    if found is None:
        raise InputError("An .mp4 needs ffmpeg. Install the package imageio-ffmpeg, or write a .gif or .html instead.")
    return found


def _write_mp4(ffmpeg: str, path: Path, look: Look, pictures: Iterator[Pixels]) -> None:
    width, height = look.size
    command = [
        *(ffmpeg, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"),
        *("-r", str(look.fps), "-i", "-", "-an", "-c:v", "libx264", "-preset", "veryfast", "-crf", "19"),
        # Players assume BT.709 colours for a movie of this size.
        *("-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709", "-color_primaries", "bt709"),
        *("-color_trc", "bt709", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", str(path)),
    ]  # fmt: skip
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    with tempfile.TemporaryFile() as complaints, child_process(command, stderr=complaints, **pipes) as process:
        assert process.stdin is not None
        try:
            for picture in pictures:
                process.stdin.write(np.ascontiguousarray(picture).data)
        except BrokenPipeError:  # it ended early; its exit code and messages say why
            pass
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.wait()
        if process.returncode:
            complaints.seek(0)
            printed = complaints.read().decode(errors="replace").strip()[-300:]
            raise ComputationError(
                f"ffmpeg could not write the movie ({_ending(process.returncode)}){printed and ': '}{printed}"
            )


def _ending(code: int) -> str:
    """Text of the end of a process: its exit code or signal, such as that of a limit on the size of files."""
    if code > 0:
        return f"code {code}"
    with suppress(ValueError):
        return f"ended by signal {-code}, {signal.strsignal(-code) or 'unknown'}"
    return f"ended by signal {-code}"


def _write_gif(path: Path, look: Look, pictures: Iterator[Pixels], table: Pixels) -> None:
    """Write a .gif; all frames share one palette, so that unchanged areas stay identical and cost nothing.

    The palette is made from the first frames and the (256, 3) ramp of values, some of which appear only later.
    """
    first = list(islice(pictures, 8))
    width, height = look.size
    steps = np.linspace(0, len(table) - 1, width).astype(int)
    values = np.broadcast_to(table[steps], (height // 2, width, 3))
    palette = Image.fromarray(np.concatenate([first[0], first[-1], values])).quantize(255, Image.Quantize.MEDIANCUT)

    def reduced() -> Iterator[Image.Image]:
        for picture in chain(first, pictures):
            yield Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)

    images = reduced()
    beginning = next(images)
    # The clock of a .gif counts hundredths of a second.
    beginning.save(
        path, "GIF", save_all=True, append_images=images, duration=10 * round(100 / look.fps), loop=0, optimize=False
    )
