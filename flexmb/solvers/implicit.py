"""The compiled loop of the implicit methods: plan, step, accept or reject, write rows."""

from __future__ import annotations

from flexmb.equations import layout as at
from flexmb.jit import call, kernel
from flexmb.solvers import state as st
from flexmb.solvers.generalized_alpha import commit, restore, step
from flexmb.solvers.interpolant import NEVER, interpolate, next_output, return_to_end, write_row
from flexmb.solvers.schedule import accept_step, plan_step, reject_step

ERROR_ORDER = 3.0  # the local error of the positions goes with h^3


@kernel
def write_rows(I, F, W, S, K, rows):  # type: ignore[no-untyped-def]
    """Rows of the step just done; False when the block is full before the last of them."""
    while True:
        time = next_output(K, S)
        if time == NEVER:
            break
        if K[st.ROWS] >= rows.shape[0]:
            return False
        if time == S[st.T_E]:
            write_row(I, F, W, S, K, rows, time)
        else:
            interpolate(I, F, W, S, K, time)
            write_row(I, F, W, S, K, rows, time)
            return_to_end(I, W, S, K)
    call(I[at.AT_ACCEPT], I, F, W, 0)
    K[st.PENDING] = 0
    S[st.T_N] = S[st.T_E]
    return True


@kernel
def advance_implicit(I, F, W, S, K, rows):  # type: ignore[no-untyped-def]
    """Step until the block of rows is full, the step budget is spent, the run ends or a step fails; the status."""
    K[st.ROWS] = 0
    while True:
        if K[st.PENDING] > 0 and not write_rows(I, F, W, S, K, rows):
            return st.MORE
        if S[st.T_N] >= S[st.T_END]:
            return st.DONE
        if K[st.STEP_BUDGET] <= 0 or K[st.ROWS] >= rows.shape[0]:
            return st.MORE
        K[st.STEP_BUDGET] -= 1
        plan_step(K, S)
        status = step(I, F, W, S, K)
        failed = status != st.OK
        if failed or (K[st.CONTROLLED] == 1 and not S[st.ERROR] <= 1.0):
            if failed:
                K[st.HAVE_FACTOR] = 0
            if not reject_step(K, S, ERROR_ORDER, failed):
                return status if failed else st.NO_STEP
            restore(I, W, S, K)
            continue
        commit(I, F, W, S, K)
        accept_step(K, S, ERROR_ORDER)
        K[st.PENDING] = 1
