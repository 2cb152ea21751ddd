"""Constraints of natural coordinates, evaluated for all rows at once.

Enters: rows given one by one to `ConstraintBuilder`, as products of vectors that are linear in the coordinates x.
Leaves: `Constraints` with value, gradient, velocity and acceleration terms, and the second derivatives,

    Phi(x, t) = product(x) - constant - scalar term(x) - drive(t) = 0
    product   : a . b  |  (a x b)_k  |  a . (b x c)  |  sum of coefficients times x          with a = A x + a0
    Phi_x v + Phi_t = 0,    Phi_x a + gamma = 0,    gamma = d(Phi_x)/dt v + Phi_tt

With points and vectors all rows of rigid bodies and lower pairs are of these kinds, at most quadratic (the triple
product: cubic). In [GJB eq. 4.15] the gradient of a row stands transposed by mistake: phi_q v = 0 is meant. A mixed
coordinate s (distance or angle) enters as a scalar term: d . d - s^2 = 0 [GJB eq. 4.108], a . b - L_a L_b cos s = 0
and u . (a x b) - L_a L_b sin s = 0 [GJB eq. 4.124, 4.125, where the absolute value loses the quadrant]; or as the angle
psi of S cos psi - C sin psi = 0, C = a . b and S = u . (a x b), which is valid in every position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.natural import row_kernels as kernels
from flexmb.natural.layout import Combination, Layout
from flexmb.natural.row_table import Drive, Product, RowTable, WrittenRows
from flexmb.natural.scalar_terms import ScalarTerm

IN_PLANE = np.array([[0.0, 1.0], [-1.0, 0.0]])
"""Form of a_x b_y - a_y b_x."""


class Constraints:
    """Constraint rows over the full coordinates.

    rows, columns: places of the entries of the gradient; hessian_rows, hessian_columns: those of d(Phi_x^T lambda)/dx.
    Both are constant; entries of one place are summed.
    """

    def __init__(self, n_coordinates: int, written: WrittenRows):
        self.n_coordinates, self.written = n_coordinates, written
        self.n_rows, self.names = len(written.names), tuple(written.names)
        table = RowTable(written)
        self.rows, self.columns = table.rows, table.columns
        self.hessian_rows, self.hessian_columns = table.hessian_rows, table.hessian_columns
        self.arrays = table.arrays

    def value(self, x: Floats, t: float = 0.0) -> Floats:
        """(n_rows,) Phi."""
        value = np.empty(self.n_rows)
        kernels.value_into(*self.arrays, x, value)
        return self.less_drives(value, t, 0)

    def entries(self, x: Floats) -> Floats:
        """The entries of the gradient Phi_x."""
        entries = np.empty(self.rows.size)
        kernels.entries_into(*self.arrays, x, entries)
        return entries

    def gradient(self, x: Floats) -> scipy.sparse.csr_array:
        """(n_rows, n_coordinates) Phi_x."""
        shape = (self.n_rows, self.n_coordinates)
        return scipy.sparse.csr_array((self.entries(x), (self.rows, self.columns)), shape=shape)

    def rate(self, t: float = 0.0) -> Floats:
        """(n_rows,) Phi_t: minus the rates of the drives."""
        return self.less_drives(np.zeros(self.n_rows), t, 1)

    def gamma(self, x: Floats, v: Floats, t: float = 0.0) -> Floats:
        """(n_rows,) d(Phi_x)/dt v + Phi_tt, so that Phi_x a = -gamma."""
        gamma = np.empty(self.n_rows)
        kernels.gamma_into(*self.arrays, x, v, gamma)
        return self.less_drives(gamma, t, 2)

    def hessian_entries(self, x: Floats, multipliers: Floats) -> Floats:
        """The entries of d(Phi_x^T lambda)/dx for multipliers (n_rows,)."""
        entries = np.empty(self.hessian_rows.size)
        kernels.hessian_into(*self.arrays, x, multipliers, entries)
        return entries

    def less_drives(self, rows: Floats, t: float, order: int) -> Floats:
        """The rows (n_rows,) with the values, rates or accelerations of the drives taken off, in place."""
        for row, drive in self.written.drives:
            rows[row] -= drive(t)[order]
        return rows


def joined(sets: Sequence[Constraints]) -> Constraints:
    """All rows of the sets, one below the other."""
    written = WrittenRows()
    for one in sets:
        written.append(one.written)
    return Constraints(sets[0].n_coordinates, written)


@dataclass(eq=False)
class ConstraintBuilder:
    """Collects rows one by one; `build` makes the arrays."""

    layout: Layout
    written: WrittenRows = field(default_factory=WrittenRows)

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
            form = IN_PLANE
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
        self.written.products.append(Product(row, (a, b, c), None))
        return row

    def angle(self, a: Combination, b: Combination, axis: Combination | None, column: int, name: str = "angle") -> int:
        """The row S cos psi - C sin psi = 0: psi = x[column] from a to b about a unit vector `axis` (planar: None)."""
        sides = (a, b) if axis is None else (axis, a, b)
        self._refuse_extended(*sides)
        row, unit = self._row(0.0, None, None, name), np.eye(self.layout.dimension)
        self.written.products.append(Product(row, sides, IN_PLANE if axis is None else None, (column, kernels.SINE)))
        self.written.products.append(Product(row, (a, b), unit, (column, kernels.COSINE)))
        return row

    def linear(
        self,
        columns: Sequence[int] | Integers,
        values: Sequence[float] | Floats,
        constant: float = 0.0,
        drive: Drive | None = None,
        scalar: ScalarTerm | None = None,
        name: str = "linear",
    ) -> int:
        """The row sum of values times x[columns] = ..."""
        row = self._row(constant, drive, scalar, name)
        self.written.linear.append((row, np.asarray(columns, dtype=np.int64), np.asarray(values, dtype=float)))
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
        return Constraints(self.layout.n_coordinates, self.written)

    def _bilinear(
        self,
        a: Combination,
        b: Combination,
        form: Floats,
        constant: float,
        drive: Drive | None,
        scalar: ScalarTerm | None,
        name: str,
    ) -> int:
        self._refuse_extended(a, b)
        row = self._row(constant, drive, scalar, name)
        self.written.products.append(Product(row, (a, b), form))
        return row

    def _row(self, constant: float, drive: Drive | None, scalar: ScalarTerm | None, name: str) -> int:
        written, row = self.written, len(self.written.names)
        written.names.append(name)
        written.constants.append(float(constant))
        if drive is not None:
            written.drives.append((row, drive))
        if scalar is not None:
            written.scalars.append((row, scalar))
        return row

    def _refuse_extended(self, *sides: Combination) -> None:
        """Reject points of a body of kind "cross" that depend on w: constraints depend only on x."""
        if any(np.any(side.columns >= self.layout.n_coordinates) for side in sides):
            text = "a constraint uses a point or direction out of the plane of a body with only two directions."
            raise InputError([Fault(text, hint="Make it a basic point or vector of that body.")])
