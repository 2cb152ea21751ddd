"""The whole model as one validated object, and how it is read from plain tables.

`read_spec(tables)` takes nested dicts, as they come out of a TOML file or of the Python builder, and gives a
`ModelSpec` in which every quantity is a float in SI, every expression an `Expression`, every direction a unit vector.
All faults, those of single fields and those between parts of the model, are raised together as one InputError.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError

from flexmb.errors import Fault, InputError
from flexmb.system.expressions.parser import RESERVED
from flexmb.system.schema.analysis import Analysis, Coordinates, ModelInfo, Output
from flexmb.system.schema.bodies import Body, Marker, Strict
from flexmb.system.schema.checks import check_references, tables_of
from flexmb.system.schema.faults import faults_of
from flexmb.system.schema.fields import Context, Vector, VectorOf, Where
from flexmb.system.schema.joints import Joint, Motion
from flexmb.system.schema.loads import Base, Force, Sensor
from flexmb.system.schema.parameters import resolve_parameters


class ModelSpec(Strict):
    """A model: everything that a model file can say."""

    model: ModelInfo = Field(default_factory=lambda: ModelInfo.model_validate({}), description="Name and gravity.")
    parameters: dict[str, float] = Field({}, description="Values used as $name in quantities and expressions (SI).")
    points: dict[str, Annotated[Vector, VectorOf("length")]] = Field(
        {}, description="Named world positions [m] in the design position (all joint coordinates zero)."
    )
    bodies: dict[str, Body] = Field({}, description="Rigid bodies.")
    markers: dict[str, Marker] = Field({}, description="Markers on ground, 'ground.NAME'.")
    joints: dict[str, Joint] = Field({}, description="Joints.")
    motions: dict[str, Motion] = Field({}, description="Prescribed motions.")
    forces: dict[str, Force] = Field({}, description="Forces, springs, friction, actuators.")
    sensors: dict[str, Sensor] = Field({}, description="Named channels of the result.")
    base: Base | None = Field(None, description="Prescribed motion of the ground.")
    coordinates: Coordinates = Field(
        default_factory=lambda: Coordinates.model_validate({}), description="Choice of the spanning tree."
    )
    analysis: Analysis | None = Field(None, description="What is computed.")
    output: Output = Field(default_factory=lambda: Output.model_validate({}), description="What is written.")

    def place(self, where: Where) -> Vector:
        """World position of a point name; numbers are given back as they are."""
        return self.points[where] if isinstance(where, str) else where

    def marker(self, reference: str) -> tuple[str, str]:
        """("body", "marker") of a marker reference; the body alone means its origin."""
        body, _, marker = reference.partition(".")
        return body, marker or "origin"

    def joint_bodies(self, name: str) -> tuple[str, str]:
        """First and second body of a joint, however it is placed."""
        joint = self.joints[name]
        if joint.bodies is not None:
            return joint.bodies
        assert joint.markers is not None
        first, second = (self.marker(reference)[0] for reference in joint.markers)
        return first, second

    def coordinate(self, joint: str, coordinate: str | None) -> str:
        """The named coordinate of a joint, or its only one."""
        return coordinate if coordinate is not None else self.joints[joint].kind.drivable[0]


NAMED_SECTIONS = ("points", "bodies", "markers", "joints", "motions", "forces", "sensors")
_NAME = re.compile(r"\w[\w-]*")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def _check_names(tables: Mapping[str, Any]) -> list[Fault]:
    """Names must survive in references "body.marker", in paths of the result and in expressions."""
    faults = []
    places = [((section,), tables_of(tables, section, any_value=True)) for section in NAMED_SECTIONS]
    for body, table in tables_of(tables, "bodies").items():
        if isinstance(table.get("markers"), dict):
            places.append((("bodies", body, "markers"), table["markers"]))  # type: ignore[arg-type]
    for path, named in places:
        for name in named:
            if not _NAME.fullmatch(name):
                text = f"'{name[:60]}' cannot be used as a name (letters, digits, _ and - only)"
                faults.append(Fault(text, (*path, name)))
            if (name == "origin" and path[-1] == "markers") or (name == "ground" and path == ("bodies",)):
                faults.append(Fault(f"the name '{name}' is taken: it is always there", (*path, name)))
    for name in tables_of(tables, "sensors", any_value=True):
        if name in RESERVED or name in tables_of(tables, "parameters", any_value=True):
            faults.append(Fault(f"the sensor name '{name}' is taken by {_owner(name)}", ("sensors", name)))
    return faults


def _owner(name: str) -> str:
    return "the expression grammar" if name in RESERVED else "a parameter"


def read_spec(tables: Mapping[str, Any]) -> ModelSpec:
    """Read and check a whole model. Raises InputError with every fault."""
    raw = dict(tables)
    amounts, faults = resolve_parameters(raw.get("parameters", {}))
    raw["parameters"] = {name: amount.value for name, amount in amounts.items()}
    sensors = tuple(name for name in tables_of(raw, "sensors", any_value=True) if _IDENTIFIER.fullmatch(name))
    context = Context(amounts, sensors, tables_of(raw, "joints"))
    spec: ModelSpec | None = None
    try:
        spec = ModelSpec.model_validate(raw, context=context)
    except ValidationError as error:
        faults += faults_of(error, ModelSpec)
    faults += _check_names(tables)
    faults += check_references(raw, spec, context)
    if faults:
        raise InputError(_sentences(faults))
    assert spec is not None
    return spec


def _sentences(faults: list[Fault]) -> list[Fault]:
    """Without repeats, and with a full stop before a hint."""
    texts = (fault.text if fault.text.endswith(".") or not fault.hint else f"{fault.text}." for fault in faults)
    return list(dict.fromkeys(Fault(text, fault.path, fault.hint) for text, fault in zip(texts, faults, strict=True)))
