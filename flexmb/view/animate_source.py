"""Source of an animation: a result or a body file, recognised by its content, or a model; and whether the options
suit it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, Union

import h5py

from flexmb.bodies.body_file import read_body
from flexmb.bodies.body_layout import FORMAT as BODY_FORMAT
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.errors import Fault, InputError
from flexmb.input_files import is_special
from flexmb.results.result_file import Result
from flexmb.results.result_preamble import FORMAT as RESULT_FORMAT
from flexmb.results.result_preamble import stamped_length
from flexmb.stored_arrays import UNREADABLE, check_texts
from flexmb.suggestions import clipped, did_you_mean
from flexmb.view.animate_options import AnimateOptions
from flexmb.view.scene import MESH_ERROR, Scene

if TYPE_CHECKING:
    from flexmb.model.model import Model

Data = Union[Result, ReducedBody, "Model", Scene]
_MODELS = (".toml",)
_MESHES = (".msh", ".inp", ".bdf", ".nas", ".dat", ".med", ".vtk", ".vtu")
_ONLY_RESULTS = ("start", "end", "channels", "bodies")
_ONLY_BODIES = ("field",)
_ONLY_MODELS = ("about", "settings")
_ONLY_SHAPES = ("modes",)


@contextmanager
def opened(
    source: Any, faults: list[Fault], *, second_order: bool = False, settings: Mapping[str, str] | None = None
) -> Iterator[Data | None]:
    """The open result, the body or the model; None if there is none, with the reason among the faults.

    second_order : whether to read the second-order part of a body, which is by far the largest piece of its file
    settings : changes to a model file
    """
    if isinstance(source, (Result, ReducedBody, Scene)) or is_model(source):
        if is_model(source) and settings:
            faults.append(Fault("this option changes a model file, but the source is a model.", ("settings",)))
        yield source
        return
    if not isinstance(source, (str, os.PathLike)):
        faults.append(Fault(f"Expected a result, body or model file, found {clipped(source)}."))
        yield None
        return
    if Path(source).suffix.lower() in _MODELS and os.path.isfile(source):
        from flexmb.model.model_file import read_model

        yield read_model(source, settings)  # its faults show the lines of the model, so they are raised alone
        return
    data = None
    try:
        data = _read(Path(source), second_order)
    except InputError as error:
        faults += error.faults
    try:
        yield data
    finally:
        if isinstance(data, Result):
            data.close()


def _read(path: Path, second_order: bool) -> Result | ReducedBody:
    # These functions of os return false for a name that is too long.
    if os.path.isdir(path):
        raise InputError(f"'{path}' is a folder, not a result, body or model file.")
    if not os.path.exists(path):
        raise InputError(f"There is no file {clipped(str(path))}.")
    if is_special(path):
        raise InputError(f"'{path}' is a device or a pipe, not a result, body or model file.")
    if path.suffix.lower() in _MESHES:
        raise InputError(f"'{path}' is a mesh. Make a body file first: flexmb reduce {path} ...")
    if not os.access(path, os.R_OK):
        raise InputError(f"'{path}' cannot be read: permission denied.")
    if not h5py.is_hdf5(path):
        raise InputError(f"'{path}' is neither a result nor a body file of flexmb: it is not in HDF5 format.")
    found = _format(path)
    if found == BODY_FORMAT:
        return read_body(path, second_order=second_order)
    # Only a result can be open for writing; HDF5 would wait for ever for the writer of another truncated file.
    if found == RESULT_FORMAT or stamped_length(path):
        return Result(path)
    if found is None:
        raise InputError(f"'{path}' is truncated or damaged.")
    raise InputError(f"'{path}' is an HDF5 file, but neither a result nor a body file of flexmb.")


def _format(path: Path) -> str | None:
    """The format attribute of an HDF5 file; None if it cannot be opened."""
    try:
        check_texts(path)
        with h5py.File(path, "r", locking=False) as file:
            found = file.attrs.get("format", "")
            return found.decode(errors="replace") if isinstance(found, bytes) else str(found)
    except UNREADABLE:
        return None


def is_model(data: Any) -> TypeGuard[Model]:
    """Whether it is a model; the model package is imported only if there is one."""
    module = sys.modules.get("flexmb.model.model")
    return module is not None and isinstance(data, module.Model)


def source_name(source: Any) -> str:
    """Name for a file made from the source."""
    if isinstance(source, Result):
        return source.path.stem
    if isinstance(source, ReducedBody):
        return "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in source.name) or "body"
    if is_model(source):
        return "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in source.name) or "model"
    return "animation" if isinstance(source, Scene) else Path(source).stem


def source_faults(data: Data, wanted: AnimateOptions) -> list[Fault]:
    """Options that this source does not support."""
    if isinstance(data, Result):
        return _result_faults(data, wanted)
    if isinstance(data, ReducedBody):
        return _body_faults(data, wanted)
    if not isinstance(data, Scene):
        return _model_faults(wanted)
    words = (*_ONLY_RESULTS, *_ONLY_BODIES, *_ONLY_MODELS, *_ONLY_SHAPES, "frames")
    faults = _foreign(wanted, words, "a result, body or model file", "a scene")
    return faults + outside("at", wanted.at, float(data.time[0]), float(data.time[-1]))


def stress_fault() -> Fault:
    """Fault: no part can be coloured by stress."""
    text = "no body in the scene has stress data."
    return Fault(text, ("color",), "Make the body files with flexmb reduce --stress.")


def _model_faults(wanted: AnimateOptions) -> list[Fault]:
    """Options that do not suit the modes of a mechanism; the modes themselves are known after linearisation."""
    faults = _foreign(wanted, _ONLY_RESULTS, "a result", "a model")
    faults += _foreign(wanted, _ONLY_BODIES, "a body file", "a model")
    faults += _foreign_color(wanted, "a model")
    if wanted.look.color == "stress":
        text = "modes of a mechanism have no stress, because their size is arbitrary."
        faults.append(Fault(text, ("color",), "Run the model and animate its result."))
    return faults


def _body_faults(body: ReducedBody, wanted: AnimateOptions) -> list[Fault]:
    from flexmb.view.scene_of_body import CYCLE, body_faults

    faults = _foreign(wanted, _ONLY_RESULTS, "a result", "a body file")
    faults += _foreign(wanted, _ONLY_MODELS, "a model", "a body file")
    faults += body_faults(body, wanted.modes, wanted.field) + _follow_faults(wanted, [body.name or "body"])
    if wanted.look.color == "stress" and wanted.field:
        faults.append(Fault("the second-order part has no stress of its own.", ("color",)))
    elif wanted.look.color == "stress" and (body.surface is None or body.surface.stress is None):
        faults.append(stress_fault())
    if wanted.look.color == MESH_ERROR and (body.surface is None or body.surface.mesh_error is None):
        text = "the body file has no estimate of the error of its mesh."
        faults.append(Fault(text, ("color",), "Reduce the mesh again; it is known for solid and shell cells."))
    return faults + outside("at", wanted.at, 0.0, CYCLE * len(wanted.modes or body.coordinates))


def _result_faults(result: Result, wanted: AnimateOptions) -> list[Fault]:
    faults = _foreign(wanted, _ONLY_SHAPES, "a body file or a model", "a result")
    faults += _foreign(wanted, _ONLY_BODIES, "a body file", "a result")
    faults += _foreign(wanted, _ONLY_MODELS, "a model", "a result") + _foreign_color(wanted, "a result")
    try:
        result.names.find_all(wanted.channels)
    except InputError as error:
        faults += [Fault(fault.text, ("channels",), fault.hint) for fault in error.faults]
    bodies = [path.split("/")[1] for path in result.channels if path.startswith("bodies/")]
    faults += _follow_faults(wanted, list(dict.fromkeys(bodies)))
    if not result.n_rows:
        text = f"'{result.path}' has no complete rows: there is nothing to draw."
        return [*faults, Fault(text, hint="Run the model again, or wait until the run has progressed.")]
    time = result.time
    first, last = float(time[0]), float(time[-1])
    for name in ("start", "end", "at"):
        faults += outside(name, getattr(wanted, name), first, last)
    if wanted.at is not None and not faults:
        low, high = wanted.start, wanted.end
        faults += outside("at", wanted.at, first if low is None else low, last if high is None else high)
    return faults


def _foreign(wanted: AnimateOptions, names: Sequence[str], owner: str, found: str) -> list[Fault]:
    """Options that belong to another type of source."""
    return [
        Fault(f"this option is for {owner}, but the source is {found}.", (name,))
        for name in names
        if name in wanted.given
    ]


def _foreign_color(wanted: AnimateOptions, found: str) -> list[Fault]:
    """Fault: only body files have the error of a mesh."""
    text = f"the error of a mesh is shown of a body file, but the source is {found}."
    return [Fault(text, ("color",))] if wanted.look.color == MESH_ERROR else []


def _follow_faults(wanted: AnimateOptions, bodies: Sequence[str]) -> list[Fault]:
    name = wanted.look.follow
    if not name or name in bodies:
        return []
    return [Fault(f"there is no body {clipped(name)}.", ("follow",), did_you_mean(name, bodies, "Bodies"))]


def outside(name: str, value: float | None, low: float, high: float) -> list[Fault]:
    """Fault of a time outside two limits; rounding of the last digit is tolerated."""
    margin = 1e-9 * max(abs(low), abs(high))
    if value is None or low - margin <= value <= high + margin:
        return []
    return [Fault(f"{value:g} s is outside the range {low:g} to {high:g} s.", (name,))]
