"""Consistent start and rank of the rows of a system in sparse storage: as `assembly` and `redundancy`, without full
matrices.

Steps of least change solve [S G^T; G 0] with S the metric of the change. Rows that repeat others take no part; what
they leave open, the caller sees.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Flags, Floats
from flexmb.solvers.damped_closure import Step, close_damped
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.row_rank import RANK, Near
from flexmb.solvers.sparse_near import near_rows
from flexmb.solvers.sparse_rows import SparseRows, UnsuitedStorage

SAFE = 1e-4  # margin of a mass matrix to be used as it is
CLOSED = 1e-12  # accepted |PHI| as a fraction of the length scale (m) or of 1 (rad)


def closing_metric(rows: SparseRows, free: Flags) -> Floats:
    """Metric of motions that close loops: free coordinates by their magnitude, elastic ones by their elastic energy."""
    m, S = rows.m, rows.magnitudes()
    moving = free & m.system.elastic
    if not moving.any():
        return S
    K = rows.stiffness()
    stiffness = rows.diagonal(K)[moving]
    unit = float(np.min(stiffness)) * float(np.max(m.scale[moving])) ** 2
    both = moving[rows.s_row] & moving[rows.s_column]
    S[both] = K[both] / unit
    return S


def close_loops_sparse(mechanics: Mechanics, free: Flags, iterations: int, misfit: float) -> float:
    """Move the free coordinates until PHI vanishes; return the largest |PHI| left, angles times the scale of a gap."""
    m, rows = mechanics, SparseRows(mechanics)
    every = np.arange(m.n_rows) < m.n_pos_rows
    gauge = np.array([m.row_scale if row.unit == "rad" else 1.0 for row in m.system.rows]) * every
    tolerance, metric = CLOSED * m.row_scale, closing_metric(rows, free)

    def step(damping: float) -> Step | None:
        if not rows.factor(metric, free, every, damping):
            return None
        found = rows.solve(np.zeros(m.n_v), np.where(every, -m.phi, 0.0))[0]
        return found, float(np.max(np.abs(found) / m.scale, initial=0.0))

    close_damped(m, gauge, tolerance, iterations, step)
    gap = float(np.max(np.abs(m.phi) * gauge, initial=0.0))
    if not tolerance < gap <= misfit * m.row_scale:
        return gap
    rows.factor(metric, free, every)
    return float(np.max(np.abs(m.phi * gauge)[~rows.dependent], initial=0.0))


def checked_mass(mechanics: Mechanics) -> Floats:
    """Stored entries of the mass matrix at the state in W; raises UnsuitedStorage when it is not safely positive."""
    rows, M = SparseRows(mechanics), mechanics.M_entries.copy()
    nothing = np.zeros(mechanics.n_rows, dtype=bool)
    if not rows.factor(M, rows=nothing) or not float(np.min(rows.pivots[: rows.n], initial=1.0)) > SAFE**2:
        raise UnsuitedStorage("a mass matrix that is nearly singular needs full matrices")
    return M


def least_strain_sparse(mechanics: Mechanics, M: Floats, little: float) -> Floats:
    """Metric of elastic rates in which stiff shapes move least (`assembly.least_strain`)."""
    rows = SparseRows(mechanics)
    K = rows.stiffness()
    softest = float(np.min(rows.diagonal(K)[mechanics.system.elastic]))
    return K + little * softest / float(np.max(rows.diagonal(M))) * M


def close_velocities_sparse(mechanics: Mechanics, metric: Floats, held: Flags) -> float:
    """Change the velocities that are not held, least in the metric, until G v + Phi_t = 0; return the largest row."""
    m, rows, free = mechanics, SparseRows(mechanics), ~held
    m.jacobian()
    for _ in range(2 if free.any() else 0):
        if not rows.factor(metric, free):
            raise UnsuitedStorage("a mass matrix that is nearly singular needs full matrices")
        m.v[free] += rows.solve(np.zeros(m.n_v), -m.phi_dot)[0][free]
        m.jacobian()
    largest = float(np.max(np.abs(m.phi_dot), initial=0.0))
    size = float(np.max(np.abs(m.v) / m.scale, initial=0.0))
    if not free.any() or largest > 10.0 * RANK * size * m.row_scale:
        return largest
    return float(np.max(np.abs(m.phi_dot)[~rows.dependent], initial=0.0))  # rows that nearly repeat others do not count


def solve_accelerations_sparse(mechanics: Mechanics) -> None:
    """Set accelerations and multipliers of the state: corrections of those in the workspace.

    Multipliers of rows that repeat others stay as they are, so that a small change of state changes all by little.
    """
    m, rows = mechanics, SparseRows(mechanics)
    m.equations()
    M = checked_mass(m)
    if not (np.all(np.isfinite(m.a)) and np.all(np.isfinite(m.lam))):
        m.a[:], m.lam[:] = 0.0, 0.0
    rows.factor(M)
    for _ in range(2):  # the second corrects round-off
        force = -(m.bias + rows.metric_times(M, m.a) + rows.columns_times(m.lam))
        da, dlam = rows.solve(force, -(m.gam + rows.rows_times(m.a)))
        m.a += da
        m.lam += dlam


def joint_rank(mechanics: Mechanics, free: Flags | None = None) -> int:
    """Rank of the rows of the joints at the state in W, of the free coordinates."""
    rows = SparseRows(mechanics)
    joints = np.array([not row.is_motion for row in mechanics.system.evaluated])
    rows.factor(rows.magnitudes(), free, joints)
    return int(np.sum(~rows.dependent))


def nearly_repeated(mechanics: Mechanics, limit: float) -> list[Near]:
    """Rows at the state in W that nearly repeat others, by less than the limit."""
    rows = SparseRows(mechanics)
    metric = rows.magnitudes()
    rows.factor(metric)
    return near_rows(rows, metric, limit)
