"""Rank of the constraint rows: degrees of freedom, redundant rows by joint, motions that contradict each other.

A row that depends on others at the start may do so only there (a singular start, for example a stretched linkage). So
the rank is taken at the start and at nearby positions, reached along the null space of G and along the drives, and
closed again; the largest rank counts. Rows and columns are scaled, so that the rank does not depend on units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from flexmb.arrays import Flags, Floats
from flexmb.layout import flat_arrays as L
from flexmb.solvers.assembly import close_loops
from flexmb.solvers.body_slices import body_slices
from flexmb.solvers.independent import pivot_columns
from flexmb.solvers.mechanics import Mechanics, Solvable
from flexmb.solvers.row_rank import RANK, Near, near_dependences, rank_of_rows, scaled_rows
from flexmb.solvers.sparse_redundancy import SparseRank
from flexmb.system.system import NO_SHARING, Row, SharedRows, Sharing, System

DEPENDENT = 1e-8  # the same for elastic coordinates that move the rows weakly
TAKES_PART = 1e-7  # entry of the projection on the dependences of rows above which two rows take part in one
STEPS = (0.02, -0.02, 0.1, 0.005)  # distances of the nearby positions [rad, parts of the length scale]
CONSISTENT, ROUGHLY_CONSISTENT = 1e-7, 1e-5  # of exact dependences, of others
OPEN_WHEN_NEAR = 1e-5  # limit of a gap, as a part of its unit, where rows repeat others but not exactly
OPEN_WHEN_BENT = 1e-3  # the same where they do so while the flexible bodies are straight
BENT = 1e-2  # singular value that the bending at the start gives such rows, below which they count as redundant


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
    sharing: Sharing = NO_SHARING
    """The rows that repeat others, for the system of the solvers."""
    near: tuple[Near, ...] = ()
    """Dependences that are not exact."""
    joint_dof: int = 0
    """Degrees of freedom that the joints leave, without the motions."""


def redundancy(system: Solvable, W: Floats) -> Redundancy:
    """Analyse the rows at the (assembled) state in W; W is left as it was."""
    saved = W.copy()
    mechanics = Mechanics(system, W)
    n, m = mechanics.n_v, mechanics.n_rows
    if m == 0:
        return Redundancy(0, n, (), (), (), (), False, joint_dof=n)
    if mechanics.is_sparse:
        return _by_factorisation(mechanics)
    joints = np.array([not (row.is_motion or row.on_velocity) for row in system.evaluated])
    try:
        mechanics.jacobian()
        at_start = mechanics.G.copy()
        best = _scaled(mechanics, at_start)
        first_rank = best_rank = rank_of_rows(best)
        joint_rank = rank_of_rows(best[joints])
        for distance in STEPS if best_rank < m else ():  # independent at the start: then they are
            W[:] = saved
            nearby = _nearby(mechanics, at_start, distance)
            if nearby is None:
                continue
            nearby = _scaled(mechanics, nearby)
            ranks = rank_of_rows(nearby), rank_of_rows(nearby[joints])
            if ranks > (best_rank, joint_rank):
                best, (best_rank, joint_rank) = nearby, ranks
        W[:] = saved
        straight = _straight(mechanics, at_start, best_rank) if system.elastic.any() else None
        W[:] = saved
        n_bent = 0
        if straight is not None:
            n_bent = best_rank - rank_of_rows(straight)
            best, best_rank, joint_rank = straight, rank_of_rows(straight), rank_of_rows(straight[joints])
        first = pivot_columns(best.T * joints, joint_rank, [])  # joints before motions, so that these are reported
        kept = sorted(pivot_columns(best.T, best_rank, first))
        dropped = tuple(k for k in range(m) if k not in set(kept))
        groups = _groups(mechanics, best, kept, dropped)
        near = _near(best, system.evaluated, joints)
        limit = ROUGHLY_CONSISTENT if any(finding.is_redundant for finding in near) else CONSISTENT
        contradicting = _contradictions(mechanics, dropped, kept, limit) if dropped else ()
        left_out = tuple(k for k in dropped if not joints[k])
        sharing = NO_SHARING
        if dropped:
            limit = OPEN_WHEN_NEAR if any(finding.is_redundant for finding in near) else sharing.limit
            limit = OPEN_WHEN_BENT if n_bent else limit
            mechanics.jacobian()
            limit = max(limit, 10.0 * mechanics.constraint_error / mechanics.row_scale)
            sharing = Sharing(_shared_sets(best, joints, joint_rank), left_out, tuple(kept), limit, n_bent)
    finally:
        W[:] = saved
    singular = best_rank > first_rank
    found = (best_rank, n - best_rank, tuple(kept), dropped, groups, contradicting, singular, sharing, near)
    return Redundancy(*found, joint_dof=n - rank_of_rows(best[[not row.is_motion for row in system.evaluated]]))


def _near(G: Floats, rows: Sequence[Row], joints: Flags) -> tuple[Near, ...]:
    """Near dependences of the joints by themselves, for a motion hides them when it drives what they nearly lock; and
    those with motions."""
    alone = near_dependences(G[joints], [row for row, is_joint in zip(rows, joints, strict=True) if is_joint])
    if joints.all():
        return alone
    others = {row.owner for row, is_joint in zip(rows, joints, strict=True) if not is_joint}
    return (*alone, *(finding for finding in near_dependences(G, rows) if others & set(finding.owners)))


def set_open_limit(system: System, W: Floats, found: Redundancy) -> None:
    """Sparse storage: set the gap at which rows that repeat others count as open, for the state in W."""
    mechanics = Mechanics(system, W)
    mechanics.jacobian()
    limit = OPEN_WHEN_NEAR if any(finding.is_redundant for finding in found.near) else NO_SHARING.limit
    limit = max(limit, 10.0 * mechanics.constraint_error / mechanics.row_scale)
    system.floats[system.ints[L.OPEN]] = limit * mechanics.row_scale


def _by_factorisation(mechanics: Mechanics) -> Redundancy:
    """The same in sparse storage: rows that repeat others stay in the equations, so that nothing is shared."""
    found = SparseRank(mechanics)
    kept, left = np.flatnonzero(~found.dependent), np.flatnonzero(found.dependent)
    groups = (found.inconsistent,) if found.inconsistent else ()
    return Redundancy(
        found.rank,
        found.dof,
        tuple(kept.tolist()),
        tuple(left.tolist()),
        groups,
        found.inconsistent,
        False,
        near=found.near,
        joint_dof=found.joint_dof,
    )


def _shared_sets(G: Floats, joints: Flags, rank: int) -> tuple[SharedRows, ...]:
    """Sets of joint rows that depend on each other, with their ranks: blocks of the projection on the dependences."""
    rows = np.flatnonzero(joints)
    sides = np.linalg.svd(G[rows])[0][:, rank:]
    linked = np.abs(sides @ sides.T) > TAKES_PART
    sets, seen = list[SharedRows](), set[int]()
    for first in range(len(rows)):
        if first in seen or not linked[first, first]:
            continue
        block, waiting = set[int](), [first]
        while waiting:
            row = waiting.pop()
            if row not in block:
                block.add(row)
                waiting += np.flatnonzero(linked[row]).tolist()
        seen |= block
        own = sorted(block)
        n_left = int(round(float(np.sum(sides[own] ** 2))))
        sets.append(SharedRows(tuple(int(rows[k]) for k in own), len(own) - n_left))
    return tuple(sets)


def _scaled(mechanics: Mechanics, G: Floats) -> Floats:
    """Rows in scaled coordinates, divided by their units."""
    return scaled_rows(G * mechanics.scale, mechanics.system.evaluated, mechanics.system.length_scale)


def _nearby(mechanics: Mechanics, G: Floats, distance: float, free: Flags | None = None) -> Floats | None:
    """G at a closed position about `distance` away, None when none is found; only `free` coordinates move."""
    m = mechanics
    free = np.ones(m.n_v, bool) if free is None else free
    G = G * free
    scaled = G * m.scale
    rows = _scaled(m, G)
    null = np.linalg.svd(rows)[2][rank_of_rows(rows) :] * free
    null = null[np.linalg.norm(null, axis=1) > 0.5]
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
    gap = close_loops(m, free, misfit=RANK)
    return m.G.copy() if gap <= RANK * m.row_scale else None


def _straight(mechanics: Mechanics, at_start: Floats, rank: int) -> Floats | None:
    """Rows with straight bodies where the rank falls below `rank` by that; None where it does not, or when the bodies
    are bent so much at the start that it counts.

    A beam that may bend in two planes but not twist, in a plane loop, is such a case: the row of its twist is a product
    of both deflections, and its multiplier is 0/0 whenever one of them vanishes.
    """
    m = mechanics
    found: Floats | None = None
    here = m.W.copy()
    for distance in (0.0, *STEPS):
        m.W[:] = here
        if distance and _nearby(m, at_start, distance, ~m.system.elastic) is None:
            continue
        for _, elastic, _ in body_slices(cast(System, m.system)).values():
            m.W[elastic] = 0.0
        m.jacobian()
        rows = _scaled(m, m.G)
        if found is None or rank_of_rows(rows) > rank_of_rows(found):
            found = rows
            if rank == m.n_rows == rank_of_rows(rows):  # no other position has a larger rank
                break
    m.W[:] = here
    assert found is not None
    lowest = rank_of_rows(found)
    if lowest == rank:
        return None
    sigma = np.linalg.svd(_scaled(m, at_start), compute_uv=False)
    return found if sigma[lowest] < BENT * sigma[0] else None


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


def _contradictions(mechanics: Mechanics, dropped: tuple[int, ...], kept: list[int], limit: float) -> tuple[str, ...]:
    """Owners of dependent rows that contradict the others, in position, velocity or acceleration."""
    m = mechanics
    bad: list[int] = []
    m.equations()
    scaled = m.G * m.scale
    length = max(float(np.linalg.norm(scaled, axis=1).max()), m.row_scale)  # of a row; its own may vanish
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
            if abs(scaled[row] @ solution - wanted[row]) > limit * length * max(size, 1e-3):
                bad.append(row)
        if order == "phi_dot":  # accelerations of motions that depend on each other agree at their velocities only
            m.v[:] = solution * m.scale
            m.equations()
    for row in dropped:
        if row < m.n_pos_rows and abs(m.phi[row]) > limit * length:
            bad.append(row)
    return tuple(m.owners(sorted(set(bad))))
