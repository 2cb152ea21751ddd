"""The compiled loop of the explicit methods: plan, step, accept or reject, write rows.

It returns to Python when other independent velocities are wanted.
"""

from __future__ import annotations

from typing import Any

from flexmb.jit import call, program
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.solvers import embedding, interpolant, linear_algebra, runge_kutta
from flexmb.solvers.interpolant import restore
from flexmb.solvers.pointers import int_pointer
from flexmb.solvers.schedule import accept_step, plan_step, reject_step


@program
def advance(K, S, W, arg):
    """Step until the block of rows is full, the step budget is spent, the run ends, a step fails or J has grown."""
    I = int_pointer(K[st.AT_I])
    K[st.ROWS] = 0
    while True:
        call(K[st.AT_WRITE_PENDING], K, S, W, 0)
        if K[st.STATUS] == st.MORE:
            return
        if S[st.T_N] >= S[st.T_END]:
            K[st.STATUS] = st.DONE
            return
        if I[L.N_ROWS] > 0 and S[st.J_MAX] > S[st.J_LIMIT]:
            K[st.STATUS] = st.CHOOSE_AGAIN
            return
        if K[st.STEP_BUDGET] <= 0 or K[st.ROWS] >= K[st.ROW_BUDGET]:
            K[st.STATUS] = st.MORE
            return
        K[st.STEP_BUDGET] -= 1
        plan_step(K, S)
        call(K[st.AT_STEP], K, S, W, 0)
        failed = K[st.STATUS] != st.OK
        if failed and I[L.N_ROWS] > 0 and K[st.TRIED] == 0:
            restore(I, W, S, K)
            K[st.TRIED] = 1
            K[st.STATUS] = st.CHOOSE_AGAIN
            return
        if failed or (K[st.CONTROLLED] == 1 and not S[st.ERROR] <= 1.0):
            if not reject_step(K, S, runge_kutta.ERROR_ORDER, failed):
                if not failed:
                    K[st.STATUS] = st.NO_STEP
                return
            restore(I, W, S, K)
            continue
        call(K[st.AT_COMMIT], K, S, W, 0)
        accept_step(K, S, runge_kutta.ERROR_ORDER)
        K[st.TRIED] = 0
        K[st.PENDING] = 1


PROGRAMS = {
    st.AT_FACTOR: linear_algebra.factor,
    st.AT_SOLVE: linear_algebra.solve,
    st.AT_SOLVE_TRANSPOSED: linear_algebra.solve_transposed,
    st.AT_CLOSE: embedding.close,
    st.AT_EMBED: embedding.embed,
    st.AT_REDUCE: embedding.reduced_accelerations,
    st.AT_EVALUATE: runge_kutta.evaluate,
    st.AT_STEP: runge_kutta.step,
    st.AT_COMMIT: runge_kutta.commit,
    st.AT_INTERPOLATE: interpolant.interpolate,
    st.AT_WRITE_ROW: interpolant.write_row,
    st.AT_WRITE_PENDING: interpolant.write_pending,
}


def set_addresses(K: Any) -> None:
    """Write the addresses of the programs of the explicit methods; compiles what is not compiled yet."""
    for slot, item in PROGRAMS.items():
        K[slot] = item.address
