"""The whole model as one validated object, read from plain tables.

`read_spec(tables)` takes nested dicts from a TOML file or the Python builder and returns a
`ModelSpec` in which every quantity is a float in SI, every expression an `Expression`, every direction a unit vector.
All faults, those of single fields and those between parts of the model, are raised together as one InputError.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from flexmb.errors import Fault, InputError
from flexmb.model.expressions.columns import DataTable
from flexmb.model.expressions.expression import Expression
from flexmb.model.expressions.parser import RESERVED
from flexmb.model.schema.analysis import Analysis, Coordinates, ModelInfo, Output
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.bodies import Marker, Strict
from flexmb.model.schema.body_kinds import AnyBody, body_kind
from flexmb.model.schema.checks import ALWAYS, check_references, tables_of
from flexmb.model.schema.faults import faults_of
from flexmb.model.schema.fields import Context, Vector, VectorOf, Where
from flexmb.model.schema.joints import Joint, Motion
from flexmb.model.schema.json_forms import quantity
from flexmb.model.schema.loads import Base, Force, Sensor
from flexmb.model.schema.named_parts import DataTableField, DataTables, NamedExpressionField, resolve_expressions
from flexmb.model.schema.parameters import TABLES, Keep, merged_parameters, missing_fault, resolve_parameters
from flexmb.model.schema.sections import Material, NamedSection
from flexmb.model.schema.sensor_rates import components, with_rates
from flexmb.model.schema.table import Field, ValidationError, WithJsonSchema
from flexmb.suggestions import bounded

Progress = Callable[[str, float], None] | None
AMOUNT = WithJsonSchema({**quantity(), "x-value": "number, or string with a unit"})
"""A parameter in the file, before it becomes a number."""


class ModelSpec(Strict):
    """A model: everything that a model file can hold."""

    model: ModelInfo = Field(default_factory=lambda: ModelInfo.model_validate({}), description="Name and gravity.")
    parameters: dict[str, Annotated[float, AMOUNT]] = Field(
        {}, description="Values used as $name in quantities and expressions (SI)."
    )
    symbols: dict[str, Annotated[float, AMOUNT]] = Field(
        {}, description="Parameters kept as symbols by 'flexmb equations'; '?': a symbol without a value."
    )
    expressions: dict[str, Annotated[Expression, NamedExpressionField()]] = Field(
        {}, description="Named expressions of t, parameters and sensors, used by name in expressions."
    )
    tables: dict[str, Annotated[DataTable, DataTableField()]] = Field(
        {},
        description="Data by columns, for `interp` and `table`; a CSV file in the folder of the model needs no entry.",
    )
    points: dict[str, Annotated[Vector, VectorOf("length")]] = Field(
        {}, description="Named world positions [m] in the design position (all joint coordinates zero)."
    )
    materials: dict[str, Material] = Field({}, description="Materials of beams, used by name.")
    sections: dict[str, NamedSection] = Field({}, description="Cross-sections of beams, used by name.")
    bodies: dict[str, AnyBody] = Field(
        {}, description="Bodies: rigid, beams, from meshes, from body files, given by matrices."
    )
    markers: dict[str, Marker] = Field({}, description="Markers on ground, 'ground.NAME'.")
    joints: dict[str, Joint] = Field({}, description="Joints.")
    motions: dict[str, Motion] = Field({}, description="Prescribed motions.")
    forces: dict[str, Force] = Field({}, description="Forces, springs, friction, actuators.")
    sensors: dict[str, Sensor] = Field({}, description="Named channels of the result.")
    base: Base | None = Field(None, description="Prescribed motion of the ground.")
    coordinates: Coordinates = Field(
        default_factory=lambda: Coordinates.model_validate({}), description="Choice of coordinates and spanning tree."
    )
    analysis: Analysis | None = Field(None, description="Settings of the analysis.")
    output: Output = Field(
        default_factory=lambda: Output.model_validate({}), description="Result file and output interval."
    )

    def place(self, where: Where) -> Vector:
        """World position of a point name; numbers are returned unchanged."""
        return self.points[where] if isinstance(where, str) else where

    def has_places(self, *places: Any) -> bool:
        """Whether all points named in `places` exist."""
        return all(where in self.points for where in places if isinstance(where, str))

    def beam_length(self, body: BeamBody) -> float:
        """Length of a beam [m]."""
        return math.dist(*(self.place(where) for where in body.beam))

    def beam_axis(self, body: BeamBody) -> Vector:
        """Unit vector from end A to end B of a beam, world axes, design position."""
        (ax, ay, az), (bx, by, bz) = (self.place(where) for where in body.beam)
        length = self.beam_length(body)
        return ((bx - ax) / length, (by - ay) / length, (bz - az) / length)

    def station(self, body: BeamBody, where: float | str) -> tuple[float, float]:
        """Distance of a place along a beam from end A [m], and its distance from the axis [m]."""
        if not isinstance(where, str):
            return where, 0.0
        from_start = [p - a for p, a in zip(self.place(where), self.place(body.beam[0]), strict=True)]
        axis = self.beam_axis(body)
        x = sum(d * e for d, e in zip(from_start, axis, strict=True))
        return x, math.hypot(*(d - x * e for d, e in zip(from_start, axis, strict=True)))

    def marker(self, reference: str) -> tuple[str, str]:
        """("body", "marker") of a marker reference; the body alone means its origin."""
        body, _, marker = reference.partition(".")
        return body, marker or "origin"

    def coordinate(self, joint: str, coordinate: str | None) -> str:
        """The named coordinate of a joint, or its only one."""
        return coordinate if coordinate is not None else self.joints[joint].kind.drivable[0]


NAMED_SECTIONS = ("points", "materials", "sections", "bodies", "markers", "joints", "motions", "forces", "sensors")
_NAME = re.compile(r"\w[\w-]*")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def _check_names(tables: Mapping[str, Any]) -> list[Fault]:
    """Faults of names that cannot be used in references "body.marker", in paths of the result or in expressions."""
    faults = []
    places = [((section,), tables_of(tables, section, any_value=True)) for section in NAMED_SECTIONS]
    for body, table in tables_of(tables, "bodies").items():
        if isinstance(table.get("markers"), dict):
            places.append((("bodies", body, "markers"), table["markers"]))  # type: ignore[arg-type]
    for path, named in places:
        always = ALWAYS[body_kind(tables["bodies"][path[1]]) or "rigid"] if len(path) > 1 else ("origin",)
        for name in named:
            if not _NAME.fullmatch(name):
                text = f"'{name[:60]}' cannot be used as a name (letters, digits, _ and - only)"
                faults.append(Fault(text, (*path, name)))
            if (name in always and path[-1] == "markers") or (name == "ground" and path == ("bodies",)):
                faults.append(Fault(f"the name '{name}' is reserved: it always exists", (*path, name)))
    for name in tables_of(tables, "sensors", any_value=True):
        if name in RESERVED or any(name in tables_of(tables, table, any_value=True) for table in TABLES):
            faults.append(Fault(f"the sensor name '{name}' is already used by {_owner(name)}", ("sensors", name)))
    return faults


def _owner(name: str) -> str:
    return "the expression grammar" if name in RESERVED else "a parameter"


@bounded()
def read_spec(
    tables: Mapping[str, Any],
    folder: str = "",
    keep: Keep | None = None,
    progress: Progress = None,
    read_before: Mapping[str, DataTable] | None = None,
) -> ModelSpec:
    """Read and check a whole model; paths in it start in `folder`. Raises InputError with every fault.

    With `keep`, symbols need no value of their own and kept parameters carry their formulas (`SymbolicValue`). Meshes
    that the cache does not have yet are reduced when everything else is right; `progress` is called with the stages.
    `read_before`: CSV files by name that are not read again.
    """
    raw = dict(tables)
    values, owner, faults = merged_parameters(raw)
    amounts, more = resolve_parameters(values, owner, keep)
    faults += more
    if keep is None and (missing := missing_fault(values, owner)):
        raise InputError([*faults, missing])  # without its values, the model cannot be checked further
    for table in TABLES:
        if table in raw:
            raw[table] = {name: float(amount.value) for name, amount in amounts.items() if owner[name] == table}
    sensed = {n: t for n, t in tables_of(raw, "sensors", any_value=True).items() if _IDENTIFIER.fullmatch(n)}
    sensors = (*sensed, *components(sensed))
    points = tuple(tables_of(raw, "points", any_value=True))
    data = DataTables(raw.get("tables"), folder, read_before)
    named = resolve_expressions(raw.get("expressions"), amounts, ("t", *sensors), data)
    faults += data.faults + named.faults
    if isinstance(raw.get("expressions"), Mapping):
        raw["expressions"] = {name: found.expression for name, found in named.scope.expressions.items()}
    if isinstance(raw.get("tables"), Mapping):
        raw["tables"] = dict(data.found)
    context = Context(
        amounts,
        sensors,
        tables_of(raw, "joints"),
        points=points,
        folder=folder,
        scope=named.scope,
        progress=progress,
    )
    spec: ModelSpec | None = None
    try:
        spec = ModelSpec.model_validate(raw, context=context).model_copy(update={"tables": data.found})
    except ValidationError as error:
        faults += faults_of(error, ModelSpec)
    faults += _check_names(tables)
    references = check_references(raw, spec, context)
    faults += references.faults
    if faults:
        raise InputError(_sentences(faults))
    assert spec is not None
    if any(sensor.rate is not None for sensor in spec.sensors.values()):
        spec = spec.model_copy(update={"sensors": with_rates(spec.sensors)})
    if not references.parts:
        return spec
    from flexmb.model.schema.meshed_checks import with_reduced_meshes

    return with_reduced_meshes(spec, references)


def _sentences(faults: list[Fault]) -> list[Fault]:
    """Remove repeats; put a full stop before a hint."""
    texts = (fault.text if fault.text.endswith(".") or not fault.hint else f"{fault.text}." for fault in faults)
    return list(dict.fromkeys(Fault(text, fault.path, fault.hint) for text, fault in zip(texts, faults, strict=True)))
