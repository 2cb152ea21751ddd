"""Rigid motions to second order: effect of a rotation vector on points, and transformation of shapes to another frame.

A frame moves by a displacement d and a rotation vector w that are quadratic in the coordinates q,
    d = d_k q_k + 1/2 d_kl q_k q_l,  w = w_k q_k + 1/2 w_kl q_k q_l,
and a point at r from its origin goes to d + exp(~w) r, whose second derivative is d_kl + ~w_kl r + sym(~w_k ~w_l) r.
Seen from such a frame a point that moves by phi_k q_k + 1/2 G_kl q_k q_l, at r, and a rotation vector Theta, Gamma read
    phi'_k  = phi_k - d_k - w_k x r
    G'_kl   = G_kl - d_kl - w_kl x r - w_k x (phi_l - d_l) - w_l x (phi_k - d_k) + sym(~w_k ~w_l) r
    Theta'_k = Theta_k - w_k,   Gamma'_kl = Gamma_kl - w_kl - 1/2 (w_k x Theta_l + w_l x Theta_k)
exactly to second order (the last from the product of two rotations).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers


def skew_matrices(a: Floats) -> Floats:
    """(..., 3, 3) ~a of a : (..., 3)"""
    out = np.zeros((*a.shape[:-1], 3, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = a[..., 2], -a[..., 1], a[..., 0]
    return out


def second_rotation(w_k: Floats, w_l: Floats) -> Floats:
    """(..., 3, 3) sym(~w_k ~w_l) of w_k, w_l : (..., 3)"""
    product = skew_matrices(w_k) @ skew_matrices(w_l)
    return 0.5 * (product + product.swapaxes(-1, -2))


def lower_pairs(n: int) -> Integers:
    """(n (n + 1)/2, 2) pairs (k, l), l <= k, row by row"""
    k, l = np.tril_indices(n)
    return np.stack([k, l], axis=1)


def full_pairs(values: Floats, n: int) -> Floats:
    """(n, n, ...) symmetric array of the values of `lower_pairs`"""
    out = np.empty((n, n, *values.shape[1:]))
    k, l = np.tril_indices(n)
    out[k, l], out[l, k] = values, values
    return out


@dataclass(frozen=True)
class SmallMotion:
    """Displacement and rotation vector of a marker or frame, quadratic in n coordinates; p pairs of `lower_pairs`."""

    d: Floats
    """(n, 3) displacement per unit coordinate"""
    w: Floats
    """(n, 3) rotation vector per unit coordinate [rad]"""
    d2: Floats
    """(p, 3) second derivatives of the displacement"""
    w2: Floats
    """(p, 3) second derivatives of the rotation vector"""


def seen_from(frame: SmallMotion, pairs: Integers, r: Floats, phi: Floats, G: Floats) -> tuple[Floats, Floats]:
    """phi' (m, n, 3) and G' (m, p, 3) of m points in a frame that moves; p pairs, those of `frame.d2`

    r : (m, 3) from the origin of the frame; phi : (m, n, 3); G : (m, p, 3)
    """
    k, l = pairs.T
    free = phi - frame.d
    turned = np.cross(frame.w[k], free[:, l]) + np.cross(frame.w[l], free[:, k])
    curved = np.einsum("pij,mj->mpi", second_rotation(frame.w[k], frame.w[l]), r)
    second = G - frame.d2 - np.cross(frame.w2, r[:, None]) - turned + curved
    return free - np.cross(frame.w, r[:, None]), second


def marker_seen_from(frame: SmallMotion, pairs: Integers, r: Floats, marker: SmallMotion) -> SmallMotion:
    """A marker at r : (3,) from the origin of a frame that moves, as seen from this frame"""
    k, l = pairs.T
    phi, G = seen_from(frame, pairs, r[None], marker.d[None], marker.d2[None])
    twisted = 0.5 * (np.cross(frame.w[k], marker.w[l]) + np.cross(frame.w[l], marker.w[k]))
    return SmallMotion(phi[0], marker.w - frame.w, G[0], marker.w2 - frame.w2 - twisted)


def chord_motion(pairs: Integers, p_a: Floats, a: SmallMotion, p_b: Floats, b: SmallMotion) -> SmallMotion:
    """Motion of the frame with its origin at marker a, an axis through marker b, and the twist of a about it."""
    k, l = pairs.T
    length = float(np.linalg.norm(p_b - p_a))
    e = (p_b - p_a) / length
    delta, delta2 = (b.d - a.d) / length, (b.d2 - a.d2) / length
    along = delta @ e
    w = np.cross(e, delta) + np.outer(a.w @ e, e)
    # second derivatives of the unit vector c/|c| across e, then of the rotation that takes e there
    direction2 = delta2 - along[l, None] * delta[k] - along[k, None] * delta[l]
    w2 = np.cross(e, direction2 - second_rotation(w[k], w[l]) @ e) + np.outer(a.w2 @ e, e)
    return SmallMotion(a.d, w, a.d2, w2)
