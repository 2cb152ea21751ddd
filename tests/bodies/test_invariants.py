"""Inertia of flexible bodies by invariants and by mass points: identities, Lagrange's equations, SID names.

Covers: bodies.point_field, bodies.sid.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.bodies.invariants import InertiaField, Invariants
from flexmb.bodies.point_field import PointField
from flexmb.bodies.sid import standard_input_data
from tests.support.inertia_identities import gram_deficit, identity_error

N, POINTS = 3, 7
ORDERS = [0, 1, 2, "full"]


def cloud(n: int = N, seed: int = 1) -> PointField:
    """Random mass points that move in a random quadratic way."""
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(POINTS, n, n, 3))
    mass = rng.uniform(0.5, 2.0, size=POINTS)
    return PointField(mass, rng.normal(size=(POINTS, 3)), rng.normal(size=(POINTS, n, 3)), 0.5 * (G + G.swapaxes(1, 2)))


def state(seed: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return 0.4 * rng.normal(size=N), rng.normal(size=N), rng.normal(size=3)


def fields() -> list[InertiaField]:
    return [*(cloud().invariants(order) for order in ORDERS), cloud()]


def exponential(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotation exp(~theta) and the matrix that takes theta' to its angular velocity in rotated axes; theta complex."""
    t = np.sqrt(theta @ theta)
    x, y, z = theta
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    b, c = (1.0 - np.cos(t)) / t**2, (t - np.sin(t)) / t**3
    return np.eye(3) + np.sin(t) / t * cross + b * cross @ cross, np.eye(3) - b * cross + c * cross @ cross


@pytest.mark.parametrize("field", fields())
def test_the_equations_are_those_of_lagrange_with_finite_rotations(field: InertiaField) -> None:
    """Generalised coordinates: position, rotation vector and modes; every derivative by complex steps, so round-off."""
    rng = np.random.default_rng(3)
    z, z_dot, z_ddot = 0.5 * rng.normal(size=6 + N), rng.normal(size=6 + N), rng.normal(size=6 + N)

    def velocity_map(z: np.ndarray) -> np.ndarray:
        """y = [v; w; q'] per unit of z'"""
        R, turn = exponential(z[3:6])
        B = np.zeros((6 + N, 6 + N), dtype=complex)
        B[:3, :3], B[3:6, 3:6], B[6:, 6:] = R.T, turn, np.eye(N)
        return B

    def momentum(z: np.ndarray, z_dot: np.ndarray) -> np.ndarray:
        B = velocity_map(z)
        return B.T @ field.mass_matrix(z[6:]) @ B @ z_dot

    h = 1e-30
    ahead, rate_ahead = z + 1j * h * z_dot, z_dot + 1j * h * z_ddot
    momentum_rate = momentum(ahead, rate_ahead).imag / h
    gradient = [0.5 * (z_dot @ momentum(step, z_dot)).imag / h for step in z + 1j * h * np.eye(6 + N)]
    B = velocity_map(z).real
    y, y_dot = B @ z_dot, (velocity_map(ahead) @ rate_ahead).imag / h
    y_dot[:3] += np.cross(y[3:6], y[:3])  # the inertial acceleration of the origin, in body axes
    ours = B.T @ (field.mass_matrix(z[6:]) @ y_dot + field.velocity_forces(z[6:], y[6:], y[3:6]))
    lagrange = momentum_rate - np.array(gradient)
    assert np.allclose(ours, lagrange, atol=1e-12 * np.abs(lagrange).max())


def test_forces_are_those_of_particles_in_space() -> None:
    """The untruncated field against Newton for each particle: second differences of its world positions."""
    field, (q, q_dot, _) = cloud(), state()
    rng = np.random.default_rng(8)
    p_dot, p_ddot, theta, theta_dot, q_ddot = (rng.normal(size=size) for size in (3, 3, 3, 3, N))

    def world(t: float) -> np.ndarray:
        R, _ = exponential(theta + theta_dot * t)
        rho = field.positions(q + q_dot * t + 0.5 * q_ddot * t**2)
        return p_dot * t + 0.5 * p_ddot * t**2 + rho @ R.T

    h = 1e-3
    weights = {-3: 2.0, -2: -27.0, -1: 270.0, 0: -490.0, 1: 270.0, 2: -27.0, 3: 2.0}
    acceleration = sum(weight * world(step * h) for step, weight in weights.items()) / (180.0 * h**2)
    R, turn = exponential(theta)
    force = field.mass[:, None] * (acceleration @ R)
    rho, psi = field.positions(q), field.psi(q)
    newton = np.concatenate([force.sum(0), np.cross(rho, force).sum(0), np.einsum("pki,pi->k", psi, force)])
    omega = turn @ theta_dot
    _, turn_ahead = exponential(theta + 1e-30j * theta_dot)
    alpha = (turn_ahead @ theta_dot).imag / 1e-30
    motion = np.stack([R.T @ p_ddot, alpha, omega])
    y_dot = np.concatenate([motion[0], alpha, q_ddot])
    ours = field.mass_matrix(q) @ y_dot + field.velocity_forces(q, q_dot, omega)
    # Sixth-order differences at h = 1e-3: truncation 1e-16, round-off about 1e-16/h^2 = 1e-10.
    assert np.allclose(ours, newton, atol=1e-8 * np.abs(newton).max())
    assert np.allclose(field.mass_forces(q, q_dot, q_ddot, motion), force, atol=1e-8 * np.abs(force).max())


def test_points_and_invariants_with_N4_give_the_same() -> None:
    points, (q, q_dot, omega) = cloud(), state()
    integrals = points.invariants()
    assert np.allclose(points.mass_matrix(q), integrals.mass_matrix(q), atol=1e-13)
    h = points.velocity_forces(q, q_dot, omega)
    assert np.allclose(h, integrals.velocity_forces(q, q_dot, omega), atol=1e-13 * np.abs(h).max())
    y = np.concatenate([state(1)[2], omega, q_dot])
    rho, rate = points.positions(q), np.einsum("k,pki->pi", q_dot, points.psi(q))
    velocity = y[:3] + np.cross(omega, rho) + rate
    energy = 0.5 * np.sum(points.mass[:, None] * velocity**2)
    assert np.isclose(points.kinetic_energy(q, y), energy, rtol=1e-13)
    assert np.isclose(integrals.kinetic_energy(q, y), energy, rtol=1e-13)


@pytest.mark.parametrize("order", ORDERS)
def test_truncated_energy_is_the_taylor_polynomial(order: int | str) -> None:
    """T to order p in (q, q'): halving the modes divides the rest by 2^(p + 1)."""
    points, (q, q_dot, omega) = cloud(), state()
    truncated = points.invariants(order)  # type: ignore[arg-type]
    rest = []
    for size in (4e-3, 2e-3):
        y = np.concatenate([[0.3, -0.2, 0.5], omega, size * q_dot])
        rest.append(points.kinetic_energy(size * q, y) - truncated.kinetic_energy(size * q, y))
    expected = {0: 2, 1: 3, 2: 4}
    if order == "full":
        assert np.allclose(rest, 0.0, atol=1e-13)
    else:
        assert np.isclose(np.log2(abs(rest[0] / rest[1])), expected[order], atol=0.15)  # type: ignore[index]


@pytest.mark.parametrize("field", fields())
def test_identities_hold(field: InertiaField) -> None:
    assert identity_error(field) < 1e-13


@pytest.mark.parametrize("name", ["N2", "S2", "X", "N3", "N4", "P0"])
def test_identities_find_a_damaged_invariant(name: str) -> None:
    sound = cloud().invariants()
    array = np.array(getattr(sound, name))
    array += 0.1 * np.random.default_rng(2).normal(size=array.shape)  # breaks every symmetry
    assert identity_error(replace(sound, **{name: array})) > 1e-4


def test_gram_matrix_finds_what_the_identities_cannot() -> None:
    sound = cloud(n=2).invariants(1)
    assert gram_deficit(sound) > -1e-12
    damaged = replace(sound, S1=3.0 * sound.S1)
    assert identity_error(damaged) < 1e-13
    assert gram_deficit(damaged) < -1e-3


def test_truncation_states_what_it_holds() -> None:
    full = cloud().invariants()
    for order in ORDERS:
        assert full.truncated(order).order == order  # type: ignore[arg-type]
    assert not np.any(full.truncated(0).S2) and not np.any(full.truncated(0).X)
    with pytest.raises(ValueError, match="N3"):
        full.truncated(1).truncated(2)


def test_without_modes_a_rigid_body_is_left() -> None:
    points, omega, nothing = cloud(n=0), state()[2], np.zeros(0)
    for field in (points, points.invariants(2), points.invariants()):
        m, c = points.mass.sum(), points.mass @ points.X / points.mass.sum()
        d = points.X - c
        J_c = np.einsum(
            "p,pij->ij", points.mass, np.einsum("pk,pk,ij->pij", d, d, np.eye(3)) - d[:, :, None] * d[:, None]
        )
        J = J_c + m * (c @ c * np.eye(3) - np.outer(c, c))
        M = field.mass_matrix(nothing)
        assert np.allclose(M[3:, 3:], J, rtol=1e-13) and np.allclose(M[:3, :3], m * np.eye(3))
        assert np.allclose(M[3:, :3] @ [1.0, 2.0, 3.0], m * np.cross(c, [1.0, 2.0, 3.0]))
        h = field.velocity_forces(nothing, nothing, omega)
        expected = np.concatenate([m * np.cross(omega, np.cross(omega, c)), np.cross(omega, J @ omega)])
        assert np.allclose(h, expected, rtol=1e-12)
        assert identity_error(field) < 1e-14


def derivative(f, at: np.ndarray) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Of an array-valued f of a vector, with the index of the vector last."""
    return np.stack([f(step).imag / 1e-30 for step in at + 1e-30j * np.eye(len(at))], axis=-1)


def test_sid_is_the_taylor_series_of_the_mass_matrix() -> None:
    body = cloud().invariants(2)
    sid, zero = standard_input_data(body), np.zeros(N)
    blocks = {"Ct": np.s_[6:, :3], "Cr": np.s_[6:, 3:6], "Me": np.s_[6:, 6:], "J": np.s_[3:6, 3:6]}
    for name, block in blocks.items():
        assert np.allclose(sid[name]["M0"], body.mass_matrix(zero)[block], atol=1e-13), name
        assert np.allclose(sid[name]["M1"], derivative(lambda q, b=block: body.mass_matrix(q)[b], zero), atol=1e-13), (
            name
        )
    assert np.allclose(sid["mdCM"]["M0"], body.S(zero))
    assert np.allclose(sid["mdCM"]["M1"], derivative(body.S, zero))


def test_sid_is_the_taylor_series_of_the_velocity_forces() -> None:
    body, (_, _, omega) = cloud().invariants(2), state()
    sid, zero = standard_input_data(body), np.zeros(N)
    products = np.concatenate([omega**2, omega[[0, 1, 0]] * omega[[1, 2, 2]]])

    def centrifugal(q: np.ndarray) -> np.ndarray:
        return body.velocity_forces(q, zero, omega)[6:]

    assert np.allclose(sid["Oe"]["M0"] @ products, centrifugal(zero), atol=1e-12)
    assert np.allclose(np.einsum("kcl,c->kl", sid["Oe"]["M1"], products), derivative(centrifugal, zero), atol=1e-12)

    def per_rate(q: np.ndarray, rows: slice) -> np.ndarray:
        """Force per unit of each elastic rate; central differences are exact, forces being quadratic in the rates"""
        rates = np.eye(N)
        forces = [body.velocity_forces(q, s, omega) - body.velocity_forces(q, -s, omega) for s in rates]
        return 0.5 * np.stack(forces, axis=-1)[rows]

    for name, rows in (("Gr", slice(3, 6)), ("Ge", slice(6, None))):
        blocks = sid[name]["M0"].reshape(-1, N, 3) @ omega
        assert np.allclose(blocks, per_rate(zero, rows), atol=1e-12), name
        slopes = derivative(lambda q, r=rows: per_rate(q, r), zero)
        shape = sid[name]["M0"].shape
        ours = np.einsum("rlcm,c->rlm", sid[name]["M1"].reshape(shape[0], N, 3, N), omega)
        assert np.allclose(ours, slopes, atol=1e-12), name


def test_sid_geometric_stiffness_is_what_the_second_order_field_adds() -> None:
    body = cloud().invariants(1)
    sid, linear, (q, _, omega) = standard_input_data(body), body.truncated(0), state()
    a, alpha = np.array([0.4, -1.0, 2.0]), np.array([-0.3, 0.7, 0.2])
    y_dot = np.concatenate([a, alpha, np.zeros(N)])

    def modal_forces(field: Invariants, q: np.ndarray) -> np.ndarray:
        return (field.mass_matrix(q) @ y_dot + field.velocity_forces(q, 0.0 * q, omega))[6:]

    products = np.concatenate([omega**2, omega[[0, 1, 0]] * omega[[1, 2, 2]]])
    stiffness = sid["K0t"]["M0"] @ a + sid["K0r"]["M0"] @ alpha + sid["K0omega"]["M0"] @ products
    assert np.allclose(stiffness @ q, modal_forces(body, q) - modal_forces(linear, q), atol=1e-12)


def test_sid_carries_the_elastic_matrices_it_is_given() -> None:
    sid = standard_input_data(cloud().invariants(1), np.diag([1.0, 2.0, 3.0]))
    assert np.array_equal(sid["Ke"]["M0"], np.diag([1.0, 2.0, 3.0])) and "De" not in sid
    assert "M1" not in sid["Me"] and not np.any(sid["ksigma"]["M0"])
    assert standard_input_data(cloud(n=0).invariants())["Gr"]["M0"].shape == (3, 0)
