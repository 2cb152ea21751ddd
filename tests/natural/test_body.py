"""Bodies by points and unit vectors: mass matrices against direct quadrature of solids made of point masses, energy and
virtual power of rigid motions, the uniform bar [GJB example 4.6], wrong input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.natural.body import BodyPoint, BodyVector, NaturalBody
from flexmb.natural.constraints import ConstraintBuilder
from flexmb.natural.extension import Extension
from flexmb.natural.layout import Layout, direction_of, point_of
from flexmb.natural.mass import extended_mass_matrix, kinetic_energy, mass_matrix
from flexmb.natural.scalar_terms import ScalarTerm
from tests.support.natural_joints import velocity_force
from tests.support.natural_solids import ROUND, SPATIAL, Array, Solid, motion, random_body, rigid, units


def skew(a: Array) -> Array:
    return np.cross(np.eye(3), a)


def blocks(scalars: list[list[float]]) -> Array:
    return np.kron(np.array(scalars, dtype=float), np.eye(3))


def printed_mass(cloud: Solid, r_i: Array, r_j: Array, u: Array, v: Array) -> Array:
    """Eq. 4.59 summed over the masses: c = X^-1 (r - r_i), M = sum m C^T C."""
    X = np.column_stack([r_j - r_i, u, v])
    total = np.zeros((12, 12))
    for mass, place in zip(cloud.masses, cloud.places, strict=True):
        c = np.linalg.solve(X, place - r_i)
        C = np.hstack([(1.0 - c[0]) * np.eye(3), *(part * np.eye(3) for part in c)])
        total += mass * C.T @ C
    return total


@pytest.mark.parametrize("seed", range(3))
def test_mass_matrix_of_two_points_and_two_vectors(seed: int) -> None:
    """Eq. 4.59 by direct quadrature."""
    cloud, body, _ = random_body(np.random.default_rng(seed), 2, 2)
    np.testing.assert_allclose(mass_matrix(body), printed_mass(cloud, *body.places), rtol=0, atol=ROUND)


@pytest.mark.parametrize("seed", range(3))
def test_mass_matrix_of_three_points_and_a_vector(seed: int) -> None:
    """V^T M V with V of eq. 4.63, v = (r_k - r_j)/L_jk."""
    cloud, body, _ = random_body(np.random.default_rng(seed), 3, 1)
    r_i, r_j, r_k, u = body.places
    L = np.linalg.norm(r_k - r_j)
    V = blocks([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, -1 / L, 1 / L, 0]])
    wanted = V.T @ printed_mass(cloud, r_i, r_j, u, (r_k - r_j) / L) @ V
    np.testing.assert_allclose(mass_matrix(body), wanted, rtol=0, atol=ROUND)


@pytest.mark.parametrize("seed", range(3))
def test_mass_matrix_of_four_points(seed: int) -> None:
    """V^T M V with V of eq. 4.69, its lengths corrected to L_ik and L_jl."""
    cloud, body, _ = random_body(np.random.default_rng(seed), 4, 0)
    r_i, r_j, r_k, r_l = body.places
    ik, jl = np.linalg.norm(r_k - r_i), np.linalg.norm(r_l - r_j)
    V = blocks([[1, 0, 0, 0], [0, 1, 0, 0], [-1 / ik, 0, 1 / ik, 0], [0, -1 / jl, 0, 1 / jl]])
    wanted = V.T @ printed_mass(cloud, r_i, r_j, (r_k - r_i) / ik, (r_l - r_j) / jl) @ V
    np.testing.assert_allclose(mass_matrix(body), wanted, rtol=0, atol=ROUND)


@pytest.mark.parametrize("seed", range(3))
def test_mass_matrix_of_two_points_and_a_vector(seed: int) -> None:
    """V^T M V with V of eq. 4.72 (r_ij = r_i - r_j), v = c (r_i - r_j) x u; and -V^T M V_dot v with V_dot of eq. 4.75,
    its upper rows zero."""
    rng = np.random.default_rng(seed)
    cloud, body, _ = random_body(rng, 2, 1)
    r_i, r_j, u = body.places
    c = 1.0 / np.linalg.norm(np.cross(r_i - r_j, u))
    constant = printed_mass(cloud, r_i, r_j, u, c * np.cross(r_i - r_j, u))
    x, v, _ = motion(rng).coordinates(body)

    def lower(q: Array) -> Array:
        r_i, r_j, u = q.reshape(3, 3)
        return np.hstack([-c * skew(u), c * skew(u), c * skew(r_i - r_j)])

    V = np.vstack([np.eye(9), lower(x)])
    np.testing.assert_allclose(mass_matrix(body, x), V.T @ constant @ V, rtol=0, atol=ROUND)
    V_dot = np.vstack([np.zeros((9, 9)), lower(v)])
    np.testing.assert_allclose(velocity_force(body, x, v), -V.T @ constant @ V_dot @ v, rtol=0, atol=ROUND)


def test_kernel_written_out() -> None:
    """Eq. 4.61 written out with a and Z, for a body whose frame is not at a basic point."""
    rng = np.random.default_rng(5)
    cloud, body, _ = random_body(rng, 2, 2)
    X = np.column_stack([body.places[1] - body.places[0], body.places[2], body.places[3]])
    J = np.einsum("n,ni,nj->ij", cloud.masses, cloud.places - body.places[0], cloud.places - body.places[0])
    m, Z = body.mass, np.linalg.solve(X, np.linalg.solve(X, J).T)
    a = np.linalg.solve(X, body.center - body.places[0])
    kernel = np.zeros((4, 4))
    kernel[0, 0] = m - 2 * m * a[0] + Z[0, 0]
    kernel[0, 1:] = kernel[1:, 0] = m * a - Z[0]
    kernel[1:, 1:] = Z
    np.testing.assert_allclose(mass_matrix(body), np.kron(kernel, np.eye(3)), rtol=0, atol=ROUND)


def test_kernel_on_record() -> None:
    """A kernel of eq. 4.61 computed elsewhere: the ten numbers of a body that has it, with its basics in other places,
    must give it back."""
    kernel = np.array(
        [
            [1.38625, 0.01375, -0.06, 0.1045],
            [0.01375, 0.58625, -0.04, 0.0555],
            [-0.06, -0.04, 0.04, -0.01],
            [0.1045, 0.0555, -0.01, 0.0278],
        ]
    )
    rng = np.random.default_rng(6)
    mass, Z = np.sum(kernel[:2, :2]), kernel[1:, 1:]
    a = np.sum(kernel[:2, 1:], axis=0) / mass
    for _ in range(5):
        r_i, arm = rng.normal(size=(2, 3))
        u, v = units(rng, 2)
        X = np.column_stack([arm, u, v])
        second = X @ (Z - mass * np.outer(a, a)) @ X.T
        inertia = np.trace(second) * np.eye(3) - second
        points = (BodyPoint(0, r_i), BodyPoint(1, r_i + arm))
        body = NaturalBody("b", mass, r_i + X @ a, inertia, points, (BodyVector(0, u), BodyVector(1, v)))
        np.testing.assert_allclose(mass_matrix(body), np.kron(kernel, np.eye(3)), rtol=0, atol=ROUND)
    assert mass == pytest.approx(2.0)


@pytest.mark.parametrize("seed", range(3))
def test_planar_mass_matrix(seed: int) -> None:
    """Eq. 4.48 in the frame of the points i, j; and direct quadrature of eq. 4.35 in another frame."""
    rng = np.random.default_rng(seed)
    cloud, body, _ = random_body(rng, 2, 0, dimension=2)
    arm = body.places[1] - body.places[0]
    L = np.linalg.norm(arm)
    x_axis = arm / L
    y_axis = np.array([-x_axis[1], x_axis[0]])
    total = np.zeros((4, 4))
    for mass, place in zip(cloud.masses, cloud.places, strict=True):
        c1, c2 = (place - body.places[0]) @ x_axis / L, (place - body.places[0]) @ y_axis / L
        C = np.array([[1 - c1, c2, c1, -c2], [-c2, 1 - c1, c2, c1]])
        total += mass * C.T @ C
    np.testing.assert_allclose(mass_matrix(body), total, rtol=0, atol=ROUND)
    to_center = np.asarray(body.center) - body.places[0]
    m, x_g, y_g = body.mass, to_center @ x_axis, to_center @ y_axis
    I_i = float(np.asarray(body.inertia)) + m * to_center @ to_center
    corner, side, skewed = m - 2 * m * x_g / L + I_i / L**2, m * x_g / L - I_i / L**2, m * y_g / L
    printed = np.array(
        [
            [corner, 0, side, -skewed],
            [0, corner, skewed, side],
            [side, skewed, I_i / L**2, 0],
            [-skewed, side, 0, I_i / L**2],
        ]
    )
    np.testing.assert_allclose(mass_matrix(body), printed, rtol=0, atol=ROUND)


@pytest.mark.parametrize("dimension", [2, 3])
def test_uniform_bar(dimension: int) -> None:
    """Example 4.6 and eq. 4.86: m/3 and m/6, in a frame that is not at an end and not along the bar."""
    m, start = 1.7, np.array([0.3, -0.2, 0.5])[:dimension]
    arm = np.array([0.6, 0.5, -0.3])[:dimension]
    L = float(np.linalg.norm(arm))
    across = m * L**2 / 12.0
    inertia = across if dimension == 2 else across * (np.eye(3) - np.outer(arm, arm) / L**2)
    body = NaturalBody("bar", m, start + 0.5 * arm, inertia, (BodyPoint(0, start), BodyPoint(1, start + arm)))
    wanted = np.kron(np.array([[m / 3, m / 6], [m / 6, m / 3]]), np.eye(dimension))
    np.testing.assert_allclose(mass_matrix(body), wanted, rtol=0, atol=1e-15)
    assert body.frame.kind == ("planar" if dimension == 2 else "bar")


@SPATIAL
def test_energy_and_places_of_rigid_motions(n_points: int, n_vectors: int) -> None:
    """Every material point and vector, and the kinetic energy, as those of the cloud itself."""
    rng = np.random.default_rng([n_points, n_vectors])
    cloud, body, layout = random_body(rng, n_points, n_vectors)
    extension = Extension([body], layout)
    mass = extended_mass_matrix([body], layout)
    for _ in range(5):
        moving = motion(rng)
        x, v, _ = moving.coordinates(body)
        y, y_dot = extension.extend(x), extension.velocity(x, v)
        places, velocities, _ = moving.of(cloud.places)
        energy = 0.5 * float(np.sum(cloud.masses[:, None] * velocities**2))
        assert kinetic_energy(mass, y_dot) == pytest.approx(energy, rel=ROUND)
        np.testing.assert_allclose(extension.jacobian(x) @ v, y_dot, rtol=0, atol=ROUND)
        for local, place, velocity in zip(cloud.places, places, velocities, strict=True):
            point = point_of(body, local, layout)
            np.testing.assert_allclose(point.at(y), place, rtol=0, atol=ROUND)
            np.testing.assert_allclose(point.rate(y_dot), velocity, rtol=0, atol=ROUND)
            np.testing.assert_allclose(direction_of(body, local, layout).at(y), moving.R @ local, rtol=0, atol=ROUND)


@pytest.mark.parametrize(("n_points", "n_vectors"), [(2, 0), (1, 1), (4, 2)])
def test_planar_rigid_motions(n_points: int, n_vectors: int) -> None:
    """The same in the plane."""
    rng = np.random.default_rng([2, n_points, n_vectors])
    cloud, body, layout = random_body(rng, n_points, n_vectors, dimension=2)
    moving = motion(rng, 2)
    x, v, a = moving.coordinates(body)
    places, velocities, accelerations = moving.of(cloud.places)
    energy = 0.5 * float(np.sum(cloud.masses[:, None] * velocities**2))
    assert kinetic_energy(extended_mass_matrix([body], layout), v) == pytest.approx(energy, rel=ROUND)
    for local, place, acceleration in zip(cloud.places, places, accelerations, strict=True):
        np.testing.assert_allclose(point_of(body, local, layout).at(x), place, rtol=0, atol=ROUND)
        np.testing.assert_allclose(point_of(body, local, layout).rate(a), acceleration, rtol=0, atol=ROUND)
    constraints = rigid(body, layout)
    assert layout.n_coordinates - np.linalg.matrix_rank(constraints.gradient(x).toarray()) == 3
    assert constraints.n_rows == layout.n_coordinates - 3
    np.testing.assert_allclose(constraints.value(x), 0.0, rtol=0, atol=ROUND)
    np.testing.assert_allclose(constraints.gradient(x) @ v, 0.0, rtol=0, atol=ROUND)
    np.testing.assert_allclose(constraints.gradient(x) @ a + constraints.gamma(x, v), 0.0, rtol=0, atol=ROUND)


@SPATIAL
def test_virtual_power_of_inertia(n_points: int, n_vectors: int) -> None:
    """v* . (M a - velocity force) = sum m r_ddot . r_dot* for rigid motions and rigid virtual velocities: eq. 4.78 with
    the corrected sign; with the printed one the bodies with two directions fail."""
    rng = np.random.default_rng([7, n_points, n_vectors])
    cloud, body, _ = random_body(rng, n_points, n_vectors)
    moving = motion(rng)
    x, v, a = moving.coordinates(body)
    _, _, accelerations = moving.of(cloud.places)
    inertia = mass_matrix(body, x) @ a - velocity_force(body, x, v)
    for _ in range(6):
        virtual = replace(moving, p_dot=rng.normal(size=3), omega=rng.normal(size=3))
        _, v_star, _ = virtual.coordinates(body)
        _, velocities, _ = virtual.of(cloud.places)
        power = float(np.sum(cloud.masses[:, None] * accelerations * velocities))
        assert v_star @ inertia == pytest.approx(power, abs=ROUND)


def test_chosen_subset_of_many_points() -> None:
    """With more than enough points the mass stands on four of them, and the others have none."""
    _, body, layout = random_body(np.random.default_rng(17), 6, 3)
    used = {body.frame.origin, *body.frame.directions}
    loaded = {k // 3 for k in np.flatnonzero(np.any(mass_matrix(body) != 0.0, axis=0))}
    assert loaded == used and len(used) == 4


POINTS = (BodyPoint(0, [0, 0, 0]), BodyPoint(1, [1, 0, 0]))
ROD = np.diag([0.0, 1.0, 1.0])
WRONG = {
    "nearly dependent": lambda: NaturalBody("b", 1, [0, 0, 0], np.eye(3), (*POINTS, BodyPoint(2, [2, 1e-7, 0]))),
    "mass off the line": lambda: NaturalBody("b", 1, [0.5, 0, 0], np.eye(3), POINTS),
    "off the line of its points": lambda: NaturalBody("b", 1, [0.5, 0.1, 0], ROD, POINTS),
    "mass off the only point": lambda: NaturalBody("b", 1, [0.5, 0, 0], 0 * ROD, POINTS[:1]),
    "not symmetric": lambda: NaturalBody("b", 1, [0, 0, 0], np.triu(np.ones((3, 3))), POINTS),
    "negative": lambda: NaturalBody("b", 1, [0, 0, 0], -np.eye(3), POINTS),
    "no basic point": lambda: NaturalBody("b", 1, [0, 0, 0], np.eye(3), ()),
    "length 2, not 1": lambda: NaturalBody("b", 1, [0, 0, 0], ROD, POINTS, (BodyVector(0, [0, 2, 0]),)),
    "point 0 twice": lambda: NaturalBody("b", 1, [0, 0, 0], ROD, (POINTS[0], POINTS[0])),
    "3 finite numbers": lambda: NaturalBody("b", 1, [0, 0, 0], ROD, (BodyPoint(0, [0, 0]),)),
    "(3, 3) tensor": lambda: NaturalBody("b", 1, [0, 0, 0], [1, 1, 1], POINTS),
    "one number": lambda: NaturalBody("b", 1, [0, 0], np.eye(2), (BodyPoint(0, [0, 0]), BodyPoint(1, [1, 0]))),
    "found 4": lambda: NaturalBody("b", 1, [0, 0, 0, 0], np.eye(3), POINTS),
    "the model has 1 points": lambda: Layout.of([rod()], 1, 0),
    "the model uses 2": lambda: Layout.of([rod()], 2, 0, dimension=2),
    "two bodies": lambda: Layout.of([rod(), rod()], 2, 0),
    "off the line of the bar": lambda: point_of(rod(), [0.5, 0.1, 0], Layout.of([rod()], 2, 0)),
    "changes with the position": lambda: mass_matrix(plate()),
    "only two directions": lambda: tie_off_plane(),
    "no scalar function": lambda: ScalarTerm(0, "tangent", 1.0),
}


def rod() -> NaturalBody:
    return NaturalBody("rod", 1.0, [0.5, 0, 0], ROD / 12.0, POINTS)


def plate() -> NaturalBody:
    return NaturalBody("plate", 1.0, [0.5, 0, 0], np.eye(3), POINTS, (BodyVector(0, [0, 1, 0]),))


def tie_off_plane() -> None:
    layout = Layout.of([plate()], 2, 1)
    ConstraintBuilder(layout).equal(point_of(plate(), [0, 0, 1], layout), layout.constant([0, 0, 1]))


@pytest.mark.parametrize("text", WRONG)
def test_wrong_input_is_named(text: str) -> None:
    with pytest.raises(InputError) as caught:
        WRONG[text]()
    assert text in str(caught.value)
