"""Arrows of forces and moments as parts with two shapes, for file formats without arrows.

An arrow lies along z of its part. The first shape shrinks all of it, for values so small that there is only a head;
the second one lifts the head and thereby lengthens the shaft. A moment has two heads.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.view.colors import ARROWS
from flexmb.view.geometry.primitives import Solid, revolved
from flexmb.view.scene import Arrow, Part, Scene, continuous

LONGEST = 0.45
"""Length of the largest arrow of a unit, in radii of the scene"""
THICKNESS = 0.009
"""Radius of the shaft, in radii of the scene"""
_HEAD, _BARB, _LEAST = 4.2, 2.4, 6.25
"""Length and radius of a head and length of the shortest arrow of full thickness per head, in radii of the shaft"""


def arrow_parts(scene: Scene, scale: float) -> list[Part]:
    """The arrows of a scene that are ever visible, as parts; `scale` is the deflection scale of the picture."""
    sizes = [np.linalg.norm(arrow.vector, axis=1) for arrow in scene.arrows]
    largest: dict[str, float] = {}
    for arrow, size in zip(scene.arrows, sizes, strict=True):
        largest[arrow.unit] = max(largest.get(arrow.unit, 0.0), float(size.max(initial=0.0)))
    return [
        _part(arrow, LONGEST * scene.radius * size / largest[arrow.unit], THICKNESS * scene.radius, scale)
        for arrow, size in zip(scene.arrows, sizes, strict=True)
        if size.max(initial=0.0) > 0.0
    ]


def _part(arrow: Arrow, length: Floats, radius: float, scale: float) -> Part:
    heads = 2 if arrow.kind in ("reaction moment", "torque") else 1
    least = _LEAST * radius * heads
    solid, neck = _shortest(radius, heads, least)
    z = solid.points[:, 2]
    shapes = np.zeros((2, len(z), 3), np.float32)
    shapes[0] = solid.points / least
    shapes[1, :, 2] = z > neck - 1e-6 * least
    amplitudes = np.stack([np.minimum(length - least, 0.0), np.maximum(length - least, 0.0)], axis=1)
    return Part(
        f"{arrow.name} {arrow.kind} [{arrow.unit}]", "symbol", solid.points, solid.triangles,
        arrow.position + (scale - 1.0) * arrow.deflection, directions(arrow.vector), ARROWS[arrow.kind],
        shapes, amplitudes, carried=2,
    )  # fmt: skip


def _shortest(radius: float, heads: int, length: float) -> tuple[Solid, float]:
    """The arrow with nearly no shaft, and the height at which its lowest head begins [m]."""
    head = _HEAD * radius
    tops = [length - 0.8 * head * number for number in range(heads - 1, -1, -1)]
    profile = [(0.0, 0.0), (radius, 0.0)]
    for top in tops:
        profile += [(radius, top - head), (_BARB * radius, top - head), (radius if top < length else 0.0, top)]
    return revolved(profile, 20), tops[0] - head


def directions(vectors: Floats) -> Floats:
    """(f, 4) rotations that turn z along (f, 3) vectors, each from the one before by the shortest way."""
    size = np.linalg.norm(vectors, axis=1)
    known = size > 1e-12 * size.max()
    last = np.array([0.0, 0.0, 1.0])
    quaternion = np.array([1.0, 0.0, 0.0, 0.0])
    turns = np.empty((len(vectors), 4))
    for frame, vector in enumerate(vectors):
        if known[frame]:
            new = vector / size[frame]
            quaternion = _product(_shortest_turn(last, new), quaternion)
            quaternion /= np.linalg.norm(quaternion)
            last = new
        turns[frame] = quaternion
    return continuous(turns)


def _shortest_turn(first: Floats, second: Floats) -> Floats:
    """(4,) from one unit vector to another one"""
    cosine = float(first @ second)
    if cosine < -1.0 + 1e-12:
        axis = np.cross(first, np.eye(3)[int(np.argmin(np.abs(first)))])
        return np.array([0.0, *(axis / np.linalg.norm(axis))])
    turn = np.array([1.0 + cosine, *np.cross(first, second)])
    return turn / np.linalg.norm(turn)


def _product(p: Floats, q: Floats) -> Floats:
    """(4,) first the rotation q, then p"""
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])
