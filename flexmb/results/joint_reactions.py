"""Reactions of all joints of a result, in joint axes and in world axes, on either body.

A result holds the force F and the moment N that every joint, branch or chord, exerts on its second body at the second
marker, in axes of the first marker, without efforts along its free motions (drives, springs, actuators). Here they are
rotated by the orientation of the first marker, which moves with a flexible body:

    F_w = R_w1 F,   N_w = R_w1 N,   R_w1 = R_wb (deformation) R_b

On the first body act -F and, at the place of the second marker, -N.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.orientation import rotations
from flexmb.bodies.skin import marker_motion
from flexmb.errors import Fault, InputError
from flexmb.model.model import Model
from flexmb.results.model_of_result import model_of
from flexmb.results.result_file import Result
from flexmb.suggestions import did_you_mean
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place


@dataclass(frozen=True)
class JointReaction:
    """Force and moment of a joint on its second body at the joint's marker there, at every row of a result."""

    joint: str
    first: str
    """Body that exerts it."""
    second: str
    """Body on which it acts."""
    force: Floats
    """(r, 3) [N] axes of the first marker"""
    moment: Floats
    """(r, 3) [N*m] axes of the first marker"""
    force_world: Floats
    """(r, 3) [N] world axes"""
    moment_world: Floats
    """(r, 3) [N*m] world axes"""
    position: Floats
    """(r, 3) point of action: the second marker, world axes [m]"""

    def moment_about(self, point: Floats) -> Floats:
        """(r, 3) [N*m] about a point (3,) or a path (r, 3), world axes."""
        return np.asarray(self.moment_world + np.cross(self.position - point, self.force_world))


def joint_reactions(
    result: Result,
    joints: Iterable[str] | None = None,
    *,
    model: Model | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> dict[str, JointReaction]:
    """Reactions of the named joints (default: all) by name, in the order of the model.

    `model`: the model of the run, if loaded; `folder`: another folder to search for body files.
    """
    spec = (model_of(result, folder) if model is None else model).spec
    mechanism = place(spec)
    known = [joint.name for joint in mechanism.joints]
    names = known if joints is None else list(joints)
    for name in names:
        if name not in known:
            raise InputError(f"There is no joint '{name}'. {did_you_mean(name, known)}")
    if names and f"joints/{names[0]}/force" not in result.channels:
        text = f"the result '{result.path.name}' has no reactions: its model switches them off."
        raise InputError([Fault(text, ("output", "reactions"), "Run it again with reactions = true.")])
    poses = MarkerPoses(result, mechanism, spec.base)
    found = {}
    for joint in mechanism.joints:
        if joint.name not in names:
            continue
        R = poses.of(joint.first)[1]
        force, moment = (result[f"joints/{joint.name}/{quantity}"] for quantity in ("force", "moment"))
        first, second = (mechanism.bodies[mechanism.markers[end].body].name for end in (joint.first, joint.second))
        in_world = [np.einsum("rij,rj->ri", R, vector) for vector in (force, moment)]
        at = poses.of(joint.second)[0]
        found[joint.name] = JointReaction(joint.name, first, second, force, moment, in_world[0], in_world[1], at)
    return found


class MarkerPoses:
    """Positions and orientations of the markers of a mechanism at every row of a result, world axes."""

    def __init__(self, result: Result, mechanism: Mechanism, base: Any = None):
        self.result, self.mechanism, self.base = result, mechanism, base

    def of(self, number: int) -> tuple[Floats, Floats]:
        """Position (r, 3) [m] and orientation (r, 3, 3) of a marker."""
        marker = self.mechanism.markers[number]
        body = self.mechanism.bodies[marker.body]
        position, R_wb = self._body(marker.body)
        u, R = np.zeros((len(position), 3)), np.broadcast_to(np.eye(3), R_wb.shape)
        if isinstance(body, FlexibleBody) and body.n_modes:
            q = self.result[f"bodies/{body.name}/elastic_position"].reshape(len(position), body.n_modes)
            u, R = marker_motion(body, marker, q)
        place = position + np.einsum("rij,rj->ri", R_wb, marker.p_b + u)
        return np.asarray(place), np.asarray(R_wb @ R @ marker.R_b)

    def _body(self, number: int) -> tuple[Floats, Floats]:
        """Position (r, 3) and orientation (r, 3, 3) of a body; the ground may turn about an axis through its origin."""
        if number:
            name = self.mechanism.bodies[number].name
            turn = self.result[f"bodies/{name}/quaternion"]
            return self.result[f"bodies/{name}/position"], rotations(turn / np.linalg.norm(turn, axis=1)[:, None])
        time = self.result.time
        turn = np.tile([1.0, 0.0, 0.0, 0.0], (len(time), 1))
        if self.base is not None and self.base.rotation is not None:
            half = 0.5 * np.array([self.base.rotation.angle(t) for t in time])
            turn = np.column_stack([np.cos(half), np.outer(np.sin(half), self.base.rotation.axis)])
        return np.zeros((len(time), 3)), rotations(turn)
