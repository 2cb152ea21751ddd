"""Extrapolation of a quasi-static motion to the next instant: the first iterate of its balance.

y, y' and y'' each by the polynomial through its values at this instant and those before, at equal distances; not y from
y', nor y' from y'', which have the errors of difference quotients. Until enough instants are known, by Taylor's series.
The other coordinates follow from their velocities and the differences of their accelerations (Adams, twice integrated):
they are only where the search for a closed position starts.
Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, sec. III.1 and III.10.
"""

from __future__ import annotations

from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import kernel
from flexmb.solvers.driven_kernels import move
from flexmb.solvers.state_copy import copy_block

EQUAL = 1e-6  # relative difference of two steps that counts as none
ENOUGH = 3  # instants before this one from which a polynomial is better than Taylor's series


@kernel
def _weights(known):
    """Weights of this instant and the four before in the polynomial of the highest degree, at the next one."""
    if known == 3:
        return 4.0, -6.0, 4.0, -1.0, 0.0
    return 5.0, -10.0, 10.0, -5.0, 1.0


@kernel
def extrapolate(I, F, W, S, K):
    """Move CENTRE and W[Q] on by H."""
    n, n_v, c, h, before = K[ds.N_FREE], I[L.N_V], K[ds.CENTRE], S[ds.H], K[ds.CENTRE_P]
    if abs(h - S[ds.H_BEFORE]) > EQUAL * h:
        K[ds.N_BEFORE] = 0
    known = K[ds.N_BEFORE]
    if known >= ENOUGH:
        w0, w1, w2, w3, w4 = _weights(known)
        for j in range(3 * n):
            p = before + j
            S[c + j] = w0 * S[c + j] + w1 * S[p] + w2 * S[p + 3 * n] + w3 * S[p + 6 * n] + w4 * S[p + 9 * n]
    else:
        for j in range(n):
            second = S[c + 2 * n + j]
            third = (second - S[before + 2 * n + j]) / h if known > 0 else 0.0
            S[c + j] += h * (S[c + n + j] + h / 2.0 * (second + h / 3.0 * third))
            S[c + n + j] += h * (second + h / 2.0 * third)
            S[c + 2 * n + j] += h * third
    for i in range(n_v):
        a, p, r = S[K[ds.A_N] + i], S[K[ds.A_P] + i], S[K[ds.A_P] + n_v + i]
        first = a - p if known > 0 else 0.0
        second = a - 2.0 * p + r if known > 1 else 0.0
        W[I[L.DQ] + i] = h * S[K[ds.V_N] + i] + h * h * (0.5 * a + first / 6.0 + second / 8.0)
    move(I, F, W)


@kernel
def remember(I, S, K):
    """Keep the instant before the step for the next extrapolations."""
    size, n_v = 3 * K[ds.N_FREE], I[L.N_V]
    for back in range(3, 0, -1):
        copy_block(S, K[ds.CENTRE_P] + (back - 1) * size, S, K[ds.CENTRE_P] + back * size, size)
    copy_block(S, K[ds.CENTRE_N], S, K[ds.CENTRE_P], size)
    copy_block(S, K[ds.A_P], S, K[ds.A_P] + n_v, n_v)
    copy_block(S, K[ds.A_N], S, K[ds.A_P], n_v)
    S[ds.H_BEFORE] = S[ds.H]
    K[ds.N_BEFORE] = min(K[ds.N_BEFORE] + 1, 4)
