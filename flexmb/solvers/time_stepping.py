"""Compiled loop of all integrators: plan a step, try it, accept or reject it, write its rows.

Implicit and explicit methods differ in what a step calls; a state with stages (K[STAGES] > 0) is that of an explicit
one. The loop returns to Python when a block is done, the run ends or a step fails, and when the dependent velocities of
an explicit method should be chosen again: J has grown, or a step failed with the current choice. Where constraint rows
repeat others, it also returns when the combinations of rows that the solvers see should be examined: the mechanism has
moved, a step failed, or rows that they leave out have opened.
"""

from __future__ import annotations

from flexmb.equations.shared_rows import has_moved, is_open
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.machine_code.jit import Program, call, program
from flexmb.solvers import (
    embedding,
    fronts,
    generalized_alpha,
    interpolant,
    linear_algebra,
    newton_iteration,
    newton_matrix,
    runge_kutta,
    small_inverse,
    sparse_embedding,
    sparse_newton,
)
from flexmb.solvers.pointers import float_pointer, int_pointer
from flexmb.solvers.settings import EXPLICIT
from flexmb.solvers.state_copy import return_to_start
from flexmb.solvers.step_size import accept_step, plan_step, reject_step


@program
def advance(K, S, W, arg):
    """Step until the block of rows is full, the step budget is spent, the run ends, a step fails or J has grown."""
    I = int_pointer(K[st.AT_I])
    is_explicit = K[st.STAGES] > 0
    order = runge_kutta.ERROR_ORDER if is_explicit else generalized_alpha.ERROR_ORDER
    K[st.ROWS] = 0
    while True:
        call(K[st.AT_WRITE_PENDING], K, S, W, 0)
        if K[st.STATUS] == st.MORE:
            return
        if S[st.T_N] >= S[st.T_END]:
            K[st.STATUS] = st.DONE
            return
        if I[L.N_BASIS] > 0 and has_moved(I, W):
            K[st.STATUS] = st.COMBINE_AGAIN
            return
        if is_explicit and I[L.N_ROWS] > 0 and S[st.J_MAX] > S[st.J_LIMIT]:
            K[st.STATUS] = st.CHOOSE_AGAIN
            return
        if K[st.STEP_BUDGET] <= 0 or K[st.ROWS] >= K[st.ROW_BUDGET]:
            K[st.STATUS] = st.MORE
            return
        K[st.STEP_BUDGET] -= 1
        plan_step(K, S)
        call(K[st.AT_STEP], K, S, W, 0)
        if K[st.STATUS] == st.OK and I[L.N_BASIS] > 0:
            if I[L.N_ROWS] == 0:
                call(I[L.AT_JACOBIAN], I, float_pointer(K[st.AT_F]), W, 0)
                for k in range(I[L.N_ALL_POS_ROWS]):
                    S[st.LARGEST_PHI] = max(S[st.LARGEST_PHI], abs(W[I[L.PHI_ALL] + k]))
            if is_open(I, float_pointer(K[st.AT_F]), W):
                K[st.STATUS] = st.OPENED
        if K[st.STATUS] == st.OK and I[L.AT_SHARE_PATTERN] > 0:
            limit = float_pointer(K[st.AT_F])[I[L.OPEN]]
            for k in range(I[L.N_POS_ROWS]):
                if not abs(W[I[L.PHI] + k]) <= limit:
                    K[st.STATUS] = st.OPENED
        failed = K[st.STATUS] != st.OK
        if failed and K[st.TRIED] == 0 and I[L.SPARSE] == 1:  # once more with rows that are chosen here
            return_to_start(I, W, S, K)
            K[st.TRIED] = 1
            K[st.HAVE_FACTOR] = 0
            continue
        if failed and K[st.TRIED] == 0 and (I[L.N_SHARED] > 0 or (is_explicit and I[L.N_ROWS] > 0)):
            return_to_start(I, W, S, K)
            K[st.TRIED] = 1
            K[st.STATUS] = st.COMBINE_AGAIN if I[L.N_SHARED] > 0 else st.CHOOSE_AGAIN
            return
        if failed or (K[st.CONTROLLED] == 1 and not S[st.ERROR] <= 1.0):
            if failed:
                K[st.HAVE_FACTOR] = 0
            if not reject_step(K, S, order, failed):
                if not failed:
                    K[st.STATUS] = st.NO_STEP
                return
            return_to_start(I, W, S, K)
            continue
        call(K[st.AT_COMMIT], K, S, W, 0)
        accept_step(K, S, order)
        K[st.TRIED] = 0
        K[st.PENDING] = 1


_ALL = {
    st.AT_FACTOR: linear_algebra.factor,
    st.AT_SOLVE: linear_algebra.solve,
    st.AT_INTERPOLATE: interpolant.interpolate,
    st.AT_WRITE_ROW: interpolant.write_row,
    st.AT_WRITE_PENDING: interpolant.write_pending,
}
_IMPLICIT = {
    st.AT_DIFFERENCES: newton_matrix.difference_columns,
    st.AT_MASS: newton_matrix.mass_columns,
    st.AT_BALANCE: newton_matrix.balance_matrix,
    st.AT_BUILD_MATRIX: newton_matrix.build_matrix,
    st.AT_SOLVE_MATRIX: newton_matrix.solve_matrix,
    st.AT_PREDICT: generalized_alpha.predict,
    st.AT_INCREMENT: generalized_alpha.increment,
    st.AT_NEWTON: newton_iteration.newton,
    st.AT_CORRECT: generalized_alpha.correct_positions,
    st.AT_PROJECT: generalized_alpha.project_velocities,
    st.AT_STEP: generalized_alpha.step,
    st.AT_COMMIT: generalized_alpha.commit,
}
_SMALL = {st.AT_FACTOR: small_inverse.invert, st.AT_SOLVE: small_inverse.multiply}
_EXPLICIT = {
    st.AT_SOLVE_TRANSPOSED: linear_algebra.solve_transposed,
    st.AT_CLOSE: embedding.close,
    st.AT_EMBED: embedding.embed,
    st.AT_REDUCE: embedding.reduced_accelerations,
    st.AT_EVALUATE: runge_kutta.evaluate,
    st.AT_STEP: runge_kutta.step,
    st.AT_COMMIT: runge_kutta.commit,
}


_SPARSE = {
    st.AT_FACTOR: sparse_newton.sparse_factor,
    st.AT_SOLVE: sparse_newton.sparse_solve,
    st.AT_FACTOR_FRONTS: fronts.factor_fronts,
    st.AT_SOLVE_FRONTS: fronts.solve_fronts,
    st.AT_DIFFERENCES: sparse_newton.sparse_difference_columns,
    st.AT_MASS: sparse_newton.sparse_mass_columns,
    st.AT_BALANCE: sparse_newton.sparse_balance_matrix,
}


_SPARSE_EXPLICIT = {
    st.AT_BUILD_MATRIX: newton_matrix.build_matrix,
    st.AT_SOLVE_MATRIX: newton_matrix.solve_matrix,
    st.AT_CLOSE: sparse_embedding.close,
    st.AT_EMBED: sparse_embedding.embed,
    st.AT_REDUCE: sparse_embedding.saddle_accelerations,
}


def stepping_programs(method: str, unknowns: int = 0, *, sparse: bool = False) -> dict[int, Program]:
    """Programs of a method by their slot in K; the number of `unknowns` of an implicit step, or `sparse` storage of
    the system, decide how its matrix is solved."""
    if method in EXPLICIT:
        return _ALL | _EXPLICIT | (_SPARSE | _SPARSE_EXPLICIT if sparse else {})
    if sparse:
        return _ALL | _IMPLICIT | _SPARSE
    return _ALL | _IMPLICIT | (_SMALL if unknowns <= small_inverse.LARGEST else {})
