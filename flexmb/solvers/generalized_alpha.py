"""Generalised-alpha and HHT-alpha on the index-3 equations, one step (theory sec. 11).

With v' the acceleration and a the auxiliary acceleration, residual and constraints taken at t_{n+1}:

    (1-alpha_m) a_{n+1} + alpha_m a_n = (1-alpha_f) v'_{n+1} + alpha_f v'_n
    Dq = h v_n + h^2 ((1/2-beta) a_n + beta a_{n+1}),                  q_{n+1} = q_n o Dq
    v_{n+1} = v_n + h ((1-gamma) a_n + gamma a_{n+1})

Afterwards the velocities are projected on G v + Phi_t = 0 with the factor at hand. The method itself goes on with its
own velocity: it differs by a multiple of h^2, and to take the projected one costs the multipliers an order (an error e
of the normal velocity is one of e/h in the acceleration). Scheme 1 is Shi & McPhee's [SM sec. 5.3]: constraints at
acceleration level, then corrections of positions and velocities with the same matrix.
Arnold & Bruels, Multibody System Dynamics 18 (2007) 185; Hilber, Hughes & Taylor, EESD 5 (1977) 283.
"""

from __future__ import annotations

from flexmb.jit import call, kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.solvers.interpolant import restore
from flexmb.solvers.pointers import float_pointer, int_pointer

MAX_ITERATIONS = 12
MAX_SINCE = 200  # steps that one factor may serve
SLOW = 0.25  # contraction that calls for a better matrix
FAR = 1e3  # multiple of the accepted error from which growth is divergence, and not a small first increment
# Accepted error as a share of the first increment. An error e of the positions is one of e/(beta h^2) of accelerations
# and multipliers, which the predictor feeds back: it is also held below a share of the largest acceleration.
# Constraints amplify such noise from step to step, an open tree does not.
SHARE, NOISE = 2e-4, 1e-6
SHARE_TREE, NOISE_TREE = 1e-3, 1e-5
TIGHTEST = 1e-14  # least accepted error, as a part of a coordinate's magnitude
ROUND_OFF = 1e-10  # where convergence stalls below this, round-off of a stiff system is the reason
HIGHEST_FLOOR = 1e-13


@program
def predict(K, S, W, arg):
    """Keep the state at the start of the step and extrapolate accelerations and multipliers linearly to its end."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m, h = I[L.N_V], I[L.N_ROWS], S[st.H]
    am, af, beta, gamma = S[st.ALPHA_M], S[st.ALPHA_F], S[st.BETA], S[st.GAMMA]
    ratio = h / S[st.H_LAST]
    moved = 0.0
    W[I[L.T]] = S[st.T_E]
    for i in range(I[L.N_Q]):
        S[K[st.Q_N] + i] = W[I[L.Q] + i]
        W[I[L.QN] + i] = W[I[L.Q] + i]
    for i in range(n):
        a, v = W[I[L.A] + i], W[I[L.V] + i]
        S[K[st.A_N] + i] = a
        S[K[st.V_N] + i] = v
        v += ratio * ratio * S[K[st.OFFSET] + i]
        aux = a + ratio * (S[K[st.AUX] + i] - a)  # a_n stands for the acceleration at t_n + (alpha_m - alpha_f) h
        new = a + ratio * (a - S[K[st.A_P] + i])
        end = ((1.0 - af) * new + af * a - am * aux) / (1.0 - am)
        S[K[st.AUX_N] + i] = aux
        S[K[st.AUX_E] + i] = end
        W[I[L.A] + i] = new
        way = h * v + h * h * ((0.5 - beta) * aux + beta * end)
        moved = max(moved, abs(way) / S[K[st.SCALE] + i])
        W[I[L.DQ] + i] = way
        W[I[L.V] + i] = v + h * ((1.0 - gamma) * aux + gamma * end)
    for k in range(m):
        lam = W[I[L.LAM] + k]
        S[K[st.LAM_N] + k] = lam
        W[I[L.LAM] + k] = lam + ratio * (lam - S[K[st.LAM_P] + k])
    for k in range(I[L.N_POWERS]):
        S[K[st.WORK_N] + k] = W[I[L.WORK] + k]
    S[st.MOVED] += moved
    call(I[L.AT_COMPOSE], I, F, W, 0)


@program
def increment(K, S, W, arg):
    """One Newton iteration; the largest increment as a multiple of the coordinate's magnitude."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m, mp, h = I[L.N_V], I[L.N_ROWS], I[L.N_POS_ROWS], S[st.H]
    am, af = S[st.ALPHA_M], S[st.ALPHA_F]
    s = S[st.BETA] * h * h
    b_prime = (1.0 - am) / (s * (1.0 - af))
    g_prime = S[st.GAMMA] / (h * S[st.BETA])
    x = K[st.NEWTON + st.VECTOR]
    # Differences need states of their own; the mass is built on the motion that the residual finds anyway.
    apart = K[st.TANGENT] == 2 or K[st.SCHEME] == 1
    if K[st.REBUILD] == 1 and apart:
        call(K[st.AT_BUILD_MATRIX], K, S, W, 0)
        if K[st.STATUS] != st.OK:
            return
    if K[st.SCHEME] == 1 and m > 0:
        call(I[L.AT_SYSTEM], I, F, W, 0)
        for k in range(m):
            value = W[I[L.GAM] + k]
            for j in range(n):
                value += W[I[L.G] + k * n + j] * W[I[L.A] + j]
            S[x + n + k] = -value / b_prime
        call(I[L.AT_RESIDUAL], I, F, W, 0)
    else:
        call(I[L.AT_RESIDUAL], I, F, W, 0)
        if K[st.REBUILD] == 1 and not apart:
            call(K[st.AT_BUILD_MATRIX], K, S, W, 1)
            if K[st.STATUS] != st.OK:
                return
        for k in range(m):  # a velocity row is G v + Phi_t: divided by g' its derivative is G again
            S[x + n + k] = -W[I[L.PHI] + k] if k < mp else -W[I[L.PHI] + k] / g_prime
    for i in range(n):
        S[x + i] = -s * W[I[L.RES] + i]
    call(K[st.AT_SOLVE_MATRIX], K, S, W, 0)
    largest = 0.0
    for i in range(n):
        d = S[x + i]
        W[I[L.DQ] + i] += d
        W[I[L.V] + i] += g_prime * d
        W[I[L.A] + i] += b_prime * d
        S[K[st.AUX_E] + i] += b_prime * d * (1.0 - af) / (1.0 - am)
        size = abs(d) / S[K[st.SCALE] + i]
        if not size <= largest:  # also catches NaN
            largest = size
            K[st.WORST_COORDINATE] = i
            if size != size:
                break
    for k in range(m):
        W[I[L.LAM] + k] += S[x + n + k] / s
    call(I[L.AT_COMPOSE], I, F, W, 0)
    K[st.ITERATIONS] += 1
    K[st.STEP_ITERATIONS] += 1
    S[st.WORST] = largest


@program
def newton(K, S, W, arg):
    """Iterate to the end of the step. The matrix is rebuilt, then made complete, when convergence is slow.

    The first increment is the error of the predictor, h^2 times the second derivative of the acceleration like the
    error of the method itself; Newton stops when what is left is a small share of it, or round-off.
    """
    I = int_pointer(K[st.AT_I])
    theta = min(
        0.5, max(2.0 * S[st.CONTRACTION], S[st.MOVED])
    )  # the matrix changes with the way gone since it was built
    S[st.FLOOR] *= 0.5
    least = max(TIGHTEST, 2.0 * S[st.FLOOR])
    limit, last, age, started_with, slow = 0.0, 0.0, 100, K[st.TANGENT], 0
    largest = 0.0
    for i in range(I[L.N_V]):
        largest = max(largest, abs(W[I[L.A] + i]) / S[K[st.SCALE] + i])
    n = I[L.N_V] + I[L.N_ROWS]
    worth = 2 + n // 25 if K[st.TANGENT] == 1 else 2 + n  # a factorisation in units of iterations
    rebuild = K[st.HAVE_FACTOR] == 0 or K[st.SINCE] >= MAX_SINCE or K[st.EXCESS] >= worth
    K[st.STEP_ITERATIONS] = 0
    K[st.STATUS] = st.NO_CONVERGENCE
    while K[st.STEP_ITERATIONS] < MAX_ITERATIONS:
        K[st.REBUILD] = 1 if rebuild else 0
        if rebuild:
            rebuild, age, slow = False, 0, 0
            K[st.FRESH_ITERATIONS] = -K[st.STEP_ITERATIONS]
        K[st.STATUS] = st.OK
        call(K[st.AT_INCREMENT], K, S, W, 0)
        if K[st.STATUS] != st.OK:
            return
        K[st.STATUS] = st.NO_CONVERGENCE
        age += 1
        size = S[st.WORST]
        if not size < 1e4:
            return
        first = K[st.STEP_ITERATIONS] == 1
        if first:
            share, noise = (SHARE, NOISE) if I[L.N_ROWS] > 0 else (SHARE_TREE, NOISE_TREE)
            limit = max(least, min(share * size, noise * S[st.BETA] * S[st.H] * S[st.H] * largest))
        else:
            theta = size / last if last > 0.0 else 0.0
            if theta > 2.0 and size > FAR * limit and K[st.TANGENT] == 1:
                return
            S[st.CONTRACTION] = min(0.5, max(theta, 1e-4))
        if size <= limit or (theta < 1.0 and size * theta / (1.0 - theta) <= limit):
            K[st.STATUS] = st.OK
            return
        if not first and theta > SLOW:
            if age > K[st.STEP_ITERATIONS]:
                rebuild = True
            elif K[st.TANGENT] == 1:
                slow += 1  # once may be chance: a first increment that happens to be small
                if slow > 1:
                    K[st.TANGENT] = 2
                    rebuild = True
            elif theta > 0.7 and size <= ROUND_OFF:  # neither matrix does better
                S[st.FLOOR] = min(size, HIGHEST_FLOOR)
                K[st.TANGENT] = started_with
                K[st.EXCESS] = worth + n  # the next step builds its own matrix
                K[st.STATUS] = st.OK
                return
            else:
                rebuild = age > 1
        last = size
    if last <= ROUND_OFF:
        S[st.FLOOR] = min(last, HIGHEST_FLOOR)
        K[st.STATUS] = st.OK


@program
def project_velocities(K, S, W, arg):
    """Bring the velocities on G v + Phi_t = 0 in the metric of the factor at hand, and note the largest |PHI|."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m = I[L.N_V], I[L.N_ROWS]
    x, rows = K[st.NEWTON + st.VECTOR], I[L.PHI_DOT]
    for i in range(n):
        S[K[st.OFFSET_E] + i] = 0.0
    if m == 0:
        return
    call(I[L.AT_JACOBIAN], I, F, W, 0)
    for k in range(I[L.N_POS_ROWS]):
        S[st.LARGEST_PHI] = max(S[st.LARGEST_PHI], abs(W[I[L.PHI] + k]))
    if K[st.PROJECT] == 0:
        return
    speed = 0.0
    for i in range(n):
        speed = max(speed, abs(W[I[L.V] + i]) / S[K[st.SCALE] + i])
    small = 1e-14 * speed * S[st.LENGTH]
    for _ in range(5):
        largest = 0.0
        for i in range(n):
            S[x + i] = 0.0
        for k in range(m):
            largest = max(largest, abs(W[rows + k]))
            S[x + n + k] = -W[rows + k]
        if largest <= small:
            return
        call(K[st.AT_SOLVE_MATRIX], K, S, W, 0)
        for i in range(n):
            W[I[L.V] + i] += S[x + i]
            if K[st.SCHEME] == 0:
                S[K[st.OFFSET_E] + i] -= S[x + i]
        for k in range(m):  # linear in v: no new Jacobian is needed
            for j in range(n):
                W[rows + k] += W[I[L.G] + k * n + j] * S[x + j]


@program
def correct_positions(K, S, W, arg):
    """Position correction of Shi & McPhee's scheme [SM eq. 15] with the matrix of the step."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m, mp = I[L.N_V], I[L.N_ROWS], I[L.N_POS_ROWS]
    x, size = K[st.NEWTON + st.VECTOR], 0.0
    for _ in range(6):
        call(I[L.AT_JACOBIAN], I, F, W, 0)
        for i in range(n):
            S[x + i] = 0.0
        for k in range(m):
            S[x + n + k] = -W[I[L.PHI] + k] if k < mp else 0.0
        call(K[st.AT_SOLVE_MATRIX], K, S, W, 0)
        size = 0.0
        for i in range(n):
            W[I[L.DQ] + i] += S[x + i]
            size = max(size, abs(S[x + i]) / S[K[st.SCALE] + i])
        call(I[L.AT_COMPOSE], I, F, W, 0)
        if size <= 1e-12:
            break
    K[st.STATUS] = st.OK if size <= ROUND_OFF else st.NO_CONVERGENCE


@kernel
def position_error(I, W, S, K):
    """Local error of the positions as a multiple of the tolerance.

    |beta + (alpha_m-alpha_f)/2 - 1/6| h^2 |v'_{n+1} - v'_n|, largest over the coordinates.
    """
    constant = abs(S[st.BETA] + 0.5 * (S[st.ALPHA_M] - S[st.ALPHA_F]) - 1.0 / 6.0) * S[st.H] ** 2
    worst = 0.0
    for i in range(I[L.N_V]):
        size = abs(W[I[L.A] + i] - S[K[st.A_N] + i]) / S[K[st.SCALE] + i]
        if size > worst:
            worst = size
            K[st.WORST_COORDINATE] = i
    return constant * worst / S[st.TOLERANCE]


@program
def step(K, S, W, arg):
    """Try one step from T_N to T_E. The state in W is that of the end, whether good or not."""
    I = int_pointer(K[st.AT_I])
    call(K[st.AT_PREDICT], K, S, W, 0)
    tangent = K[st.TANGENT]
    call(K[st.AT_NEWTON], K, S, W, 0)
    if K[st.STATUS] != st.OK and tangent == 1:  # once more from the start with the full tangent
        K[st.TANGENT] = 2
        K[st.HAVE_FACTOR] = 0
        restore(I, W, S, K)
        call(K[st.AT_PREDICT], K, S, W, 0)
        call(K[st.AT_NEWTON], K, S, W, 0)
    if K[st.STATUS] != st.OK:
        return
    K[st.SINCE] += 1
    if K[st.SINCE] == 1:
        K[st.FRESH_ITERATIONS] += K[st.STEP_ITERATIONS]
    else:
        K[st.EXCESS] += max(0, K[st.STEP_ITERATIONS] - K[st.FRESH_ITERATIONS])
    if I[L.N_ROWS] > 0:
        if K[st.SCHEME] == 1:
            call(K[st.AT_CORRECT], K, S, W, 0)
            if K[st.STATUS] != st.OK:
                return
        call(K[st.AT_PROJECT], K, S, W, 0)
    total = 0.0
    for i in range(I[L.N_V]):
        total += abs(W[I[L.V] + i]) + abs(W[I[L.A] + i])
    if not total < 1e300:  # such as a motion whose rate is infinite where its position is not
        K[st.STATUS] = st.NO_CONVERGENCE
        return
    if K[st.CONTROLLED] == 1:
        S[st.ERROR] = position_error(I, W, S, K)


@program
def commit(K, S, W, arg):
    """Make the end of the step the new state; the works by the third-order Adams-Moulton rule."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    h, before = S[st.H], S[st.H_LAST]
    for i in range(I[L.N_V]):
        S[K[st.A_P] + i] = S[K[st.A_N] + i]
        S[K[st.AUX] + i] = S[K[st.AUX_E] + i]
        S[K[st.OFFSET] + i] = S[K[st.OFFSET_E] + i]
    for k in range(I[L.N_ROWS]):
        S[K[st.LAM_P] + k] = S[K[st.LAM_N] + k]
    if I[L.N_POWERS] > 0:
        call(I[L.AT_POWERS], I, F, W, 0)
        for k in range(I[L.N_POWERS]):
            old, now, new = S[K[st.POWER_P] + k], S[K[st.POWER_E] + k], W[I[L.POWER] + k]
            work = 0.5 * h * (now + new)
            if K[st.STEPS] > 0:
                work -= ((new - now) / h - (now - old) / before) / (h + before) * h**3 / 6.0
            W[I[L.WORK] + k] += work
            S[K[st.POWER_P] + k] = now
            S[K[st.POWER_N] + k] = now
            S[K[st.POWER_E] + k] = new
    S[st.H_LAST] = h
