"""Places of the points, vectors and mixed scalars of a model in its coordinates, and vectors linear in them.

The full coordinates x hold every point (also those fixed to ground), then every unit vector, then the mixed scalars
(angles, distances). Behind them the extended coordinates y = [x; w] hold one direction w = scale d1 x d2 for every body
of the kind "cross" [GJB eq. 4.70], so that every material point of every body is linear and constant in y:
r = C y [GJB eq. 4.50, 4.90].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.natural.body import NaturalBody

NO_WEIGHT = 1e-12
"""Share of the largest weight below which a weight is round-off of zero."""


@dataclass(frozen=True, eq=False)
class Combination:
    """A vector linear in the coordinates: component i = constant_i + sum over its entries of value times x[column]."""

    components: Integers
    columns: Integers
    values: Floats
    constant: Floats
    """(dimension,)"""

    def at(self, x: Floats) -> Floats:
        """(dimension,) its value."""
        return self.constant + self.rate(x)

    def rate(self, v: Floats) -> Floats:
        """(dimension,) its velocity for the velocities `v` of the coordinates."""
        return np.bincount(self.components, self.values * v[self.columns], len(self.constant)).astype(np.float64)

    def add_force(self, force: Floats, generalised: Floats) -> None:
        """Add C^T f: the generalised force of `force` (dimension,) [GJB eq. 4.94]."""
        np.add.at(generalised, self.columns, self.values * force[self.components])

    def __add__(self, other: Combination) -> Combination:
        return Combination(
            np.concatenate([self.components, other.components]),
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.values, other.values]),
            self.constant + other.constant,
        )

    def __mul__(self, factor: float) -> Combination:
        return Combination(self.components, self.columns, factor * self.values, factor * self.constant)

    def __sub__(self, other: Combination) -> Combination:
        return self + other * -1.0

    __rmul__ = __mul__


@dataclass(frozen=True, eq=False)
class Layout:
    """Columns of the coordinates of a model."""

    dimension: int
    n_points: int
    n_vectors: int
    n_scalars: int
    cross_slots: dict[str, int]
    """Name of a body of the kind "cross" -> the number of its direction w."""

    @classmethod
    def of(
        cls, bodies: Sequence[NaturalBody], n_points: int, n_vectors: int, n_scalars: int = 0, dimension: int = 3
    ) -> Layout:
        """The layout of a model with these bodies; numbers of points and vectors count from 0."""
        faults = [
            Fault(f"uses {noun} {basic.number}, but the model has {count} {noun}s.", ("bodies", body.name))
            for body in bodies
            for noun, basics, count in (("point", body.points, n_points), ("vector", body.vectors, n_vectors))
            for basic in basics
            if basic.number >= count
        ]
        names = Counter(body.name for body in bodies)
        faults += [Fault("two bodies have this name.", ("bodies", name)) for name, count in names.items() if count > 1]
        faults += [
            Fault(f"has places of {body.dimension} numbers; the model uses {dimension}.", ("bodies", body.name))
            for body in bodies
            if body.dimension != dimension
        ]
        if faults:
            raise InputError(faults)
        crossed = [body.name for body in bodies if body.frame.kind == "cross"]
        return cls(dimension, n_points, n_vectors, n_scalars, {name: slot for slot, name in enumerate(crossed)})

    @property
    def n_nodes(self) -> int:
        """Number of points and vectors."""
        return self.n_points + self.n_vectors

    @property
    def n_coordinates(self) -> int:
        """Length of x: points, vectors, scalars."""
        return self.dimension * self.n_nodes + self.n_scalars

    @property
    def n_extended(self) -> int:
        """Length of y: x and the directions w."""
        return self.n_coordinates + self.dimension * len(self.cross_slots)

    def point_columns(self, number: int) -> Integers:
        """(dimension,) columns of a point."""
        return self.dimension * number + np.arange(self.dimension)

    def vector_columns(self, number: int) -> Integers:
        """(dimension,) columns of a vector."""
        return self.dimension * (self.n_points + number) + np.arange(self.dimension)

    def scalar_column(self, number: int) -> int:
        """Column of a mixed scalar."""
        return self.dimension * self.n_nodes + number

    def cross_columns(self, name: str) -> Integers:
        """(3,) columns of the direction w of the body `name`."""
        return self.n_coordinates + self.dimension * self.cross_slots[name] + np.arange(self.dimension)

    def basics(self, body: NaturalBody) -> Integers:
        """(dimension n_basic,) columns of the body's points, then vectors."""
        points = [self.point_columns(point.number) for point in body.points]
        return np.concatenate([*points, *(self.vector_columns(vector.number) for vector in body.vectors)])

    def slots(self, body: NaturalBody) -> Integers:
        """(dimension n_slots,) the same, with the columns of w behind them for the kind "cross"."""
        basics = self.basics(body)
        return np.concatenate([basics, self.cross_columns(body.name)]) if body.frame.kind == "cross" else basics

    def point(self, number: int) -> Combination:
        """The point itself."""
        return self._node(self.point_columns(number))

    def vector(self, number: int) -> Combination:
        """The unit vector itself."""
        return self._node(self.vector_columns(number))

    def constant(self, value: ArrayLike) -> Combination:
        """A vector or place that does not move."""
        none = np.zeros(0, dtype=np.int64)
        return Combination(none, none, np.zeros(0), np.asarray(value, dtype=float))

    def _node(self, columns: Integers) -> Combination:
        return Combination(np.arange(self.dimension), columns, np.ones(self.dimension), np.zeros(self.dimension))


def _combination(matrix: Floats, columns: Integers) -> Combination:
    components, places = np.nonzero(np.abs(matrix) > NO_WEIGHT * np.max(np.abs(matrix)))
    return Combination(components, columns[places], matrix[components, places], np.zeros(len(matrix)))


def point_of(body: NaturalBody, local: ArrayLike, layout: Layout) -> Combination:
    """The material point `local` (dimension,) [m] of a body, basic or not: linear in y, and in x but for "cross"."""
    place = np.asarray(local, dtype=float)
    return _combination(body.frame.point_matrix(place), layout.slots(body))


def direction_of(body: NaturalBody, local: ArrayLike, layout: Layout) -> Combination:
    """The vector that is fixed in a body with the components `local` (dimension,)."""
    place = np.asarray(local, dtype=float)
    return _combination(body.frame.direction_matrix(place), layout.slots(body))
