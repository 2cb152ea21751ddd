"""Inertia forces of a base with prescribed motion: coordinates are relative to it, components along its axes.

Enters: acceleration of the base's origin, angular velocity Omega and angular acceleration, functions of time, in base
axes. Leaves: Q_y = -M_y (y_ddot of the base + 2 Omega x y_dot), for every point and vector

    r_ddot = a_0 + Omega_dot x r + Omega x (Omega x r)       (no a_0 for vectors)               [GJB eq. 4.131-4.135]

The Coriolis part 2 Omega x y_dot is missing in print; it belongs there for every motion relative to a turning base. The
potential of a steadily turning base is V = +int dy . M_y y_ddot = y . M_y (a_0 + Omega x (Omega x y) / 2); in print,
[GJB eq. 4.136], its sign is turned.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from flexmb.arrays import Floats
from flexmb.natural.frame import TURN
from flexmb.natural.layout import Layout

Given = ArrayLike | Callable[[float], ArrayLike]


class BaseMotion:
    """The forces of a moving base on all bodies."""

    def __init__(
        self,
        layout: Layout,
        extended_mass: scipy.sparse.csc_array,
        acceleration: Given,
        angular_velocity: Given,
        angular_acceleration: Given,
    ):
        """Constants or functions of time: (dimension,) [m/s^2], (3,) [rad/s], (3,) [rad/s^2]; planar: one number."""
        self.layout = layout
        self._mass = extended_mass
        self._given = (acceleration, angular_velocity, angular_acceleration)
        n_basic = layout.dimension * layout.n_nodes
        columns = np.concatenate([np.arange(n_basic), np.arange(layout.n_coordinates, layout.n_extended)])
        self._columns = columns.reshape(-1, layout.dimension)
        """(n, dimension): columns of points, vectors and directions w; mixed scalars have no inertia"""

    def force(self, y: Floats, y_dot: Floats, t: float) -> Floats:
        """(n_extended,) Q_y."""
        origin, omega, alpha = self._at(t)
        nodes, rates = y[self._columns], y_dot[self._columns]
        field = _cross(alpha, nodes) + _cross(omega, _cross(omega, nodes) + 2.0 * rates)
        field[: self.layout.n_points] += origin
        return -self._inertia(field)

    def potential(self, y: Floats, t: float) -> float:
        """Potential [J] of the steady part: of a_0 and Omega as they are at t, none of the angular acceleration."""
        origin, omega, _ = self._at(t)
        nodes = y[self._columns]
        field = 0.5 * _cross(omega, _cross(omega, nodes))
        field[: self.layout.n_points] += origin
        return float(y @ self._inertia(field))

    def _inertia(self, field: Floats) -> Floats:
        acceleration = np.zeros(self.layout.n_extended)
        acceleration[self._columns] = field
        return np.asarray(self._mass @ acceleration)

    def _at(self, t: float) -> tuple[Floats, Floats, Floats]:
        origin, omega, alpha = (np.asarray(given(t) if callable(given) else given, float) for given in self._given)
        return origin, np.atleast_1d(omega), np.atleast_1d(alpha)


def _cross(omega: Floats, nodes: Floats) -> Floats:
    """omega x every row of nodes; planar: omega one number."""
    if nodes.shape[1] == 2:
        return omega[0] * (nodes @ TURN.T)
    return np.cross(omega, nodes)
