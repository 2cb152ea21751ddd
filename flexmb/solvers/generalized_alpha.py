"""Generalised-alpha and HHT-alpha in stabilised index-2 form, one step (theory sec. 11).

From q_n, v_n, v'_n, a_n to t_{n+1} = t_n + h, with v' the acceleration and a the auxiliary acceleration of the method;
unknowns are the increment Dq, the multipliers lam and the closure c of the loops:

    residual              M v'_{n+1} + BIAS + G^T lam = 0,     G v_{n+1} + Phi_t = 0,     Phi(q_{n+1}, t_{n+1}) = 0
    acceleration          (1-alpha_m) a_{n+1} + alpha_m a_n = (1-alpha_f) v'_{n+1} + alpha_f v'_n
    position              Dq = h v_n + h^2 ((1/2-beta) a_n + beta a_{n+1}) + c,     q_{n+1} = q_n o Dq
    velocity              v_{n+1} = v_n + h ((1-gamma) a_n + gamma a_{n+1})

q o Dq is q + Dq for a length or an angle, and R exp(~Dq) for a rotation. By these lines an increment dq of Dq changes

    v_{n+1} by g' dq,     v'_{n+1} by b' dq,     a_{n+1} by b' (1-alpha_f)/(1-alpha_m) dq

(`newton_matrix.tangent_factors`), and Newton's method solves, with s = beta h^2,

    [ s (b' M + g' C + K)   G^T ] [ dq     ]     [ -s r                ]
    [ G                      0  ] [ s dlam ]  =  [ -(G v + Phi_t) / g' ]

and with the same matrix dc for the gaps -Phi that dq leaves. The rows Phi = 0 alone (index 3) would give q, v and lam
too, but round-off e of the positions would be one of e/(beta h^2) of the multipliers.

`predict` gives the first iterate, `increment` is one iteration (`newton_iteration` decides how many, and when to build
a new matrix), `step` puts them together, `commit` makes the end of the step the new state. Scheme 1 is Shi & McPhee's
[SM sec. 5.3]: constraints at acceleration level, then corrections of positions and velocities with the same matrix.
Arnold & Bruels, Multibody System Dynamics 18 (2007) 185; Hilber, Hughes & Taylor, EESD 5 (1977) 283;
Gear, Gupta & Leimkuhler, J. Comp. Appl. Math. 12 (1985) 77.
"""

from __future__ import annotations

from flexmb.equations.constraints import row_times
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.machine_code.jit import call, kernel, program
from flexmb.solvers.extrapolation import at_end, choose_weights, shift_back
from flexmb.solvers.newton_iteration import ROUND_OFF, largest_scaled, require_full_tangent, try_mass_alone
from flexmb.solvers.newton_matrix import tangent_factors
from flexmb.solvers.pointers import float_pointer, int_pointer
from flexmb.solvers.state_copy import return_to_start
from flexmb.solvers.step_size import steps_of_run

CLOSED_GAP = 1e-15  # gap of a row [rad, parts of the length scale below 1 m] that is round-off
STEADY_CLOSURE = 0.5  # change of the closure from step to step, as a part of it, up to which it is carried on
ERROR_ORDER = 2.0  # power of h in the error of the positions after all steps of the run


@kernel
def auxiliary_acceleration(alpha_m, alpha_f, vdot_new, vdot_n, a_n):
    """a_{n+1} of (1-alpha_m) a_{n+1} + alpha_m a_n = (1-alpha_f) v'_{n+1} + alpha_f v'_n."""
    return ((1.0 - alpha_f) * vdot_new + alpha_f * vdot_n - alpha_m * a_n) / (1.0 - alpha_m)


@kernel
def position_increment(h, beta, v_n, a_n, a_new):
    """Dq = h v_n + h^2 ((1/2-beta) a_n + beta a_{n+1})."""
    return h * v_n + h * h * ((0.5 - beta) * a_n + beta * a_new)


@kernel
def new_velocity(h, gamma, v_n, a_n, a_new):
    """v_{n+1} = v_n + h ((1-gamma) a_n + gamma a_{n+1})."""
    return v_n + h * ((1.0 - gamma) * a_n + gamma * a_new)


@program
def predict(K, S, W, arg):
    """Keep the state at the start of the step and extrapolate accelerations and multipliers to its end."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    h, alpha_m, alpha_f, beta, gamma = S[st.H], S[st.ALPHA_M], S[st.ALPHA_F], S[st.BETA], S[st.GAMMA]
    ratio = h / S[st.H_LAST]
    moved = 0.0
    W[I[L.T]] = S[st.T_E]
    # One loop per kind keeps the state and moves on: copies of their own cost small mechanisms 3 to 5 % of a step.
    for i in range(I[L.N_Q]):
        q_n = W[I[L.Q] + i]
        S[K[st.Q_N] + i] = q_n
        W[I[L.QN] + i] = q_n
    n, m = I[L.N_V], I[L.N_ROWS]
    for i in range(n):
        S[K[st.A_N] + i] = W[I[L.A] + i]
    w = choose_weights(I, S, K)
    for i in range(n):
        vdot_n, v_n = W[I[L.A] + i], W[I[L.V] + i]
        S[K[st.V_N] + i] = v_n
        # a_n represents the acceleration at t_n + (alpha_m - alpha_f) h, and h may have changed
        a_n = vdot_n + ratio * (S[K[st.AUX] + i] - vdot_n)
        vdot_new = at_end(S, K[st.A_N], K[st.A_P], i, n, w)
        a_new = auxiliary_acceleration(alpha_m, alpha_f, vdot_new, vdot_n, a_n)
        Dq = position_increment(h, beta, v_n, a_n, a_new)
        S[K[st.CLOSURE_E] + i] = S[st.CARRIED] * ratio**3 * S[K[st.CLOSURE] + i]
        Dq += S[K[st.CLOSURE_E] + i]
        moved = max(moved, abs(Dq) / S[K[st.SCALE] + i])
        S[K[st.AUX_N] + i] = a_n
        S[K[st.AUX_E] + i] = a_new
        W[I[L.DQ] + i] = Dq
        W[I[L.V] + i] = new_velocity(h, gamma, v_n, a_n, a_new)
        W[I[L.A] + i] = vdot_new
    for k in range(m):
        S[K[st.LAM_N] + k] = W[I[L.LAM] + k]
        W[I[L.LAM] + k] = at_end(S, K[st.LAM_N], K[st.LAM_P], k, m, w)
    for k in range(I[L.N_POWERS]):
        S[K[st.WORK_N] + k] = W[I[L.WORK] + k]
    S[st.MOVED] += moved
    S[st.NEAR] = moved
    call(I[L.AT_COMPOSE], I, F, W, 0)


@kernel
def acceleration_rows_into(I, W, S, b_prime, rhs):
    """Scheme 1: S[rhs..] = -(G v' + GAM) / b', which an increment of Dq changes by -G."""
    for k in range(I[L.N_ROWS]):
        S[rhs + k] = -(W[I[L.GAM] + k] + row_times(I, W, k, W, I[L.A])) / b_prime


@kernel
def velocity_rows_into(I, W, S, g_prime, rhs):
    """S[rhs..] = -(G v + Phi_t) / g', which an increment of Dq changes by -G."""
    for k in range(I[L.N_ROWS]):
        S[rhs + k] = -W[I[L.PHI_DOT] + k] / g_prime


@kernel
def gaps_into(I, W, S, n, g_prime, rhs):
    """S[rhs..] = the gaps -Phi that are left once the velocity rows are met, below zero forces; returns whether any is.

    A gap of round-off is none: near a singular position its closure would turn the rows by a multiple of it, and the
    velocities that they forbid with them.
    """
    least, is_open = CLOSED_GAP * min(1.0, S[st.LENGTH]), False
    for i in range(n):
        S[rhs + i] = 0.0
    for k in range(I[L.N_ROWS]):
        gap = W[I[L.PHI_DOT] + k] / g_prime - W[I[L.PHI] + k] if k < I[L.N_POS_ROWS] else 0.0
        counts = not abs(gap) <= least  # also catches NaN
        S[rhs + n + k] = gap if counts else 0.0
        is_open = is_open or counts
    return is_open


@program
def increment(K, S, W, arg):
    """Perform one Newton iteration; WORST, WORST_ROW and GAP are its largest increments.

    Each is a multiple of the magnitude of a coordinate: increments that change velocities and accelerations too, those
    of the multipliers as gaps that they would open between free bodies, and those that close the loops.
    """
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m = I[L.N_V], I[L.N_ROWS]
    s, b_prime, g_prime = tangent_factors(S)
    alpha_m, alpha_f = S[st.ALPHA_M], S[st.ALPHA_F]
    dq = K[st.NEWTON + st.VECTOR]  # right-hand side, then the solution: dq (n) and s dlam (m)
    s_dlam = dq + n
    # Differences need states of their own; the mass is built on the motion that the residual finds anyway.
    apart = K[st.TANGENT] == 2 or K[st.SCHEME] == 1
    if K[st.REBUILD] == 1 and apart:
        call(K[st.AT_BUILD_MATRIX], K, S, W, 0)
        if K[st.STATUS] != st.OK:
            return
    if K[st.SCHEME] == 1 and m > 0:
        call(I[L.AT_SYSTEM], I, F, W, 0)
        acceleration_rows_into(I, W, S, b_prime, s_dlam)
        call(I[L.AT_RESIDUAL], I, F, W, 0)
    else:
        call(I[L.AT_RESIDUAL], I, F, W, 0)
        if K[st.REBUILD] == 1 and not apart:
            call(K[st.AT_BUILD_MATRIX], K, S, W, 1)
            if K[st.STATUS] != st.OK:
                return
        velocity_rows_into(I, W, S, g_prime, s_dlam)
    for i in range(n):
        S[dq + i] = -s * W[I[L.RES] + i]
    call(K[st.AT_SOLVE_MATRIX], K, S, W, 0)
    largest = 0.0
    for i in range(n):
        d = S[dq + i]
        W[I[L.DQ] + i] += d
        W[I[L.V] + i] += g_prime * d
        W[I[L.A] + i] += b_prime * d
        S[K[st.AUX_E] + i] += b_prime * d * (1.0 - alpha_f) / (1.0 - alpha_m)
        size = abs(d) / S[K[st.SCALE] + i]
        if not size <= largest:  # also catches NaN
            largest = size
            K[st.WORST_COORDINATE] = i
            if size != size:
                break
    S[st.WORST_ROW] = 0.0
    for k in range(m):
        W[I[L.LAM] + k] += S[s_dlam + k] / s
        S[st.WORST_ROW] = max(S[st.WORST_ROW], abs(S[s_dlam + k]) * S[K[st.ROW_WEIGHT] + k])
    S[st.GAP] = 0.0
    if K[st.SCHEME] == 0 and I[L.N_POS_ROWS] > 0 and gaps_into(I, W, S, n, g_prime, dq):
        call(K[st.AT_SOLVE_MATRIX], K, S, W, 0)
        for i in range(n):
            W[I[L.DQ] + i] += S[dq + i]
            S[K[st.CLOSURE_E] + i] += S[dq + i]
            S[st.GAP] = max(S[st.GAP], abs(S[dq + i]) / S[K[st.SCALE] + i])
    call(I[L.AT_COMPOSE], I, F, W, 0)
    K[st.ITERATIONS] += 1
    K[st.STEP_ITERATIONS] += 1
    S[st.WORST] = largest


@program
def project_velocities(K, S, W, arg):
    """Project the velocities on G v + Phi_t = 0 in the metric of the current factor, and record the largest |PHI|.

    [ X  G^T ] [ dv ]     [         0        ]
    [ G   0  ] [ mu ]  =  [ -(G v + Phi_t)   ]
    """
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m = I[L.N_V], I[L.N_ROWS]
    dv, rows = K[st.NEWTON + st.VECTOR], I[L.PHI_DOT]
    if m == 0:
        return
    is_sparse = I[L.SPARSE] == 1  # then G costs more than all else, and is seldom needed
    call(I[L.AT_JACOBIAN], I, F, W, 1 if is_sparse else 0)
    for k in range(I[L.N_ALL_POS_ROWS]):
        S[st.LARGEST_PHI] = max(S[st.LARGEST_PHI], abs(W[I[L.PHI_ALL] + k]))
    if K[st.PROJECT] == 0:
        return
    small = 1e-14 * largest_scaled(I, W, S, K, I[L.V]) * S[st.LENGTH]
    for _ in range(5):
        largest = 0.0
        for i in range(n):
            S[dv + i] = 0.0
        for k in range(m):
            largest = max(largest, abs(W[rows + k]))
            S[dv + n + k] = -W[rows + k]
        if largest <= small:
            return
        if is_sparse:
            is_sparse = False
            call(I[L.AT_JACOBIAN], I, F, W, 0)
        call(K[st.AT_SOLVE_MATRIX], K, S, W, 0)
        for i in range(n):
            W[I[L.V] + i] += S[dv + i]
        for k in range(m):  # linear in v: no new Jacobian is needed
            W[rows + k] += row_times(I, W, k, S, dv)


@program
def correct_positions(K, S, W, arg):
    """Position correction of Shi & McPhee's scheme [SM eq. 15] with the matrix of the step."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, m, n_positions = I[L.N_V], I[L.N_ROWS], I[L.N_POS_ROWS]
    dq, size = K[st.NEWTON + st.VECTOR], 0.0
    for _ in range(6):
        call(I[L.AT_JACOBIAN], I, F, W, 0)
        for i in range(n):
            S[dq + i] = 0.0
        for k in range(m):
            S[dq + n + k] = -W[I[L.PHI] + k] if k < n_positions else 0.0
        call(K[st.AT_SOLVE_MATRIX], K, S, W, 0)
        size = 0.0
        for i in range(n):
            W[I[L.DQ] + i] += S[dq + i]
            size = max(size, abs(S[dq + i]) / S[K[st.SCALE] + i])
        call(I[L.AT_COMPOSE], I, F, W, 0)
        if size <= 1e-12:
            break
    K[st.STATUS] = st.OK if size <= ROUND_OFF else st.NO_CONVERGENCE


@kernel
def position_error(I, W, S, K):
    """Error of the positions after all steps of the run, if each had that of this one, as a multiple of the tolerance.

    In one step it is |beta + (alpha_m-alpha_f)/2 - 1/6| h^2 |v'_{n+1} - v'_n|, largest over the coordinates.
    """
    constant = abs(S[st.BETA] + 0.5 * (S[st.ALPHA_M] - S[st.ALPHA_F]) - 1.0 / 6.0) * S[st.H] ** 2
    worst = 0.0
    for i in range(I[L.N_V]):
        size = abs(W[I[L.A] + i] - S[K[st.A_N] + i]) / S[K[st.SCALE] + i]
        if size > worst:
            worst = size
            K[st.WORST_COORDINATE] = i
    return constant * worst * steps_of_run(S) / S[st.TOLERANCE]


@program
def step(K, S, W, arg):
    """Try one step from T_N to T_E; the end state is in W, accepted or not."""
    I = int_pointer(K[st.AT_I])
    call(K[st.AT_PREDICT], K, S, W, 0)
    try_mass_alone(I, K)
    tangent = K[st.TANGENT]
    call(K[st.AT_NEWTON], K, S, W, 0)
    if K[st.STATUS] != st.OK and tangent == 1:  # once more from the start with the full tangent
        if K[st.TANGENT] == 1:
            require_full_tangent(K)
        K[st.HAVE_FACTOR] = 0
        return_to_start(I, W, S, K)
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
    if not total < 1e300:  # e.g. a motion with a finite position and an infinite rate
        K[st.STATUS] = st.NO_CONVERGENCE
        return
    if K[st.CONTROLLED] == 1:
        S[st.ERROR] = position_error(I, W, S, K)


@program
def commit(K, S, W, arg):
    """Make the end of the step the new state; the works by the third-order Adams-Moulton rule.

    w += h (P_n + P_{n+1})/2 - h^3/6 (second divided difference of the power through t_{n-1}, t_n, t_{n+1})
    """
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    n, h, h_before = I[L.N_V], S[st.H], S[st.H_LAST]
    shift_back(S, K[st.A_N], K[st.A_P], n)
    changed, closure = 0.0, 0.0
    for i in range(n):
        S[K[st.AUX] + i] = S[K[st.AUX_E] + i]
        c_n, c = (h / h_before) ** 3 * S[K[st.CLOSURE] + i], S[K[st.CLOSURE_E] + i]
        changed = max(changed, abs(c - c_n) / S[K[st.SCALE] + i])
        closure = max(closure, abs(c) / S[K[st.SCALE] + i])
        S[K[st.CLOSURE] + i] = c
    # Gaps do not show a part of the closure along the motion. What a singular position leaves of it would move every
    # later step beside its velocity: there the closure changes suddenly, and the next steps find theirs from zero.
    S[st.CARRIED] = 1.0 if changed <= STEADY_CLOSURE * closure else 0.0
    shift_back(S, K[st.LAM_N], K[st.LAM_P], I[L.N_ROWS])
    if I[L.N_POWERS] > 0:
        call(I[L.AT_POWERS], I, F, W, 0)
        for k in range(I[L.N_POWERS]):
            before, now, new = S[K[st.POWER_P] + k], S[K[st.POWER_E] + k], W[I[L.POWER] + k]
            work = 0.5 * h * (now + new)
            if K[st.STEPS] > 0:
                work -= ((new - now) / h - (now - before) / h_before) / (h + h_before) * h**3 / 6.0
            W[I[L.WORK] + k] += work
            S[K[st.POWER_P] + k] = now
            S[K[st.POWER_N] + k] = now
            S[K[st.POWER_E] + k] = new
    S[st.H_BEFORE + 1], S[st.H_BEFORE], S[st.H_LAST] = S[st.H_BEFORE], h_before, h
