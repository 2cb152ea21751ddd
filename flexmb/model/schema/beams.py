"""Flexible beams of a model: ends, material, sections, lumped masses, shapes, frame, field and damping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from flexmb.model.expressions.parser import parse_amount
from flexmb.model.expressions.tokens import TextError
from flexmb.model.schema.bodies import InertiaField, Marker, RodField, Strict
from flexmb.model.schema.fields import (
    DirectionField,
    FieldType,
    Matrix,
    Scalar,
    Vector,
    VectorOf,
    Where,
    context_of,
    field_error,
    read_list,
    read_number,
)
from flexmb.model.schema.geometry import ColorField
from flexmb.model.schema.json_forms import (
    Schema,
    any_of,
    at_most_one,
    exactly_one,
    given,
    is_one_of,
    keyed,
    listed,
    needs,
    quantity,
    rules,
    whole_number,
)
from flexmb.model.schema.sections import AnyMaterial, AnySection
from flexmb.model.schema.table import ConfigDict, Field, StrictBool, ValidationInfo, model_validator
from flexmb.model.units import KINDS, derivative
from flexmb.suggestions import clipped, did_you_mean

MOST_SHAPES = 100
MOST_ELEMENTS = 1000
AUTO_MODES = 3
"""Modes between the interfaces of a beam without given shapes, per bending plane."""

Family = Literal["auto", "monomials", "modes", "elements"]
Frame = Literal["start", "end", "chord", "mean"]
Supports = Literal[
    "clamped-clamped",
    "clamped-pinned",
    "clamped-free",
    "clamped-guided",
    "pinned-clamped",
    "pinned-pinned",
    "pinned-free",
    "pinned-guided",
    "free-clamped",
    "free-pinned",
    "free-free",
    "free-guided",
    "guided-clamped",
    "guided-pinned",
    "guided-free",
    "guided-guided",
]


@dataclass(frozen=True)
class CountField(FieldType):
    """A whole number. With `word`: that string is allowed too, and becomes None."""

    most: int
    least: int = 0
    word: str = ""

    def read(self, value: Any, info: ValidationInfo) -> int | None:
        if self.word and value == self.word:
            return None
        number = read_number(value, (KINDS["number"],), info)
        if number != int(number):
            raise field_error(f"expected a whole number, found {clipped(value)}")
        if not self.least <= number <= self.most:
            raise field_error(f"must be {self.least} to {self.most}, found {clipped(value)}")
        return int(number)

    def json(self) -> Schema:
        return whole_number(self.least, self.most, self.word)


@dataclass(frozen=True)
class BendingField(FieldType):
    """One count for both planes, or {y = 3, z = 2}; becomes (y, z)."""

    def read(self, value: Any, info: ValidationInfo) -> tuple[int | None, int | None]:
        count = CountField(MOST_SHAPES, word="all")
        if not isinstance(value, dict):
            both = count.read(value, info)
            return both, both
        for key in value:
            if key not in ("y", "z"):
                raise field_error(
                    f"'{str(key)[:60]}' is not a bending plane", did_you_mean(str(key), ("y", "z"), "Planes")
                )
        if not value:
            raise field_error("expected a number of shapes or { y = .., z = .. }")
        return count.read(value.get("y", 0), info), count.read(value.get("z", 0), info)

    def json(self) -> Schema:
        count = CountField(MOST_SHAPES, word="all").json()
        planes = {**keyed({"y": count, "z": count}), "minProperties": 1}
        return {"anyOf": [*count["anyOf"], planes], "x-value": f"{count['x-value']}, or {{ y, z }}"}


Count = Annotated[int | None, CountField(MOST_SHAPES, word="all")]


class Shapes(Strict):
    """The shapes whose sum is the deflection of a beam. A plain number is the number of bending shapes per plane."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            needs("supports", is_one_of("family", "modes", "elements")),
            needs("elements", is_one_of("family", "elements")),
        )
    )
    short: ClassVar[Schema] = CountField(MOST_SHAPES, word="all").json()

    family: Family = Field(
        "monomials",
        description="auto: chosen for what acts on the beam; monomials (x/L)^k, closed-form modes of the uniform beam, "
        "or modes of beam finite elements.",
    )
    bending: Annotated[tuple[int | None, int | None], BendingField()] = Field(
        (4, 4),
        json_schema_extra={"default": 4},
        description="Bending shapes per plane: a number, or { y = 3, z = 2 }; elements: 'all' keeps every node; auto: "
        "modes in addition to the constraint shapes, default 3.",
    )
    axial: Count = Field(0, description="Axial shapes; elements: or 'all'; auto: default as needed.")
    torsion: Count = Field(0, description="Torsion shapes; elements: or 'all'; auto: default as needed.")
    supports: Supports | None = Field(
        None, description="Supports of the beam whose modes are used (modes, elements); default: those of the frame."
    )
    elements: Annotated[int, CountField(MOST_ELEMENTS, least=1)] | None = Field(
        None, description="Number of beam finite elements (elements)."
    )

    @model_validator(mode="before")
    @classmethod
    def _number_alone(cls, data: Any) -> Any:
        if isinstance(data, (int, float, str)) and not isinstance(data, bool):
            return {"bending": data}
        if not isinstance(data, (dict, Shapes)):
            raise field_error(f"expected a number of bending shapes or a table, found {clipped(data)}")
        if isinstance(data, dict) and data.get("family") == "auto":
            return {"bending": AUTO_MODES, **data}
        return data

    @property
    def count(self) -> int | None:
        """Number of elastic coordinates; None when it follows from the elements, or from what acts on the beam."""
        if self.family == "auto" and self.bending != (0, 0):
            return None
        counts = (*self.bending, self.axial, self.torsion)
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    @property
    def twists(self) -> bool:
        """Whether there are torsion shapes."""
        return self.torsion is None or self.torsion > 0


@dataclass(frozen=True)
class StationField(FieldType):
    """A place along a beam: the name of a point, or the distance from end A [m]."""

    def read(self, value: Any, info: ValidationInfo) -> float | str:
        if not isinstance(value, str) or value in context_of(info).points:
            return value if isinstance(value, str) else Scalar("length", least=0.0).read(value, info)
        try:
            parse_amount(value, context_of(info).parameters)
        except TextError:
            points = context_of(info).points
            text = f"'{value[:60]}' is neither a point nor a distance from end A"
            raise field_error(text, did_you_mean(value, points, "Points")) from None
        return Scalar("length", least=0.0).read(value, info)

    def json(self) -> Schema:
        return {**quantity("m", least=0.0), "x-value": "point, or number [m]"}


class LumpedMass(Strict):
    """A rigid lump on the section at one place of a beam."""

    at: Annotated[float | str, StationField()] = Field(description="A point on the axis, or the distance from A [m].")
    mass: Annotated[float, Scalar("mass", least=0.0)] = Field(description="Mass [kg].")
    inertia: Annotated[Matrix, InertiaField()] | None = Field(
        None, description="Inertia about its own centre of mass in section axes [kg*m^2]; default: a point mass."
    )
    center: Annotated[Vector, VectorOf("length")] = Field(
        (0.0, 0.0, 0.0), description="Its centre of mass relative to the beam axis, in section axes [m]."
    )


class SectionStep(Strict):
    """A part of a beam with one section; it begins where the previous part ends."""

    to: Annotated[float, Scalar("length", above=0.0)] | None = Field(
        None, description="End of the part, from A [m]; the last part ends at B."
    )
    section: AnySection = Field(description="Cross-section.")
    material: AnyMaterial | None = Field(None, description="Material, if different from that of the beam.")


@dataclass(frozen=True)
class NumberList(FieldType):
    """A list of numbers of one kind (or of a second one)."""

    kind: str
    turning: str = ""
    order: int = 0
    least: float | None = None

    def read(self, value: Any, info: ValidationInfo) -> tuple[float, ...]:
        if not isinstance(value, (list, tuple)) or not value:
            raise field_error(f"expected a list of numbers, found {clipped(value)}")
        kinds = [derivative(KINDS[name], self.order) for name in (self.kind, self.turning) if name]

        def read(entry: Any) -> float:
            number = read_number(entry, kinds, info)
            if self.least is not None and number < self.least:
                raise field_error(f"must be at least {self.least:g}, found {clipped(entry)}")
            return number

        return read_list(value, len(value), read)

    def json(self) -> Schema:
        units = [derivative(KINDS[name], self.order).unit for name in (self.kind, self.turning) if name]
        return listed(quantity(" or ".join(units), least=self.least), least=1)


class Damping(Strict):
    """Damping of the elastic coordinates: modal ratios, or proportional to mass and stiffness, or a named rule."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            {"oneOf": [given("ratio"), given("ratios"), given("rule"), any_of(given("mass"), given("stiffness"))]}
        )
    )
    short: ClassVar[Schema] = {"anyOf": [{"enum": ["adams"]}]}

    ratio: Annotated[float, Scalar("number", least=0.0)] | None = Field(
        None, description="Ratio of critical damping of every mode."
    )
    ratios: Annotated[tuple[float, ...], NumberList("number", least=0.0)] | None = Field(
        None, description="Ratios of critical damping, one per mode, by increasing frequency."
    )
    mass: Annotated[float, Scalar("rate", least=0.0)] | None = Field(
        None, description="Factor of the mass matrix [1/s] (Rayleigh)."
    )
    stiffness: Annotated[float, Scalar("time", least=0.0)] | None = Field(
        None, description="Factor of the stiffness matrix [s] (Rayleigh)."
    )
    rule: Literal["adams"] | None = Field(
        None, description="adams: ratio 1 % below 100 Hz, 10 % to 1000 Hz, 100 % above."
    )

    @model_validator(mode="before")
    @classmethod
    def _rule_alone(cls, data: Any) -> Any:
        if isinstance(data, str):
            return {"rule": data}
        return data

    @property
    def choice(self) -> dict[str, Any] | str:
        """The damping in the form of the modal basis."""
        if self.rule is not None:
            return self.rule
        if self.ratio is not None:
            return {"ratio": self.ratio}
        if self.ratios is not None:
            return {"ratios": list(self.ratios)}
        return {"mass": self.mass or 0.0, "stiffness": self.stiffness or 0.0}


class BeamMarker(Marker):
    """A named frame on a beam; it moves with its section."""

    model_config = ConfigDict(json_schema_extra=rules(at_most_one("axis", "orientation"), at_most_one("at", "along")))

    along: Annotated[float, Scalar("number", least=0.0, most=1.0)] | None = Field(
        None, description="Place on the beam axis, as a fraction of the length from A; instead of at."
    )


_FOLLOWS = "follows from the two ends in 'beam' and cannot be given too"
_WEIGHS = "follows from sections, density and 'masses' and cannot be given too"


class FlexibleTable(Strict):
    """Keys that all flexible bodies share: initial state and coordinates."""

    elastic_position: Annotated[tuple[float, ...], NumberList("length", "angle")] | None = Field(
        None,
        description="Initial elastic coordinates [m, torsion: rad], those of a beam in the order y, z, "
        "axial, torsion; default: zero.",
    )
    elastic_velocity: Annotated[tuple[float, ...], NumberList("length", "angle", order=1)] | None = Field(
        None, description="Initial rates of the elastic coordinates [m/s, rad/s]; default: zero."
    )
    coordinates: Literal["joint", "absolute"] | None = Field(
        None, description="Coordinates of this body; overrides the choice for the model."
    )
    velocity: Annotated[Vector, VectorOf("speed")] | None = Field(
        None, description="Initial velocity of the body frame's origin in world axes [m/s], for absolute coordinates."
    )
    angular_velocity: Annotated[Vector, VectorOf("angular speed")] | None = Field(
        None, description="Initial angular velocity of the body frame in body axes [rad/s], for absolute coordinates."
    )
    color: Annotated[tuple[float, float, float], ColorField()] | None = Field(
        None, description="Drawn colour, where it does not show deflection or stress: #rrggbb or a name."
    )


class BeamBody(FlexibleTable):
    """A flexible beam, straight in the design position. Its origin is end A, its x axis runs towards end B."""

    foreign: ClassVar[dict[str, str]] = {
        "geometry": "belongs to a rigid body: a beam is drawn as its section",
        "mass": f"of a beam {_WEIGHS}",
        "inertia": f"of a beam {_WEIGHS}",
        "center": f"of a beam {_WEIGHS}",
        "at": _FOLLOWS,
        "orientation": f"{_FOLLOWS}; 'y_axis' turns the section",
        "rod": "belongs to a rigid body and cannot be given together with 'beam'",
        "rotor": "belongs to a rigid body: fix one to a marker of the beam",
        "modal": "cannot be given together with 'beam': a body is either a beam or given by matrices",
        "mesh": "cannot be given together with 'beam': a body is either a beam or reduced from a mesh",
        "file": "cannot be given together with 'beam': a body is either a beam or read from a body file",
    }
    absent: ClassVar[dict[str, str]] = {
        "beam": "A beam needs its two ends: beam = [A, B] (points or positions).",
        "material": "Give the name of a material, or { E = .., density = .. }.",
    }
    model_config = ConfigDict(
        json_schema_extra=rules(exactly_one("section", "sections"), needs("order", is_one_of("field", "quadratic")))
    )

    beam: Annotated[tuple[Where, Where], RodField("beam")] = Field(
        description="Ends A, B in the design position: points or world positions [m]."
    )
    y_axis: Annotated[Vector, DirectionField()] | None = Field(
        None, description="Direction of the section's y axis in world axes; default: the world axis most across it."
    )
    material: AnyMaterial = Field(description="Material: a name, or { E, nu or G, density }.")
    section: AnySection | None = Field(None, description="Cross-section of the beam.")
    sections: tuple[SectionStep, ...] | None = Field(
        None, description="Cross-sections in order from A; instead of section."
    )
    masses: tuple[LumpedMass, ...] = Field((), description="Rigid lumps on the beam.")
    shapes: Shapes = Field(
        default_factory=lambda: Shapes.model_validate({"family": "auto"}),
        description="Shapes; default: chosen for what acts on the beam (constraint shapes and modes).",
    )
    frame: Frame = Field(
        "chord",
        description="Frame of the deflections: tangent at the start (A) or end (B), the chord, or mean axes.",
    )
    field: Literal["exact", "quadratic", "linear"] = Field(
        "exact", description="Deformation field: exact inextensible, second order, or linear (no stiffening)."
    )
    order: Literal[1, 2, "full"] | None = Field(
        None, description="Quadratic field: order of the equations, or full for all terms; default: 2."
    )
    damping: Damping | None = Field(None, description="Damping; default: none.")
    shear: StrictBool = Field(False, description="Shear deformation (Timoshenko); only with elements.")
    rotary_inertia: StrictBool = Field(False, description="Rotary inertia of the sections in bending.")
    markers: dict[str, BeamMarker] = Field(
        {}, description="Named frames on the beam; 'origin', 'start' (both end A) and 'end' always exist."
    )


BEAM_WORDS = ("material", "section", "sections", "shapes", "frame", "field", "shear", "rotary_inertia", "y_axis")
"""Keys that only a beam has: a body with one of them and no mass is read as a beam."""
