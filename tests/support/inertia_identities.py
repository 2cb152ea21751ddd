"""Identities that the inertia of every real body satisfies: they find wrong integrals, signs and units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmb.bodies.invariants import InertiaField, Invariants

Array = NDArray[Any]


def identity_error(field: InertiaField, q: Array | None = None) -> float:
    """The largest violation of the identities that every consistent field satisfies (theory 3.1), relative.

    dS/dq_k = S_psi,k;  dP/dq_k = B_k + B_k^T;  dB_k/dq_l = C_lk + int rho (d psi_k/d q_l)^T;  C_kl^T = C_lk, and
    the symmetry of second derivatives. Round-off (about 1e-14) when they hold: then the equations are exactly
    those of Lagrange. q : (n,) where to look, by default coordinates that are all different and not small.
    """
    n = field.n_modes
    q = 0.7 * np.cos(1.0 + 2.3 * np.arange(n)) if q is None else np.asarray(q, float)
    steps = q + 1e-30j * np.eye(n)
    S_psi, B, C, S_second, B_second = field.S_psi(q), field.B(q), field.C(q), field.S_second(), field.B_second(q)
    pairs = [(field.P(q), field.P(q).T), (C, C.transpose(1, 0, 3, 2))]
    pairs += [(S_second, S_second.transpose(1, 0, 2)), (B_second, B_second.transpose(1, 0, 2, 3))]
    for k, step in enumerate(steps):
        pairs.append((field.S(step).imag / 1e-30, S_psi[k]))
        pairs.append((field.P(step).imag / 1e-30, B[k] + B[k].T))
        pairs.append((field.S_psi(step).imag / 1e-30, S_second[:, k]))
        pairs.append((field.B(step).imag / 1e-30, C[k] + B_second[:, k]))
    return max((_difference(left, right) for left, right in pairs), default=0.0)


def gram_deficit(field: Invariants) -> float:
    """The most negative eigenvalue of the Gram matrix of (1, X, phi_k), its diagonal scaled to 1, or 0.

    Never below round-off for integrals over a real mass: finds wrong signs and units in imported data, which the
    identities cannot see.
    """
    n = field.n_modes
    gram = np.zeros((4 + 3 * n, 4 + 3 * n))
    gram[0, 0] = field.mass
    gram[0, 1:4], gram[0, 4:] = field.S0, field.S1.ravel()
    gram[1:4, 1:4], gram[1:4, 4:] = field.P0, field.N1.transpose(1, 0, 2).reshape(3, 3 * n)
    gram[4:, 4:] = field.N2.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)
    gram = np.triu(gram) + np.triu(gram, 1).T
    diagonal = np.diag(gram)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    return float(min(0.0, np.linalg.eigvalsh(scale[:, None] * gram * scale)[0]))


def _difference(left: Array, right: Array) -> float:
    if left.size == 0:
        return 0.0
    scale = max(np.abs(left).max(), np.abs(right).max())
    return float(np.abs(left - right).max() / scale) if scale > 0.0 else 0.0
