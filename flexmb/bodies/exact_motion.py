"""The exact deformation field of a beam in NumPy: the independent check of the compiled kernels.

Inextensible bending superposed by stretch and twist, without any truncation. With slopes b, c of the centre line, turns
beta, gamma of the section, stretch u and material twist phi (sums of shapes times the elastic coordinates q):
    centre line   r0 = [x + u + int (s - 1), v, w],   s = sqrt(1 - b^2 - c^2)
    section       R = Rmin(n) Rot_x(theta),   n = (sigma, beta, gamma),   sigma = sqrt(1 - beta^2 - gamma^2)
                  theta = phi + int (beta gamma' - gamma beta')/(1 + sigma)   (the material twist rate is phi')
    point         rho = r0 + R d,   d fixed in the section
Rmin is the smallest rotation that takes e1 to n. Only these poses are written down, for complex q; every derivative
comes from them: columns by complex steps, rates and accelerations from the Taylor series along q + q' t (values on a
circle in the complex t plane), inertia by Newton and Euler for the slices of the beam.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.invariants import Array, axial
from flexmb.bodies.quadratic_beam import Samples, has_section_inertia, sample
from flexmb.reduction.beam_basis import BeamBasis

_STEP = 1e-30
_CIRCLE = np.exp(2j * np.pi * (np.arange(8) + 0.5) / 16)
"""Upper half of 16 points on the unit circle; the lower half is conjugate."""
_SWING = 0.1
"""Radius of the circle, as a change of slope and twist."""


@dataclass(frozen=True)
class Places:
    """m points of the beam and the data to evaluate them."""

    x: Floats
    """(m,) their sections [m]"""
    d: Floats
    """(m, 3) offsets from the centre line, section axes [m]"""
    shapes: Samples
    integral: Floats
    """(m, n_stations) weights: integral up to x of a function given at the stations"""


@dataclass(frozen=True)
class Slices:
    """Rigid slices of the beam."""

    places: Places
    mass: Floats
    """(m,) [kg]"""
    inertia: Floats
    """(m, 3, 3) about their centres, section axes [kg m^2]"""


@dataclass(frozen=True)
class PointMotion:
    """Motion of m points relative to the body frame, body axes; n elastic coordinates."""

    r: Floats
    """(m, 3) position [m]"""
    R: Floats
    """(m, 3, 3) rotation of the section"""
    psi: Floats
    """(m, n, 3) d r/d q_k"""
    turn: Floats
    """(m, n, 3) angular velocity per unit rate of q_k"""
    r_dot: Floats
    """(m, 3) velocity [m/s]"""
    omega: Floats
    """(m, 3) angular velocity [rad/s]"""
    bias_r: Floats
    """(m, 3) acceleration when q'' = 0 [m/s^2]"""
    bias_omega: Floats
    """(m, 3) angular acceleration when q'' = 0 [rad/s^2]"""


@dataclass(frozen=True)
class BodyMotion:
    """State and accelerations of a flexible body, body axes."""

    q: Floats
    """(n,) elastic coordinates"""
    q_dot: Floats
    q_ddot: Floats
    a: Floats
    """(3,) inertial acceleration of the origin less gravity [m/s^2]"""
    alpha: Floats
    """(3,) angular acceleration of the frame [rad/s^2]"""
    omega: Floats
    """(3,) angular velocity of the frame [rad/s]"""


class ExactMotion:
    """The exact field of a basis.

    Functions under a running integral are interpolated through `gauss` Gauss points per segment (those of the basis by
    default, as in the kernels; more of them come closer to the field itself).
    """

    def __init__(self, basis: BeamBasis, gauss: int | None = None):
        self.basis = basis
        self.n_modes = len(basis.shapes)
        self._t, self._weight = np.polynomial.legendre.leggauss(gauss or basis.gauss)
        self._half = 0.5 * np.diff(basis.breaks)
        self.x = (basis.breaks[:-1, None] + self._half[:, None] * (self._t + 1.0)).ravel()
        self.weight = (self._half[:, None] * self._weight).ravel()
        self._stations = sample(basis, self.x)
        self._section = basis.section_at(self.x)
        self._to_stations = self._integral_to(self.x)
        self.slices = self.all_slices(self.x, self.weight)

    def places(self, x: Floats, d: Floats) -> Places:
        """Points at sections x : (m,) with offsets d : (m, 3), section axes [m]; beyond an end: of the end section."""
        inside = np.clip(x, 0.0, self.basis.length)
        d = d + np.stack([x - inside, 0.0 * x, 0.0 * x], axis=-1)
        return Places(inside, d, sample(self.basis, inside), self._integral_to(inside))

    def points(self, p_b: Floats) -> Places:
        """Points p_b : (m, 3) = (x, Y, Z) of the undeformed beam [m]."""
        return self.places(p_b[:, 0], p_b * [0.0, 1.0, 1.0])

    def all_slices(self, x: Floats, weight: Floats) -> Slices:
        """The beam by a quadrature, as slices at x : (m,) that are weight : (m,) thick [m], and then its lumps."""
        section, lumps = self.basis.section_at(x), self.basis.lumps
        principal = np.zeros((len(x), 3))
        if has_section_inertia(self.basis):
            principal = np.stack([section.rhoIy + section.rhoIz, section.rhoIy, section.rhoIz], axis=-1)
        inertia = (weight[:, None] * principal)[:, :, None] * np.eye(3)
        centers = np.concatenate([np.zeros((len(x), 3)), *(lump.center[None] for lump in lumps)])
        return Slices(
            self.places(np.concatenate([x, [lump.x for lump in lumps]]), centers),
            np.concatenate([weight * section.rhoA, [lump.mass for lump in lumps]]),
            np.concatenate([inertia, *(lump.inertia[None] for lump in lumps)]),
        )

    def pose(self, places: Places, q: Array) -> tuple[Array, Array]:
        """Position (..., m, 3) [m] and rotation (..., m, 3, 3) of the sections, body axes, for q : (..., n), also
        complex."""
        here, there = places.shapes, self._stations
        b, c, beta, gamma = q @ there.v_slope.T, q @ there.w_slope.T, q @ there.beta.T, q @ there.gamma.T
        foreshortening = (np.sqrt(1.0 - b**2 - c**2) - 1.0) @ places.integral.T
        twist = (beta * (q @ there.gamma_slope.T) - gamma * (q @ there.beta_slope.T)) / (1.0 + _sigma(beta, gamma))
        R = _smallest_rotation(q @ here.beta.T, q @ here.gamma.T) @ _about_x(q @ here.phi.T + twist @ places.integral.T)
        r0 = np.stack([places.x + q @ here.u.T + foreshortening, q @ here.v.T, q @ here.w.T], axis=-1)
        return r0 + np.einsum("...ij,...j->...i", R, places.d), R

    def motion(self, places: Places, q: Floats, q_dot: Floats) -> PointMotion:
        """Everything that joints and inertia need at the points; q'' enters through `psi` and `turn`.

        q, q_dot : (n,) elastic coordinates and rates [m, torsion: rad; per s]
        """
        r, R = self.pose(places, q)
        psi, turn = np.zeros((len(r), self.n_modes, 3)), np.zeros((len(r), self.n_modes, 3))
        for k, step in enumerate(q + 1j * _STEP * np.eye(self.n_modes)):
            r_step, R_step = self.pose(places, step)
            psi[:, k], turn[:, k] = r_step.imag / _STEP, _spin(R_step.imag / _STEP, R)
        both = _taylor(lambda t: np.dstack([*self._pose_columns(places, q + q_dot * t)]), self._radius(q_dot))
        r_dot, R_dot = both[1][:, :, 0], both[1][:, :, 1:]
        bias_r, R_ddot = 2.0 * both[2][:, :, 0], 2.0 * both[2][:, :, 1:]
        return PointMotion(r, R, psi, turn, r_dot, _spin(R_dot, R), bias_r, _spin(R_ddot, R))

    def mass_matrix(self, q: Floats) -> Floats:
        """(6 + n, 6 + n), rows and columns [v; w; q']"""
        at = self.motion(self.slices.places, q, np.zeros(self.n_modes))
        V, W = _partial_velocities(at)
        inertia = _in_body_axes(self.slices.inertia, at.R)
        translation = np.einsum("m,mai,mbi->ab", self.slices.mass, V, V, optimize=True)
        return translation + np.einsum("mai,mij,mbj->ab", W, inertia, W, optimize=True)

    def velocity_forces(self, q: Floats, q_dot: Floats, omega: Floats) -> Floats:
        """(6 + n,) inertia forces when all accelerations vanish; elastic forces are not in them"""
        zero = np.zeros(3)
        return self.inertia_forces(BodyMotion(q, q_dot, 0.0 * q, zero, zero, omega))

    def inertia_forces(self, motion: BodyMotion) -> Floats:
        """(6 + n,) M y' + h"""
        at = self.motion(self.slices.places, motion.q, motion.q_dot)
        force, moment = slice_forces(self.slices, at, motion)
        V, W = _partial_velocities(at)
        return np.einsum("mai,mi->a", V, force) + np.einsum("mai,mi->a", W, moment)

    def strain_energy(self, q: Array) -> Any:
        """[J]; q : (n,) [m, torsion: rad], may be complex"""
        at, section = self._stations, self._section
        beta, gamma, beta_slope, gamma_slope = at.beta @ q, at.gamma @ q, at.beta_slope @ q, at.gamma_slope @ q
        sigma = _sigma(beta, gamma)
        twist = (beta * gamma_slope - gamma * beta_slope) / (1.0 + sigma)
        theta = at.phi @ q + self._to_stations @ twist
        tilt = (beta * beta_slope + gamma * gamma_slope) / (sigma * (1.0 + sigma))
        Kb, Kc = beta_slope + beta * tilt, gamma_slope + gamma * tilt
        kb = np.cos(theta) * Kb + np.sin(theta) * Kc
        kc = np.cos(theta) * Kc - np.sin(theta) * Kb
        density = section.EIz * (kb**2 - beta_slope**2) + section.EIy * (kc**2 - gamma_slope**2)
        return 0.5 * (q @ self.basis.stiffness @ q + self.weight @ density)

    def elastic_forces(self, q: Floats) -> Floats:
        """(n,) dV/dq"""
        steps = q + 1j * _STEP * np.eye(self.n_modes)
        return np.array([self.strain_energy(step).imag / _STEP for step in steps])

    def _pose_columns(self, places: Places, q: Array) -> tuple[Array, Array]:
        r, R = self.pose(places, q)
        return r[:, :, None], R

    def _radius(self, q_dot: Floats) -> float:
        """Radius of the circle in t: slopes and twist change by at most `_SWING` on it."""
        at = self._stations
        fastest = max(np.abs(rate @ q_dot).max() for rate in (at.v_slope, at.w_slope, at.beta, at.gamma, at.phi))
        return _SWING / fastest if fastest > 0.0 else 1.0

    def _integral_to(self, x: Floats) -> Floats:
        """(m, n_stations) weights of the integral from the end that the basis measures from up to each x.

        Inside a segment the polynomial through its Gauss points is integrated: Legendre coefficients by the discrete
        orthogonality at these points, and int P_j = (P_j+1 - P_j-1)/(2 j + 1).
        """
        breaks, n_gauss = self.basis.breaks, len(self._t)
        segment = np.clip(np.searchsorted(breaks, x, side="right") - 1, 0, len(breaks) - 2)
        t = (x - breaks[segment]) / self._half[segment] - 1.0
        P = np.polynomial.legendre.legvander(t, n_gauss)
        primitive = np.concatenate([(t + 1.0)[:, None], P[:, 2:] - P[:, :-2]], axis=1)
        partial = 0.5 * primitive @ (np.polynomial.legendre.legvander(self._t, n_gauss - 1) * self._weight[:, None]).T
        rows = np.zeros((len(x), len(breaks) - 1, n_gauss))
        rows[np.arange(len(breaks) - 1) < segment[:, None]] = self._weight
        rows[np.arange(len(x)), segment] = partial
        flat = (rows * self._half[:, None]).reshape(len(x), len(self.x))
        return flat - self.weight if self.basis.from_end else flat


def slice_forces(slices: Slices, at: PointMotion, motion: BodyMotion) -> tuple[Floats, Floats]:
    """Mass times acceleration (m, 3) [N] and rate of spin about its centre (m, 3) [N m] of every slice, body axes."""
    omega, inertia = motion.omega, _in_body_axes(slices.inertia, at.R)
    relative = np.einsum("mki,k->mi", at.psi, motion.q_ddot) + at.bias_r
    swing = np.cross(motion.alpha, at.r) + np.cross(omega, np.cross(omega, at.r) + 2.0 * at.r_dot)
    total = omega + at.omega
    turning = motion.alpha + np.einsum("mki,k->mi", at.turn, motion.q_ddot) + at.bias_omega + np.cross(omega, at.omega)
    momentum = np.einsum("mij,mj->mi", inertia, total)
    return (
        slices.mass[:, None] * (motion.a + swing + relative),
        np.einsum("mij,mj->mi", inertia, turning) + np.cross(total, momentum),
    )


def _partial_velocities(at: PointMotion) -> tuple[Floats, Floats]:
    """(m, 6 + n, 3) velocities and angular velocities of the points per unit of [v; w; q']"""
    eye = np.broadcast_to(np.eye(3), at.R.shape)
    swing = np.cross(eye, at.r[:, None, :])
    return np.concatenate([eye, swing, at.psi], axis=1), np.concatenate([0.0 * eye, eye, at.turn], axis=1)


def _in_body_axes(inertia: Floats, R: Floats) -> Floats:
    return R @ inertia @ R.swapaxes(1, 2)


def _sigma(beta: Array, gamma: Array) -> Array:
    return np.sqrt(1.0 - beta**2 - gamma**2)


def _smallest_rotation(beta: Array, gamma: Array) -> Array:
    """(..., 3, 3) that takes e1 to (sigma, beta, gamma) about an axis normal to both"""
    sigma = _sigma(beta, gamma)
    scale = 1.0 / (1.0 + sigma)
    rows = [
        [sigma, -beta, -gamma],
        [beta, 1.0 - scale * beta**2, -scale * beta * gamma],
        [gamma, -scale * beta * gamma, 1.0 - scale * gamma**2],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def _about_x(angle: Array) -> Array:
    """(..., 3, 3)"""
    one, zero, cos, sin = 1.0 + 0.0 * angle, 0.0 * angle, np.cos(angle), np.sin(angle)
    return np.moveaxis(np.array([[one, zero, zero], [zero, cos, -sin], [zero, sin, cos]]), (0, 1), (-2, -1))


def _spin(R_rate: Floats, R: Floats) -> Floats:
    """(m, 3) axial vector of the skew part of R_rate R^T: R' gives the angular velocity, R'' its rate"""
    return -0.5 * axial(R_rate @ R.swapaxes(1, 2))


def _taylor(f: Callable[[Any], Array], radius: float) -> list[Floats]:
    """The first three Taylor coefficients at t = 0 of f(t), which is real for real t: Cauchy's integral by the
    trapezoidal rule (Lyness and Moler), with an error of the size of the 16th term."""
    values = np.array([f(radius * point) for point in _CIRCLE])
    powers = [np.tensordot(_CIRCLE**-k, values, axes=1).real for k in range(3)]
    return [power / (len(_CIRCLE) * radius**k) for k, power in enumerate(powers)]
