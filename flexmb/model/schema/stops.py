"""Stops: springs that act only beyond the ends of a range of a distance, a joint coordinate or the place of a marker.

    force = stiffness d^exponent max(0, 1 + damping d_dot), d > 0 the depth beyond an end    [Hunt & Crossley 1975]

never pulls. With x = damping v, v the speed at the touch, the speed at the end of the contact is -e v where
    x - ln(1 + x) = -e x - ln(1 - e x)
for every stiffness and exponent, as long as nothing else pushes. `damping_of` solves this for x, or follows a published
approximation: Hunt & Crossley 3 (1 - e) / 2 v, Lankarani & Nikravesh 3 (1 - e^2) / 4 v, Flores 8 (1 - e) / 5 e v.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.fields import Names, Scalar
from flexmb.model.schema.json_forms import any_of, at_most_one, given, needs, rules
from flexmb.model.schema.load_targets import OnCoordinate
from flexmb.model.schema.table import ConfigDict, Field

Formula = Literal["exact", "hunt-crossley", "lankarani-nikravesh", "flores"]
STOP_RULES = rules(
    any_of(given("lower"), given("upper")),
    at_most_one("damping", "restitution"),
    needs("restitution", given("speed")),
    needs("speed", given("restitution")),
    needs("formula", given("restitution")),
)


class StopLaw(Strict):
    """Keys of the law of every stop."""

    exponent: Annotated[float, Scalar("number", least=1.0)] = Field(
        1.0, description="Exponent of the depth; 1.5 for Hertzian contact."
    )
    damping: Annotated[float, Scalar("number", least=0.0)] = Field(
        0.0, description="Damping [s/m or s/rad]: the force grows by this part per speed of approach; it never pulls."
    )
    restitution: Annotated[float, Scalar("number", above=0.0, most=1.0)] | None = Field(
        None, description="Speed after a hit over the speed before it, instead of damping; holds at `speed`."
    )
    formula: Formula = Field("exact", description="Damping from restitution: exactly, or by a published approximation.")


class Stop(StopLaw):
    """A stop of the distance between two markers."""

    model_config = ConfigDict(json_schema_extra=STOP_RULES)

    type: Literal["stop"] = Field(description="Type of the force.")
    markers: Annotated[tuple[str, str], Names(2, "markers")] = Field(description="Its two ends, 'body.marker'.")
    lower: Annotated[float, Scalar("length", least=0.0)] | None = Field(
        None, description="Shortest distance without force [m]."
    )
    upper: Annotated[float, Scalar("length", least=0.0)] | None = Field(
        None, description="Longest distance without force [m]."
    )
    stiffness: Annotated[float, Scalar("stiffness", above=0.0)] = Field(
        description="Stiffness [N/m; with an exponent n: N/m^n]."
    )
    speed: Annotated[float, Scalar("speed", above=0.0)] | None = Field(
        None, description="Speed of the hit for which `restitution` is given [m/s]."
    )


class MarkerStop(StopLaw):
    """A stop of the position of a marker along an axis of another marker: a wall, a floor."""

    model_config = ConfigDict(json_schema_extra=STOP_RULES)

    type: Literal["marker-stop"] = Field(description="Type of the force.")
    marker: str = Field(description="Marker that is stopped, 'body.marker'.")
    along: Literal["x", "y", "z"] = Field(description="Axis of relative_to along which its position is measured.")
    relative_to: str = Field("ground", description="Marker from which its position is measured.")
    lower: Annotated[float, Scalar("length")] | None = Field(None, description="Lower end of the free range [m].")
    upper: Annotated[float, Scalar("length")] | None = Field(None, description="Upper end of the free range [m].")
    stiffness: Annotated[float, Scalar("stiffness", above=0.0)] = Field(
        description="Stiffness [N/m; with an exponent n: N/m^n]."
    )
    speed: Annotated[float, Scalar("speed", above=0.0)] | None = Field(
        None, description="Speed of the hit for which `restitution` is given [m/s]."
    )


class JointStop(OnCoordinate, StopLaw):
    """A stop of a joint coordinate; full turns are counted."""

    model_config = ConfigDict(json_schema_extra=STOP_RULES)

    type: Literal["joint-stop"] = Field(description="Type of the force.")
    lower: Annotated[float, Scalar("length", "angle")] | None = Field(
        None, description="Lower end of the free range [m or rad]."
    )
    upper: Annotated[float, Scalar("length", "angle")] | None = Field(
        None, description="Upper end of the free range [m or rad]."
    )
    stiffness: Annotated[float, Scalar("stiffness", "rotational stiffness", above=0.0)] = Field(
        description="Stiffness [N/m or N*m/rad; with an exponent n: N/m^n or N*m/rad^n]."
    )
    speed: Annotated[float, Scalar("speed", "angular speed", above=0.0)] | None = Field(
        None, description="Speed of the hit for which `restitution` is given [m/s or rad/s]."
    )


def damping_of(stop: Any) -> float:
    """Damping of a stop [s/m or s/rad], as given or from its restitution."""
    if stop.restitution is None:
        return float(stop.damping)
    e, v = stop.restitution, stop.speed
    if stop.formula == "hunt-crossley":
        return float(1.5 * (1.0 - e) / v)
    if stop.formula == "lankarani-nikravesh":
        return float(0.75 * (1.0 - e * e) / v)
    if stop.formula == "flores":
        return float(1.6 * (1.0 - e) / (e * v))
    return approach_share(e) / float(v)


def approach_share(e: float) -> float:
    """x = damping times speed of approach for a restitution e."""
    low, high = 0.0, 1.0 / e
    if e > 1.0 - 1e-9:
        return 0.0
    for _ in range(100):
        x = 0.5 * (low + high)
        excess = x - math.log1p(x) + e * x + (math.log1p(-e * x) if e * x < 1.0 else -math.inf)
        low, high = (x, high) if excess > 0.0 else (low, x)
    return x


def restitution_at(damping: float, speed: float) -> float:
    """Restitution of a hit at a speed."""
    x = damping * speed
    if x < 1e-6:
        return 1.0 - 2.0 / 3.0 * x
    low, high = 0.0, min(1.0, 1.0 / x)
    for _ in range(100):
        e = 0.5 * (low + high)
        excess = x - math.log1p(x) + e * x + (math.log1p(-e * x) if e * x < 1.0 else -math.inf)
        low, high = (e, high) if excess > 0.0 else (low, e)
    return e
