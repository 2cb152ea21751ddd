"""Forces, sensors and base motion of a model."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from flexmb.loads.table import LOAD_TYPES
from flexmb.model.expressions.expression import Expression
from flexmb.model.schema.amplitude_field import AmplitudeField
from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.bushings import Bushing
from flexmb.model.schema.fields import DirectionField, ExpressionField, Names, Scalar, Vector
from flexmb.model.schema.json_forms import any_of, at_most_one, exactly_one, given, needs, rules
from flexmb.model.schema.load_targets import OnCoordinate
from flexmb.model.schema.series_fields import TableField
from flexmb.model.schema.stops import JointStop, MarkerStop, Stop, damping_of
from flexmb.model.schema.table import ConfigDict, Field

_RESISTS = (any_of(given("stiffness"), given("damping"), given("table")), at_most_one("stiffness", "table"))
"""Keys of a spring or damper."""

ThreeExpressions = tuple[Expression, Expression, Expression]


class PointForce(Strict):
    """A force on a marker."""

    type: Literal["force"] = Field(description="Type of the force.")
    marker: str = Field(description="Marker on which it acts, 'body.marker'.")
    vector: Annotated[ThreeExpressions, ExpressionField("force", sensors=True, count=3)] = Field(
        description="Components [N]: numbers or expressions of t and of sensors."
    )
    axes: Literal["world", "marker"] = Field("world", description="Axes of the components.")


class PointTorque(Strict):
    """A torque on a marker's body."""

    type: Literal["torque"] = Field(description="Type of the force.")
    marker: str = Field(description="Marker on which it acts, 'body.marker'.")
    vector: Annotated[ThreeExpressions, ExpressionField("torque", sensors=True, count=3)] = Field(
        description="Components [N*m]: numbers or expressions of t and of sensors."
    )
    axes: Literal["world", "marker"] = Field("world", description="Axes of the components.")


class DistributedForce(Strict):
    """A force on a part of a beam, uniform per unit of undeformed length."""

    type: Literal["distributed-force"] = Field(description="Type of the force.")
    body: str = Field(description="Beam on which it acts.")
    vector: Annotated[ThreeExpressions, ExpressionField("force per length", sensors=True, count=3)] = Field(
        description="Components [N/m]: numbers or expressions of t and of sensors."
    )
    axes: Literal["world", "section"] = Field(
        "world", description="Axes of the components; section: they turn with the sections as the beam bends."
    )
    start: Annotated[float, Scalar("length", least=0.0)] = Field(
        0.0, alias="from", description="Start of the loaded part, from end A [m]."
    )
    to: Annotated[float, Scalar("length", above=0.0)] | None = Field(
        None, description="End of the loaded part, from end A [m]; default: end B."
    )

    @property
    def marker(self) -> str:
        """The marker of its beam's frame, its place in the graph of the mechanism."""
        return self.body


class SpringDamper(Strict):
    """A spring and damper along the line between two markers; tension is positive."""

    model_config = ConfigDict(
        json_schema_extra=rules(*_RESISTS, needs("stiffness", given("length")), needs("table", given("length")))
    )

    type: Literal["spring-damper"] = Field(description="Type of the force.")
    markers: Annotated[tuple[str, str], Names(2, "markers")] = Field(description="Its two ends, 'body.marker'.")
    stiffness: Annotated[float, Scalar("stiffness", least=0.0)] = Field(0.0, description="Stiffness [N/m].")
    damping: Annotated[float, Scalar("damping", least=0.0)] = Field(0.0, description="Damping [N*s/m].")
    length: Annotated[float, Scalar("length", least=0.0)] | None = Field(
        None, description="Free length [m]; required with stiffness or table."
    )
    table: Annotated[tuple[tuple[float, float], ...], TableField("length", "force", what="elongation")] | None = Field(
        None, description="[[elongation, force], ...] [m, N] instead of stiffness, interpolated linearly."
    )


class PairForce(Strict):
    """A force along the line between two markers; tension is positive."""

    type: Literal["pair-force"] = Field(description="Type of the force.")
    markers: Annotated[tuple[str, str], Names(2, "markers")] = Field(description="Its two ends, 'body.marker'.")
    effort: Annotated[Expression, ExpressionField("force", sensors=True, own=("distance", "rate"))] = Field(
        description="Tension [N]: a number or an expression of `distance` of the markers [m], its `rate` [m/s], t and "
        "sensors."
    )


class JointSpring(OnCoordinate):
    """A spring and damper on a joint coordinate; full turns are counted."""

    model_config = ConfigDict(json_schema_extra=rules(*_RESISTS))

    type: Literal["joint-spring"] = Field(description="Type of the force.")
    stiffness: Annotated[float, Scalar("stiffness", "rotational stiffness", least=0.0)] = Field(
        0.0, description="Stiffness [N/m or N*m/rad]."
    )
    damping: Annotated[float, Scalar("damping", "rotational damping", least=0.0)] = Field(
        0.0, description="Damping [N*s/m or N*m*s/rad]."
    )
    rest: Annotated[float, Scalar("length", "angle")] = Field(0.0, description="Unloaded coordinate [m or rad].")
    table: (
        Annotated[tuple[tuple[float, float], ...], TableField("length", "force", "angle", "torque", "deflection")]
        | None
    ) = Field(None, description="[[deflection, resisting effort], ...] [m, N or rad, N*m] instead of stiffness.")


class Friction(OnCoordinate):
    """Viscous and regularised Coulomb friction on a joint coordinate."""

    model_config = ConfigDict(
        json_schema_extra=rules(any_of(given("viscous"), given("coulomb")), needs("coulomb", given("transition")))
    )

    type: Literal["friction"] = Field(description="Type of the force.")
    viscous: Annotated[float, Scalar("damping", "rotational damping", least=0.0)] = Field(
        0.0, description="Viscous coefficient [N*s/m or N*m*s/rad]."
    )
    coulomb: Annotated[float, Scalar("force", "torque", least=0.0)] = Field(
        0.0, description="Magnitude of the Coulomb force or torque [N or N*m]."
    )
    transition: Annotated[float, Scalar("speed", "angular speed", above=0.0)] | None = Field(
        None, description="Speed over which Coulomb friction changes its sign [m/s or rad/s]; required with coulomb."
    )


class Actuator(OnCoordinate):
    """A force or torque on a joint coordinate."""

    type: Literal["actuator"] = Field(description="Type of the force.")
    effort: Annotated[Expression, ExpressionField("force", "torque", sensors=True)] = Field(
        description="Force or torque [N or N*m]: a number or an expression of t and of sensors."
    )


class LoadShapeForce(Strict):
    """A load on the mesh of a body by one of its load shapes: a pressure, a temperature or a force on a set."""

    type: Literal["load-shape"] = Field(description="Type of the force.")
    body: str = Field(description="Body from a mesh on which it acts.")
    shape: str = Field(description="Its load shape: a name in 'loads' of the body, or of 'flexmb reduce --load'.")
    value: Annotated[Expression, AmplitudeField()] = Field(
        description="Pressure [Pa], temperature [K, K/m] or force [N]: a number or an expression of t and of sensors."
    )

    @property
    def marker(self) -> str:
        """The marker of the frame of its body, its place in the graph of the mechanism."""
        return self.body


class Cable(Strict):
    """A cable that only pulls, straight from marker to marker; the inner ones are eyes without friction."""

    type: Literal["cable"] = Field(description="Type of the force.")
    markers: Annotated[tuple[str, ...], Names(None, "markers")] = Field(
        description="Its start, the eyes through which it runs, and its end, 'body.marker'."
    )
    length: Annotated[Expression, ExpressionField("length")] = Field(
        description="Length of the unloaded cable [m]: a number, or an expression of t for a winch."
    )
    stiffness: Annotated[float, Scalar("stiffness", above=0.0)] = Field(description="Stiffness of the whole [N/m].")
    damping: Annotated[float, Scalar("damping", least=0.0)] = Field(
        0.0, description="Damping [N*s/m]; the tension never becomes negative by it."
    )


Force = Annotated[
    PointForce
    | PointTorque
    | DistributedForce
    | SpringDamper
    | PairForce
    | JointSpring
    | Friction
    | Actuator
    | LoadShapeForce
    | Stop
    | JointStop
    | MarkerStop
    | Bushing
    | Cable,
    Field(discriminator="type"),
]


def sensor_of(name: str) -> str:
    """Sensor of a name in an expression: "r" of the component "r.x"."""
    return name.partition(".")[0]


def expressions_of(force: Any) -> tuple[Expression, ...]:
    """Expressions of t and of sensors of a load: none, one, or one per component."""
    key = LOAD_TYPES[force.type].expression
    return () if key is None else tuple(force.vector) if key == "vector" else (getattr(force, key),)


def numbers_of(force: Any) -> list[float]:
    """Numbers of the law of a load, in the order of its row."""
    kind = LOAD_TYPES[force.type]
    given = {key: getattr(force, key) for key, _ in kind.numbers}
    if kind.is_stop:
        given["damping"] = damping_of(force)
    return [default if given[key] is None else given[key] for key, default in kind.numbers]


def markers_of(force: Any) -> tuple[str, ...]:
    """Markers on which a load between markers acts; none for other loads."""
    subject = LOAD_TYPES[force.type].acts_on
    if subject == "axis":
        return force.marker, force.relative_to
    return tuple(force.markers) if subject in ("pair", "frames", "path") else ()


SENSOR_SUBJECTS = ("joint", "marker", "between", "deflection", "section", "motion", "force", "reaction", "rate")
SENSOR_KEYS: dict[str, tuple[str, ...]] = {
    "coordinate": ("joint",),
    "quantity": ("joint", "marker", "between"),
    "component": ("marker", "deflection", "reaction", "section"),
    "relative_to": ("marker",),
    "axes": ("marker", "deflection", "reaction"),
    "chord": ("deflection",),
}
"""Further key of a sensor -> subjects that take it."""


class Sensor(Strict):
    """A named channel of the result: of a joint, marker, distance, deflection, section, motion, force or reaction."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            exactly_one(*SENSOR_SUBJECTS),
            *(needs(key, *map(given, subjects)) for key, subjects in SENSOR_KEYS.items()),
            needs("reaction", given("component")),
            needs("section", given("component")),
        )
    )

    joint: str | None = Field(None, description="Joint whose coordinate is measured.")
    coordinate: str | None = Field(None, description="Its coordinate; optional if it has only one.")
    marker: str | None = Field(None, description="Marker whose motion is measured.")
    between: Annotated[tuple[str, str], Names(2, "markers")] | None = Field(
        None, description="Two markers whose distance is measured."
    )
    deflection: str | None = Field(
        None,
        description="Marker on a flexible body: its elastic displacement relative to the chord.",
    )
    chord: Annotated[tuple[str, str], Names(2, "markers")] | None = Field(
        None, description="Deflection: two markers of the body that span the chord; default for a beam: its ends."
    )
    section: str | None = Field(
        None,
        description="Marker on a beam (field 'exact'): internal forces there, in section axes.",
    )
    motion: str | None = Field(None, description="Motion whose effort is measured.")
    force: str | None = Field(None, description="Force whose effort or magnitude is measured.")
    reaction: str | None = Field(None, description="Joint whose reaction on the second body is measured.")
    rate: str | None = Field(
        None,
        description="Sensor (of a joint, marker or distance) whose derivative by time is measured, in the same axes.",
    )
    quantity: (
        Literal[
            "position",
            "velocity",
            "acceleration",
            "distance",
            "orientation",
            "angular-velocity",
            "angular-acceleration",
        ]
        | None
    ) = Field(
        None,
        description="Measured quantity of a joint or marker; default: position. Orientation of a marker: rotation "
        "vector, axis times angle [rad], up to half a turn.",
    )
    component: Literal["x", "y", "z", "magnitude", "fx", "fy", "fz", "mx", "my", "mz", "force", "moment"] | None = (
        Field(
            None,
            description="Marker or deflection: x, y, z or magnitude (default: x, y and z). "
            "Reaction or section: fx ... mz, force, moment.",
        )
    )
    relative_to: str = Field("ground", description="Marker relative to which a marker is measured.")
    axes: Literal["world", "marker", "body"] = Field(
        "world",
        description="World axes; marker: those of relative_to, of a reaction those of the first marker of its joint; "
        "body: those that turn with the chord (deflection). Default of a reaction: marker.",
    )


class BaseRotation(Strict):
    """Prescribed rotation of the ground about a fixed axis through the world origin."""

    axis: Annotated[Vector, DirectionField()] = Field(description="Axis of rotation.")
    angle: Annotated[Expression, ExpressionField("angle")] = Field(description="Angle [rad] as an expression of t.")


class Base(Strict):
    """Prescribed motion of the ground."""

    rotation: BaseRotation | None = Field(None, description="Rotation of the ground.")
    acceleration: Annotated[ThreeExpressions, ExpressionField("acceleration", count=3)] | None = Field(
        None, description="Acceleration of the ground's origin in inertial axes [m/s^2], expressions of t."
    )
