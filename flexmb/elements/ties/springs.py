"""Springs of a deck between nodes: stiffness, and the second derivatives of their force.

A spring acts between both nodes at one point p, which they reach by rigid arms r. With axes that turn with the first
node its elongations are, to second order in the motions of a and b,
    d = u_b + th_b x r_b - u_a - th_a x r_a,  e = d + (th_b x (th_b x r_b) - th_a x (th_a x r_a))/2 - th_a x d
    f = th_b - th_a - (th_a x th_b)/2         (rotation from a to b),
so that a rigid motion has no energy. A node without rotations does not turn: a spring whose arms need them, and one
that resists a rigid motion, cannot be used. Energy 1/2 e k e gives K = B^T k B and
    F_kl = B^T k Q_kl + Q_k^T k B_l + Q_l^T k B_k,  B and Q the derivatives of (e, f).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.ties.tie_rows import Places, skew
from flexmb.mesh.deck import GROUND, ScalarSpring, Spring

_RESISTS = 1e-8
_UNIT = np.eye(3)
_CROSS = np.array([skew(axis) for axis in _UNIT]).transpose(1, 0, 2)
"""(3, 3, 3) with (a x b)_i = CROSS_ijk a_j b_k"""


@dataclass(frozen=True)
class SpringForces:
    """A spring as an element of twelve unknowns: displacement and rotation of a, then of b."""

    unknowns: Integers
    """(12,) of the model; -1: the node has no rotations"""
    B: Floats
    """(6, 12)"""
    Q: Floats
    """(6, 12, 12) symmetric"""
    k: Floats
    """(6,) [N/m, N m/rad]"""

    @property
    def K(self) -> Floats:
        """(12, 12) stiffness"""
        return np.asarray(self.B.T @ (self.k[:, None] * self.B))

    def add_second(self, U: Floats, pairs: Integers, forces: Floats) -> None:
        """forces (3 b, p) += second derivatives of the force along pairs of U : (3 b, m)"""
        u = np.where((self.unknowns >= 0)[:, None], U[np.maximum(self.unknowns, 0)], 0.0)
        first = self.k[:, None] * (self.B @ u)
        bent = np.einsum("ejk,km->ejm", self.Q, u)
        k, l = pairs.T
        both = np.einsum("ejp,jp->ep", bent[:, :, k], u[:, l])
        found = self.B.T @ (self.k[:, None] * both)
        found += np.einsum("ejp,ep->jp", bent[:, :, k], first[:, l]) + np.einsum(
            "ejp,ep->jp", bent[:, :, l], first[:, k]
        )
        own = self.unknowns >= 0
        np.add.at(forces, self.unknowns[own], found[own])


def spring_forces(spring: Spring | ScalarSpring, places: Places) -> SpringForces | str:
    """The element of a spring, or the reason why it cannot be used."""
    a, b = spring.nodes
    if GROUND in (a, b):
        return "it is held by the ground, and the body is free: add it to the model as a force"
    if isinstance(spring, ScalarSpring):
        first, second = spring.components
        if first != second:
            return "it couples different components"
        axes = places.axes.get(a, _UNIT)
        if not np.allclose(axes, places.axes.get(b, _UNIT)):
            return "its nodes have different systems"
        k = np.zeros(6)
        k[first - 1] = spring.stiffness
        point = places.points[a]
    else:
        axes, k, point = np.array(spring.axes), np.array(spring.stiffness), np.array(spring.point)
    found = _element(places, (a, b), axes, k, point)
    fixed = [node for node in (a, b) if places.rotation[node] < 0 and np.linalg.norm(places.points[node] - point) > 0.0]
    arms = [places.points[node] - point for node in (a, b)]
    size = max(
        float(np.linalg.norm(places.points[b] - places.points[a])),
        *(float(np.linalg.norm(arm)) for arm in arms),
        1e-300,
    )
    rigid = np.vstack(
        [part for arm in arms for part in (np.hstack([_UNIT, -skew(arm)]), np.hstack([0 * _UNIT, _UNIT]))]
    )
    rigid[found.unknowns < 0] = 0.0
    moved = np.abs(found.B @ rigid) * np.array([1.0, 1.0, 1.0, 1.0 / size, 1.0 / size, 1.0 / size])
    if k.any() and moved[k != 0.0].max() > _RESISTS:
        return "it resists a rotation of the whole body: its nodes are apart and have no rotations"
    return _axial(found, places, (a, b), axes) if fixed and k[:3].any() else found


def _axial(found: SpringForces, places: Places, nodes: tuple[int, int], axes: Floats) -> SpringForces:
    """A spring along the line between nodes without rotations: elongation n . d + |d across n|^2/(2 L)."""
    line = places.points[nodes[1]] - places.points[nodes[0]]
    length = float(np.linalg.norm(line))
    n = line / length
    B, Q = np.zeros((6, 12)), np.zeros((6, 12, 12))
    moved = np.hstack([-_UNIT, 0 * _UNIT, _UNIT, 0 * _UNIT])
    along = axes @ n  # components of the springs along the line: only these are not zero
    B[:3] = np.outer(along, n @ moved)
    Q[:3] = np.einsum("e,jk->ejk", along, moved.T @ (_UNIT - np.outer(n, n)) @ moved / length)
    return SpringForces(found.unknowns, B, Q, found.k)


def _element(places: Places, nodes: tuple[int, int], axes: Floats, k: Floats, point: Floats) -> SpringForces:
    B, Q = np.zeros((6, 12)), np.zeros((6, 12, 12))
    turn_a, turn_b = slice(3, 6), slice(9, 12)
    moved = np.zeros((3, 12))
    for node, sign, place in ((nodes[0], -1.0, 0), (nodes[1], 1.0, 6)):
        arm = point - places.points[node]
        moved[:, place : place + 3] = sign * _UNIT
        moved[:, place + 3 : place + 6] = -sign * skew(arm)
        # th x (th x r)/2: its second derivative by th_j, th_k is (d_ij r_k + d_ik r_j)/2 - d_jk r_i
        twice = 0.5 * (np.einsum("ij,k->ijk", _UNIT, arm) + np.einsum("ik,j->ijk", _UNIT, arm))
        twice -= np.einsum("jk,i->ijk", _UNIT, arm)
        rows = slice(place + 3, place + 6)
        Q[:3, rows, rows] += sign * twice
    product = np.einsum("ijk,kn->ijn", _CROSS, moved)
    Q[:3, turn_a, :] -= product
    Q[:3, :, turn_a] -= product.transpose(0, 2, 1)
    Q[3:, turn_a, turn_b] -= 0.5 * _CROSS
    Q[3:, turn_b, turn_a] -= 0.5 * _CROSS.transpose(0, 2, 1)
    B[:3], B[3:, turn_a], B[3:, turn_b] = moved, -_UNIT, _UNIT
    turn = np.kron(np.eye(2), axes)
    blocks = [nodes[0], int(places.rotation[nodes[0]]), nodes[1], int(places.rotation[nodes[1]])]
    unknowns = np.concatenate([3 * block + np.arange(3) if block >= 0 else np.full(3, -1) for block in blocks])
    return SpringForces(unknowns, turn @ B, np.einsum("ef,fjk->ejk", turn, Q), k)
