"""Joints and motions of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from flexmb.joints.joint_type import JointType
from flexmb.joints.table import JOINT_TYPES
from flexmb.model.expressions import expression as expressions
from flexmb.model.expressions.expression import Expression
from flexmb.model.expressions.smoothing import Smoothing, smooth, smoothing_fault
from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.fields import (
    Context,
    DirectionField,
    ExpressionField,
    Names,
    PlaceField,
    Scalar,
    Vector,
    Where,
    field_error,
)
from flexmb.model.schema.json_forms import (
    Schema,
    any_of,
    at_most_one,
    exactly_one,
    given,
    is_one_of,
    needs,
    rules,
    without,
)
from flexmb.model.schema.series_fields import Coefficients, JointState, Pair, TableField
from flexmb.model.schema.table import ConfigDict, Field, StrictBool, ValidationInfo, field_validator, model_validator

if TYPE_CHECKING:
    JointName = str
else:
    JointName = Literal[tuple(JOINT_TYPES)]

PLACED_BY = ("bodies", "markers")
LIMIT_KEYS = {"limits", "limit_stiffness", "limit_damping"}


def joint_keys(joint_type: JointType, placed_by: str) -> tuple[set[str], set[str]]:
    """Keys that a joint of a type needs, and those that it may have, when it is placed by `bodies` or by `markers`."""
    needed = {"type", placed_by, *joint_type.numbers}
    allowed = needed | {"tree", *joint_type.optional}
    if placed_by == "bodies":
        needed |= {*joint_type.directions, *(() if joint_type.at == "optional" else ("at",))}
        allowed |= {"at", *joint_type.directions}
    if joint_type.n_v:
        allowed |= {"position", "velocity"}
    if len(joint_type.drivable) == 1:
        allowed |= LIMIT_KEYS
    return needed, allowed


ALL_JOINT_KEYS = {key for each in JOINT_TYPES.values() for word in PLACED_BY for key in joint_keys(each, word)[1]}


def _forms_of_joints() -> Iterator[Schema]:
    """The keys of every type, placed by bodies or by markers."""
    for joint_type in JOINT_TYPES.values():
        for placed_by in PLACED_BY:
            needed, allowed = joint_keys(joint_type, placed_by)
            others = without(*sorted(ALL_JOINT_KEYS - allowed))
            yield {**is_one_of("type", joint_type.name), "required": sorted(needed), **others}


class Joint(Strict):
    """A joint between two bodies. Which keys it needs depends on its type."""

    model_config = ConfigDict(json_schema_extra=rules(any_of(*_forms_of_joints())))

    type: JointName = Field(description="Type of the joint.")
    bodies: Annotated[tuple[str, str], Names(2, "bodies")] | None = Field(
        None, description="First and second body ('ground' for the world); the joint is placed by `at` and directions."
    )
    markers: Annotated[tuple[str, str], Names(2, "markers")] | None = Field(
        None, description="Markers 'body.marker' on the first and the second body, instead of bodies and at; axis = z."
    )
    at: Annotated[Where | tuple[Where, Where], PlaceField(pair=True)] | None = Field(
        None, description="Design position [m]: point name or [x, y, z] in world axes; distance: one for each body."
    )
    axis: Annotated[Vector, DirectionField()] | None = Field(
        None, description="Joint axis in world axes; planar: normal of the plane; rolling: axis of the disc."
    )
    axes: Annotated[tuple[Vector, Vector], DirectionField(2)] | None = Field(
        None, description="Universal: the axis fixed in the first and the one fixed in the second body, perpendicular."
    )
    slot: Annotated[Vector, DirectionField()] | None = Field(
        None, description="Pin-in-slot: direction of the slot on the first body, at right angles to axis."
    )
    line: Annotated[Vector, DirectionField()] | None = Field(
        None, description="Point-on-line: direction of the line on the first body, through `at`."
    )
    normal: Annotated[Vector, DirectionField()] | None = Field(
        None, description="Rolling: normal of the plane on the first body, through `at`."
    )
    lead: Annotated[float, Scalar("lead")] | None = Field(None, description="Screw: advance per turn [m].")
    length: Annotated[float, Scalar("length", above=0.0)] | None = Field(
        None, description="Distance: length [m]; default: the design distance."
    )
    radius: Annotated[float, Scalar("length", above=0.0)] | None = Field(
        None, description="Rolling: radius of the disc [m]."
    )
    tree: StrictBool | None = Field(None, description="true: must be a branch of the tree; false: must be a chord.")
    position: Annotated[tuple[float, ...], JointState(0)] | None = Field(
        None, description="Initial coordinates [m, rad]; rotation vectors for joints that rotate freely."
    )
    velocity: Annotated[tuple[float, ...], JointState(1)] | None = Field(
        None, description="Initial rates [m/s, rad/s]; angular velocities in the axes of the second body."
    )

    limits: Annotated[tuple[float, float], Pair("length", "angle")] | None = Field(
        None, description="Ends [a, b] of the range of its only coordinate [m or rad]: a joint-stop NAME_limits."
    )
    limit_stiffness: Annotated[float, Scalar("stiffness", "rotational stiffness", above=0.0)] | None = Field(
        None, description="Stiffness of that stop [N/m or N*m/rad]; required with limits."
    )
    limit_damping: Annotated[float, Scalar("number", least=0.0)] | None = Field(
        None, description="Damping of that stop [s/m or s/rad], see joint-stop."
    )

    @property
    def kind(self) -> JointType:
        """The row of the joint table."""
        return JOINT_TYPES[self.type]

    @model_validator(mode="before")
    @classmethod
    def _note_coordinates(cls, data: Any, info: ValidationInfo) -> Any:
        if isinstance(info.context, Context):
            name = data.get("type") if isinstance(data, dict) else None
            joint_type = JOINT_TYPES.get(name) if isinstance(name, str) else None
            known = zip(joint_type.coordinates, joint_type.kinds, strict=True) if joint_type else ()
            info.context.coordinates = tuple(known)
            kinds = {"angle" if kind != "length" else kind for _, kind in info.context.coordinates}
            info.context.kind = kinds.pop() if len(kinds) == 1 else None
        return data


def limit_stop(name: str, joint: Mapping[str, Any]) -> dict[str, Any] | None:
    """Raw table of the joint-stop that the limits of a joint stand for; None without limits that can be read."""
    limits = joint.get("limits")
    if not isinstance(limits, (list, tuple)) or len(limits) != 2 or "limit_stiffness" not in joint:
        return None
    given = {key: joint[f"limit_{key}"] for key in ("stiffness", "damping") if f"limit_{key}" in joint}
    return {"type": "joint-stop", "joint": name, "lower": limits[0], "upper": limits[1], **given}


def with_limit_stops(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Raw tables of a model with a joint-stop NAME_limits for the limits of every joint."""
    joints, forces = tables.get("joints"), tables.get("forces", {})
    if not isinstance(joints, Mapping) or not isinstance(forces, Mapping):
        return dict(tables)
    found = {f"{name}_limits": limit_stop(name, one) for name, one in joints.items() if isinstance(one, Mapping)}
    stops = {name: stop for name, stop in found.items() if stop is not None}
    return {**tables, "forces": {**stops, **forces}} if stops else dict(tables)


class Harmonic(Strict):
    """offset + amplitude sin(2 pi frequency t + phase)."""

    amplitude: Annotated[float, Scalar("length", "angle")] = Field(description="Amplitude [m or rad].")
    frequency: Annotated[float, Scalar("frequency")] = Field(description="Frequency [Hz].")
    phase: Annotated[float, Scalar("angle")] = Field(0.0, description="Phase [rad].")
    offset: Annotated[float, Scalar("length", "angle")] = Field(0.0, description="Mean value [m or rad].")


class Ramp(Strict):
    """A smooth change from one value to another over a time, constant afterwards."""

    to: Annotated[float, Scalar("length", "angle")] = Field(description="Final value [m or rad].")
    over: Annotated[float, Scalar("time", above=0.0)] = Field(description="Duration [s].")
    start: Annotated[float, Scalar("length", "angle")] = Field(0.0, alias="from", description="First value [m or rad].")


MOTION_FORMS = ("rate", "polynomial", "harmonic", "ramp", "table", "expression")


class Motion(Strict):
    """A prescribed joint coordinate, or a component of a marker's position or orientation, as a function of time."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            exactly_one(*MOTION_FORMS),
            exactly_one("joint", "marker"),
            needs("marker", given("along"), given("about")),
            at_most_one("along", "about"),
            needs("along", given("marker")),
            needs("about", given("marker")),
            needs("relative_to", given("marker")),
            needs("coordinate", given("joint")),
            needs("start", given("rate")),
            needs("smooth", given("table")),
            needs("interpolation", given("table")),
        )
    )

    joint: str | None = Field(None, description="Driven joint.")
    coordinate: str | None = Field(None, description="Its coordinate; optional if it has only one.")
    marker: str | None = Field(None, description="Driven marker, instead of a joint.")
    along: Literal["x", "y", "z"] | None = Field(None, description="Axis of `relative_to` along which it moves.")
    about: Literal["x", "y", "z"] | None = Field(
        None,
        description="Axis of `relative_to`: drives this component of the rotation vector (axis times angle, below half "
        "a turn) of the marker instead of a position.",
    )
    relative_to: str = Field("ground", description="Marker that the motion is measured from.")
    rate: Annotated[float, Scalar("speed", "angular speed")] | None = Field(
        None, description="Constant rate [m/s or rad/s]."
    )
    start: Annotated[float, Scalar("length", "angle")] = Field(0.0, description="With rate: value at t = 0 [m or rad].")
    polynomial: Annotated[tuple[float, ...], Coefficients()] | None = Field(
        None, description="c0, c1, ... of c0 + c1 t + c2 t^2 + ... [m or rad, per s^k]."
    )
    harmonic: Harmonic | None = Field(None, description="Sine in time.")
    ramp: Ramp | None = Field(None, description="Smooth change to a final value.")
    table: Annotated[tuple[tuple[float, float], ...], TableField("time", "length", "", "angle")] | None = Field(
        None, description="[[t, x], ...] [s, m or rad], joined by a curve with continuous acceleration."
    )
    interpolation: Literal["monotone", "spline"] | None = Field(
        None,
        description="With table: monotone (between two points the motion only rises or only falls, as they do) or "
        "spline (cubic, smoothest, may overshoot); default: monotone, with smooth: spline.",
    )
    smooth: Annotated[float, Scalar("frequency", above=0.0)] | None = Field(
        None,
        description="With table: cut-off frequency [Hz] of the smoothing spline for measured data, where it halves the "
        "amplitude; use at least three times the highest frequency of the motion.",
    )
    expression: Annotated[Expression, ExpressionField("length", "angle")] | None = Field(
        None, description="Expression of t [m or rad]."
    )

    @model_validator(mode="before")
    @classmethod
    def _note_kind(cls, data: Any, info: ValidationInfo) -> Any:
        if isinstance(info.context, Context) and isinstance(data, dict):
            if "marker" in data:
                info.context.kind = "angle" if "about" in data else "length"
            else:
                info.context.kind = info.context.coordinate_kind(data.get("joint"), data.get("coordinate"))
        return data

    @field_validator("smooth")
    @classmethod
    def _check_smooth(cls, cutoff: float | None, info: ValidationInfo) -> float | None:
        points = info.data.get("table")
        fault = smoothing_fault(points, cutoff) if cutoff is not None and points is not None else ""
        if fault:
            choose = "Choose a frequency in this range" if "must be between" in fault else "Give more points"
            raise field_error(fault, f"{choose}, or remove 'smooth'.")
        return cutoff

    @property
    def smoothing(self) -> Smoothing | None:
        """The smoothed table; None without smoothing."""
        return smooth(self.table, self.smooth) if self.table is not None and self.smooth is not None else None

    @property
    def function(self) -> Expression:
        """The prescribed value as a function of t, whichever form it is given in."""
        if self.rate is not None:
            return expressions.linear(self.rate, self.start)
        if self.polynomial is not None:
            return expressions.polynomial(self.polynomial)
        if self.harmonic is not None:
            h = self.harmonic
            return expressions.harmonic(h.amplitude, h.frequency, h.phase, h.offset)
        if self.ramp is not None:
            return expressions.ramp(self.ramp.to, self.ramp.over, self.ramp.start)
        if self.table is not None:
            smoothing = self.smoothing
            form = self.interpolation or ("monotone" if smoothing is None else "spline")
            return expressions.table(self.table if smoothing is None else smoothing.points, form)
        assert self.expression is not None
        return self.expression
