"""Newton's iteration of an implicit step: when it has converged, and when a new or a better matrix is worth its cost.

With d_k the largest increment of iteration k, in units of the coordinates, and theta = d_k/d_{k-1} its contraction, the
remaining error is d_k theta/(1 - theta). The first increment d_1 is the error of the predictor. A factor is used for
many steps; it is replaced when its additional iterations have cost as much as a new factor, or theta is poor.
Hairer & Wanner, Solving Ordinary Differential Equations II, sec. IV.8.
"""

from __future__ import annotations

from flexmb.jit import call, kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.solvers.pointers import int_pointer

MAX_ITERATIONS = 12
MAX_SINCE = 200  # steps with one factor
SLOW = 0.25  # contraction that requires a better matrix
FAR = 1e3  # multiple of the accepted error from which growth is divergence, and not a small first increment
# Accepted error as a share of the first increment. An error e of the positions is one of e/(beta h^2) of accelerations
# and multipliers, which the predictor feeds back: it is also held below a share of the largest acceleration.
# Constraints amplify such noise from step to step, an open tree does not.
SHARE, NOISE = 2e-4, 1e-6
SHARE_TREE, NOISE_TREE = 1e-3, 1e-5
TIGHTEST = 1e-14  # least accepted error, as a part of a coordinate's magnitude
ROUND_OFF = 1e-10  # where convergence stalls below this, round-off of a stiff system is the reason
HIGHEST_FLOOR = 1e-13


@kernel
def largest_scaled(I, W, S, K, start):
    """Largest of the velocities or accelerations at W[start..], each divided by the magnitude of its coordinate."""
    largest = 0.0
    for i in range(I[L.N_V]):
        largest = max(largest, abs(W[start + i]) / S[K[st.SCALE] + i])
    return largest


@program
def newton(K, S, W, arg):
    """Iterate to the end of the step. The matrix is rebuilt, then completed, when convergence is slow.

    The first increment is the error of the predictor, h^2 times the second derivative of the acceleration like the
    error of the method itself; Newton stops when the remaining error is a small share of it, or round-off.
    """
    I = int_pointer(K[st.AT_I])
    # Contraction of the increments; the matrix changes with the distance moved since it was built.
    theta = min(0.5, max(2.0 * S[st.CONTRACTION], S[st.MOVED]))
    S[st.FLOOR] *= 0.5
    least = max(TIGHTEST, 2.0 * S[st.FLOOR])
    limit, last, age, started_with, slow = 0.0, 0.0, 100, K[st.TANGENT], 0
    largest = largest_scaled(I, W, S, K, I[L.A])
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
