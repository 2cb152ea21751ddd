"""Shape functions and quadrature of the solid cells against what defines them.

Covers: mesh.quadrature.
"""

from __future__ import annotations

from itertools import product
from math import factorial

import numpy as np
import pytest

from flexmb.elements.solid.element_tables import element_tables, mass_rule
from flexmb.mesh import quadrature
from flexmb.mesh.mesh import SOLIDS
from flexmb.mesh.reference_cells import reference_nodes, shape_functions, shape_gradients
from flexmb.mesh.topology import face_nodes
from tests.support.solid_cases import KINDS

DEGREE = {"tet4": 1, "hex8": 1, "wedge6": 1, "pyramid5": 1}
DEGREE |= {"tet10": 2, "hex20": 2, "hex27": 2, "wedge15": 2, "pyramid13": 2}
VOLUME = {"tet": 1.0 / 6.0, "pyramid": 4.0 / 3.0, "hex": 8.0, "wedge": 1.0}


@pytest.mark.parametrize("kind", KINDS)
def test_a_shape_function_is_one_at_its_node_and_zero_at_the_others(kind):
    assert np.array_equal(shape_functions(kind, reference_nodes(kind)), np.eye(SOLIDS[kind]))


@pytest.mark.parametrize("kind", KINDS)
def test_shapes_reproduce_polynomials_and_their_derivatives(kind):
    # Sums of at most 27 terms of order one: 1e-14 is some tens of roundings.
    points = np.random.default_rng(1).uniform(0.0, 0.3, size=(7, 3))
    nodes = reference_nodes(kind)
    for powers in product(range(DEGREE[kind] + 1), repeat=3):
        if sum(powers) > DEGREE[kind]:
            continue
        values = np.prod(nodes ** np.array(powers), axis=1)
        assert shape_functions(kind, points) @ values == pytest.approx(
            np.prod(points ** np.array(powers), axis=1), abs=1e-14
        )
        for axis in range(3):
            lower = np.array(powers)
            lower[axis] = max(lower[axis] - 1, 0)
            exact = powers[axis] * np.prod(points**lower, axis=1)
            assert shape_gradients(kind, points)[:, :, axis] @ values == pytest.approx(exact, abs=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_rules_fill_the_cell_and_lie_inside(kind):
    volume = VOLUME[kind.rstrip("0123456789")]
    tables = element_tables(kind)
    assert tables.weights.sum() == pytest.approx(volume, rel=1e-14)
    assert (tables.weights > 0).all()
    assert tables.mass_table.sum() == pytest.approx(volume, rel=1e-13)
    points, weights = mass_rule(kind)
    assert (weights > 0).all()
    low = {"hex": (-1.0, -1.0, -1.0), "pyramid": (-1.0, -1.0, 0.0)}.get(kind.rstrip("0123456789"), (0.0, 0.0, -1.0))
    inside = points.min(axis=0) >= low
    assert inside.all()


def test_pyramid_rules_are_exact_to_their_degree():
    """Integral of x^i y^j (1 - z)^k: 4/((i + 1)(j + 1)(i + j + k + 3)) for even i and j."""
    points, weights = quadrature.pyramid(3, 4)
    for i, j, k in product(range(0, 5, 2), range(0, 5, 2), range(8)):
        if i + j + k < 8:
            value = weights @ (points[:, 0] ** i * points[:, 1] ** j * (1.0 - points[:, 2]) ** k)
            assert value == pytest.approx(4.0 / ((i + 1) * (j + 1) * (i + j + k + 3)), rel=1e-13)


@pytest.mark.parametrize("kind", ["pyramid5", "pyramid13"])
def test_pyramids_have_the_functions_of_their_neighbours_on_faces(kind):
    """On the base those of the hexahedron with the same face, on a slope those of the tetrahedron."""
    hexahedron, tetrahedron = {"pyramid5": ("hex8", "tet4"), "pyramid13": ("hex20", "tet10")}[kind]
    square = np.random.default_rng(2).uniform(-1.0, 1.0, size=(9, 2))
    on_base = np.column_stack([square, np.zeros(9)])
    base, other = list(face_nodes(kind)[0]), list(face_nodes(hexahedron)[4])
    expected = shape_functions(hexahedron, np.column_stack([square, -np.ones(9)]))[:, other]
    assert shape_functions(kind, on_base)[:, base] == pytest.approx(expected, abs=1e-14)
    r, s = quadrature.triangle(5)[0].T
    a, b, c = reference_nodes(kind)[[0, 1, 4]]
    slope, other = list(face_nodes(kind)[1]), list(face_nodes(tetrahedron)[0])
    expected = shape_functions(tetrahedron, np.column_stack([s, r, 0.0 * r]))[:, other]
    found = shape_functions(kind, a + np.outer(r, b - a) + np.outer(s, c - a))
    assert found[:, slope] == pytest.approx(expected, abs=1e-14)
    assert np.abs(np.delete(found, slope, axis=1)).max() < 1e-14


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 5, 8])
def test_triangle_rules_are_exact_to_their_degree(degree):
    points, weights = quadrature.triangle(degree)
    for i, j in product(range(degree + 1), repeat=2):
        if i + j <= degree:
            exact = factorial(i) * factorial(j) / factorial(i + j + 2)
            assert weights @ (points[:, 0] ** i * points[:, 1] ** j) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 7])
def test_tetrahedron_rules_are_exact_to_their_degree(degree):
    points, weights = quadrature.tetrahedron(degree)
    for i, j, k in product(range(degree + 1), repeat=3):
        if i + j + k <= degree:
            exact = factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3)
            value = weights @ (points[:, 0] ** i * points[:, 1] ** j * points[:, 2] ** k)
            assert value == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_extrapolation_keeps_linear_functions(kind):
    """Values at the points of stress give the values at the nodes, to the degree that the kind's stress has."""
    tables = element_tables(kind)
    assert tables.extrapolation.sum(axis=1) == pytest.approx(1.0, abs=1e-13)
    if kind in ("tet10", "hex8", "hex20", "hex27", "wedge15", "pyramid13"):
        points = {"tet": quadrature.tetrahedron(2), "hex": quadrature.cube(2), "wedge": quadrature.wedge(2, 2)}
        points["pyramid"] = quadrature.pyramid(2, 2)
        places = points[kind.rstrip("0123456789")][0]
        assert tables.extrapolation @ places == pytest.approx(reference_nodes(kind), abs=1e-13)
