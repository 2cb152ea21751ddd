"""Start of a natural system by the solvers of all systems: positions on the constraints, rows that repeat others."""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Flags, Floats
from flexmb.natural.packing import PackedNatural
from flexmb.solvers.assembly import close_loops
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.sparse_rows import SparseRows

AWAY = 1e-2
"""Random step [parts of the size of a coordinate] away from a start that may be a singular position."""


def closed_start(packed: PackedNatural, t: float) -> Floats:
    """Full coordinates (n_coordinates,) on the constraints near those of the start."""
    m = Mechanics(packed, packed.workspace())
    m.t = t
    if packed.n and packed.m:
        close_loops(m, np.ones(packed.n, dtype=bool))
    packed.raise_failure()
    return packed.full_coordinates(m.q)


def dependent_rows(packed: PackedNatural, t: float) -> Flags:
    """(rows,) those that repeat others, at the start and a random step away from it."""
    if not (packed.n and packed.m):
        return np.ones(packed.m, dtype=bool)
    m = Mechanics(packed, packed.workspace())
    m.t = t
    rows, best = SparseRows(m), np.ones(packed.m, dtype=bool)
    rng = np.random.default_rng(1)
    for distance in (0.0, AWAY, -AWAY):
        m.q[:] = packed.natural.start[packed.natural.moving] / packed.sizes
        if distance:
            m.move(distance * rng.uniform(-1.0, 1.0, packed.n))
            close_loops(m, np.ones(packed.n, dtype=bool))
        m.jacobian()
        if rows.factor(rows.magnitudes()) and np.sum(rows.dependent) < np.sum(best):
            best = rows.dependent.copy()
    packed.raise_failure()
    return best
