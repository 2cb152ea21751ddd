"""The complete second-order deformation field of a beam, from its shapes (theory 2.1).

Axis e1; stretch u, deflections v, w, material twist phi, each a sum of shapes times elastic coordinates. To second
order, with slopes v', w' of the centre line and turns beta, gamma of the section (the slopes, without shear):
    centre line       r0 = [x + u - 1/2 int (v'^2 + w'^2), v, w]
    rotation vector   theta = [phi + 1/2 int (beta gamma' - gamma beta'), -gamma + phi beta/2, beta + phi gamma/2]
    material point    rho = r0 + (1 + ~theta + 1/2 ~theta_1^2) d,    theta_1 = [phi, -gamma, beta]
with d fixed in the section. Integrals run from the end that the basis measures from. Choosing phi by the material twist
rate keeps the torsional energy quadratic; the nonlinearity is in the kinematics.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.invariants import Invariants, Order
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.bodies.point_field import PointField
from flexmb.reduction.beam_basis import BeamBasis
from flexmb.reduction.beam_data import Lump


@dataclass(frozen=True)
class Samples:
    """All n shapes of a basis at m places, zero in the components that a shape does not move; (m, n) each."""

    v: Floats
    """y deflection"""
    w: Floats
    """z deflection"""
    u: Floats
    """stretch displacement"""
    phi: Floats
    """material twist [rad]"""
    v_slope: Floats
    """dv/dx"""
    w_slope: Floats
    """dw/dx"""
    beta: Floats
    """turn of the section in the x-y plane [rad]"""
    gamma: Floats
    """turn of the section in the x-z plane [rad]"""
    beta_slope: Floats
    """curvature in the x-y plane [rad/m]"""
    gamma_slope: Floats
    """curvature in the x-z plane [rad/m]"""


def sample(basis: BeamBasis, x: Floats) -> Samples:
    """The shapes of `basis` at x : (m,) [m], measured from end A."""
    n = len(basis.shapes)
    # rows: value, slope, turn, curvature
    parts = {component: np.zeros((4, len(x), n)) for component in "yzut"}
    for k, shape in enumerate(basis.shapes):
        parts[shape.component][:, :, k] = shape.values(x).T
    y, z = parts["y"], parts["z"]
    return Samples(y[0], z[0], parts["u"][0], parts["t"][0], y[1], z[1], y[2], z[2], y[3], z[3])


def has_section_inertia(basis: BeamBasis) -> bool:
    """Whether the sections have rotary inertia: on request, and always with twist, since the mass that resists twist
    resists the other turns too."""
    return basis.rotary_inertia or any(shape.component == "t" for shape in basis.shapes)


def quadratic_field(basis: BeamBasis, order: Order = 2) -> Invariants | PointField:
    """Inertia of the beam: invariants for order 0 (linear field), 1 and 2, mass points for "full".

    The points are the Gauss points of the basis, which is exact for polynomial shapes; integrals that are computed only
    once use twice as many.
    """
    if order == "full":
        return mass_points(basis, *_quadrature(basis, basis.gauss))[1]
    return mass_points(basis, *_quadrature(basis, 2 * basis.gauss))[1].invariants(order)


def quadratic_marker(basis: BeamBasis, p_b: Floats, order: Order = 2) -> MarkerShapes:
    """Shapes of the point p_b : (3,) = (x, Y, Z) [m] of the undeformed beam; beyond the ends it moves with the end
    section.

    Order 0 gives the shapes of the linear field, every other order the complete second-order ones.
    """
    line, offset = _sections_of(basis, np.asarray(p_b, dtype=float)[None])
    phi, G = line.point_shapes(offset)
    if order == 0:
        return MarkerShapes.linear(phi[0], line.turn[0])
    return MarkerShapes(phi[0], line.turn[0], G[0], line.turn_second[0], 2)


def quadratic_shapes(basis: BeamBasis, p_b: Floats) -> tuple[Floats, Floats]:
    """Shapes (m, n, 3) and their second derivatives (m, n, n, 3) at the points p_b : (m, 3) of the undeformed beam."""
    line, offset = _sections_of(basis, p_b)
    return line.point_shapes(offset)


def cubic_stiffness(basis: BeamBasis) -> Floats | None:
    """(n, n, n) K3, symmetric: V3 = 1/6 K3_klm q_k q_l q_m = int (EIz - EIy) phi v'' w'' [J]; None when it vanishes.

    A twisted section meets bending in one plane with the stiffness of the other (theory 2.1).
    """
    x, weight = _quadrature(basis, 2 * basis.gauss)
    section, shapes = basis.section_at(x), sample(basis, x)
    difference = weight * (section.EIz - section.EIy)
    product = np.einsum("p,pk,pl,pm->klm", difference, shapes.phi, shapes.beta_slope, shapes.gamma_slope, optimize=True)
    if not np.any(product):
        return None
    # One term c q_k q_l q_m is the same in all six orders of its indices.
    return np.sum([np.transpose(product, axes) for axes in permutations(range(3))], axis=0)


@dataclass(frozen=True)
class _Line:
    """Second-order kinematics of the sections at m places of the centre line."""

    x: Floats
    """(m,)"""
    shift: Floats
    """(m, n, 3) displacement of the centre line per unit coordinate"""
    shift_second: Floats
    """(m, n, n, 3) its second derivatives: foreshortening along e1"""
    turn: Floats
    """(m, n, 3) rotation vector per unit coordinate"""
    turn_second: Floats
    """(m, n, n, 3) its second derivatives"""

    @classmethod
    def at(cls, basis: BeamBasis, x: Floats) -> _Line:
        m, n = len(x), len(basis.shapes)
        here = sample(basis, x)
        foreshortening, twist = _running_integrals(basis, x)
        shift_second, turn_second = np.zeros((m, n, n, 3)), np.zeros((m, n, n, 3))
        shift_second[..., 0] = -foreshortening
        turn_second[..., 0] = _symmetric(twist)
        turn_second[..., 1] = 0.5 * _symmetric(here.phi[:, :, None] * here.beta[:, None, :])
        turn_second[..., 2] = 0.5 * _symmetric(here.phi[:, :, None] * here.gamma[:, None, :])
        shift = np.stack([here.u, here.v, here.w], axis=-1)
        turn = np.stack([here.phi, -here.gamma, here.beta], axis=-1)
        return cls(x, shift, shift_second, turn, turn_second)

    def point_shapes(self, d: Floats) -> tuple[Floats, Floats]:
        """phi (m, n, 3) and G (m, n, n, 3) of points at an offset d : (m, 3) from the centre line, section axes."""
        d = d[:, None, :]
        phi = self.shift + np.cross(self.turn, d)
        # second derivatives of 1/2 theta_1 x (theta_1 x d): half of each order of the two modes, twice
        swing = np.cross(self.turn[:, :, None, :], np.cross(self.turn, d)[:, None, :, :])
        G = self.shift_second + np.cross(self.turn_second, d[:, None]) + 0.5 * (swing + swing.transpose(0, 2, 1, 3))
        return phi, G

    def points(self, mass: Floats, d: Floats) -> PointField:
        """Mass points, one per place: mass (m,) [kg] at d : (m, 3) [m] in section axes."""
        phi, G = self.point_shapes(d)
        X = d.copy()
        X[:, 0] += self.x
        return PointField(mass, X, phi, G)


def _sections_of(basis: BeamBasis, p_b: Floats) -> tuple[_Line, Floats]:
    """The sections that the points p_b : (m, 3) belong to, and their offsets (m, 3) from the centre line."""
    x = np.clip(p_b[:, 0], 0.0, basis.length)
    return _Line.at(basis, x), p_b - x[:, None] * [1.0, 0.0, 0.0]


def _running_integrals(basis: BeamBasis, x: Floats) -> tuple[Floats, Floats]:
    """int v'_k v'_l + w'_k w'_l and 1/2 int (beta_k gamma'_l - gamma_l beta'_k) up to each x : (m, n, n) each.

    Gauss quadrature from the break before x, exact for polynomial shapes and converged for waves.
    """
    breaks = basis.breaks
    t, weight = np.polynomial.legendre.leggauss(2 * basis.gauss)

    def over(start: Floats, end: Floats) -> Floats:
        half = 0.5 * (end - start)
        at = sample(basis, (start[:, None] + half[:, None] * (t + 1.0)).ravel())
        w = (half[:, None] * weight).ravel()
        slopes = _outer(w, at.v_slope, at.v_slope) + _outer(w, at.w_slope, at.w_slope)
        twist = 0.5 * (_outer(w, at.beta, at.gamma_slope) - _outer(w, at.beta_slope, at.gamma))
        n = len(basis.shapes)
        return np.stack([slopes, twist]).reshape(2, len(start), len(t), n, n).sum(axis=2)

    segments = over(breaks[:-1], breaks[1:])
    to_break = np.concatenate([np.zeros_like(segments[:, :1]), np.cumsum(segments, axis=1)], axis=1)
    segment = np.clip(np.searchsorted(breaks, x, side="right") - 1, 0, len(breaks) - 2)
    total = to_break[:, segment] + over(breaks[segment], x)
    if basis.from_end:
        total = total - to_break[:, -1:]
    return total[0], total[1]


def _outer(w: Floats, a: Floats, b: Floats) -> Floats:
    return np.einsum("p,pk,pl->pkl", w, a, b)


def _symmetric(product: Floats) -> Floats:
    """Second derivatives of q_k q_l a_kl: a + a^T over the two modes."""
    return product + product.swapaxes(1, 2)


def _quadrature(basis: BeamBasis, gauss: int) -> tuple[Floats, Floats]:
    """Places and weights along the beam, `gauss` between two breaks."""
    t, weight = np.polynomial.legendre.leggauss(gauss)
    half = 0.5 * np.diff(basis.breaks)[:, None]
    return (basis.breaks[:-1, None] + half * (t + 1.0)).ravel(), (half * weight).ravel()


def mass_points(basis: BeamBasis, x: Floats, weight: Floats) -> tuple[Floats, PointField]:
    """The beam as mass points, and the sections (p,) they belong to; x, weight : (m,) a quadrature along the beam [m].

    One point per place of the quadrature, or four around it that carry the section's second moments; those of the lumps
    come last.
    """
    section, line = basis.section_at(x), _Line.at(basis, x)
    mass = weight * section.rhoA
    if has_section_inertia(basis):
        across = np.zeros((2, len(x), 3))
        across[0, :, 1] = np.sqrt(2.0 * section.rhoIz / section.rhoA)
        across[1, :, 2] = np.sqrt(2.0 * section.rhoIy / section.rhoA)
        parts = [(x, line.points(0.25 * mass, sign * d)) for d in across for sign in (1.0, -1.0)]
    else:
        parts = [(x, line.points(mass, np.zeros((len(x), 3))))]
    for lump in basis.lumps:
        masses, d = lump_points(lump)
        place = np.full(len(masses), lump.x)
        parts.append((place, _Line.at(basis, place).points(masses, d)))
    fields = [part for _, part in parts]
    stacked = (np.concatenate([getattr(part, name) for part in fields]) for name in ("mass", "X", "phi", "G"))
    return np.concatenate([place for place, _ in parts]), PointField(*stacked)


def lump_points(lump: Lump) -> tuple[Floats, Floats]:
    """Masses (p,) and offsets (p, 3), section axes, of points with the lump's mass, centre and inertia.

    One point without inertia; otherwise pairs on the principal axes, at the distances that give the second moments
    tr(I)/2 1 - I. Their masses are negative where such a moment is (an inertia that no body has, but that users write
    to turn a section about one axis only); a point at the centre then restores the mass, as for a lump without mass.
    """
    if not np.any(lump.inertia):
        return np.array([lump.mass]), lump.center[None]
    moments, axes = np.linalg.eigh(0.5 * np.trace(lump.inertia) * np.eye(3) - lump.inertia)
    each = lump.mass / 6.0 if lump.mass > 0.0 else np.trace(lump.inertia)
    reach = (np.sqrt(np.abs(moments) / (2.0 * each)) * axes).T
    masses = np.where(moments < 0.0, -each, each)
    rest = lump.mass - 2.0 * masses.sum()
    d = lump.center + np.concatenate([reach, -reach, np.zeros((1, 3))])
    return np.concatenate([masses, masses, [rest]]), d
