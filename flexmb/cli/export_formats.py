"""Files and formats of `flexmb export`: all are checked before the first one is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flexmb.errors import Fault, InputError
from flexmb.results.result_file import Result
from flexmb.suggestions import did_you_mean

if TYPE_CHECKING:
    from flexmb.view.scene import Scene

FORMATS = {"csv": ".csv", "mat": ".mat", "parquet": ".parquet", "vtkhdf": ".vtkhdf", "vtu": ".pvd", "glb": ".glb"}
"""Option -> file extension"""
TABLES, FIELDS = ("csv", "mat", "parquet"), ("vtkhdf", "vtu", "glb")
FIELD_FRAMES, GLB_FRAMES = 200, 1200


@dataclass(frozen=True)
class ExportOptions:
    """Options of the command beside the formats."""

    channels: tuple[str, ...] = ()
    frames: int | None = None
    scale: float | None = None
    bodies: Path | None = None


def plan(stem: str, formats: Sequence[str], targets: Sequence[Path], options: ExportOptions) -> dict[str, Path]:
    """Format -> file; a file given without a format option gets the format of its extension."""
    from flexmb.output_files import replacing_fault

    by_ending = {ending: name for name, ending in FORMATS.items()} | {".vtu": "vtu"}
    faults, paths = [], {name: Path(f"{stem}{FORMATS[name]}") for name in formats}
    if len(formats) == len(targets) == 1 and targets[0].suffix.lower() not in set(by_ending) - {FORMATS[formats[0]]}:
        paths = {formats[0]: targets[0]}
    else:
        taken: set[str] = set()
        for target in targets:
            name = by_ending.get(target.suffix.lower(), "")
            if not name:
                text = f"The extension of '{target}' is not one of an export format."
                faults.append(Fault(text, hint=did_you_mean(target.suffix, FORMATS.values(), "Extensions")))
            elif formats and name not in formats:
                faults.append(Fault(f"'{target}' is a file of --{name}, which is not given."))
            elif name in taken:
                faults.append(Fault(f"'{target}' is the second file for --{name}.", hint="Give one file per format."))
            else:
                paths[name] = target.with_suffix(".pvd") if name == "vtu" else target
                taken.add(name)
    if not paths and not faults:
        faults.append(Fault(f"No format is given. Add one of {_options(FORMATS)}."))
    faults += _option_faults(paths, options)
    for name, path in paths.items():
        if fault := replacing_fault(path, FORMATS[name]):
            faults.append(Fault(fault))
    if faults:
        raise InputError(faults)
    return paths


def _options(names: Iterable[str]) -> str:
    return ", ".join(f"--{name}" for name in names)


def _option_faults(paths: dict[str, Path], options: ExportOptions) -> list[Fault]:
    faults = []
    moving = any(name in FIELDS for name in paths)
    of_scenes = {"--frames": options.frames, "--scale": options.scale, "--bodies": options.bodies}
    for option, value in of_scenes.items():
        if value is not None and paths and not moving:
            faults.append(Fault(f"{option} is for moving bodies ({_options(FIELDS)}); tables hold every row."))
    if options.channels and paths and not any(name in TABLES for name in paths):
        faults.append(Fault(f"--channel is for tables ({_options(TABLES)})."))
    if options.frames is not None and options.frames < 2:
        faults.append(Fault(f"--frames {options.frames}: at least 2 frames are needed."))
    if options.scale is not None and not 0.0 <= options.scale <= 1e6:
        faults.append(Fault(f"--scale {options.scale:g}: the deflection scale must be a number from 0 to 1e6."))
    if options.bodies is not None and not options.bodies.is_dir():
        faults.append(Fault(f"--bodies: there is no folder '{options.bodies}'."))
    return faults


def write(result: Result, paths: dict[str, Path], options: ExportOptions) -> Iterator[str]:
    """Write one format after the other and yield a line about each.

    Scenes come first: a body file that is missing stops the export before anything is written.
    """
    counts = {
        name: options.frames or (GLB_FRAMES if name == "glb" else FIELD_FRAMES) for name in FIELDS if name in paths
    }
    scenes = {frames: _scene(result, frames, options) for frames in set(counts.values())}
    for name, path in paths.items():
        if name in TABLES:
            yield _write_table(result, name, path, options)
        else:
            yield _write_field(result, scenes[counts[name]], name, path, options)


def _write_table(result: Result, name: str, path: Path, options: ExportOptions) -> str:
    from flexmb.results.binary_tables import export_mat, export_parquet
    from flexmb.results.export import export_csv

    writers = {"csv": export_csv, "mat": export_mat, "parquet": export_parquet}
    return f"{path}: {writers[name](result, path, options.channels)} rows"


def _scene(result: Result, frames: int, options: ExportOptions) -> Scene:
    from flexmb.view.scene_of_result import scene_of_result

    return scene_of_result(result, frames=frames, folder=options.bodies)


def _write_field(result: Result, scene: Scene, name: str, path: Path, options: ExportOptions) -> str:
    from flexmb.view.gltf import write_glb
    from flexmb.view.scene import Look
    from flexmb.view.vtk_files import write_vtkhdf, write_vtu

    scale = options.scale if options.scale is not None else scene.scale if name == "glb" else 1.0
    if name == "glb":
        write_glb(scene, path, Look(scale=scale))
    elif name == "vtu":
        write_vtu(scene, path, scale)
    else:
        write_vtkhdf(scene, path, scale)
    shown = len(scene.time)
    thinned = f" of {result.n_rows} rows" if shown < result.n_rows else ""
    return f"{path}: {shown} frames{thinned}, deflection scale {scale:g}"
