"""Balance of elastic coordinates at an instant of a quasi-static motion, compiled: the steps of `elastic_balance`.

This version is some hundred times faster; the one in Python covers the difficult cases: the first balance with the load
raised step by step, instants in smaller steps, and rows that are not independent.

F(t, y, y') = 0 by Newton's method with a kept Jacobian, then y, y' and y'' together by F at two or three instants
close by. The corrections of y there, d(s) = -F_y^-1 F, are a polynomial in s that the corrections p of y obey, with
C = -F_y^-1 F_y': p - C p' = d, from its highest power down. What `elastic_balance`
calls lost ends as STUCK.
"""

from __future__ import annotations

import math

from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.layout.solver_state import MATRIX, SIZE, VECTOR
from flexmb.machine_code.jit import call, kernel, program
from flexmb.solvers.driven_extrapolation import extrapolate
from flexmb.solvers.driven_kernels import HUGE, move_on, well_conditioned
from flexmb.solvers.elastic_balance import (
    DIFFERENCE,
    DIGITS,
    LEAP,
    MAX_NEWTON,
    MAX_SWEEPS,
    SHORT,
    SLOW,
    SMALL,
    STALLED,
)
from flexmb.solvers.pointers import float_pointer, int_pointer
from flexmb.solvers.state_copy import copy_block

SWEEP = 3  # values of F in a sweep, which are what it costs
MEASURED = 8  # instants after which the contraction is measured again by one more sweep


@kernel
def size_of(S, K, values):
    """Largest of the elastic coordinates as a fraction of their magnitude."""
    largest = 0.0
    for j in range(K[ds.N_FREE]):
        largest = max(largest, abs(S[values + j]) / S[K[ds.SCALE] + K[K[ds.FREE] + j]])
    return largest


@kernel
def correct_into(S, K, step):
    """Newton's correction of y by the current Jacobian."""
    n = K[ds.N_FREE]
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += S[K[ds.INVERSE] + i * n + j] * S[K[ds.FORCE] + j]
        S[step + i] = -S[K[ds.SCALE] + K[K[ds.FREE] + i]] * total


@kernel
def value_at_centre(K, S, W, I, arg):
    """F of the centre, with y'' when arg = 1."""
    n = K[ds.N_FREE]
    W[I[L.T]] = S[ds.T]
    copy_block(S, K[ds.CENTRE_Q], W, I[L.Q], I[L.N_Q])
    copy_block(S, K[ds.CENTRE], S, K[ds.TRY_Y], n)
    copy_block(S, K[ds.CENTRE] + n, S, K[ds.TRY_RATE], n)
    copy_block(S, K[ds.CENTRE] + 2 * n, S, K[ds.TRY_SECOND], n)
    call(K[ds.AT_VALUE], K, S, W, arg)


@program
def refresh(K, S, W, arg):
    """Compute the Jacobian, by differences at the centre, and its inverse."""
    I = int_pointer(K[ds.AT_I])
    n = K[ds.N_FREE]
    X, x = K[ds.STIFFNESS + MATRIX], K[ds.STIFFNESS + VECTOR]
    K[ds.HAVE_INVERSE] = 0
    value_at_centre(K, S, W, I, 0)
    if K[ds.STATUS] != ds.OK:
        return
    for i in range(n):
        S[K[ds.STEP] + i] = S[K[ds.FORCE] + i]
    for j in range(n):
        copy_block(S, K[ds.CENTRE_Q], W, I[L.Q], I[L.N_Q])
        S[K[ds.TRY_Y] + j] = S[K[ds.CENTRE] + j] + DIFFERENCE * S[K[ds.SCALE] + K[K[ds.FREE] + j]]
        call(K[ds.AT_VALUE], K, S, W, 0)
        if K[ds.STATUS] != ds.OK:
            return
        S[K[ds.TRY_Y] + j] = S[K[ds.CENTRE] + j]
        for i in range(n):
            S[X + i * n + j] = (S[K[ds.FORCE] + i] - S[K[ds.STEP] + i]) / DIFFERENCE
    call(K[ds.AT_FACTOR], K, S, S, ds.STIFFNESS)
    if not well_conditioned(K, S, ds.STIFFNESS):
        K[ds.STATUS] = ds.STUCK
        return
    for j in range(n):
        for i in range(n):
            S[x + i] = 1.0 if i == j else 0.0
        call(K[ds.AT_SOLVE], K, S, S, ds.STIFFNESS)
        for i in range(n):
            S[K[ds.INVERSE] + i * n + j] = S[x + i]
    K[ds.HAVE_INVERSE] = 1
    K[ds.HAVE_COUPLING] = 0
    K[ds.AGE] = K[ds.EXCESS] = K[ds.FEWEST] = 0
    K[ds.FACTORISATIONS] += 1


@program
def newton(K, S, W, arg):
    """Bring y close to F = 0 at T with the current rates; leaves the state of y in W, and its last correction."""
    I = int_pointer(K[ds.AT_I])
    n, step = K[ds.N_FREE], K[ds.STEP]
    last, is_fresh = HUGE, False
    for _ in range(MAX_NEWTON):
        if K[ds.HAVE_INVERSE] == 0:
            call(K[ds.AT_REFRESH], K, S, W, 0)
            if K[ds.STATUS] != ds.OK:
                return
            is_fresh = True
        value_at_centre(K, S, W, I, 0)
        if K[ds.STATUS] != ds.OK:
            return
        copy_block(W, I[L.Q], S, K[ds.CENTRE_Q], I[L.N_Q])
        correct_into(S, K, step)
        size = size_of(S, K, step)
        if size <= STALLED:
            return
        if size > SLOW * last:
            if is_fresh and size > last:
                break
            K[ds.HAVE_INVERSE] = 0
            is_fresh = False
            last = size
            continue
        for j in range(n):
            S[K[ds.CENTRE] + j] += S[step + j]
        K[ds.ROW_ITERATIONS] += 1
        last, is_fresh = size, False
    K[ds.STATUS] = ds.STUCK


@program
def couple(K, S, W, arg):
    """Compute COUPLING, the change of y by its rate, by differences at the centre; needs the Jacobian and AHEAD."""
    I = int_pointer(K[ds.AT_I])
    n, here, moved = K[ds.N_FREE], K[ds.STEP] + K[ds.N_FREE], K[ds.STEP] + 2 * K[ds.N_FREE]
    value_at_centre(K, S, W, I, 0)
    if K[ds.STATUS] != ds.OK:
        return
    for i in range(n):
        S[here + i] = S[K[ds.FORCE] + i]
    for j in range(n):
        copy_block(S, K[ds.CENTRE_Q], W, I[L.Q], I[L.N_Q])
        change = DIFFERENCE * S[K[ds.SCALE] + K[K[ds.FREE] + j]] / abs(S[ds.AHEAD + 1])
        S[K[ds.TRY_RATE] + j] = S[K[ds.CENTRE] + n + j] + change
        call(K[ds.AT_VALUE], K, S, W, 0)
        if K[ds.STATUS] != ds.OK:
            return
        S[K[ds.TRY_RATE] + j] = S[K[ds.CENTRE] + n + j]
        for i in range(n):
            S[K[ds.FORCE] + i] -= S[here + i]
        correct_into(S, K, moved)
        for i in range(n):
            S[K[ds.COUPLING] + i * n + j] = S[moved + i] / change
    K[ds.HAVE_COUPLING] = 1


@kernel
def add_coupled(S, K, rate, y):
    """Add to corrections of y the effect of corrections of its rate."""
    n = K[ds.N_FREE]
    for i in range(n):
        for j in range(n):
            S[y + i] += S[K[ds.COUPLING] + i * n + j] * S[rate + j]


@kernel
def correct_derivatives(K, S, W):
    """Correct y and its derivatives by the corrections at T and at the other instants."""
    n, m, c, d = K[ds.N_FREE], K[ds.N_AHEAD], K[ds.CENTRE], K[ds.STEP]
    X, x = K[ds.SERIES + MATRIX], K[ds.SERIES + VECTOR]
    K[ds.SERIES + SIZE] = m
    first = S[ds.AHEAD]
    for k in range(m):
        power = 1.0  # in units of the first time, so that the matrix is one of plain numbers
        for i in range(m):
            power *= S[ds.AHEAD + k] / first / (i + 1)
            S[X + k * m + i] = power
    call(K[ds.AT_FACTOR], K, S, S, ds.SERIES)
    for j in range(n):
        for k in range(m):
            S[x + k] = S[d + (k + 1) * n + j] - S[d + j]
        call(K[ds.AT_SOLVE], K, S, S, ds.SERIES)
        S[d + n + j] = S[x] / first
        S[d + 2 * n + j] = S[x + 1] / (first * first)
        S[d + 3 * n + j] = S[x + 2] / (first * first * first) if m == 3 else -S[c + 3 * n + j]
    if m == 3:
        add_coupled(S, K, d + 3 * n, d + 2 * n)
    add_coupled(S, K, d + 2 * n, d + n)
    add_coupled(S, K, d + n, d)
    for j in range(4 * n):
        S[c + j] += S[d + j]


@program
def sweep(K, S, W, arg):
    """Correct y and its derivatives by F at T and at the other instants; size of the corrections in MOVED.

    arg = 1: the state at T is in W already, and its correction in STEP.
    """
    I, F = int_pointer(K[ds.AT_I]), float_pointer(K[ds.AT_F])
    n, nv, nq, c = K[ds.N_FREE], I[L.N_V], I[L.N_Q], K[ds.CENTRE]
    if arg == 0:
        if K[ds.HAVE_INVERSE] == 0:
            call(K[ds.AT_REFRESH], K, S, W, 0)
        if K[ds.STATUS] == ds.OK:
            value_at_centre(K, S, W, I, 0)
        if K[ds.STATUS] != ds.OK:
            return
        correct_into(S, K, K[ds.STEP])
        copy_block(W, I[L.Q], S, K[ds.CENTRE_Q], nq)
    copy_block(W, I[L.V], S, K[ds.MOTION], nv)
    copy_block(W, I[L.A], S, K[ds.MOTION] + nv, nv)
    if K[ds.HAVE_COUPLING] == 0:
        call(K[ds.AT_COUPLE], K, S, W, 0)
        if K[ds.STATUS] != ds.OK:
            return
    moved = size_of(S, K, K[ds.STEP])
    for k in range(K[ds.N_AHEAD]):
        s = S[ds.AHEAD + k]
        copy_block(S, K[ds.CENTRE_Q], W, I[L.Q], nq)
        move_on(I, F, W, S, K[ds.MOTION], s)
        W[I[L.T]] = S[ds.T] + s
        for j in range(n):
            y, rate, second, third = S[c + j], S[c + n + j], S[c + 2 * n + j], S[c + 3 * n + j]
            S[K[ds.TRY_Y] + j] = y + s * (rate + s / 2.0 * (second + s / 3.0 * third))
            S[K[ds.TRY_RATE] + j] = rate + s * (second + s / 2.0 * third)
        call(K[ds.AT_VALUE], K, S, W, 0)
        if K[ds.STATUS] != ds.OK:
            return
        correct_into(S, K, K[ds.STEP] + (k + 1) * n)
        moved = max(moved, size_of(S, K, K[ds.STEP] + (k + 1) * n))
    correct_derivatives(K, S, W)
    S[ds.MOVED] = moved
    K[ds.ROW_ITERATIONS] += 1


@program
def balance(K, S, W, arg):
    """Find y, y' and y'' at T from their extrapolated values."""
    call(K[ds.AT_NEWTON], K, S, W, 0)
    last, stalls = HUGE, 0
    theta = 2.0 * S[ds.CONTRACTION] if K[ds.AGE] % MEASURED > 0 else 1.0
    for k in range(MAX_SWEEPS):
        if K[ds.STATUS] != ds.OK:
            return
        call(K[ds.AT_SWEEP], K, S, W, 1 if k == 0 else 0)
        if K[ds.STATUS] != ds.OK:
            return
        size = S[ds.MOVED]
        stalls = stalls + 1 if size > 0.5 * last and k >= 3 else 0  # y'' goes over to y' and y in three sweeps
        if k > 0 and last > 0.0:
            theta = S[ds.CONTRACTION] = max(size / last, 1e-6)
        accepted = SMALL + DIGITS * size_of(S, K, K[ds.CENTRE])
        if size <= accepted or (stalls == 2 and size <= STALLED):
            return
        if theta < 0.5 and theta * size <= (1.0 - theta) * accepted:
            return
        if size > max(SLOW * last, STALLED):
            K[ds.HAVE_INVERSE] = 0
        last = size
    K[ds.STATUS] = ds.STUCK


@kernel
def set_instants(I, S, K):
    """The other instants of the time derivatives: on both sides, or within the analysis."""
    speed, change, v, a = 0.0, 0.0, K[ds.V_N], K[ds.A_N]
    for k in range(I[L.N_V]):
        if K[K[ds.RIGID] + k] == 1:
            speed = max(speed, abs(S[v + k]) / S[K[ds.SCALE] + k])
            change = max(change, abs(S[a + k]) / S[K[ds.SCALE] + k])
    speed = max(speed, math.sqrt(change))
    short = 0.1 * S[ds.SHORTEST]
    if speed * short > SHORT:
        short = SHORT / speed
    K[ds.N_AHEAD] = 3
    S[ds.AHEAD], S[ds.AHEAD + 1], S[ds.AHEAD + 2] = -3.0 * short, -2.0 * short, -short
    if S[ds.T] - short < S[ds.T_START]:
        S[ds.AHEAD], S[ds.AHEAD + 1], S[ds.AHEAD + 2] = short, 2.0 * short, 3.0 * short
    elif S[ds.T] + short <= S[ds.T_END]:
        K[ds.N_AHEAD] = 2
        S[ds.AHEAD], S[ds.AHEAD + 1] = -short, short


@kernel
def exchange(I, S, K, take):
    """Keep the solution in BEST, or take it from there, then without a third derivative."""
    nq, n = I[L.N_Q], K[ds.N_FREE]
    for i in range(nq + 4 * n):
        here = K[ds.CENTRE_Q] + i if i < nq else K[ds.CENTRE] + i - nq
        if take == 1:
            S[here] = S[K[ds.BEST] + i] if i < nq + 3 * n else 0.0
        else:
            S[K[ds.BEST] + i] = S[here]


@kernel
def calmer_side(I, K, S, W):
    """Solve at a possible kink from both sides; the solution with the smallest y'' counts."""
    n, side = K[ds.N_FREE], S[ds.AHEAD + 1]
    exchange(I, S, K, 0)
    smallest = size_of(S, K, K[ds.CENTRE] + 2 * n)
    K[ds.N_AHEAD] = 3
    for _ in range(2):
        side = -side
        for i in range(3):
            S[ds.AHEAD + i] = (i + 1) * side
        K[ds.STATUS] = ds.OK
        call(K[ds.AT_BALANCE], K, S, W, 0)
        found = size_of(S, K, K[ds.CENTRE] + 2 * n)
        if K[ds.STATUS] == ds.OK and found < smallest:
            exchange(I, S, K, 0)
            smallest = found
    exchange(I, S, K, 1)
    K[ds.STATUS] = ds.OK


@kernel
def choose_inverse(K):
    """Give up the Jacobian, and the coupling, when additional sweeps have cost as much as new ones."""
    K[ds.AGE] += 1
    if K[ds.FEWEST] == 0 or K[ds.ROW_ITERATIONS] < K[ds.FEWEST]:
        K[ds.FEWEST] = K[ds.ROW_ITERATIONS]
    K[ds.EXCESS] += K[ds.ROW_ITERATIONS] - K[ds.FEWEST]
    if SWEEP * K[ds.EXCESS] > 2 * (K[ds.N_FREE] + 1):
        K[ds.HAVE_INVERSE] = 0


@program
def quasi_static_instant(K, S, W, arg):
    """Find the state in balance at S[T] from the state in W, extrapolated by the derivatives of y."""
    I, F = int_pointer(K[ds.AT_I]), float_pointer(K[ds.AT_F])
    n, c = K[ds.N_FREE], K[ds.CENTRE]
    limit = LEAP * size_of(S, K, c + 2 * n)
    extrapolate(I, F, W, S, K)
    copy_block(W, I[L.Q], S, K[ds.CENTRE_Q], I[L.N_Q])
    set_instants(I, S, K)
    choose_inverse(K)
    K[ds.STATUS] = ds.OK
    K[ds.ROW_ITERATIONS] = 0
    call(K[ds.AT_BALANCE], K, S, W, 0)
    if K[ds.STATUS] != ds.OK:
        return
    if K[ds.N_AHEAD] == 2 and size_of(S, K, c + 2 * n) > limit:
        calmer_side(I, K, S, W)
        K[ds.N_KNOWN] = 0
    if K[ds.HAVE_INVERSE] == 0:
        call(K[ds.AT_REFRESH], K, S, W, 0)
    if K[ds.STATUS] == ds.OK:
        value_at_centre(K, S, W, I, 1)
    if K[ds.STATUS] != ds.OK:
        return
    correct_into(S, K, K[ds.STEP])
    S[ds.LARGEST_Y] = max(S[ds.LARGEST_Y], size_of(S, K, c))
    S[ds.LEFT_OUT] = max(S[ds.LEFT_OUT], size_of(S, K, K[ds.STEP]))


PROGRAMS = {
    ds.AT_INSTANT: quasi_static_instant,
    ds.AT_REFRESH: refresh,
    ds.AT_COUPLE: couple,
    ds.AT_NEWTON: newton,
    ds.AT_SWEEP: sweep,
    ds.AT_BALANCE: balance,
}
