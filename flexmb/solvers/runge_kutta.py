"""Explicit Runge-Kutta methods on (q, v, works), one step: the classical of order 4, Dormand & Prince's of order 5(4).

Open trees take their accelerations from the O(n) program, systems with constraint rows from the embedding, in sparse
storage from the equations with multipliers. The stored coordinates follow q' = T(q) v; every stage is closed before it
is evaluated, which leaves the independent coordinates as they are. The last stage of every tableau is at the end of the
step and is the first one of the next.
Dormand & Prince, J. Comp. Appl. Math. 6 (1980) 19.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.machine_code.jit import call, kernel, program
from flexmb.solvers.pointers import float_pointer, int_pointer
from flexmb.solvers.state_copy import copy_block, store_state

CLASSIC = (
    (),
    (1 / 2,),
    (0, 1 / 2),
    (0, 0, 1),
    (1 / 6, 1 / 3, 1 / 3, 1 / 6),
)
DORMAND_PRINCE = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
DORMAND_PRINCE_ERROR = (71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
ERROR_ORDER = 5.0
MARGIN = 5.0  # errors of the steps add up; the method of order 5 errs less than that of order 4, which is estimated


def set_tableau(method: str, K: Integers, S: Floats) -> None:
    """Write the coefficients of "rk4" or "rk45" into the state."""
    rows = CLASSIC if method == "rk4" else DORMAND_PRINCE
    table = S[K[st.TABLEAU] : K[st.TABLEAU] + 63]
    table[:] = 0.0
    K[st.STAGES] = len(rows)
    for number, row in enumerate(rows):
        table[number] = round(float(np.sum(row)), 14)  # exactly 1 at the end of the step
        table[14 + 7 * number : 14 + 7 * number + len(row)] = row
    if method == "rk45":
        table[7:14] = DORMAND_PRINCE_ERROR


@program
def evaluate(K, S, W, arg):
    """Close the state in W, and set its accelerations, multipliers and powers; they become slope `arg` (if >= 0)."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    nq, nv, n_powers = I[L.N_Q], I[L.N_V], I[L.N_POWERS]
    K[st.STATUS] = st.OK
    if I[L.N_ROWS] == 0 and I[L.SPARSE] == 0:
        call(I[L.AT_ACCELERATION], I, F, W, 0)
    else:
        call(K[st.AT_CLOSE], K, S, W, 0)
        if K[st.STATUS] != st.OK:
            return
        call(K[st.AT_EMBED], K, S, W, 0)
        call(K[st.AT_REDUCE], K, S, W, 0)
        if K[st.STATUS] != st.OK:
            return
    total = 0.0
    for i in range(nv):
        total += abs(W[I[L.A] + i])
    if not total < 1e300:
        K[st.STATUS] = st.SINGULAR
        return
    call(I[L.AT_RATES], I, F, W, 0)
    if n_powers > 0:
        call(I[L.AT_POWERS], I, F, W, 0)
    if arg >= 0:
        slope = K[st.SLOPES] + arg * (nq + nv + n_powers)
        for i in range(nq):
            S[slope + i] = W[I[L.Q_DOT] + i]
        for i in range(nv):
            S[slope + nq + i] = W[I[L.A] + i]
        for i in range(n_powers):
            S[slope + nq + nv + i] = W[I[L.POWER] + i]


@kernel
def combine(S, slopes, size, coefficients, stages, first, count, start, h, W, out):
    """W[out..] = S[start..] + h sum of coefficient times slope, for `count` entries from `first` on."""
    for i in range(count):
        W[out + i] = S[start + i]
    for j in range(stages):
        factor = h * S[coefficients + j]
        if factor != 0.0:
            for i in range(count):
                W[out + i] += factor * S[slopes + j * size + first + i]


@kernel
def energy_unit(I, W, S):
    """Unit of the works [J]: the largest so far of the kinetic energy at the start, a work, the turnover of a step."""
    unit = max(S[st.WORK_SEEN], 1e-300)
    for k in range(I[L.N_POWERS]):
        unit = max(unit, abs(W[I[L.WORK] + k]), S[st.H] * abs(W[I[L.POWER] + k]))
    return unit


@kernel
def local_error(I, W, S, K):
    """Largest difference from the embedded method, each in the unit of its kind: coordinates, velocities, works."""
    nq, nv, n_powers = I[L.N_Q], I[L.N_V], I[L.N_POWERS]
    size, slopes, weights = nq + nv + n_powers, K[st.SLOPES], K[st.TABLEAU] + 7
    worst, worst_rate, energy = 0.0, 0.0, energy_unit(I, W, S)
    rate = min(S[st.RATE_SEEN], 2.0 / (S[st.T_END] - S[st.T_START]))  # an error of a velocity moves it on to the end
    for i in range(size):
        error = 0.0
        for j in range(K[st.STAGES]):
            error += S[weights + j] * S[slopes + j * size + i]
        if i < nq:
            unit = S[K[st.SCALE_Q] + i]
        elif i < nq + nv:
            unit = S[K[st.SCALE] + i - nq] * rate
        else:
            unit = energy
        error = abs(S[st.H] * error) / unit
        worst = max(worst, error)
        if nq <= i < nq + nv and error > worst_rate:
            worst_rate = error
            K[st.WORST_COORDINATE] = i - nq
    return worst


@program
def step(K, S, W, arg):
    """Try one step from T_N to T_E."""
    I = int_pointer(K[st.AT_I])
    nq, nv, n_powers, h = I[L.N_Q], I[L.N_V], I[L.N_POWERS], S[st.H]
    size, slopes, table = nq + nv + n_powers, K[st.SLOPES], K[st.TABLEAU]
    store_state(I, W, S, K, st.Q_N)
    copy_block(S, slopes + nq + nv, S, K[st.POWER_N], n_powers)
    K[st.STATUS] = st.OK
    for s in range(1, K[st.STAGES]):
        row = table + 14 + 7 * s
        W[I[L.T]] = S[st.T_N] + S[table + s] * h if S[table + s] < 1.0 else S[st.T_E]
        combine(S, slopes, size, row, s, 0, nq, K[st.Q_N], h, W, I[L.Q])
        combine(S, slopes, size, row, s, nq, nv, K[st.V_N], h, W, I[L.V])
        combine(S, slopes, size, row, s, nq + nv, n_powers, K[st.WORK_N], h, W, I[L.WORK])
        call(K[st.AT_EVALUATE], K, S, W, s)
        if K[st.STATUS] != st.OK:
            return
    if K[st.CONTROLLED] == 1:
        S[st.ERROR] = MARGIN * local_error(I, W, S, K) / S[st.TOLERANCE]


@program
def commit(K, S, W, arg):
    """Make the end of the step the new state: unit quaternions, first slope of the next step."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    nq, nv, n_powers = I[L.N_Q], I[L.N_V], I[L.N_POWERS]
    first, size = K[st.SLOPES], nq + nv + n_powers
    last = first + (K[st.STAGES] - 1) * size
    for i in range(size):
        S[first + i] = S[last + i]
    for k in range(n_powers):
        S[K[st.POWER_E] + k] = S[first + nq + nv + k]
    for i in range(nv):
        S[K[st.V_E] + i] = W[I[L.V] + i]
        S[st.RATE_SEEN] = max(S[st.RATE_SEEN], abs(W[I[L.V] + i]) / S[K[st.SCALE] + i])
    S[st.WORK_SEEN] = energy_unit(I, W, S)
    for k in range(I[L.N_ALL_POS_ROWS]):
        S[st.LARGEST_PHI] = max(S[st.LARGEST_PHI], abs(W[I[L.PHI_ALL] + k]))
    if nq != nv:
        call(I[L.AT_RATES], I, F, W, 0)
        call(I[L.AT_VELOCITIES], I, F, W, 0)
        for i in range(nv):
            W[I[L.V] + i] = S[K[st.V_E] + i]
            W[I[L.A] + i] = S[first + nq + i]
        call(I[L.AT_RATES], I, F, W, 0)
        for i in range(nq):
            S[first + i] = W[I[L.Q_DOT] + i]
