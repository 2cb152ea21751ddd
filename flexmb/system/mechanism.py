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


@dataclass(frozen=True)
class CoupledCoordinate:
    """A joint coordinate in a row of a coupling."""

    joint: int
    coordinate: str
    coefficient: float
    beta: float = 0.0
    """Teeth: its part in the angle of the line of centres, seen from the first wheel."""
    chi: float = 0.0
    """Teeth: its part in the angle of the second wheel, seen from the first."""


@dataclass(frozen=True)
class Teeth:
    """Two wheels whose teeth mesh, or a rack and its pinion, as designed."""

    first: int
    second: int
    """Markers."""
    numbers: tuple[float, ...]
    """The record of their row (`flexmb.layout.constraints.TEETH_RECORD`)."""
    centre: Floats
    """Place where they touch, world axes [m]."""


@dataclass(frozen=True)
class PitchCircle:
    """The pitch circle of a wheel, or the pitch line of a rack, for pictures."""

    marker: int
    axes: Floats
    """In the marker: z along the axis of the wheel; x along the rack."""
    radius: float
    """[m]; 0: a rack."""


@dataclass(frozen=True)
class CoupledRow:
    """One condition of a coupling: the sum of coefficients times coordinates is constant."""

    text: str
    coordinates: tuple[CoupledCoordinate, ...]
    unit: str
    effort_unit: str
    constant: float = 0.0
    teeth: Teeth | None = None
    circles: tuple[PitchCircle, ...] = ()


@dataclass(frozen=True)
class PlacedCoupling:
    """A coupling with all its rows."""

    name: str
    type: str
    rows: tuple[CoupledRow, ...]


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
    couplings: list[PlacedCoupling] = field(default_factory=list)
    beam_qualities: dict[str, BeamQuality] | None = field(default=None, repr=False, compare=False)
    """Quality of the shapes of its beams, once `beam_qualities` has found it."""

    def world_pose(self, marker: int) -> tuple[Floats, Floats]:
        """Orientation and position of a marker in the design position, world axes."""
        placed = self.markers[marker]
        body = self.bodies[placed.body]
        return body.R_wb @ placed.R_b, body.p_wb + body.R_wb @ placed.p_b


def coupled_rows(mechanism: Mechanism) -> list[CoupledRow]:
    """The rows of all couplings, in their order."""
    return [row for coupling in mechanism.couplings for row in coupling.rows]
