"""The exact field of a beam: geometry, its own derivatives, Lagrange's equations and a published large deflection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.bodies.exact_motion import BodyMotion, ExactMotion
from flexmb.bodies.quadratic_beam import sample
from flexmb.elements.material import Material
from flexmb.elements.section import rectangle
from flexmb.reduction.beam_basis import BeamBasis, Lump, Span, beam_basis

STEEL = Material.isotropic(2.0e11, 0.3, 7870.0)
LENGTH = 1.1
LUMPS = (Lump(0.6, 0.7, np.array([0.02, 0.03, -0.01]), np.diag([1e-3, 2e-3, 2.5e-3])),)
KINDS: dict[str, dict[str, Any]] = {
    "start": {"family": "monomials", "frame": "start", "axial": 1, "torsion": 1, "lumps": LUMPS},
    "end": {"family": "monomials", "frame": "end", "torsion": 2},
    "chord": {"family": "modes", "frame": "chord", "torsion": 1},
    "mean": {"family": "elements", "elements": 4, "frame": "mean", "axial": 1, "torsion": 1, "shear": True},
}


def beam(**options: Any) -> BeamBasis:
    settings: dict[str, Any] = {"bending_y": 2, "bending_z": 2}
    return beam_basis(LENGTH, [Span(None, rectangle(0.04, 0.02), STEEL)], **(settings | options))


def state(basis: BeamBasis, size: float = 0.06) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng, n = np.random.default_rng(4), len(basis.shapes)
    return size * rng.normal(size=n), rng.normal(size=n), rng.normal(size=3)


def differences(f: Any, h: float) -> Any:
    """Derivative at 0 of f(t), error of the order h^6"""
    terms = {1: 45.0, 2: -9.0, 3: 1.0}
    return sum(weight * (f(step * h) - f(-step * h)) for step, weight in terms.items()) / (60.0 * h)


@pytest.mark.parametrize("kind", ["start", "end", "chord"])
def test_sections_twist_and_bend_as_the_coordinates_say(kind: str) -> None:
    """Material twist rate phi', curvatures of the energy, arc length kept, tangent normal to the section."""
    basis = beam(**(KINDS[kind] | {"axial": 0}))
    exact, q = ExactMotion(basis, gauss=30), state(basis)[0]
    x0 = 0.43

    def pose(dx: float) -> tuple[np.ndarray, np.ndarray]:
        r, R = exact.pose(exact.points(np.array([[x0 + dx, 0.0, 0.0]])), q)
        return r[0], R[0]

    h = 2e-3
    slope, turning = differences(lambda dx: pose(dx)[0], h), differences(lambda dx: pose(dx)[1], h)
    R = pose(0.0)[1]
    K = R.T @ turning
    kappa = np.array([K[2, 1], K[0, 2], K[1, 0]])
    at = sample(basis, np.array([x0 - h, x0, x0 + h]))
    phi_rate = np.diff((at.phi @ q)[[0, 2]])[0] / (2.0 * h)
    # Here phi is at most quadratic, so that its central difference is exact, or a slow sine (h^2 phi'''/6 < 1e-7).
    tolerance = 1e-6 if kind == "chord" else 1e-10
    assert np.isclose(kappa[0], phi_rate, atol=tolerance)
    assert np.allclose(slope, R[:, 0], atol=1e-10)
    beta, gamma, beta_slope, gamma_slope = ((a @ q)[1] for a in (at.beta, at.gamma, at.beta_slope, at.gamma_slope))
    sigma = np.sqrt(1.0 - beta**2 - gamma**2)
    # curvature of a curve of unit speed: |r''|^2, with r'' = (-(b b' + c c')/s, b', c')
    total = beta_slope**2 + gamma_slope**2 + ((beta * beta_slope + gamma * gamma_slope) / sigma) ** 2
    assert np.isclose(kappa[1] ** 2 + kappa[2] ** 2, total, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_rates_and_biases_are_derivatives_of_the_pose(kind: str) -> None:
    basis = beam(**KINDS[kind])
    exact = ExactMotion(basis)
    q, q_dot, _ = state(basis)
    q_dot *= 0.3
    places = exact.points(np.array([[0.5, 0.02, 0.01], [LENGTH, 0.0, 0.0], [-0.1, 0.0, 0.05]]))
    here, h = exact.motion(places, q, q_dot), 3e-3

    def at(t: float) -> Any:
        return exact.motion(places, q + q_dot * t, q_dot)

    assert np.allclose(here.R @ here.R.swapaxes(1, 2), np.eye(3), atol=1e-14)
    assert np.allclose(np.einsum("mki,k->mi", here.psi, q_dot), here.r_dot, atol=1e-12)
    assert np.allclose(np.einsum("mki,k->mi", here.turn, q_dot), here.omega, atol=1e-12)
    assert np.allclose(differences(lambda t: at(t).r, h), here.r_dot, atol=1e-11)
    spin = differences(lambda t: at(t).R, h) @ here.R.swapaxes(1, 2)
    assert np.allclose(np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], -1), here.omega, atol=1e-11)
    assert np.allclose(differences(lambda t: at(t).r_dot, h), here.bias_r, atol=1e-10)
    assert np.allclose(differences(lambda t: at(t).omega, h), here.bias_omega, atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_the_equations_are_those_of_a_body_with_this_kinetic_energy(kind: str) -> None:
    """Momentum balance in body axes (Kirchhoff) and Lagrange's equations of the modes, from the mass matrix alone."""
    basis = beam(**KINDS[kind])
    exact = ExactMotion(basis)
    q, q_dot, omega = state(basis)
    rng, n = np.random.default_rng(6), len(q)
    q_dot *= 0.5
    y = np.concatenate([rng.normal(size=3), omega, q_dot])
    y_rate = rng.normal(size=6 + n)
    h = 2e-3
    momentum = exact.mass_matrix(q) @ y
    rate = differences(lambda t: exact.mass_matrix(q + q_dot * t) @ (y + y_rate * t), h)
    gradient = [differences(lambda t, e=e: 0.5 * y @ exact.mass_matrix(q + e * t) @ y, h) for e in np.eye(n)]
    expected = rate.copy()
    expected[:3] += np.cross(omega, momentum[:3])
    expected[3:6] += np.cross(omega, momentum[3:6]) + np.cross(y[:3], momentum[:3])
    expected[6:] -= gradient
    a = y_rate[:3] + np.cross(omega, y[:3])
    ours = exact.inertia_forces(BodyMotion(q, q_dot, y_rate[6:], a, y_rate[3:6], omega))
    # Sixth-order differences with slopes that change by h: truncation and round-off both below 1e-10.
    assert np.allclose(ours, expected, atol=1e-9 * np.abs(expected).max())
    y_dot = np.concatenate([a, y_rate[3:]])
    split = exact.mass_matrix(q) @ y_dot + exact.velocity_forces(q, q_dot, omega)
    assert np.allclose(split, ours, atol=1e-12 * np.abs(ours).max())


def test_mass_matrix_is_definite_at_any_deflection() -> None:
    basis = beam(**(KINDS["chord"] | {"torsion": 1}))
    exact = ExactMotion(basis)
    for size in (0.0, 0.03, 0.06):
        assert np.linalg.eigvalsh(exact.mass_matrix(size * np.ones(len(basis.shapes))))[0] > 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_elastic_forces_are_the_gradient_of_the_energy(kind: str) -> None:
    basis = beam(**KINDS[kind])
    exact, q = ExactMotion(basis), state(basis)[0]
    force = exact.elastic_forces(q)
    slopes = [differences(lambda t, e=e: exact.strain_energy(q + e * t), 1e-3) for e in np.eye(len(q))]
    assert np.allclose(force, slopes, atol=1e-9 * np.abs(force).max())
    tiny = 1e-7
    assert np.allclose(exact.elastic_forces(tiny * q) / tiny, basis.stiffness @ q, rtol=1e-6, atol=1e-6 * force.max())


def test_energy_of_plane_bending_is_that_of_its_curvature() -> None:
    """V = 1/2 EI int v''^2/(1 - v'^2) for a plane inextensible beam (theory 2.2)."""
    basis = beam(family="monomials", frame="start", bending_z=0)
    exact, q = ExactMotion(basis, gauss=30), np.array([0.2, -0.1])
    t, weight = np.polynomial.legendre.leggauss(40)
    at = sample(basis, 0.5 * LENGTH * (t + 1.0))
    EI = STEEL.E * rectangle(0.04, 0.02).Iz
    energy = 0.25 * EI * LENGTH * weight @ ((at.beta_slope @ q) ** 2 / (1.0 - (at.v_slope @ q) ** 2))
    assert np.isclose(exact.strain_energy(q), energy, rtol=1e-10)


def cantilever(load: float, count: int = 6) -> tuple[ExactMotion, np.ndarray, float]:
    """Equilibrium of a clamped beam under a dead tip force along y, load = F L^2/(EI)."""
    basis = beam(family="monomials", frame="start", bending_y=count, bending_z=0)
    exact = ExactMotion(basis, gauss=30)
    force = load * STEEL.E * rectangle(0.04, 0.02).Iz / LENGTH**2
    tip, zero = exact.points(np.array([[LENGTH, 0.0, 0.0]])), np.zeros(count)
    q = zero.copy()

    def residual(q: np.ndarray, part: float) -> np.ndarray:
        return exact.elastic_forces(q) - part * force * exact.motion(tip, q, zero).psi[0, :, 1]

    for part in (0.5, 1.0):
        for _ in range(5):
            steps = 1e-6 * np.eye(count)
            tangent = np.stack([(residual(q + e, part) - residual(q - e, part)) / 2e-6 for e in steps], axis=1)
            q = q - np.linalg.solve(tangent, residual(q, part))
    assert np.abs(residual(q, 1.0)).max() < 1e-9 * force
    return exact, q, force


@pytest.mark.parametrize(
    ("load", "w", "u", "angle"), [(1.0, 0.30172, 0.05643, 0.46135), (2.0, 0.49346, 0.16064, 0.78175)]
)
def test_cantilever_with_a_tip_force_deflects_as_the_elastica(load: float, w: float, u: float, angle: float) -> None:
    """Mattiasson, Int. J. Numer. Meth. Eng. 17 (1981), elliptic integrals to five digits."""
    exact, q, _ = cantilever(load)
    r, R = exact.pose(exact.points(np.array([[LENGTH, 0.0, 0.0]])), q)
    # Six monomials: the deflection is a smooth curve, converged to 1e-5.
    assert np.isclose(r[0, 1] / LENGTH, w, atol=2e-5)
    assert np.isclose(1.0 - r[0, 0] / LENGTH, u, atol=2e-5)
    assert np.isclose(np.arctan2(R[0, 1, 0], R[0, 0, 0]), angle, atol=1e-4)


def test_stations_of_the_basis_come_close_to_the_field_itself() -> None:
    """At 5 % deflection, the basis's own Gauss points against many."""
    basis = beam(**KINDS["start"])
    q = state(basis, 0.05)[0]
    few, many = ExactMotion(basis), ExactMotion(basis, gauss=40)
    M = many.mass_matrix(q)
    assert np.allclose(few.mass_matrix(q), M, atol=1e-6 * np.abs(M).max())
