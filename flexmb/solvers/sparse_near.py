"""Constraint rows in sparse storage that nearly repeat others: the part of a row that they do not repeat.

A row g = S x + G^T lam with lam of the rows that were kept: S x is that part, lam are the shares of the others.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.solvers.row_rank import EXACT, INDEPENDENT, Near
from flexmb.solvers.sparse_rows import SparseRows

SHARE = 1e-6  # least share of a row that takes part in a dependence


def near_rows(rows: SparseRows, metric: Floats, limit: float = INDEPENDENT) -> list[Near]:
    """Rows of the last factorisation that nearly repeat others: not by round-off, and by less than the limit."""
    found = list[Near]()
    pivots, left = rows.pivots[rows.n :], np.flatnonzero(rows.dependent)
    for row in np.flatnonzero(~rows.dependent & (np.abs(pivots) < limit**2)):
        found.append(_near(rows, metric, int(row), float(np.sqrt(abs(pivots[row]))), False))
    shares = np.random.default_rng(1).normal(size=len(pivots))  # one combination of all shows whether any is not exact
    if left.size and _distance(rows, metric, shares * rows.dependent) > EXACT * len(left):
        for row in left:
            distance = _distance(rows, metric, (np.arange(len(pivots)) == row).astype(float))
            if distance > EXACT:
                found.append(_near(rows, metric, int(row), distance, True))
    return _apart(found)


def _apart(found: list[Near]) -> list[Near]:
    """The largest of the findings that share joints."""
    kept = list[Near]()
    for finding in sorted(found, key=lambda finding: -finding.size):
        if not any(set(finding.owners) & set(other.owners) for other in kept):
            kept.append(finding)
    return kept


def _near(rows: SparseRows, metric: Floats, row: int, size: float, is_redundant: bool) -> Near:
    """The finding that this row repeats others but for `size`."""
    units, single = rows.units(), (np.arange(rows.size - rows.n) == row).astype(float)
    shares = _parts(rows, metric, rows.columns_times(single / units))[1] * units
    involved = sorted({row, *np.flatnonzero(np.abs(shares) > SHARE).tolist()})
    return Near(tuple(rows.m.owners(involved)), rows.m.owners([row])[0], size, is_redundant)


def _distance(rows: SparseRows, metric: Floats, shares: Floats) -> float:
    """Largest part of a combination of rows that the others do not repeat, in units of rows and coordinates."""
    x = _parts(rows, metric, rows.columns_times(shares / rows.units()))[0]
    return float(np.max(np.abs(x) / rows.m.scale, initial=0.0))


def _parts(rows: SparseRows, metric: Floats, row: Floats) -> tuple[Floats, Floats]:
    """x and lam of row = S x + G^T lam, lam of rows that are kept; corrected once."""
    x, lam = rows.solve(row, np.zeros(rows.size - rows.n))
    error = row - rows.metric_times(metric, x) - rows.columns_times(lam)
    dx, dlam = rows.solve(error, -rows.rows_times(x) * ~rows.dependent)
    return x + dx, lam + dlam
