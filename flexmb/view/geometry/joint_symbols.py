"""Symbols of joints and drives, and supports on the ground: small solids that show the free motion of a joint.

The axis of a joint is z (universal: x on the first and y on the second body; pin-in-slot: slot along x, pin along z;
rolling: disc about z of the second marker). A symbol has two halves: one moves with the marker on the first body, one
with that on the second, so that a block slides along its rails and a cross shows both axes. Sizes follow from `size`,
the typical length of the whole scene [m]. How each joint type is drawn is one row of `DRAWINGS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from flexmb.arrays import Floats
from flexmb.view.geometry.primitives import (
    NOTHING,
    Solid,
    arrow,
    box,
    cone,
    cylinder,
    extruded,
    joined,
    moved,
    revolved,
    ring_sector,
    sphere,
    torus,
    tube,
)

Halves = tuple[Solid, Solid]
Travel = tuple[float, float]
Support = Callable[[float, float, Travel], Solid]
"""Radius of a bar [m], size of the scene [m], travel -> what the ground shows, axes of the ground's marker."""

THICKNESS = 0.012
"""Radius of bars and pins, as a part of the size of the scene."""
RAIL_OFFSET, RAIL = 3.2, 0.45
"""Distance of a rail from the axis and half its thickness, in radii of a bar."""
ORIGIN = (0.0, 0.0, 0.0)


def joint_symbol_halves(
    joint_type_name: str, size: float, parameters: Sequence[float] = (), travel: Travel = (0.0, 0.0)
) -> Halves:
    """The halves that move with the marker on the first and on the second body; a half may have no points.

    travel: range of the slide or x coordinate [m], along which rails and slots are drawn
    A distance joint has a rod from 0 to its length along z in the first half: turn z towards the other end.
    """
    return DRAWINGS[joint_type_name].halves(THICKNESS * size, tuple(parameters), travel)


def drive_symbol(kind: str, size: float) -> Solid:
    """An arrow about the axis z (kind "angle" or "rotation") or along it ("length")."""
    r = THICKNESS * size
    if kind == "length":
        return arrow((0.0, 4.6 * r, -5.0 * r), (0.0, 4.6 * r, 5.0 * r), 0.55 * r)
    bow = ring_sector(4.9 * r, 4.1 * r, 0.8 * r, 1.5 * np.pi)
    head = cone((0.0, -4.5 * r, 0.0), (2.4 * r, -4.5 * r, 0.0), 1.1 * r, 16)
    return moved(joined([bow, head]), np.eye(3), (0.0, 0.0, 2.3 * r))  # above the bars that meet at the joint


def pitch_symbol(radius: float, size: float) -> Solid:
    """A pitch circle about the axis z with a mark on it, or (radius 0) a pitch line along the axis x."""
    r = 0.5 * THICKNESS * size
    if radius == 0.0:
        return box((0.5 * size, 2.0 * r, 2.0 * r))
    mark = box((3.0 * r, 1.6 * r, 3.0 * r), (radius, 0.0, 0.0))
    return joined([torus(radius, min(r, 0.1 * radius), 64), mark])


def rails(r: float, travel: Travel, half: float) -> Solid:
    """Two rails along z beside the path of a block, with a half thickness [m]; r: radius of a bar [m]."""
    low, high = travel[0] - 6.0 * r, travel[1] + 6.0 * r
    middle, length = 0.5 * (low + high), high - low
    sides = [box((2.0 * half, 2.0 * half, length), (side * RAIL_OFFSET * r, 0.0, middle)) for side in (-1.0, 1.0)]
    return joined(sides)


def _revolute(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    return _pin(r), NOTHING


def _pin(r: float) -> Solid:
    """A bolt with two heads along z."""
    profile = [(0.0, -3.0), (1.6, -3.0), (1.6, -2.4), (0.95, -2.4), (0.95, 2.4), (1.6, 2.4), (1.6, 3.0), (0.0, 3.0)]
    return revolved([(r * a, r * b) for a, b in profile], 24)


def _prismatic(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    outer, inner = 2.65 * r, 2.3 * r
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    sleeve = extruded([outer * square, inner * square[::-1]], np.array([-1.2 * r, 1.2 * r]))
    # The prism is along x: turn x to z.
    return rails(r, travel, 0.3 * r), moved(sleeve, [[0, 1, 0], [0, 0, 1], [1, 0, 0]], ORIGIN)


def _cylindrical(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    shaft = cylinder((0.0, 0.0, travel[0] - 6.0 * r), (0.0, 0.0, travel[1] + 6.0 * r), r)
    return shaft, tube((0.0, 0.0, -2.5 * r), (0.0, 0.0, 2.5 * r), 1.9 * r, 1.1 * r)


def _screw(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    low, high, pitch = travel[0] - 6.0 * r, travel[1] + 6.0 * r, 0.9 * r
    count = max(1, min(200, int((high - low) / pitch)))
    edges = np.linspace(low, high, 2 * count + 1)
    teeth = [(1.2 * r if k % 2 else 0.8 * r, float(z)) for k, z in enumerate(edges)]
    thread = revolved([(0.0, low), *teeth, (0.0, high)], 24)
    nut = tube((0.0, 0.0, -1.5 * r), (0.0, 0.0, 1.5 * r), 2.4 * r, 1.25 * r, 6)
    return thread, nut


def _universal(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    first = _arms(r, (1.0, 0.0, 0.0))
    second = joined([_arms(r, (0.0, 1.0, 0.0)), sphere(1.3 * r, corners=20)])
    return first, second


def _arms(r: float, direction: tuple[float, float, float]) -> Solid:
    """One of the two shafts of a cross, with a bush at either end."""
    e = np.asarray(direction)
    bushes = [cylinder(side * 2.2 * r * e, side * 3.2 * r * e, 1.15 * r, 20) for side in (-1.0, 1.0)]
    return joined([cylinder(-2.4 * r * e, 2.4 * r * e, 0.7 * r, 20), *bushes])


def _spherical(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    return torus(2.1 * r, 0.45 * r), sphere(1.9 * r, corners=28)


def _planar(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    low, high = travel[0] - 7.0 * r, travel[1] + 7.0 * r
    plate = box((high - low, 14.0 * r, 0.5 * r), (0.5 * (low + high), 0.0, -0.75 * r))
    return plate, cylinder((0.0, 0.0, -0.5 * r), (0.0, 0.0, 0.6 * r), 2.2 * r)


def _fixed(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    plates = [box((3.6 * r, 3.6 * r, 0.6 * r), (0.0, 0.0, z * r)) for z in (-1.1, 1.1)]
    bolts = [
        cylinder((x * r, y * r, -1.7 * r), (x * r, y * r, 1.7 * r), 0.35 * r, 12)
        for x in (-1.3, 1.3)
        for y in (-1.3, 1.3)
    ]
    return joined([*plates, *bolts]), NOTHING


def _free(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    return NOTHING, NOTHING


def _pin_in_slot(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    low, high = travel[0] - 3.0 * r, travel[1] + 3.0 * r
    outline = [_stadium(low, high, 2.1 * r), _stadium(low, high, 1.15 * r)[::-1]]
    frame = extruded(outline, np.array([-0.35 * r, 0.35 * r]))
    return moved(frame, [[0, 1, 0], [0, 0, 1], [1, 0, 0]], (0.0, 0.0, -1.55 * r)), _pin(r)


def _stadium(low: float, high: float, radius: float) -> Floats:
    """(k, 2) around the points within `radius` of a line along the first axis, counter-clockwise."""
    half = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 13)
    right = np.column_stack([high + radius * np.cos(half), radius * np.sin(half)])
    left = np.column_stack([low - radius * np.cos(half), -radius * np.sin(half)])
    return np.concatenate([right, left])


def _point_on_line(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    line = cylinder((0.0, 0.0, travel[0] - 8.0 * r), (0.0, 0.0, travel[1] + 8.0 * r), 0.5 * r, 16)
    return line, sphere(1.6 * r, corners=24)


def _distance(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    end = (0.0, 0.0, parameters[0] if parameters else 8.0 * r)
    rod = joined([cylinder(ORIGIN, end, 0.5 * r, 16), sphere(1.1 * r, corners=20), sphere(1.1 * r, end, 20)])
    return rod, NOTHING


def _rolling(r: float, parameters: tuple[float, ...], travel: Travel) -> Halves:
    radius = parameters[0] if parameters else 5.0 * r
    return NOTHING, torus(radius - min(0.3 * r, 0.1 * radius), min(0.3 * r, 0.1 * radius), 64)


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


def _cheeks(r: float, size: float, travel: Travel) -> Solid:
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


@dataclass(frozen=True)
class Drawing:
    """Drawing of a joint type: one row per joint."""

    halves: Callable[[float, tuple[float, ...], Travel], Halves]
    """Its symbol: radius of a bar [m], parameters as in `PlacedJoint`, travel."""
    support: Support | None = None
    """Support on the ground if the ground is its first body."""
    second_support: Support | None = None
    """Support on the ground if the ground is its second body."""
    facing: Literal["as placed", "either side", "any side"] = "as placed"
    """Allowed rotations of the support, which is on the side of -z, away from the mechanism."""
    is_hinge: bool = False
    """Whether a bar ends here in an eye or a fork about z."""
    slider: Literal["block", "bush"] | None = None
    """Part that slides along z on the second body."""


DRAWINGS = {
    "fixed": Drawing(_fixed, _base, _base, facing="either side"),
    "revolute": Drawing(_revolute, _bearing, _bearing, facing="either side", is_hinge=True),
    "prismatic": Drawing(_prismatic, _rails, _rails, slider="block"),
    "cylindrical": Drawing(_cylindrical, _shaft, _shaft, slider="bush"),
    "screw": Drawing(_screw, _shaft, _shaft, slider="bush"),
    "universal": Drawing(_universal, _cheeks, _cheeks, facing="either side"),
    "spherical": Drawing(_spherical, _socket, _socket, facing="any side"),
    "planar": Drawing(_planar, _plate, _plate),
    "free": Drawing(_free),
    "pin-in-slot": Drawing(_pin_in_slot, _slotted_bar, _bearing, is_hinge=True),
    "point-on-line": Drawing(_point_on_line, _shaft, _socket, slider="bush"),
    "distance": Drawing(_distance, _socket, _socket, facing="any side"),
    "rolling": Drawing(_rolling, _floor),
}
"""Drawings by joint type."""
