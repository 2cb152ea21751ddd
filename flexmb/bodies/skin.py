"""Motion of many points of a flexible body with its elastic coordinates, at many instants: for pictures and fields.

    linear, quadratic field   u_i = sum_k Phi_ik q_k + 1/2 sum_kl G_ikl q_k q_l
    exact field of a beam     the section of a point moves as in `exact_motion`, and the point with it

Everything is in body axes and relative to the body frame; instants come as rows of q : (r, n).
Numbers are SI; elastic coordinates are in m (torsion: rad).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats, Integers
from flexmb.bodies.exact_beam import ExactBeam, ExactShapes
from flexmb.bodies.exact_motion import ExactMotion
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.marker import Marker
from flexmb.bodies.marker_shapes import MarkerShapes, exponential
from flexmb.bodies.quadratic_beam import quadratic_shapes
from flexmb.bodies.reduced_body import Surface

Numbers = Integers | slice
ALL = slice(None)


class Skin(Protocol):
    """Points that move with a body."""

    @property
    def points(self) -> Floats:
        """(s, 3) undeformed [m]"""

    def displacements(self, q: Floats, which: Numbers = ALL) -> Floats:
        """(r, p, 3) of the points `which` [m]"""


@dataclass(frozen=True)
class PolynomialSkin:
    """Points of a linear or quadratic field; n elastic coordinates."""

    points: Floats
    """(s, 3) undeformed [m]"""
    Phi: Floats
    """(s, n, 3) displacement per unit coordinate"""
    G: NDArray[np.floating] | None = None
    """(s, n (n + 1)/2, 3) second derivatives, pairs (k, l <= k) row by row; None: linear"""

    def displacements(self, q: Floats, which: Numbers = ALL) -> Floats:
        """(r, p, 3) of the points `which` [m]; q : (r, n) elastic coordinates of r instants"""
        Phi = self.Phi[which]
        moved = q @ Phi.transpose(1, 0, 2).reshape(Phi.shape[1], -1)
        if self.G is not None:
            G = self.G[which]
            moved = moved + pair_products(q) @ G.transpose(1, 0, 2).reshape(G.shape[1], -1)
        return moved.reshape(len(q), -1, 3)


@dataclass(frozen=True)
class ExactSkin:
    """Points of a beam with the exact field."""

    points: Floats
    """(s, 3) undeformed [m]"""
    motion: ExactMotion

    def displacements(self, q: Floats, which: Numbers = ALL) -> Floats:
        """(r, p, 3) of the points `which` [m]; q : (r, n) elastic coordinates of r instants"""
        points = self.points[which]
        inside = np.clip(points[:, 0], 0.0, self.motion.basis.length)
        x, section = np.unique(inside, return_inverse=True)
        offset = points - inside[:, None] * [1.0, 0.0, 0.0]
        r, R = self.motion.pose(self.motion.places(x, np.zeros((len(x), 3))), q)
        return r[:, section] + np.einsum("rpij,pj->rpi", R[:, section], offset) - points


def pair_products(q: Floats) -> Floats:
    """(r, n (n + 1)/2) factors of the second derivatives: q_k q_l, half of it for k = l, pairs (k, l <= k)."""
    k, l = np.tril_indices(q.shape[1])
    return q[:, k] * q[:, l] * np.where(k == l, 0.5, 1.0)


def beam_skin_motion(body: FlexibleBody, points: Floats) -> Skin:
    """Points of a beam, at (x, Y, Z) when it is straight."""
    assert body.basis is not None
    if isinstance(body.field, ExactBeam):
        return ExactSkin(points, ExactMotion(body.basis))
    Phi, G = quadratic_shapes(body.basis, points)
    if body.order == 0:
        return PolynomialSkin(points, Phi)
    k, l = np.tril_indices(body.n_modes)
    return PolynomialSkin(points, Phi, G[:, k, l])


def mesh_skin_motion(body: FlexibleBody, surface: Surface) -> PolynomialSkin:
    """The surface of a body from a file, in the deformation field that the model uses."""
    return PolynomialSkin(surface.points, surface.Phi, surface.G if body.order != 0 else None)


def marker_motion(body: FlexibleBody, marker: Marker, q: Floats) -> tuple[Floats, Floats]:
    """Displacement (r, 3) [m] and rotation (r, 3, 3) of a marker relative to its undeformed place, body axes."""
    shapes = marker.shapes
    if isinstance(shapes, ExactShapes):
        assert body.basis is not None
        motion = ExactMotion(body.basis)
        r, R = motion.pose(motion.points(marker.p_b[None]), q)
        return r[:, 0] - marker.p_b, R[:, 0]
    if isinstance(shapes, MarkerShapes):
        u, theta = q @ shapes.Phi, q @ shapes.Theta
        if shapes.order > 1:
            u = u + 0.5 * np.einsum("rk,kli,rl->ri", q, shapes.G, q, optimize=True)
            theta = theta + 0.5 * np.einsum("rk,kli,rl->ri", q, shapes.Gamma, q, optimize=True)
        return u, exponential(theta)
    return np.zeros((len(q), 3)), np.broadcast_to(np.eye(3), (len(q), 3, 3))
