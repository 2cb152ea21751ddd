"""Constraint rows that depend on each other (theory 8): the solvers see independent combinations of all rows.

With m rows of rank r, Q = [U C] (m x m) in BASIS holds combinations that the solvers see (U, m x r) and those that
follow from them (C): columns orthonormal for rows divided by their unit, single rows where nothing repeats them.

    Phi = U^T Phi_all,   G = U^T G_all,   lam_all = U lam

U is chosen where the mechanism is (`flexmb.solvers.shared_basis`) and kept while it moves: as long as it is near, its
rows hold when all rows hold. Then C^T Phi_all = 0 too, which the solvers watch.

Multipliers of such rows are not unique: an output row adds a shift to them (`flexmb.equations.least_reactions`).
"""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import call, kernel, program

SHARED, AS_BEFORE = range(2)
"""Multipliers that `share` is to set: the least ones, or those of the solvers."""


@kernel
def shift_of(I):
    """Offset in W of the shift of the multipliers of all rows."""
    m = I[L.N_ALL_ROWS]
    return I[L.BASIS] + m * m + 2 * I[L.N_Q]


@kernel
def has_moved(I, W):
    """Whether a coordinate has left the reach of the basis."""
    m, n = I[L.N_ALL_ROWS], I[L.N_Q]
    place = I[L.BASIS] + m * m
    for i in range(n):
        if abs(W[I[L.Q] + i] - W[place + i]) > W[place + n + i]:
            return True
    return False


@kernel
def is_open(I, F, W):
    """Whether combinations and rows that the solvers do not see are open, beyond what they leave of those they see."""
    m, Q, largest, seen = I[L.N_ALL_ROWS], I[L.BASIS], 0.0, 0.0
    for k in range(I[L.N_POS_ROWS]):
        seen = max(seen, abs(W[I[L.PHI] + k]))
    for k in range(I[L.N_ROWS], m):
        total = 0.0
        for i in range(m):
            total += W[Q + i * m + k] * W[I[L.PHI_ALL] + i]
        if not abs(total) <= largest:  # also catches NaN
            largest = abs(total)
    return not largest <= F[I[L.OPEN]] + 10.0 * seen


@kernel
def expand(I, W):
    """LAM_ALL = U LAM + shift."""
    m, r, Q, shift = I[L.N_ALL_ROWS], I[L.N_ROWS], I[L.BASIS], shift_of(I)
    for i in range(m):
        total = W[shift + i]
        for k in range(r):
            total += W[Q + i * m + k] * W[I[L.LAM] + k]
        W[I[L.LAM_ALL] + i] = total


@kernel
def combine(I, W, source, target, width):
    """W[target..] = U^T W[source..], of rows with `width` numbers each."""
    m, r, Q = I[L.N_ALL_ROWS], I[L.N_ROWS], I[L.BASIS]
    for j in range(r * width):
        W[target + j] = 0.0
    for i in range(m):
        for k in range(r):
            factor = W[Q + i * m + k]
            if factor != 0.0:
                for j in range(width):
                    W[target + k * width + j] += factor * W[source + i * width + j]


@kernel
def clear_shift(I, W):
    """Remove the shift of the multipliers."""
    shift = shift_of(I)
    for i in range(I[L.N_ALL_ROWS]):
        W[shift + i] = 0.0


@program
def shared_residual(I, F, W, arg):
    """Residual of the equations of motion and of the combined rows."""
    expand(I, W)
    call(I[L.AT_ALL_RESIDUAL], I, F, W, arg)
    combine(I, W, I[L.PHI_ALL], I[L.PHI], 1)
    combine(I, W, I[L.PHI_DOT_ALL], I[L.PHI_DOT], 1)


@program
def shared_whole_residual(I, F, W, arg):
    """The same that also leaves motion and wrenches of all bodies."""
    expand(I, W)
    call(I[L.AT_ALL_WHOLE_RESIDUAL], I, F, W, arg)
    combine(I, W, I[L.PHI_ALL], I[L.PHI], 1)
    combine(I, W, I[L.PHI_DOT_ALL], I[L.PHI_DOT], 1)


@kernel
def combine_rows(I, W):
    """G, PHI and PHI_DOT of the combinations."""
    combine(I, W, I[L.PHI_ALL], I[L.PHI], 1)
    combine(I, W, I[L.PHI_DOT_ALL], I[L.PHI_DOT], 1)
    combine(I, W, I[L.G_ALL], I[L.G], I[L.N_V])


@program
def shared_system(I, F, W, after_residual):
    """M, BIAS, G, PHI, PHI_DOT, GAM of the combined rows; 1, after the residual: only M, G, PHI, PHI_DOT."""
    call(I[L.AT_ALL_SYSTEM], I, F, W, after_residual)
    combine_rows(I, W)
    if after_residual == 0:
        combine(I, W, I[L.GAM_ALL], I[L.GAM], 1)


@program
def shared_jacobian(I, F, W, arg):
    """G, PHI, PHI_DOT, GAM of the combined rows."""
    call(I[L.AT_ALL_JACOBIAN], I, F, W, arg)
    combine_rows(I, W)
    combine(I, W, I[L.GAM_ALL], I[L.GAM], 1)
