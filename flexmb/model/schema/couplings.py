"""Couplings of joint coordinates: gear, rack, belt, screw, differential, planetary train, and any linear one."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.fields import DirectionField, Names, Scalar, Vector, VectorOf
from flexmb.model.schema.json_forms import exactly_one, rules
from flexmb.model.schema.series_fields import Numbers
from flexmb.model.schema.table import ConfigDict, Field, StrictBool

PRESSURE_ANGLE = math.radians(20.0)
SIZES = ("ratio", "teeth", "radii")
"""Keys that say how two wheels turn."""


class LinearCoupling(Strict):
    """A constant sum of joint coordinates."""

    type: Literal["coupling"] = Field(description="Type of the coupling.")
    joints: Annotated[tuple[str, ...], Names(None, "joints or 'joint.coordinate'")] = Field(
        description="Joints, or 'joint.coordinate' where a joint has several."
    )
    coefficients: Annotated[tuple[float, ...], Numbers()] = Field(
        description="One factor for each coordinate (SI): their sum of products is constant."
    )
    offset: Annotated[float, Scalar("length", "angle")] = Field(0.0, description="That constant [m or rad].")


class Meshing(Strict):
    """Keys of wheels with teeth."""

    pressure_angle: Annotated[float, Scalar("angle", least=0.0, most=math.radians(45.0))] | None = Field(
        None, description="Normal pressure angle at the pitch point [rad]; default: 20 deg."
    )
    helix_angle: Annotated[float, Scalar("angle", least=-math.radians(60.0), most=math.radians(60.0))] = Field(
        0.0, description="Helix angle of the first wheel or of the pinion [rad]; right-hand positive."
    )

    @property
    def slope(self) -> float:
        """Tangent of the pressure angle across the axis: radial over tangential force at the teeth."""
        angle = PRESSURE_ANGLE if self.pressure_angle is None else self.pressure_angle
        return math.tan(angle) / math.cos(self.helix_angle)


class Gear(Meshing):
    """Two wheels on parallel axes whose teeth mesh without play; the bearings feel the force at the teeth."""

    model_config = ConfigDict(json_schema_extra=rules(exactly_one(*SIZES)))

    type: Literal["gear"] = Field(description="Type of the coupling.")
    joints: Annotated[tuple[str, str], Names(2, "joints")] = Field(
        description="Joints in which the two wheels turn (the second body of each, unless that is ground)."
    )
    ratio: Annotated[float, Scalar("number", above=0.0)] | None = Field(
        None, description="Speed of the first wheel over that of the second, as a positive number."
    )
    teeth: Annotated[tuple[float, ...], Numbers(2)] | None = Field(None, description="Numbers of teeth.")
    radii: Annotated[tuple[float, float], VectorOf("length", 2)] | None = Field(
        None, description="Pitch radii [m], checked against the distance of the axes."
    )
    internal: StrictBool = Field(False, description="true: the second wheel is a ring with internal teeth.")
    carrier: str | None = Field(
        None, description="Joint in which one support turns relative to the other; default: found by its axis."
    )
    markers: Annotated[tuple[str, str], Names(2, "markers")] | None = Field(
        None, description="Centres of the wheels, 'body.marker'; default: at their joints."
    )


class Rack(Meshing):
    """A pinion and a rack whose teeth mesh; positive angles move the rack as its teeth demand."""

    type: Literal["rack"] = Field(description="Type of the coupling.")
    joints: Annotated[tuple[str, str], Names(2, "joints")] = Field(
        description="Joint in which the pinion turns, joint in which the rack slides."
    )
    radius: Annotated[float, Scalar("length", above=0.0)] | None = Field(
        None, description="Pitch radius of the pinion [m]; default: distance of its axis from the line of the slide."
    )
    toward: Annotated[Vector, DirectionField()] | None = Field(
        None, description="Direction from the pinion to the rack; default: to the line of the slide."
    )


class Belt(Strict):
    """A belt or chain around two wheels on parallel axes, which neither stretches nor slips."""

    model_config = ConfigDict(json_schema_extra=rules(exactly_one(*SIZES)))

    type: Literal["belt", "chain"] = Field(description="Type of the coupling.")
    joints: Annotated[tuple[str, str], Names(2, "joints")] = Field(description="Joints in which the two wheels turn.")
    ratio: Annotated[float, Scalar("number", above=0.0)] | None = Field(
        None, description="Speed of the first wheel over that of the second, as a positive number."
    )
    teeth: Annotated[tuple[float, ...], Numbers(2)] | None = Field(None, description="Numbers of teeth.")
    radii: Annotated[tuple[float, float], VectorOf("length", 2)] | None = Field(None, description="Pitch radii [m].")
    crossed: StrictBool = Field(False, description="true: the wheels turn in opposite directions.")
    carrier: str | None = Field(
        None, description="Joint in which one support turns relative to the other; default: found by its axis."
    )


class ScrewDrive(Strict):
    """A screw that turns in one joint and moves a nut in another."""

    type: Literal["screw"] = Field(description="Type of the coupling.")
    joints: Annotated[tuple[str, str], Names(2, "joints")] = Field(
        description="Joint in which the screw turns, joint in which the nut slides."
    )
    lead: Annotated[float, Scalar("lead")] = Field(
        description="Way of the nut along the axis of the screw for a positive turn of it [m]; may be negative."
    )


class Differential(Strict):
    """A differential: the carrier turns by the mean of its two sides."""

    type: Literal["differential"] = Field(description="Type of the coupling.")
    carrier: str = Field(description="Joint in which the carrier turns.")
    sides: Annotated[tuple[str, str], Names(2, "joints")] = Field(
        description="Joints in which the two side shafts turn, about the same axis."
    )


class Planetary(Meshing):
    """A planetary train: sun, carrier and ring by Willis' rule, or with every planet and its teeth."""

    model_config = ConfigDict(json_schema_extra=rules(exactly_one("ratio", "teeth")))

    type: Literal["planetary"] = Field(description="Type of the coupling.")
    sun: str = Field(description="Joint in which the sun turns.")
    carrier: str = Field(description="Joint in which the carrier turns.")
    ring: str | None = Field(
        None, description="Joint in which the ring turns; default: the ring is fixed to what supports the carrier."
    )
    planets: Annotated[tuple[str, ...], Names(None, "joints")] = Field(
        (), description="Joints in which planets turn on the carrier; without them only Willis' rule holds."
    )
    ratio: Annotated[float, Scalar("number", above=0.0)] | None = Field(
        None, description="Teeth of the ring over teeth of the sun; without planets."
    )
    teeth: Annotated[tuple[float, ...], Numbers(2, 3)] | None = Field(
        None, description="Numbers of teeth of sun and ring, or of sun, planet and ring."
    )


Coupling = Annotated[
    LinearCoupling | Gear | Rack | Belt | ScrewDrive | Differential | Planetary, Field(discriminator="type")
]


def joints_of(coupling: Any) -> tuple[str, ...]:
    """Joints that a coupling names, each once."""
    named = [*getattr(coupling, "joints", ()), *getattr(coupling, "sides", ()), *getattr(coupling, "planets", ())]
    named += [getattr(coupling, key, None) for key in ("sun", "carrier", "ring")]
    return tuple(dict.fromkeys(name.partition(".")[0] for name in named if name is not None))
