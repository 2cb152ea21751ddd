"""State of an integrator: two flat arrays K (int64) and S (float64).

K begins with counters, flags and the offsets of the blocks of S; S begins with single numbers. Together with the time,
coordinates, velocities, accelerations, multipliers, works and turn memory of the workspace they are the whole state of
a run: a run continued from copies of them gives bitwise the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.layout import flat_arrays as L
from flexmb.layout.record import Record
from flexmb.layout.sparse_pattern import SP_N_G, SP_N_S, SP_PASSES, factor_length

OK, MORE, DONE, SINGULAR, NO_CONVERGENCE, NO_STEP, CHOOSE_AGAIN, NOT_CLOSED, COMBINE_AGAIN, OPENED = range(10)
"""Outcomes of a kernel (`STATUS`)."""
MAX_LEVEL = 8
FINEST = 2**MAX_LEVEL
"""A nominal step is cut at most so often in two: the finest part of it."""

DENSE_RECORD = Record("dense system", "K", "A square system of linear equations, as `linear_algebra` solves it.")
SIZE = DENSE_RECORD.value("size", "number of unknowns")
MATRIX = DENSE_RECORD.value("matrix", "offset in S of the matrix, later its factors")
PIVOTS = DENSE_RECORD.value("pivots", "offset in K of the exchanged rows")
VECTOR = DENSE_RECORD.value("vector", "offset in S of the right-hand side, later the solution, and of as much scratch")
FAULT = DENSE_RECORD.value("fault", "1: the matrix is singular")

K_RECORD = Record("solver integers", "K", "Counters, flags, addresses and offsets of an integrator.")
_value, _place, _program, _dense = K_RECORD.value, K_RECORD.place, K_RECORD.program, K_RECORD.part
STATUS = _value("status", "outcome of the last kernel: OK, MORE, DONE, ...")

# Choices
SCHEME = _value("scheme", "0: index 3, 1: Shi & McPhee (rows at acceleration level)")
PROJECT = _value("project", "1: velocities are projected after the step")
CONTROLLED = _value("controlled", "1: error-controlled step, 0: fixed step")
ON_GRID = _value("on_grid", "1: output at t0 + k every, 0: after every step")
STAGES = _value("stages", "stages of the explicit method, the last one at the end of the step")

# Progress of the run
N_NOMINAL = _value("n_nominal", "fixed step: number of steps of the run")
STEP_INDEX = _value("step_index", "fixed step: nominal steps done")
LEVEL = _value("level", "fixed step: the nominal step is cut into 2**level")
SUB = _value("sub", "fixed step: part of the nominal step that is done, in 1/FINEST")
OUT_INDEX = _value("out_index", "the next output time is t0 + out_index every")
PENDING = _value("pending", "1: the rows of the step just done are not written yet")
ROWS = _value("rows", "rows in the block")
ROW_BUDGET = _value("row_budget", "rows that the block can hold")
STEP_BUDGET = _value("step_budget", "steps that the kernel may still do before it returns")

# Counters
STEPS = _value("steps", "accepted steps")
REJECTED = _value("rejected", "rejected steps")
ITERATIONS = _value("iterations", "Newton iterations")
FACTORISATIONS = _value("factorisations", "factorisations of the Newton matrix")
STEP_ITERATIONS = _value("step_iterations", "Newton iterations of the present step")

# Newton matrix
HAVE_FACTOR = _value("have_factor", "1: the Newton matrix is factorised")
SINCE = _value("since", "steps since the factorisation")
EXCESS = _value("excess", "iterations spent beyond those of a fresh matrix")
FRESH_ITERATIONS = _value("fresh_iterations", "iterations of the step in which the matrix was built")
TANGENT = _value("tangent", "1: mass only, 2: full by differences")
FULL_LEFT = _value("full_left", "full tangents to build before the mass alone is tried again")
FULL_SPAN = _value("full_span", "that number after the last time that the mass alone did not do")
TRIED = _value("tried", "1: independent velocities have been chosen anew for this step")
WORST_COORDINATE = _value("worst_coordinate", "coordinate with the largest error or increment")
BUILT = _value("built", "tangent of the factorised Newton matrix")
REBUILD = _value("rebuild", "1: the next iteration builds its matrix")

# Dense systems
NEWTON = _dense("newton", DENSE_RECORD, "Newton matrix", only="implicit")
DEPENDENT = _dense("dependent", DENSE_RECORD, "constraint columns of the dependent velocities", only="explicit")
DEPENDENT_POSITION = _dense("dependent_position", DENSE_RECORD, "the same, rows at position level", only="explicit")
REDUCED = _dense("reduced", DENSE_RECORD, "mass matrix of the independent velocities", only="explicit")

# Addresses of arrays and programs; they are set anew when a run is resumed
FIRST_ADDRESS = _value("first_address", "unused; addresses from here")
AT_I = _program("I", "array I of the system")
AT_F = _program("F", "array F of the system")
AT_ROWS = _program("rows_array", "block of output rows")
AT_PATTERN = _program("pattern", "sparse storage: pattern P of the equations, S as the mass matrix")
AT_FULL_PATTERN = _program("full_pattern", "the same with all entries of S")
AT_FACTOR = _program("factor", "factorise a dense system")
AT_SOLVE = _program("solve", "solve a dense system")
AT_SOLVE_TRANSPOSED = _program("solve_transposed", "solve a dense system with the transposed matrix")
AT_FACTOR_FRONTS = _program("factor_fronts", "factorise a sparse system")
AT_SOLVE_FRONTS = _program("solve_fronts", "solve a sparse system")
AT_DIFFERENCES = _program("difference_columns", "Newton matrix by differences")
AT_MASS = _program("mass_columns", "Newton matrix from mass, stiffness and damping")
AT_BALANCE = _program("balance_matrix", "row and column scaling of the Newton matrix")
AT_BUILD_MATRIX = _program("build_matrix", "Newton matrix, factorised")
AT_SOLVE_MATRIX = _program("solve_matrix", "solve with the Newton matrix")
AT_PREDICT = _program("predict", "first guess of a step")
AT_INCREMENT = _program("increment", "one Newton increment")
AT_NEWTON = _program("newton", "Newton iteration of a step")
AT_CORRECT = _program("correct_positions", "bring the coordinates back to the position rows")
AT_PROJECT = _program("project_velocities", "bring the velocities back to the rows")
AT_STEP = _program("step", "one step")
AT_COMMIT = _program("commit", "make the end of the step the start of the next")
AT_INTERPOLATE = _program("interpolate", "state inside a step")
AT_WRITE_ROW = _program("write_row", "write one output row")
AT_WRITE_PENDING = _program("write_pending", "write the output rows of the step just done")
AT_CLOSE = _program("close", "dependent coordinates from the rows")
AT_EMBED = _program("embed", "dependent velocities and accelerations from the independent ones")
AT_REDUCE = _program("reduce", "equations of the independent velocities")
AT_EVALUATE = _program("evaluate", "derivatives of a stage")
LAST_ADDRESS = _value("last_address", "unused; addresses up to here")

# Blocks of S
SCALE = _place("scale", "S", "n_v", "m, 1", "magnitude of a coordinate, 1 for angles")
SCALE_Q = _place("scale_q", "S", "n_q", "m, 1", "the same for the stored coordinates")
Q_N = _place("q_n", "S", "n_q", "m, rad, 1", "start of the step: coordinates")
V_N = _place("v_n", "S", "n_v", "m/s, rad/s", "start of the step: velocities")
A_N = _place("a_n", "S", "n_v", "m/s^2, rad/s^2", "start of the step: accelerations")
LAM_N = _place("lam_n", "S", "n_rows", "N, N m", "start of the step: multipliers")
WORK_N = _place("work_n", "S", "n_powers", "J", "start of the step: works")
POWER_N = _place("power_n", "S", "n_powers", "W", "start of the step: powers")
Q_E = _place("q_e", "S", "n_q", "m, rad, 1", "end of the step: coordinates")
V_E = _place("v_e", "S", "n_v", "m/s, rad/s", "end of the step: velocities")
A_E = _place("a_e", "S", "n_v", "m/s^2, rad/s^2", "end of the step: accelerations")
LAM_E = _place("lam_e", "S", "n_rows", "N, N m", "end of the step: multipliers")
WORK_E = _place("work_e", "S", "n_powers", "J", "end of the step: works")
POWER_E = _place("power_e", "S", "n_powers", "W", "end of the step: powers")
A_P = _place(
    "a_p", "S", "3 n_v", "m/s^2, rad/s^2", "one, two and three steps earlier, for the predictor", only="implicit"
)
LAM_P = _place("lam_p", "S", "3 n_rows", "N, N m", "multipliers one, two and three steps earlier", only="implicit")
POWER_P = _place("power_p", "S", "n_powers", "W", "powers one step earlier", only="implicit")
CLOSURE = _place("closure", "S", "n_v", "m, rad", "part of Dq that closes the loops, last accepted", only="implicit")
CLOSURE_E = _place("closure_e", "S", "n_v", "m, rad", "the same at the end of the step", only="implicit")
AUX = _place("aux", "S", "n_v", "m/s^2, rad/s^2", "auxiliary acceleration, last accepted", only="implicit")
AUX_N = _place("aux_n", "S", "n_v", "m/s^2, rad/s^2", "the same, scaled to the present step", only="implicit")
AUX_E = _place("aux_e", "S", "n_v", "m/s^2, rad/s^2", "the same at the end of the step", only="implicit")
ROW_WEIGHT = _place(
    "row_weight",
    "S",
    "n_rows",
    "",
    "gap that a multiplier times s would open between free bodies, scaled",
    only="implicit",
)
BALANCE = _place("balance", "S", "n_v + n_rows", "", "row and column scaling of the Newton matrix", only="implicit")
ROW_SIZE = _place("row_size", "S", "n_sized", "m, 1", "sparse: length scale, or 1 for an angle", only="implicit")
ADDED = _place("added", "S", "n_thin", "kg m^2", "sparse: inertia that makes pivots of thin bodies", only="implicit")
TANGENT_VALUES = _place("tangent_values", "S", "n_tangent", "", "sparse: stored entries of S", only="implicit")
RATES = _place("rates", "S", "4 n_q", "m/s, m/s^2", "q_dot and q_ddot at both ends of the step")
SLOPES = _place(
    "slopes", "S", "7 n_q + 7 n_v + 7 n_powers", "", "derivatives of (q, v, work) at every stage", only="explicit"
)
TABLEAU = _place("tableau", "S", 63, "1", "stage times (7), error weights (7), coefficients (7 x 7)", only="explicit")
JACOBIAN_D = _place("J", "S", "n_rows n_free", "", "dependent = J independent velocities", only="explicit")
MASS_N = _place("M N", "S", "n_v n_free", "", "mass matrix times the embedding N = [J; 1]", only="explicit")
BIAS_D = _place(
    "c", "S", "n_rows", "m/s^2, rad/s^2", "dependent accelerations that do not depend on the others", only="explicit"
)

# Index lists in K
INDEX_D = _place("index_d", "K", "n_rows", "", "dependent velocities")
INDEX_I = _place("index_i", "K", "n_free", "", "independent velocities")
K_HEADER = K_RECORD.size

S_RECORD = Record("solver numbers", "S", "Single numbers of an integrator.")
_number = S_RECORD.value
T_START = _number("t_start", "start of the analysis", unit="s")
T_END = _number("t_end", "end of the analysis", unit="s")
T_N = _number("t_n", "start of the step", unit="s")
T_E = _number("t_e", "end of the step", unit="s")
H = _number("h", "size of the step", unit="s")
H_NEXT = _number("h_next", "error control: the size to try", unit="s")
H_LAST = _number("h_last", "size of the last accepted step", unit="s")
H_BEFORE = _number("h_before", "sizes of the two accepted steps before the last one", length=2, unit="s")
H_NOMINAL = _number("h_nominal", "nominal size of the step", unit="s")
H_MAX = _number("h_max", "largest size", unit="s")
H_MIN = _number("h_min", "smallest size", unit="s")
EVERY = _number("every", "output interval", unit="s")
T_OUT = _number("t_out", "time of the last row", unit="s")
ALPHA_M = _number("alpha_m", "parameter of generalised-alpha", unit="1")
ALPHA_F = _number("alpha_f", "parameter of generalised-alpha", unit="1")
BETA = _number("beta", "parameter of generalised-alpha", unit="1")
GAMMA = _number("gamma", "parameter of generalised-alpha", unit="1")
TOLERANCE = _number("tolerance", "relative tolerance of a step", unit="1")
ERROR = _number("error", "estimated error of the step as a multiple of the tolerance", unit="1")
NEWTON_TOLERANCE = _number("newton_tolerance", "error that Newton may leave, part of the acceleration", unit="1")
CURVE = _number("curve", "error of a linear prediction as a displacement, scaled", unit="1")
GAP = _number("gap", "largest correction of a coordinate that closes the loops, scaled", unit="1")
WORST_ROW = _number("worst_row", "largest increment of a multiplier as a displacement, scaled", unit="1")
CARRIED = _number("carried", "1: the step predicts its closure by that of the last one, 0: by zero", unit="1")
NEAR = _number("near", "increments of this size may be round-off of the coordinates, scaled", unit="1")
CONTRACTION = _number("contraction", "of the Newton iteration", unit="1")
MOVED = _number("moved", "way of the coordinates since the factorisation, scaled", unit="1")
FLOOR = _number("floor", "level at which the increments were seen to stagnate", unit="1")
GAP_FLOOR = _number("gap_floor", "level at which the closure was seen to stagnate", unit="1")
LARGEST_PHI = _number("largest_phi", "largest constraint residual, scaled", unit="1")
WORST = _number("worst", "largest error or increment of a coordinate, scaled", unit="1")
J_MAX = _number("j_max", "largest entry of J, scaled", unit="1")
J_LIMIT = _number("j_limit", "choose independent coordinates again beyond this", unit="1")
RATE_SEEN = _number("rate_seen", "largest velocity seen, scaled", unit="1/s")
WORK_SEEN = _number("work_seen", "largest energy seen, unit of the works", unit="J")
LENGTH = _number("length", "length scale", unit="m")
ENERGY_SEEN = _number("energy_seen", "1: the energies of the first row are known", unit="1")
ENERGY_FIRST = _number("energy_first", "kinetic, potential, work of the first row", length=3, unit="J")
ENERGY_ERROR = _number("energy_error", "largest error of the energy balance", unit="J")
ENERGY_PEAK = _number("energy_peak", "largest energy", unit="J")
TURN = _number("turn", "largest turn of a body in a step", unit="rad")
TURN_BODY = _number("turn_body", "its number", unit="1")
TURN_STEP = _number("turn_step", "the step", unit="s")
S_HEADER = S_RECORD.size


def counts_of(ints: Integers) -> dict[str, int]:
    """The counts of a system that lengths are written in."""
    names = {"n_q": L.N_Q, "n_v": L.N_V, "n_rows": L.N_ROWS, "n_pos_rows": L.N_POS_ROWS, "n_powers": L.N_POWERS}
    counts = {name: int(ints[slot]) for name, slot in names.items()}
    return counts | {"n_free": max(counts["n_v"] - counts["n_rows"], 0), "n_tangent": 0, "n_sized": 0, "n_thin": 0}


def make_state(ints: Integers, explicit: bool, patterns: Sequence[Integers] = ()) -> tuple[Integers, Floats]:
    """K and S of a system, sized and with the offsets set; `explicit`: for Runge-Kutta, else for generalised-alpha.

    `patterns` of the equations in sparse storage.
    """
    counts = counts_of(ints)
    m = counts["n_rows"]
    if patterns:
        size = counts["n_v"] + m
        counts["n_sized"], counts["n_thin"] = m, counts["n_v"]
        counts["n_tangent"] = max(int(P[SP_N_S] + (P[SP_N_G] if P[SP_PASSES] else 0)) for P in patterns)
        counts["n_free"] = 0  # no independent velocities
        solver = "implicit explicit" if explicit else "implicit"  # explicit methods solve with the Newton matrix too
        return lay_out(K_RECORD, S_RECORD, counts, {NEWTON: size}, solver, {NEWTON: max(map(factor_length, patterns))})
    if explicit:
        dense = {DEPENDENT: m, DEPENDENT_POSITION: counts["n_pos_rows"], REDUCED: counts["n_free"] if m else 0}
    else:
        dense = {NEWTON: counts["n_v"] + m}
    return lay_out(K_RECORD, S_RECORD, counts, dense, "explicit" if explicit else "implicit")


def lay_out(
    k_record: Record,
    s_record: Record,
    counts: dict[str, int],
    dense: dict[int, int],
    solver: str = "",
    matrices: dict[int, int] | None = None,
) -> tuple[Integers, Floats]:
    """K and S with room for every block that K points to and for the dense systems (slot: size); offsets are set.

    `matrices` has the numbers of the matrices that are not full ones.
    """
    offsets: dict[int, int] = {}
    k_size, s_size = k_record.size, s_record.size
    for slot in k_record.places("S"):
        if k_record.at(slot).only in ("", *solver.split()):
            offsets[slot], s_size = s_size, s_size + k_record.target_length(slot, counts)
    for slot, size in dense.items():
        offsets[slot + SIZE] = size
        offsets[slot + MATRIX], s_size = s_size, s_size + (matrices or {}).get(slot, size * size)
        offsets[slot + VECTOR], s_size = s_size, s_size + 2 * size
        offsets[slot + PIVOTS], k_size = k_size, k_size + size
    for slot in k_record.places("K"):
        offsets[slot], k_size = k_size, k_size + k_record.target_length(slot, counts)
    K, S = np.zeros(k_size, np.int64), np.zeros(s_size)
    for slot, offset in offsets.items():
        K[slot] = offset
    return K, S


def workspace_parts(ints: Integers) -> list[tuple[int, int]]:
    """(offset, size) of the parts of the workspace that belong to the state of a run."""
    counts = counts_of(ints) | {"n_memory": int(ints[L.N_MEMORY]), "n_basis": int(ints[L.N_BASIS])}
    slots = (L.T, L.Q, L.V, L.A, L.LAM, L.WORK, L.MEMORY, L.BASIS)
    return [(int(ints[slot]), L.HEADER_RECORD.target_length(slot, counts)) for slot in slots]


def pack(ints: Integers, W: Floats, K: Integers, S: Floats) -> Floats:
    """The checkpoint vector of a run."""
    numbers = K.astype(np.float64)
    numbers[FIRST_ADDRESS : LAST_ADDRESS + 1] = 0.0
    return np.concatenate([numbers, S, *(W[start : start + size] for start, size in workspace_parts(ints))])


def unpack(
    checkpoint: Floats,
    ints: Integers,
    W: Floats,
    K: Integers,
    S: Floats,
) -> bool:
    """Put a checkpoint back into the arrays of a run; False when it belongs to another system or method."""
    parts = workspace_parts(ints)
    if checkpoint.size != K.size + S.size + sum(size for _, size in parts):
        return False
    addresses = K[FIRST_ADDRESS : LAST_ADDRESS + 1].copy()
    K[:] = checkpoint[: K.size].astype(np.int64)
    K[FIRST_ADDRESS : LAST_ADDRESS + 1] = addresses
    S[:] = checkpoint[K.size : K.size + S.size]
    position = K.size + S.size
    for start, size in parts:
        W[start : start + size] = checkpoint[position : position + size]
        position += size
    return True
