"""Where the compiled loop over the instants of a driven motion keeps its numbers: K (int64) and S (float64).

The velocities are split into free ones (the independent elastic coordinates y of a quasi-static motion; none in a
kinematic analysis) and held ones, which the constraint rows give, one by each row. K begins with counters, addresses
and offsets of the blocks of S and of the lists in K; S begins with single numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.layout import flat_arrays as L
from flexmb.layout.solver_state import MATRIX, PIVOTS, SIZE, VECTOR

_k = count()
STATUS = next(_k)
OK, STUCK = range(2)  # STUCK: this instant is left to the road in Python

# Where the loop stands
NEXT = next(_k)  # number of the next output time
N_TIMES = next(_k)
ROWS = next(_k)  # rows in the block
ROW_BUDGET = next(_k)  # rows that the block can hold
ITERATIONS = next(_k)  # of the rows of the block
ROW_ITERATIONS = next(_k)  # of the instant at hand
CLOSINGS = next(_k)  # corrections of the held coordinates in the last value
FACTORISATIONS = next(_k)  # new Jacobians of the balance
HAVE_INVERSE = next(_k)  # 1: INVERSE holds that of such a Jacobian
HAVE_COUPLING = next(_k)  # 1: COUPLING belongs to it
AGE = next(_k)  # instants since then
HAVE_THIRD = next(_k)  # 1: THIRD_P is known
N_FREE = next(_k)
N_AHEAD = next(_k)  # other instants of the time derivatives: 2 or 3

# Dense systems, as in `linear_algebra`
LOOPS = next(_k)  # scaled constraint columns of the held velocities
for _ in range(4):
    next(_k)
STIFFNESS = next(_k)  # Jacobian of the balance (n_free)
for _ in range(4):
    next(_k)
SERIES = next(_k)  # powers of the times of the other instants (2 or 3)
for _ in range(4):
    next(_k)

# Addresses of arrays and programs
AT_I = next(_k)
AT_F = next(_k)
AT_ROWS = next(_k)
AT_TIMES = next(_k)
AT_FACTOR = next(_k)
AT_SOLVE = next(_k)
AT_SOLVE_TRANSPOSED = next(_k)
AT_CLOSE = next(_k)
AT_VALUE = next(_k)
AT_INSTANT = next(_k)
AT_REFRESH = next(_k)
AT_COUPLE = next(_k)
AT_NEWTON = next(_k)
AT_SWEEP = next(_k)
AT_BALANCE = next(_k)

# Lists in K
HELD = next(_k)  # velocities (n_rows)
FREE = next(_k)  # velocities (n_free)
PLACES = next(_k)  # of the free coordinates in q (n_free)
RIGID = next(_k)  # 1 for every velocity that is not elastic (n_v)

# Blocks of S
SCALE = next(_k)  # (n_v) magnitude of a coordinate
Q_N = next(_k)  # state before the step: (n_q)
V_N = next(_k)  # (n_v)
A_N = next(_k)  # (n_v)
LAM_N = next(_k)  # (n_rows)
POWER_N = next(_k)  # (n_powers)
POWER_P = next(_k)  # one step earlier (n_powers)
TRY_Y = next(_k)  # y of which the value is wanted (n_free)
TRY_RATE = next(_k)  # its rate (n_free)
TRY_SECOND = next(_k)  # its second derivative, when the value is to have it (n_free)
FORCE = next(_k)  # F: what is out of balance (n_free)
CENTRE_Q = next(_k)  # start of the search for the held coordinates (n_q)
CENTRE = next(_k)  # y and its three derivatives (4 n_free)
CENTRE_N = next(_k)  # the same before the step (4 n_free)
BEST = next(_k)  # the calmest of several solutions: CENTRE_Q and CENTRE (n_q + 4 n_free)
THIRD_P = next(_k)  # third derivative of y, from the second ones of the last two instants (n_free)
STEP = next(_k)  # corrections at the instant and the others (4 n_free)
MOTION = next(_k)  # velocities and accelerations of the centre (2 n_v)
INVERSE = next(_k)  # (n_free, n_free)
COUPLING = next(_k)  # change of y by a change of its rate (n_free, n_free) [s]
K_HEADER = next(_k)

_s = count()
T = next(_s)  # the instant [s]
H = next(_s)  # size of the step [s]
H_P = next(_s)  # of the step before; 0: there was none
LARGEST_PHI = next(_s)
T_START = next(_s)  # of the analysis [s]
T_END = next(_s)
SHORTEST = next(_s)  # between two output times [s]
LARGEST_Y = next(_s)  # y as a part of its magnitude
LEFT_OUT = next(_s)  # change of y by the inertia of y'', as a part of its magnitude
MOVED = next(_s)  # size of the last corrections
AHEAD = next(_s)  # times of the other instants, seen from T (3) [s]
next(_s)
next(_s)
S_HEADER = next(_s)


@dataclass(frozen=True)
class Split:
    """Of the velocities: those that the rows give, one by each row, and the free ones with their places in q."""

    held: Integers
    free: Integers
    places: Integers


def make_driven_state(ints: Integers, scale: Floats, elastic: Flags, split: Split) -> tuple[Integers, Floats]:
    """K and S with sizes, offsets, scales and lists set."""
    n_q, n_v, rows, n_p = (int(ints[slot]) for slot in (L.N_Q, L.N_V, L.N_ROWS, L.N_POWERS))
    n = len(split.free)
    sizes = {SCALE: n_v, Q_N: n_q, V_N: n_v, A_N: n_v, LAM_N: rows, POWER_N: n_p, POWER_P: n_p}
    sizes |= {TRY_Y: n, TRY_RATE: n, TRY_SECOND: n, FORCE: n, CENTRE_Q: n_q, CENTRE: 4 * n, CENTRE_N: 4 * n}
    sizes |= {BEST: n_q + 4 * n, THIRD_P: n, STEP: 4 * n, MOTION: 2 * n_v, INVERSE: n * n, COUPLING: n * n}
    offsets: dict[int, int] = {N_FREE: n}
    s_size, k_size = S_HEADER, K_HEADER
    for slot, size in sizes.items():
        offsets[slot], s_size = s_size, s_size + size
    for slot, size in {LOOPS: rows, STIFFNESS: n, SERIES: 3}.items():
        offsets[slot + SIZE] = size
        offsets[slot + MATRIX], s_size = s_size, s_size + size * size
        offsets[slot + VECTOR], s_size = s_size, s_size + size
        offsets[slot + PIVOTS], k_size = k_size, k_size + size
    lists = {HELD: split.held, FREE: split.free, PLACES: split.places, RIGID: (~elastic).astype(np.int64)}
    for slot, entries in lists.items():
        offsets[slot], k_size = k_size, k_size + len(entries)
    K, S = np.zeros(k_size, np.int64), np.zeros(s_size)
    for slot, offset in offsets.items():
        K[slot] = offset
    for slot, entries in lists.items():
        K[K[slot] : K[slot] + len(entries)] = entries
    S[K[SCALE] : K[SCALE] + n_v] = scale
    return K, S
