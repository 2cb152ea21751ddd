"""Constraints of natural coordinates: rigid bodies under rigid motions, derivatives of every kind of row against
differences, and the mass that slides on a pendulum in three formulations [GJB examples 4.2, 4.3, 4.5].

Covers: natural.rigid, natural.scalar_terms.
"""

from __future__ import annotations

import numpy as np

from flexmb.natural.body import BodyPoint, NaturalBody
from flexmb.natural.constraints import ConstraintBuilder, Constraints
from flexmb.natural.layout import Combination, Layout
from flexmb.natural.mass import extended_mass_matrix
from flexmb.natural.scalar_terms import ScalarTerm
from tests.support.natural_solids import ROUND, SPATIAL, Array, Solid, motion, random_body, rigid, solid


@SPATIAL
def test_rigid_constraints_of_rigid_motions(n_points: int, n_vectors: int) -> None:
    """They hold, with their velocities and accelerations, they are independent, and six freedoms are left."""
    rng = np.random.default_rng([3, n_points, n_vectors])
    _, body, layout = random_body(rng, n_points, n_vectors)
    constraints = rigid(body, layout)
    x, v, a = motion(rng).coordinates(body)
    gradient = constraints.gradient(x)
    assert constraints.n_rows == layout.n_coordinates - 6 == np.linalg.matrix_rank(gradient.toarray())
    np.testing.assert_allclose(constraints.value(x), 0.0, rtol=0, atol=ROUND)
    np.testing.assert_allclose(gradient @ v, 0.0, rtol=0, atol=ROUND)
    np.testing.assert_allclose(gradient @ a + constraints.gamma(x, v), 0.0, rtol=0, atol=ROUND)


def every_kind(rng: np.random.Generator, layout: Layout) -> Constraints:
    """Rows of every kind with random factors: sums of points, vectors and constants."""

    def some() -> Combination:
        i, j, k = rng.integers(0, layout.n_points, 3)
        vector = layout.vector(int(rng.integers(0, layout.n_vectors)))
        return layout.point(i) - layout.point(j) * 0.7 + 0.3 * layout.point(k) + vector + layout.constant([1, 2, 3])

    builder = ConstraintBuilder(layout)
    column = layout.scalar_column(0)
    for function in ("linear", "square", "cosine", "sine"):
        builder.dot(some(), some(), 0.3, scalar=ScalarTerm(column, function, 1.3))
        builder.triple(some(), some(), some(), -0.2)
        builder.linear([0, 4, column], [1.0, -2.0, 0.5], 0.1)
    for component in range(3):
        builder.cross(some(), some(), component, drive=lambda t: (np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)))
    builder.equal(some(), some())
    return builder.build()


def test_derivatives_of_every_kind_of_row() -> None:
    """Gradient, rate, gamma and second derivatives against central differences, whose error for rows of third order
    (and cosines) with the step 1e-4 is 1e-8 of the third derivatives, of order ten."""
    rng = np.random.default_rng(11)
    layout = Layout.of([], 4, 3, 1)
    constraints = every_kind(rng, layout)
    x, v, h = *rng.normal(size=(2, layout.n_coordinates)), 1e-4
    lot = np.eye(layout.n_coordinates) * h
    slope = np.array([constraints.value(x + d, 0.4) - constraints.value(x - d, 0.4) for d in lot]).T / (2 * h)
    np.testing.assert_allclose(constraints.gradient(x).toarray(), slope, rtol=0, atol=1e-6)
    rate = (constraints.value(x, 0.4 + h) - constraints.value(x, 0.4 - h)) / (2 * h)
    np.testing.assert_allclose(constraints.rate(0.4), rate, rtol=0, atol=1e-6)
    turning = (constraints.gradient(x + h * v) - constraints.gradient(x - h * v)) @ v / (2 * h)
    bent = (constraints.rate(0.4 + h) - constraints.rate(0.4 - h)) / (2 * h)
    np.testing.assert_allclose(constraints.gamma(x, v, 0.4), turning + bent, rtol=0, atol=1e-6)
    multipliers = rng.normal(size=constraints.n_rows)
    pulls = [(constraints.gradient(x + d) - constraints.gradient(x - d)).T @ multipliers / (2 * h) for d in lot]
    found = np.zeros((layout.n_coordinates, layout.n_coordinates))
    where = (constraints.hessian_rows, constraints.hessian_columns)
    np.add.at(found, where, constraints.hessian_entries(x, multipliers))
    np.testing.assert_allclose(found, np.array(pulls).T, rtol=0, atol=1e-6)


def test_cross_rows_are_components_of_the_cross_product() -> None:
    rng = np.random.default_rng(12)
    for dimension in (2, 3):
        layout = Layout.of([], 2, 0, dimension=dimension)
        builder = ConstraintBuilder(layout)
        for component in range(2 * dimension - 3):
            builder.cross(layout.point(0), layout.point(1), component)
        x = rng.normal(size=2 * dimension)
        a, b = x.reshape(2, dimension)
        wanted = np.cross(a, b) if dimension == 3 else [a[0] * b[1] - a[1] * b[0]]
        np.testing.assert_allclose(builder.build().value(x), wanted, rtol=0, atol=ROUND)


def test_further_points_are_tied_where_they_stand() -> None:
    """Aligned, coplanar and coincident points: bar of three points, plate of five with a vector in its plane."""
    rng = np.random.default_rng(13)
    start, arm = rng.normal(size=(2, 3))
    line = np.array([start, start + arm, start + 0.3 * arm, start])
    cloud = Solid(np.array([0.4, 0.8]), np.array([start + 0.1 * arm, start + 0.9 * arm]))
    bar = cloud.body(line, (arm / np.linalg.norm(arm))[None])
    layout = Layout.of([bar], 4, 1)
    x, v, a = motion(rng).coordinates(bar)
    constraints = rigid(bar, layout)
    assert bar.frame.kind == "bar"
    assert layout.n_coordinates - np.linalg.matrix_rank(constraints.gradient(x).toarray()) == 5
    np.testing.assert_allclose(constraints.gradient(x) @ a + constraints.gamma(x, v), 0.0, rtol=0, atol=ROUND)

    other = rng.normal(size=3)
    plane = np.array([start, start + arm, start + other, start + arm - 2.0 * other, start + 0.5 * arm])
    in_plane = (arm + other) / np.linalg.norm(arm + other)
    plate = solid(rng).body(plane, in_plane[None])
    layout = Layout.of([plate], 5, 1)
    x, v, a = motion(rng).coordinates(plate)
    constraints = rigid(plate, layout)
    assert plate.frame.kind == "cross"
    assert layout.n_coordinates - np.linalg.matrix_rank(constraints.gradient(x).toarray()) == 6
    np.testing.assert_allclose(constraints.value(x), 0.0, rtol=0, atol=ROUND)
    np.testing.assert_allclose(constraints.gradient(x) @ a + constraints.gamma(x, v), 0.0, rtol=0, atol=ROUND)


def sliding_mass() -> tuple[Constraints, Array, Layout, float, float, float]:
    """Example 4.3: two masses as planar bodies of one point, a rod of length L from the origin, the first on it."""
    m_1, m_2, L = 1.3, 0.7, 0.9
    bodies = [NaturalBody(f"m{k}", m, [0, 0], 0.0, (BodyPoint(k, [0, 0]),)) for k, m in enumerate((m_1, m_2))]
    layout = Layout.of(bodies, 2, 0, dimension=2)
    builder = ConstraintBuilder(layout)
    builder.dot(layout.point(1), layout.point(1), L**2)
    builder.cross(layout.point(0), layout.point(1))
    return builder.build(), extended_mass_matrix(bodies, layout).toarray(), layout, m_1, m_2, L


def test_mass_sliding_on_a_pendulum() -> None:
    """Examples 4.2, 4.3 and 4.5: the same accelerations and momenta in independent and natural coordinates; the printed
    gradient; the mass matrix of example 4.2 depends on q1, not on q2."""
    constraints, M, layout, m_1, m_2, L = sliding_mass()
    g, q_1, q_2, q_1_dot, q_2_dot = 9.81, 0.55, 0.8, 0.4, -1.7
    s, c = np.sin(q_2), np.cos(q_2)
    x_1, y_1, x_2, y_2 = x = np.array([q_1 * c, q_1 * s, L * c, L * s])
    R = np.array([[c, -q_1 * s], [s, q_1 * c], [0, -L * s], [0, L * c]])
    q_dot = np.array([q_1_dot, q_2_dot])
    R_dot = np.array([[-s, -q_1 * c], [c, -q_1 * s], [0, -L * c], [0, -L * s]]) * q_2_dot
    R_dot[:2, 1] += q_1_dot * np.array([-s, c])
    v = R @ q_dot

    printed = np.array([[0, 0, 2 * x_2, 2 * y_2], [y_2, -x_2, -y_1, x_1]])
    gradient = constraints.gradient(x).toarray()
    np.testing.assert_allclose(gradient, printed, rtol=0, atol=ROUND)
    np.testing.assert_array_equal(M, np.diag([m_1, m_1, m_2, m_2]))
    np.testing.assert_allclose(constraints.value(x), 0.0, rtol=0, atol=ROUND)
    Q = np.array([0, -m_1 * g, 0, -m_2 * g])
    saddle = np.block([[M, gradient.T], [gradient, np.zeros((2, 2))]])
    solved = np.linalg.solve(saddle, np.concatenate([Q, -constraints.gamma(x, v)]))
    a, multipliers = solved[:4], solved[4:]

    m_independent = np.diag([m_1, m_2 * L**2 + m_1 * q_1**2])
    weight = np.array([m_1 * g * s, (m_1 * q_1 + m_2 * L) * g * c])
    right = np.array([m_1 * q_1 * q_2_dot**2, -2 * m_1 * q_1 * q_1_dot * q_2_dot]) - weight
    q_ddot = np.linalg.solve(m_independent, right)
    np.testing.assert_allclose(a, R @ q_ddot + R_dot @ q_dot, rtol=0, atol=ROUND)

    p_dot = Q - gradient.T @ multipliers
    canonical = np.array([m_1 * q_1 * q_2_dot**2, 0.0]) - weight
    np.testing.assert_allclose(R.T @ M @ v, m_independent @ q_dot, rtol=0, atol=ROUND)
    np.testing.assert_allclose(R.T @ p_dot + R_dot.T @ M @ v, canonical, rtol=0, atol=ROUND)
