"""Output rows: after every step, or at chosen times by the interpolant of the step.

Coordinates follow the quintic through (q, q', q'') at both ends of the step, error O(h^6); velocities and accelerations
are its derivatives, with implicit methods the cubic through (q', q'') and its derivative, error O(h^4). Works follow
the cubic through work and power at both ends, those of Dormand & Prince's method its own quartic [Hairer, Norsett &
Wanner, Solving ODEs I, sec. II.6]; multipliers are linear (the explicit methods recompute accelerations and
multipliers). At the end of a step the step's own state is written.
"""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.machine_code.jit import call, kernel, program
from flexmb.solvers.pointers import float_pointer, int_pointer
from flexmb.solvers.state_copy import load_motion, return_to_end, store_state

NEVER = 1e300


@kernel
def next_output(K, S):
    """Time of the next row inside the step just done, T_E itself at its end, NEVER when there is none [s]."""
    end = S[st.T_E]
    if K[st.ON_GRID] == 0:
        between = K[st.CONTROLLED] == 0 and K[st.SUB] != 0  # sub-steps of a fixed step give no rows
        return NEVER if between or S[st.T_OUT] >= end else end
    if S[st.T_OUT] >= S[st.T_END]:
        return NEVER
    time = S[st.T_START] + K[st.OUT_INDEX] * S[st.EVERY]
    if time > S[st.T_END] - 1e-9 * S[st.EVERY]:
        time = S[st.T_END]
    same = 1e-9 * (min(S[st.EVERY], S[st.H]) if S[st.H] > 0.0 else S[st.EVERY])
    if time > end + same:
        return NEVER
    return end if time > end - same else time


@program
def write_row(K, S, W, arg):
    """Append the row of the state in W to the block."""
    I, F, rows = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F]), float_pointer(K[st.AT_ROWS])
    n = I[L.N_OUT]
    call(I[L.AT_OUTPUT], I, F, W, 0)
    r = K[st.ROWS] * n
    for j in range(n - 2):
        rows[r + j] = W[I[L.OUT] + j]
    rows[r + n - 2] = S[st.H]
    rows[r + n - 1] = K[st.STEP_ITERATIONS]
    K[st.ROWS] += 1
    K[st.OUT_INDEX] += 1
    S[st.T_OUT] = W[I[L.T]]


@kernel
def end_rates(I, F, W, S, K):
    """Derivatives of the stored coordinates at both ends of the step, once per step."""
    nq, rates = I[L.N_Q], K[st.RATES]
    for end in range(2):
        W[I[L.T]] = S[st.T_N] if end == 0 else S[st.T_E]
        load_motion(I, W, S, K, st.Q_N if end == 0 else st.Q_E)
        call(I[L.AT_RATES], I, F, W, 0)
        for i in range(nq):
            S[rates + 2 * end * nq + i] = W[I[L.Q_DOT] + i]
            S[rates + (2 * end + 1) * nq + i] = W[I[L.Q_DDOT] + i]


@kernel
def quartic_works(I, W, S, K, u):
    """Works at the fraction u of a step of Dormand & Prince's method: w + h sum b_i(u) P_i over its seven stages."""
    n = I[L.N_Q] + I[L.N_V] + I[L.N_POWERS]
    rise = u * u * (3.0 - 2.0 * u)
    bump = u * u * (1.0 - u) * (1.0 - u)
    b1 = rise * 35.0 / 384.0 + u * (1.0 - u) * (1.0 - u)
    b1 -= bump * 5.0 * (2558722523.0 - 31403016.0 * u) / 11282082432.0
    b3 = rise * 500.0 / 1113.0 + bump * 100.0 * (882725551.0 - 15701508.0 * u) / 32700410799.0
    b4 = rise * 125.0 / 192.0 - bump * 25.0 * (443332067.0 - 31403016.0 * u) / 1880347072.0
    b5 = -rise * 2187.0 / 6784.0 + bump * 32805.0 * (23143187.0 - 3489224.0 * u) / 199316789632.0
    b6 = rise * 11.0 / 84.0 - bump * 55.0 * (29972135.0 - 7076736.0 * u) / 822651844.0
    b7 = -u * u * (1.0 - u) + bump * 10.0 * (7414447.0 - 829305.0 * u) / 29380423.0
    for k in range(I[L.N_POWERS]):
        p = K[st.SLOPES] + I[L.N_Q] + I[L.N_V] + k
        # The first stage has become that of the next step; its power is kept in POWER_N.
        rate = b1 * S[K[st.POWER_N] + k] + b3 * S[p + 2 * n] + b4 * S[p + 3 * n] + b5 * S[p + 4 * n]
        rate += b6 * S[p + 5 * n] + b7 * S[p + 6 * n]
        W[I[L.WORK] + k] = S[K[st.WORK_N] + k] + S[st.H] * rate


@program
def interpolate(K, S, W, arg):
    """Set the state in W to that of the time W[T] inside the step; `return_to_end` undoes it."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    nq, rates, h, time = I[L.N_Q], K[st.RATES], S[st.H], W[I[L.T]]
    store_state(I, W, S, K, st.Q_E)
    if K[st.PENDING] == 1:
        end_rates(I, F, W, S, K)
        K[st.PENDING] = 2
    u = (time - S[st.T_N]) / h
    for i in range(nq):
        q0, q1 = S[K[st.Q_N] + i], S[K[st.Q_E] + i]
        d0, d1 = h * S[rates + i], h * S[rates + 2 * nq + i]
        e0, e1 = h * h * S[rates + nq + i], h * h * S[rates + 3 * nq + i]
        # q0 + d0 u + e0 u^2/2 + c3 u^3 + c4 u^4 + c5 u^5 with the three conditions at u = 1
        p, v, a = q1 - q0 - d0 - 0.5 * e0, d1 - d0 - e0, e1 - e0
        c3, c4, c5 = 10.0 * p - 4.0 * v + 0.5 * a, -15.0 * p + 7.0 * v - a, 6.0 * p - 3.0 * v + 0.5 * a
        W[I[L.Q] + i] = q0 + u * (d0 + u * (0.5 * e0 + u * (c3 + u * (c4 + u * c5))))
        if K[st.STAGES] > 0:
            W[I[L.Q_DOT] + i] = (d0 + u * (e0 + u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5)))) / h
            W[I[L.Q_DDOT] + i] = (e0 + u * (6.0 * c3 + u * (12.0 * c4 + u * 20.0 * c5))) / (h * h)
        else:  # the closure of the loops is in the positions only, and no velocity
            b2, b3 = 3.0 * (d1 - d0) - 2.0 * e0 - e1, e0 + e1 - 2.0 * (d1 - d0)
            W[I[L.Q_DOT] + i] = (d0 + u * (e0 + u * (b2 + u * b3))) / h
            W[I[L.Q_DDOT] + i] = (e0 + u * (2.0 * b2 + u * 3.0 * b3)) / (h * h)
    W[I[L.T]] = time
    call(I[L.AT_VELOCITIES], I, F, W, 0)
    for k in range(I[L.N_ROWS]):
        W[I[L.LAM] + k] = (1.0 - u) * S[K[st.LAM_N] + k] + u * S[K[st.LAM_E] + k]
    if K[st.STAGES] == 7:
        quartic_works(I, W, S, K, u)
        return
    for k in range(I[L.N_POWERS]):
        w0, w1 = S[K[st.WORK_N] + k], S[K[st.WORK_E] + k]
        d0, d1 = h * S[K[st.POWER_N] + k], h * S[K[st.POWER_E] + k]
        rest, slope = w1 - w0 - d0, d1 - d0
        W[I[L.WORK] + k] = w0 + u * (d0 + u * (3.0 * rest - slope + u * (slope - 2.0 * rest)))


@program
def write_pending(K, S, W, arg):
    """Write the rows of the step just done and accept it; STATUS = MORE when the block is full before, else OK."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    K[st.STATUS] = st.OK
    while K[st.PENDING] > 0:
        time = next_output(K, S)
        if time == NEVER:
            call(I[L.AT_ACCEPT], I, F, W, 0)
            K[st.PENDING] = 0
            S[st.T_N] = S[st.T_E]
        elif K[st.ROWS] >= K[st.ROW_BUDGET]:
            K[st.STATUS] = st.MORE
            return
        elif time == S[st.T_E]:
            call(K[st.AT_WRITE_ROW], K, S, W, 0)
        else:
            growth = S[st.J_MAX]
            W[I[L.T]] = time
            call(K[st.AT_INTERPOLATE], K, S, W, 0)
            if K[st.STAGES] > 0:  # explicit methods have accelerations and multipliers at any state
                call(K[st.AT_EVALUATE], K, S, W, -1)
                K[st.STATUS] = st.OK
            call(K[st.AT_WRITE_ROW], K, S, W, 0)
            return_to_end(I, W, S, K)
            S[st.J_MAX] = growth
