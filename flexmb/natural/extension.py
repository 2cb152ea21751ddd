"""The third direction of bodies with only two directions: w = scale d1 x d2, for all such bodies at once.

Enters: the bodies of the kind "cross" (two points and a vector, three points, a point and two vectors). Leaves: the
extended coordinates y = [x; w(x)], their velocity y_dot = V(x) x_dot and acceleration y_ddot = V x_ddot + V_dot x_dot,

    w_dot = scale (d1_dot x d2 + d1 x d2_dot),      V_dot x_dot = [0; 2 scale d1_dot x d2_dot]     [GJB eq. 4.70-4.76]

In print V_dot of eq. 4.75 carries identity blocks; its rows of the points and vectors are zero. Whatever is linear in y
(mass matrix, forces at any material point) is brought back to x by V: Q = V^T Q_y.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import scipy.sparse

from flexmb.arrays import Floats, Integers
from flexmb.natural.body import NaturalBody
from flexmb.natural.factors import Factor, cross
from flexmb.natural.layout import Layout
from flexmb.natural.rigid import frame_directions


def _skew(a: Floats) -> Floats:
    """(n, 3, 3): a x, for all rows of a (n, 3)."""
    x, y, z = a.T
    zero = np.zeros_like(x)
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)


class Extension:
    """y = [x; w(x)] and its derivatives."""

    def __init__(self, bodies: Sequence[NaturalBody], layout: Layout):
        self.layout = layout
        crossed = sorted(
            (body for body in bodies if body.frame.kind == "cross"), key=lambda body: layout.cross_slots[body.name]
        )
        self.is_identity = not crossed
        """No such body: y is x."""
        self.scales = np.array([body.frame.scale for body in crossed])[:, None]
        directions = [frame_directions(body, layout) for body in crossed]
        if crossed:
            self.first = Factor.of([pair[0] for pair in directions], 3)
            self.second = Factor.of([pair[1] for pair in directions], 3)

    def extend(self, x: Floats) -> Floats:
        """(n_extended,) y."""
        if self.is_identity:
            return x
        return np.concatenate([x, (self.scales * cross(self.first.at(x), self.second.at(x))).ravel()])

    def velocity(self, x: Floats, v: Floats) -> Floats:
        """(n_extended,) y_dot = V v, without forming V."""
        if self.is_identity:
            return v
        turning = cross(self.first.rate(v), self.second.at(x)) + cross(self.first.at(x), self.second.rate(v))
        return np.concatenate([v, (self.scales * turning).ravel()])

    def bias(self, v: Floats) -> Floats:
        """(n_extended,) V_dot v: zero but for the directions w."""
        bias = np.zeros(self.layout.n_extended)
        if not self.is_identity:
            turning = cross(self.first.rate(v), self.second.rate(v))
            bias[self.layout.n_coordinates :] = (2.0 * self.scales * turning).ravel()
        return bias

    @cached_property
    def _pattern(self) -> tuple[Integers, Integers]:
        """Rows and columns of the entries of V: the identity, then each entry of d1 and d2 in three components of w."""
        n = self.layout.n_coordinates
        rows, columns = [np.arange(n)], [np.arange(n)]
        for factor in (self.first, self.second):
            rows.append((n + 3 * factor.owners[:, None] + np.arange(3)).ravel())
            columns.append(np.repeat(factor.columns, 3))
        return np.concatenate(rows), np.concatenate(columns)

    def jacobian(self, x: Floats) -> scipy.sparse.csr_array:
        """(n_extended, n_coordinates) V [GJB eq. 4.72]."""
        n = self.layout.n_coordinates
        if self.is_identity:
            return scipy.sparse.csr_array(scipy.sparse.eye_array(n))
        entries = [np.ones(n)]
        # d1_dot x d2 = -(d2 x) d1_dot, and d1 x d2_dot = (d1 x) d2_dot.
        for factor, matrices in ((self.first, -_skew(self.second.at(x))), (self.second, _skew(self.first.at(x)))):
            columns = (self.scales[:, :, None] * matrices)[factor.owners, :, factor.components]
            entries.append((factor.values[:, None] * columns).ravel())
        shape = (self.layout.n_extended, n)
        return scipy.sparse.csr_array((np.concatenate(entries), self._pattern), shape=shape)
