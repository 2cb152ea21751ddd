"""The frame that deflection is measured from, so that exaggerated pictures keep their joints closed.

Input: positions of the joints of a body, undeformed (X_j) and at every instant in body axes (r_j). Output: the axes of
the drawn part and the carried field w. At scale s a point X is drawn at frame(X + w + s u), with u = 0 at all joints:
    no joint      the body frame itself
    one joint     the frame of its marker
    more joints   the undeformed body moved so that the two joints farthest apart (the chord) lie on their line, the
                  first of them in place: the smallest rotation R that takes X_2 - X_1 to the direction of r_2 - r_1.
                  The remaining errors of the joints, d_j = R' (r_j - r_1) - (X_j - X_1), are spread over the body
                  by w = sum N_j(X) d_j
N_j is 1 at joint j and 0 at the others: the affine function of least slope as far as one fits (along the chord of two
joints the part of it that lies before X), and the remainder by distances |X - X_j|.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers

Rows = slice | Integers
_SAME = 1e-6
"""Distance of joints, as a part of the size of the body, below which they count as one."""
_NOTHING = 1e-12
"""Carried displacement, as a part of the size, that is neglected."""


@dataclass(frozen=True)
class ChordFrame:
    """Axes of a drawn body relative to its body frame at r instants, and its carried displacements."""

    origin: Floats
    """(3,) undeformed point, body axes [m], that comes to `place`"""
    place: Floats
    """(r, 3) body axes [m]"""
    R: Floats
    """(r, 3, 3) from part axes to body axes"""
    joints: Floats
    """(J, 3) undeformed joints, body axes [m]"""
    offsets: Floats
    """(r, J, 3) d_j, part axes [m]"""

    def spread(self, points: Floats) -> Floats:
        """(s, J) N_j at the points"""
        return interpolation(self.joints, points)

    def deflections(self, points: Floats, moved: Floats, rows: Rows = slice(None)) -> Floats:
        """(r, s, 3) u at the instants `rows`, part axes, from displacements moved : (r, s, 3) in the body frame."""
        R, place, offsets = self.R[rows], self.place[rows], self.offsets[rows]
        local = np.einsum("rji,rsj->rsi", R, points + moved - place[:, None]) - (points - self.origin)
        return local - np.einsum("sj,rji->rsi", self.spread(points), offsets)

    def poses(self, position: Floats, R_wb: Floats) -> tuple[Floats, Floats]:
        """World position (r, 3) and rotation (r, 3, 3) of the part axes, whose origin is that of the body axes."""
        R = R_wb @ self.R
        at = position + np.einsum("rij,rj->ri", R_wb, self.place) - np.einsum("rij,j->ri", R, self.origin)
        return at, R

    def carried_shapes(self, points: Floats, size: float) -> tuple[Floats, Floats]:
        """Shapes (c, s, 3) and amplitudes (r, c) [m] of w."""
        flat = self.offsets.reshape(len(self.offsets), -1)
        if not flat.size or np.abs(flat).max() <= _NOTHING * size:
            return np.zeros((0, len(points), 3)), np.zeros((len(flat), 0))
        left, values, right = np.linalg.svd(flat, full_matrices=False)
        count = int(np.sum(values > 1e-9 * values[0]))
        vectors = right[:count].reshape(count, -1, 3)
        shapes = np.einsum("sj,cji->csi", self.spread(points), vectors)
        largest = np.linalg.norm(shapes, axis=2).max(axis=1)
        return shapes / largest[:, None, None], left[:, :count] * values[:count] * largest


def chord_frame(joints: Floats, places: Floats, turns: Floats, size: float) -> ChordFrame:
    """The frame of a body whose joints are at joints : (J, 3) and move to places : (r, J, 3), turning by
    turns : (r, J, 3, 3); `size` is that of the body [m]."""
    rows = places.shape[0]
    keep = _distinct(joints, size)
    joints, places, turns = joints[keep], places[:, keep], turns[:, keep]
    none = np.zeros((0, 3))
    if not len(joints):
        still = np.broadcast_to(np.eye(3), (rows, 3, 3))
        return ChordFrame(np.zeros(3), np.zeros((rows, 3)), still, none, np.zeros((rows, 0, 3)))
    if len(joints) == 1:
        return ChordFrame(joints[0], places[:, 0], turns[:, 0], none, np.zeros((rows, 0, 3)))
    distances = np.linalg.norm(joints[:, None] - joints[None], axis=2)
    first, second = np.unravel_index(int(np.argmax(distances)), distances.shape)
    R = smallest_rotations(joints[second] - joints[first], places[:, second] - places[:, first])
    away = np.einsum("rij,rki->rkj", R, places - places[:, first, None])
    offsets = away - (joints - joints[first])
    return ChordFrame(joints[first], places[:, first], R, joints, offsets)


def _distinct(joints: Floats, size: float) -> list[int]:
    """Indices of the joints at distinct places."""
    kept: list[int] = []
    for number, joint in enumerate(joints):
        if all(np.linalg.norm(joint - joints[other]) > _SAME * size for other in kept):
            kept.append(number)
    return kept


def smallest_rotations(a: Floats, b: Floats) -> Floats:
    """(r, 3, 3) smallest rotations that take the direction a : (3,) to the directions b : (r, 3)."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b, axis=1, keepdims=True)
    cosine, axis = b @ a, np.cross(a, b)
    cross = -np.cross(axis[:, None, :], np.eye(3))
    # half a turn has no unique axis, but a chord that turns over in its own frame cannot be drawn sensibly anyway
    factor = 1.0 / np.maximum(1.0 + cosine, 1e-12)
    return np.eye(3) + cross + factor[:, None, None] * (cross @ cross)


def interpolation(joints: Floats, points: Floats) -> Floats:
    """(s, J) functions N_j at the points, with N_j = 1 at joint j and 0 at the others."""
    if not len(joints):
        return np.zeros((len(points), 0))
    middle = joints.mean(axis=0)
    scale = np.abs(joints - middle).max() or 1.0

    def affine(at: Floats) -> Floats:
        return np.concatenate([np.ones((len(at), 1)), (at - middle) / scale], axis=1)

    fit = np.linalg.pinv(affine(joints), rcond=1e-6)
    plain = affine(points) @ fit
    left = np.eye(len(joints)) - affine(joints) @ fit
    if np.abs(left).max() < 1e-9:
        return plain
    kernel = np.linalg.norm(joints[:, None] - joints[None], axis=2)
    reach = np.linalg.norm(points[:, None] - joints[None], axis=2)
    return plain + reach @ np.linalg.lstsq(kernel, left, rcond=None)[0]
