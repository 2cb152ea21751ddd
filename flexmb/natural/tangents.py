"""Tangents of springs, dampers and friction on a fixed sparse pattern, for the implicit integration of large systems.

Enters: force sets that know their derivatives; leaves: the entries of

    dQ/dx + r dQ/dv          (r = gamma / (beta h) of the method)

over the moving coordinates. For a spring between two points with d = r_2 - r_1 = s u and the force f(s, s_dot):

    dF/dd = u (df/ds u + df/ds_dot (d_dot - u s_dot) / s)^T + f/s (1 - u u^T),      dF/dd_dot = df/ds_dot u u^T
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from flexmb.arrays import Floats, Integers

if TYPE_CHECKING:
    from flexmb.natural.system import NaturalSystem


@runtime_checkable
class StiffForces(Protocol):
    """A force set that knows its tangent, in full coordinates; entries of one place are added."""

    def tangent_places(self) -> tuple[Integers, Integers]:
        """Rows and columns of the entries."""
        ...

    def tangent(self, y: Floats, y_dot: Floats, per_rate: float) -> Floats:
        """Entries of dQ/dy + per_rate dQ/dy_dot."""
        ...


@runtime_checkable
class CoupledForces(Protocol):
    """Forces that the system in absolute coordinates finds, in compiled code."""

    coupled: Sequence[Integers]
    """Full coordinates that each of them couples"""


class ForceTangents:
    """`rows`, `columns` of the entries over the moving coordinates, and `entries`."""

    def __init__(self, system: NaturalSystem):
        self._system = system
        self._sets = [one for one in system.forces if isinstance(one, StiffForces)]
        place = np.full(system.layout.n_extended, -1, dtype=np.int64)
        place[system.moving] = np.arange(system.n)
        none = np.zeros(0, dtype=np.int64)
        every = [one.tangent_places() for one in self._sets]
        rows = place[np.concatenate([none, *(rows for rows, _ in every)])]
        columns = place[np.concatenate([none, *(columns for _, columns in every)])]
        self._inside = np.flatnonzero((rows >= 0) & (columns >= 0))
        self.rows, self.columns = rows[self._inside], columns[self._inside]

    @property
    def exist(self) -> bool:
        """Whether any force of a system with a constant mass matrix knows its tangent."""
        return bool(self.rows.size) and self._system.has_constant_mass

    def entries(self, x: Floats, v: Floats, per_rate: float) -> Floats:
        """Entries of dQ/dx + per_rate dQ/dv; v (n,)."""
        rate = self._system.rate(v)
        return np.concatenate([one.tangent(x, rate, per_rate) for one in self._sets])[self._inside]
