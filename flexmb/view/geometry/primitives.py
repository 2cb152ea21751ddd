"""Simple closed solids as points and triangles, from which bodies and joints are drawn.

Every solid is closed: each edge belongs to two triangles that run along it in opposite directions, and all normals
point outwards. Round solids are made by `revolved`, prisms by `extruded`; `joined` combines solids without cutting them
where they overlap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats, Integers
from flexmb.view.geometry.polygons import triangulated

CORNERS = 32
"""Default corners of a circle."""


@dataclass(frozen=True)
class Solid:
    """A closed surface."""

    points: Floats
    """(s, 3) [m]"""
    triangles: Integers
    """(t, 3) numbers into `points`, counter-clockwise from outside"""

    @property
    def volume(self) -> float:
        """[m^3] by the divergence theorem; positive with normals outwards."""
        a, b, c = (self.points[self.triangles[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


NOTHING = Solid(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))


def joined(solids: Sequence[Solid]) -> Solid:
    """All solids as one, side by side; at least one."""
    starts = np.cumsum([0, *(len(solid.points) for solid in solids[:-1])])
    return Solid(
        np.concatenate([solid.points for solid in solids]),
        np.concatenate([solid.triangles + start for solid, start in zip(solids, starts, strict=True)]),
    )


def moved(solid: Solid, R: ArrayLike, p: ArrayLike) -> Solid:
    """The solid turned by R : (3, 3) and then shifted by p : (3,) [m]."""
    return Solid(solid.points @ np.asarray(R, dtype=float).T + np.asarray(p, dtype=float), solid.triangles)


def along(direction: ArrayLike) -> Floats:
    """(3, 3) rotation whose third column points along `direction`."""
    z = np.asarray(direction, dtype=float)
    z = z / np.linalg.norm(z)
    x = np.eye(3)[int(np.argmin(np.round(np.abs(z), 6)))]
    x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def box(size: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0)) -> Solid:
    """A block with edges `size` : (3,) [m] along the axes."""
    x, y, z = 0.5 * np.asarray(size, dtype=float)
    prism = extruded([np.array([[-y, -z], [y, -z], [y, z], [-y, z]])], np.array([-x, x]))
    return Solid(prism.points + np.asarray(center, dtype=float), prism.triangles)


def cylinder(start: ArrayLike, end: ArrayLike, radius: float, corners: int = CORNERS) -> Solid:
    """A round bar from the point `start` to the point `end` [m]."""
    length = _distance(start, end)
    return _placed(revolved([(0.0, 0.0), (radius, 0.0), (radius, length), (0.0, length)], corners), start, end)


def sphere(radius: float, center: ArrayLike = (0.0, 0.0, 0.0), corners: int = CORNERS) -> Solid:
    """A ball [m]."""
    arc = _quarter(radius, corners)
    ball = revolved([(r, -z) for r, z in reversed(arc)] + arc[1:], corners)
    return Solid(ball.points + np.asarray(center, dtype=float), ball.triangles)


def cone(start: ArrayLike, end: ArrayLike, radius: float, corners: int = CORNERS) -> Solid:
    """A cone with its flat side about `start` and its tip at `end` [m]."""
    return _placed(revolved([(0.0, 0.0), (radius, 0.0), (0.0, _distance(start, end))], corners), start, end)


def tube(start: ArrayLike, end: ArrayLike, outer: float, inner: float, corners: int = CORNERS) -> Solid:
    """A pipe with outer and inner radius from the point `start` to the point `end` [m]."""
    length = _distance(start, end)
    profile = [(inner, 0.0), (outer, 0.0), (outer, length), (inner, length)]
    return _placed(revolved(profile, corners, closed=True), start, end)


def disc(center: ArrayLike, axis: ArrayLike, radius: float, thickness: float, corners: int = 2 * CORNERS) -> Solid:
    """A flat round plate about `axis` [m]."""
    half = 0.5 * thickness * np.asarray(axis, dtype=float) / np.linalg.norm(np.asarray(axis, dtype=float))
    middle = np.asarray(center, dtype=float)
    return cylinder(middle - half, middle + half, radius, corners)


def arrow(start: ArrayLike, end: ArrayLike, radius: float, corners: int = 16) -> Solid:
    """An arrow from `start` to its tip `end` with a shaft of this radius [m]; the head takes at most 40 % of it."""
    length = _distance(start, end)
    neck = length - min(6.0 * radius, 0.4 * length)
    profile = [(0.0, 0.0), (radius, 0.0), (radius, neck), (2.4 * radius, neck), (0.0, length)]
    return _placed(revolved(profile, corners), start, end)


def ring_sector(outer: float, inner: float, height: float, angle: float, start: float = 0.0) -> Solid:
    """A piece of a flat ring in the x-y plane, from the angle `start` [rad] on over `angle` < 2 pi [rad]; sizes [m]."""
    half = 0.5 * height
    steps = max(1, math.ceil(angle / (2.0 * math.pi) * 2 * CORNERS))
    section = np.array([[-half, inner], [half, inner], [half, outer], [-half, outer]])
    straight = extruded([section], np.linspace(start, start + angle, steps + 1))
    theta, z, r = straight.points.T
    return Solid(np.column_stack([r * np.cos(theta), r * np.sin(theta), z]), straight.triangles)


def torus(radius: float, thickness: float, corners: int = CORNERS) -> Solid:
    """A ring in the x-y plane whose round section has the radius `thickness` [m]."""
    angles = 2.0 * np.pi * np.arange(12) / 12
    profile = [(radius + thickness * math.cos(a), thickness * math.sin(a)) for a in angles]
    return revolved(profile, corners, closed=True)


def wire(path: ArrayLike, radius: float, corners: int = 10) -> Solid:
    """A round wire along `path` : (n, 3) [m], neighbours of which differ; flat ends."""
    line = np.asarray(path, dtype=float)
    steps = np.diff(line, axis=0)
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    tangents = np.concatenate([steps[:1], steps[:-1] + steps[1:], steps[-1:]])
    angles = 2.0 * np.pi * np.arange(corners) / corners
    circle = [radius * np.column_stack([np.cos(angles), np.sin(angles)])]
    straight = extruded(circle, np.arange(len(line), dtype=float))
    side = along(tangents[0])[:, 0]
    frames = []
    for tangent in tangents / np.linalg.norm(tangents, axis=1, keepdims=True):
        side = side - (side @ tangent) * tangent  # carried along without twist
        side = side / np.linalg.norm(side)
        frames.append((side, np.cross(tangent, side)))
    y, z = (np.repeat(np.array(axis), corners, axis=0) for axis in zip(*frames, strict=True))
    points = np.repeat(line, corners, axis=0) + straight.points[:, 1:2] * y + straight.points[:, 2:3] * z
    return Solid(points, straight.triangles)


def extruded(outline: Sequence[ArrayLike], stations: ArrayLike) -> Solid:
    """A prism along x with the section `outline`, through the rising `stations` : (n,) [m].

    outline : polygons (k, 2) of corners (y, z) [m]: the outer edge, counter-clockwise, then holes, clockwise. The
    points are ordered by station, each with the corners of all polygons in their order.
    """
    loops = [np.asarray(loop, dtype=float) for loop in outline]
    x = np.asarray(stations, dtype=float)
    section = np.concatenate(loops)
    count = len(section)
    points = np.column_stack([np.repeat(x, count), np.tile(section, (len(x), 1))])
    here, following = np.arange(count), np.empty(count, dtype=np.int64)
    first = 0
    for loop in loops:
        last = first + len(loop)
        following[first:last] = np.roll(here[first:last], -1)
        first = last
    lower, upper = (here, following, following + count), (here, following + count, here + count)
    strip = np.concatenate([np.column_stack(lower), np.column_stack(upper)])
    sides = [strip + count * i for i in range(len(x) - 1)]
    cap = triangulated(loops)
    return Solid(points, np.concatenate([*sides, cap[:, ::-1], cap + count * (len(x) - 1)]))


def revolved(profile: Sequence[tuple[float, float]], corners: int = CORNERS, closed: bool = False) -> Solid:
    """The solid that a profile of points (r, z) [m] sweeps when it turns about z.

    The profile runs from the axis (r = 0) upwards along the outside back to the axis, or with `closed` around a
    section off the axis, counter-clockwise with r to the right and z upwards.
    """
    angles = 2.0 * np.pi * np.arange(corners) / corners
    circle = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(corners)])
    rings, points, number = [], [], 0
    for r, z in profile:
        on_axis = r == 0.0
        points.append(np.array([[0.0, 0.0, z]]) if on_axis else r * circle + [0.0, 0.0, z])
        rings.append(np.full(corners, number) if on_axis else number + np.arange(corners))
        number += len(points[-1])
    pairs = list(zip(rings, rings[1:] + rings[:1], strict=True))[: None if closed else -1]
    triangles = []
    for low, high in pairs:
        a, b, c, d = low, np.roll(low, -1), np.roll(high, -1), high
        triangles += [np.column_stack([a, b, c]), np.column_stack([a, c, d])]
    every = np.concatenate(triangles)
    # A ring on the axis is one point: half of its triangles have no area.
    real = (every[:, 0] != every[:, 1]) & (every[:, 1] != every[:, 2]) & (every[:, 2] != every[:, 0])
    return Solid(np.concatenate(points), every[real].astype(np.int64))


def _quarter(radius: float, corners: int) -> list[tuple[float, float]]:
    """(r, z) on a quarter of a circle, from the equator to the pole, which lies exactly on the axis."""
    steps = max(2, corners // 4)
    angles = [0.5 * math.pi * k / steps for k in range(steps)]
    return [(radius * math.cos(a), radius * math.sin(a)) for a in angles] + [(0.0, radius)]


def _distance(start: ArrayLike, end: ArrayLike) -> float:
    return float(np.linalg.norm(np.asarray(end, dtype=float) - np.asarray(start, dtype=float)))


def _placed(solid: Solid, start: ArrayLike, end: ArrayLike) -> Solid:
    """A solid on the x-y plane about z, moved to `start` and turned towards `end`."""
    first = np.asarray(start, dtype=float)
    return moved(solid, along(np.asarray(end, dtype=float) - first), first)
