"""Symbols of the ground at its joints: bearings, rails, sockets and plates, in world axes."""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.system.mechanism import Mechanism
from flexmb.view.geometry.attachments import Attachment, Travels, attachments
from flexmb.view.geometry.joint_symbols import DRAWINGS, THICKNESS, Travel
from flexmb.view.geometry.primitives import Solid, along, joined, moved

REACH = 0.15
"""Half length of a rail whose travel is not known, as a part of the size of the scene."""


def ground_solid(mechanism: Mechanism, size: float, travel: Travels | None = None) -> Solid | None:
    """Supports at all joints of the ground, for a scene of this size [m]; None: no joint on the ground.

    travel: range of the slide coordinate of joints [m], along which rails are drawn
    """
    r = THICKNESS * size
    middle = np.mean([mechanism.world_pose(number)[1] for number in range(len(mechanism.markers))], axis=0)
    solids = []
    for attachment in attachments(mechanism, 0):
        drawing = DRAWINGS[attachment.type]
        support = drawing.support if attachment.side == 0 else drawing.second_support
        if support is not None:
            frame = _facing(attachment, middle - attachment.p_b, size)
            solids.append(moved(support(r, size, _travel(attachment, size, travel)), frame, attachment.p_b))
    return joined(solids) if solids else None


def _facing(attachment: Attachment, towards: Floats, size: float) -> Floats:
    """(3, 3) axes of the support, which is on the side of -z: away from the mechanism if there is a choice."""
    facing = DRAWINGS[attachment.type].facing
    if facing == "any side" and np.linalg.norm(towards) > 0.02 * size:
        return along(towards)
    if facing == "either side" and towards @ attachment.axis < -0.1 * size:
        return attachment.R_b @ np.diag([1.0, -1.0, -1.0])
    return attachment.R_b


def _travel(attachment: Attachment, size: float, travel: Travels | None) -> Travel:
    """Range along the z axis of the ground's marker [m]."""
    low, high = (travel or {}).get(attachment.joint.name, (-REACH * size, REACH * size))
    return (low, high) if attachment.side == 0 else (-high, -low)
