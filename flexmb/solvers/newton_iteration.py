"""Newton's iteration of an implicit step: when it has converged, and when a new or a better matrix is worth its cost.

With d_k the largest increment of iteration k, in units of the error that may be left (`accepted_errors`), and
theta = d_k/d_{k-1} its contraction, the error left is d_k theta/(1 - theta). A factor is used for many steps; it is
replaced when its additional iterations have cost as much as a new factor, or theta is poor.
Hairer & Wanner, Solving Ordinary Differential Equations II, sec. IV.8.
"""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.machine_code.jit import call, kernel, program
from flexmb.solvers.pointers import int_pointer

MAX_ITERATIONS = 12
MAX_SINCE = 200  # steps with one factor
WORTH, WORTH_FULL = 5, 20  # a sparse factorisation in units of iterations: from the mass, by differences
SLOW = 0.25  # contraction that requires a better matrix
# Error of the positions that Newton may leave, as a part of beta h^2 times the largest acceleration: an error e of the
# positions is one of e/(beta h^2) of accelerations and multipliers, and constraints amplify it from step to step.
NEWTON_TOLERANCE = 1e-8
SHARE = 1e4  # times the tolerance: the same as a part of the error of the straight line, which is that of the method
SMALLEST = 1e-30  # increments below this are none
EPS = 2.0**-53  # round-off of a coordinate as a part of its magnitude
STALLED = 0.5  # contraction that shows round-off, where increments are near it
NEAR = 16.0 * EPS  # increments that may be round-off, as a part of the coordinates
FAR = 1e3  # multiple of the accepted error from which growth is divergence, and not a small first increment
ROUND_OFF = 1e-10  # where convergence stalls below this, round-off of a stiff system is the reason
HIGHEST_FLOOR = 1e-13
FORGOTTEN = 0.9  # part of the round-off seen in the closure that is left after a step
PATIENCE = 8  # growth of the number of full tangents before the mass alone is tried again


@kernel
def largest_scaled(I, W, S, K, start):
    """Largest of the velocities or accelerations at W[start..], each divided by the magnitude of its coordinate."""
    largest = 0.0
    for i in range(I[L.N_V]):
        largest = max(largest, abs(W[start + i]) / S[K[st.SCALE] + i])
    return largest


@kernel
def require_full_tangent(K):
    """Take the matrix by differences, for longer each time that the mass alone has not done."""
    K[st.TANGENT] = 2
    K[st.FULL_LEFT] = K[st.FULL_SPAN]
    K[st.FULL_SPAN] = min(PATIENCE * K[st.FULL_SPAN], 1000000)


@kernel
def needs_factor(I, K):
    """Whether the step begins with a new factor: there is none, or iterations beyond its own have cost as much."""
    if K[st.BUILT] > 0:  # sparse: of the order of an iteration, whatever the size
        worth = WORTH if K[st.TANGENT] == 1 else WORTH_FULL
        return K[st.HAVE_FACTOR] == 0 or K[st.SINCE] >= MAX_SINCE or K[st.EXCESS] >= worth
    n = I[L.N_V] + I[L.N_ROWS]
    worth = 2 + n // 25 if K[st.TANGENT] == 1 else 2 + n  # a factorisation in units of iterations
    return K[st.HAVE_FACTOR] == 0 or K[st.SINCE] >= MAX_SINCE or K[st.EXCESS] >= worth


@kernel
def try_mass_alone(I, K):
    """Go back to the matrix of mass and stiffness when a full one has served long enough."""
    if K[st.TANGENT] == 2 and K[st.FULL_LEFT] <= 0 and needs_factor(I, K):
        K[st.TANGENT] = 1
        K[st.HAVE_FACTOR] = 0


@kernel
def accepted_errors(I, W, S, K):
    """Errors that Newton may leave: of the increments, of the multipliers as displacements, and of the closure; scaled.

    The increments are rounded relative to themselves. The closure is as exact as the coordinates that it is computed
    from; its error stays in the positions.
    """
    tolerance, s, force, place = S[st.NEWTON_TOLERANCE], S[st.BETA] * S[st.H] * S[st.H], 0.0, 1.0
    wanted = tolerance * min(SHARE * S[st.CURVE], s * largest_scaled(I, W, S, K, I[L.A]))
    of_increments = max(wanted, EPS * S[st.NEAR], 2.0 * S[st.FLOOR], SMALLEST)
    for k in range(I[L.N_ROWS]):
        force = max(force, s * abs(W[I[L.LAM] + k]) * S[K[st.ROW_WEIGHT] + k])
    for i in range(I[L.N_Q]):
        place = max(place, abs(W[I[L.Q] + i]) / S[K[st.SCALE_Q] + i])
    near = max(of_increments, NEAR * place, 2.0 * S[st.GAP_FLOOR])
    return of_increments, max(of_increments, tolerance * force), near


@program
def newton(K, S, W, arg):
    """Iterate to the end of the step. The matrix is rebuilt, then completed, when convergence is slow."""
    I = int_pointer(K[st.AT_I])
    # Contraction of the increments; the matrix changes with the distance moved since it was built.
    theta = min(0.5, max(2.0 * S[st.CONTRACTION], S[st.MOVED]))
    S[st.FLOOR] *= 0.5
    S[st.GAP_FLOOR] *= FORGOTTEN
    limit, row_limit, near = accepted_errors(I, W, S, K)
    last, last_gap, whole, age, started_with, slow = 0.0, 0.0, 0.0, 100, K[st.TANGENT], 0
    rebuild = needs_factor(I, K)
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
        whole = max(S[st.WORST], S[st.GAP])
        if not (S[st.WORST] < 1e4 and whole < 1e4):
            return
        size = max(S[st.WORST] / limit, S[st.WORST_ROW] / row_limit, S[st.GAP] / near)
        first = K[st.STEP_ITERATIONS] == 1
        if not first:
            theta = size / last if last > 0.0 else 0.0
            grows = theta > 2.0 and whole > max(FAR * limit, ROUND_OFF)
            if grows and K[st.TANGENT] == 1 and age <= K[st.STEP_ITERATIONS]:
                return  # even with the mass of this step; that of an earlier one is first replaced
            S[st.CONTRACTION] = min(0.5, max(theta, 1e-4))
            if theta < 0.5:  # the first increments may contract faster than the others
                theta = max(theta, min(0.5, S[st.MOVED]))
        if size <= 1.0 or (theta < 1.0 and size * theta / (1.0 - theta) <= 1.0):
            K[st.STATUS] = st.OK
            return
        if not first and theta > STALLED and whole <= near:
            S[st.FLOOR] = S[st.WORST]
            K[st.STATUS] = st.OK
            return
        # A long mechanism closes as exactly as places far from its origin are known, not as its angles are.
        if not first and max(S[st.WORST] / limit, S[st.WORST_ROW] / row_limit) <= 1.0:
            if S[st.GAP] > STALLED * last_gap and S[st.GAP] <= ROUND_OFF:
                S[st.GAP_FLOOR] = S[st.GAP]
                K[st.STATUS] = st.OK
                return
        last_gap = S[st.GAP]
        if not first and theta > SLOW:
            slow += 1  # once may be chance: a first increment that happens to be small
            if age > K[st.STEP_ITERATIONS]:
                # a sparse matrix is not worth it when the iterations that it costs will do, or for one slow contraction
                is_worth = size * theta**WORTH > 1.0 - theta and (slow > 1 or theta > 1.0)
                rebuild = K[st.BUILT] == 0 or is_worth
            elif K[st.TANGENT] == 1:
                if slow > 1:
                    require_full_tangent(K)
                    rebuild = True
            elif theta > 0.7 and whole <= ROUND_OFF:  # neither matrix does better
                S[st.FLOOR] = min(S[st.WORST], HIGHEST_FLOOR)
                K[st.TANGENT] = started_with
                K[st.HAVE_FACTOR] = 0  # the next step builds its own matrix
                K[st.STATUS] = st.OK
                return
            else:
                rebuild = age > 1
        last = size
    if whole <= ROUND_OFF:
        S[st.FLOOR] = min(S[st.WORST], HIGHEST_FLOOR)
        K[st.STATUS] = st.OK
