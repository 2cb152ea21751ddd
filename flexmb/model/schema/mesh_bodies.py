"""Flexible bodies from body files: a model gives the file, the place of the body, and how much of its field is used."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from flexmb.errors import InputError
from flexmb.model.schema.beams import Damping, FlexibleTable
from flexmb.model.schema.bodies import IDENTITY, RotationField
from flexmb.model.schema.fields import FieldType, Matrix, PlaceField, Where, context_of, field_error
from flexmb.model.schema.json_forms import TEXT, Schema
from flexmb.model.schema.table import Field, ValidationInfo
from flexmb.suggestions import clipped, did_you_mean

if TYPE_CHECKING:
    from flexmb.bodies.reduced_body import ReducedBody

SAMPLE = 200
"""Surface nodes that are kept, to report how far the body was deformed."""
_REMEMBERED = 16
"""Body files that are kept in memory."""


def load_body(folder: str, text: str) -> ReducedBody:
    """The body of a file; `text` is its path, relative to `folder` unless it is absolute. Raises InputError."""
    path = Path(folder) / text
    try:
        found = path.stat()
    except (OSError, ValueError):
        return _read(str(path), 0, 0)  # raises an error that says what is wrong
    return _read(str(path), found.st_mtime_ns, found.st_size)


@lru_cache(_REMEMBERED)
def _read(path: str, changed: int, size: int) -> ReducedBody:
    """The body in a file last `changed` then [ns], of this `size`: the cache misses when the file changes."""
    from flexmb.bodies.body_file import read_body

    return read_body(path, surface_nodes=SAMPLE)


def file_markers(folder: str, text: Any) -> list[str] | None:
    """Names of the markers in a body file; None when it cannot be read."""
    try:
        return [marker.name for marker in load_body(folder, text).markers] if isinstance(text, str) and text else None
    except InputError:
        return None


@dataclass(frozen=True)
class BodyFile:
    """A body file that has been read."""

    text: str
    """Path as the model gives it"""
    body: Any
    """`ReducedBody`"""
    mesh: str = ""
    """Mesh that the model gives instead of the file; empty: it gives the file"""


@dataclass(frozen=True)
class BodyFileField(FieldType):
    """Path of a body file, relative to the folder of the model file; becomes its contents."""

    def read(self, value: Any, info: ValidationInfo) -> BodyFile:
        if isinstance(value, BodyFile):
            return value
        if not isinstance(value, str) or not value:
            raise field_error(f"expected the path of a body file (.h5), found {clipped(value)}")
        folder = context_of(info).folder
        try:
            return BodyFile(value, load_body(folder, value))
        except InputError as error:
            raise field_error(error.faults[0].text, _near_files(Path(folder) / value)) from None

    def json(self) -> Schema:
        return {**TEXT, "x-value": "path"}


def _near_files(path: Path) -> str:
    """Hint with existing files that may have been meant."""
    try:
        if path.exists() or not path.parent.is_dir():
            return ""
        names = sorted(file.name for file in path.parent.glob("*.h5"))
    except (OSError, ValueError):
        return ""
    return did_you_mean(path.name, names, "Files there") if names else ""


_IN_FILE = "of a body from a file is in the file and cannot be given too"
_OF_BEAM = "belongs to a beam, which has 'beam' instead of 'file'"


class MeshBody(FlexibleTable):
    """A flexible body of a body file, as 'flexmb reduce' writes it from a mesh; body axes are those of the mesh."""

    foreign: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("mass", "inertia", "center", "material"), _IN_FILE),
        "geometry": "belongs to a rigid body: this one is drawn as the surface of its mesh",
        "frame": "of a body from a file is chosen with 'flexmb reduce --frame'",
        "markers": "of a body from a file are those of the file: add more with 'flexmb reduce --marker NAME=PLACE'",
        "rod": "belongs to a rigid body and cannot be given together with 'file'",
        "rotor": "belongs to a rigid body: fix one to a marker of the body",
        **dict.fromkeys(("section", "sections", "masses", "shapes", "shear", "rotary_inertia", "y_axis"), _OF_BEAM),
    }

    file: Annotated[BodyFile, BodyFileField()] = Field(
        description="Body file (.h5) written by 'flexmb reduce'; path relative to the folder of the model file."
    )
    at: Annotated[Where, PlaceField()] = Field(
        (0.0, 0.0, 0.0), description="Design position of the origin of the mesh [m], world axes."
    )
    orientation: Annotated[Matrix, RotationField()] = Field(
        IDENTITY, description="Axes of the mesh in the design position, as for a rigid body; default: the world axes."
    )
    field: Literal["quadratic", "linear"] | None = Field(
        None, description="Deformation field: second order, or linear (no stiffening); default: as in the file."
    )
    order: Literal[1, 2, "full"] | None = Field(
        None, description="Quadratic field: order of the equations, or full for all terms; default: as in the file."
    )
    damping: Damping | None = Field(None, description="Damping; default: as in the file.")

    @property
    def markers(self) -> dict[str, Any]:
        """Markers that the model adds: none."""
        return {}

    @property
    def chosen_order(self) -> Any:
        """0 for a linear field, else 1, 2 or "full"."""
        if self.field == "linear":
            return 0
        return self.file.body.order if self.order is None else self.order
