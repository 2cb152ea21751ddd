"""Drawn geometry of a rigid body: boxes, cylinders, spheres and files; it has no effect on the results.

Each shape is a table with one of the keys `box`, `cylinder`, `sphere` and `file`; a body has one of them or a list.
Numbers are body coordinates, names of points are world design positions, as for markers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from flexmb.axes import UNIT_VECTORS
from flexmb.mesh.length_units import UNITS
from flexmb.model.schema.fields import FieldType, PlaceField, Scalar, VectorOf, context_of, field_error
from flexmb.model.schema.json_forms import TEXT, Schema, any_of, either, keyed, listed, quantity
from flexmb.model.schema.table import FieldError, ValidationInfo
from flexmb.suggestions import clipped, did_you_mean, meant, nearest

Kind = Literal["box", "cylinder", "sphere", "file"]
KEYS: dict[Kind, tuple[str, ...]] = {
    "box": ("at", "orientation"),
    "cylinder": ("radius",),
    "sphere": ("at",),
    "file": ("at", "orientation", "unit"),
}
"""Kind of a shape -> its other keys."""
_EVERY_KEY = tuple(dict.fromkeys((*KEYS, *(key for keys in KEYS.values() for key in keys))))


@dataclass(frozen=True)
class Shape:
    """One shape of a body."""

    kind: Kind
    size: tuple[float, ...] = ()
    """Edges of a box, radius of a sphere or cylinder [m]"""
    ends: tuple[Any, ...] = ()
    """Ends of a cylinder (places)"""
    at: Any = (0.0, 0.0, 0.0)
    """Centre of a box or sphere, or origin of a file"""
    orientation: Any = UNIT_VECTORS
    """3x3: axes of a box or file in body axes"""
    path: str = ""
    """Path of a file, from the current folder"""
    unit: str | None = None
    """Unit of a file; None: guessed from its extent"""


@dataclass(frozen=True)
class GeometryField(FieldType):
    """One shape, or a list of them."""

    def read(self, value: Any, info: ValidationInfo) -> tuple[Shape, ...]:
        tables = [value] if isinstance(value, (Mapping, Shape)) else value
        if not isinstance(tables, (list, tuple)) or not tables:
            raise field_error(f"expected a shape such as {{ sphere = 0.1 }} or a list of them, found {clipped(value)}")
        shapes, faults = [], []
        for number, table in enumerate(tables, start=1):
            found: list[str] = []
            shapes.append(table if isinstance(table, Shape) else _shape(table, info, found))
            faults += [f"shape {number}: {text}" if len(tables) > 1 else text for text in found]
        if faults:
            raise field_error("; ".join(faults))
        return tuple(shape for shape in shapes if shape is not None)

    def json(self) -> Schema:
        from flexmb.model.schema.bodies import RotationField

        place, length = PlaceField().json(), quantity("m", above=0.0)
        keys = {
            "box": listed(length, 3),
            "cylinder": listed(place, 2),
            "sphere": length,
            "file": TEXT,
            "radius": length,
            "at": place,
            "orientation": RotationField().json(),
            "unit": {"anyOf": [{"enum": list(UNITS)}, TEXT]},
        }
        needed = {kind: (kind, "radius") if kind == "cylinder" else (kind,) for kind in KEYS}
        one = any_of(*(keyed({key: keys[key] for key in (k, *KEYS[k])}, needed[k]) for k in KEYS))
        return either(one, listed(one, least=1), words="shape, or a list of shapes")


def _shape(table: Any, info: ValidationInfo, faults: list[str]) -> Shape | None:
    """A shape; adds its faults to `faults`."""
    if not isinstance(table, Mapping):
        faults.append(f"expected a table such as {{ sphere = 0.1 }}, found {clipped(table)}")
        return None
    for key in table:
        if key not in _EVERY_KEY:
            faults.append(f"'{str(key)[:60]}' is not a key of a shape. {did_you_mean(str(key), _EVERY_KEY, 'Keys')}")
    kinds = [kind for kind in KEYS if kind in table]
    if len(kinds) != 1:
        found = f"found {' and '.join(kinds)}" if kinds else "found none of them"
        faults.append(f"a shape needs one of the keys {', '.join(KEYS)}, {found}")
        return None
    kind = kinds[0]
    for key in table:
        if key in _EVERY_KEY and key != kind and key not in KEYS[kind]:
            allowed = ", ".join(KEYS[kind])
            faults.append(f"'{key}' does not belong to a {kind} (which has: {allowed})")
    if kind == "cylinder" and "radius" not in table:
        faults.append("a cylinder needs its 'radius'")
    values = {}
    for key in (kind, *KEYS[kind]):
        if key in table:
            try:
                values[key] = _READ[key](table[key], info)
            except FieldError as error:
                faults.append(f"{key}: {error.text}{'. ' if error.hint else ''}{error.hint}")
    if faults:
        return None
    common = {key: values[key] for key in ("at", "orientation", "unit") if key in values}
    if kind == "file":
        return Shape(kind, path=values[kind], **common)
    if kind == "cylinder":
        return Shape(kind, (values["radius"],), values[kind])
    return Shape(kind, values[kind] if kind == "box" else (values[kind],), **common)


def _read_box(value: Any, info: ValidationInfo) -> tuple[float, ...]:
    edges = VectorOf("length").read(value, info)
    if min(edges) <= 0.0:
        raise field_error(f"the edges must be greater than 0 m, found {min(edges):g}")
    return edges


def _read_place(value: Any, info: ValidationInfo) -> Any:
    place = PlaceField().read(value, info)
    points = context_of(info).points
    if isinstance(place, str) and place not in points:
        raise field_error(f"no point '{place[:60]}'", did_you_mean(place, points, "Points"))
    return place


def _read_ends(value: Any, info: ValidationInfo) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise field_error(f"expected a list of two points, found {clipped(value)}")
    ends = tuple(_read_place(end, info) for end in value)
    if ends[0] == ends[1]:
        raise field_error("the two ends are the same point")
    return ends


def _read_radius(value: Any, info: ValidationInfo) -> float:
    return Scalar("length", above=0.0).read(value, info)


def _read_orientation(value: Any, info: ValidationInfo) -> Any:
    from flexmb.model.schema.bodies import RotationField

    return RotationField().read(value, info)


def _read_unit(value: Any, info: ValidationInfo) -> str:
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in UNITS:
        raise field_error(f"{clipped(value)} is not a unit of length", did_you_mean(str(value), UNITS, "Units"))
    return word


def _read_file(value: Any, info: ValidationInfo) -> str:
    if not isinstance(value, str) or not value:
        raise field_error(f"expected the path of a file (.stl, .obj, .ply or a mesh), found {clipped(value)}")
    path = Path(context_of(info).folder) / value
    try:
        if path.is_file():
            return str(path)
        beside = sorted(file.name for file in path.parent.iterdir() if file.is_file()) if path.parent.is_dir() else []
    except (OSError, ValueError) as error:
        raise field_error(f"'{value[:60]}' cannot be read ({error})") from None
    raise field_error(f"there is no file '{path}'", meant(nearest(path.name, beside)))


_READ = {
    "box": _read_box,
    "cylinder": _read_ends,
    "sphere": _read_radius,
    "file": _read_file,
    "radius": _read_radius,
    "at": _read_place,
    "orientation": _read_orientation,
    "unit": _read_unit,
}


def without_lost_files(tables: Mapping[str, Any], folder: str) -> tuple[dict[str, Any], list[str]]:
    """Tables of a model without the shapes whose files are missing, and a sentence on each of them.

    Drawing a result must not fail because a geometry file is missing; paths start in `folder`.
    """
    notes: list[str] = []
    bodies = {}
    for name, body in tables.get("bodies", {}).items():
        given = body.get("geometry") if isinstance(body, Mapping) else None
        shapes = given if isinstance(given, list) else [given] if isinstance(given, Mapping) else []
        lost = [shape["file"] for shape in shapes if _is_lost(shape, folder)]
        if not lost:
            bodies[name] = body
            continue
        kept = [shape for shape in shapes if not _is_lost(shape, folder)]
        bodies[name] = {key: value for key, value in body.items() if key != "geometry"}
        if kept:
            bodies[name]["geometry"] = kept
        instead = "the body is drawn without it" if kept else "the body is drawn as a simple shape"
        notes += [f"Body '{name}': the file '{file}' is missing, so {instead}." for file in lost]
    return {**tables, "bodies": bodies} if notes else dict(tables), notes


def _is_lost(shape: Any, folder: str) -> bool:
    file = shape.get("file") if isinstance(shape, Mapping) else None
    return isinstance(file, str) and not (Path(folder) / file).is_file()


COLORS = {
    "black": "#1c1f23", "white": "#f4f5f6", "gray": "#8a929a", "silver": "#b8bfc6", "steel": "#5c85ad",
    "red": "#c0392b", "orange": "#cc8c47", "yellow": "#d9b632", "green": "#5b9a55", "blue": "#3a6ea5",
    "purple": "#8e5aa8", "pink": "#d48aa5", "brown": "#8a6242", "cyan": "#4aa3b0", "navy": "#2c3e66",
    "gold": "#c9a227", "copper": "#b5703c", "brass": "#b5a642",
}  # fmt: skip
"""Names of colours, in muted tones."""
COLOR_TEXT: Schema = {"type": "string", "pattern": r"^\s*(#[0-9a-fA-F]{6}|[A-Za-z]+)\s*$"}


@dataclass(frozen=True)
class ColorField(FieldType):
    """ "#rrggbb" or a common name; becomes red, green, blue from 0 to 1."""

    def read(self, value: Any, info: ValidationInfo) -> tuple[float, float, float]:
        if isinstance(value, tuple):
            return value
        if not isinstance(value, str):
            raise field_error(f'expected "#rrggbb" or the name of a colour, found {clipped(value)}')
        word = value.strip().lower().replace("grey", "gray")
        code = COLORS.get(word, word)
        if not re.fullmatch(r"#[0-9a-f]{6}", code):
            text = f'{clipped(value)} is not a colour: use "#rrggbb" or a name'
            raise field_error(text, did_you_mean(word, COLORS, "Names"))
        red, green, blue = (int(code[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
        return red, green, blue

    def json(self) -> Schema:
        return either({"enum": list(COLORS)}, COLOR_TEXT, words="#rrggbb or a name")
