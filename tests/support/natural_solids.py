"""Solids made of point masses, random bodies of points and unit vectors, and their rigid motions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from flexmb.natural.body import BodyPoint, BodyVector, NaturalBody
from flexmb.natural.constraints import ConstraintBuilder, Constraints
from flexmb.natural.layout import Layout
from flexmb.natural.rigid import rigid_constraints

Array = np.ndarray
# Round-off of sums of a few hundred products with values up to a few hundred: 1e-16 times 1e5.
ROUND = 1e-11
KINDS = [(2, 2), (3, 1), (4, 0), (1, 3), (5, 4), (2, 1), (3, 0), (1, 2)]
"""Numbers of points and vectors: the elements of the chapter, and one with more than it needs."""
SPATIAL = pytest.mark.parametrize(("n_points", "n_vectors"), KINDS)


@dataclass(frozen=True)
class Solid:
    """A rigid cloud of point masses: masses (n,) at places (n, dimension) in body axes."""

    masses: Array
    places: Array

    def body(self, points: Array, vectors: Array) -> NaturalBody:
        """The body with the mass, centre and inertia of the cloud, numbered in order."""
        mass = float(np.sum(self.masses))
        center = self.masses @ self.places / mass
        arms = self.places - center
        second = np.einsum("n,ni,nj->ij", self.masses, arms, arms)
        inertia = np.trace(second) if arms.shape[1] == 2 else np.trace(second) * np.eye(3) - second
        basics = [BodyPoint(k, place) for k, place in enumerate(points)]
        return NaturalBody("b", mass, center, inertia, tuple(basics), tuple(map(BodyVector, range(99), vectors)))


@dataclass(frozen=True)
class RigidMotion:
    """Pose, velocity and acceleration of a rigid body at one time; omega and alpha are (3,), planar along z."""

    R: Array
    p: Array
    p_dot: Array
    p_ddot: Array
    omega: Array
    alpha: Array

    def of(self, local: Array, is_point: bool = True) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of places (n, dimension), or of vectors fixed in the body."""
        dimension = local.shape[1]
        arms = np.zeros((len(local), 3))
        arms[:, :dimension] = local @ self.R.T
        turning = np.cross(self.omega, arms)
        bending = np.cross(self.alpha, arms) + np.cross(self.omega, turning)
        moved = (arms, turning, bending)
        origin = (self.p, self.p_dot, self.p_ddot) if is_point else (0.0, 0.0, 0.0)
        x, v, a = (part[:, :dimension] + start for part, start in zip(moved, origin, strict=True))
        return x, v, a

    def coordinates(self, body: NaturalBody) -> tuple[Array, Array, Array]:
        """x, v, a of a body numbered in order."""
        points = self.of(body.places[: len(body.points)])
        vectors = self.of(body.places[len(body.points) :], is_point=False)
        x, v, a = (np.concatenate(pair).ravel() for pair in zip(points, vectors, strict=True))
        return x, v, a


def rotation(rng: np.random.Generator, dimension: int = 3) -> Array:
    """A random rotation matrix."""
    if dimension == 2:
        angle = rng.uniform(-np.pi, np.pi)
        return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def motion(rng: np.random.Generator, dimension: int = 3) -> RigidMotion:
    """A random rigid motion."""
    omega, alpha = rng.normal(size=(2, 3)) * ([0, 0, 1] if dimension == 2 else 1)
    return RigidMotion(rotation(rng, dimension), *rng.normal(size=(3, dimension)), omega, alpha)


def units(rng: np.random.Generator, n: int, dimension: int = 3) -> Array:
    """Random unit vectors."""
    vectors = rng.normal(size=(n, dimension))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def solid(rng: np.random.Generator, dimension: int = 3) -> Solid:
    """A random cloud of 15 masses."""
    return Solid(rng.uniform(0.1, 1.0, 15), rng.normal(size=(15, dimension)) + rng.normal(size=dimension))


def random_body(
    rng: np.random.Generator, n_points: int, n_vectors: int, dimension: int = 3
) -> tuple[Solid, NaturalBody, Layout]:
    """A random cloud as a body with random points and vectors, and its layout alone. Directions that are nearly
    dependent by chance are drawn again: their weights would multiply round-off."""
    cloud = solid(rng, dimension)
    while True:
        points, vectors = rng.normal(size=(n_points, dimension)), units(rng, n_vectors, dimension)
        body = cloud.body(points, vectors)
        if np.max(np.abs(body.frame.weights)) < 5.0:
            return cloud, body, Layout.of([body], n_points, n_vectors, dimension=dimension)


def rigid(body: NaturalBody, layout: Layout) -> Constraints:
    builder = ConstraintBuilder(layout)
    rigid_constraints(body, layout, builder)
    return builder.build()
