"""Constraint rows as flat arrays: the rows of a `ConstraintBuilder` as a table for compiled evaluation.

Every row is a sum of terms,

    weight(psi) a . S b,    weight(psi) a . (b x c),    coefficient x[column],    -factor f(x[column]),    -constant

with a, b, c linear in x. The places of the entries of the gradient and of the second derivatives do not depend on x:
they are found here, once. A product of three factors is bilinear in each pair of them: S_ij = eps_ijk c_k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats, Integers
from flexmb.natural import row_kernels as at
from flexmb.natural.layout import Combination
from flexmb.natural.scalar_terms import FUNCTIONS, ScalarTerm

Columns = tuple[Integers, Integers]
Drive = Callable[[float], tuple[float, float, float]]
"""Time [s] -> value, rate, acceleration of the driven quantity."""


@dataclass(frozen=True, eq=False)
class Product:
    """A product of two factors with the form S (dimension, dimension), or of three factors (form None), in a row."""

    row: int
    factors: tuple[Combination, ...]
    form: Floats | None
    turn: tuple[int, int] = (0, 0)
    """Column of the angle psi that the weight is a function of, and code of this function; code 0: weight 1."""


@dataclass(eq=False)
class WrittenRows:
    """Rows as written: a word for messages and a constant each; terms with the number of their row."""

    names: list[str] = field(default_factory=list)
    constants: list[float] = field(default_factory=list)
    linear: list[tuple[int, Integers, Floats]] = field(default_factory=list)
    products: list[Product] = field(default_factory=list)
    scalars: list[tuple[int, ScalarTerm]] = field(default_factory=list)
    drives: list[tuple[int, Drive]] = field(default_factory=list)

    def only(self, kept: Integers) -> WrittenRows:
        """These rows, renumbered."""
        number = {int(row): k for k, row in enumerate(kept)}
        return WrittenRows(
            [self.names[row] for row in number],
            [self.constants[row] for row in number],
            [(number[row], columns, values) for row, columns, values in self.linear if row in number],
            [replace(product, row=number[product.row]) for product in self.products if product.row in number],
            [(number[row], term) for row, term in self.scalars if row in number],
            [(number[row], drive) for row, drive in self.drives if row in number],
        )

    def angles(self) -> set[int]:
        """Columns of the mixed coordinates that are angles; the others are lengths."""
        turns = {product.turn[0] for product in self.products if product.turn[1]}
        return turns | {term.column for _, term in self.scalars if term.function in ("cosine", "sine")}

    def append(self, other: WrittenRows) -> None:
        """Take the rows of another set below these."""
        start = len(self.names)
        self.names += other.names
        self.constants += other.constants
        self.linear += [(start + row, columns, values) for row, columns, values in other.linear]
        self.products += [replace(product, row=start + product.row) for product in other.products]
        self.scalars += [(start + row, term) for row, term in other.scalars]
        self.drives += [(start + row, drive) for row, drive in other.drives]


class RowTable:
    """Flat `arrays` of integers and numbers; places of the entries of the gradient and of the second derivatives."""

    def __init__(self, written: WrittenRows):
        products = written.products
        factors = [factor for product in products for factor in product.factors]
        firsts = np.concatenate(([0], np.cumsum([len(product.factors) for product in products]))).astype(np.int64)
        sizes = [factor.columns.size for factor in factors]
        pairs = [_pairs(number, product, int(firsts[number])) for number, product in enumerate(products)]
        linear_rows = [np.full(len(columns), row) for row, columns, _ in written.linear]
        terms = [term for _, term in written.scalars]
        ints: dict[int, Integers] = {
            at.LINEAR_ROW: _whole(linear_rows),
            at.LINEAR_COLUMN: _whole([columns for _, columns, _ in written.linear]),
            at.ROW: np.array([product.row for product in products], dtype=np.int64),
            at.FIRST: firsts,
            at.TURN: np.array([product.turn[0] for product in products], dtype=np.int64),
            at.CODE: np.array([product.turn[1] for product in products], dtype=np.int64),
            at.START: np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
            at.COMPONENT: _whole([factor.components for factor in factors]),
            at.COLUMN: _whole([factor.columns for factor in factors]),
            at.PAIR_PRODUCT: _whole([pair.products for pair in pairs]),
            at.PAIR_THIRD: _whole([pair.thirds for pair in pairs]),
            at.SCALAR_ROW: np.array([row for row, _ in written.scalars], dtype=np.int64),
            at.SCALAR_COLUMN: np.array([term.column for term in terms], dtype=np.int64),
            at.SCALAR_CODE: np.array([FUNCTIONS.index(term.function) for term in terms], dtype=np.int64),
        }
        floats: dict[int, Floats] = {
            at.CONSTANT: np.array(written.constants, dtype=float),
            at.LINEAR_VALUE: _real([values for _, _, values in written.linear]),
            at.FORM: _real([_in_space(product.form).ravel() for product in products]),
            at.ORIGIN: _real([_in_space(factor.constant) for factor in factors]),
            at.VALUE: _real([factor.values for factor in factors]),
            at.PAIR_VALUE: _real([pair.values for pair in pairs]),
            at.SCALAR_FACTOR: np.array([term.factor for term in terms], dtype=float),
        }
        counts = {
            at.N_LINEAR: ints[at.LINEAR_ROW].size,
            at.N_PRODUCTS: len(products),
            at.N_FACTORS: len(factors),
            at.N_ENTRIES: ints[at.COLUMN].size,
            at.N_PAIRS: ints[at.PAIR_PRODUCT].size,
            at.N_SCALARS: len(terms),
            at.N_ROWS: len(written.constants),
        }
        self.arrays = _packed(counts, ints, floats)
        self.rows, self.columns = _gradient_places(products, ints)
        self.hessian_rows, self.hessian_columns = _hessian_places(products, pairs, ints)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of an entry of one factor and an entry of another one: places of second derivatives."""

    products: Integers
    thirds: Integers
    """Place of the third factor's component among all (n_factors, 3); -1 for products of two."""
    columns: Columns
    values: Floats


def _pairs(number: int, product: Product, first: int) -> _Pairs:
    """All pairs whose second derivative is not zero whatever the state."""
    parts = []
    for left, right in [(0, 1)] if product.form is not None else [(0, 1), (1, 2), (2, 0)]:
        a, b = product.factors[left], product.factors[right]
        i, j = a.components[:, None], b.components[None, :]
        if product.form is not None:
            form, third = product.form[i, j], np.full((i.size, j.size), -1)
        else:
            form = np.where(i == j, 0.0, np.where((j - i) % 3 == 1, 1.0, -1.0))
            third = 3 * (first + 3 - left - right) + (3 - i - j)
        k, m = np.nonzero(form)
        parts.append((third[k, m], a.columns[k], b.columns[m], (a.values[k] * b.values[m]) * form[k, m]))
    thirds, lefts, rights, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return _Pairs(np.full(thirds.size, number), thirds, (lefts, rights), values)


def _gradient_places(products: Sequence[Product], ints: dict[int, Integers]) -> Columns:
    """Rows and columns of the entries of the gradient, in the order of `entries_into`."""
    rows, columns = [ints[at.LINEAR_ROW]], [ints[at.LINEAR_COLUMN]]
    for product in products:
        own = [factor.columns for factor in product.factors]
        if product.turn[1]:
            own.append(np.array([product.turn[0]]))
        columns += own
        rows.append(np.full(sum(part.size for part in own), product.row))
    return _whole([*rows, ints[at.SCALAR_ROW]]), _whole([*columns, ints[at.SCALAR_COLUMN]])


def _hessian_places(products: Sequence[Product], pairs: Sequence[_Pairs], ints: dict[int, Integers]) -> Columns:
    """Rows and columns of the second derivatives, in the order of `hessian_into`."""
    rows, columns = [], []
    for pair in pairs:
        rows.append(np.column_stack(pair.columns).ravel())
        columns.append(np.column_stack(pair.columns[::-1]).ravel())
    for product in products:
        if not product.turn[1]:
            continue
        psi = np.array([product.turn[0]])
        for factor in product.factors:
            both = factor.columns, np.full(factor.columns.size, psi[0])
            rows.append(np.column_stack(both).ravel())
            columns.append(np.column_stack(both[::-1]).ravel())
        rows.append(psi)
        columns.append(psi)
    return _whole([*rows, ints[at.SCALAR_COLUMN]]), _whole([*columns, ints[at.SCALAR_COLUMN]])


def _packed(counts: dict[int, int], ints: dict[int, Integers], floats: dict[int, Floats]) -> tuple[Integers, Floats]:
    """Header, counts and offsets with all integers behind them; all numbers."""
    header = np.zeros(at.HEADER, dtype=np.int64)
    place = at.HEADER
    for slot, count in counts.items():
        header[slot] = count
    for slot, part in ints.items():
        header[slot], place = place, place + part.size
    place = 0
    for slot, numbers in floats.items():
        header[slot], place = place, place + numbers.size
    return np.concatenate([header, *ints.values()]), np.concatenate([*floats.values()])


def _in_space(array: Floats | None) -> Floats:
    """A vector or form with three components in every direction; a zero form for none."""
    if array is None:
        return np.zeros((3, 3))
    return np.pad(array, [(0, 3 - size) for size in array.shape]) if array.shape[0] < 3 else array


def _whole(parts: Sequence[NDArray]) -> Integers:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts]).astype(np.int64, copy=False)


def _real(parts: Sequence[NDArray]) -> Floats:
    return np.concatenate([np.zeros(0), *parts]).astype(np.float64, copy=False)
