"""Products of vectors that are linear in the coordinates: values and derivatives of all rows at once.

Enters: for every row two factors a, b with a (dimension, dimension) form S, or three factors a, b, c. Leaves: value,
gradient entries on a constant pattern, the velocity term and the second derivatives, of

    a . S b                      gamma = 2 a_dot . S b_dot                     (S = 1: dot product; skew: cross product)
    a . (b x c)                  gamma = 2 (a . (b_dot x c_dot) + b . (c_dot x a_dot) + c . (a_dot x b_dot))

A triple product is bilinear in each pair of its factors with the third one in the form S: S_ij = eps_ijk c_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from flexmb.natural.layout import Combination

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

EPSILON = np.zeros((3, 3, 3))
EPSILON[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1.0
EPSILON[[0, 1, 2], [2, 0, 1], [1, 2, 0]] = -1.0


def cross(a: Array, b: Array) -> Array:
    """(n, 3) a x b of all rows: faster than numpy's for the few rows of most models."""
    return a[:, [1, 2, 0]] * b[:, [2, 0, 1]] - a[:, [2, 0, 1]] * b[:, [1, 2, 0]]


@dataclass(frozen=True, eq=False)
class Factor:
    """One factor of every row: component i of row r = sum of values times x[columns], + constants[r, i]."""

    owners: Integers
    """Row (counted within its kind) of every entry."""
    components: Integers
    columns: Integers
    values: Array
    constants: Array
    """(n_rows, dimension)"""

    @classmethod
    def of(cls, combinations: Sequence[Combination], dimension: int) -> Factor:
        """The factor that is combinations[r] in row r."""
        return cls(
            np.repeat(np.arange(len(combinations)), [len(side.columns) for side in combinations]),
            np.concatenate([side.components for side in combinations]),
            np.concatenate([side.columns for side in combinations]),
            np.concatenate([side.values for side in combinations]),
            np.array([side.constant for side in combinations]).reshape(-1, dimension),
        )

    def at(self, x: Array) -> Array:
        """(n_rows, dimension) value."""
        return self.constants + self.rate(x)

    def rate(self, v: Array) -> Array:
        """(n_rows, dimension) velocity."""
        sums = np.bincount(self._places, self.values * v[self.columns], self.constants.size)
        return np.asarray(sums, dtype=np.float64).reshape(self.constants.shape)

    @cached_property
    def _places(self) -> Integers:
        """Where every entry is added in the flat values of all rows."""
        return self.owners * self.constants.shape[1] + self.components

    def entries(self, conjugate: Array) -> Array:
        """Derivatives of conjugate . factor with respect to the coordinates of the entries."""
        return self.values * conjugate[self.owners, self.components]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of an entry of one factor and an entry of another one in the same row: where second derivatives stand."""

    left: int
    right: int
    owners: Integers
    left_components: Integers
    right_components: Integers
    left_columns: Integers
    right_columns: Integers
    values: Array


@dataclass(frozen=True, eq=False)
class ProductRows:
    """Rows of one kind: two factors and forms, or three factors."""

    rows: Integers
    """Numbers of the rows among all constraints."""
    factors: tuple[Factor, ...]
    forms: Array | None
    """(n_rows, dimension, dimension) S of the products of two."""
    pairs: tuple[Pairs, ...]

    @property
    def gradient_rows(self) -> Integers:
        return np.concatenate([self.rows[factor.owners] for factor in self.factors])

    @property
    def gradient_columns(self) -> Integers:
        return np.concatenate([factor.columns for factor in self.factors])

    @property
    def hessian_rows(self) -> Integers:
        return np.concatenate([side for pair in self.pairs for side in (pair.left_columns, pair.right_columns)])

    @property
    def hessian_columns(self) -> Integers:
        return np.concatenate([side for pair in self.pairs for side in (pair.right_columns, pair.left_columns)])

    def value(self, x: Array) -> Array:
        """(n_rows,) products."""
        a, *others = (factor.at(x) for factor in self.factors)
        return np.einsum("ri,ri->r", a, self._conjugate(others))

    def gradient(self, x: Array) -> Array:
        """Entries of the gradient on the constant pattern."""
        at = [factor.at(x) for factor in self.factors]
        if self.forms is None:
            a, b, c = at
            conjugates = [cross(b, c), cross(c, a), cross(a, b)]
        else:
            conjugates = [self._conjugate(at[1:]), np.einsum("rij,ri->rj", self.forms, at[0])]
        return np.concatenate([f.entries(conjugate) for f, conjugate in zip(self.factors, conjugates, strict=True)])

    def gamma(self, x: Array, v: Array) -> Array:
        """(n_rows,) d(gradient)/dt v."""
        a_dot, *dots = (factor.rate(v) for factor in self.factors)
        if self.forms is not None:
            return 2.0 * np.einsum("ri,ri->r", a_dot, self._conjugate(dots))
        a, b, c = (factor.at(x) for factor in self.factors)
        b_dot, c_dot = dots
        parts = a * cross(b_dot, c_dot) + b * cross(c_dot, a_dot) + c * cross(a_dot, b_dot)
        return 2.0 * np.sum(parts, axis=1)

    def hessian(self, x: Array, multipliers: Array) -> Array:
        """Entries of the second derivatives times the multipliers of all constraints."""
        found = []
        for pair in self.pairs:
            forms = self.forms
            if forms is None:
                third = self.factors[3 - pair.left - pair.right].at(x)
                forms = np.einsum("ijk,rk->rij", EPSILON, third)
            form = forms[pair.owners, pair.left_components, pair.right_components]
            entries = multipliers[self.rows[pair.owners]] * pair.values * form
            found += [entries, entries]
        return np.concatenate(found)

    def _conjugate(self, others: Sequence[Array]) -> Array:
        """What the first factor is multiplied by: S b or b x c."""
        if self.forms is None:
            return cross(others[0], others[1])
        return np.einsum("rij,rj->ri", self.forms, others[0])


def _pairs(factors: Sequence[Factor], left: int, right: int, forms: Array | None) -> Pairs:
    a, b = factors[left], factors[right]
    counts = np.bincount(b.owners, minlength=len(b.constants))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    repeats = counts[a.owners]
    first = np.repeat(np.arange(len(a.owners)), repeats)
    within = np.arange(len(first)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    second = starts[a.owners[first]] + within
    i, j, owners = a.components[first], b.components[second], a.owners[first]
    # Where the form is zero whatever the state, no entry is kept.
    keep = (i != j) if forms is None else (forms[owners, i, j] != 0.0)
    first, second = first[keep], second[keep]
    values = a.values[first] * b.values[second]
    return Pairs(left, right, owners[keep], i[keep], j[keep], a.columns[first], b.columns[second], values)


def product_rows(rows: Integers, factors: Sequence[Factor], forms: Array | None) -> ProductRows:
    """Rows with two factors and their forms, or with three factors (`forms` None: cyclic pairs a b, b c, c a)."""
    sides = [(0, 1)] if forms is not None else [(0, 1), (1, 2), (2, 0)]
    pairs = tuple(_pairs(factors, left, right, forms) for left, right in sides)
    return ProductRows(rows, tuple(factors), forms, pairs)
