"""Placement of a model in numbers: poses of bodies, markers and joint frames in the design position."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.marker import Marker
from flexmb.bodies.rigid_body import RigidBody, ground, inertia_about_origin, slender_rod_inertia
from flexmb.errors import Fault, InputError
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.loads import DistributedForce
from flexmb.model.schema.mesh_bodies import MeshBody
from flexmb.model.schema.modal import ModalBody, ModalMarker
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.beam_choice import AUTO, Choice, chosen_shapes
from flexmb.system.beam_supports import support_faults
from flexmb.system.couplings import place_couplings
from flexmb.system.flexible_placement import (
    load_points,
    modal_shapes,
    place_beam,
    place_mesh,
    place_modal,
)
from flexmb.system.mechanism import Mechanism, PlacedJoint

Where = Any  # name of a point, or three numbers


def frame_along(z: Any, x: Any = None) -> Floats:
    """Rotation matrix with the given z axis; x as given, or the world axis that is most nearly at right angles."""
    z = np.asarray(z, dtype=float)
    if x is None:
        nearest = int(np.argmin(np.round(np.abs(z), 6)))
        x = np.eye(3)[nearest]
    x = np.asarray(x, dtype=float)
    x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


class Placer:
    """Places the parts of a checked model, one kind after the other; beams without given shapes by `choices`."""

    def __init__(self, spec: ModelSpec, choices: Mapping[str, Choice] | None = None):
        self.spec = spec
        self.choices = choices or {}
        self.mechanism = Mechanism([], [], [])

    def place(self) -> Mechanism:
        """The mechanism of the model."""
        m = self.mechanism
        self._add_body("ground", ground())
        for name, body in self.spec.bodies.items():
            self._add_body(name, self._body(name, body))
        for name, marker in self.spec.markers.items():
            self._add_marker(f"ground.{name}", 0, marker)
        for body_name, body in self.spec.bodies.items():
            for name, marker in body.markers.items():
                self._add_marker(f"{body_name}.{name}", m.body_index[body_name], marker)
        for name, joint in self.spec.joints.items():
            m.joint_index[name] = len(m.joints)
            m.joints.append(self._joint(name, joint))
        for name, force in self.spec.forces.items():
            if isinstance(force, DistributedForce):
                m.distributed[name] = self._load_markers(name, force)
        return m

    def _point(self, where: Where) -> Floats:
        """World design position of a named point, or the numbers themselves."""
        return np.asarray(self.spec.points[where] if isinstance(where, str) else where, dtype=float)

    def _add_body(self, name: str, placed: RigidBody) -> None:
        m = self.mechanism
        m.body_index[name] = len(m.bodies)
        m.bodies.append(placed)
        number = len(m.bodies) - 1
        origin = self._append_marker(f"{name}.origin", number, np.zeros(3), np.eye(3))
        m.marker_index[name] = origin
        if isinstance(placed, FlexibleBody) and placed.basis is not None:
            m.marker_index[f"{name}.start"] = origin
            end = self._append_marker(f"{name}.end", number, np.array([placed.basis.length, 0.0, 0.0]), np.eye(3))
            m.beam_ends[name] = (origin, end)
        elif isinstance(placed, FlexibleBody) and placed.reduced is not None:
            for marker in placed.reduced.markers:
                self._append_marker(f"{name}.{marker.name}", number, marker.p_b, np.eye(3), placed.shapes_of(marker))

    def _append_marker(self, name: str, body: int, p_b: Floats, R_b: Floats, shapes: Any = None) -> int:
        """A new marker; on a beam it moves with its section."""
        m = self.mechanism
        placed = m.bodies[body]
        if shapes is None and isinstance(placed, FlexibleBody) and placed.basis is not None:
            shapes = placed.shapes_at(p_b)
        m.marker_index[name] = len(m.markers)
        m.markers.append(Marker(name, body, p_b, R_b, shapes))
        return len(m.markers) - 1

    def _body(self, name: str, body: Any) -> RigidBody:
        if isinstance(body, BeamBody):
            p_wb, R_wb, _ = self._along(body.beam, body.y_axis)
            return place_beam(self.spec, name, body, R_wb, p_wb, self.choices.get(name))
        if isinstance(body, ModalBody):
            return place_modal(name, body, np.asarray(body.orientation, dtype=float), self._point(body.at))
        if isinstance(body, MeshBody):
            return place_mesh(name, body, np.asarray(body.orientation, dtype=float), self._point(body.at))
        if body.rod is not None:
            p_wb, R_wb, length = self._along(body.rod)
            center = np.array([0.5 * length, 0.0, 0.0])
            inertia = slender_rod_inertia(body.mass, length)
        else:
            R_wb = np.asarray(body.orientation, dtype=float)
            p_wb = self._point(body.at)
            center = self._body_coordinates(body.center, R_wb, p_wb)
            inertia = np.zeros((3, 3)) if body.inertia is None else np.asarray(body.inertia, dtype=float)
        rotor = np.zeros(3) if body.rotor is None else np.asarray(body.rotor, dtype=float)
        return RigidBody(
            name,
            body.mass,
            body.mass * center,
            inertia_about_origin(body.mass, center, inertia),
            rotor,
            R_wb,
            p_wb,
            _maybe(body.velocity),
            _maybe(body.angular_velocity),
        )

    def _along(self, ends: Any, y_axis: Any = None) -> tuple[Floats, Floats, float]:
        """Origin, orientation (x towards the second end) and length of a rod or beam."""
        start, end = (self._point(where) for where in ends)
        length = float(np.linalg.norm(end - start))
        along = (end - start) / length
        side = frame_along(along, y_axis)
        return start, np.column_stack([along, side[:, 0], side[:, 1]]), length

    def _body_coordinates(self, where: Where, R_wb: Floats, p_wb: Floats) -> Floats:
        """Numbers are body coordinates; a point name is a world position."""
        if isinstance(where, str):
            return R_wb.T @ (self._point(where) - p_wb)
        return np.asarray(where, dtype=float)

    def _add_marker(self, name: str, body: int, marker: Any) -> None:
        placed = self.mechanism.bodies[body]
        p_b = self._body_coordinates(marker.at, placed.R_wb, placed.p_wb)
        if isinstance(placed, FlexibleBody) and getattr(marker, "along", None) is not None:
            p_b = np.array([marker.along * placed.length, 0.0, 0.0])
        if marker.axis is not None:
            R_b = placed.R_wb.T @ frame_along(marker.axis)
        else:
            R_b = np.eye(3) if marker.orientation is None else np.asarray(marker.orientation, dtype=float)
        self._append_marker(name, body, p_b, R_b, modal_shapes(marker) if isinstance(marker, ModalMarker) else None)

    def _load_markers(self, name: str, force: DistributedForce) -> list[tuple[int, float]]:
        """New markers at the Gauss points of a distributed force, with the length [m] that each represents."""
        number = self.mechanism.body_index[force.body]
        beam = self.mechanism.bodies[number]
        assert isinstance(beam, FlexibleBody) and beam.basis is not None
        points = load_points(beam.basis, force.start, beam.length if force.to is None else force.to)
        return [
            (self._append_marker(f"{force.body}.{name} #{i}", number, np.array([x, 0.0, 0.0]), np.eye(3)), weight)
            for i, (x, weight) in enumerate(points, start=1)
        ]

    def _joint(self, name: str, joint: Any) -> PlacedJoint:
        m = self.mechanism
        if joint.markers is not None:
            first, second = (m.marker_index[reference] for reference in joint.markers)
        else:
            first, second = self._joint_markers(name, joint)
        return PlacedJoint(
            name, joint.kind, first, second, self._parameters(joint, first, second), joint.position, joint.velocity
        )

    def _joint_markers(self, name: str, joint: Any) -> tuple[int, int]:
        """New markers on both bodies for a joint that is placed by a point and directions."""
        m = self.mechanism
        bodies = [m.body_index[body] for body in joint.bodies]
        origin = m.bodies[bodies[1]].p_wb
        if joint.kind.at == "pair":
            places = [self._point(where) for where in joint.at]
        else:
            places = [origin if joint.at is None else self._point(joint.at)] * 2
        frames = [_joint_frame(joint)] * 2
        if joint.kind.at == "first":
            places[1] = origin
            frames = [frame_along(joint.normal), frame_along(joint.axis)]
        markers = []
        for body, place, frame in zip(bodies, places, frames, strict=True):
            placed = m.bodies[body]
            p_b, R_b = placed.R_wb.T @ (place - placed.p_wb), placed.R_wb.T @ frame
            marker = f"{placed.name}.{name}"
            if marker in m.marker_index:  # the user's own
                marker += " (joint)"
            markers.append(self._append_marker(marker, body, p_b, R_b, _shapes_there(placed, p_b)))
        return markers[0], markers[1]

    def _parameters(self, joint: Any, first: int, second: int) -> tuple[float, ...]:
        """Numbers that the joint's kernels read: screw advance per radian, rod length, disc radius."""
        found = []
        for key in joint.kind.parameters:
            value = getattr(joint, key)
            if value is None:  # a length: that of the design position
                (_, p_first), (_, p_second) = self.mechanism.world_pose(first), self.mechanism.world_pose(second)
                value = float(np.linalg.norm(p_second - p_first))
            found.append(value / (2.0 * math.pi) if key == "lead" else value)
        return tuple(found)


def _joint_frame(joint: Any) -> Floats:
    """Orientation of the joint frame in the design position: z = axis or line, x = slot; or x, y = axes."""
    if joint.axes is not None:
        x, y = (np.asarray(axis, dtype=float) for axis in joint.axes)
        y = y - (x @ y) * x
        y = y / np.linalg.norm(y)
        return np.column_stack([x, y, np.cross(x, y)])
    z = joint.axis if joint.line is None else joint.line
    return np.eye(3) if z is None else frame_along(z, joint.slot)


def _chord_faults(spec: ModelSpec, mechanism: Mechanism) -> list[Fault]:
    """Chords without a length, from which no deflection can be measured."""
    faults = []
    for name, sensor in spec.sensors.items():
        if sensor.chord is None:
            continue
        first, second = (mechanism.markers[mechanism.marker_index[end]] for end in sensor.chord)
        body = mechanism.bodies[first.body]
        assert isinstance(body, FlexibleBody)
        if np.linalg.norm(second.p_b - first.p_b) <= 1e-9 * body.length:
            text = f"sensor '{name}': the two ends of the chord are at the same place."
            faults.append(Fault(text, ("sensors", name, "chord")))
    return faults


def _shapes_there(placed: RigidBody, p_b: Floats) -> Any:
    """Shapes of a point of a body file, which is fixed to the marker there; None for other bodies."""
    return placed.shapes_at(p_b) if isinstance(placed, FlexibleBody) and placed.reduced is not None else None


def _maybe(values: Any) -> Floats | None:
    return None if values is None else np.asarray(values, dtype=float)


def place(spec: ModelSpec) -> Mechanism:
    """Place every part of a checked model."""
    choices: dict[str, Choice] = {}
    if any(isinstance(body, BeamBody) and body.shapes.family == AUTO for body in spec.bodies.values()):
        choices = chosen_shapes(spec, Placer(spec).place())
    mechanism = Placer(spec, choices).place()
    mechanism.couplings = place_couplings(spec, mechanism)
    if faults := [*support_faults(spec, mechanism), *_chord_faults(spec, mechanism)]:
        raise InputError(faults)
    return mechanism
