"""State of the compiled loop over the instants of a driven motion: K (int64) and S (float64).

The velocities are split into free ones (the independent elastic coordinates y of a quasi-static motion; none in a
kinematic analysis) and held ones, which the constraint rows give, one by each row. K begins with counters, addresses
and offsets of the blocks of S and of the lists in K; S begins with single numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.layout.record import Record
from flexmb.layout.solver_state import DENSE_RECORD, counts_of, lay_out

OK, STUCK = range(2)
"""Outcomes of the loop (`STATUS`); STUCK: this instant is left to the solution in Python."""

K_RECORD = Record("driven motion integers", "K", "Counters, addresses and offsets of a driven motion.")
_value, _place, _program, _dense = K_RECORD.value, K_RECORD.place, K_RECORD.program, K_RECORD.part
STATUS = _value("status", "OK or STUCK")

# Progress of the loop
NEXT = _value("next", "number of the next output time")
N_TIMES = _value("n_times", "number of output times")
ROWS = _value("rows", "rows in the block")
ROW_BUDGET = _value("row_budget", "rows that the block can hold")
ITERATIONS = _value("iterations", "of the rows of the block")
ROW_ITERATIONS = _value("row_iterations", "of the instant at hand")
CLOSINGS = _value("closings", "corrections of the held coordinates in the last value")
FACTORISATIONS = _value("factorisations", "new Jacobians of the balance")
HAVE_INVERSE = _value("have_inverse", "1: `inverse` is that of such a Jacobian")
HAVE_COUPLING = _value("have_coupling", "1: `coupling` belongs to it")
AGE = _value("age", "instants since then")
FEWEST = _value("fewest", "iterations in one of them; 0: there was none")
EXCESS = _value("excess", "iterations in all of them, beyond so many in each")
N_KNOWN = _value("n_known", "instants of `path`, at equal distances")
N_FREE = _value("n_free", "number of free velocities")
N_AHEAD = _value("n_ahead", "other instants of the time derivatives: 2 or 3")

# Dense systems
LOOPS = _dense("loops", DENSE_RECORD, "scaled constraint columns of the held velocities")
STIFFNESS = _dense("stiffness", DENSE_RECORD, "Jacobian of the balance (n_free)")
SERIES = _dense("series", DENSE_RECORD, "powers of the times of the other instants (2 or 3)")

# Addresses of arrays and programs
AT_I = _program("I", "array I of the system")
AT_F = _program("F", "array F of the system")
AT_ROWS = _program("rows_array", "block of output rows")
AT_TIMES = _program("times_array", "output times")
AT_FACTOR = _program("factor", "factorise a dense system")
AT_SOLVE = _program("solve", "solve a dense system")
AT_SOLVE_TRANSPOSED = _program("solve_transposed", "solve a dense system with the transposed matrix")
AT_CLOSE = _program("close", "held coordinates from the rows")
AT_VALUE = _program("value", "what is out of balance at given free coordinates")
AT_INSTANT = _program("instant", "solution of one instant")
AT_REFRESH = _program("refresh", "new Jacobian of the balance")
AT_COUPLE = _program("couple", "new coupling")
AT_NEWTON = _program("newton", "Newton iteration of one instant")
AT_SWEEP = _program("sweep", "corrections of the instant and the others")
AT_BALANCE = _program("balance", "balance of the free coordinates")

# Lists in K
HELD = _place("held", "K", "n_rows", "", "held velocities")
FREE = _place("free", "K", "n_free", "", "free velocities")
PLACES = _place("places", "K", "n_free", "", "indices of the free coordinates in q")
RIGID = _place("rigid", "K", "n_v", "", "1 for every velocity that is not elastic")

# Blocks of S
SCALE = _place("scale", "S", "n_v", "m, 1", "magnitude of a coordinate")
Q_N = _place("q_n", "S", "n_q", "m, rad, 1", "before the step: coordinates")
V_N = _place("v_n", "S", "n_v", "m/s, rad/s", "before the step: velocities")
A_N = _place("a_n", "S", "n_v", "m/s^2, rad/s^2", "before the step: accelerations")
LAM_N = _place("lam_n", "S", "n_rows", "N, N m", "before the step: multipliers")
POWER_N = _place("power_n", "S", "n_powers", "W", "before the step: powers")
POWER_P = _place("power_p", "S", "n_powers", "W", "one step earlier")
TRY_Y = _place("try_y", "S", "n_free", "m, 1", "y of which the value is wanted")
TRY_RATE = _place("try_rate", "S", "n_free", "m/s, 1/s", "its rate")
TRY_SECOND = _place("try_second", "S", "n_free", "m/s^2, 1/s^2", "its second derivative, when the value is to have it")
FORCE = _place("force", "S", "n_free", "N, N m", "what is out of balance")
CENTRE_Q = _place("centre_q", "S", "n_q", "m, rad, 1", "start of the search for the held coordinates")
CENTRE = _place("centre", "S", "4 n_free", "m, 1", "y and its three derivatives")
CENTRE_N = _place("centre_n", "S", "4 n_free", "m, 1", "the same before the step")
BEST = _place("best", "S", "n_q + 4 n_free", "", "the calmest of several solutions: centre_q and centre")
PATH = _place("path", "S", "7 n_q + 14 n_v + 21 n_free", "", "last instants: q, v, a, and y with two derivatives")
DIFFERENCES = _place("differences", "S", "7 n_v", "", "differences of one of these")
SCALE_FREE = _place("scale_free", "S", "n_free", "m, 1", "magnitude of y")
STEP = _place("step", "S", "4 n_free", "m, 1", "corrections at the instant and the others")
MOTION = _place("motion", "S", "2 n_v", "m/s, m/s^2", "velocities and accelerations of the centre")
INVERSE = _place("inverse", "S", "n_free n_free", "m/N", "inverse of the Jacobian of the balance")
COUPLING = _place("coupling", "S", "n_free n_free", "s", "change of y by a change of its rate")
K_HEADER = K_RECORD.size

S_RECORD = Record("driven motion numbers", "S", "Single numbers of a driven motion.")
_number = S_RECORD.value
T = _number("t", "the instant", unit="s")
H = _number("h", "size of the step", unit="s")
H_P = _number("h_p", "size of the step before; 0: there was none", unit="s")
LARGEST_PHI = _number("largest_phi", "largest constraint residual, scaled", unit="1")
T_START = _number("t_start", "start of the analysis", unit="s")
T_END = _number("t_end", "end of the analysis", unit="s")
SHORTEST = _number("shortest", "shortest time between two output times", unit="s")
LARGEST_Y = _number("largest_y", "y as a part of its magnitude", unit="1")
LEFT_OUT = _number("left_out", "change of y by the inertia of y'', as a part of its magnitude", unit="1")
MOVED = _number("moved", "size of the last corrections", unit="1")
CONTRACTION = _number("contraction", "of the corrections of the balance, as last measured", unit="1")
H_BEFORE = _number("h_before", "size of those steps", unit="s")
AHEAD = _number("ahead", "times of the other instants, seen from t", length=3, unit="s")
S_HEADER = S_RECORD.size


@dataclass(frozen=True)
class Split:
    """Velocities that the rows give, one by each row, and the free ones with their places in q."""

    held: Integers
    free: Integers
    places: Integers


def make_driven_state(ints: Integers, scale: Floats, elastic: Flags, split: Split) -> tuple[Integers, Floats]:
    """K and S with sizes, offsets, scales and lists set."""
    counts = counts_of(ints) | {"n_free": len(split.free)}
    dense = {LOOPS: counts["n_rows"], STIFFNESS: counts["n_free"], SERIES: 3}
    K, S = lay_out(K_RECORD, S_RECORD, counts, dense)
    K[N_FREE] = counts["n_free"]
    lists = {HELD: split.held, FREE: split.free, PLACES: split.places, RIGID: (~elastic).astype(np.int64)}
    for slot, entries in lists.items():
        K[K[slot] : K[slot] + len(entries)] = entries
    S[K[SCALE] : K[SCALE] + counts["n_v"]] = scale
    S[K[SCALE_FREE] : K[SCALE_FREE] + counts["n_free"]] = scale[split.free]
    return K, S
