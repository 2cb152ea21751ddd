"""Motion subspaces of the joints in NumPy, at many instants: relative motions that a joint leaves free.

In: relative pose of a joint's two markers and rates of its coordinates. Out, in axes of the first marker: columns S_w,
S_v (angular velocity and velocity of the second marker per unit rate) and the biases:
    w_rel = S_w q',  v_rel = S_v q',  al_rel = S_w q'' + b_w,  a_rel = S_v q'' + b_v           (theory 6)
Written from the elementary motions of the joint table, without the compiled kernels.
Numbers are SI.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.orientation import rotations
from flexmb.system.mechanism import PlacedJoint


@dataclass(frozen=True)
class Subspace:
    """Free motions of a joint at r instants; n coordinates, axes of the first marker."""

    S_w: Floats
    """(r, n, 3)"""
    S_v: Floats
    """(r, n, 3)"""
    bias_w: Floats
    """(r, 3)"""
    bias_v: Floats
    """(r, 3)"""
    effort: Floats
    """(r, n, 6) force and moment on the second body of a unit effort on every coordinate: S (S^T S)^-1"""

    @property
    def columns(self) -> Floats:
        """(r, n, 6) velocity and angular velocity of the second marker, to which a force and moment there are dual"""
        return np.concatenate([self.S_v, self.S_w], axis=2)


def subspace(joint: PlacedJoint, R: Floats, position: Floats, rates: Floats) -> Subspace:
    """Subspace of a joint; R : (r, 3, 3) second marker in the first, position : (r, n_q), rates : (r, n)."""
    r, n = len(R), joint.type.n_v
    S_w, S_v, bias_w, bias_v = np.zeros((r, n, 3)), np.zeros((r, n, 3)), np.zeros((r, 3)), np.zeros((r, 3))
    work = np.zeros((r, n, 3))  # part of S_v through which an effort acts
    axes = np.swapaxes(R, 1, 2)  # row k: axis k of the second marker
    turned = -1
    k = 0
    for motion in joint.type.motions:
        unit = np.eye(3)[motion.axis]
        if motion.type == "slide":
            S_v[:, k] = work[:, k] = unit
        elif motion.type == "screw":  # an effort on it is a torque
            S_w[:, k], S_v[:, k] = unit, joint.parameters[0] * unit
        elif motion.type == "ball":
            S_w[:, k : k + 3] = axes
        elif motion.type == "rod":
            length, rod = joint.parameters[0], rotations(position[:, :4])
            S_v[:, k : k + 2] = work[:, k : k + 2] = np.stack([-length * rod[:, :, 2], length * rod[:, :, 1]], axis=1)
            bias_v = -np.sum(rates[:, k : k + 2] ** 2, axis=1)[:, None] * length * rod[:, :, 0]
        elif turned < 0:
            S_w[:, k], turned = unit, k
        else:  # a second turn, about an axis of the second marker
            S_w[:, k] = axes[:, motion.axis]
            bias_w = (rates[:, turned] * rates[:, k])[:, None] * np.cross(S_w[:, turned], S_w[:, k])
        k += len(motion.names)
    S = np.concatenate([work, S_w], axis=2)
    effort = np.linalg.solve(S @ np.swapaxes(S, 1, 2), S) if n else S
    return Subspace(S_w, S_v, bias_w, bias_v, effort)
