"""Where everything of an integrator stands in its two flat arrays K (int64) and S (float64).

K begins with counters, flags and the offsets of the blocks of S; S begins with single numbers. Together with the time,
coordinates, velocities, accelerations, multipliers, works and turn memory of the workspace they are the whole state of
a run: a run continued from copies of them gives bitwise the same numbers.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.layout import flat_arrays as L

_k = count()

# Outcome of a kernel
STATUS = next(_k)
OK, MORE, DONE, SINGULAR, NO_CONVERGENCE, NO_STEP, CHOOSE_AGAIN, NOT_CLOSED = range(8)

# Choices
SCHEME = next(_k)  # 0: index 3, 1: Shi & McPhee (rows at acceleration level)
PROJECT = next(_k)  # 1: velocities are projected after the step
CONTROLLED = next(_k)  # 1: error-controlled step, 0: fixed step
ON_GRID = next(_k)  # 1: output at t0 + k*every, 0: after every step
STAGES = next(_k)  # stages of the explicit method, the last one at the end of the step

# Where the run stands
N_NOMINAL = next(_k)  # fixed step: number of steps of the run
STEP_INDEX = next(_k)  # fixed step: nominal steps done
LEVEL = next(_k)  # fixed step: the nominal step is cut into 2**LEVEL
SUB = next(_k)  # fixed step: part of the nominal step that is done, in 1/FINEST
MAX_LEVEL = 8
FINEST = 2**MAX_LEVEL
OUT_INDEX = next(_k)  # next output time is t0 + OUT_INDEX*every
PENDING = next(_k)  # 1: the rows of the step just done are not written yet
ROWS = next(_k)  # rows in the block
ROW_BUDGET = next(_k)  # rows that the block can hold
STEP_BUDGET = next(_k)  # steps that the kernel may still do before it returns

# Counters
STEPS = next(_k)
REJECTED = next(_k)
ITERATIONS = next(_k)
FACTORISATIONS = next(_k)
STEP_ITERATIONS = next(_k)

# Newton matrix
HAVE_FACTOR = next(_k)
SINCE = next(_k)  # steps since the factorisation
EXCESS = next(_k)  # iterations spent beyond those of a fresh matrix
FRESH_ITERATIONS = next(_k)  # iterations of the step in which the matrix was built
TANGENT = next(_k)  # 1: mass only, 2: full by differences
TRIED = next(_k)  # 1: independent velocities have been chosen anew for this step
WORST_COORDINATE = next(_k)
REBUILD = next(_k)  # 1: the next iteration builds its matrix

# Dense systems: (size, matrix in S, pivots in K, right-hand side in S, status)
NEWTON = next(_k)
for _ in range(4):
    next(_k)
DEPENDENT = next(_k)  # constraint columns of the dependent velocities (transposed solves too)
for _ in range(4):
    next(_k)
DEPENDENT_POSITION = next(_k)  # the same for the rows that hold at position level
for _ in range(4):
    next(_k)
REDUCED = next(_k)  # mass matrix of the independent velocities
for _ in range(4):
    next(_k)
SIZE, MATRIX, PIVOTS, VECTOR, FAULT = range(5)

# Addresses of arrays and programs; they are set anew when a run is resumed
FIRST_ADDRESS = next(_k)
AT_I = next(_k)
AT_F = next(_k)
AT_ROWS = next(_k)
AT_FACTOR = next(_k)
AT_SOLVE = next(_k)
AT_SOLVE_TRANSPOSED = next(_k)
AT_DIFFERENCES = next(_k)
AT_MASS = next(_k)
AT_BALANCE = next(_k)
AT_BUILD_MATRIX = next(_k)
AT_SOLVE_MATRIX = next(_k)
AT_PREDICT = next(_k)
AT_INCREMENT = next(_k)
AT_NEWTON = next(_k)
AT_CORRECT = next(_k)
AT_PROJECT = next(_k)
AT_STEP = next(_k)
AT_COMMIT = next(_k)
AT_INTERPOLATE = next(_k)
AT_WRITE_ROW = next(_k)
AT_WRITE_PENDING = next(_k)
AT_CLOSE = next(_k)
AT_EMBED = next(_k)
AT_REDUCE = next(_k)
AT_EVALUATE = next(_k)
LAST_ADDRESS = next(_k)

# Blocks of S
SCALE = next(_k)  # (n_v) magnitude of a coordinate, 1 for angles [m, 1]
SCALE_Q = next(_k)  # (n_q) the same for the stored coordinates
Q_N = next(_k)  # state at the start of the step: (n_q)
V_N = next(_k)  # (n_v)
A_N = next(_k)  # (n_v)
LAM_N = next(_k)  # (m)
WORK_N = next(_k)  # (n_powers)
POWER_N = next(_k)  # (n_powers)
Q_E = next(_k)  # state at the end of the step
V_E = next(_k)
A_E = next(_k)
LAM_E = next(_k)
WORK_E = next(_k)
POWER_E = next(_k)
A_P = next(_k)  # one step earlier, for the predictor (n_v)
LAM_P = next(_k)  # (m)
POWER_P = next(_k)  # (n_powers)
OFFSET = next(_k)  # velocity of the method minus projected velocity, last accepted (n_v)
OFFSET_E = next(_k)  # the same at the end of the step (n_v)
AUX = next(_k)  # auxiliary acceleration, last accepted (n_v)
AUX_N = next(_k)  # the same, scaled to the present step (n_v)
AUX_E = next(_k)  # the same at the end of the step (n_v)
BALANCE = next(_k)  # row and column scaling of the Newton matrix (n_v + m)
RATES = next(_k)  # Q_DOT and Q_DDOT at both ends of the step (4 n_q)
SLOPES = next(_k)  # derivatives of (q, v, work) at every stage (7 (n_q + n_v + n_powers))
TABLEAU = next(_k)  # stage times (7), error weights (7), stage coefficients (7 x 7)
JACOBIAN_D = next(_k)  # J: dependent = J independent (m, f)
MASS_N = next(_k)  # M N (n_v, f)
BIAS_D = next(_k)  # c: part of the dependent accelerations that does not depend on the others (m)

# Index lists in K
INDEX_D = next(_k)  # start of the list of dependent velocities (m)
INDEX_I = next(_k)  # start of the list of independent velocities (f)
K_HEADER = next(_k)

_s = count()
T_START = next(_s)  # [s]
T_END = next(_s)
T_N = next(_s)  # start of the step
T_E = next(_s)  # end of the step
H = next(_s)  # size of the step
H_NEXT = next(_s)  # error control: the size to try
H_LAST = next(_s)  # size of the last accepted step
H_NOMINAL = next(_s)
H_MAX = next(_s)
H_MIN = next(_s)
EVERY = next(_s)  # output interval
T_OUT = next(_s)  # time of the last row
ALPHA_M = next(_s)
ALPHA_F = next(_s)
BETA = next(_s)
GAMMA = next(_s)
TOLERANCE = next(_s)
ERROR = next(_s)  # estimated error of the step as a multiple of the tolerance
CONTRACTION = next(_s)  # of the Newton iteration
MOVED = next(_s)  # way of the coordinates since the factorisation, scaled
FLOOR = next(_s)  # level at which the increments were seen to stagnate
LARGEST_PHI = next(_s)
WORST = next(_s)
J_MAX = next(_s)  # largest entry of J (scaled)
J_LIMIT = next(_s)  # choose independent coordinates again beyond this
RATE_SEEN = next(_s)  # largest velocity seen, scaled [1/s]
WORK_SEEN = next(_s)  # largest energy seen, unit of the works [J]
LENGTH = next(_s)  # length scale [m]
ENERGY_SEEN = next(_s)  # 1: the energies of the first row are known
ENERGY_FIRST = next(_s)  # kinetic, potential, work of the first row [J]
next(_s)
next(_s)
ENERGY_ERROR = next(_s)  # [J]
ENERGY_PEAK = next(_s)  # [J]
TURN = next(_s)  # largest turn of a body in a step [rad]
TURN_BODY = next(_s)  # its number
TURN_STEP = next(_s)  # the step [s]
S_HEADER = next(_s)


def make_state(ints: Integers, explicit: bool) -> tuple[Integers, Floats]:
    """K and S of a system, sized and with the offsets set; `explicit`: for Runge-Kutta, else for generalised-alpha."""
    n_q, n_v, m = int(ints[L.N_Q]), int(ints[L.N_V]), int(ints[L.N_ROWS])
    m_pos, n_p = int(ints[L.N_POS_ROWS]), int(ints[L.N_POWERS])
    free = max(n_v - m, 0)
    offsets: dict[int, int] = {}
    s_size, k_size = S_HEADER, K_HEADER
    sizes: dict[int, int] = {SCALE: n_v, SCALE_Q: n_q, RATES: 4 * n_q}
    sizes |= {Q_N: n_q, V_N: n_v, A_N: n_v, LAM_N: m, WORK_N: n_p, POWER_N: n_p}
    sizes |= {Q_E: n_q, V_E: n_v, A_E: n_v, LAM_E: m, WORK_E: n_p, POWER_E: n_p}
    if explicit:
        sizes |= {SLOPES: 7 * (n_q + n_v + n_p), TABLEAU: 63, JACOBIAN_D: m * free, MASS_N: n_v * free, BIAS_D: m}
        dense = {DEPENDENT: m, DEPENDENT_POSITION: m_pos, REDUCED: free if m else 0}
    else:
        sizes |= {
            A_P: n_v,
            LAM_P: m,
            POWER_P: n_p,
            OFFSET: n_v,
            OFFSET_E: n_v,
            AUX: n_v,
            AUX_N: n_v,
            AUX_E: n_v,
            BALANCE: n_v + m,
        }
        dense = {NEWTON: n_v + m}
    for slot, size in sizes.items():
        offsets[slot] = s_size
        s_size += size
    for slot, size in dense.items():
        offsets[slot + SIZE] = size
        offsets[slot + MATRIX], s_size = s_size, s_size + size * size
        offsets[slot + VECTOR], s_size = s_size, s_size + size
        offsets[slot + PIVOTS], k_size = k_size, k_size + size
    offsets[INDEX_D], offsets[INDEX_I], k_size = k_size, k_size + m, k_size + m + free
    K, S = np.zeros(k_size, np.int64), np.zeros(s_size)
    for slot, offset in offsets.items():
        K[slot] = offset
    return K, S


def workspace_parts(ints: Integers) -> list[tuple[int, int]]:
    """(offset, size) of the parts of the workspace that belong to the state of a run."""
    n_q, n_v, m = int(ints[L.N_Q]), int(ints[L.N_V]), int(ints[L.N_ROWS])
    sizes: dict[int, Any] = {L.T: 1, L.Q: n_q, L.V: n_v, L.A: n_v, L.LAM: m}
    sizes |= {L.WORK: int(ints[L.N_POWERS]), L.MEMORY: int(ints[L.N_MEMORY])}
    return [(int(ints[slot]), size) for slot, size in sizes.items()]


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
