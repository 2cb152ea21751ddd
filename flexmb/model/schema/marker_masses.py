"""Keys of a meshed body for masses at its markers and for held sets, as requests of the reduction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.fields import FieldType, Scalar, Vector, VectorOf, field_error
from flexmb.model.schema.json_forms import TEXT, Schema, listed
from flexmb.model.schema.table import Field, ValidationInfo
from flexmb.suggestions import clipped

if TYPE_CHECKING:
    from flexmb.reduction.attachments import HoldRequest, MassRequest


class MarkerMass(Strict):
    """A rigid mass at a marker of a meshed body."""

    mass: Annotated[float, Scalar("mass", above=0.0)] = Field(description="Mass [kg].")
    inertia: Annotated[Vector, VectorOf("inertia")] = Field(
        (0.0, 0.0, 0.0), description="Moments of inertia xx, yy, zz about its centre, axes of the mesh [kg*m^2]."
    )
    offset: Annotated[Vector, VectorOf("length")] = Field(
        (0.0, 0.0, 0.0), description="Its centre relative to the marker, axes of the mesh [m]."
    )


class MassesField(FieldType):
    """{ MARKER = "2 kg" } or { MARKER = { mass, inertia, offset } }."""

    def read(self, value: Any, info: ValidationInfo) -> tuple[MassRequest, ...]:
        from flexmb.reduction.attachments import MassRequest

        if isinstance(value, (list, tuple)) and all(isinstance(entry, MassRequest) for entry in value):
            return tuple(value)
        if not isinstance(value, Mapping):
            raise field_error(f'expected {{ MARKER = "2 kg" }}, found {clipped(value)}')
        found = []
        for name, entry in value.items():
            table = MarkerMass.read(entry if isinstance(entry, Mapping) else {"mass": entry}, info)
            found.append(MassRequest(str(name), table.mass, table.inertia, table.offset))
        return tuple(found)

    def json(self) -> Schema:
        return {"type": "object"}


class HoldField(FieldType):
    """["SET", "SET:z"]."""

    def read(self, value: Any, info: ValidationInfo) -> tuple[HoldRequest, ...]:
        from flexmb.reduction.attachments import HoldRequest
        from flexmb.reduction.tie_words import read_hold

        words = [value] if isinstance(value, str) else value
        if isinstance(words, (list, tuple)) and all(isinstance(word, (str, HoldRequest)) for word in words):
            return tuple(read_hold(word) if isinstance(word, str) else word for word in words)
        raise field_error(f'expected ["SET", "SET:z"], found {clipped(value)}')

    def json(self) -> Schema:
        return listed(TEXT)
