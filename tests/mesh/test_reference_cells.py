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
    inside = points.min(axis=0) >= (-1.0 if kind.startswith("hex") else (0.0, 0.0, -1.0))
    assert inside.all()


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
    if kind in ("tet10", "hex8", "hex20", "hex27", "wedge15"):
        points = {"tet": quadrature.tetrahedron(2), "hex": quadrature.cube(2), "wedge": quadrature.wedge(2, 2)}
        places = points[kind.rstrip("0123456789")][0]
        assert tables.extrapolation @ places == pytest.approx(reference_nodes(kind), abs=1e-13)
