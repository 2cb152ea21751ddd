"""The second-order field of a beam: closed-form invariants, convergence to the exact field, markers, lumps.

Covers: bodies.marker_shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.bodies.exact_motion import ExactMotion
from flexmb.bodies.invariants import Invariants
from flexmb.bodies.point_field import PointField
from flexmb.bodies.quadratic_beam import cubic_stiffness, lump_points, quadratic_field, quadratic_marker, sample
from flexmb.elements.material import Material
from flexmb.elements.section import rectangle
from flexmb.reduction.beam_basis import BeamBasis, Lump, Span, beam_basis
from tests.support.inertia_identities import gram_deficit, identity_error

STEEL = Material.isotropic(2.0e11, 0.3, 7870.0)
SECTION = rectangle(0.03, 0.02)
LENGTH = 1.3
RHO_A = STEEL.density * SECTION.A


def beam(section: Any = SECTION, **options: Any) -> BeamBasis:
    settings: dict[str, Any] = {"family": "monomials", "bending_y": 3, "bending_z": 2, "frame": "start"}
    return beam_basis(LENGTH, [Span(None, section, STEEL)], **(settings | options))


KINDS: dict[str, dict[str, Any]] = {
    "start": {"axial": 1, "torsion": 2},
    "end": {"frame": "end", "axial": 1, "torsion": 1},
    "chord": {"family": "modes", "frame": "chord", "torsion": 1},
    "mean": {"family": "modes", "frame": "mean", "axial": 1, "torsion": 1},
    "shear": {"family": "elements", "elements": 3, "shear": True, "rotary_inertia": True},
}


def test_invariants_of_monomials_in_closed_form() -> None:
    """phi_k = (x/L)^p, G_kl = -p r/((p + r - 1) L) (x/L)^(p + r - 1) along the axis: every integral is a fraction."""
    basis = beam(bending_y=3, bending_z=0)
    body = quadratic_field(basis, "full")
    assert isinstance(body, PointField)
    body_integrals = body.invariants()
    p = np.array([2.0, 3.0, 4.0])
    pairs = p[:, None] + p
    g = np.outer(p, p) / (pairs - 1.0)
    assert np.isclose(body_integrals.mass, RHO_A * LENGTH, rtol=1e-13)
    assert np.allclose(body_integrals.S0, [RHO_A * LENGTH**2 / 2.0, 0.0, 0.0], rtol=1e-13)
    assert np.allclose(body_integrals.P0, np.diag([RHO_A * LENGTH**3 / 3.0, 0.0, 0.0]), rtol=1e-13)
    expected = {
        "S1": ((slice(None), 1), RHO_A * LENGTH / (p + 1.0)),
        "N1": ((slice(None), 0, 1), RHO_A * LENGTH**2 / (p + 2.0)),
        "N2": ((slice(None), slice(None), 1, 1), RHO_A * LENGTH / (pairs + 1.0)),
        "S2": ((slice(None), slice(None), 0), -RHO_A * g / pairs),
        "X": ((slice(None), slice(None), 0, 0), -RHO_A * LENGTH * g / (pairs + 1.0)),
        "N3": ((slice(None),) * 3 + (1, 0), -RHO_A * g / (p[:, None, None] + pairs)),
        "N4": (
            (slice(None),) * 4 + (0, 0),
            RHO_A / LENGTH * np.multiply.outer(g, g) / (np.add.outer(pairs, pairs) - 1.0),
        ),
    }
    for name, (entries, values) in expected.items():
        whole = np.zeros_like(getattr(body_integrals, name))
        whole[entries] = values
        # Legendre and monomial evaluations agree to round-off of their sums.
        assert np.allclose(getattr(body_integrals, name), whole, atol=1e-13 * np.abs(whole).max()), name


def test_invariants_of_sines_in_closed_form() -> None:
    basis = beam(family="modes", frame="chord", bending_y=2, bending_z=0)
    body = quadratic_field(basis, 1)
    assert isinstance(body, Invariants)
    signs = np.sign(sample(basis, np.array([0.1 * LENGTH])).v[0])
    j = np.array([1, 2])
    first = RHO_A * LENGTH * (1.0 - (-1.0) ** j) / (j * np.pi)
    assert np.allclose(body.S1[:, 1], signs * first, atol=1e-12)
    assert np.allclose(body.N2[..., 1, 1], RHO_A * LENGTH / 2.0 * np.eye(2), atol=1e-12)
    # int_0^L int_0^x cos(j pi t/L) cos(k pi t/L): (j pi)^2/4 on the diagonal; for 1 and 2 by products to sums
    cross = 2.0 * np.pi**2 * 0.5 * (2.0 / np.pi**2 + 2.0 / (9.0 * np.pi**2))
    expected = -RHO_A * np.array([[np.pi**2 / 4.0, cross], [cross, np.pi**2]])
    assert np.allclose(body.S2[..., 0], expected * np.outer(signs, signs), rtol=1e-12)


def coordinates(basis: BeamBasis, seed: int = 2) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=len(basis.shapes))


@pytest.mark.parametrize("kind", KINDS)
def test_markers_converge_to_the_exact_field_with_the_third_power(kind: str) -> None:
    basis = beam(**KINDS[kind])
    exact, direction = ExactMotion(basis, gauss=24), 0.1 * coordinates(basis)
    places = np.array([[0.37, 0.02, -0.01], [LENGTH, 0.0, 0.0], [0.0, 0.01, 0.03], [LENGTH + 0.1, 0.0, 0.2]])
    errors = []
    for size in (0.2, 0.1):
        q = size * direction
        r, R = exact.pose(exact.points(places), q)
        shapes = [quadratic_marker(basis, point) for point in places]
        in_r = max(np.abs(p + m.displacement(q) - a).max() for p, m, a in zip(places, shapes, r, strict=True))
        in_R = max(np.abs(m.rotation(q) - A).max() for m, A in zip(shapes, R, strict=True))
        errors.append((in_r, in_R))
    rates = np.log2(np.array(errors[0]) / np.array(errors[1]))
    # 2.9 asks for the third power: a wrong second-order term would leave 2, and 3.1 or 4 come from higher terms.
    assert np.all(rates > 2.9), (errors, rates)
    assert np.all(np.array(errors[0]) > 1e-12)


def test_the_linear_marker_converges_with_the_second_power() -> None:
    basis = beam(**KINDS["start"])
    exact, direction, point = ExactMotion(basis), 0.1 * coordinates(basis), np.array([LENGTH, 0.0, 0.0])
    marker = quadratic_marker(basis, point, order=0)
    assert marker.order == 1
    errors = []
    for size in (0.2, 0.1):
        q = size * direction
        r, R = exact.pose(exact.points(point[None]), q)
        errors.append([np.abs(point + marker.displacement(q) - r[0]).max(), np.abs(marker.rotation(q) - R[0]).max()])
    rates = np.log2(np.array(errors[0]) / np.array(errors[1]))
    assert np.all(np.abs(rates - 2.0) < 0.2)


@pytest.mark.parametrize("kind", KINDS)
def test_inertia_converges_to_the_exact_field(kind: str) -> None:
    """Positions err with the third power, their derivatives with the second: so does the mass matrix."""
    basis = beam(**KINDS[kind])
    field, exact, direction = quadratic_field(basis, "full"), ExactMotion(basis), 0.1 * coordinates(basis)
    errors = []
    for size in (0.0, 0.2, 0.1):
        q = size * direction
        M = exact.mass_matrix(q)
        errors.append(np.abs(field.mass_matrix(q) - M).max() / np.abs(M).max())
    assert errors[0] < 1e-13
    assert np.log2(errors[1] / errors[2]) > 1.9


def test_bending_alone_is_complete_to_the_third_order() -> None:
    """Without twist and stretch the next term of the centre line is of fourth order (theory 2.1)."""
    basis = beam()
    field, exact, direction = quadratic_field(basis, "full"), ExactMotion(basis, gauss=24), 0.1 * coordinates(basis)
    errors = [np.abs(field.mass_matrix(s * direction) - exact.mass_matrix(s * direction)).max() for s in (0.4, 0.2)]
    assert np.log2(errors[0] / errors[1]) > 2.9


@pytest.mark.parametrize("kind", KINDS)
def test_identities_and_definiteness(kind: str) -> None:
    basis = beam(**KINDS[kind])
    body = quadratic_field(basis, 2)
    assert identity_error(body) < 1e-13
    assert isinstance(body, Invariants) and gram_deficit(body) > -1e-12


def test_truncation_loses_definiteness_at_a_few_percent_and_the_full_field_does_not() -> None:
    """Theory 3.3: three shapes a plane, a bow of a few percent of the length."""
    basis = beam(bending_y=3, bending_z=3, rotary_inertia=True)
    q = 0.05 * LENGTH * np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    truncated, full = (np.linalg.eigvalsh(quadratic_field(basis, order).mass_matrix(q))[0] for order in (2, "full"))
    assert truncated < 0.0 < full


@pytest.mark.parametrize(
    "options",
    [{"rotary_inertia": True}, {"rotary_inertia": True, "torsion": 2, "axial": 1}, KINDS["shear"], {}],
)
def test_modal_mass_is_that_of_the_basis(options: dict[str, Any]) -> None:
    lumps = (Lump(0.8, 2.0, np.array([0.0, 0.1, -0.05]), np.diag([0.02, 0.03, 0.04])),)
    basis = beam(**(options | {"lumps": lumps}))
    body = quadratic_field(basis, 2)
    M = body.mass_matrix(np.zeros(len(basis.shapes)))[6:, 6:]
    assert np.allclose(M, basis.mass, atol=1e-12 * np.abs(basis.mass).max())


def test_without_shapes_the_beam_is_a_rigid_rod() -> None:
    basis = beam(bending_y=0, bending_z=0, rotary_inertia=True)
    M = quadratic_field(basis, 2).mass_matrix(np.zeros(0))
    m, rho = RHO_A * LENGTH, STEEL.density * LENGTH
    across = m * LENGTH**2 / 3.0
    expected = [rho * (SECTION.Iy + SECTION.Iz), across + rho * SECTION.Iy, across + rho * SECTION.Iz]
    assert np.allclose(np.diag(M), [m, m, m, *expected], rtol=1e-12)
    assert np.isclose(M[5, 1], m * LENGTH / 2.0) and np.isclose(M[4, 2], -m * LENGTH / 2.0)
    marker = quadratic_marker(basis, np.array([0.3, 0.1, 0.0]))
    assert np.allclose(marker.displacement(np.zeros(0)), 0.0) and np.allclose(marker.rotation(np.zeros(0)), np.eye(3))


@pytest.mark.parametrize("mass", [0.0, 3.0])
@pytest.mark.parametrize("inertia", [np.diag([0.1, 0.3, 0.35]), np.diag([0.0, 0.2, 0.0]), np.zeros((3, 3))])
def test_lump_points_have_mass_centre_and_inertia(mass: float, inertia: np.ndarray) -> None:
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    lump = Lump(0.5, mass, np.array([0.1, -0.2, 0.3]), turn @ inertia @ turn.T)
    masses, d = lump_points(lump)
    assert np.isclose(masses.sum(), mass) and np.allclose(masses @ d, mass * lump.center)
    P = np.einsum("p,pi,pj->ij", masses, d - lump.center, d - lump.center)
    assert np.allclose(np.trace(P) * np.eye(3) - P, lump.inertia, atol=1e-13)


def test_cubic_stiffness_is_the_third_order_of_the_strain_energy() -> None:
    basis = beam(torsion=2)
    exact, q = ExactMotion(basis), 0.1 * coordinates(basis)
    K3 = cubic_stiffness(basis)
    assert K3 is not None
    # Taylor coefficient along q from values on a circle in the complex plane
    circle = np.exp(2j * np.pi * np.arange(16) / 16)
    third = np.mean([exact.strain_energy(0.3 * z * q) * z**-3 for z in circle]).real / 0.3**3
    assert np.isclose(np.einsum("klm,k,l,m->", K3, q, q, q) / 6.0, third, rtol=1e-9)
    assert np.array_equal(K3, K3.transpose(1, 0, 2)) and np.allclose(K3, K3.transpose(2, 1, 0), rtol=1e-12)
    assert cubic_stiffness(beam()) is None
    assert cubic_stiffness(beam(section=rectangle(0.02, 0.02), torsion=1)) is None


def test_with_shear_the_slope_shortens_and_the_turn_rotates() -> None:
    """A stubby beam, where slope and turn differ: theta at the tip is the turn, its axial motion -1/2 int v'^2."""
    basis = beam(section=rectangle(0.5, 0.4), family="elements", elements=2, bending_y=1, bending_z=0, shear=True)
    tip = quadratic_marker(basis, np.array([LENGTH, 0.0, 0.0]))
    values = basis.shapes[0].values(np.array([LENGTH]))[0]
    assert abs(values[1] - values[2]) > 0.01 * abs(values[2])
    assert np.isclose(tip.Theta[0, 2], values[2])
    t, weight = np.polynomial.legendre.leggauss(12)
    slopes = [basis.shapes[0].values(s + LENGTH / 4.0 * (t + 1.0))[:, 1] for s in (0.0, LENGTH / 2.0)]
    shortening = sum(LENGTH / 4.0 * weight @ slope**2 for slope in slopes)
    assert np.isclose(tip.G[0, 0, 0], -shortening, rtol=1e-12)


def test_the_frame_end_is_the_mirrored_frame_start() -> None:
    start, end = beam(), beam(frame="end")
    q = 0.1 * coordinates(start)
    for x in (0.0, 0.4, LENGTH):
        one = quadratic_marker(start, np.array([x, 0.0, 0.0]))
        other = quadratic_marker(end, np.array([LENGTH - x, 0.0, 0.0]))
        assert np.allclose(one.displacement(q), other.displacement(q) * [-1.0, 1.0, 1.0], atol=1e-14)
        # a mirror at the middle turns the rotation vector's y and z components round
        assert np.allclose(one.rotation_vector(q), other.rotation_vector(q) * [1.0, -1.0, -1.0], atol=1e-14)
