"""Interfaces of the beams of a mechanism: where joints, forces and springs act on them, and which loads pass there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.model.schema.loads import Bushing, OnCoordinate, PointForce, PointTorque, markers_of
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.linear_mechanism import held_axes
from flexmb.system.mechanism import Mechanism, PlacedJoint

_IN_PLANE = 1e-6
"""Sine of an angle, or a part of the size of the mechanism, that is round-off."""


@dataclass(frozen=True)
class Interface:
    """Loads that can act on one beam at one marker."""

    marker: int
    x: float
    """Place along the beam [m]"""
    forces: Floats
    """(n, 3) directions of forces, body axes"""
    moments: Floats
    """(n, 3) directions of moments, body axes"""
    by: str
    """Joint or force that acts, as text"""
    aside: Floats
    """(3,) distance of the marker from the axis, body axes [m]"""


def interfaces_of(spec: ModelSpec, mechanism: Mechanism, name: str) -> list[Interface]:
    """Interfaces of a beam; loads that the joints do not pass on are left out."""
    number = mechanism.body_index[name]
    length = mechanism.markers[mechanism.beam_ends[name][1]].p_b[0]
    R_wb = mechanism.bodies[number].R_wb
    found = []
    none = np.zeros((0, 3))

    def add(marker: int, forces: Floats, moments: Floats, by: str) -> None:
        p_b = mechanism.markers[marker].p_b
        x = float(np.clip(p_b[0], 0.0, length))
        if len(forces) or len(moments):
            found.append(Interface(marker, x, forces, moments, by, p_b - [x, 0.0, 0.0]))

    for joint in mechanism.joints:
        R_w = R_wb.T @ mechanism.world_pose(joint.first)[0]
        along, around = held_axes(spec, joint)
        slides, turns = _loaded_axes(spec, joint)
        axes, around = "xyz" if joint.type.name == "distance" else along + slides, around + turns
        for marker in (joint.first, joint.second):
            if mechanism.markers[marker].body == number:
                add(marker, _columns(R_w, axes), _columns(R_w, around), f"joint '{joint.name}'")
    for motion_name, motion in spec.motions.items():
        if motion.marker is not None and mechanism.markers[mechanism.marker_index[motion.marker]].body == number:
            push, turn = (np.eye(3), none) if motion.about is None else (none, np.eye(3))
            add(mechanism.marker_index[motion.marker], push, turn, f"motion '{motion_name}'")
    for force_name, force in spec.forces.items():
        by = f"force '{force_name}'"
        if isinstance(force, (PointForce, PointTorque)):
            marker = mechanism.marker_index[force.marker]
            if mechanism.markers[marker].body == number:
                R = R_wb.T if force.axes == "world" else mechanism.markers[marker].R_b
                # A follower force turns with its marker, and a body turns under a world force: all directions count.
                columns = R.T if any(part.constant != 0.0 for part in force.vector) else none
                is_force = isinstance(force, PointForce)
                add(marker, columns if is_force else none, none if is_force else columns, by)
        else:
            for reference in markers_of(force):
                marker = mechanism.marker_index[reference]
                if mechanism.markers[marker].body == number:
                    add(marker, np.eye(3), np.eye(3) if isinstance(force, Bushing) else none, by)
    return found


def _loaded_axes(spec: ModelSpec, joint: PlacedJoint) -> tuple[str, str]:
    """Free axes of a joint along and about which springs, friction and actuators act."""
    slides, turns = "", ""
    for force in spec.forces.values():
        if isinstance(force, OnCoordinate) and force.joint == joint.name:
            motion = joint.type.motion_of(spec.coordinate(joint.name, force.coordinate))
            if motion.type == "slide":
                slides += AXES[motion.axis]
            else:
                turns += AXES[motion.axis]
    held = held_axes(spec, joint)
    return "".join(set(slides) - set(held[0])), "".join(set(turns) - set(held[1]))


def _columns(R: Floats, axes: str) -> Floats:
    return np.asarray(R[:, [AXES.index(axis) for axis in axes]].T)


def planar_normal(spec: ModelSpec, mechanism: Mechanism) -> Floats | None:
    """Normal (3,) of the plane in which the mechanism moves, world axes; None when it moves in space.

    Joints, centres of mass, beams and the places of joints and loads are in one plane (or parallel to it), and all
    loads act in it: then nothing bends a beam out of the plane.
    """
    normals = [n for joint in mechanism.joints for n in _turning_axes(mechanism, joint)]
    if not normals:
        return None
    n = normals[0]
    size = 1.0
    if any(np.linalg.norm(np.cross(n, other)) > _IN_PLANE for other in normals):
        return None
    if any(joint.type.name not in _PLANAR for joint in mechanism.joints):
        return None
    if any(motion.marker is not None for motion in spec.motions.values()):
        return None
    slides = (axis for joint in mechanism.joints for axis in _sliding_axes(mechanism, joint))
    if any(abs(n @ axis) > _IN_PLANE for axis in slides):
        return None
    if abs(np.asarray(spec.model.gravity, dtype=float) @ n) > _IN_PLANE * 9.81 or spec.base is not None:
        return None
    places = [mechanism.world_pose(marker)[1] for joint in mechanism.joints for marker in (joint.first, joint.second)]
    for body in mechanism.bodies[1:]:
        if body.mass:
            places.append(body.p_wb + body.R_wb @ body.first_moment / body.mass)
    places += [mechanism.world_pose(mechanism.marker_index[name])[1] for name in _loaded_markers(spec)]
    heights = np.array(places) @ n
    size = float(np.ptp(np.array(places), axis=0).max()) or 1.0
    if np.ptp(heights) > _IN_PLANE * size or any(_leaves_plane(force, n) for force in spec.forces.values()):
        return None
    return np.asarray(n)


def _loaded_markers(spec: ModelSpec) -> Iterator[str]:
    """Markers on which forces and springs act."""
    for force in spec.forces.values():
        if isinstance(force, PointForce):
            yield force.marker
        else:
            yield from markers_of(force)


_PLANAR = ("revolute", "prismatic", "fixed", "planar", "pin-in-slot", "cylindrical")


def _turning_axes(mechanism: Mechanism, joint: PlacedJoint) -> Iterator[Floats]:
    R = mechanism.world_pose(joint.first)[0]
    for motion in joint.type.motions_of("turn"):
        yield R[:, motion.axis]


def _sliding_axes(mechanism: Mechanism, joint: PlacedJoint) -> Iterator[Floats]:
    R = mechanism.world_pose(joint.first)[0]
    for motion in joint.type.motions_of("slide"):
        yield R[:, motion.axis]


def _leaves_plane(force: object, n: Floats) -> bool:
    """Whether a load may push out of the plane with normal n, or turn about an axis in it."""
    vector = getattr(force, "vector", None)
    if vector is None:
        return False
    if getattr(force, "axes", "world") != "world":
        return True
    parts = [part.constant for part in vector]
    across = np.array([1.0 if part is None or part else 0.0 for part in parts])
    if isinstance(force, PointTorque):
        return bool(np.any(np.abs(across - abs(n) * (across @ np.abs(n))) > _IN_PLANE))
    return bool(across @ np.abs(n) > _IN_PLANE)
