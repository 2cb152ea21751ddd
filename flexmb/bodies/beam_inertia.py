"""Inertia along a beam at many instants, and the part of it that lies beyond a cut.

Elastic coordinates with their rates and the motion of the body frame enter, a row for every instant; mass times
acceleration of every mass point or slice leaves, as a force and a moment about the body origin in body axes:
    a_P = a + alpha x rho + omega x (omega x rho + 2 rho') + rho'',      rho'' along q + q' t + 1/2 q'' t^2
with rho of the body's own field. Up to a cut the polynomial through the Gauss points of a segment is integrated; it has
twice as many of them as the equations use, because a part of a segment needs more than the whole (theory 3.2, 10).
Numbers are SI; elastic coordinates are in m (torsion: rad).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from flexmb.arrays import Flags, Floats
from flexmb.bodies.exact_beam import ExactBeam, integration_weights
from flexmb.bodies.exact_motion import ExactMotion
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.invariants import Array, Order, axial
from flexmb.bodies.marker_shapes import exponential
from flexmb.bodies.point_field import PointField
from flexmb.bodies.quadratic_beam import has_section_inertia, mass_points, quadratic_marker
from flexmb.reduction.beam_basis import BeamBasis
from flexmb.reduction.beam_matrices import gauss_stations

_CIRCLE = np.exp(2j * np.pi * (np.arange(8) + 0.5) / 16)
"""Upper half of 16 points on the unit circle; the lower half is conjugate."""
_SWING = 0.1
"""Radius of the circle in time, as a change of slope and twist."""
_NEAR = 1e-9
"""Places closer than this part of the length are the same place."""


@dataclass(frozen=True)
class MotionHistory:
    """Motion of a flexible body at r instants, body axes; n elastic coordinates."""

    q: Floats
    """(r, n)"""
    q_dot: Floats
    q_ddot: Floats
    a: Floats
    """(r, 3) inertial acceleration of the origin less gravity [m/s^2]"""
    alpha: Floats
    """(r, 3) angular acceleration of the frame [rad/s^2]"""
    omega: Floats
    """(r, 3) angular velocity of the frame [rad/s]"""

    def rows(self, which: slice) -> MotionHistory:
        """Some of the instants."""
        return MotionHistory(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


Poses = Callable[[Floats], tuple[Floats, Floats]]
"""Elastic coordinates (r, n) -> positions (r, m, 3) [m] and rotations (r, m, 3, 3), body axes."""


class BeamInertia(Protocol):
    """The sections of a beam with one of the deformation fields."""

    def forces(self, motion: MotionHistory) -> tuple[Floats, Floats]:
        """Mass times acceleration (r, p, 3) [N] of p parts and its moment about the body origin (r, p, 3) [N m]."""

    def beyond(self, x: Floats, after: Flags) -> Floats:
        """(m, p) share of every part that lies beyond the cuts x : (m,); `after` : (m,) cuts behind what is at x."""

    def sections(self, x: Floats) -> Poses:
        """Poses of the sections x : (m,)."""


def beam_inertia(body: FlexibleBody) -> BeamInertia:
    """The sections of a beam in the field that its equations use."""
    assert body.basis is not None
    if isinstance(body.field, ExactBeam):
        return _Exact(body.basis)
    return _Quadratic(body.basis, body.order)


class _Exact:
    def __init__(self, basis: BeamBasis):
        self.basis, self.field = basis, ExactMotion(basis)
        self.gauss = 2 * basis.gauss
        x, weight = gauss_stations(basis.breaks, self.gauss)
        self.slices = self.field.all_slices(x.ravel(), weight.ravel())

    def sections(self, x: Floats) -> Poses:
        places = self.field.places(x, np.zeros((len(x), 3)))
        return lambda q: self.field.pose(places, q)

    def beyond(self, x: Floats, after: Flags) -> Floats:
        spread = parts_beyond(self.basis.breaks, self.gauss, x)
        lumps = points_beyond(np.array([lump.x for lump in self.basis.lumps]), x, after, self.basis.length)
        return np.concatenate([spread, lumps], axis=1)

    def forces(self, motion: MotionHistory) -> tuple[Floats, Floats]:
        slices, omega, alpha = self.slices, motion.omega[:, None], motion.alpha[:, None]
        values, radius = self._around(motion)
        r, R = self.field.pose(slices.places, motion.q)
        r_dot, r_ddot = _derivatives(values[0], radius)
        swing = np.cross(alpha, r) + np.cross(omega, np.cross(omega, r) + 2.0 * r_dot)
        force = slices.mass[:, None] * (motion.a[:, None] + swing + r_ddot)
        moment = np.cross(r, force)
        if np.any(slices.inertia):
            back = R.swapaxes(-1, -2)
            spin, turning = (-0.5 * axial(rate @ back) for rate in _derivatives(values[1], radius))
            total, rate = omega + spin, alpha + turning + np.cross(omega, spin)
            inertia = R @ slices.inertia @ back
            momentum = np.einsum("rpij,rpj->rpi", inertia, total)
            moment += np.einsum("rpij,rpj->rpi", inertia, rate) + np.cross(total, momentum)
        return force, moment

    def _around(self, motion: MotionHistory) -> tuple[tuple[Array, Array], Floats]:
        """Positions and rotations of the slices along q + q' t + 1/2 q'' t^2 on a circle in the complex t plane, with
        its radius (r,): slopes and twist change by about `_SWING` on it."""
        with np.errstate(divide="ignore"):
            radius = np.minimum(_SWING / self._swing(motion.q_dot), np.sqrt(2.0 * _SWING / self._swing(motion.q_ddot)))
        radius = np.where(np.isfinite(radius), radius, 1.0)
        t = _CIRCLE[:, None, None] * radius[:, None]
        return self.field.pose(self.slices.places, motion.q + motion.q_dot * t + 0.5 * motion.q_ddot * t**2), radius

    def _swing(self, rates: Floats) -> Floats:
        """(r,) largest rate of slopes and twist."""
        at = self.slices.places.shapes
        parts = [np.abs(rates @ shape.T) for shape in (at.v_slope, at.w_slope, at.beta, at.gamma, at.phi)]
        return np.asarray(np.max(parts, axis=(0, 2)))


class _Quadratic:
    def __init__(self, basis: BeamBasis, order: Order):
        self.basis, self.order = basis, order
        self.gauss = 2 * basis.gauss
        x, weight = gauss_stations(basis.breaks, self.gauss)
        place, points = mass_points(basis, x.ravel(), weight.ravel())
        self.points: PointField = replace(points, G=0.0 * points.G) if order == 0 else points
        self.copies = 4 if has_section_inertia(basis) else 1
        self.lumped = place[self.copies * x.size :]

    def sections(self, x: Floats) -> Poses:
        shapes = [quadratic_marker(self.basis, np.array([place, 0.0, 0.0]), self.order) for place in x]
        Phi, Theta, G, Gamma = (
            np.stack([getattr(shape, name) for shape in shapes]) for name in ("Phi", "Theta", "G", "Gamma")
        )
        line, second = x[:, None] * [1.0, 0.0, 0.0], 0.5 * (self.order != 0)

        def poses(q: Floats) -> tuple[Floats, Floats]:
            theta = np.einsum("rk,mki->rmi", q, Theta) + second * _twice(q, q, Gamma)
            return line + np.einsum("rk,mki->rmi", q, Phi) + second * _twice(q, q, G), exponential(theta)

        return poses

    def beyond(self, x: Floats, after: Flags) -> Floats:
        spread = parts_beyond(self.basis.breaks, self.gauss, x)
        lumps = points_beyond(self.lumped, x, after, self.basis.length)
        return np.concatenate([np.tile(spread, (1, self.copies)), lumps], axis=1)

    def forces(self, motion: MotionHistory) -> tuple[Floats, Floats]:
        points, q, q_dot, q_ddot = self.points, motion.q, motion.q_dot, motion.q_ddot
        phi = points.phi
        r = points.X + np.einsum("rk,pki->rpi", q, phi) + 0.5 * _twice(q, q, points.G)
        r_dot = np.einsum("rk,pki->rpi", q_dot, phi) + _twice(q, q_dot, points.G)
        r_ddot = np.einsum("rk,pki->rpi", q_ddot, phi)
        r_ddot = r_ddot + _twice(q, q_ddot, points.G) + _twice(q_dot, q_dot, points.G)
        omega, alpha = motion.omega[:, None], motion.alpha[:, None]
        swing = np.cross(alpha, r) + np.cross(omega, np.cross(omega, r) + 2.0 * r_dot)
        force = points.mass[:, None] * (motion.a[:, None] + swing + r_ddot)
        return force, np.cross(r, force)


def _derivatives(values: Array, radius: Floats) -> tuple[Floats, Floats]:
    """First and second derivative at t = 0 of functions of t that are real for real t, from their values (8, r, ...) on
    the circle: Cauchy's integral by the trapezoidal rule (Lyness and Moler), wrong by the 16th term of the series."""
    scale = radius.reshape(-1, *(1,) * (values.ndim - 2))
    first, second = (np.tensordot(_CIRCLE**-k, values, axes=1).real / len(_CIRCLE) for k in (1, 2))
    return first / scale, 2.0 * second / scale**2


def parts_beyond(breaks: Floats, gauss: int, x: Floats) -> Floats:
    """(m, n) part of the length of every Gauss point that lies beyond x : (m,); `gauss` of them between two breaks.

    Not 0 or 1 where the cut goes through a segment: the weights there are those of the polynomial through its points.
    """
    nodes, weights = np.polynomial.legendre.leggauss(gauss)
    parts = np.ones((len(x), len(breaks) - 1, gauss))
    for k, (left, right) in enumerate(zip(breaks[:-1], breaks[1:], strict=True)):
        parts[x >= right, k] = 0.0
        for i in np.flatnonzero((x > left) & (x < right)):
            t = 2.0 * (x[i] - left) / (right - left) - 1.0
            parts[i, k] = 1.0 - integration_weights(nodes, t) / weights
    return parts.reshape(len(x), -1)


def points_beyond(places: Floats, x: Floats, after: Flags, length: float) -> Floats:
    """(m, n) 1 for points at places : (n,) beyond the cuts x : (m,), else 0.

    A point at a cut lies beyond it, but before one that goes `after` it; at the ends both go through the beam itself.
    """
    near = _NEAR * length
    is_after = (after | (x <= near)) & (x < length - near)
    limit = np.where(is_after, x + near, x - near)
    return (places > limit[:, None]).astype(float)


def _twice(a: Floats, b: Floats, G: Floats) -> Floats:
    """(r, p, 3) G_kl a_k b_l of a, b : (r, n) and G : (p, n, n, 3)."""
    r, n = a.shape
    pairs = (a[:, :, None] * b[:, None, :]).reshape(r, n * n)
    return np.asarray(np.einsum("rs,psi->rpi", pairs, G.reshape(len(G), n * n, 3), optimize=True))
