"""Rank of the constraint rows: degrees of freedom, redundant rows by joint, motions that contradict each other.

A row that depends on others at the start may do so only there (a singular start, for example a stretched linkage). So
the rank is taken at the start and at nearby positions, reached along the null space of G and along the drives, and
closed again; the largest rank counts. Rows and columns are scaled, so that the rank does not depend on units.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.solvers.assembly import close_loops
from flexmb.solvers.independent import pivot_columns
from flexmb.solvers.mechanics import Mechanics, Solvable

DEPENDENT = 1e-8  # singular values below this fraction of the largest count as zero
STEPS = (0.02, -0.02, 0.1, 0.005)  # distances of the nearby positions [rad, parts of the length scale]
CONSISTENT = 1e-7


@dataclass(frozen=True)
class Redundancy:
    """Degrees of freedom that the constraint rows of a system leave, and rows that repeat others."""

    rank: int
    dof: int
    """Degrees of freedom: velocities minus rank."""
    independent: tuple[int, ...]
    """Rows to keep."""
    redundant: tuple[int, ...]
    """Rows that repeat others."""
    groups: tuple[tuple[str, ...], ...]
    """Joints and motions that share redundant rows, one tuple for every such set."""
    inconsistent: tuple[str, ...]
    """Joints and motions whose rows depend on others but contradict them."""
    singular_start: bool
    """Whether the start has a smaller rank than its neighbourhood."""


def redundancy(system: Solvable, W: Floats) -> Redundancy:
    """Analyse the rows at the (assembled) state in W; W is left as it was."""
    saved = W.copy()
    mechanics = Mechanics(system, W)
    n, m = mechanics.n_v, mechanics.n_rows
    if m == 0:
        return Redundancy(0, n, (), (), (), (), False)
    try:
        mechanics.jacobian()
        at_start = mechanics.G.copy()
        first_rank = _rank(_scaled(mechanics, at_start))
        best, best_rank = at_start, first_rank
        for distance in STEPS:
            W[:] = saved
            nearby = _nearby(mechanics, at_start, distance)
            if nearby is not None and (rank := _rank(_scaled(mechanics, nearby))) > best_rank:
                best, best_rank = nearby, rank
        W[:] = saved
        kept = sorted(pivot_columns(_scaled(mechanics, best).T * _preference(system), best_rank, []))
        dropped = tuple(k for k in range(m) if k not in set(kept))
        groups = _groups(mechanics, _scaled(mechanics, best), kept, dropped)
        contradicting = _contradictions(mechanics, dropped, kept) if dropped else ()
    finally:
        W[:] = saved
    return Redundancy(best_rank, n - best_rank, tuple(kept), dropped, groups, contradicting, best_rank > first_rank)


def _preference(system: Solvable) -> Floats:
    """Weight of the rows in the choice: joints before motions, so that redundant motions are reported."""
    return np.array([0.1 if row.is_motion else 1.0 for row in system.rows])


def _scaled(mechanics: Mechanics, G: Floats) -> Floats:
    """Rows of unit length in scaled coordinates; rows that vanish stay zero."""
    G = G * mechanics.scale
    lengths = np.linalg.norm(G, axis=1)
    large = float(lengths.max(initial=0.0))
    return np.asarray(G / np.where(lengths > 1e-10 * large, lengths, np.inf)[:, None])


def _rank(G: Floats) -> int:
    sigma = np.linalg.svd(G, compute_uv=False)
    return int(np.sum(sigma > DEPENDENT * max(1.0, float(sigma[0]))))


def _nearby(mechanics: Mechanics, G: Floats, distance: float) -> Floats | None:
    """G at a closed position about `distance` away, None when none is found."""
    m = mechanics
    scaled = G * m.scale
    _, sigma, right = np.linalg.svd(scaled)
    rank = int(np.sum(sigma > DEPENDENT * max(float(sigma[0]), 1e-300)))
    null = right[rank:]
    way = np.zeros(m.n_v)
    if len(null):
        way = null.T @ np.random.default_rng(1).uniform(0.5, 1.0, len(null))
    velocity = m.v.copy()
    m.v[:] = 0.0
    m.jacobian()
    drive = np.linalg.lstsq(scaled, -m.phi_dot, rcond=DEPENDENT)[0]  # velocities of the drives, scaled
    m.v[:] = velocity
    speed = float(np.max(np.abs(drive), initial=0.0))
    if speed > 0.0:
        duration = abs(distance) / speed
        m.t += duration
        way = way * distance / max(float(np.max(np.abs(way), initial=0.0)), 1.0) + drive * duration
    elif len(null):
        way *= distance / float(np.max(np.abs(way)))
    else:
        return None
    m.move(way * m.scale)
    gap = close_loops(m, np.ones(m.n_v, bool))
    return m.G.copy() if gap <= 1e-9 * m.row_scale else None


def _groups(mechanics: Mechanics, G: Floats, kept: list[int], dropped: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    """Owners of the rows that take part in each dependency; sets that share an owner are one group."""
    groups: list[set[str]] = []
    for row in dropped:
        shares = np.linalg.lstsq(G[kept].T, G[row], rcond=None)[0] if kept else np.zeros(0)
        involved = [row] + [kept[i] for i in np.flatnonzero(np.abs(shares) > 1e-6)]
        names = set(mechanics.owners(involved))
        for other in [group for group in groups if group & names]:
            names |= other
            groups.remove(other)
        groups.append(names)
    order = list(dict.fromkeys(mechanics.owners(range(mechanics.n_rows))))
    return tuple(tuple(sorted(group, key=order.index)) for group in groups)


def _contradictions(mechanics: Mechanics, dropped: tuple[int, ...], kept: list[int]) -> tuple[str, ...]:
    """Owners of dependent rows that contradict the others, in position, velocity or acceleration."""
    m = mechanics
    bad: list[int] = []
    m.equations()
    scaled = m.G * m.scale
    length = max(float(np.linalg.norm(scaled, axis=1).max()), 1e-300)  # of a row; its own may vanish
    rates = float(np.max(np.abs(m.v) / m.scale, initial=0.0))
    m.v[:] = 0.0
    m.equations()
    for order in ("phi_dot", "gam"):
        wanted = -getattr(m, order)
        solution = np.linalg.lstsq(scaled[kept], wanted[kept], rcond=DEPENDENT)[0]
        size = max(
            float(np.max(np.abs(solution), initial=0.0)), rates, float(np.max(np.abs(wanted), initial=0.0)) / length
        )
        for row in dropped:
            if abs(scaled[row] @ solution - wanted[row]) > CONSISTENT * length * max(size, 1e-3):
                bad.append(row)
        if order == "phi_dot":  # accelerations of motions that depend on each other agree at their velocities only
            m.v[:] = solution * m.scale
            m.equations()
    for row in dropped:
        if row < m.n_pos_rows and abs(m.phi[row]) > CONSISTENT * length:
            bad.append(row)
    return tuple(m.owners(sorted(set(bad))))
