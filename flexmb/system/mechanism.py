"""A mechanism with every name resolved: bodies, markers and joints as numbers, in the design position.

This is what stands between the model (names, points, units) and the flat arrays (offsets). Body 0 is ground.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from flexmb.joints.table import JointType

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class PlacedBody:
    """A rigid body; tensors in body axes about the body origin."""

    name: str
    mass: float
    first_moment: Vector  # m c [kg m]
    inertia: Vector  # (3, 3) about the body origin [kg m^2]
    rotor: Vector  # constant internal angular momentum [N m s]
    R_wb: Vector  # design orientation
    p_wb: Vector  # design position of the origin [m]
    velocity: Vector | None = None  # initial velocity of the origin, world axes [m/s]
    angular_velocity: Vector | None = None  # initial, body axes [rad/s]


@dataclass(frozen=True)
class PlacedMarker:
    """A frame fixed on a body."""

    name: str
    body: int
    p_b: Vector
    R_b: Vector


@dataclass(frozen=True)
class PlacedJoint:
    """A joint between two markers; its coordinates are zero in the design position."""

    name: str
    type: JointType
    first: int
    second: int
    parameters: tuple[float, ...] = ()
    position: tuple[float, ...] | None = None
    velocity: tuple[float, ...] | None = None


@dataclass
class Mechanism:
    """All placed parts, with the index of every name."""

    bodies: list[PlacedBody]
    markers: list[PlacedMarker]
    joints: list[PlacedJoint]
    body_index: dict[str, int] = field(default_factory=dict)
    marker_index: dict[str, int] = field(default_factory=dict)
    joint_index: dict[str, int] = field(default_factory=dict)

    def world_pose(self, marker: int) -> tuple[Vector, Vector]:
        """Orientation and position of a marker in the design position, world axes."""
        placed = self.markers[marker]
        body = self.bodies[placed.body]
        return body.R_wb @ placed.R_b, body.p_wb + body.R_wb @ placed.p_b
