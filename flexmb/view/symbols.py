"""Joints, couplings, drives and springs as small parts of a scene, with their poses at every frame.

A symbol has two halves, one on each of the two bodies. At the joints of a flexible body nothing is exaggerated, so they
fit at any scale; a spring on other places of it follows its ends.
"""

from __future__ import annotations

from collections.abc import Iterator

from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.mechanism import Mechanism, PlacedJoint
from flexmb.view.colors import SYMBOL
from flexmb.view.force_symbols import directions, force_parts, turned_to
from flexmb.view.geometry.joint_symbols import drive_symbol, joint_symbol_halves, pitch_symbol
from flexmb.view.recorded_motion import MechanismMotion
from flexmb.view.scene import Color, Part, quaternions

DRIVE: Color = (0.85, 0.45, 0.10)
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
                    R = turned_to(directions(motion.marker_path(joint.second).position - path.position))
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
    yield from force_parts(spec, mechanism, motion, size)


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
