"""Extrapolation of accelerations and multipliers to the end of a step: the first iterate of Newton's method.

The polynomial through the values at the last two, three or four times is evaluated at the end of the step. P1, P2 and
P3 of degree 1, 2 and 3 are compared: the degree rises as long as the differences |P2 - P1|, |P3 - P2| fall, so that a
smooth motion is met closely and one with jumps or noise is not overshot. |P2 - P1| is the error of the straight line,
h^2 times the second derivative of the acceleration, like the error of the method itself.
"""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.machine_code.jit import kernel

SMOOTH = 0.5  # ratio of differences below which a higher degree is better


@kernel
def weights(S, degree):
    """Weights of the values at t_n, t_{n-1}, t_{n-2}, t_{n-3} in the polynomial at t_n + H."""
    h = S[st.H]
    t1 = S[st.H_LAST]
    t2 = t1 + S[st.H_BEFORE]
    t3 = t2 + S[st.H_BEFORE + 1]
    if degree == 1:
        return 1.0 + h / t1, -h / t1, 0.0, 0.0
    if degree == 2:
        w1, w2 = -h * (h + t2) / (t1 * (t2 - t1)), h * (h + t1) / (t2 * (t2 - t1))
        return 1.0 - w1 - w2, w1, w2, 0.0
    w1 = -h * (h + t2) * (h + t3) / (t1 * (t2 - t1) * (t3 - t1))
    w2 = h * (h + t1) * (h + t3) / (t2 * (t2 - t1) * (t3 - t2))
    w3 = -h * (h + t1) * (h + t2) / (t3 * (t3 - t1) * (t3 - t2))
    return 1.0 - w1 - w2 - w3, w1, w2, w3


@kernel
def at_end(S, now, before, i, count, w):
    """Value of entry i of `count` at the end of the step, from S[now..] and three blocks at S[before..]."""
    value = w[0] * S[now + i] + w[1] * S[before + i]
    if w[2] != 0.0:
        value += w[2] * S[before + count + i] + w[3] * S[before + 2 * count + i]
    return value


@kernel
def choose_weights(I, S, K):
    """Weights of the best degree; CURVE is set to the error of the straight line, as a displacement."""
    w1, w2, w3 = weights(S, 1), weights(S, 2), weights(S, 3)
    n, now, before = I[L.N_V], K[st.A_N], K[st.A_P]
    first, second, third = 0.0, 0.0, 0.0
    for i in range(n):
        p1 = at_end(S, now, before, i, n, w1)
        p2 = at_end(S, now, before, i, n, w2)
        p3 = at_end(S, now, before, i, n, w3)
        first = max(first, abs(p1 - S[now + i]) / S[K[st.SCALE] + i])
        second = max(second, abs(p2 - p1) / S[K[st.SCALE] + i])
        third = max(third, abs(p3 - p2) / S[K[st.SCALE] + i])
    S[st.CURVE] = S[st.BETA] * S[st.H] * S[st.H] * second
    if third < SMOOTH * second:
        return w3
    return w2 if second < SMOOTH * first else w1


@kernel
def shift_back(S, now, before, count):
    """Move the three blocks at S[before..] one step back and put S[now..] in front of them."""
    for i in range(count):
        S[before + 2 * count + i] = S[before + count + i]
        S[before + count + i] = S[before + i]
        S[before + i] = S[now + i]
