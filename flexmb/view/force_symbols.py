"""Springs, bushings and cables as small parts of a scene, with their poses at every frame.

What spans two markers is a solid along z from 0 to 1, stretched to their distance; a cable has one for each span, and
hangs in a parabola where it is longer than its way: a span s with the excess e sags by sqrt(3 s e / 8).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from flexmb.arrays import Floats
from flexmb.model.expressions.expression import Expression
from flexmb.model.schema.loads import Bushing, Cable, PairForce, SpringDamper
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.mechanism import Mechanism
from flexmb.view.geometry.joint_symbols import THICKNESS
from flexmb.view.geometry.primitives import Solid, revolved, wire
from flexmb.view.geometry.springs import spring_solid
from flexmb.view.recorded_motion import MarkerPath, MechanismMotion
from flexmb.view.scene import Color, Part, quaternions

SPRING: Color = (0.45, 0.50, 0.55)
CABLE: Color = (0.25, 0.25, 0.27)
RUBBER: Color = (0.20, 0.22, 0.24)
STATIONS = 17
"""Points along a span that can sag"""


def force_parts(spec: ModelSpec, mechanism: Mechanism, motion: MechanismMotion, size: float) -> Iterator[Part]:
    """Symbols of springs, bushings (but mere dampers) and cables; `size` is the typical length of the scene [m]."""
    for name, force in spec.forces.items():
        if isinstance(force, (SpringDamper, PairForce, Bushing, Cable)):
            ends = [motion.marker_path(mechanism.marker_index[marker]) for marker in force.markers]
        if isinstance(force, (SpringDamper, PairForce)):
            usual = float(np.median(_distance(ends[0], ends[1])))
            yield _spanning(f"spring {name}", ends[0], ends[1], spring_solid(size, max(usual, 1e-3 * size)), SPRING)
        elif isinstance(force, Bushing) and (force.stiffness is not None or force.curves is not None):
            pose = ends[0].position, quaternions(ends[0].R)
            solid = bushing_solid(size)
            yield Part(f"bushing {name}", "symbol", solid.points, solid.triangles, *pose, RUBBER)
        elif isinstance(force, Cable):
            gravity = np.asarray(spec.model.gravity, dtype=float)
            yield from _cable(name, force.length, ends, motion, gravity, size)


def bushing_solid(size: float) -> Solid:
    """A ring about z, for a scene of this size [m]."""
    outer, half = 2.4 * THICKNESS * size, 1.2 * THICKNESS * size
    return revolved([(0.5 * outer, -half), (outer, -half), (outer, half), (0.5 * outer, half)], closed=True)


def _cable(
    name: str, length: Expression, ends: list[MarkerPath], motion: MechanismMotion, gravity: Floats, size: float
) -> Iterator[Part]:
    """The spans of a cable; those of a slack one sag in proportion to their lengths."""
    spans = np.array([_distance(first, second) for first, second in pairwise(ends)])
    whole = spans.sum(axis=0)
    unloaded = np.array([length(float(t)) for t in motion.time[: motion.n_frames]])
    excess = np.maximum(0.0, unloaded - whole) * spans / np.where(whole > 0.0, whole, 1.0)
    z = np.linspace(0.0, 1.0, STATIONS)
    solid = wire(np.column_stack([0.0 * z, 0.0 * z, z]), 0.3 * THICKNESS * size)
    weight = float(np.linalg.norm(gravity))
    down = gravity / weight if weight > 0.0 else np.array([0.0, 0.0, -1.0])
    for number, (first, second) in enumerate(pairwise(ends)):
        sag = np.sqrt(0.375 * spans[number] * excess[number])
        part = f"cable {name}" + ("" if number == 0 else f", span {number + 1}")
        yield _spanning(part, first, second, solid, CABLE, np.outer(sag, down))


def _distance(first: MarkerPath, second: MarkerPath) -> Floats:
    """(f,) between two markers."""
    return np.asarray(np.linalg.norm(second.position - first.position, axis=1))


def _spanning(
    name: str, first: MarkerPath, second: MarkerPath, solid: Solid, color: Color, sag: Floats | None = None
) -> Part:
    """A solid from one marker to the other: its length is a carried shape, the deflections of its ends are others.

    sag : (f, 3) displacement of its middle, world axes [m]; of the rest by a parabola
    """
    start, end = first.position - first.deflection, second.position - second.deflection
    length = np.linalg.norm(end - start, axis=1)
    R = turned_to(directions(end - start))
    along = solid.points[:, 2]
    flat = solid.points * [1.0, 1.0, 0.0]
    shapes = [np.outer(along, [0.0, 0.0, 1.0])]
    amplitudes = [length]
    carried = 1
    if sag is not None and np.any(sag):
        shapes += [np.outer(4.0 * along * (1.0 - along), axis) for axis in np.eye(3)]
        amplitudes += list(np.einsum("rji,rj->ri", R, sag).T)
        carried += 3
    for part, deflection in ((1.0 - along, first.deflection), (along, second.deflection)):
        if np.any(deflection):
            local = np.einsum("rji,rj->ri", R, deflection)
            shapes += [np.outer(part, axis) for axis in np.eye(3)]
            amplitudes += list(local.T)
    stacked, amounts = np.array(shapes, np.float32), np.stack(amplitudes, axis=1)
    pose = start, quaternions(R)
    return Part(name, "symbol", flat, solid.triangles, *pose, color, stacked, amounts, carried=carried)


def directions(away: Floats) -> Floats:
    """(f, 3) unit vectors; z where there is no direction."""
    length = np.linalg.norm(away, axis=1, keepdims=True)
    return np.where(length > 0.0, away / np.maximum(length, 1e-300), [0.0, 0.0, 1.0])


def turned_to(z: Floats) -> Floats:
    """(f, 3, 3) rotations whose z axis is z : (f, 3), without sudden turns about it as far as possible."""
    R = np.empty((len(z), 3, 3))
    x = np.eye(3)[int(np.argmin(np.abs(z[0])))]
    for row, axis in enumerate(z):
        x = x - (x @ axis) * axis
        if np.linalg.norm(x) < 1e-6:
            x = np.eye(3)[int(np.argmin(np.abs(axis)))]
            x = x - (x @ axis) * axis
        x = x / np.linalg.norm(x)
        R[row] = np.column_stack([x, np.cross(axis, x), axis])
    return R
