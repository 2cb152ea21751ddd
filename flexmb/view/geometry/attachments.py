"""Places on a body where joints and loads attach, and the typical length of a mechanism.

Input: a placed mechanism. Output: the frames on one body where something is attached, and one length that sets the
thickness of everything without a size of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.model.schema.loads import DistributedForce, PointForce, PointTorque, markers_of
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.mechanism import Mechanism, PlacedJoint

Travels = Mapping[str, tuple[float, float]]
"""Joint -> range of its slide coordinate over the run [m]"""


@dataclass(frozen=True)
class Attachment:
    """A joint at its frame on one of its two bodies, body axes."""

    joint: PlacedJoint
    side: int
    """0: the body is the first one of the joint, 1: the second"""
    p_b: Floats
    R_b: Floats

    @property
    def type(self) -> str:
        """Type of the joint."""
        return self.joint.type.name

    @property
    def axis(self) -> Floats:
        """z axis of the joint, body axes"""
        return np.asarray(self.R_b[:, 2])


def attachments(mechanism: Mechanism, body: int) -> list[Attachment]:
    """All joints of a body but free ones, in their order."""
    found = []
    for joint in mechanism.joints:
        for side, number in enumerate((joint.first, joint.second)):
            marker = mechanism.markers[number]
            if marker.body == body and joint.type.conditions:
                found.append(Attachment(joint, side, marker.p_b, marker.R_b))
    return found


def load_points(mechanism: Mechanism, spec: ModelSpec, body: int) -> list[Floats]:
    """Points of a body on which forces and springs act, body axes [m]."""
    names: list[str] = []
    for force in spec.forces.values():
        names += markers_of(force)
        if isinstance(force, (PointForce, PointTorque, DistributedForce)):
            names.append(force.marker)
    markers = [mechanism.markers[mechanism.marker_index[name]] for name in names if name in mechanism.marker_index]
    return [marker.p_b for marker in markers if marker.body == body]


LINKS = 4.0
"""The typical length is at most that of this many links, so that symbols do not hide a chain of many small bodies."""
SEEN = 0.1
"""It is at least this part of the whole, so that small parts far from the rest can still be seen."""


def scene_size(mechanism: Mechanism) -> float:
    """Typical length [m]: the diagonal of a box around all markers and centres of mass, or the length of some links."""
    points = [mechanism.world_pose(number)[1] for number in range(len(mechanism.markers))]
    longest, links = 0.0, []
    held: dict[int, list[Floats]] = {}
    for joint in mechanism.joints:
        for marker in (mechanism.markers[joint.first], mechanism.markers[joint.second]):
            if joint.type.conditions:
                held.setdefault(marker.body, []).append(marker.p_b)
        if {"radius", "length"} & set(joint.type.parameters):
            longest = max(longest, 2.0 * joint.parameters[0])
    for number, body in enumerate(mechanism.bodies):
        own = list(held.get(number, ()))
        if body.mass > 0.0:
            center = body.first_moment / body.mass
            points.append(body.p_wb + body.R_wb @ center)
            if not own:  # the only indication of size
                longest = max(longest, 2.0 * float(np.sqrt(np.trace(body.inertia) / body.mass)))
            own.append(center)
        if isinstance(body, FlexibleBody):
            longest = max(longest, body.length)
            links.append(body.length)
        elif number and own:
            links.append(float(np.linalg.norm(np.ptp(np.array(own), axis=0))))
    diagonal = float(np.linalg.norm(np.ptp(np.array(points), axis=0)))
    links = [length for length in links if length > 1e-9 * diagonal]
    if links:
        diagonal = np.clip(LINKS * float(np.median(links)), SEEN * diagonal, diagonal)
    return max(float(diagonal), longest) or 1.0
