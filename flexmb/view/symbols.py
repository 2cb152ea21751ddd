"""Joints, couplings, drives and springs as small parts of a scene, with their poses at every frame.

A symbol has two halves, one on each of the two bodies. At the joints of a flexible body nothing is exaggerated, so they
fit at any scale; a spring on other places of it follows its ends.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmb.arrays import Floats
from flexmb.model.schema.loads import PairForce, SpringDamper
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.mechanism import Mechanism, PlacedJoint
from flexmb.view.colors import SYMBOL
from flexmb.view.geometry.joint_symbols import drive_symbol, joint_symbol_halves, pitch_symbol
from flexmb.view.geometry.springs import spring_solid
from flexmb.view.recorded_motion import MarkerPath, MechanismMotion
from flexmb.view.scene import Color, Part, quaternions

DRIVE: Color = (0.85, 0.45, 0.10)
SPRING: Color = (0.45, 0.50, 0.55)
TEETH: Color = (0.20, 0.45, 0.60)


def symbol_parts(spec: ModelSpec, mechanism: Mechanism, motion: MechanismMotion, size: float) -> Iterator[Part]:
    """Symbols of all joints, drives, couplings and springs; `size` is the typical length of the scene [m]."""
    for joint in mechanism.joints:
        halves = joint_symbol_halves(joint.type.name, size, joint.parameters, joint_travel(joint, motion))
        for solid, marker in zip(halves, (joint.first, joint.second), strict=True):
            if solid is not None and len(solid.triangles):
                path = motion.marker_path(marker)
                R = path.R
                if joint.type.motions_of("rod") and marker == joint.first:  # its rod points to the other marker
                    R = _turned_to(_directions(motion.marker_path(joint.second).position - path.position))
                pose = path.position, quaternions(R)
                name = f"joint {joint.name}" + ("" if marker == joint.first else ", second body")
                yield Part(name, "symbol", solid.points, solid.triangles, *pose, SYMBOL)
    for name, drive in spec.motions.items():
        if drive.joint is None:
            continue
        joint = mechanism.joints[mechanism.joint_index[drive.joint]]
        kind = joint.type.kind_of(spec.coordinate(drive.joint, drive.coordinate))
        solid = drive_symbol(kind, size)
        path = motion.marker_path(joint.first)
        pose = path.position, quaternions(path.R)
        yield Part(f"drive {name}", "symbol", solid.points, solid.triangles, *pose, DRIVE)
    for coupling in mechanism.couplings:
        circles = {(one.marker, one.radius): one for row in coupling.rows for one in row.circles}  # each wheel once
        for k, circle in enumerate(circles.values()):
            solid = pitch_symbol(circle.radius, size)
            path = motion.marker_path(circle.marker)
            pose = path.position, quaternions(path.R @ circle.axes)
            yield Part(f"coupling {coupling.name} {k + 1}", "symbol", solid.points, solid.triangles, *pose, TEETH)
    for name, force in spec.forces.items():
        if isinstance(force, (SpringDamper, PairForce)):
            ends = [motion.marker_path(mechanism.marker_index[marker]) for marker in force.markers]
            yield _spring(f"spring {name}", ends[0], ends[1], size)


def joint_travel(joint: PlacedJoint, motion: MechanismMotion) -> tuple[float, float]:
    """Range of the slide of a joint in the run, from its design position [m]."""
    slides = joint.type.motions_of("slide", "screw")
    if not slides:
        return 0.0, 0.0
    columns = motion.channel(f"joints/{joint.name}/position").reshape(motion.n_frames, -1)
    slide = columns[:, joint.type.motions.index(slides[0])]
    if slides[0].type == "screw":
        slide = joint.parameters[0] * slide
    return min(0.0, float(slide.min())), max(0.0, float(slide.max()))


def _spring(name: str, first: MarkerPath, second: MarkerPath, size: float) -> Part:
    """A coil from one marker to the other: its length is a carried shape, the deflections of its ends are others."""
    start, end = first.position - first.deflection, second.position - second.deflection
    length = np.linalg.norm(end - start, axis=1)
    R = _turned_to(_directions(end - start))
    solid = spring_solid(size, max(float(np.median(length)), 1e-3 * size))
    along = solid.points[:, 2]
    flat = solid.points * [1.0, 1.0, 0.0]
    shapes = [np.outer(along, [0.0, 0.0, 1.0])]
    amplitudes = [length]
    for part, deflection in ((1.0 - along, first.deflection), (along, second.deflection)):
        if np.any(deflection):
            local = np.einsum("rji,rj->ri", R, deflection)
            shapes += [np.outer(part, axis) for axis in np.eye(3)]
            amplitudes += list(local.T)
    stacked, amounts = np.array(shapes, np.float32), np.stack(amplitudes, axis=1)
    pose = start, quaternions(R)
    return Part(name, "symbol", flat, solid.triangles, *pose, SPRING, stacked, amounts, carried=1)


def _directions(away: Floats) -> Floats:
    """(f, 3) unit vectors; z where there is no direction."""
    length = np.linalg.norm(away, axis=1, keepdims=True)
    return np.where(length > 0.0, away / np.maximum(length, 1e-300), [0.0, 0.0, 1.0])


def _turned_to(z: Floats) -> Floats:
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
