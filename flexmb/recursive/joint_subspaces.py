"""Motion subspaces of the joints in NumPy, at many instants: which relative motions a joint leaves free.

The relative pose of a joint's two markers and the rates of its coordinates enter; in axes of the first marker the
columns S_w, S_v (angular velocity and velocity of the second marker per unit rate) and the biases leave:
    w_rel = S_w q',  v_rel = S_v q',  al_rel = S_w q'' + b_w,  a_rel = S_v q'' + b_v           (theory 6)
Written from the definitions of the joints, without the compiled kernels.
Numbers are SI.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.orientation import rotations
from flexmb.system.mechanism import PlacedJoint

X, Y, Z = np.eye(3)
FIXED_COLUMNS: dict[str, tuple[list[Floats], list[Floats]]] = {
    "fixed": ([], []),
    "revolute": ([Z], [0 * Z]),
    "prismatic": ([0 * Z], [Z]),
    "cylindrical": ([0 * Z, Z], [Z, 0 * Z]),
    "planar": ([0 * Z, 0 * Z, Z], [X, Y, 0 * Z]),
    "pin-in-slot": ([0 * Z, Z], [X, 0 * Z]),
}
"""Angular and linear columns of the joints whose subspace does not change in the first marker."""
SLIDES = {"spherical": (), "point-on-line": (Z,), "free": (X, Y, Z)}
"""Linear columns of joints that turn freely: three rates of the second marker's own axes follow them."""


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
        """(r, n, 6) that a force and moment at the second marker work on"""
        return np.concatenate([self.S_v, self.S_w], axis=2)


def subspace(joint: PlacedJoint, R: Floats, position: Floats, rates: Floats) -> Subspace:
    """Subspace of a joint; R : (r, 3, 3) second marker in the first, position : (r, n_q), rates : (r, n)."""
    kind, r = joint.type.name, len(R)
    bias_w, bias_v = np.zeros((r, 3)), np.zeros((r, 3))
    axes = np.swapaxes(R, 1, 2)  # row k: axis k of the second marker
    if kind in FIXED_COLUMNS:
        S_w, S_v = (_spread(columns, r) for columns in FIXED_COLUMNS[kind])
    elif kind == "screw":
        S_w, S_v = _spread([Z], r), _spread([joint.parameters[0] * Z], r)
    elif kind == "universal":
        S_w, S_v = np.stack([np.tile(X, (r, 1)), axes[:, 1]], axis=1), np.zeros((r, 2, 3))
        bias_w = (rates[:, 0] * rates[:, 1])[:, None] * np.cross(X, axes[:, 1])
    elif kind in SLIDES:
        slides = _spread(list(SLIDES[kind]), r)
        S_w = np.concatenate([0.0 * slides, axes], axis=1)
        S_v = np.concatenate([slides, np.zeros((r, 3, 3))], axis=1)
    else:
        assert kind == "distance"
        length, rod = joint.parameters[0], rotations(position[:, :4])
        swings = np.stack([-length * rod[:, :, 2], length * rod[:, :, 1]], axis=1)
        S_v = np.concatenate([swings, np.zeros((r, 3, 3))], axis=1)
        S_w = np.concatenate([0.0 * swings, axes], axis=1)
        bias_v = -np.sum(rates[:, :2] ** 2, axis=1)[:, None] * length * rod[:, :, 0]
    turning = 0.0 * S_v if kind == "screw" else S_v  # an effort on a screw is a torque
    S = np.concatenate([turning, S_w], axis=2)
    effort = np.linalg.solve(S @ np.swapaxes(S, 1, 2), S) if S.shape[1] else S
    return Subspace(S_w, S_v, bias_w, bias_v, effort)


def _spread(columns: list[Floats], r: int) -> Floats:
    """(r, n, 3) of constant columns"""
    return np.tile(np.array(columns).reshape(1, -1, 3), (r, 1, 1))
