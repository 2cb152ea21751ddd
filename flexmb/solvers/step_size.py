"""Step-size control: the fixed grid with local sub-steps, and the error-controlled step.

Fixed step: times are t0 + k h without accumulation; a step that fails is halved, quartered, ... and the run returns to
the nominal grid as soon as it can. Error control: the size follows (1/error)^(1/order), and the end time is met exactly
without a very short last step. There is no dead band: its hysteresis treats growing and shrinking errors differently,
which makes the energy of an oscillating system drift, and small changes of the step cost Newton nothing.
Hairer & Wanner, Solving Ordinary Differential Equations II, sec. IV.8.
"""

from __future__ import annotations

from flexmb.layout import solver_state as st
from flexmb.machine_code.jit import kernel

SAFETY, GROW, SHRINK = 0.9, 2.0, 0.2


@kernel
def nominal_time(K, S, index):
    """Time of a point of the fixed grid [s]."""
    if index >= K[st.N_NOMINAL]:
        return S[st.T_END]
    return S[st.T_START] + index * S[st.H_NOMINAL]


@kernel
def steps_of_run(S):
    """Number of steps of the present size in the whole run, over which their errors add up."""
    return (S[st.T_END] - S[st.T_START]) / S[st.H]


@kernel
def plan_step(K, S):
    """Set the size H and the end T_E of the step that starts at T_N."""
    if K[st.CONTROLLED] == 1:
        left = S[st.T_END] - S[st.T_N]
        h = min(S[st.H_NEXT], S[st.H_MAX])
        if h >= left * (1.0 - 1e-9):
            h = left
            S[st.T_E] = S[st.T_END]
        else:
            if 2.0 * h > left:
                h = 0.5 * left
            S[st.T_E] = S[st.T_N] + h
        S[st.H] = h
        return
    index = K[st.STEP_INDEX]
    start, end = nominal_time(K, S, index), nominal_time(K, S, index + 1)
    whole = end - start
    if index + 1 < K[st.N_NOMINAL] or abs(whole - S[st.H_NOMINAL]) <= 1e-9 * S[st.H_NOMINAL]:
        whole = S[st.H_NOMINAL]  # not the difference of two times, which carries their round-off
    part = st.FINEST >> K[st.LEVEL]
    done = K[st.SUB] + part
    S[st.H] = whole * part / st.FINEST
    S[st.T_E] = end if done == st.FINEST else start + whole * done / st.FINEST


@kernel
def accept_step(K, S, order):
    """Move the schedule past a step that is good; `order`: power of h in the error estimate."""
    h = S[st.H]
    K[st.STEPS] += 1
    if K[st.CONTROLLED] == 1:
        factor = min(GROW, max(SHRINK, SAFETY * (1.0 / max(S[st.ERROR], 1e-30)) ** (1.0 / order)))
        # a step shortened by the end of the run or by H_MAX does not change the planned size
        S[st.H_NEXT] = max(S[st.H_NEXT], h * factor) if factor > 1.0 else h * factor
        return
    K[st.SUB] += st.FINEST >> K[st.LEVEL]
    if K[st.SUB] == st.FINEST:
        K[st.SUB] = 0
        K[st.STEP_INDEX] += 1
        if K[st.LEVEL] > 0:
            K[st.LEVEL] -= 1
    elif K[st.LEVEL] > 1 and K[st.SUB] % (st.FINEST >> (K[st.LEVEL] - 1)) == 0:
        K[st.LEVEL] -= 1


@kernel
def reject_step(K, S, order, failed):
    """Choose a smaller step after a failure or too large an error; False when there is none left."""
    K[st.REJECTED] += 1
    if K[st.CONTROLLED] == 1:
        factor = 0.25
        if not failed:
            factor = min(0.9, max(SHRINK, SAFETY * (1.0 / S[st.ERROR]) ** (1.0 / order)))
        S[st.H_NEXT] = S[st.H] * factor
        return S[st.H_NEXT] >= S[st.H_MIN]
    if K[st.LEVEL] >= st.MAX_LEVEL:
        return False
    K[st.LEVEL] += 1
    return True
