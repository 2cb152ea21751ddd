"""States and accelerations of the explicit methods in sparse storage, by the equations with multipliers (theory 11).

With the mass matrix M and the rows G of a stage, factorised once,

    [ M  G^T ] [ dq, dv or da ]   [ 0,  0,          -(M a + BIAS + G^T lam) ]
    [ G   0  ] [  .,  .,  dlam ] = [ -PHI, -(G v + Phi_t), -(G a + GAM)     ]

closes positions and velocities by the least change in the metric of the masses, and gives accelerations and multipliers
by corrections of those before. Every stage is on the constraints before it is evaluated: the field that the method sees
is a smooth one, and its order is kept. Multipliers of rows that repeat others stay as they are.
"""

from __future__ import annotations

from flexmb.equations.constraints import row_times
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.layout import sparse_pattern as sp
from flexmb.machine_code.jit import call, kernel, program
from flexmb.solvers.pointers import float_pointer, int_pointer

CLOSED = 1e-15  # largest correction of a coordinate that is round-off, scaled
STALLED = 1e-11  # the same where corrections no longer shrink
SLOW = 0.1  # corrections that shrink less get a new factor
MOST = 30  # corrections of a position, or of accelerations that inertia was added for
REFINED = 6  # corrections of velocities


@kernel
def position_step(I, F, W, S, K):
    """Move by the correction of the gaps; returns its largest part, scaled."""
    n, x, largest = I[L.N_V], K[st.NEWTON + st.VECTOR], 0.0
    for i in range(n):
        S[x + i] = 0.0
    for k in range(I[L.N_ROWS]):
        S[x + n + k] = -W[I[L.PHI] + k] if k < I[L.N_POS_ROWS] else 0.0
    call(K[st.AT_SOLVE_MATRIX], K, S, W, 0)
    for i in range(I[L.N_Q]):
        W[I[L.QN] + i] = W[I[L.Q] + i]
    for i in range(n):
        W[I[L.DQ] + i] = S[x + i]
        size = abs(S[x + i]) / S[K[st.SCALE] + i]
        largest = size if not size <= largest else largest  # also catches NaN
    call(I[L.AT_COMPOSE], I, F, W, 0)
    call(I[L.AT_JACOBIAN], I, F, W, 0)
    return largest


@kernel
def close_velocities(I, F, W, S, K):
    """Velocities of least change that keep the rows."""
    n, m, x, last = I[L.N_V], I[L.N_ROWS], K[st.NEWTON + st.VECTOR], 1e300
    for _ in range(REFINED):
        largest, fastest = 0.0, 0.0
        for i in range(n):
            S[x + i] = 0.0
        for k in range(m):
            S[x + n + k] = -W[I[L.PHI_DOT] + k]
        call(K[st.AT_SOLVE_MATRIX], K, S, W, 0)
        for i in range(n):
            W[I[L.V] + i] += S[x + i]
            largest = max(largest, abs(S[x + i]) / S[K[st.SCALE] + i])
            fastest = max(fastest, abs(W[I[L.V] + i]) / S[K[st.SCALE] + i])
        for k in range(m):  # linear in v: no new Jacobian is needed
            W[I[L.PHI_DOT] + k] += row_times(I, W, k, S, x)
        if largest <= CLOSED * fastest or largest >= 0.5 * last:
            return
        last = largest


@program
def close(K, S, W, arg):
    """Bring positions and velocities of the state in W to the rows."""
    I, F = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F])
    call(I[L.AT_JACOBIAN], I, F, W, 0)
    call(K[st.AT_BUILD_MATRIX], K, S, W, 1)  # no forces are needed
    if K[st.STATUS] != st.OK or I[L.N_ROWS] == 0:
        return
    last = 1e300
    for _ in range(MOST):
        size = position_step(I, F, W, S, K)
        if not size < 1e4:
            K[st.STATUS] = st.NOT_CLOSED
            return
        if size <= CLOSED or (size >= 0.5 * last and size < STALLED):
            close_velocities(I, F, W, S, K)
            return
        if size > SLOW * last:
            call(K[st.AT_BUILD_MATRIX], K, S, W, 1)
            if K[st.STATUS] != st.OK:
                return
        last = size
    K[st.STATUS] = st.NOT_CLOSED


@kernel
def unbalanced_into(I, P, W, S, x):
    """S[x..] = -(M a + BIAS + G^T lam), then -(G a + GAM)."""
    n = I[L.N_V]
    for i in range(n):
        S[x + i] = -W[I[L.BIAS] + i]
    for e in range(P[sp.SP_N_S]):
        i, j, value = P[P[sp.SP_S_ROW] + e], P[P[sp.SP_S_COLUMN] + e], W[I[L.M] + e]
        S[x + i] -= value * W[I[L.A] + j]
        if P[P[sp.SP_S_SECOND] + e] >= 0:
            S[x + j] -= value * W[I[L.A] + i]
    for k in range(I[L.N_ROWS]):
        for e in range(I[I[L.G_STARTS] + k], I[I[L.G_STARTS] + k + 1]):
            S[x + I[I[L.G_COLUMNS] + e]] -= W[I[L.G] + e] * W[I[L.LAM] + k]
        S[x + n + k] = -W[I[L.GAM] + k] - row_times(I, W, k, W, I[L.A])


@program
def embed(K, S, W, arg):
    """Nothing: the equations with multipliers need no independent velocities."""


@program
def saddle_accelerations(K, S, W, arg):
    """Accelerations and multipliers of the closed state."""
    I, F, P = int_pointer(K[st.AT_I]), float_pointer(K[st.AT_F]), int_pointer(K[st.AT_PATTERN])
    n, x, last = I[L.N_V], K[st.NEWTON + st.VECTOR], 1e300
    call(I[L.AT_SYSTEM], I, F, W, 0)
    for _ in range(MOST):
        unbalanced_into(I, P, W, S, x)
        call(K[st.AT_SOLVE_MATRIX], K, S, W, 0)
        largest, fastest = 0.0, 0.0
        for i in range(n):
            W[I[L.A] + i] += S[x + i]
            largest = max(largest, abs(S[x + i]) / S[K[st.SCALE] + i])
            fastest = max(fastest, abs(W[I[L.A] + i]) / S[K[st.SCALE] + i])
        for k in range(I[L.N_ROWS]):
            W[I[L.LAM] + k] += S[x + n + k]
        if largest <= CLOSED * fastest or largest >= 0.5 * last:
            return
        last = largest
