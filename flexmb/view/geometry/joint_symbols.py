"""Symbols of joints and drives: small solids in joint axes that show the free motion of a joint.

The axis of a joint is z (universal: x on the first and y on the second body; pin-in-slot: slot along x, pin along z;
rolling: disc about z of the second marker). A symbol has two halves: one moves with the marker on the first body, one
with that on the second, so that a block slides along its rails and a cross shows both axes. Sizes follow from `size`,
the typical length of the whole scene [m].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    return _HALVES[joint_type_name](THICKNESS * size, tuple(parameters), travel)


def drive_symbol(kind: str, size: float) -> Solid:
    """An arrow about the axis z (kind "angle" or "rotation") or along it ("length")."""
    r = THICKNESS * size
    if kind == "length":
        return arrow((0.0, 4.6 * r, -5.0 * r), (0.0, 4.6 * r, 5.0 * r), 0.55 * r)
    bow = ring_sector(4.9 * r, 4.1 * r, 0.8 * r, 1.5 * np.pi)
    head = cone((0.0, -4.5 * r, 0.0), (2.4 * r, -4.5 * r, 0.0), 1.1 * r, 16)
    return moved(joined([bow, head]), np.eye(3), (0.0, 0.0, 2.3 * r))  # above the bars that meet at the joint


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


_HALVES: dict[str, Callable[[float, tuple[float, ...], Travel], Halves]] = {
    "fixed": _fixed,
    "revolute": _revolute,
    "prismatic": _prismatic,
    "cylindrical": _cylindrical,
    "screw": _screw,
    "universal": _universal,
    "spherical": _spherical,
    "planar": _planar,
    "free": _free,
    "pin-in-slot": _pin_in_slot,
    "point-on-line": _point_on_line,
    "distance": _distance,
    "rolling": _rolling,
}
