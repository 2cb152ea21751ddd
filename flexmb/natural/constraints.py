"""Constraints of natural coordinates, evaluated for all rows of a kind at once.

Enters: rows given one by one to `ConstraintBuilder`, as products of vectors that are linear in the coordinates x.
Leaves: `Constraints` with value, gradient, velocity and acceleration terms, and the second derivatives,

    Phi(x, t) = product(x) - constant - scalar term(x) - drive(t) = 0
    product   : a . b  |  (a x b)_k  |  a . (b x c)  |  sum of coefficients times x          with a = A x + a0
    Phi_x v + Phi_t = 0,    Phi_x a + gamma = 0,    gamma = d(Phi_x)/dt v + Phi_tt

With points and vectors all rows of rigid bodies and lower pairs are of these kinds, at most quadratic (the triple
product: cubic). In [GJB eq. 4.15] the gradient of a row stands transposed by mistake: phi_q v = 0 is meant. A mixed
coordinate s (distance or angle) enters as a scalar term: d . d - s^2 = 0 [GJB eq. 4.108], a . b - L_a L_b cos s = 0
and u . (a x b) - L_a L_b sin s = 0 [GJB eq. 4.124, 4.125, where the absolute value loses the quadrant].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from flexmb.errors import Fault, InputError
from flexmb.natural.layout import Combination, Layout
from flexmb.natural.products import Factor, ProductRows, product_rows
from flexmb.natural.scalar_terms import ScalarTerm, ScalarTerms, scalar_terms

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Drive = Callable[[float], tuple[float, float, float]]
"""Time [s] -> value, rate, acceleration of the driven quantity."""


@dataclass(frozen=True, eq=False)
class LinearRows:
    """Rows sum of values times x[column]; their gradient is constant."""

    rows: Integers
    columns: Integers
    values: Array


@dataclass(frozen=True, eq=False)
class Constraints:
    """All constraint rows of a model."""

    n_rows: int
    n_coordinates: int
    names: tuple[str, ...]
    """A word for each row, for messages and reports."""
    constants: Array
    drives: tuple[tuple[int, Drive], ...]
    """(row, function of time) of the driven rows."""
    linear: LinearRows
    products: tuple[ProductRows, ...]
    """Dot and cross products, and triple products."""
    scalars: ScalarTerms

    def value(self, x: Array, t: float = 0.0) -> Array:
        """(n_rows,) Phi."""
        value = -self.constants
        if self.drives:
            value -= self._driven(t, 0)
        if len(self.linear.rows):
            value += np.bincount(self.linear.rows, self.linear.values * x[self.linear.columns], self.n_rows)
        for product in self.products:
            value[product.rows] += product.value(x)
        if len(self.scalars.rows):
            np.subtract.at(value, self.scalars.rows, self.scalars.derivative(x, 0))
        return value

    @cached_property
    def rows(self) -> Integers:
        """Rows of the entries of the gradient; the pattern is constant, entries of one place are summed."""
        return np.concatenate([self.linear.rows, *(p.gradient_rows for p in self.products), self.scalars.rows])

    @cached_property
    def columns(self) -> Integers:
        """Columns of the entries of the gradient."""
        return np.concatenate([self.linear.columns, *(p.gradient_columns for p in self.products), self.scalars.columns])

    def entries(self, x: Array) -> Array:
        """The entries of the gradient Phi_x."""
        products = [product.gradient(x) for product in self.products]
        return np.concatenate([self.linear.values, *products, -self.scalars.derivative(x, 1)])

    def gradient(self, x: Array) -> scipy.sparse.csr_array:
        """(n_rows, n_coordinates) Phi_x."""
        shape = (self.n_rows, self.n_coordinates)
        return scipy.sparse.csr_array((self.entries(x), (self.rows, self.columns)), shape=shape)

    def rate(self, t: float = 0.0) -> Array:
        """(n_rows,) Phi_t: minus the rates of the drives."""
        return -self._driven(t, 1)

    def gamma(self, x: Array, v: Array, t: float = 0.0) -> Array:
        """(n_rows,) d(Phi_x)/dt v + Phi_tt, so that Phi_x a = -gamma."""
        gamma = -self._driven(t, 2)
        for product in self.products:
            gamma[product.rows] += product.gamma(x, v)
        if len(self.scalars.rows):
            np.subtract.at(gamma, self.scalars.rows, self.scalars.derivative(x, 2) * v[self.scalars.columns] ** 2)
        return gamma

    @cached_property
    def hessian_rows(self) -> Integers:
        """Rows of the entries of d(Phi_x^T lambda)/dx (constant pattern, entries of one place are summed)."""
        return np.concatenate([*(product.hessian_rows for product in self.products), self.scalars.columns])

    @cached_property
    def hessian_columns(self) -> Integers:
        """Columns of the entries of d(Phi_x^T lambda)/dx."""
        return np.concatenate([*(product.hessian_columns for product in self.products), self.scalars.columns])

    def hessian_entries(self, x: Array, multipliers: Array) -> Array:
        """The entries of d(Phi_x^T lambda)/dx for multipliers (n_rows,)."""
        products = [product.hessian(x, multipliers) for product in self.products]
        return np.concatenate([*products, -self.scalars.derivative(x, 2) * multipliers[self.scalars.rows]])

    def _driven(self, t: float, order: int) -> Array:
        driven = np.zeros(self.n_rows)
        for row, drive in self.drives:
            driven[row] += drive(t)[order]
        return driven


@dataclass(eq=False)
class ConstraintBuilder:
    """Collects rows one by one; `build` makes the arrays."""

    layout: Layout
    names: list[str] = field(default_factory=list)
    _constants: list[float] = field(default_factory=list)
    _drives: list[tuple[int, Drive]] = field(default_factory=list)
    _linear: list[tuple[int, Integers, Array]] = field(default_factory=list)
    _dots: list[tuple[int, tuple[Combination, Combination], Array]] = field(default_factory=list)
    _triples: list[tuple[int, tuple[Combination, Combination, Combination]]] = field(default_factory=list)
    _scalars: list[tuple[int, ScalarTerm]] = field(default_factory=list)

    def dot(
        self,
        a: Combination,
        b: Combination,
        constant: float = 0.0,
        drive: Drive | None = None,
        scalar: ScalarTerm | None = None,
        name: str = "dot product",
    ) -> int:
        """The row a . b = constant + drive(t) + scalar term; returns its number."""
        return self._bilinear(a, b, np.eye(self.layout.dimension), constant, drive, scalar, name)

    def cross(
        self,
        a: Combination,
        b: Combination,
        component: int = 0,
        constant: float = 0.0,
        drive: Drive | None = None,
        scalar: ScalarTerm | None = None,
        name: str = "cross product",
    ) -> int:
        """The row (a x b)_component = ...; planar: a_x b_y - a_y b_x, component 0."""
        if self.layout.dimension == 2:
            form = np.array([[0.0, 1.0], [-1.0, 0.0]])
        else:
            form = np.zeros((3, 3))
            form[(component + 1) % 3, (component + 2) % 3] = 1.0
            form[(component + 2) % 3, (component + 1) % 3] = -1.0
        return self._bilinear(a, b, form, constant, drive, scalar, name)

    def triple(
        self,
        a: Combination,
        b: Combination,
        c: Combination,
        constant: float = 0.0,
        drive: Drive | None = None,
        scalar: ScalarTerm | None = None,
        name: str = "triple product",
    ) -> int:
        """The row a . (b x c) = ...; in space only."""
        if self.layout.dimension == 2:
            raise InputError([Fault("a triple product needs three dimensions.", hint="Use the cross product.")])
        self._refuse_extended(a, b, c)
        row = self._row(constant, drive, scalar, name)
        self._triples.append((row, (a, b, c)))
        return row

    def linear(
        self,
        columns: Sequence[int] | Integers,
        values: Sequence[float] | Array,
        constant: float = 0.0,
        drive: Drive | None = None,
        scalar: ScalarTerm | None = None,
        name: str = "linear",
    ) -> int:
        """The row sum of values times x[columns] = ..."""
        row = self._row(constant, drive, scalar, name)
        self._linear.append((row, np.asarray(columns, dtype=np.int64), np.asarray(values, dtype=float)))
        return row

    def equal(self, a: Combination, b: Combination, name: str = "equal") -> list[int]:
        """One linear row for each component of a - b = 0."""
        self._refuse_extended(a, b)
        gap = a - b
        parts = [gap.components == component for component in range(self.layout.dimension)]
        return [
            self.linear(gap.columns[part], gap.values[part], -float(gap.constant[component]), name=name)
            for component, part in enumerate(parts)
        ]

    def build(self) -> Constraints:
        """The arrays of all rows given so far."""
        rows = [np.full(len(columns), row) for row, columns, _ in self._linear]
        none = np.zeros(0, dtype=np.int64)
        linear = LinearRows(
            np.concatenate([none, *rows]),
            np.concatenate([none, *(columns for _, columns, _ in self._linear)]),
            np.concatenate([np.zeros(0), *(values for _, _, values in self._linear)]),
        )
        dimension = self.layout.dimension
        products = []
        if self._dots:
            sides = [[Factor.of([pair[side] for _, pair, _ in self._dots], dimension) for side in range(2)]]
            forms = np.array([form for _, _, form in self._dots])
            products.append(product_rows(np.array([row for row, _, _ in self._dots]), sides[0], forms))
        if self._triples:
            factors = [Factor.of([three[side] for _, three in self._triples], dimension) for side in range(3)]
            products.append(product_rows(np.array([row for row, _ in self._triples]), factors, None))
        return Constraints(
            len(self.names),
            self.layout.n_coordinates,
            tuple(self.names),
            np.array(self._constants, dtype=float),
            tuple(self._drives),
            linear,
            tuple(products),
            scalar_terms(self._scalars),
        )

    def _bilinear(
        self,
        a: Combination,
        b: Combination,
        form: Array,
        constant: float,
        drive: Drive | None,
        scalar: ScalarTerm | None,
        name: str,
    ) -> int:
        self._refuse_extended(a, b)
        row = self._row(constant, drive, scalar, name)
        self._dots.append((row, (a, b), form))
        return row

    def _row(self, constant: float, drive: Drive | None, scalar: ScalarTerm | None, name: str) -> int:
        row = len(self.names)
        self.names.append(name)
        self._constants.append(float(constant))
        if drive is not None:
            self._drives.append((row, drive))
        if scalar is not None:
            self._scalars.append((row, scalar))
        return row

    def _refuse_extended(self, *sides: Combination) -> None:
        """Constraints see x only: a point off the basic ones of a body of kind "cross" would bring in w."""
        if any(np.any(side.columns >= self.layout.n_coordinates) for side in sides):
            text = "a constraint uses a point or direction out of the plane of a body with two directions only."
            raise InputError([Fault(text, hint="Make it a basic point or vector of that body.")])
