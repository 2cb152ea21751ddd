"""Copies of the state of a system between its workspace W and the blocks of a solver in S.

A solver keeps a state as blocks whose offsets are consecutive in K: coordinates q, velocities v, accelerations a and
multipliers lam, and then the works where it integrates them. `slot` is the first of these places in K.
"""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.machine_code.jit import kernel


@kernel
def copy_block(source, start, target, place, count):
    """Copy `count` numbers from source[start..] to target[place..]."""
    for i in range(count):
        target[place + i] = source[start + i]


@kernel
def store_motion(I, W, S, K, slot):
    """Copy q, v, a and lam from W to the blocks of S."""
    copy_block(W, I[L.Q], S, K[slot], I[L.N_Q])
    copy_block(W, I[L.V], S, K[slot + 1], I[L.N_V])
    copy_block(W, I[L.A], S, K[slot + 2], I[L.N_V])
    copy_block(W, I[L.LAM], S, K[slot + 3], I[L.N_ROWS])


@kernel
def load_motion(I, W, S, K, slot):
    """Copy q, v, a and lam from the blocks of S to W."""
    copy_block(S, K[slot], W, I[L.Q], I[L.N_Q])
    copy_block(S, K[slot + 1], W, I[L.V], I[L.N_V])
    copy_block(S, K[slot + 2], W, I[L.A], I[L.N_V])
    copy_block(S, K[slot + 3], W, I[L.LAM], I[L.N_ROWS])


@kernel
def store_state(I, W, S, K, slot):
    """Copy q, v, a, lam and the works from W to the blocks of S."""
    store_motion(I, W, S, K, slot)
    copy_block(W, I[L.WORK], S, K[slot + 4], I[L.N_POWERS])


@kernel
def load_state(I, W, S, K, slot):
    """Copy q, v, a, lam and the works from the blocks of S to W."""
    load_motion(I, W, S, K, slot)
    copy_block(S, K[slot + 4], W, I[L.WORK], I[L.N_POWERS])


@kernel
def return_to_start(I, W, S, K):
    """Go back to the start of the step."""
    W[I[L.T]] = S[st.T_N]
    load_state(I, W, S, K, st.Q_N)


@kernel
def return_to_end(I, W, S, K):
    """Restore the state at the end of the step."""
    W[I[L.T]] = S[st.T_E]
    load_state(I, W, S, K, st.Q_E)
