"""Consistent start and rank of the rows of a system in sparse storage: as `assembly` and `redundancy`, without full
matrices.

Steps of least change solve [S G^T; G 0] with S the metric of the change. Rows that repeat others take no part; what
they leave open, the caller sees.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Flags, Floats
from flexmb.layout import flat_arrays as L
from flexmb.layout import sparse_pattern as sp
from flexmb.layout.sparse_pattern import entries_at
from flexmb.solvers.damped_closure import Step, close_damped
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.row_rank import RANK, Near
from flexmb.solvers.sparse_near import near_rows
from flexmb.solvers.sparse_rows import SparseRows, UnsuitedStorage
from flexmb.system.system import System

SAFE = 1e-4  # margin of a mass matrix to be used as it is
ADDED = 1e-3  # inertia about the axis of a thin body that factorisations see, as a part of its largest
REFINED = 30  # corrections of accelerations
EXACT, STALLED = 1e-14, 1e-10  # part of them that is round-off; that may be where corrections no longer shrink
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


def added_inertia(mechanics: Mechanics) -> Floats:
    """(n_v,) inertia that is added to rotations of bodies which have none about one axis, such as thin rods.

    Only factorisations see it, whose pivots are the coordinates before the rows: residuals have the mass matrix as it
    is, so that corrections lead to the same motion, and faster the better the rows hold that axis.
    """
    m, ints = mechanics, mechanics.I
    added = np.zeros(m.n_v)
    if not isinstance(m.system, System):
        return added
    turns = np.ones(m.n_v, dtype=bool)
    turns[ints[int(ints[L.SCALARS]) + 1 :][: 2 * int(ints[L.N_SCALARS]) : 2]] = False
    for number in range(1, int(ints[L.N_BODIES]) + 1):
        record, path = int(ints[L.BODIES]) + number * L.BODY, int(ints[L.PATHS]) + number * L.PATH
        own, depth = int(ints[record + L.B_NJ] + ints[record + L.B_NF]), int(ints[path + L.PA_DEPTH])
        first = int(ints[record + L.B_V])
        rotations = first + np.flatnonzero(turns[first : first + own])
        if not rotations.size:
            continue
        at = int(ints[path + L.PA_AT])
        block = m.M_entries[at : at + own * (depth + own)].reshape(own, depth + own)[:, depth:]
        root = np.sqrt(np.maximum(np.diag(block), 1e-300))
        if np.min(np.linalg.eigvalsh(block / np.outer(root, root))) <= SAFE or np.min(np.diag(block)) <= 0.0:
            added[rotations] = ADDED * np.max(np.diag(block)[rotations - first])
    return added


def checked_mass(mechanics: Mechanics) -> Floats:
    """Stored entries of the mass matrix at the state in W, with `added_inertia`; raises UnsuitedStorage when it is
    not safely positive then."""
    rows, M = SparseRows(mechanics), mechanics.M_entries.copy()
    M[entries_at(rows.P, sp.SP_DIAGONAL, sp.SP_COORDINATES)] += added_inertia(mechanics)
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
    exact, last = m.M_entries.copy(), np.inf
    is_exact = np.array_equal(M, exact)
    for _ in range(2 if is_exact else REFINED):  # the second corrects round-off, or inertia that was added
        force = -(m.bias + rows.metric_times(exact, m.a) + rows.columns_times(m.lam))
        da, dlam = rows.solve(force, -(m.gam + rows.rows_times(m.a)))
        m.a += da
        m.lam += dlam
        size, whole = (float(np.max(np.abs(x) / m.scale, initial=0.0)) for x in (da, m.a))
        if not is_exact and (size <= EXACT * whole or (size > 0.5 * last and size <= STALLED * whole)):
            return
        last = size
    if not is_exact:
        raise UnsuitedStorage("inertia that no row replaces needs full matrices")


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
