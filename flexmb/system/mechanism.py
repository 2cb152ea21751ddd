"""A mechanism with every name resolved: bodies, markers and joints as numbers, in the design position.

It is the stage between the model (names, points, units) and the flat arrays (offsets). Body 0 is ground.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flexmb.arrays import Floats
from flexmb.bodies.marker import Marker
from flexmb.bodies.rigid_body import RigidBody
from flexmb.joints.joint_type import JointType

if TYPE_CHECKING:
    from flexmb.system.beam_quality import BeamQuality


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

    bodies: list[RigidBody]
    markers: list[Marker]
    joints: list[PlacedJoint]
    body_index: dict[str, int] = field(default_factory=dict)
    marker_index: dict[str, int] = field(default_factory=dict)
    joint_index: dict[str, int] = field(default_factory=dict)
    beam_ends: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Markers at the two ends of every beam."""
    distributed: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    """Markers and lengths [m] that a distributed force acts on."""
    beam_qualities: dict[str, BeamQuality] | None = field(default=None, repr=False, compare=False)
    """Quality of the shapes of its beams, once `beam_qualities` has found it."""

    def world_pose(self, marker: int) -> tuple[Floats, Floats]:
        """Orientation and position of a marker in the design position, world axes."""
        placed = self.markers[marker]
        body = self.bodies[placed.body]
        return body.R_wb @ placed.R_b, body.p_wb + body.R_wb @ placed.p_b
