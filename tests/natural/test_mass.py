"""Mass matrices of all sets of points and vectors, entry by entry: r(x) of every mass of a cloud written from the
basics that carry the body, C = dr/dx by differences (exact, since r is of second degree at most), M = sum m C^T C.

Which basics carry the body is taken from its frame; how a place follows from them is worked out here again.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from flexmb.natural.body import BodyPoint, BodyVector, NaturalBody
from flexmb.natural.mass import mass_matrix
from tests.support.natural_joints import velocity_force
from tests.support.natural_solids import ROUND, Array, Solid, motion, random_body, rotation

Place = Callable[[Array], Array]
"""Coordinates (dimension n_basic,) of a body -> place of one of its masses (dimension,)."""


def directions(body: NaturalBody, basics: Array) -> tuple[Array, list[Array]]:
    """Origin and independent directions of the body, of basics (n_basic, dimension) in the body or in space."""
    origin = basics[body.frame.origin]
    return origin, [basics[k] - origin if k < len(body.points) else basics[k] for k in body.frame.directions]


def spanned(arms: list[Array], dimension: int) -> Array:
    """(dimension, dimension) a basis: the directions, and what follows from them when there are too few."""
    if dimension == 2:
        (a,) = arms
        return np.column_stack([a, (-a[1], a[0])])
    return np.column_stack(arms if len(arms) == 3 else [*arms, np.cross(arms[0], arms[1])])


def place_of(body: NaturalBody, local: Array) -> Place:
    """r(x) of the place `local` (dimension,) in body axes."""
    dimension = body.dimension
    start, arms = directions(body, body.places)
    if len(arms) == 1 and dimension == 3:  # a bar, whose masses are on its line
        share = np.array([arms[0] @ (local - start) / (arms[0] @ arms[0])])
    else:
        share = np.linalg.solve(spanned(arms, dimension), local - start)

    def place(x: Array) -> Array:
        origin, moved = directions(body, x.reshape(-1, dimension))
        basis = moved[0][:, None] if len(share) == 1 else spanned(moved, dimension)
        return origin + basis @ share

    return place


def quadrature(body: NaturalBody, cloud: Solid, x: Array, v: Array) -> tuple[Array, Array]:
    """M = sum m C^T C and the velocity force -sum m C^T C_dot v, differences of length one (exact)."""
    mass, force = np.zeros((x.size, x.size)), np.zeros(x.size)
    for weight, local in zip(cloud.masses, cloud.places, strict=True):
        place = place_of(body, local)
        C = np.array([(place(x + step) - place(x - step)) / 2.0 for step in np.eye(x.size)]).T
        mass += weight * C.T @ C
        force -= weight * C.T @ (place(x + v) - 2.0 * place(x) + place(x - v))
    return mass, force


SETS = [(1, 3), (2, 2), (3, 1), (4, 0), (5, 4), (3, 3), (2, 3), (1, 4), (2, 1), (3, 0), (1, 2)]


@pytest.mark.parametrize(("n_points", "n_vectors"), SETS)
@pytest.mark.parametrize("seed", range(3))
def test_spatial_sets(n_points: int, n_vectors: int, seed: int) -> None:
    rng = np.random.default_rng([seed, n_points, n_vectors])
    cloud, body, _ = random_body(rng, n_points, n_vectors)
    assert body.frame.kind == ("full" if n_points + n_vectors > 3 else "cross")
    x, v, _ = motion(rng).coordinates(body)
    mass, force = quadrature(body, cloud, x, v)
    np.testing.assert_allclose(mass_matrix(body, x), mass, rtol=0, atol=ROUND * np.max(mass))
    np.testing.assert_allclose(velocity_force(body, x, v), force, rtol=0, atol=ROUND * np.max(mass))
    assert (np.max(np.abs(force)) > 0.1) == (body.frame.kind == "cross")


@pytest.mark.parametrize(("n_points", "n_vectors"), [(2, 0), (3, 0), (5, 2), (1, 1), (1, 3)])
def test_planar_sets(n_points: int, n_vectors: int) -> None:
    rng = np.random.default_rng([9, n_points, n_vectors])
    cloud, body, _ = random_body(rng, n_points, n_vectors, dimension=2)
    x, v, _ = motion(rng, 2).coordinates(body)
    mass, force = quadrature(body, cloud, x, v)
    np.testing.assert_allclose(mass_matrix(body), mass, rtol=0, atol=ROUND * np.max(mass))
    np.testing.assert_allclose(force, 0.0, atol=ROUND * np.max(mass))


@pytest.mark.parametrize("n_points", [2, 4])
def test_points_on_a_line(n_points: int) -> None:
    """A bar of uneven masses on its line, its ends not at its points; further points of the line carry nothing."""
    rng = np.random.default_rng(n_points)
    start, arm = rng.normal(size=(2, 3))
    cloud = Solid(rng.uniform(0.1, 1.0, 9), start + np.outer(rng.uniform(-0.5, 2.0, 9), arm))
    body = cloud.body(start + np.outer(np.arange(n_points) / n_points, arm), np.zeros((0, 3)))
    assert body.frame.kind == "bar"
    x, v, _ = motion(rng).coordinates(body)
    mass, _ = quadrature(body, cloud, x, v)
    np.testing.assert_allclose(mass_matrix(body), mass, rtol=0, atol=ROUND * np.max(mass))


@pytest.mark.parametrize(("n_points", "n_vectors"), [(2, 2), (5, 4), (2, 1), (1, 2)])
def test_the_body_axes_do_not_matter(n_points: int, n_vectors: int) -> None:
    """Other body axes, turned and moved: the same numbers, since no entry depends on where the axes are."""
    rng = np.random.default_rng([11, n_points, n_vectors])
    _, body, _ = random_body(rng, n_points, n_vectors)
    R, shift = rotation(rng), rng.normal(size=3)
    points = tuple(BodyPoint(point.number, R @ np.asarray(point.local) + shift) for point in body.points)
    vectors = tuple(BodyVector(vector.number, R @ np.asarray(vector.local)) for vector in body.vectors)
    inertia = R @ np.asarray(body.inertia) @ R.T
    other = NaturalBody("b", body.mass, R @ np.asarray(body.center) + shift, inertia, points, vectors)
    x, v, _ = motion(rng).coordinates(body)
    largest = np.max(mass_matrix(body, x))
    np.testing.assert_allclose(mass_matrix(other, x), mass_matrix(body, x), rtol=0, atol=ROUND * largest)
    np.testing.assert_allclose(velocity_force(other, x, v), velocity_force(body, x, v), rtol=0, atol=ROUND * largest)
