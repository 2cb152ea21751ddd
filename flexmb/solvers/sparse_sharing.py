"""Least multipliers of rows that repeat others, in sparse storage (theory 8).

Multipliers lam of such rows are not unique: only their forces f = G^T lam are. An output row has the least ones, with
rows in units (a length as a part of the length scale),

    [ U  G ] [ lam ]   [ 0 ]
    [ G^T 0 ] [ -y  ] = [ f ],      U = diag(1/unit^2),

which is the system of `flexmb.solvers.fronts` with coordinates and rows exchanged: its own pattern, in which free
motions of the mechanism are the rows that vanish.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.arrays import Floats
from flexmb.equations.shared_rows import AS_BEFORE
from flexmb.layout import flat_arrays as L
from flexmb.layout import sparse_pattern as sp
from flexmb.layout.sparse_pattern import entries_at, factor_length
from flexmb.machine_code.jit import call, program
from flexmb.solvers.fronts import factor_fronts, fronts_at, solve_fronts
from flexmb.solvers.pointers import address_of, int_pointer
from flexmb.system.sparse_pattern import Entries, make_pattern
from flexmb.system.system import System

REPEATED = 1e-12  # pivot of a coordinate that the rows do not hold


@program
def sparse_share(I, F, W, wanted):
    """Replace the multipliers by the least ones with the same forces, at T, Q, V; AS_BEFORE: put them back.

    The workspace at X_SHARE has the multipliers as they were, the vector of the solution, scales of rows (their units)
    and coordinates, then the numbers of the fronts.
    """
    m, n = I[L.N_ROWS], I[L.N_V]
    kept = I[L.X_SHARE]
    x = kept + m
    scale = x + m + n
    at = scale + m + n
    if wanted == AS_BEFORE:
        for k in range(m):
            W[I[L.LAM] + k] = W[kept + k]
        return
    P = int_pointer(I[L.AT_SHARE_PATTERN])
    fronts = fronts_at(P, at)
    call(I[L.AT_JACOBIAN], I, F, W, 0)
    for i in range(m + n):
        W[x + i] = 0.0
    for i in range(P[sp.SP_NUMBERS]):
        W[fronts + i] = 0.0
    for k in range(m):
        W[kept + k] = W[I[L.LAM] + k]
        W[fronts + P[P[sp.SP_S_FIRST] + k]] = 1.0
    for e in range(P[sp.SP_N_G]):
        j, k = P[P[sp.SP_G_ROW] + e], P[P[sp.SP_G_COLUMN] + e]
        g = W[I[L.G] + e] * W[scale + k] * W[scale + m + j]
        W[fronts + P[P[sp.SP_G_FIRST] + e]] = g
        W[fronts + P[P[sp.SP_G_SECOND] + e]] = g
        W[x + m + j] += g * W[kept + k] / W[scale + k]
    W[at + sp.FA_TOLERANCE] = REPEATED
    W[at + sp.FA_VECTOR] = x
    call(I[L.AT_FACTOR_FRONTS], P, W, W, at)
    call(I[L.AT_SOLVE_FRONTS], P, W, W, at)
    for k in range(m):
        W[I[L.LAM] + k] = W[x + k] * W[scale + k]


def with_least_multipliers(system: System, work: Floats) -> tuple[System, Floats]:
    """The system and its workspace with what output rows need where rows repeat others."""
    P, n, m = system.pattern, system.n_v, system.n_rows
    assert P is not None
    row, column = entries_at(P, sp.SP_G_ROW, sp.SP_N_G), entries_at(P, sp.SP_G_COLUMN, sp.SP_N_G)
    nodes, coupled = _nodes(system, row, column)
    every = np.arange(m)
    swapped = make_pattern(nodes, [], coupled, m, Entries(every, every), Entries(column, row))
    ints = system.ints.copy()
    ints[L.X_SHARE], ints[L.N_SHARE] = system.n_work, 3 * m + 2 * n + factor_length(swapped)
    ints[L.AT_SHARE_PATTERN], ints[L.AT_SHARE] = address_of(swapped), sparse_share.address
    ints[L.AT_FACTOR_FRONTS], ints[L.AT_SOLVE_FRONTS] = factor_fronts.address, solve_fronts.address
    units = [system.length_scale if row.unit == "m" else 1.0 for row in system.rows]
    share0 = np.concatenate([1.0 / np.array(units), system.scales])
    n_work = system.n_work + int(ints[L.N_SHARE])
    found = replace(system, ints=ints, n_work=n_work, share_pattern=swapped, share0=share0)
    wider = found.workspace()
    wider[: len(work)] = work
    return found, wider


def _nodes(system: System, row: np.ndarray, column: np.ndarray) -> tuple[list[list[int]], list[tuple[int, list[int]]]]:
    """Nodes with coordinates and rows exchanged: groups of rows with the same columns, then the bodies' coordinates."""
    m, ints = system.n_rows, system.ints
    owner = [evaluated.owner for evaluated in system.rows]
    nodes: list[list[int]] = []
    node_of_row = np.zeros(m, np.int64)
    for k in range(m):
        if k == 0 or owner[k] != owner[k - 1]:
            nodes.append([])
        nodes[-1].append(k)
        node_of_row[k] = len(nodes) - 1
    body_of = np.zeros(system.n_v, np.int64)
    n_bodies = int(ints[L.N_BODIES])
    for b in range(1, n_bodies + 1):
        body = int(ints[L.BODIES]) + b * L.BODY
        body_of[ints[body + L.B_V] : ints[body + L.B_V] + ints[body + L.B_NJ] + ints[body + L.B_NF]] = b
    linked: list[set[int]] = [set() for _ in range(n_bodies + 1)]
    for b, node in set(zip(body_of[column].tolist(), node_of_row[row].tolist(), strict=True)):
        linked[b].add(node)
    coupled = []
    for b in range(1, n_bodies + 1):
        body = int(ints[L.BODIES]) + b * L.BODY
        first, count = int(ints[body + L.B_V]), int(ints[body + L.B_NJ] + ints[body + L.B_NF])
        if count:
            coupled.append((len(nodes), sorted(linked[b])))
            nodes.append([m + first + j for j in range(count)])
    return nodes, coupled
