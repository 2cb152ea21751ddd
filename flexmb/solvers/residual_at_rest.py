"""Forces and stiffness of a mechanism at rest in a position whose loops are closed.

In: a system and its workspace. Out: the force f = r + G^T lam along the motions that the constraints allow
(N, null space of G, held coordinates left out), with the multipliers of least squares, and the stiffness N^T K N,
K = df/dq at constant lam by central differences, which holds the curvature of the constraints. All in coordinates
divided by their magnitude, so that forces and stiffnesses are energies [J].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Flags, Floats
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.solvers.allowed_motions import random_ways
from flexmb.solvers.assembly import POSITIVE, close_loops, margin, positive_mass
from flexmb.solvers.directional_differences import Differences
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.row_rank import RANK, row_units
from flexmb.solvers.shared_basis import basis_of
from flexmb.solvers.sparse_rows import SparseRows
from flexmb.system.system import System

DIFFERENCE = 3e-6  # of the magnitude of the coordinate that moves most, for central differences: cube root of round-off
STRETCH = 1e-4  # the same for an energy: its differences lose more digits
UNSYMMETRIC = 1e-6  # fraction of the stiffness above which the loads have no potential


@dataclass(frozen=True)
class Point:
    """A closed position; all in coordinates divided by their magnitude."""

    q: Floats
    lam: Floats
    ways: Floats
    """(n_v, n_free) null space of G"""
    force: Floats
    """(n_v,) r + G^T lam [J]"""
    load: float
    """Largest load [J]"""
    energy: float
    """Potential energy of gravity, springs and deformation [J]"""


class ResidualAtRest:
    """A mechanism without motion, in a workspace W; coordinates that are `held` do not move either."""

    def __init__(self, system: System, W: Floats, held: Flags | None = None):
        self.system = system
        self.held = np.zeros(system.n_v, dtype=bool) if held is None else held
        m = self.m = Mechanics(system, W)
        m.v[:], m.a[:] = 0.0, 0.0
        self.basis = basis_of(m)

    def choose_rows(self) -> None:
        """Choose the combinations of rows that repeat others at the position in W; multipliers are not carried over."""
        if self.basis is not None:
            self.basis.set()

    def look(self) -> Point:
        """Forces, multipliers and directions at the position in W."""
        m = self.m
        m.lam[:] = 0.0
        load = self._load()
        m.run(L.AT_RESIDUAL)
        force = m.scale * m.res
        load = max(load, float(np.max(np.abs(force), initial=0.0)))
        ways = np.eye(m.n_v)
        if m.n_rows or self.held.any():
            m.jacobian()
            ways, m.lam[:], carried = self._sparse_ways() if m.is_sparse else self._ways(force)
            force = np.where(self.held, 0.0, force + carried)
        if not np.all(np.isfinite(force)):
            raise ComputationError("The forces at rest are not finite.")
        return Point(m.q.copy(), m.lam.copy(), ways, force, load, self._energy())

    def _ways(self, force: Floats) -> tuple[Floats, Floats, Floats]:
        """Null space of the rows, multipliers of least squares and their force."""
        m, holds = self.m, np.eye(self.m.n_v)[self.held]
        G = np.vstack([m.G * m.scale, holds])
        units = np.append(row_units(m.G * m.scale, self.system.rows, self.system.length_scale), np.ones(len(holds)))
        left, sigma, right = np.linalg.svd(G / units[:, None])
        rank = int(np.sum(sigma > RANK * max(float(sigma[0]), 1.0)))
        lam = -left[:, :rank] @ ((right[:rank] @ force) / sigma[:rank]) / units
        return right[rank:].T, lam[: m.n_rows], G.T @ lam

    def _sparse_ways(self) -> tuple[Floats, Floats, Floats]:
        """The same by one sparse factorisation."""
        m, rows, free = self.m, SparseRows(self.m), ~self.held
        rows.factor(rows.magnitudes(), free)
        lam = rows.solve(np.where(free, -m.res, 0.0), np.zeros(m.n_rows))[1]
        n_free = int(np.sum(free)) - int(np.sum(~rows.dependent))
        return np.linalg.qr(random_ways(rows, n_free, free))[0], lam, m.scale * rows.columns_times(lam)

    def mass(self, ways: Floats) -> Floats:
        """N^T M N of motions N at the position in W, in coordinates divided by their magnitude."""
        m = self.m
        m.equations()
        moves = ways * m.scale[:, None]
        if not m.is_sparse:
            return np.asarray(moves.T @ positive_mass(m)[0] @ moves)
        rows = SparseRows(m)
        found = np.array([moves.T @ rows.metric_times(m.M_entries, move) for move in moves.T])
        if margin(found) <= POSITIVE:
            raise ComputationError(
                f"No inertia resists the motion of {', '.join(self.names(np.abs(ways).max(axis=1)))}."
            )
        return found

    def names(self, shares: Floats) -> tuple[str, ...]:
        """Coordinates with the largest shares, at most five."""
        sizes = np.abs(shares)
        order = [int(i) for i in np.argsort(-sizes, kind="stable") if sizes[i] > 0.3 * sizes.max(initial=0.0)]
        return tuple(f"'{name}'" for name in self.m.names(order[:5]))

    def other_loads(self, here: Point, way: Floats) -> float:
        """Force along a way of the loads that are not in the potential energy [J]."""
        m, way = self.m, here.ways @ (here.ways.T @ way)
        short = STRETCH / max(float(np.max(np.abs(way), initial=0.0)), STRETCH)
        slope = 0.0
        for sign in (1.0, -1.0):
            m.q[:] = here.q
            m.move(sign * short * m.scale * way)
            slope += sign * self._energy() / (2.0 * short)
        m.q[:], m.lam[:] = here.q, here.lam
        return float(here.force @ way) - slope

    def _energy(self) -> float:
        self.m.run(L.AT_OUTPUT)
        return float(self.m.W[int(self.m.I[L.ENERGY]) + 1])

    def _load(self) -> float:
        """Largest load on a body, its weight included, or on a coordinate [J]."""
        m, I = self.m, self.m.I
        m.run(L.AT_WRENCHES)
        largest = 0.0
        for b in range(1, int(I[L.N_BODIES]) + 1):
            wrench = int(I[int(I[L.BODIES]) + b * L.BODY + L.B_W]) + L.W_F
            force, moment = m.W[wrench : wrench + 3], m.W[wrench + 3 : wrench + 6]
            largest = max(largest, float(np.linalg.norm(force)) * self.system.length_scale)
            largest = max(largest, float(np.linalg.norm(moment)))
        effort = self.system.view(m.W, L.EFFORT, m.n_v)
        return max(largest, float(np.max(np.abs(effort) * m.scale, initial=0.0)))

    def stiffness(self, here: Point) -> Floats:
        """(n_free, n_free) N^T K N [J] by central differences."""
        m = self.m
        m.q[:], m.lam[:] = here.q, here.lam
        steps, block = DIFFERENCE / np.max(np.abs(here.ways), axis=0, initial=1e-3), (int(m.I[L.RES]), m.n_v)
        moves = m.scale[:, None] * here.ways
        columns = Differences(m).along(L.AT_RESIDUAL, [block], steps, moves, both=False)[0]
        K = moves.T @ columns
        if not np.all(np.isfinite(K)):
            raise ComputationError("The stiffness at rest is not finite.")
        return np.asarray(K)

    def close(self) -> bool:
        """Close the loops, without bending the bodies if possible."""
        m, accepted = self.m, 1e-9 * self.m.row_scale
        q, elastic = m.q.copy(), self.system.elastic
        if close_loops(m, ~elastic, 25) <= accepted:
            return True
        if not elastic.any():
            return False
        m.q[:] = q
        return close_loops(m, np.ones(m.n_v, dtype=bool), 25) <= accepted


def is_symmetric(K: Floats) -> bool:
    """Whether forces with this stiffness have a potential."""
    return float(np.linalg.norm(K - K.T)) <= UNSYMMETRIC * float(np.linalg.norm(K))


def newton_step(K: Floats, gradient: Floats, none: float) -> Floats | None:
    """-K^-1 g without the motions that have no stiffness and no force above `none`; None: a force without stiffness."""
    left, sigma, right = np.linalg.svd(K)
    along = left.T @ gradient
    held = sigma > none
    if np.any(np.abs(along[~held]) > none):
        return None
    if held.all():
        return np.asarray(-np.linalg.solve(K, gradient))
    return np.asarray(-right[held].T @ (along[held] / sigma[held]))


def softest_motion(K: Floats, M: Floats, n_neutral: int) -> tuple[float, Floats, bool, bool]:
    """Smallest eigenvalue of K against M [1/s^2], its vector; whether motions stay small, whether K is symmetric.

    The `n_neutral` eigenvalues nearest to zero are left out.
    """
    lower = np.linalg.cholesky(M)
    A = np.linalg.solve(lower, np.linalg.solve(lower, K).T).T
    has_potential = is_symmetric(A)
    values, vectors = np.linalg.eigh(0.5 * (A + A.T)) if has_potential else np.linalg.eig(A)
    held = np.argsort(np.abs(values), kind="stable")[n_neutral:]
    values, vectors = values[held], vectors[:, held]
    first = int(np.argmin(values.real))
    flutter = np.abs(values.imag) > UNSYMMETRIC * np.abs(values)
    is_stable = bool(values.real[first] > 0.0 and not flutter.any())
    return float(values.real[first]), np.linalg.solve(lower.T, vectors[:, first].real), is_stable, has_potential
