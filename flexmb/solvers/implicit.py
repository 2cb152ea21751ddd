"""The compiled loop of the implicit methods: plan, step, accept or reject, write rows."""

from __future__ import annotations

from typing import Any

from flexmb.jit import call, program
from flexmb.layout import solver_state as st
from flexmb.solvers import generalized_alpha, interpolant, linear_algebra, newton_matrix
from flexmb.solvers.interpolant import restore
from flexmb.solvers.pointers import int_pointer
from flexmb.solvers.schedule import accept_step, plan_step, reject_step

ERROR_ORDER = 3.0  # the local error of the positions goes with h^3


@program
def advance(K, S, W, arg):
    """Step until the block of rows is full, the step budget is spent, the run ends or a step fails; the status in K."""
    I = int_pointer(K[st.AT_I])
    K[st.ROWS] = 0
    while True:
        call(K[st.AT_WRITE_PENDING], K, S, W, 0)
        if K[st.STATUS] == st.MORE:
            return
        if S[st.T_N] >= S[st.T_END]:
            K[st.STATUS] = st.DONE
            return
        if K[st.STEP_BUDGET] <= 0 or K[st.ROWS] >= K[st.ROW_BUDGET]:
            K[st.STATUS] = st.MORE
            return
        K[st.STEP_BUDGET] -= 1
        plan_step(K, S)
        call(K[st.AT_STEP], K, S, W, 0)
        failed = K[st.STATUS] != st.OK
        if failed or (K[st.CONTROLLED] == 1 and not S[st.ERROR] <= 1.0):
            if failed:
                K[st.HAVE_FACTOR] = 0
            if not reject_step(K, S, ERROR_ORDER, failed):
                if not failed:
                    K[st.STATUS] = st.NO_STEP
                return
            restore(I, W, S, K)
            continue
        call(K[st.AT_COMMIT], K, S, W, 0)
        accept_step(K, S, ERROR_ORDER)
        K[st.PENDING] = 1


PROGRAMS = {
    st.AT_FACTOR: linear_algebra.factor,
    st.AT_SOLVE: linear_algebra.solve,
    st.AT_DIFFERENCES: newton_matrix.difference_columns,
    st.AT_MASS: newton_matrix.mass_columns,
    st.AT_BALANCE: newton_matrix.balance_matrix,
    st.AT_BUILD_MATRIX: newton_matrix.build_matrix,
    st.AT_SOLVE_MATRIX: newton_matrix.solve_matrix,
    st.AT_PREDICT: generalized_alpha.predict,
    st.AT_INCREMENT: generalized_alpha.increment,
    st.AT_NEWTON: generalized_alpha.newton,
    st.AT_CORRECT: generalized_alpha.correct_positions,
    st.AT_PROJECT: generalized_alpha.project_velocities,
    st.AT_STEP: generalized_alpha.step,
    st.AT_COMMIT: generalized_alpha.commit,
    st.AT_INTERPOLATE: interpolant.interpolate,
    st.AT_WRITE_ROW: interpolant.write_row,
    st.AT_WRITE_PENDING: interpolant.write_pending,
}


def set_addresses(K: Any) -> None:
    """Write the addresses of the programs of the implicit methods; compiles what is not compiled yet."""
    for slot, item in PROGRAMS.items():
        K[slot] = item.address
