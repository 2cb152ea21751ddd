"""Rank of the constraint rows of a system in sparse storage: degrees of freedom and rows that repeat others.

As `redundancy`, by the factorisation: a row repeats others when its pivot vanishes. The rank is taken at the start and
at nearby positions. All rows stay in the equations; the solvers choose those that they use at every factorisation.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Flags
from flexmb.solvers.assembly import close_loops
from flexmb.solvers.body_slices import body_slices
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.row_rank import RANK
from flexmb.solvers.sparse_near import near_rows
from flexmb.solvers.sparse_rows import SparseRows, UnsuitedStorage
from flexmb.system.system import System

STEPS = (0.02, -0.02)  # distances of the nearby positions [rad, parts of the length scale]
CONSISTENT = 1e-7  # part of a row by which it may contradict those that it repeats


class SparseRank:
    """Rank of the rows at the start and near it; the workspace is left as it was."""

    def __init__(self, mechanics: Mechanics):
        self.m, self.rows = mechanics, SparseRows(mechanics)
        system, saved = mechanics.system, mechanics.W.copy()
        self.metric = self.rows.magnitudes()
        motions = np.array([row.is_motion for row in system.evaluated], dtype=bool)
        loose = np.array([row.is_motion or row.on_velocity for row in system.evaluated], dtype=bool)
        try:
            first = self._dependent()
            best = first
            for distance in STEPS:
                if self._nearby(distance):
                    found = self._dependent()
                    best = found if np.sum(found) < np.sum(best) else best
                mechanics.W[:] = saved
            mechanics.jacobian()
            self.dependent = best
            self.joint_dof = mechanics.n_v - int(np.sum(~self._dependent(~motions)))
            joint_rank = int(np.sum(~self._dependent(~loose)))
            rank = int(np.sum(~best))
            if rank < joint_rank + int(np.sum(loose)):
                raise UnsuitedStorage("motions that repeat joints or motions need full matrices")
            self.is_singular_start = int(np.sum(first)) > int(np.sum(best))
            if self.is_singular_start:
                raise UnsuitedStorage("a singular start needs full matrices")
            if system.elastic.any() and self._rank_when_straight() < rank:
                raise UnsuitedStorage("rows that repeat others only while the bodies are straight need full matrices")
            mechanics.W[:] = saved
            mechanics.jacobian()
            self.rank, self.dof = rank, mechanics.n_v - rank
            self._dependent()
            self.near = tuple(near_rows(self.rows, self.metric))
            self.inconsistent = self._contradictions()
        finally:
            mechanics.W[:] = saved

    def _dependent(self, rows: Flags | None = None) -> Flags:
        """Rows that repeat others at the state in W; others than `rows` are left out."""
        self.m.jacobian()
        if not self.rows.factor(self.metric, rows=rows):
            raise UnsuitedStorage("rows that are not finite")
        return self.rows.dependent.copy()

    def _nearby(self, distance: float) -> bool:
        """Move to a closed position about `distance` away, along free motions and drives; False: there is none."""
        m, rows = self.m, self.rows
        m.jacobian()
        rows.factor(self.metric)
        way = rows.metric_times(self.metric, np.random.default_rng(1).uniform(0.5, 1.0, m.n_v) * m.scale)
        way = rows.solve(way, np.zeros(m.n_rows))[0] / m.scale
        velocity = m.v.copy()
        m.v[:] = 0.0
        m.jacobian()
        drive = rows.solve(np.zeros(m.n_v), -m.phi_dot)[0] / m.scale
        m.v[:] = velocity
        size, speed = (float(np.max(np.abs(x), initial=0.0)) for x in (way, drive))
        has_way = size > 1e-9
        if speed > 0.0:
            duration = abs(distance) / speed
            m.t += duration
            way = way * distance / max(size, 1.0) + drive * duration
        elif has_way:
            way *= distance / size
        else:
            return False
        m.move(way * m.scale)
        return close_loops(m, np.ones(m.n_v, bool), misfit=RANK) <= RANK * m.row_scale

    def _rank_when_straight(self) -> int:
        """Rank at the start with all bodies straight."""
        system = self.m.system
        assert isinstance(system, System)
        for _, elastic, _ in body_slices(system).values():
            self.m.W[elastic] = 0.0
        return int(np.sum(~self._dependent()))

    def _contradictions(self) -> tuple[str, ...]:
        """Owners of rows that repeat others but contradict them, in position, velocity or acceleration."""
        m, rows, left = self.m, self.rows, self.rows.dependent
        if not left.any():
            return ()
        m.equations()
        entries = (m.G_entries * m.scale[rows.g_column]) ** 2
        lengths = np.sqrt(np.bincount(rows.g_row, weights=entries, minlength=m.n_rows))
        length = max(float(lengths.max()), m.row_scale)
        rates = float(np.max(np.abs(m.v) / m.scale, initial=0.0))
        bad = left & (np.abs(m.phi) > CONSISTENT * length) & (np.arange(m.n_rows) < m.n_pos_rows)
        m.v[:] = 0.0
        m.equations()
        for order in ("phi_dot", "gam"):
            wanted = -getattr(m, order)
            x = rows.solve(np.zeros(m.n_v), wanted)[0]
            size = max(float(np.max(np.abs(x) / m.scale, initial=0.0)), rates, float(np.max(np.abs(wanted))) / length)
            bad |= left & (np.abs(rows.rows_times(x) - wanted) > CONSISTENT * length * max(size, 1e-3))
            if order == "phi_dot":
                m.v[:] = x
                m.equations()
        return tuple(m.owners(np.flatnonzero(bad)))
