"""Accelerations of all bodies of a result in NumPy, from recorded poses, rates and joint accelerations, outwards.

For a joint between marker 1 (on the body that is known) and marker 2, d = p_2 - p_1, world axes (theory 6):
    al_2 = al_1 + w_1 x w_rel + R_1 (S_w q'' + b_w)
    a_2  = a_1 + al_1 x d + w_1 x (w_1 x d + 2 v_rel) + R_1 (S_v q'' + b_v)
and the same the other way round. A marker on a flexible body moves with it:
    w_P = w + Om q',  al_P = al + Om q'' + w x Om q' + gam_w,
    a_P = a + al x r + w x (w x r + 2 Psi q') + Psi q'' + gam_r.
Written without the compiled kernels, as an independent check. The ground does not move here.
Numbers are SI; elastic coordinates are in m (torsion: rad).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.exact_beam import ExactBeam
from flexmb.bodies.exact_motion import BodyMotion, ExactMotion
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.marker import Marker
from flexmb.bodies.marker_shapes import MarkerShapes, exponential
from flexmb.bodies.orientation import rotations
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.recursive.joint_subspaces import Subspace, subspace
from flexmb.results.result_file import Result
from flexmb.system.mechanism import PlacedJoint
from flexmb.system.placement import place
from flexmb.system.topology import topology


def turned(R: Floats, vectors: Floats) -> Floats:
    """R v : (r, 3), or (r, n, 3) for n vectors each"""
    return np.asarray(np.einsum("rij,rj->ri" if vectors.ndim == 2 else "rij,rnj->rni", R, vectors))


@dataclass(frozen=True)
class FrameMotion:
    """A frame at r instants, world axes."""

    p: Floats
    """(r, 3) [m]"""
    R: Floats
    """(r, 3, 3)"""
    w: Floats
    """(r, 3) angular velocity [rad/s]"""
    al: Floats
    """(r, 3) angular acceleration [rad/s^2]"""
    a: Floats
    """(r, 3) acceleration of the origin [m/s^2]"""


@dataclass(frozen=True)
class Arm:
    """A marker relative to its body, body axes; n elastic coordinates."""

    r: Floats
    """(r, 3) position [m]"""
    R: Floats
    """(r, 3, 3) orientation"""
    psi: Floats
    """(r, n, 3)"""
    turn: Floats
    """(r, n, 3)"""
    bias_r: Floats
    """(r, 3) acceleration without that of the elastic coordinates [m/s^2]"""
    bias_w: Floats
    """(r, 3) angular acceleration, likewise [rad/s^2]"""


class RecordedMechanism:
    """Bodies and markers of a model at every row of a result."""

    def __init__(self, result: Result, spec: ModelSpec):
        self.result, self.spec = result, spec
        self.mechanism = place(spec)
        self.rows = len(result)
        self._arms: dict[int, Arm] = {}
        self._subspaces: dict[str, Subspace] = {}

    def elastic(self, number: int) -> tuple[Floats, Floats, Floats]:
        """(r, n) q, q', q'' of a body; n = 0 for a rigid one"""
        body = self.mechanism.bodies[number]
        if not isinstance(body, FlexibleBody) or not body.n_modes:
            return tuple(np.zeros((self.rows, 0)) for _ in range(3))  # type: ignore[return-value]
        q, v = (self.result[f"bodies/{body.name}/elastic_{k}"].reshape(self.rows, -1) for k in ("position", "velocity"))
        return q, v, self._accelerations([f"{body.name}.{label}" for label in body.labels])

    def _accelerations(self, names: list[str]) -> Floats:
        """(r, n) accelerations of tree coordinates by name"""
        info = self.result.channels["coordinates/a"]
        return self.result["coordinates/a"].reshape(self.rows, -1)[:, [info.columns.index(name) for name in names]]

    def joint(self, joint: PlacedJoint, quantity: str) -> Floats:
        """(r, n) position, velocity or acceleration of the coordinates of a joint"""
        if not joint.type.n_v:
            return np.zeros((self.rows, 0))
        return self.result[f"joints/{joint.name}/{quantity}"].reshape(self.rows, -1)

    def free_motions(self, joint: PlacedJoint) -> Subspace:
        """Free motions of a joint, axes of its first marker."""
        if joint.name not in self._subspaces:
            first, second = self.pose(joint.first)[1], self.pose(joint.second)[1]
            relative = np.swapaxes(first, 1, 2) @ second
            position, rates = self.joint(joint, "position"), self.joint(joint, "velocity")
            self._subspaces[joint.name] = subspace(joint, relative, position, rates)
        return self._subspaces[joint.name]

    def arm(self, number: int) -> Arm:
        """A marker relative to its body."""
        if number not in self._arms:
            marker = self.mechanism.markers[number]
            q, v, _ = self.elastic(marker.body)
            self._arms[number] = _arm(self.mechanism.bodies[marker.body], marker, q, v)
        return self._arms[number]

    def body_pose(self, number: int) -> tuple[Floats, Floats]:
        """Position (r, 3) [m] and orientation (r, 3, 3) of a body, world axes."""
        if not number:
            return np.zeros((self.rows, 3)), np.tile(np.eye(3), (self.rows, 1, 1))
        name = self.mechanism.bodies[number].name
        turn = self.result[f"bodies/{name}/quaternion"]
        return self.result[f"bodies/{name}/position"], rotations(turn / np.linalg.norm(turn, axis=1)[:, None])

    def pose(self, marker: int) -> tuple[Floats, Floats]:
        """Position (r, 3) [m] and orientation (r, 3, 3) of a marker, world axes."""
        p, R = self.body_pose(self.mechanism.markers[marker].body)
        arm = self.arm(marker)
        return p + turned(R, arm.r), R @ arm.R

    def omega(self, number: int) -> Floats:
        """(r, 3) angular velocity of a body, body axes"""
        if not number:
            return np.zeros((self.rows, 3))
        return self.result[f"bodies/{self.mechanism.bodies[number].name}/angular_velocity"]

    @cached_property
    def bodies(self) -> list[FrameMotion]:
        """Motion of every body, the ground first."""
        found: dict[int, FrameMotion] = {}
        p, R = self.body_pose(0)
        found[0] = FrameMotion(p, R, *(np.zeros((self.rows, 3)) for _ in range(3)))
        for branch in topology(self.spec, self.mechanism).branches:
            number = branch.body
            p, R = self.body_pose(number)
            w = turned(R, self.omega(number))
            if branch.joint is None:
                name = self.mechanism.bodies[number].name
                rates = self._accelerations([f"{name}.{c}" for c in ("x", "y", "z", "wx", "wy", "wz")])
                found[number] = FrameMotion(p, R, w, turned(R, rates[:, 3:]), rates[:, :3])
                continue
            joint = self.mechanism.joints[branch.joint]
            ends = (joint.second, joint.first) if branch.reversed else (joint.first, joint.second)
            known = self._marker(found[branch.parent], ends[0])
            al, a = self._across(joint, known, ends[1], branch.reversed)
            found[number] = self._carrier(number, ends[1], FrameMotion(p, R, w, al, a))
        return [found[number] for number in range(len(self.mechanism.bodies))]

    def _marker(self, body: FrameMotion, number: int) -> FrameMotion:
        """Motion of a marker from that of its body."""
        _, v, acceleration = self.elastic(self.mechanism.markers[number].body)
        arm = self.arm(number)
        p, R = self.pose(number)
        r, psi, turn = turned(body.R, arm.r), turned(body.R, arm.psi), turned(body.R, arm.turn)
        spin, speed = np.einsum("rni,rn->ri", turn, v), np.einsum("rni,rn->ri", psi, v)
        al = body.al + np.einsum("rni,rn->ri", turn, acceleration) + np.cross(body.w, spin) + turned(body.R, arm.bias_w)
        a = body.a + np.cross(body.al, r) + np.cross(body.w, np.cross(body.w, r) + 2.0 * speed)
        a = a + np.einsum("rni,rn->ri", psi, acceleration) + turned(body.R, arm.bias_r)
        return FrameMotion(p, R, body.w + spin, al, a)

    def _carrier(self, number: int, marker: int, frame: FrameMotion) -> FrameMotion:
        """Motion of a body from al, a of its marker (in `frame`, with the pose and angular velocity of the body)."""
        nothing = np.zeros((self.rows, 3))
        still = self._marker(FrameMotion(frame.p, frame.R, frame.w, nothing, nothing), marker)
        al = frame.al - still.al
        r = turned(frame.R, self.arm(marker).r)
        return FrameMotion(frame.p, frame.R, frame.w, al, frame.a - still.a - np.cross(al, r))

    def _across(self, joint: PlacedJoint, known: FrameMotion, marker: int, is_reversed: bool) -> tuple[Floats, Floats]:
        """al, a of the other marker of a joint."""
        S, rates, second = self.free_motions(joint), self.joint(joint, "velocity"), self.joint(joint, "acceleration")
        first = self.pose(joint.first)
        R, d = first[1], self.pose(joint.second)[0] - first[0]
        w_rel, v_rel = (turned(R, np.einsum("rni,rn->ri", column, rates)) for column in (S.S_w, S.S_v))
        al_rel = turned(R, np.einsum("rni,rn->ri", S.S_w, second) + S.bias_w)
        a_rel = turned(R, np.einsum("rni,rn->ri", S.S_v, second) + S.bias_v)
        w = known.w - w_rel if is_reversed else known.w  # of the first marker
        turning = np.cross(w, w_rel) + al_rel
        moving = np.cross(w, np.cross(w, d) + 2.0 * v_rel) + a_rel
        if is_reversed:
            al = known.al - turning
            return al, known.a - np.cross(al, d) - moving
        return known.al + turning, known.a + np.cross(known.al, d) + moving

    def inertia_wrench(self, number: int, gravity: Floats) -> Floats:
        """(r, 6) mass times (acceleration less gravity) of a body and its moment about the body origin, world axes"""
        body, frame = self.mechanism.bodies[number], self.bodies[number]
        back = np.swapaxes(frame.R, 1, 2)
        a, al, w = turned(back, frame.a - gravity), turned(back, frame.al), self.omega(number)
        q, v, acceleration = self.elastic(number)
        if q.shape[1]:
            assert isinstance(body, FlexibleBody)
            wrench = _flexible_wrench(body, q, v, acceleration, np.stack([a, al, w], axis=1))
        else:
            S, J = body.first_moment, body.inertia
            force = body.mass * a + np.cross(al, S) + np.cross(w, np.cross(w, S))
            moment = np.cross(S, a) + al @ J.T + np.cross(w, w @ J.T + body.rotor)
            wrench = np.concatenate([force, moment], axis=1)
        return np.concatenate([turned(frame.R, wrench[:, :3]), turned(frame.R, wrench[:, 3:])], axis=1)


def _flexible_wrench(body: FlexibleBody, q: Floats, v: Floats, acceleration: Floats, motion: Floats) -> Floats:
    """(r, 6) rigid rows of M y' + h; motion : (r, 3, 3) rows a less gravity, al, w, body axes"""
    found = np.zeros((len(q), 6))
    exact = ExactMotion(body.basis) if isinstance(body.field, ExactBeam) and body.basis is not None else None
    for k, (a, al, w) in enumerate(motion):
        if exact is not None:
            found[k] = exact.inertia_forces(BodyMotion(q[k], v[k], acceleration[k], a, al, w))[:6]
        else:
            field: Any = body.field
            y = np.concatenate([a, al, acceleration[k]])
            found[k] = (field.mass_matrix(q[k])[:6] @ y) + field.velocity_forces(q[k], v[k], w)[:6]
    return found


def _arm(body: Any, marker: Marker, q: Floats, v: Floats) -> Arm:
    r, n = q.shape
    if not n or marker.shapes is None:
        nothing, columns = np.zeros((r, 3)), np.zeros((r, n, 3))
        pose = np.tile(marker.p_b, (r, 1)), np.tile(marker.R_b, (r, 1, 1))
        return Arm(*pose, columns, columns, nothing, nothing)
    if isinstance(marker.shapes, MarkerShapes):
        return _quadratic_arm(marker, marker.shapes, q, v)
    field = ExactMotion(body.basis)
    places = field.points(marker.p_b[None])
    at = [field.motion(places, *state) for state in zip(q, v, strict=True)]
    names = ("r", "R", "psi", "turn", "bias_r", "bias_omega")
    parts = {name: np.array([getattr(one, name)[0] for one in at]) for name in names}
    return Arm(parts["r"], parts["R"] @ marker.R_b, *(parts[name] for name in names[2:]))


def _quadratic_arm(marker: Marker, shapes: MarkerShapes, q: Floats, v: Floats) -> Arm:
    """r = r0 + Phi q + 1/2 q G q, theta = Theta q + 1/2 q Gamma q, R = exp(~theta) R0; w = T(theta) theta'."""
    used = float(shapes.order > 1)
    psi = shapes.Phi + used * np.einsum("rl,kli->rki", q, shapes.G)
    slope = shapes.Theta + used * np.einsum("rl,kli->rki", q, shapes.Gamma)
    position = marker.p_b + 0.5 * np.einsum("rk,rki->ri", q, shapes.Phi + psi)
    theta = 0.5 * np.einsum("rk,rki->ri", q, shapes.Theta + slope)
    rate = np.einsum("rk,rki->ri", v, slope)
    bias_r = used * np.einsum("rk,rl,kli->ri", v, v, shapes.G)
    second = used * np.einsum("rk,rl,kli->ri", v, v, shapes.Gamma)
    T = _tangent(theta)
    h = 1e-4 / max(float(np.abs(rate).max()), 1e-300)  # T' theta' by differences: an error of 1e-8 of a small term
    change = (_tangent(theta + h * rate) - _tangent(theta - h * rate)) / (2.0 * h)
    turn = turned(T, slope)
    return Arm(position, exponential(theta) @ marker.R_b, psi, turn, bias_r, turned(T, second) + turned(change, rate))


def _tangent(theta: Floats) -> Floats:
    """(r, 3, 3) T = 1 + (1 - cos t)/t^2 ~theta + (t - sin t)/t^3 ~theta^2: the angular velocity of exp(~theta) is
    T theta'"""
    t = np.linalg.norm(theta, axis=1)[:, None, None]
    cross = -np.cross(theta[:, None, :], np.eye(3))
    b = 0.5 * np.sinc(0.5 * t / np.pi) ** 2
    series = 1.0 / 6.0 - t**2 / 120.0 + t**4 / 5040.0
    c = np.where(t > 0.05, (t - np.sin(t)) / np.where(t > 0.05, t, 1.0) ** 3, series)
    return np.asarray(np.eye(3) + b * cross + c * cross @ cross)
