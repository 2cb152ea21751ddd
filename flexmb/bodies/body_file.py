"""The body file: a `ReducedBody` written to HDF5 and read back; `body_layout.py` describes its contents.

A file is written under a draft name and renamed when it is complete, so that nobody ever reads an incomplete body. A
file is not trusted: names, dimensions, types and numbers are checked, and a file that is foreign, truncated, damaged or
too new is rejected in one sentence.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from flexmb.bodies import body_layout as layout
from flexmb.bodies.body_layout import Entry
from flexmb.bodies.invariants import Invariants
from flexmb.bodies.load_shape import LoadShape
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.bodies.point_field import PointField
from flexmb.bodies.reduced_body import BodyMarker, Coordinate, ReducedBody, Surface
from flexmb.bodies.sid import standard_input_data
from flexmb.errors import Fault, InputError
from flexmb.input_files import file_fault
from flexmb.output_files import draft_of, place_fault, write_errors
from flexmb.stored_arrays import UNREADABLE, Damaged, check_texts, is_stored, reason_of, stored, stored_array

_TYPES = {"f": "<f8", "s": "<f4", "i": "<i8"}
_ROUND_OFF = 1e-6
"""Relative asymmetry or negative eigenvalue of a matrix that counts as round-off."""


def write_body(body: ReducedBody, path: str | os.PathLike[str]) -> Path:
    """Write a body file and return its path; an existing one is replaced at the end."""
    target = Path(path)
    _check_writable(body, target)
    content = io.BytesIO()  # HDF5 crashes when it closes a file that it could not write
    with h5py.File(content, "w", libver=("v110", "v110")) as file:
        _write_all(file, body)
    with write_errors(target), draft_of(target, target.suffix) as draft:
        draft.write_bytes(content.getbuffer())
    return target


def _check_writable(body: ReducedBody, target: Path) -> None:
    faults = [place_fault(target, "body.h5"), *_name_faults([marker.name for marker in body.markers])]
    if any(faults):
        raise InputError([Fault(text) for text in faults if text])


def _name_faults(names: list[str]) -> list[str]:
    faults = [
        f"'{name[:60]}' cannot be the name of a marker (use letters, digits, _ and - only)."
        for name in names
        if not layout.NAME.fullmatch(name)
    ]
    if "origin" in names:
        faults.append("the marker name 'origin' is reserved for the body frame itself.")
    repeated = sorted({name for name in names if names.count(name) > 1})
    return faults + [f"the marker name '{name}' is used twice." for name in repeated]


def _write_all(file: h5py.File, body: ReducedBody) -> None:
    file.attrs["format"], file.attrs["version"] = layout.FORMAT, layout.VERSION if body.loads or body.prestress else 1
    file.attrs["name"], file.attrs["frame"] = body.name, body.frame
    if body.prestress:
        file.attrs["prestress"] = body.prestress
    file.attrs["length"] = float(body.length)
    file.attrs["length unit"] = "m"
    _put_arrays(file, "field/invariants", body.invariants, layout.INVARIANTS)
    if body.points is not None:
        _put_arrays(file, "field/points", body.points, layout.POINTS)
    for name, parts in standard_input_data(body.invariants, body.stiffness, body.damping).items():
        unit, text = layout.SID[name]
        for part, values in parts.items():
            shown = unit if part == "M0" else layout.per_metre(unit)
            _put(file, f"sid/{name}/{part}", values, Entry("", shown, text))
    _put_texts(file, "coordinates/label", [entry.label for entry in body.coordinates])
    _put_texts(file, "coordinates/kind", [entry.kind for entry in body.coordinates])
    _put_texts(file, "coordinates/interface", [entry.interface for entry in body.coordinates])
    _put(file, "coordinates/frequency", [entry.frequency for entry in body.coordinates], layout.FREQUENCY)
    file.create_group("markers")
    for number, marker in enumerate(body.markers):
        _put_marker(file, number, marker)
    if body.surface is not None:
        _put_arrays(file, "surface", body.surface, layout.SURFACE)
    if body.left_out is not None:
        _put(file, "left_out", body.left_out, layout.LEFT_OUT)
    for number, load in enumerate(body.loads):
        group = f"loads/{load.name}"
        _put_arrays(file, group, load, layout.LOAD_SHAPE)
        attributes = file[group].attrs
        attributes["what"], attributes["text"], attributes["number"] = load.what, load.text, number
    text = json.dumps(body.report, default=_plain)
    report = file.create_dataset("report", data=text, dtype=h5py.string_dtype())
    report.attrs["unit"], report.attrs["text"] = "-", "what the checks of the reduction found, as JSON"
    provenance = file.create_group("provenance").attrs
    for key, value in body.provenance.items():
        provenance[key] = str(value).encode("utf-8", "backslashreplace").decode()  # file names may not be text


def _plain(value: Any) -> Any:
    """NumPy arrays and numbers as JSON values."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a report holds numbers, strings and lists of them, found {type(value).__name__}")


def _put_arrays(file: h5py.File, group: str, owner: Any, entries: Mapping[str, Entry]) -> None:
    for name, entry in entries.items():
        values = getattr(owner, name)
        if values is not None:
            _put(file, f"{group}/{name}", values, entry)


def _put_marker(file: h5py.File, number: int, marker: BodyMarker) -> None:
    group = f"markers/{marker.name}"
    shapes = marker.shapes
    arrays = {"position": marker.p_b, "nodes": marker.nodes, "Phi": shapes.Phi, "Theta": shapes.Theta}
    if shapes.order > 1:
        arrays |= {"G": shapes.G, "Gamma": shapes.Gamma}
    for name, values in arrays.items():
        _put(file, f"{group}/{name}", values, layout.MARKER[name])
    attributes = file[group].attrs
    attributes["kind"], attributes["number"], attributes["order"] = marker.kind, number, shapes.order


def _put(file: h5py.File, path: str, values: Any, entry: Entry) -> None:
    """Write an array with a checksum, its unit and its meaning."""
    data = np.asarray(values, dtype=_TYPES[entry.kind])
    # Checksums belong to chunks, which single numbers and empty arrays do not have.
    dataset = file.create_dataset(path, data=data, fletcher32=True if data.ndim and data.size else None)
    dataset.attrs["unit"], dataset.attrs["text"] = entry.unit, entry.text


def _put_texts(file: h5py.File, path: str, texts: list[str]) -> None:
    dataset = file.create_dataset(path, data=texts, shape=(len(texts),), dtype=h5py.string_dtype())
    dataset.attrs["unit"], dataset.attrs["text"] = "-", "of every elastic coordinate"


def read_body(
    path: str | os.PathLike[str], *, surface_nodes: int | None = None, second_order: bool = True
) -> ReducedBody:
    """Read and check a body file.

    surface_nodes : read at most this many surface nodes, without triangles, second derivatives and stress (a run
    needs no surface, and it is by far the largest part of the file); None: the whole surface
    second_order : whether to read the second derivatives of the surface, which are the largest part of it
    """
    file = _open(Path(path))
    with file:
        try:
            return _Reader(Path(path), file).body(surface_nodes, second_order)
        except MemoryError:
            raise InputError(f"The body file '{path}' does not fit into memory.") from None
        except UNREADABLE as error:
            raise InputError(f"The body file '{path}' is damaged: {reason_of(error)}. Make it again.") from None


def is_body_file(path: Path) -> bool:
    """Whether `path` is a body file of flexmb, of whatever version."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return False
        check_texts(path)
        with h5py.File(path, "r", locking=False) as file:
            return _text(file.attrs.get("format", "")) == layout.FORMAT
    except UNREADABLE:
        return False


def _open(path: Path) -> h5py.File:
    """Open a body file of this version."""
    if fault := file_fault(path, "body file"):
        raise InputError(fault)
    make = "Make one with 'flexmb reduce MESH ... -o BODY.h5'."
    try:
        if not h5py.is_hdf5(path) and path.stat().st_size:
            with open(path, "rb"):  # h5py hides that permission is denied
                raise InputError(f"'{path}' is not a body file (it is not in HDF5 format). {make}")
        check_texts(path)
        file = h5py.File(path, "r", locking=False)
    except Damaged as error:
        raise InputError(f"The body file '{path}' is damaged: {reason_of(error)}. Make it again.") from None
    except OSError as error:
        reason = error.strerror if isinstance(error, PermissionError) else "the file is truncated or damaged"
        raise InputError(f"The body file '{path}' cannot be read: {reason}.") from None
    try:
        found, version = _text(file.attrs.get("format", "")), file.attrs.get("version")
        if found == "flexmb result":
            raise InputError(f"'{path}' is the result of a run, not a body file. {make}")
        if found != layout.FORMAT:
            raise InputError(f"'{path}' is an HDF5 file, but not a body file of flexmb. {make}")
        if not isinstance(version, (int, np.integer)) or version < 1:
            raise InputError(f"The body file '{path}' is damaged: its version is missing. Make it again.")
        if version > layout.VERSION:
            raise InputError(
                f"The body file '{path}' was written by a newer flexmb: it has format {version}, this one reads "
                f"{layout.VERSION}. Update flexmb, or make the file again."
            )
    except UNREADABLE as error:
        file.close()
        raise InputError(f"The body file '{path}' is damaged: {reason_of(error)}. Make it again.") from None
    except InputError:
        file.close()
        raise
    return file


class _Reader:
    """Reads the parts of an open body file; `sizes` holds the dimensions found so far by their letter."""

    def __init__(self, path: Path, file: h5py.File):
        self.file = file
        self.sizes: dict[str, int] = {str(digit): digit for digit in (3, 6)}

    def body(self, surface_nodes: int | None, second_order: bool) -> ReducedBody:
        coordinates = self.coordinates()
        n = self.sizes["n"] = len(coordinates)
        self.sizes["c"] = n * (n + 1) // 2
        invariants = self.arrays("field/invariants", layout.INVARIANTS, layout.MAY_LACK)
        points = (
            PointField(**self.arrays("field/points", layout.POINTS)) if is_stored(self.file, "field/points") else None
        )
        stiffness = self.array("sid/Ke/M0", layout.STIFFNESS)
        damping = self.array("sid/De/M0", layout.DAMPING)
        length, mass = float(self.file.attrs["length"]), float(invariants["mass"])
        for name, value in (("length", length), ("mass", mass)):
            if not (np.isfinite(value) and value > 0.0):
                raise Damaged(f"its {name} is {value:g}")
        prestress = _text(self.file.attrs.get("prestress", ""))
        _check_matrix("stiffness", stiffness, may_buckle=bool(prestress))
        _check_matrix("damping", damping)
        return ReducedBody(
            name=_text(self.file.attrs["name"]),
            invariants=Invariants(**{**invariants, "mass": mass}),
            points=points,
            stiffness=stiffness,
            damping=damping,
            coordinates=coordinates,
            markers=self.markers(),
            frame=_text(self.file.attrs["frame"]),
            length=length,
            surface=self.surface(surface_nodes, second_order) if self.has("surface") else None,
            loads=self.loads(surface_nodes is None) if self.has("loads") else (),
            report=self.report(),
            prestress=prestress,
            left_out=self.array("left_out", layout.LEFT_OUT) if self.has("left_out") else None,
            provenance={key: _text(value) for key, value in stored(self.file, "provenance").attrs.items()},
        )

    def coordinates(self) -> tuple[Coordinate, ...]:
        labels, kinds, interfaces = (self.texts(f"coordinates/{name}") for name in ("label", "kind", "interface"))
        self.sizes["n"] = len(labels)
        frequencies = self.array("coordinates/frequency", layout.FREQUENCY)
        if not len(labels) == len(kinds) == len(interfaces):
            raise Damaged("the lists of its coordinates have different lengths")
        if len(set(labels)) < len(labels):
            raise Damaged("two of its coordinates have the same label")
        if unknown := sorted(set(kinds) - set(layout.COORDINATE_KINDS)):
            raise Damaged(f"'{unknown[0][:40]}' is not a kind of coordinate")
        rows = zip(labels, kinds, frequencies, interfaces, strict=True)
        return tuple(Coordinate(label, kind, float(hertz), interface) for label, kind, hertz, interface in rows)

    def markers(self) -> tuple[BodyMarker, ...]:
        found = {name: self.marker(name) for name in stored(self.file, "markers")}
        if faults := _name_faults(list(found)):
            raise Damaged(faults[0])
        return tuple(marker for _, marker in sorted(found.values(), key=lambda entry: entry[0]))

    def marker(self, name: str) -> tuple[int, BodyMarker]:
        """Number in the list, and the marker."""
        attributes = stored(self.file, f"markers/{name}").attrs
        kind, order = _text(attributes["kind"]), int(attributes["order"])
        if not isinstance(attributes["kind"], (str, bytes)):
            raise Damaged(f"marker '{name[:60]}' has a kind that is no text")
        if kind not in layout.MARKER_KINDS or order not in (1, 2):
            raise Damaged(f"marker '{name[:60]}' has kind '{kind[:40]}' and order {order}")
        self.sizes.pop("m", None)
        absent = () if order > 1 else ("G", "Gamma")
        arrays = self.arrays(f"markers/{name}", layout.MARKER, absent)
        shapes = MarkerShapes.linear(arrays["Phi"], arrays["Theta"])
        if order > 1:
            shapes = MarkerShapes(arrays["Phi"], arrays["Theta"], arrays["G"], arrays["Gamma"], 2)
        return int(attributes["number"]), BodyMarker(name, kind, arrays["position"], shapes, arrays["nodes"])

    def surface(self, most: int | None, second_order: bool) -> Surface | None:
        if most is not None:
            return self.surface_sample(most) if most > 0 else None
        entries = {name: entry for name, entry in layout.SURFACE.items() if second_order or name != "G"}
        arrays = self.arrays("surface", entries, layout.MAY_LACK_SURFACE)
        triangles = arrays["triangles"]
        if triangles.size and not 0 <= triangles.min() <= triangles.max() < len(arrays["points"]):
            raise Damaged("a triangle of its surface refers to a missing point")
        return Surface(**arrays)

    def surface_sample(self, most: int) -> Surface:
        """An even sample of at most `most` surface nodes: positions and first derivatives."""
        entries = {name: layout.SURFACE[name] for name in ("points", "nodes", "Phi")}
        arrays = self.arrays("surface", entries)
        every = -(-len(arrays["nodes"]) // most) or 1
        thinned = {name: values[::every].copy() for name, values in arrays.items()}
        return Surface(triangles=np.zeros((0, 3), dtype=np.int64), **thinned)

    def loads(self, with_stress: bool) -> tuple[LoadShape, ...]:
        found = {}
        for name in stored(self.file, "loads"):
            attributes = stored(self.file, f"loads/{name}").attrs
            what = _text(attributes["what"])
            if what not in layout.LOAD_UNITS or not layout.NAME.fullmatch(name):
                raise Damaged(f"load '{name[:60]}' is of kind '{what[:40]}'")
            entries = {key: entry for key, entry in layout.LOAD_SHAPE.items() if with_stress or key != "stress"}
            arrays = self.arrays(f"loads/{name}", entries, layout.MAY_LACK_LOAD)
            unit, text = layout.LOAD_UNITS[what], _text(attributes["text"])
            found[int(attributes["number"]), name] = LoadShape(name=name, what=what, unit=unit, text=text, **arrays)
        return tuple(found[key] for key in sorted(found))

    def report(self) -> dict[str, Any]:
        report = json.loads(self.dataset("report").asstr()[()])
        if not isinstance(report, dict):
            raise Damaged("its report is not a table")
        return report

    def arrays(self, group: str, entries: Mapping[str, Entry], may_lack: tuple[str, ...] = ()) -> dict[str, Any]:
        """Arrays of a group; those in `may_lack` are optional."""
        present = {
            name: entry
            for name, entry in entries.items()
            if name not in may_lack or is_stored(self.file, f"{group}/{name}")
        }
        return {name: self.array(f"{group}/{name}", entry) for name, entry in present.items()}

    def array(self, path: str, entry: Entry) -> Any:
        """A finite array of the right shape."""
        dataset = self.dataset(path)
        if dataset.dtype.kind not in ("iu" if entry.kind == "i" else "fiu"):
            raise Damaged(f"'{path}' does not hold {'whole ' if entry.kind == 'i' else ''}numbers")
        if len(dataset.shape) != len(entry.shape):
            raise Damaged(f"'{path}' has {len(dataset.shape)} dimensions, {len(entry.shape)} are needed")
        expected = tuple(self.sizes.setdefault(key, size) for key, size in zip(entry.shape, dataset.shape, strict=True))
        if dataset.shape != expected:
            raise Damaged(f"'{path}' is {_by(dataset.shape)}, {_by(expected)} is needed")
        values = np.ascontiguousarray(dataset[()], dtype=_TYPES[entry.kind]).reshape(dataset.shape)
        if not np.isfinite(values).all():
            raise Damaged(f"'{path}' holds numbers that are not finite")
        return values

    def texts(self, path: str) -> list[str]:
        dataset = self.dataset(path)
        if len(dataset.shape) != 1:
            raise Damaged(f"'{path}' is not a list")
        return [str(text) for text in dataset.asstr()[:]]

    def has(self, path: str) -> bool:
        return is_stored(self.file, path)

    def dataset(self, path: str) -> h5py.Dataset:
        """A dataset stored in this file, of a length consistent with its bytes."""
        return stored_array(self.file, path)


def _check_matrix(name: str, matrix: Any, may_buckle: bool = False) -> None:
    size = float(np.abs(matrix).max(initial=0.0))
    if size == 0.0:
        return
    if np.abs(matrix - matrix.T).max() > _ROUND_OFF * size:
        raise Damaged(f"its {name} matrix is not symmetric")
    if not may_buckle and np.linalg.eigvalsh(matrix)[0] < -_ROUND_OFF * size:
        raise Damaged(f"its {name} matrix has a negative eigenvalue")


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _by(shape: tuple[int, ...]) -> str:
    return " x ".join(str(size) for size in shape) or "one number"


def fingerprint(body: ReducedBody) -> str:
    """Hash of everything that determines how the body moves: equal for equal files, wherever they are."""
    digest = hashlib.sha256(f"{body.frame} {body.length!r}".encode())
    arrays = [getattr(body.invariants, name) for name in layout.INVARIANTS]
    if body.points is not None:
        arrays += [getattr(body.points, name) for name in layout.POINTS]
    for marker in body.markers:
        digest.update(f" {marker.name} {marker.shapes.order}".encode())
        shapes = marker.shapes
        arrays += [marker.p_b, shapes.Phi, shapes.Theta, *([shapes.G, shapes.Gamma] if shapes.order > 1 else [])]
    for load in body.loads:
        digest.update(f" {load.name} {load.what}".encode())
        arrays += [getattr(load, name) for name in layout.LOAD_SHAPE if name != "stress"]
    for values in (*arrays, body.stiffness, body.damping):
        if values is not None:
            digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
    return digest.hexdigest()
