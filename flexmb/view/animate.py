"""Animations: from a result, body file or model to a page, movie, picture, glTF file or window.

The content decides the type of the source, the extension that of the output. All faults that can be found without
building the scene are reported at once; then the scene is built and passed to the writer of the format, which is
imported only here, so that a page never needs VTK.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from flexmb.bodies.reduced_body import ReducedBody
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.output_files import place_fault, replacing_fault, write_errors
from flexmb.results.result_file import Result
from flexmb.suggestions import did_you_mean, meant, nearest
from flexmb.view.animate_options import AnimateOptions, read_options
from flexmb.view.animate_source import is_model, opened, outside, source_faults, source_name, stress_fault
from flexmb.view.scene import MESH_ERROR, STRESS_NOTE, Look, Scene, playing_speed

if TYPE_CHECKING:
    from flexmb.model.model import Model

FORMATS = (".html", ".mp4", ".gif", ".png", ".glb")
MOVIES = (".mp4", ".gif")
_USED = {
    "fps": MOVIES,
    "renderer": (".png", *MOVIES),
    "size": (".png", ".glb", *MOVIES),
    "speed": (".html", ".glb", *MOVIES),
    "dark": (".html", ".png", *MOVIES),
    "channels": (".html",),
}
"""Formats in which an option has an effect; options that are not listed have one in all formats."""
Source = Union[str, os.PathLike[str], Result, ReducedBody, "Model", Scene]
Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Animation:
    """A written or shown animation: usable as the path of its file; a notebook displays it."""

    path: Path | None
    """The file; None: only a window"""
    scene: Scene
    look: Look
    notes: tuple[str, ...] = ()
    """Notes for the user"""

    @property
    def text(self) -> str:
        """One line: file, size, length, scale."""
        shown = f"deflection scale {self.look.scale_of(self.scene) * self.scene.magnified:g}"
        if self.path is None:
            return f"{self.scene.title}: shown in a window, {shown}"
        suffix = self.path.suffix.lower()
        count = len(self.scene.time)
        length = "" if suffix == ".png" else f"{count} frame{'s' if count > 1 else ''}, "
        if suffix in MOVIES:
            seconds = float(self.scene.time[-1] - self.scene.time[0]) / playing_speed(self.scene, self.look)
            length = f"{seconds:.3g} s, " if seconds > 0.0 else "one picture, "
        return f"{self.path}: {_size_text(self.path.stat().st_size)}, {length}{shown}"

    def __repr__(self) -> str:
        return f"<Animation {self.text}>"

    def __fspath__(self) -> str:
        if self.path is None:
            raise TypeError("an animation that was only shown in a window has no file")
        return str(self.path)

    def _repr_html_(self) -> str:
        from flexmb.view.notebook import inline

        return inline(self.path) if self.path is not None else ""


@dataclass(frozen=True)
class Inline:
    """A page in a notebook, without a file."""

    page: str = field(repr=False)

    def _repr_html_(self) -> str:
        from flexmb.view.notebook import page_frame

        return page_frame(self.page)


def animate(
    source: Source,
    output: str | os.PathLike[str] | None = None,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> Animation:
    """Write an animation of a result, or of the modes of a body file or of a model, or show it in a window.

    source : a result, body or model file, or one that is open
    output : .html (one page that works everywhere), .mp4, .gif, .png or .glb; None: a window if one can open, else a
        page named after the source in the current folder
    progress : called with the stage and its progress (0 to 1, NaN if unknown)

    Options, all by name: scale (deflections, 1 to 1000), color ("displacement", "x", "y", "z", "stress", "mesh-error",
    "part"), view ("iso", "front", ...), follow (a body), ghost, symbols, arrows, dark, size (1280, 720), fps, speed
    (simulated seconds per second), show (also open a window), frames, start, end, at (time of a picture), channels
    (curves in a page), modes, field (second-order parts of mode shapes), about ("start", "static", "steady": the state
    of a model), settings (changes to a model file), bodies (folder of the body files), renderer ("vtk", "flexmb"),
    look (a `Look`).
    """
    faults: list[Fault] = []
    wanted = read_options(options, faults)
    with opened(source, faults, second_order=wanted.field, settings=wanted.settings) as data:
        if data is not None:
            faults += source_faults(data, wanted)
        notes: list[str] = []
        target = None
        if data is not None or output is not None:
            target = _target(source, output, wanted, notes)
        if target is not None:
            faults += _target_faults(target, wanted)
        if faults:
            raise InputError(faults)
        assert data is not None
        if wanted.show or target is None:
            _check_window()
        if progress is not None:
            progress("building the scene", float("nan"))
        scene = _scene(data, wanted)
    if is_model(data):  # its modes were computed with their scale
        wanted = replace(wanted, look=replace(wanted.look, scale=None))
    _check_scene(scene, wanted.look)
    look = _with_speed(scene, wanted, target)
    notes += [*_scene_notes(scene, look), *_advice(scene, wanted, target)]
    if target is not None:
        notes += _write(scene, target, look, wanted, progress)
    if wanted.show or target is None:
        from flexmb.view.picture import show as show_window

        show_window(scene, look)
    return Animation(target, scene, look, tuple(notes))


def show(source: Source, **options: Any) -> Animation | Inline:
    """Show an animation in a window or below the cell of a notebook; without either, write its page.

    Options: see `animate`.
    """
    from flexmb.view.notebook import in_notebook

    if not in_notebook():
        return animate(source, None, **options)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "animation.html"
        animate(source, path, **options)
        return Inline(path.read_text(encoding="utf-8"))


def _target(source: Source, output: Any, wanted: AnimateOptions, notes: list[str]) -> Path | None:
    """The file to write; None: only a window."""
    if output is not None:
        return Path(output)
    if wanted.show:
        return None
    from flexmb.view.picture import can_show

    reason = can_show()
    if not reason:
        return None
    notes.append(f"No window can open ({reason.rstrip('.')}): wrote a page instead. Open it in a browser.")
    return Path(f"{source_name(source)}.html")


def _target_faults(target: Path, wanted: AnimateOptions) -> list[Fault]:
    """Reasons why the file cannot be written, found before anything is drawn."""
    place = ("output",)
    suffix = target.suffix.lower()
    faults = []
    refusal = place_fault(target, "animation.html")
    if os.path.isdir(target):
        return [Fault(refusal, place)]
    if suffix not in FORMATS:
        what = f"'{suffix[:20]}' is not an animation format" if suffix else f"'{target}' has no extension"
        near = meant(nearest(suffix, FORMATS)) if suffix else ""
        faults.append(Fault(f"{what}.", place, f"{near} Formats: {', '.join(FORMATS)}.".strip()))
    if wanted.at is not None and suffix in FORMATS and suffix != ".png":
        faults.append(Fault(f"this option sets the time of a picture (.png), but the output is {suffix}.", ("at",)))
    if wanted.look.color == MESH_ERROR and suffix in (".html", ".glb"):
        faults.append(
            Fault(f"the error of a mesh is not drawn in {suffix} files.", ("color",), "Write a picture: .png.")
        )
    if suffix in FORMATS and not refusal:
        refusal = replacing_fault(target, suffix)
    return [*faults, Fault(refusal, place)] if refusal else faults


def _scene(data: Result | ReducedBody | Model | Scene, wanted: AnimateOptions) -> Scene:
    if isinstance(data, Scene):
        return data
    if isinstance(data, ReducedBody):
        from flexmb.view.scene_of_body import FRAMES, scene_of_body, scene_of_mesh_error

        if wanted.look.color == MESH_ERROR and not wanted.modes:
            return scene_of_mesh_error(data)
        return scene_of_body(data, wanted.modes, wanted.field, wanted.frames or FRAMES)
    if not isinstance(data, Result):
        return _scene_of_model(data, wanted)
    from flexmb.view.scene_of_result import FRAMES as RESULT_FRAMES
    from flexmb.view.scene_of_result import scene_of_result

    return scene_of_result(
        data,
        frames=wanted.frames or RESULT_FRAMES,
        start=wanted.start,
        end=wanted.end,
        channels=wanted.channels,
        folder=wanted.bodies,
    )


def _scene_of_model(model: Model, wanted: AnimateOptions) -> Scene:
    from flexmb.analyses.modes import modes_of_model
    from flexmb.view.scene_of_modes import FRAMES, scene_of_modes

    report = modes_of_model(model, about=wanted.about or "start")
    scene = scene_of_modes(report, model.spec, wanted.modes, frames=wanted.frames or FRAMES, scale=wanted.look.scale)
    if faults := outside("at", wanted.at, 0.0, float(scene.time[-1])):
        raise InputError(faults)
    return scene


def _check_scene(scene: Scene, look: Look) -> None:
    """Check what depends on the scene."""
    faults = []
    if look.color == "stress" and not scene.has_stress:
        faults.append(stress_fault())
    bodies = [part.name for part in scene.parts if part.kind in ("flexible", "rigid")]
    if look.follow and look.follow not in bodies:
        hint = did_you_mean(look.follow, bodies, "Bodies")
        faults.append(Fault(f"there is no body '{look.follow[:60]}'.", ("follow",), hint))
    if faults:
        raise InputError(faults)


def _with_speed(scene: Scene, wanted: AnimateOptions, target: Path | None) -> Look:
    """The look; with a given number of frames of a movie, its speed shows each of them once."""
    look = wanted.look
    is_movie = target is not None and target.suffix.lower() in MOVIES
    span = float(scene.time[-1] - scene.time[0])
    if is_movie and wanted.frames is not None and look.speed is None and not scene.chapters and span > 0.0:
        look = replace(look, speed=span * look.fps / wanted.frames)
    return look


def _scene_notes(scene: Scene, look: Look) -> list[str]:
    """Notes of the scene, without those about stress if it is not shown."""
    return [note for note in scene.notes if look.color == "stress" or not note.startswith(STRESS_NOTE)]


def _advice(scene: Scene, wanted: AnimateOptions, target: Path | None) -> Iterator[str]:
    """Notes about possible surprises: one shape of many, options without effect in this format."""
    if target is None or wanted.show:
        return
    suffix = target.suffix.lower()
    if suffix == ".png" and len(scene.chapters) > 1 and wanted.at is None:
        yield f"The picture shows the first of {len(scene.chapters)} shapes. Choose one by its number or name."
    idle = sorted(name for name in wanted.given if suffix not in _USED.get(name, FORMATS))
    if idle:
        yield f"No effect on {suffix}: {', '.join(idle)}."


def _write(scene: Scene, target: Path, look: Look, wanted: AnimateOptions, progress: Progress | None) -> list[str]:
    """Write the file; returns the notes of its writer."""
    suffix = target.suffix.lower()
    note: str | None = ""
    renderer: Any = wanted.renderer or "auto"
    with write_errors(target, ComputationError):  # a full disk, a lost folder
        if suffix == ".html":
            from flexmb.view.web.page import write_page

            write_page(scene, target, look)
        elif suffix == ".glb":
            from flexmb.view.gltf import write_glb

            write_glb(scene, target, look)
        elif suffix == ".png":
            from flexmb.view.picture import write_picture

            note = write_picture(scene, target, look, _picture_time(scene, wanted.at), renderer=renderer)
        else:
            from flexmb.view.picture import write_movie

            watched = _movie_progress(progress)
            note = write_movie(scene, target, look, watched, renderer=renderer, given=wanted.given)
    return [note] if note else []


def _picture_time(scene: Scene, at: float | None) -> float | None:
    """Time of the picture; a mode shape is shown at its largest, after a quarter of its cycle."""
    return 0.25 * scene.period if at is None and scene.chapters and scene.period > 0.0 else at


def _movie_progress(progress: Progress | None) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    report = progress

    def frame(done: int, total: int) -> None:
        report(f"frame {done} of {total}", done / max(total, 1))

    return frame


def _check_window() -> None:
    from flexmb.view.picture import can_show

    if reason := can_show():
        raise ComputationError(
            f"No window can open: {reason.rstrip('.')}. Write a page instead, with -o animation.html."
        )


def _size_text(size: int) -> str:
    return f"{size / 1e6:.2f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"
