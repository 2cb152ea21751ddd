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
REFINED = 30  # corrections at most
EXACT, STALLED = 1e-14, 1e-10  # part that is round-off; that is accepted where corrections no longer shrink
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


def added_inertia(mechanics: Mechanics, metric: Floats) -> Floats:
    """(n_v,) numbers that are added to rotations of bodies which have no inertia about one axis, such as thin rods.

    Only factorisations see them, whose pivots are the coordinates before the rows: residuals have the metric as it is,
    the mass matrix for instance, so that corrections lead to the same motion, and faster the better the rows hold that
    axis.
    """
    m, ints = mechanics, mechanics.I
    added = np.zeros(m.n_v)
    if not isinstance(m.system, System):
        return added
    turns = np.ones(m.n_v, dtype=bool)
    turns[ints[int(ints[L.SCALARS]) + 1 :][: 2 * int(ints[L.N_SCALARS]) : 2]] = False
    numbers = np.arange(1, int(ints[L.N_BODIES]) + 1)
    records, paths = int(ints[L.BODIES]) + numbers * L.BODY, int(ints[L.PATHS]) + numbers * L.PATH
    owns, depths = ints[records + L.B_NJ] + ints[records + L.B_NF], ints[paths + L.PA_DEPTH]
    firsts, starts = ints[records + L.B_V], ints[paths + L.PA_AT]
    for own in np.unique(owns[owns > 0]):
        bodies, k = np.flatnonzero(owns == own), np.arange(own)
        width = (depths + own)[bodies, None, None]
        blocks = metric[(starts + depths)[bodies, None, None] + k[:, None] * width + k]
        sizes, columns = np.diagonal(blocks, axis1=1, axis2=2), firsts[bodies, None] + k
        root = np.sqrt(np.maximum(sizes, 1e-300))
        least = np.linalg.eigvalsh(blocks / root[:, :, None] / root[:, None, :])[:, 0]
        thin = (least <= SAFE**2)[:, None] & turns[columns]
        largest = np.max(sizes * turns[columns], axis=1, keepdims=True)
        added[columns[thin]] = np.broadcast_to(ADDED * largest, thin.shape)[thin]
    return added


def _seen(mechanics: Mechanics, metric: Floats) -> Floats:
    """The metric that factorisations see, with `added_inertia`."""
    P, seen = mechanics.system.pattern, metric.copy()
    assert P is not None
    seen[entries_at(P, sp.SP_DIAGONAL, sp.SP_COORDINATES)] += added_inertia(mechanics, metric)
    return seen


def checked_mass(mechanics: Mechanics) -> Floats:
    """Stored entries of the mass matrix at the state in W; raises UnsuitedStorage when it is not safely positive, even
    with `added_inertia`."""
    rows, M = SparseRows(mechanics), mechanics.M_entries.copy()
    nothing = np.zeros(mechanics.n_rows, dtype=bool)
    is_regular = rows.factor(_seen(mechanics, M), rows=nothing)
    if not is_regular or not float(np.min(rows.pivots[: rows.n], initial=1.0)) > SAFE**2:
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
    if free.any():
        change, nothing = np.zeros(m.n_v), np.zeros(m.n_v)
        _solve(rows, metric, nothing, m.phi_dot.copy(), change, np.zeros(m.n_rows), free)
        m.v[free] += change[free]
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
    _solve(rows, M, m.bias, m.gam, m.a, m.lam)


def _solve(
    rows: SparseRows, S: Floats, bias: Floats, gam: Floats, x: Floats, lam: Floats, free: Flags | None = None
) -> None:
    """Correct x and lam in place until S x + G^T lam = -bias, of the free coordinates, and G x = -gam."""
    m, seen = rows.m, _seen(rows.m, S)
    if not rows.factor(seen, free):
        raise UnsuitedStorage("a mass matrix that is nearly singular needs full matrices")
    is_exact, last, unit = np.array_equal(seen, S), np.inf, m.scale * rows.diagonal(seen)
    for _ in range(2 if is_exact else REFINED):  # the second corrects round-off, others inertia that was added
        held = rows.columns_times(lam)
        force = -(bias + rows.metric_times(S, x) + held)
        if free is not None:
            force[~free] = 0.0
        dx, dlam = rows.solve(force, -(gam + rows.rows_times(x)))
        x += dx
        lam += dlam
        size = float(np.max(np.abs(dx) / m.scale))
        # forces may cancel: their sum has the round-off of the largest
        whole = max(float(np.max(parts)) for parts in (np.abs(x) / m.scale, np.abs(bias) / unit, np.abs(held) / unit))
        if not is_exact and (size <= EXACT * whole or (size > 0.5 * last and size <= STALLED * whole)):
            return
        last = size
    if not is_exact:
        raise UnsuitedStorage("inertia that no row replaces needs full matrices")


def joint_rank(mechanics: Mechanics, free: Flags | None = None, couplings: bool = True) -> int:
    """Rank of the rows of the joints (and couplings) at the state in W, of the free coordinates."""
    rows = SparseRows(mechanics)
    evaluated = mechanics.system.evaluated
    joints = np.array([not row.is_motion and (couplings or not row.is_coupling) for row in evaluated])
    rows.factor(rows.magnitudes(), free, joints)
    return int(np.sum(~rows.dependent))


def nearly_repeated(mechanics: Mechanics, limit: float) -> list[Near]:
    """Rows at the state in W that nearly repeat others, by less than the limit."""
    rows = SparseRows(mechanics)
    metric = rows.magnitudes()
    rows.factor(metric)
    return near_rows(rows, metric, limit)
