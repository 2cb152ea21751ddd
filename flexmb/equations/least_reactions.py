"""Least reactions of joints whose constraint rows depend on each other (theory 8, 10), for the output rows.

Multipliers of such rows are not unique: an internal load N of a set, G_all^T N = 0, changes reactions but no motion.
With the basis Q = [U C] of `flexmb.equations.shared_rows` the internal loads of a set are

    N = C - U X,      X by QR of (U^T G_all)^T,

and an output row has the multipliers lam_all = U lam + N z with the least reactions of all joints, those of the tree
included: z minimises the sum of L^2 |force|^2 + |moment|^2, L the length scale. So the reactions do not depend on the
coordinates, nor on which joint of a loop is the chord.
"""

from __future__ import annotations

from math import sqrt

from flexmb.equations.cholesky import cholesky, cholesky_solve
from flexmb.equations.constraints import MULTIPLIERS
from flexmb.equations.shared_rows import AS_BEFORE, clear_shift, shift_of
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import body_record, joint_record, n_modes_of, wrench_of
from flexmb.machine_code.jit import call, kernel, program


@kernel
def orthogonal_rows(I, W, first, rank, T, R):
    """W[T..] = orthonormal rows that span rows `first`.. of G, W[R..] the triangle: G = R^T T, Gram-Schmidt twice."""
    n, m = I[L.N_V], I[L.N_ALL_ROWS]
    for k in range(rank):
        for j in range(n):
            W[T + k * n + j] = W[I[L.G] + (first + k) * n + j]
        for i in range(k):
            W[R + i * m + k] = 0.0
        for _ in range(2):
            for i in range(k):
                total = 0.0
                for j in range(n):
                    total += W[T + i * n + j] * W[T + k * n + j]
                W[R + i * m + k] += total
                for j in range(n):
                    W[T + k * n + j] -= total * W[T + i * n + j]
        total = 0.0
        for j in range(n):
            total += W[T + k * n + j] ** 2
        length = sqrt(total)
        W[R + k * m + k] = length
        for j in range(n):
            W[T + k * n + j] *= 1.0 / length if length > 1e-300 else 0.0


@kernel
def dependence_into(I, W, column, rank, T, R, x):
    """W[x..] = X of one left-out combination: G_all^T C = G^T X, by the orthonormal rows."""
    n, m, Q = I[L.N_V], I[L.N_ALL_ROWS], I[L.BASIS]
    c = x + rank  # the row of this combination, until the next one takes its place
    for j in range(n):
        W[c + j] = 0.0
    for i in range(m):
        factor = W[Q + i * m + column]
        if factor != 0.0:
            for j in range(n):
                W[c + j] += factor * W[I[L.G_ALL] + i * n + j]
    for k in range(rank):
        total = 0.0
        for j in range(n):
            total += W[T + k * n + j] * W[c + j]
        W[x + k] = total
    for k in range(rank - 1, -1, -1):
        for i in range(k + 1, rank):
            W[x + k] -= W[R + k * m + i] * W[x + i]
        W[x + k] *= 1.0 / W[R + k * m + k] if W[R + k * m + k] > 1e-300 else 0.0


@kernel
def internal_loads_into(I, W, T, N):
    """W[N..] = internal loads of all sets, by rows of n_all_rows; returns their number. W[T..] is scratch."""
    n, m, Q = I[L.N_V], I[L.N_ALL_ROWS], I[L.BASIS]
    R = T + m * n
    x = R + m * m
    count = 0
    for number in range(I[L.N_SHARED]):
        record = I[L.SHARED_ROWS] + number * L.SHARED
        first, rank, left = I[record + L.SH_ROW], I[record + L.SH_RANK], I[record + L.SH_LEFT]
        orthogonal_rows(I, W, first, rank, T, R)
        for c in range(I[record + L.SH_N_LEFT]):
            dependence_into(I, W, left + c, rank, T, R, x)
            for i in range(m):
                total = W[Q + i * m + left + c]
                for k in range(rank):
                    total -= W[Q + i * m + first + k] * W[x + k]
                W[N + count * m + i] = total
            count += 1
    return count


@kernel
def unload(I, W):
    """Set the wrenches of all bodies and the efforts to zero."""
    for k in range(I[L.N_V]):
        W[I[L.EFFORT] + k] = 0.0
    for b in range(I[L.N_BODIES] + 1):
        body = body_record(I, b)
        for k in range(6 + n_modes_of(I, body)):
            W[wrench_of(I, body) + k] = 0.0


@kernel
def reactions_into(I, F, W, out):
    """W[out..] = reactions of all joints, 6 each: forces times the length scale, then moments."""
    call(I[L.AT_REACTIONS], I, F, W, 0)
    length = F[I[L.OPEN] + 1]
    for k in range(I[L.N_JOINTS]):
        source = I[joint_record(I, k) + L.JO_W]
        for i in range(3):
            W[out + 6 * k + i] = length * W[source + i]
            W[out + 6 * k + 3 + i] = W[source + 3 + i]


@program
def share(I, F, W, wanted):
    """Shift of the multipliers to those of the least reactions, at T, Q, V, A, LAM; later residuals add it.

    AS_BEFORE: no shift.
    """
    clear_shift(I, W)
    if wanted == AS_BEFORE:
        return
    call(I[L.AT_JACOBIAN], I, F, W, 0)
    n, m, shift, width = I[L.N_V], I[L.N_ALL_ROWS], shift_of(I), 6 * I[L.N_JOINTS]
    T = I[L.X_SHARE]
    N = T + m * n + m * m + m + n
    count = internal_loads_into(I, W, T, N)
    V = N + count * m  # reactions: of the multipliers, then of each internal load alone
    A = V + (count + 1) * width
    w = A + count * count
    call(I[L.AT_WHOLE_RESIDUAL], I, F, W, 0)
    reactions_into(I, F, W, V)
    for c in range(count):
        unload(I, W)
        for i in range(m):
            W[I[L.LAM_ALL] + i] = W[N + c * m + i]
        call(I[L.AT_ROWS], I, F, W, MULTIPLIERS)
        call(I[L.AT_BACKWARD], I, F, W, T)
        reactions_into(I, F, W, V + (c + 1) * width)
    for c in range(count):
        for d in range(-1, count):
            total = 0.0
            for i in range(width):
                total += W[V + (c + 1) * width + i] * W[V + (d + 1) * width + i]
            if d < 0:
                W[w + c] = -total
            else:
                W[A + c * count + d] = total
    cholesky(W, A, count)
    cholesky_solve(W, A, count, w)
    for i in range(m):
        for c in range(count):
            W[shift + i] += W[N + c * m + i] * W[w + c]
