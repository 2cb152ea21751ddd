"""Compiled loop over the instants of a driven motion, and the state at an instant.

With y the free coordinates (none in a kinematic analysis) and G_d the constraint columns of the others:

    Phi(q, t) = 0 by Newton in q_d,   G_d v_d = -(G_y y' + Phi_t),   G_d a_d = -(G_y y'' + GAM),
    G_d^T lam = -(M a + BIAS)_d,      F = (M a + BIAS)_y + G_y^T lam

An instant at which Newton's method does not converge at once, or G_d is close to singular, is left unchanged: the
solvers in Python (`kinematics`, `elastic_balance`) then take it, with smaller steps or the shortest of many solutions.
"""

from __future__ import annotations

from flexmb.equations.shared_rows import has_moved, is_open
from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.layout.solver_state import FAULT, MATRIX, SIZE, VECTOR
from flexmb.machine_code.jit import call, kernel, program
from flexmb.solvers.pointers import float_pointer, int_pointer
from flexmb.solvers.state_copy import copy_block, load_motion, store_motion

MAX_CLOSING = 12
SINGULAR = 1e-9  # a pivot below this fraction of the largest one
CLOSED = 1e-15  # corrections of the held coordinates, as a fraction of their magnitude, that are round-off
HUGE = 1e300


@kernel
def move(I, F, W):
    """Replace Q by Q o DQ."""
    copy_block(W, I[L.Q], W, I[L.QN], I[L.N_Q])
    call(I[L.AT_COMPOSE], I, F, W, 0)


@kernel
def move_on(I, F, W, S, rates, h):
    """Extrapolate Q by velocities and accelerations (at `rates` in S) over the time h."""
    n = I[L.N_V]
    for i in range(n):
        W[I[L.DQ] + i] = h * S[rates + i] + 0.5 * h * h * S[rates + n + i]
    move(I, F, W)


@kernel
def well_conditioned(K, S, system):
    """Whether all pivots of a factored matrix are large enough."""
    n, o = K[system + SIZE], K[system + MATRIX]
    if K[system + FAULT] != 0:
        return False
    smallest, largest = HUGE, 0.0
    for i in range(n):
        pivot = abs(S[o + i * n + i])
        smallest, largest = min(smallest, pivot), max(largest, pivot)
    return n == 0 or SINGULAR * largest < smallest < HUGE


@program
def close(K, S, W, arg):
    """Close the loops by the held coordinates; leaves the factors of G_d, PHI and PHI_DOT, or STUCK."""
    I, F = int_pointer(K[ds.AT_I]), float_pointer(K[ds.AT_F])
    n, rows = I[L.N_V], I[L.N_ROWS]
    X, x, held, scale = K[ds.LOOPS + MATRIX], K[ds.LOOPS + VECTOR], K[ds.HELD], K[ds.SCALE]
    K[ds.STATUS] = ds.STUCK
    K[ds.CLOSINGS] = 0
    size = HUGE
    while True:
        call(I[L.AT_JACOBIAN], I, F, W, 0)
        is_last = size <= 1e-8  # quadratic convergence: the rest is round-off
        largest = 0.0
        for k in range(rows):
            largest = max(largest, abs(W[I[L.PHI] + k]))
            S[x + k] = -W[I[L.PHI] + k]
            for c in range(rows):
                S[X + k * rows + c] = W[I[L.G] + k * n + K[held + c]] * S[scale + K[held + c]]
        if not largest < HUGE or (is_last and largest > 1e-9) or (not is_last and K[ds.CLOSINGS] == MAX_CLOSING):
            return
        call(K[ds.AT_FACTOR], K, S, S, ds.LOOPS)
        if not well_conditioned(K, S, ds.LOOPS):
            return
        if is_last:
            K[ds.STATUS] = ds.OK
            return
        call(K[ds.AT_SOLVE], K, S, S, ds.LOOPS)
        size = 0.0
        for i in range(n):
            W[I[L.DQ] + i] = 0.0
        for c in range(rows):
            size = max(size, abs(S[x + c]))
            W[I[L.DQ] + K[held + c]] = S[x + c] * S[scale + K[held + c]]
        if size <= CLOSED:
            K[ds.STATUS] = ds.OK
        if not CLOSED < size <= 1.0:
            return
        move(I, F, W)
        K[ds.CLOSINGS] += 1


@program
def value(K, S, W, arg):
    """State and F of TRY_Y, TRY_RATE and, with arg = 1, TRY_SECOND at W[T]; the search starts at W[Q]. Or STUCK."""
    I, F = int_pointer(K[ds.AT_I]), float_pointer(K[ds.AT_F])
    n, rows, n_free = I[L.N_V], I[L.N_ROWS], K[ds.N_FREE]
    held, free, scale, x = K[ds.HELD], K[ds.FREE], K[ds.SCALE], K[ds.LOOPS + VECTOR]
    for i in range(n):
        W[I[L.V] + i] = 0.0
        W[I[L.A] + i] = 0.0
    for j in range(n_free):
        W[I[L.Q] + K[K[ds.PLACES] + j]] = S[K[ds.TRY_Y] + j]
        W[I[L.V] + K[free + j]] = S[K[ds.TRY_RATE] + j]
        if arg == 1:
            W[I[L.A] + K[free + j]] = S[K[ds.TRY_SECOND] + j]
    call(K[ds.AT_CLOSE], K, S, W, 0)
    if K[ds.STATUS] != ds.OK:
        return
    for k in range(rows):
        S[x + k] = -W[I[L.PHI_DOT] + k]
    call(K[ds.AT_SOLVE], K, S, S, ds.LOOPS)
    for k in range(rows):
        W[I[L.V] + K[held + k]] = S[x + k] * S[scale + K[held + k]]
    call(I[L.AT_JACOBIAN], I, F, W, 1)  # GAM of these velocities; G stays
    for k in range(rows):
        S[x + k] = -W[I[L.GAM] + k]
        if arg == 1:
            for j in range(n_free):
                S[x + k] -= W[I[L.G] + k * n + K[free + j]] * W[I[L.A] + K[free + j]]
    call(K[ds.AT_SOLVE], K, S, S, ds.LOOPS)
    for k in range(rows):
        W[I[L.A] + K[held + k]] = S[x + k] * S[scale + K[held + k]]
        W[I[L.LAM] + k] = 0.0
    call(I[L.AT_RESIDUAL], I, F, W, 0)  # RES = M a + BIAS
    for k in range(rows):
        S[x + k] = -W[I[L.RES] + K[held + k]] * S[scale + K[held + k]]
    call(K[ds.AT_SOLVE_TRANSPOSED], K, S, S, ds.LOOPS)
    total = 0.0
    for j in range(n_free):
        S[K[ds.FORCE] + j] = W[I[L.RES] + K[free + j]]
    for k in range(rows):
        W[I[L.LAM] + k] = S[x + k]
        total += abs(S[x + k])
        for j in range(n_free):
            S[K[ds.FORCE] + j] += W[I[L.G] + k * n + K[free + j]] * S[x + k]
    for j in range(n_free):
        total += abs(S[K[ds.FORCE] + j])
    if not total < HUGE:
        K[ds.STATUS] = ds.STUCK


@program
def kinematic_instant(K, S, W, arg):
    """The state at S[T] when the rows determine everything; the search starts at the extrapolated state in W."""
    I, F = int_pointer(K[ds.AT_I]), float_pointer(K[ds.AT_F])
    move_on(I, F, W, S, K[ds.V_N], S[ds.H])
    W[I[L.T]] = S[ds.T]
    call(K[ds.AT_VALUE], K, S, W, 0)
    K[ds.ROW_ITERATIONS] = K[ds.CLOSINGS]


@kernel
def keep(I, W, S, K):
    """Copy the state before the step."""
    store_motion(I, W, S, K, ds.Q_N)
    copy_block(W, I[L.POWER], S, K[ds.POWER_N], I[L.N_POWERS])
    copy_block(S, K[ds.CENTRE], S, K[ds.CENTRE_N], 4 * K[ds.N_FREE])


@kernel
def go_back(I, W, S, K):
    """Return to the state before the step."""
    load_motion(I, W, S, K, ds.Q_N)
    copy_block(S, K[ds.POWER_N], W, I[L.POWER], I[L.N_POWERS])
    copy_block(S, K[ds.CENTRE_N], S, K[ds.CENTRE], 4 * K[ds.N_FREE])


@kernel
def add_works(I, W, S, K):
    """Works of the step by the Adams-Moulton rule, through the powers of this step and the one before."""
    h, before = S[ds.H], S[ds.H_P]
    for k in range(I[L.N_POWERS]):
        old, power = S[K[ds.POWER_N] + k], W[I[L.POWER] + k]
        work = 0.5 * h * (old + power)
        if before > 0.0:
            slope = (old - S[K[ds.POWER_P] + k]) / before
            work -= ((power - old) / h - slope) / (h + before) * (h * h * h) / 6.0
        W[I[L.WORK] + k] += work
        S[K[ds.POWER_P] + k] = old
    S[ds.H_P] = h


@program
def advance(K, S, W, arg):
    """Instants and their rows until the block is full, the last is done or combined rows should be examined (OK), or
    an instant is STUCK."""
    I, F = int_pointer(K[ds.AT_I]), float_pointer(K[ds.AT_F])
    times, rows, n = float_pointer(K[ds.AT_TIMES]), float_pointer(K[ds.AT_ROWS]), I[L.N_OUT]
    K[ds.STATUS] = ds.OK
    K[ds.ROWS] = 0
    K[ds.ITERATIONS] = 0
    while K[ds.ROWS] < K[ds.ROW_BUDGET] and K[ds.NEXT] < K[ds.N_TIMES]:
        if I[L.N_BASIS] > 0 and K[ds.ROWS] > 0 and has_moved(I, W):
            return
        before = W[I[L.T]]
        S[ds.T] = times[K[ds.NEXT]]
        S[ds.H] = S[ds.T] - before
        keep(I, W, S, K)
        call(K[ds.AT_INSTANT], K, S, W, 0)
        if K[ds.STATUS] == ds.OK and I[L.N_TEETH] > 0:
            call(I[L.AT_WHOLE_RESIDUAL], I, F, W, 0)
            call(I[L.AT_FLANKS], I, F, W, 0)
            if W[I[L.X_VALUE]] > 0.0:
                call(K[ds.AT_INSTANT], K, S, W, 0)
        if K[ds.STATUS] == ds.OK and I[L.N_BASIS] > 0 and is_open(I, F, W):
            K[ds.STATUS] = ds.STUCK
        if K[ds.STATUS] != ds.OK:
            go_back(I, W, S, K)
            W[I[L.T]] = before
            return
        for k in range(I[L.N_ALL_ROWS]):
            S[ds.LARGEST_PHI] = max(S[ds.LARGEST_PHI], abs(W[I[L.PHI_ALL] + k]))
        if I[L.N_POWERS] > 0:
            call(I[L.AT_POWERS], I, F, W, 0)
        add_works(I, W, S, K)
        call(I[L.AT_ACCEPT], I, F, W, 0)
        call(I[L.AT_OUTPUT], I, F, W, 0)
        r = K[ds.ROWS] * n
        for j in range(n - 2):
            rows[r + j] = W[I[L.OUT] + j]
        rows[r + n - 2] = S[ds.H]
        rows[r + n - 1] = K[ds.ROW_ITERATIONS]
        K[ds.ITERATIONS] += K[ds.ROW_ITERATIONS]
        K[ds.ROWS] += 1
        K[ds.NEXT] += 1
