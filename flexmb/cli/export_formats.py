"""Which file `flexmb export` writes in which format, checked before the first one is begun, and how each is written."""

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
"""Option -> ending"""
TABLES, FIELDS = ("csv", "mat", "parquet"), ("vtkhdf", "vtu", "glb")
FIELD_FRAMES, GLB_FRAMES = 200, 1200


@dataclass(frozen=True)
class Wishes:
    """What the options say beside the formats."""

    channels: tuple[str, ...] = ()
    frames: int | None = None
    scale: float | None = None
    bodies: Path | None = None


def plan(stem: str, formats: Sequence[str], targets: Sequence[Path], wishes: Wishes) -> dict[str, Path]:
    """Format -> file; a file given without an option tells its format by its ending."""
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
                text = f"The ending of '{target}' does not say which format it is for."
                faults.append(Fault(text, hint=did_you_mean(target.suffix, FORMATS.values(), "Endings")))
            elif formats and name not in formats:
                faults.append(Fault(f"'{target}' would be for --{name}, which is not asked for."))
            elif name in taken:
                faults.append(Fault(f"'{target}' is the second file for --{name}; one is written."))
            else:
                paths[name] = target.with_suffix(".pvd") if name == "vtu" else target
                taken.add(name)
    if not paths and not faults:
        faults.append(Fault(f"Say in which format to export: {_options(FORMATS)}."))
    faults += _wish_faults(paths, wishes)
    for name, path in paths.items():
        if fault := replacing_fault(path, FORMATS[name]):
            faults.append(Fault(fault))
    if faults:
        raise InputError(faults)
    return paths


def _options(names: Iterable[str]) -> str:
    return ", ".join(f"--{name}" for name in names)


def _wish_faults(paths: dict[str, Path], wishes: Wishes) -> list[Fault]:
    faults = []
    moving = any(name in FIELDS for name in paths)
    options = {"--frames": wishes.frames, "--scale": wishes.scale, "--bodies": wishes.bodies}
    for option, value in options.items():
        if value is not None and paths and not moving:
            faults.append(Fault(f"{option} is for moving bodies ({_options(FIELDS)}); tables have every row."))
    if wishes.channels and paths and not any(name in TABLES for name in paths):
        faults.append(Fault(f"--channel is for tables ({_options(TABLES)})."))
    if wishes.frames is not None and wishes.frames < 2:
        faults.append(Fault(f"--frames {wishes.frames}: a motion has 2 frames or more."))
    if wishes.scale is not None and not 0.0 <= wishes.scale <= 1e6:
        faults.append(Fault(f"--scale {wishes.scale:g}: the deflection scale is a number from 0 to 1e6."))
    if wishes.bodies is not None and not wishes.bodies.is_dir():
        faults.append(Fault(f"--bodies: there is no folder '{wishes.bodies}'."))
    return faults


def write(result: Result, paths: dict[str, Path], wishes: Wishes) -> Iterator[str]:
    """Write one format after the other; a line that tells of each.

    Scenes come first: a body file that is missing stops the export before anything is written.
    """
    counts = {
        name: wishes.frames or (GLB_FRAMES if name == "glb" else FIELD_FRAMES) for name in FIELDS if name in paths
    }
    scenes = {frames: _scene(result, frames, wishes) for frames in set(counts.values())}
    for name, path in paths.items():
        if name in TABLES:
            yield _write_table(result, name, path, wishes)
        else:
            yield _write_field(result, scenes[counts[name]], name, path, wishes)


def _write_table(result: Result, name: str, path: Path, wishes: Wishes) -> str:
    from flexmb.results.binary_tables import export_mat, export_parquet
    from flexmb.results.export import export_csv

    writers = {"csv": export_csv, "mat": export_mat, "parquet": export_parquet}
    return f"{path}: {writers[name](result, path, wishes.channels)} rows"


def _scene(result: Result, frames: int, wishes: Wishes) -> Scene:
    from flexmb.view.scene_of_result import scene_of_result

    return scene_of_result(result, frames=frames, folder=wishes.bodies)


def _write_field(result: Result, scene: Scene, name: str, path: Path, wishes: Wishes) -> str:
    from flexmb.view.gltf import write_glb
    from flexmb.view.scene import Look
    from flexmb.view.vtk_files import write_vtkhdf, write_vtu

    scale = wishes.scale if wishes.scale is not None else scene.scale if name == "glb" else 1.0
    if name == "glb":
        write_glb(scene, path, Look(scale=scale))
    elif name == "vtu":
        write_vtu(scene, path, scale)
    else:
        write_vtkhdf(scene, path, scale)
    shown = len(scene.time)
    thinned = f" of {result.n_rows} rows" if shown < result.n_rows else ""
    return f"{path}: {shown} frames{thinned}, deflection scale {scale:g}"
