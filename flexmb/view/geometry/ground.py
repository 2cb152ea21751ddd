"""Symbols of the ground at its joints: bearings, rails, sockets and plates, in world axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.arrays import Floats
from flexmb.system.mechanism import Mechanism
from flexmb.view.geometry.attachments import Attachment, Travels, attachments
from flexmb.view.geometry.joint_symbols import RAIL, RAIL_OFFSET, THICKNESS, Travel, rails
from flexmb.view.geometry.primitives import Solid, along, box, cylinder, joined, moved, revolved

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
        support = _SUPPORTS.get(attachment.type)
        if attachment.side == 1:
            support = _PIN_SUPPORTS.get(attachment.type, support)
        if support is not None and (attachment.type != "rolling" or attachment.side == 0):
            frame = _facing(attachment, middle - attachment.p_b, size)
            solids.append(moved(support(r, size, _travel(attachment, size, travel)), frame, attachment.p_b))
    return joined(solids) if solids else None


def _facing(attachment: Attachment, towards: Floats, size: float) -> Floats:
    """(3, 3) axes of the support, which is on the side of -z: away from the mechanism if there is a choice."""
    if attachment.type in ("spherical", "distance") and np.linalg.norm(towards) > 0.02 * size:
        return along(towards)
    if attachment.type in ("revolute", "universal", "fixed") and towards @ attachment.axis < -0.1 * size:
        return attachment.R_b @ np.diag([1.0, -1.0, -1.0])
    return attachment.R_b


def _travel(attachment: Attachment, size: float, travel: Travels | None) -> Travel:
    """Range along the z axis of the ground's marker [m]."""
    low, high = (travel or {}).get(attachment.joint.name, (-REACH * size, REACH * size))
    return (low, high) if attachment.side == 0 else (-high, -low)


def _bearing(r: float, size: float, travel: Travel) -> Solid:
    """A round housing behind the joint, on a plate."""
    profile = [(0.0, -5.4), (3.2, -5.4), (3.2, -4.6), (2.4, -4.6), (2.4, -1.6), (2.1, -1.3), (0.0, -1.3)]
    return revolved([(r * a, r * b) for a, b in profile])


def _rails(r: float, size: float, travel: Travel) -> Solid:
    """Two rails with a cross bar at either end."""
    low, high = travel[0] - 6.0 * r, travel[1] + 6.0 * r
    width = 2.0 * (RAIL_OFFSET + 1.2) * r
    bars = [box((width, 1.8 * r, r), (0.0, 0.0, z)) for z in (low - 0.5 * r, high + 0.5 * r)]
    return joined([rails(r, travel, RAIL * r), *bars])


def _shaft(r: float, size: float, travel: Travel) -> Solid:
    """A shaft between two blocks."""
    low, high = travel[0] - 6.0 * r, travel[1] + 6.0 * r
    blocks = [box((4.0 * r, 4.0 * r, 1.4 * r), (0.0, 0.0, z)) for z in (low, high)]
    return joined([cylinder((0.0, 0.0, low), (0.0, 0.0, high), 0.8 * r), *blocks])


def _socket(r: float, size: float, travel: Travel) -> Solid:
    """A conical stand under a ball."""
    profile = [(0.0, -6.0), (3.2, -6.0), (3.2, -5.3), (1.2, -1.6), (0.0, -1.6)]
    return revolved([(r * a, r * b) for a, b in profile])


def _fork(r: float, size: float, travel: Travel) -> Solid:
    """Two cheeks that hold the first axis of a cross, x, on a plate."""
    cheeks = [box((0.8 * r, 2.6 * r, 6.6 * r), (x * r, 0.0, -2.0 * r)) for x in (-3.7, 3.7)]
    return joined([*cheeks, box((8.2 * r, 4.0 * r, 0.8 * r), (0.0, 0.0, -5.6 * r))])


def _plate(r: float, size: float, travel: Travel) -> Solid:
    """The plate under a planar joint, below its symbol."""
    return box((0.5 * size, 0.5 * size, 0.4 * r), (0.0, 0.0, -1.3 * r))


def _floor(r: float, size: float, travel: Travel) -> Solid:
    """The floor under a rolling disc."""
    return box((0.6 * size, 0.6 * size, 0.4 * r), (0.0, 0.0, -0.2 * r))


def _base(r: float, size: float, travel: Travel) -> Solid:
    """A block on a plate."""
    return joined([box((4.0 * r, 4.0 * r, 4.0 * r)), box((7.0 * r, 7.0 * r, 0.8 * r), (0.0, 0.0, -2.4 * r))])


def _slotted_bar(r: float, size: float, travel: Travel) -> Solid:
    """A bar along x behind the slot of a pin."""
    low, high = travel[0] - 5.1 * r, travel[1] + 5.1 * r
    return box((high - low, 4.2 * r, 1.4 * r), (0.5 * (low + high), 0.0, -2.65 * r))


_SUPPORTS: dict[str, Callable[[float, float, Travel], Solid]] = {
    "fixed": _base,
    "revolute": _bearing,
    "prismatic": _rails,
    "cylindrical": _shaft,
    "screw": _shaft,
    "universal": _fork,
    "spherical": _socket,
    "planar": _plate,
    "pin-in-slot": _slotted_bar,
    "point-on-line": _shaft,
    "distance": _socket,
    "rolling": _floor,
}
_PIN_SUPPORTS = {"pin-in-slot": _bearing, "point-on-line": _socket}
"""If the ground is the second body: it holds the pin or the point, the slot or line moves with the first body."""
